// How the automata and the products are built, and which algorithms suffer from it.
//
// Gaiser and Schwoon name three effects that make algorithms differ. Here the cases are parted by each of them, and the
// work of the algorithms is compared in both parts: an effect that matters shows as a difference between two lines.

function structureSection({ cases, width }) {
  return [strengths(cases, width), ...effects(cases)];
}

function strengths(cases, width) {
  const known = cases.filter((one) => one.strength);
  if (!known.length) return missing("The strength of no automaton is known.");
  const number = (strength) => known.filter((one) => one.strength === strength).length;
  const rows = [
    { name: "terminal", value: number("terminal") },
    { name: "weak only", value: number("weak") },
    { name: "not weak", value: number("strong") },
  ];
  const strong = quotient(number("strong"), known.length);
  return figure(
    {
      id: "strengths",
      title: "Weak and terminal automata",
      caption: [
        `Degeneralised automata of ${plural(known.length, "case")}. `,
        `${percent(strong)} are not weak; in the paper, 8${GAP}% of 266 (21). `,
        `So ${percent(1 - strong)} are weak; Černá and Pelánek estimate 90–95${GAP}% for formulas in practice. `,
        leftOut([cases.length - known.length, "case", "of which it is not known"]),
      ],
    },
    barChart({
      id: "strengths-chart",
      title: "share of the cases",
      width: width(2),
      unit: null,
      show: percent,
      rows: rows.map((row) => ({ name: row.name, value: row.value / known.length, look: { colour: "var(--hue-4)" } })),
    }),
  );
}

const HURT = ["c99", "se", "hpy", "and", "gv"];

// The paper's numbers: of its cases, and of its 21 that are not weak.
const EFFECTS = [
  {
    name: "accepting trivial components",
    why: "c99, se and hpy explore them twice",
    paper: "86",
    paperStrong: "18",
    there: (one) => counted(one, "accepting_trivial"),
  },
  {
    name: "non-accepting components that no accepting one precedes",
    why: "c99 falls behind all others",
    paper: "98",
    paperStrong: "17",
    there: (one) => counted(one, "not_preceded_by_accepting"),
  },
  {
    name: "the same, with a cycle in them",
    why: "the part of them that is not trivial",
    paper: DASH,
    paperStrong: DASH,
    there: (one) => counted(one, "not_preceded_by_accepting_cyclic"),
  },
  {
    name: "se found the cycle in its first search, hpy in the nested one",
    why: "hpy reports only there",
    paper: "101",
    paperStrong: "7",
    there: (one) => foundNested(one, false),
  },
  {
    name: "se, too, found the cycle only in the nested search",
    why: "no early detection",
    paper: DASH,
    paperStrong: DASH,
    there: (one) => foundNested(one, true),
  },
];

// true, false, or null where it is not known
function counted(one, effect) {
  const number = one.effects?.[effect];
  return finite(number) ? number > 0 : null;
}

function foundNested(one, bySe) {
  const [se, hpy] = configurationsOf(["se", "hpy"]).map((configuration) => finishedRun(one, configuration));
  if (!se || !hpy || one.verdict !== "violated") return null;
  return Boolean(hpy.found_nested) && Boolean(se.found_nested) === bySe;
}

function effects(cases) {
  if (!cases.some((one) => one.verdict)) return [missing("No case has a verdict, so no effect can be seen.")];
  const ascc = configurationOf("ascc");
  const others = configurationsOf(HURT);
  const rows = EFFECTS.flatMap((effect, number) => {
    const known = cases.filter((one) => one.verdict && effect.there(one) !== null);
    return [true, false].map((present) => {
      const part = known.filter((one) => effect.there(one) === present);
      const common = ascc ? finishedByAll(part, [ascc, ...others]) : [];
      return {
        number,
        name: effect.name,
        why: effect.why,
        present,
        emphasis: present ? null : "second",
        cases: part.length,
        strong: part.filter((one) => one.strength === "strong").length,
        paper: present ? effect.paper : "",
        paperStrong: present ? effect.paperStrong : "",
        common: common.length,
        ratios: others.map((configuration) => (ascc ? compared(common, configuration, ascc, "transitions") : null)),
      };
    });
  });
  const unknown = cases.filter((one) => !one.effects).length;
  const parts = ascc ? [] : [missing("There are no runs of ascc that the others could be compared with.")];
  parts.push(
    figure(
      {
        id: "effects",
        title: "Three structural effects",
        wide: true,
        caption: [
          "For each effect the cases that have it, and below those that do not. ",
          "The first three are there if there is at least one such component in the part of the product that ascc ",
          "explores; the last two are about violated cases that se and hpy finished. ",
          "The paper counts 86, 98 and 101 of its cases, and 18, 17 and 7 of the 21 that are not weak; ",
          "it asks for many trivial components, not for one. ",
          "On the right, the transitions of an algorithm divided by those of ascc, ",
          "over the cases that all of these finished: the geometric mean of the ratios, and the ratio of the sums. ",
          leftOut(
            [unknown, "case", "whose components are not known, from the first three"],
            [cases.filter((one) => !one.verdict).length, "case", "without a verdict"],
          ),
        ],
      },
      table({
        id: "effects-table",
        label: "Three structural effects",
        rows,
        few: 40,
        columns: [
          {
            name: "Effect",
            text: true,
            wide: true,
            value: (row) => row.number * 2 + (row.present ? 0 : 1),
            show: (row) => (row.present ? [row.name, element("small", {}, row.why)] : "without it"),
          },
          { group: "cases", name: "all", value: (row) => row.cases },
          { group: "cases", name: "not weak", value: (row) => row.strong },
          { group: "the paper", name: "all ", value: (row) => Number(row.paper) || null, show: (row) => row.paper },
          {
            group: "the paper",
            name: "not weak ",
            value: (row) => Number(row.paperStrong) || null,
            show: (row) => row.paperStrong,
          },
          { name: "compared", value: (row) => row.common },
          ...others.map((configuration, place) => ({
            group: "transitions ÷ ascc, geometric mean",
            name: configuration.name,
            value: (row) => row.ratios[place]?.mean ?? null,
            show: (_, value) => times(value),
          })),
          ...others.map((configuration, place) => ({
            group: "transitions ÷ ascc, sums",
            name: configuration.name,
            value: (row) => row.ratios[place]?.ratio ?? null,
            show: (_, value) => times(value),
          })),
        ],
      }),
    ),
  );
  return parts;
}
