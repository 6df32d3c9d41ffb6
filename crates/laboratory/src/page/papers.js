// The two tables that the algorithms are known by: Figure 4 of Gaiser and Schwoon (2009), and Table 1 of Schwoon and
// Esparza (2005), over the cases of this comparison.

// In the paper's order, which is that of its run times.
const PAPER = [
  { algorithm: "ascc", time: 0.67 },
  { algorithm: "gv", time: 0.692 },
  { algorithm: "and", time: 0.697 },
  { algorithm: "se", time: 0.963 },
  { algorithm: "hpy", time: 1 },
  { algorithm: "c99", time: 1.283 },
];

const SHARES = [
  { name: "time", field: "seconds" },
  { name: "transitions", field: "transitions" },
  { name: "post calls", field: "post_calls" },
];

// The six algorithms of the figure, and the cases that all of them finished which are there.
function sixOfThePaper(cases) {
  const hpy = configurationOf("hpy");
  const six = PAPER.map((entry) => ({ ...entry, configuration: configurationOf(entry.algorithm) }));
  const there = six.filter(({ configuration }) => configuration);
  const absent = six.filter(({ configuration }) => !configuration).map(({ algorithm }) => algorithm);
  const common = hpy
    ? finishedByAll(
        cases,
        there.map(({ configuration }) => configuration),
      )
    : [];
  const rows = hpy ? there.map(({ configuration, time }) => shareRow(common, configuration, hpy, time)) : [];
  return { hpy, there, absent, common, rows };
}

function figure4({ hpy, absent, common, rows }, cases, width) {
  if (!hpy)
    return [
      missing(
        "There is no configuration of hpy with degeneralised automata, on the fly, ",
        "that the others could be compared with.",
      ),
    ];
  const reference = rows.find((row) => row.configuration === hpy);
  const contradicted = cases.filter((one) => !one.verdict && one.agreed === false).length;
  const parts = [];
  if (absent.length)
    parts.push(missing(`Of the paper's six, ${absent.join(", ")} did not run: the others are compared without.`));
  if (!common.length) return [...parts, missing("There is no case that all of them finished.")];
  parts.push(
    figure(
      {
        id: "figure-4-chart",
        title: "Figure 4 of Gaiser and Schwoon: sums over all cases, hpy = 100 %",
        wide: true,
        caption: [
          `Sums over ${plural(common.length, "case")} that all of these finished. `,
          `hpy: ${seconds(reference.seconds.total)}, ${integer(reference.transitions.total)} transitions. `,
          "The thick stroke beside a time is the paper's (266 cases of BEEM; ",
          "its ascc ran with generalised automata). ",
          leftOut(
            [cases.length - common.length - contradicted, "case", "that one of them did not finish"],
            [contradicted, "case", "with contradicting verdicts"],
          ),
        ],
      },
      element(
        "div",
        { class: "panels" },
        SHARES.map(({ name, field }) =>
          barChart({
            id: `figure-4-${field}`,
            title: `${name}, % of hpy${field === "seconds" ? " (stroke: the paper)" : ""}`,
            width: width(3),
            unit: 1,
            most: Math.max(...rows.flatMap((row) => [row.paper, ...SHARES.map((one) => row[one.field].ratio ?? 0)])),
            show: percent,
            rows: rows.map((row) => ({
              name: row.configuration.name,
              look: lookOf(row.configuration),
              value: row[field].ratio,
              mark: field === "seconds" ? row.paper : null,
            })),
          }),
        ),
      ),
      shareTable("figure-4-table", rows, { paper: true }),
    ),
  );
  return parts;
}

function shareRow(cases, configuration, base, paper = null) {
  const row = { configuration, base, cases: cases.length, paper };
  for (const { field } of SHARES) row[field] = compared(cases, configuration, base, field);
  return row;
}

function orderInWords(rows) {
  const order = [...rows].sort((a, b) => (a.transitions.ratio ?? 0) - (b.transitions.ratio ?? 0));
  // Algorithms that generate the same number of transitions stand in any order.
  const same = rows.every((row, place) => !place || rows[place - 1].transitions.ratio <= row.transitions.ratio);
  const names = order
    .map(
      (row, place) =>
        (place ? (order[place - 1].transitions.ratio === row.transitions.ratio ? " = " : " < ") : "") +
        row.configuration.name,
    )
    .join("");
  return same
    ? `The order by transitions is the paper's: ${names}.`
    : `The order by transitions is not the paper's, but ${names}.`;
}

function shareTable(id, rows, { paper = false, bases = false } = {}) {
  const ratio = (group, name, of) => ({ group, name, value: of, show: (_, value) => percent(value) });
  return table({
    id,
    label: "Times, transitions and post calls",
    rows,
    few: 40,
    columns: [
      { name: "Configuration", text: true, value: (row) => row.configuration.name },
      ...(bases ? [{ name: "100 %", text: true, value: (row) => row.base.name }] : []),
      { name: "cases", value: (row) => row.cases },
      ...SHARES.map(({ name, field }) => ratio("sums", name, (row) => row[field].ratio)),
      { group: "sums", name: "seconds", value: (row) => row.seconds.total, show: (_, value) => measured(value) },
      ...(paper ? [ratio("the paper", "time", (row) => row.paper)] : []),
      ...SHARES.map(({ name, field }) => ratio("geometric means", name, (row) => row[field].mean)),
    ],
  });
}

