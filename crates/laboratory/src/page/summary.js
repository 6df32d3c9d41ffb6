// What came out at all: verdicts, disagreements, and runs that did not finish.

function summarySection({ cases }) {
  if (!data.cases.length) return [missing("There are no cases.")];
  const told = (verdict) => cases.filter((one) => one.verdict === verdict).length;
  const counting = cases.filter((one) => one.counts !== false).length;
  const contradictions = cases.filter((one) => one.agreed === false);
  const open = cases.filter((one) => !one.verdict && one.agreed !== false).length;
  const tile = (name, number, kind = null) =>
    element("div", { class: kind }, element("dt", {}, name), element("dd", {}, integer(number)));
  const runs = cases.flatMap((one) => one.runs.filter(Boolean));
  return [
    element(
      "dl",
      { class: "tiles", id: "tiles" },
      tile("cases", cases.length),
      tile("count", counting),
      tile("hold", told("holds")),
      tile("violated", told("violated")),
      tile("without a verdict", open),
      tile("disagreements", contradictions.length, contradictions.length ? "bad" : null),
      tile("runs", runs.length),
    ),
    outcomes(cases),
    algorithmsFigure(),
  ];
}

// A wrong verdict is the worst that can happen, so this is not to be overlooked.
function alarm(contradictions) {
  const item = (one) => {
    const runs = one.runs.filter((run) => run?.finished);
    const verdicts = [...new Set(runs.map((run) => run.verdict))].map((verdict) => {
      const who = runs.filter((run) => run.verdict === verdict);
      return element(
        "li",
        {},
        element("strong", {}, verdict),
        ` say ${who.map((run) => run.configuration.name).join(", ")}`,
        command(commandOf(who[0])),
      );
    });
    return element(
      "li",
      {},
      element("strong", {}, one.name),
      one.expected ? ` – expected: ${one.expected}` : null,
      element("ul", {}, verdicts),
    );
  };
  return element(
    "div",
    { class: "alarm", role: "alert", id: "alarm" },
    element(
      "h3",
      {},
      `${plural(contradictions.length, "case")} with verdicts that contradict each other or what is expected`,
    ),
    paragraph(
      "At least one of these verdicts is wrong. Where runs contradict each other, ",
      "the case is left out of all comparisons below.",
    ),
    element("ul", {}, contradictions.map(item)),
  );
}

function outcomes(cases) {
  const rows = data.configurations.map((configuration) => {
    const runs = cases.map((one) => runOf(one, configuration)).filter(Boolean);
    const number = (verdict) => runs.filter((run) => run.verdict === verdict).length;
    return {
      configuration,
      runs: runs.length,
      holds: number("holds"),
      violated: number("violated"),
      unknown: number("unknown"),
      refused: number("refused"),
      error: number("error"),
      seconds: sum(runs.map((run) => run.seconds ?? 0)),
    };
  });
  const count = (name, field, title) => ({ name, title, value: (row) => row[field] });
  return figure(
    {
      id: "outcomes",
      title: "How the runs ended",
      caption: [
        "One line per configuration. A limit is the time or the memory that a run may use; ",
        "an algorithm refuses an automaton that it is not made for. ",
        "Time is that of the emptiness checks alone, of all runs with a report.",
      ],
    },
    table({
      id: "outcomes-table",
      label: "How the runs ended",
      few: 40,
      rows,
      columns: [
        { name: "Configuration", text: true, value: (row) => row.configuration.name },
        count("runs", "runs"),
        count("holds", "holds"),
        count("violated", "violated"),
        count("hit a limit", "unknown"),
        count("refused", "refused", "the algorithm does not suit the automaton"),
        count("errors", "error"),
        { name: "seconds", value: (row) => row.seconds, show: (_, value) => measured(value) },
      ],
    }),
  );
}

const NEEDS = {
  "any-sets": "any number of sets",
  "one-set": "one set",
  weak: "a weak automaton",
  terminal: "a terminal one",
};

// What stands behind the names, and what the plots draw them as.
function algorithmsFigure() {
  const rows = data.algorithms
    .map((algorithm) => ({
      ...algorithm,
      configuration: data.configurations.find((one) => one.algorithm === algorithm.name),
    }))
    .filter((row) => row.configuration);
  if (!rows.length) return null;
  return figure(
    {
      id: "algorithms",
      title: "Algorithms",
      wide: true,
      caption: "Those that ran. In the plots, every algorithm has the same colour and shape.",
    },
    table({
      id: "algorithms-table",
      label: "Algorithms",
      rows,
      few: 40,
      columns: [
        {
          name: "Algorithm",
          text: true,
          value: (row) => row.name,
          show: (row) =>
            element(
              "span",
              { class: "named" },
              swatch(lookOf({ ...row.configuration, automaton: "degeneralised", product: "on-the-fly" })),
              row.name,
            ),
        },
        { name: "needs", text: true, value: (row) => NEEDS[row.needs] ?? row.needs },
        { name: "what it does", text: true, wide: true, value: (row) => row.title },
        { name: "described in", text: true, wide: true, value: (row) => row.paper || null },
      ],
    }),
  );
}
