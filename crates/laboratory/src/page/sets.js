// Generalised automata against degeneralised ones, for the algorithms that take any number of acceptance sets.
//
// Degeneralising multiplies states. But a different automaton is also explored in a different order, so in a case with
// a counterexample either may be lucky.

const SET_FIELDS = [
  { name: "states", field: "visited" },
  { name: "transitions", field: "transitions" },
  { name: "time", field: "seconds" },
];

function setsSection({ cases }) {
  const pairs = data.configurations
    .filter((configuration) => configuration.automaton === "generalised")
    .map((generalised) => ({
      generalised,
      plain: configurationOf(generalised.algorithm, { product: generalised.product, engine: generalised.engine }),
    }))
    .filter(({ plain }) => plain);
  if (!pairs.length) return [missing("No algorithm ran with both generalised and degeneralised automata.")];
  const rows = pairs.flatMap((pair) => {
    const common = finishedByAll(cases, [pair.generalised, pair.plain]);
    const several = common.filter((one) => one.generalised?.sets > 1);
    return [setsRow(pair, common, "all"), setsRow(pair, several, "more than one set")];
  });
  const ratio = (group, name, of) => ({ group, name, value: of, show: (_, value) => percent(value) });
  const differing = pairs.flatMap((pair) =>
    finishedByAll(cases, [pair.generalised, pair.plain])
      .map((one) => ({ one, pair, general: finishedRun(one, pair.generalised), plain: finishedRun(one, pair.plain) }))
      .filter(({ general, plain }) => general.visited !== plain.visited || general.transitions !== plain.transitions),
  );
  return [
    figure(
      {
        id: "sets",
        title: "Generalised as per cent of degeneralised",
        wide: true,
        caption: [
          "For each algorithm all cases that it finished with both automata, ",
          "and those whose generalised automaton has more than one set; ",
          "with one set or none both are mostly the same automaton. ",
          "Wins are by transitions: how often the generalised automaton needs fewer, as many, more. ",
          leftOut(
            ...pairs.map(({ generalised, plain }) => [
              cases.length - finishedByAll(cases, [generalised, plain]).length,
              "case",
              `that ${generalised.algorithm} did not finish with both`,
            ]),
          ),
        ],
      },
      table({
        id: "sets-table",
        label: "Generalised against degeneralised",
        rows,
        few: 40,
        columns: [
          { name: "Configuration", text: true, value: (row) => row.name },
          { name: "cases with", text: true, value: (row) => row.which },
          { name: "cases", value: (row) => row.cases },
          ...SET_FIELDS.map(({ name, field }) => ratio("sums", name, (row) => row[field].ratio)),
          ...SET_FIELDS.map(({ name, field }) => ratio("geometric means", name, (row) => row[field].mean)),
          { group: "wins", name: "fewer", value: (row) => row.fewer },
          { group: "wins", name: "as many", value: (row) => row.same },
          { group: "wins", name: "more", value: (row) => row.more },
        ],
      }),
    ),
    differing.length
      ? differences(differing)
      : missing("No case takes other states or transitions with its generalised automaton."),
  ];
}

function setsRow({ generalised, plain }, cases, which) {
  const row = { name: generalised.name, which, cases: cases.length, fewer: 0, same: 0, more: 0 };
  for (const { field } of SET_FIELDS) row[field] = compared(cases, generalised, plain, field);
  for (const one of cases) {
    const difference = finishedRun(one, generalised).transitions - finishedRun(one, plain).transitions;
    row[difference < 0 ? "fewer" : difference > 0 ? "more" : "same"] += 1;
  }
  return row;
}

function differences(rows) {
  const both = (name, field, show = integer) => [
    {
      group: name,
      name: "gen.",
      title: "generalised",
      value: (row) => row.general[field],
      show: (_, value) => show(value),
    },
    {
      group: name,
      name: "degen.",
      title: "degeneralised",
      value: (row) => row.plain[field],
      show: (_, value) => show(value),
    },
  ];
  return figure(
    {
      id: "sets-cases",
      title: "Cases in which they differ",
      wide: true,
      caption: `${plural(rows.length, "pair")} of runs with other numbers of states or transitions.`,
    },
    table({
      id: "sets-cases-table",
      label: "Cases in which generalised and degeneralised automata differ",
      rows,
      sort: { column: 10, descending: false },
      columns: [
        caseColumn((row) => row.one),
        { name: "Algorithm", text: true, value: (row) => row.pair.generalised.algorithm },
        { name: "verdict", text: true, value: (row) => row.one.verdict },
        { name: "sets", value: (row) => row.one.generalised?.sets ?? null },
        ...both("states", "visited"),
        ...both("transitions", "transitions"),
        ...both("seconds", "seconds", measured),
        {
          name: "ratio",
          title: "transitions, generalised ÷ degeneralised",
          value: (row) => quotient(row.general.transitions, row.plain.transitions),
          show: (_, value) => times(value),
        },
      ],
    }),
  );
}
