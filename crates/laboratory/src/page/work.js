// What the two resources depend on: time against the transitions that are generated, and the memory of an algorithm
// against the memory of the states.

// The statistics of long runs stand apart: in short ones a clock, a cache or a page fault may be all there is to see.
const LONG = 0.01;

function workPlots(cases, width) {
  const parts = ["on-the-fly", "precomputed"].map((product) => {
    const configurations = data.configurations.filter((configuration) => configuration.product === product);
    const all = cases
      .filter((one) => one.verdict)
      .flatMap((one) => configurations.map((configuration) => finishedRun(one, configuration)).filter(Boolean));
    const runs = all.filter((run) => run.seconds > 0 && run.transitions > 0);
    return { product, configurations, runs, zero: all.length - runs.length };
  });
  const name = { "on-the-fly": "on the fly", precomputed: "precomputed product" };
  const drawnParts = parts.filter((part) => part.runs.length);
  if (!drawnParts.length) return [missing("No run has both a time and transitions.")];
  const figures = drawnParts.map(({ product, configurations, runs, zero }) => {
    const line = fittedLine(
      runs.map((run) => Math.log10(run.transitions)),
      runs.map((run) => Math.log10(run.seconds)),
    );
    const { isDrawn, legend } = legendOf(product, configurations);
    const series = configurations
      .map((configuration) => ({
        configuration,
        name: configuration.name,
        look: lookOf(configuration),
        points: runs
          .filter((run) => run.configuration === configuration)
          .map((run) => ({
            x: run.transitions,
            y: run.seconds,
            text: [run.of.name, configuration.name, `${integer(run.transitions)} transitions`, seconds(run.seconds)],
          })),
      }))
      .filter((one) => one.points.length);
    const shown = series.filter((one) => isDrawn(one.configuration));
    const drawn = sum(shown.map((one) => one.points.length));
    return figure(
      {
        id: `work-${product}`,
        title: `Time against transitions, ${name[product]}`,
        caption: [
          `${plural(drawn, "run")} of ${plural(shown.length, "configuration")}. `,
          line
            ? `The line of least squares, over all ${plural(runs.length, "run")}: ` +
              `time grows as transitions to the power of ${decimal(line.slope, 2)}. `
            : "",
          leftOut(notChosen(series, shown), [zero, "run", "whose time or transitions are zero"]),
        ],
      },
      scatterPlot({
        id: `work-${product}-plot`,
        title: `Time against transitions, ${name[product]}`,
        width: width(drawnParts.length > 1 ? 2 : 1.6),
        xName: "transitions generated",
        yName: "seconds",
        series: shown,
        line,
      }),
      legend,
    );
  });
  const rows = drawnParts.flatMap(({ product, runs }) =>
    [0, LONG].map((least) =>
      statistics(
        runs.filter((run) => run.seconds >= least),
        name[product],
        least,
      ),
    ),
  );
  const number = (title, field, places = 3) => ({
    name: title,
    value: (row) => row[field],
    show: (_, value) => decimal(value, places),
  });
  const correlations = figure(
    {
      id: "work-statistics",
      title: "Does the time follow the transitions?",
      wide: true,
      caption: [
        "Over the runs of all configurations, drawn or not: ",
        "Pearson's correlation of the logarithms, Spearman's of the ranks, ",
        "and the exponent of the fitted line: 1 means that time is proportional to transitions. ",
        differenceInWords(rows),
      ],
    },
    table({
      id: "work-table",
      label: "Correlation of time and transitions",
      rows,
      columns: [
        { name: "Product", text: true, value: (row) => row.name },
        {
          name: "runs of",
          text: true,
          value: (row) => row.least,
          show: (row) => (row.least ? `${chosen(row.least * 1000)}${GAP}ms or more` : "any length"),
        },
        { name: "runs", value: (row) => row.runs },
        number("Pearson", "pearson"),
        number("Spearman", "spearman"),
        number("exponent", "exponent", 2),
        { name: "µs per transition", title: "median", value: (row) => row.micros, show: (row) => measured(row.micros) },
      ],
    }),
  );
  return [element("div", { class: "pair" }, figures), correlations];
}

function statistics(runs, name, least) {
  const xs = runs.map((run) => Math.log10(run.transitions));
  const ys = runs.map((run) => Math.log10(run.seconds));
  return {
    name,
    least,
    runs: runs.length,
    pearson: pearson(xs, ys),
    spearman: spearman(xs, ys),
    exponent: fittedLine(xs, ys)?.slope ?? null,
    micros: median(runs.map((run) => (1e6 * run.seconds) / run.transitions)),
  };
}

