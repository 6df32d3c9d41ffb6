// Single cases and single runs, with the command that does a run again.

// Quadratic: it would be the worst nearly everywhere, and hide what else there is to see.
const HOPELESS = "lasso";

function differencesSection({ cases }) {
  // Of several that are equal, the first is named; so those that the papers compare come first.
  const known = PAPER.map(({ algorithm }) => algorithm);
  const configurations = [
    ...configurationsOf(known),
    ...plainConfigurations().filter(({ algorithm }) => algorithm !== HOPELESS && !known.includes(algorithm)),
  ];
  const rows = [];
  for (const one of cases.filter((candidate) => candidate.verdict)) {
    const runs = configurations
      .map((configuration) => finishedRun(one, configuration))
      .filter((run) => run && run.transitions > 0);
    if (runs.length < 2) continue;
    const best = runs.reduce((a, b) => (b.transitions < a.transitions ? b : a));
    const worst = runs.reduce((a, b) => (b.transitions > a.transitions ? b : a));
    rows.push({ one, best, worst, ratio: worst.transitions / best.transitions });
  }
  if (!rows.length) return [missing("No case was finished by two algorithms.")];
  const names = (of) => ({ text: true, value: (row) => of(row).configuration.name });
  return [
    figure(
      {
        id: "extremes",
        title: "The greatest ratios of transitions",
        wide: true,
        caption: [
          "Of each case the algorithms that generated the fewest and the most transitions, ",
          `with degeneralised automata, on the fly; ${plural(rows.length, "case")}. `,
          "Where several are equal, one of them is named. ",
          leftOut(
            configurationOf(HOPELESS)
              ? `${HOPELESS}, which is quadratic and would be the worst nearly everywhere`
              : null,
            [cases.length - rows.length, "case", "that fewer than two algorithms finished"],
          ),
        ],
      },
      table({
        id: "extremes-table",
        label: "The greatest ratios of transitions",
        rows,
        few: 15,
        sort: { column: 6, descending: true },
        columns: [
          caseColumn((row) => row.one),
          { name: "verdict", text: true, value: (row) => row.one.verdict },
          { group: "fewest", name: "algorithm", ...names((row) => row.best) },
          { group: "fewest", name: "transitions", value: (row) => row.best.transitions },
          { group: "most", name: "algorithm ", ...names((row) => row.worst) },
          { group: "most", name: "transitions ", value: (row) => row.worst.transitions },
          { name: "ratio", value: (row) => row.ratio, show: (_, value) => times(value) },
          {
            name: "Commands",
            text: true,
            value: (row) => commandOf(row.best),
            show: (row) => [command(commandOf(row.best)), command(commandOf(row.worst))],
          },
        ],
      }),
    ),
  ];
}

function runsSection({ cases }) {
  if (!data.runs.length) return [missing("There are no runs.")];
  const all = cases.flatMap((one) => one.runs.filter(Boolean));
  const verdicts = [...new Set(data.runs.map((run) => run.verdict))].filter(Boolean).sort();
  const rows = all.filter(
    (run) =>
      (!settings.configuration || run.configuration.name === settings.configuration) &&
      (!settings.outcome || run.verdict === settings.outcome),
  );
  const number = (name, field, show = integer, group = null) => ({
    group,
    name,
    value: (run) => run[field],
    show: (_, value) => show(value),
  });
  return [
    figure(
      {
        id: "all-runs",
        title: "One line per run",
        wide: true,
        caption: [
          `${plural(rows.length, "run")} of ${plural(cases.length, "case")}. `,
          "Nested: whether the cycle was found in the nested search. ",
          leftOut([all.length - rows.length, "run", "of other configurations or with other outcomes"]),
        ],
      },
      element(
        "div",
        { class: "controls" },
        choice(
          "configuration",
          "configuration",
          [["", "any"], ...data.configurations.map(({ name }) => [name, name])],
          settings.configuration,
        ),
        choice("outcome", "outcome", [["", "any"], ...verdicts.map((name) => [name, name])], settings.outcome),
      ),
      table({
        id: "runs-table",
        label: "All runs",
        rows,
        columns: [
          caseColumn((run) => run.of),
          { name: "Configuration", text: true, value: (run) => run.configuration.name },
          {
            name: "outcome",
            text: true,
            value: (run) => run.verdict,
            show: (run) => [run.verdict ?? DASH, run.reason ? element("small", {}, run.reason) : null],
          },
          number("seconds", "seconds", measured),
          number("in all", "total_seconds", measured),
          number("visited", "visited", integer, "states"),
          number("stored", "stored", integer, "states"),
          number("transitions", "transitions"),
          number("post calls", "post_calls"),
          number("depth", "depth"),
          number("|Roots|", "roots"),
          number("active", "active"),
          {
            name: "nested",
            text: true,
            value: (run) => (run.verdict === "violated" ? (run.found_nested ? "yes" : "no") : null),
          },
          number("prefix", "prefix", integer, "counterexample"),
          number("cycle", "cycle", integer, "counterexample"),
          number("states", "descriptor_bytes", integer, "bytes"),
          number("auxiliary", "auxiliary_bytes", integer, "bytes"),
          number("vectors", "vector_bytes", integer, "bytes"),
          number("peak", "peak_rss_bytes", integer, "bytes"),
          { name: "Command", text: true, value: commandOf, show: (run) => command(commandOf(run)) },
        ],
      }),
    ),
  ];
}
