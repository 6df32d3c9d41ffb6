// Every case as a point, one configuration against another; and how many cases are solved in which time. The plots of
// time and memory follow in a file of their own.

function plotsSection({ cases, width }) {
  if (!data.runs.length) return [missing("There are no runs.")];
  return [
    pairPlot(cases, width),
    solvedPlot(cases, width),
    ...speedUpPlots(cases, width),
    ...workPlots(cases, width),
    ...memoryPlots(cases, width),
  ];
}

const option = (value, name, current) => element("option", { value, selected: value === current ? "" : null }, name);

function choice(name, label, options, current) {
  return element(
    "label",
    {},
    `${label} `,
    element(
      "select",
      {
        id: `choose-${name}`,
        onchange: (event) => {
          change(name, event.target.value);
          draw();
        },
      },
      options.map(([value, text]) => option(value, text, current)),
    ),
  );
}

const named = (name) => data.configurations.find((configuration) => configuration.name === name) ?? null;

function pairPlot(cases, width) {
  const x = named(settings.x) ?? configurationOf("hpy") ?? data.configurations[0];
  const y = named(settings.y) ?? configurationOf("ascc") ?? data.configurations[1] ?? data.configurations[0];
  const by = MEASURES[settings.by] ? settings.by : "transitions";
  const measure = MEASURES[by];
  const names = data.configurations.map((configuration) => [configuration.name, configuration.name]);
  const controls = element(
    "div",
    { class: "controls" },
    choice("x", "across", names, x.name),
    choice("y", "up", names, y.name),
    choice(
      "by",
      "by",
      Object.entries(MEASURES).map(([value, { name }]) => [value, name]),
      by,
    ),
  );

  let [none, both, zero] = [0, 0, 0];
  const points = { holds: [], violated: [] };
  const wins = { x: 0, y: 0, same: 0 };
  for (const one of cases) {
    const runs = [runOf(one, x), runOf(one, y)];
    if (runs.some((run) => !run || !(run.finished || run.verdict === "unknown")) || !one.verdict) none += 1;
    else if (!runs.some((run) => run.finished)) both += 1;
    else {
      const value = (run) => (run.finished ? Math.max(run[measure.field] ?? 0, measure.floor ?? 0) : null);
      const [across, up] = runs.map(value);
      if (across === 0 || up === 0) {
        zero += 1;
        continue;
      }
      const [left, right] = [across ?? Number.MAX_VALUE, up ?? Number.MAX_VALUE];
      wins[left < right ? "x" : left > right ? "y" : "same"] += 1;
      const told = (configuration, number) =>
        `${configuration.name}: ${number === null ? "hit a limit" : measure.show(number)}`;
      points[one.verdict].push({ x: across, y: up, text: [one.name, told(x, across), told(y, up)] });
    }
  }
  const series = [
    { name: "holds", look: { colour: "var(--hue-0)", shape: "circle" }, points: points.holds },
    { name: "violated", look: { colour: "var(--hue-1)", shape: "cross" }, points: points.violated },
  ];
  const number = points.holds.length + points.violated.length;
  return figure(
    {
      id: "pair",
      title: "One configuration against another",
      caption: [
        `${plural(number, "case")}, by ${measure.name}. `,
        `Below the diagonal ${y.name} is better (${integer(wins.y)}), above it ${x.name} (${integer(wins.x)}); `,
        `${integer(wins.same)} on it. The thin lines are a factor of two away. `,
        leftOut(
          [none, "case", "that one of them refused or has no result of, or without a verdict"],
          [both, "case", "that hit a limit with both"],
          [zero, "case", "where nothing was counted"],
        ),
      ],
    },
    controls,
    key(series),
    number
      ? scatterPlot({
          id: "pair-plot",
          title: `${y.name} against ${x.name} by ${measure.name}`,
          width: width(1.9),
          xName: `${x.name}: ${measure.name}`,
          yName: `${y.name}: ${measure.name}`,
          series,
          diagonal: "factors",
          square: true,
        })
      : missing("There is no case to draw."),
  );
}

const key = (series) =>
  element(
    "p",
    { class: "key" },
    series.map((one) => element("span", {}, swatch(one.look), one.name)),
  );

function solvedPlot(cases, width) {
  const { isDrawn, legend } = legendOf("solved", data.configurations, true);
  const series = data.configurations.map((configuration) => ({
    configuration,
    name: configuration.name,
    look: lookOf(configuration),
    points: cases
      .filter((one) => one.verdict)
      .map((one) => finishedRun(one, configuration))
      .filter((run) => run && finite(run.seconds))
      .map((run) => ({ seconds: run.seconds, text: [configuration.name, run.of.name, seconds(run.seconds)] })),
  }));
  const shown = series.filter((one) => isDrawn(one.configuration));
  const contradicted = cases.filter((one) => !one.verdict && one.agreed === false).length;
  return figure(
    {
      id: "solved",
      title: "Cases solved within a time",
      wide: true,
      caption: [
        `Of ${plural(cases.length, "case")}, how many a configuration solves if every run may take so long; `,
        `higher is better, and further left. Times under ${chosen(TIME_FLOOR * 1000)}${GAP}ms are drawn there. `,
        "Configurations that refuse cases cannot reach the top. ",
        leftOut(
          notChosen(series, shown),
          [contradicted, "case", "with contradicting verdicts"],
        ),
      ],
    },
    stepPlot({
      id: "solved-plot",
      title: "Cases solved within a time",
      width: width(1),
      xName: "seconds for one case",
      yName: "cases solved",
      limit: data.limits?.seconds,
      series: shown,
    }),
    legend,
  );
}