// Everything else that ran, each over the cases that it and its base finished: hpy in the same setting, and for `sd`
// also `gv`, since the paper says that both do the same on weak automata.
function othersSection({ cases }) {
  const six = sixOfThePaper(cases).there;
  const rows = [];
  const [sd, gv] = [configurationOf("sd"), configurationOf("gv")];
  if (sd && gv) {
    const weak = cases.filter((one) => one.strength === "weak" || one.strength === "terminal");
    rows.push(shareRow(finishedByAll(weak, [sd, gv]), sd, gv));
  }
  let alone = 0;
  for (const configuration of data.configurations) {
    if (six.some((entry) => entry.configuration === configuration)) continue;
    const base = configurationOf("hpy", { product: configuration.product, engine: configuration.engine });
    if (!base) alone += 1;
    else if (base !== configuration || configuration.product !== "on-the-fly") {
      rows.push(shareRow(finishedByAll(cases, [configuration, base]), configuration, base));
    }
  }
  if (!rows.length) return [missing("No other configuration can be compared in this way.")];
  return [
    figure(
      {
        id: "figure-4-others",
        wide: true,
        title: "As per cent of hpy in the same setting",
        caption: [
          "Every line is over its own cases: those that the configuration and the one in the column “100 %” both ",
          "finished. ",
          sd && gv ? "The first line is over the weak cases: the paper found sd and gv alike there. " : "",
          "A sum is dominated by the largest cases; the geometric mean of the ratios counts every case alike. ",
          leftOut([alone, "configuration", "without hpy in the same setting"]),
        ],
      },
      shareTable("figure-4-others-table", rows, { bases: true }),
    ),
  ];
}

// Table 1 of Schwoon and Esparza.

function table1Section({ cases }) {
  const violated = cases.filter((one) => one.verdict === "violated");
  const holding = cases.filter((one) => one.verdict === "holds");
  const three = (algorithm) => [
    [algorithm, "visited", "states"],
    [algorithm, "transitions", "transitions"],
    [algorithm, "depth", "depth"],
  ];
  return [
    fieldTable("table-1-nested", "Cases with cycles, nested searches", violated, [
      ...three("hpy"),
      ...three("gmz"),
      ...three("se"),
    ]),
    fieldTable("table-1-components", "Cases with cycles, searches for components", violated, [
      ...three("c99"),
      ["c99", "roots", "|Roots|"],
      ...three("gv"),
      ["gv", "active", "|Current|"],
    ]),
    fieldTable("table-1-holds", "Cases without cycles", holding, [
      ["hpy", "visited", "states"],
      ["hpy", "depth", "depth"],
      ["hpy", "transitions", "hpy", "transitions"],
      ["gmz", "transitions", "gmz", "transitions"],
      ["se", "transitions", "se", "transitions"],
      ["c99", "transitions", "c99", "transitions"],
      ["gv", "transitions", "gv", "transitions"],
      ["c99", "roots", "|Roots|"],
      ["gv", "active", "|Current|"],
    ]),
    lengthsTable(violated),
  ];
}

// fields: [algorithm, field, name of the column, group of columns (else the algorithm)]
function fieldTable(id, title, cases, fields) {
  const algorithms = [...new Set(fields.map(([algorithm]) => algorithm))];
  const absent = algorithms.filter((algorithm) => !configurationOf(algorithm));
  const there = configurationsOf(algorithms);
  const shown = cases.filter((one) => there.some((configuration) => finishedRun(one, configuration)));
  const columns = fields
    .filter(([algorithm]) => configurationOf(algorithm))
    .map(([algorithm, field, name, group]) => ({
      group: group ?? algorithm,
      name,
      value: (one) => finishedRun(one, configurationOf(algorithm))?.[field] ?? null,
    }));
  const caption = [
    `${plural(shown.length, "case")}. `,
    absent.length ? `There are no runs of ${absent.join(", ")}. ` : "",
    "A dash stands for a run that did not finish. ",
    leftOut([cases.length - shown.length, "case", "that none of them finished"]),
  ];
  if (!columns.length) return figure({ id, title, caption: "" }, missing(`None of ${algorithms.join(", ")} ran.`));
  if (!shown.length) return figure({ id, title, caption: "" }, missing("There is no such case."));
  return figure(
    { id, title, caption, wide: true },
    table({
      id: `${id}-table`,
      label: title,
      rows: shown,
      sort: { column: 2, descending: true },
      columns: [caseColumn(), ...columns],
    }),
  );
}

function lengthsTable(cases) {
  const title = "Lengths of counterexamples";
  const id = "table-1-lengths";
  const length = (one, configuration) => finishedRun(one, configuration)?.length ?? null;
  const there = plainConfigurations().filter((configuration) =>
    cases.some((one) => length(one, configuration) !== null),
  );
  if (!there.length) return figure({ id, title, caption: "" }, missing("No run found a counterexample."));
  const medians = there.map(
    (configuration) => `${configuration.name} ${measured(median(cases.map((one) => length(one, configuration))))}`,
  );
  return figure(
    {
      id,
      title,
      wide: true,
      caption: [
        "Prefix + cycle, as the algorithm found them, before they are shortened; sorted by their sum. ",
        `Medians: ${medians.join(", ")}.`,
      ],
    },
    table({
      id: `${id}-table`,
      label: title,
      rows: cases,
      sort: { column: 1, descending: true },
      columns: [
        caseColumn(),
        ...there.map((configuration) => ({
          name: configuration.name,
          value: (one) => length(one, configuration),
          show: (one, value) => {
            const run = finishedRun(one, configuration);
            return value === null ? DASH : `${integer(run.prefix)} + ${integer(run.cycle)}`;
          },
        })),
      ],
    }),
  );
}