function differenceInWords(rows) {
  const [flying, computed] = [
    rows.find((row) => !row.least && row.name === "on the fly"),
    rows.find((row) => !row.least && row.name !== "on the fly"),
  ];
  if (!flying || !computed) return "There are no runs over a precomputed product to compare with.";
  if (!finite(flying.pearson) || !finite(computed.pearson))
    return "There are too few runs to compare the two products.";
  const share = quotient(computed.micros, flying.micros);
  return (
    "On the fly, successors are computed whenever an algorithm asks for them; " +
    "from a precomputed product they are only read, and what is left is the algorithm itself. " +
    `A transition then takes ${percent(share)} of the time (medians), ` +
    `and the correlation is ${decimal(computed.pearson, 3)} instead of ${decimal(flying.pearson, 3)}.`
  );
}

function memoryPlots(cases, width) {
  const perState = (run, field) => (finite(run[field]) && run.stored > 0 ? run[field] / run.stored : null);
  const runs = cases
    .filter((one) => one.verdict)
    .flatMap((one) => one.runs.filter((run) => run?.finished && run.configuration.product === "on-the-fly"))
    .map((run) => ({
      run,
      auxiliary: perState(run, "auxiliary_bytes"),
      descriptor: perState(run, "descriptor_bytes"),
      vector: perState(run, "vector_bytes"),
      unpacked: finite(run.of.state_bytes) ? run.of.state_bytes : null,
    }));
  const drawable = runs.filter(({ auxiliary, descriptor }) => auxiliary > 0 && descriptor > 0);
  if (!drawable.length) return [missing("No run tells the memory of states and of the algorithm.")];
  const configurations = data.configurations.filter((configuration) => configuration.product === "on-the-fly");
  const { isDrawn, legend } = legendOf("memory", configurations);
  const series = configurations
    .map((configuration) => ({
      configuration,
      name: configuration.name,
      look: lookOf(configuration),
      points: drawable
        .filter(({ run }) => run.configuration === configuration)
        .map((one) => ({
          x: one.descriptor,
          y: one.auxiliary,
          text: [
            one.run.of.name,
            configuration.name,
            `auxiliary: ${measured(one.auxiliary)} bytes per state`,
            `stored state: ${measured(one.descriptor)} bytes`,
            `packed by itself: ${measured(one.vector)} bytes`,
            `unpacked: ${measured(one.unpacked)} bytes`,
          ],
        })),
    }))
    .filter((one) => one.points.length);
  const shown = series.filter((one) => isDrawn(one.configuration));
  const rows = configurations
    .map((configuration) => {
      const own = runs.filter(({ run }) => run.configuration === configuration);
      const middle = (field) => median(own.map((one) => one[field]));
      return {
        configuration,
        runs: own.length,
        auxiliary: middle("auxiliary"),
        descriptor: middle("descriptor"),
        vector: middle("vector"),
        unpacked: middle("unpacked"),
        share: median(own.map((one) => quotient(one.auxiliary, one.descriptor))),
      };
    })
    .filter((row) => row.runs);
  const column = (name, field, title) => ({
    name,
    title,
    value: (row) => row[field],
    show: (_, value) => measured(value),
  });
  return [
    figure(
      {
        id: "memory",
        title: "Auxiliary memory against states",
        caption: [
          `Bytes per stored state; ${plural(sum(shown.map((one) => one.points.length)), "run")}, on the fly. `,
          "On the diagonal (where it is in sight) an algorithm notes as much about a state as the state itself ",
          "takes. In the paper the algorithms take 2 bits to 12 bytes, and states 20 to 380 bytes, ",
          "130 on average: theirs are not compressed. ",
          leftOut(notChosen(series, shown), [runs.length - drawable.length, "run", "without one of the two numbers"]),
        ],
      },
      scatterPlot({
        id: "memory-plot",
        title: "Auxiliary bytes per state against bytes of a stored state",
        width: width(1.6),
        xName: "bytes of a stored state",
        yName: "auxiliary bytes per state",
        series: shown,
        diagonal: true,
      }),
      legend,
    ),
    figure(
      {
        id: "memory-medians",
        title: "Medians per configuration",
        caption: [
          "Bytes per state. Stored: as the table of states holds them. ",
          "By itself: if each state were packed alone to the bits that its types need. ",
          "Unpacked: as the model works on it.",
        ],
      },
      table({
        id: "memory-table",
        label: "Medians of memory per state",
        rows,
        few: 40,
        columns: [
          { name: "Configuration", text: true, value: (row) => row.configuration.name },
          { name: "runs", value: (row) => row.runs },
          column("auxiliary", "auxiliary"),
          column("stored", "descriptor"),
          column("by itself", "vector"),
          column("unpacked", "unpacked"),
          { name: "auxiliary ÷ stored", value: (row) => row.share, show: (_, value) => measured(value) },
        ],
      }),
    ),
  ];
}
