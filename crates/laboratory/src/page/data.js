// The comparison, as the sections ask for it.
//
// A run belongs to a case and a configuration. It is *finished* if it has a verdict about the case; limits, refusals
// and errors are not. Algorithms are compared only over cases that all of them finished: a sum over different cases
// would compare the cases.

const TIME_FLOOR = 1e-4; // of plots, in seconds; below, a clock shows mostly noise

const data = readData(JSON.parse(document.getElementById("data").textContent));

function readData(raw) {
  const list = (value) => (Array.isArray(value) ? value : []);
  const configurations = list(raw.configurations).map((configuration, id) => ({ ...configuration, id }));
  const cases = list(raw.cases).map((one, id) => ({ ...one, id, name: one.name ?? `case ${id}`, runs: [] }));
  const columns = list(raw.runs?.columns);
  const runs = [];
  for (const row of list(raw.runs?.rows)) {
    const run = Object.fromEntries(columns.map((name, place) => [name, row[place] ?? null]));
    // A run of nothing that is listed cannot be shown.
    if (!cases[run.case] || !configurations[run.configuration]) continue;
    run.of = cases[run.case];
    run.configuration = configurations[run.configuration];
    run.finished = run.verdict === "holds" || run.verdict === "violated";
    run.length = finite(run.prefix) && finite(run.cycle) ? run.prefix + run.cycle : null;
    run.of.runs[run.configuration.id] = run;
    runs.push(run);
  }
  for (const one of cases) {
    one.states = Math.max(0, ...one.runs.filter(Boolean).map((run) => run.visited ?? 0));
  }
  return { ...raw, algorithms: list(raw.algorithms), configurations, cases, runs };
}

const runOf = (one, configuration) => one.runs[configuration.id] ?? null;

const finishedRun = (one, configuration) => {
  const run = runOf(one, configuration);
  return run?.finished ? run : null;
};

const commandOf = (run) => `lariat check ${run.of.arguments ?? ""} ${run.configuration.options ?? ""}`.trim();

// The configuration in which papers compare an algorithm, or one that differs from it as `like` does.
const ENGINES = ["compiled", "auto", "interpreted"];

function configurationOf(algorithm, { product = "on-the-fly", automaton = "degeneralised", engine = null } = {}) {
  const fitting = data.configurations.filter(
    (one) =>
      one.algorithm === algorithm &&
      one.product === product &&
      one.automaton === automaton &&
      (one.fairness ?? "none") === "none" &&
      (one.threads ?? 1) === 1 &&
      (engine === null || one.engine === engine),
  );
  fitting.sort((a, b) => ENGINES.indexOf(a.engine) - ENGINES.indexOf(b.engine));
  return fitting[0] ?? null;
}

const configurationsOf = (algorithms, like) =>
  algorithms.map((algorithm) => configurationOf(algorithm, like)).filter((found) => found !== null);

// One configuration per algorithm, all alike. Which algorithms there are, in the order of the comparison.
const plainConfigurations = () =>
  configurationsOf([...new Set(data.configurations.map((configuration) => configuration.algorithm))]);

// The cases that all of the configurations finished. Where runs contradict each other there is no verdict, and
// figures of a run with a wrong verdict say nothing.
const finishedByAll = (cases, configurations) =>
  cases.filter(
    (one) => one.verdict && configurations.every((configuration) => finishedRun(one, configuration) !== null),
  );

const MEASURES = {
  transitions: { name: "transitions generated", field: "transitions", show: integer },
  seconds: { name: "seconds", field: "seconds", show: seconds, floor: TIME_FLOOR },
  states: { name: "states visited", field: "visited", show: integer },
  memory: { name: "auxiliary memory in bytes", field: "auxiliary_bytes", show: integer },
};

// Sums and the geometric mean of the ratios, of one field, over cases that both finished.
function compared(cases, configuration, base, field) {
  const pairs = cases
    .map((one) => [finishedRun(one, configuration)?.[field], finishedRun(one, base)?.[field]])
    .filter(([a, b]) => finite(a) && finite(b));
  const [total, baseTotal] = [sum(pairs.map(([a]) => a)), sum(pairs.map(([, b]) => b))];
  return {
    cases: pairs.length,
    total: pairs.length ? total : null,
    baseTotal: pairs.length ? baseTotal : null,
    ratio: pairs.length ? quotient(total, baseTotal) : null,
    mean: geometricMean(pairs.filter(([, b]) => b > 0).map(([a, b]) => a / b)),
  };
}
