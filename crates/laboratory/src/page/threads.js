// What several threads are good for: the time of one thread, divided by theirs, against the time of one.

const LIKE = ["algorithm", "engine", "automaton", "product", "fairness", "reduction"];

function speedUpPlots(cases, width) {
  const threadsOf = (configuration) => configuration.threads ?? 1;
  const alone = (many) =>
    data.configurations.find((one) => threadsOf(one) === 1 && LIKE.every((field) => one[field] === many[field]));
  const pairs = data.configurations
    .filter((many) => threadsOf(many) > 1)
    .map((many) => ({ many, one: alone(many) }))
    .filter(({ one }) => one);
  if (!pairs.length) return [];
  const { isDrawn, legend } = legendOf(
    "speed-up",
    pairs.map(({ many }) => many),
  );
  const series = pairs.map(({ many, one }) => ({
    configuration: many,
    name: many.name,
    look: lookOf(many),
    points: finishedByAll(cases, [many, one])
      .map((of) => ({ of, before: finishedRun(of, one).seconds, after: finishedRun(of, many).seconds }))
      .filter(({ before, after }) => before > 0 && after > 0)
      .map(({ of, before, after }) => ({
        x: before,
        y: before / after,
        text: [of.name, many.name, `${seconds(before)} alone, ${seconds(after)} together`, times(before / after)],
      })),
  }));
  const shown = series.filter((one) => isDrawn(one.configuration) && one.points.length);
  const mean = (one) => geometricMean(one.points.map((point) => point.y));
  return [
    figure(
      {
        id: "speed-up",
        title: "Several threads beside one",
        wide: true,
        caption: [
          "How many times as fast as with one thread, for cases that both finished; above 1 threads gain. ",
          ...shown.map((one) => `${one.name}: ${times(mean(one))} on the mean of ${plural(one.points.length, "case")}. `),
          leftOut(notChosen(series, shown)),
        ],
      },
      shown.length
        ? scatterPlot({
            id: "speed-up-plot",
            title: "Speed-up against the time of one thread",
            width: width(1),
            xName: "seconds with one thread",
            yName: "times as fast",
            series: shown,
          })
        : missing("There is no case to draw."),
      legend,
    ),
  ];
}
