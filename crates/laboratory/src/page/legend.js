// Which configurations a plot draws. There may be dozens, and a plot of all of them shows none: at first it
// draws six, those that the papers compare where they are there. The others are a button each, behind one
// that opens them. A choice changes what is drawn, and no number.

const AT_FIRST = 6;

function drawnAtFirst(configurations) {
  const order = PAPER.map(({ algorithm }) => algorithm);
  const plain = (one) => one.automaton === "degeneralised" && (one.engine ?? "compiled") === "compiled";
  const rank = (one) => {
    const place = order.indexOf(one.algorithm);
    return (place < 0 ? order.length : place) + (plain(one) ? 0 : 100) + (one.product === "on-the-fly" ? 0 : 1000);
  };
  const sorted = [...configurations].sort((a, b) => rank(a) - rank(b));
  return new Set(sorted.slice(0, AT_FIRST).map(({ name }) => name));
}

// plot: the setting `drawn-plot`; configurations: what it could draw. Returns which are drawn, and the
// legend.
function legendOf(plot, configurations, line = false) {
  const setting = `drawn-${plot}`;
  const usual = drawnAtFirst(configurations);
  const chosen = settings[setting];
  const drawn = chosen === "" ? usual : new Set(chosen.split(",").filter((name) => name !== "none"));
  const choose = (names) => {
    const same = names.size === usual.size && [...names].every((name) => usual.has(name));
    change(setting, same ? "" : names.size ? [...names].join(",") : "none");
    draw();
  };
  const toggle = (name) => {
    const names = new Set(drawn);
    if (!names.delete(name)) names.add(name);
    choose(names);
  };
  const button = (configuration) =>
    element(
      "button",
      {
        type: "button",
        id: `${setting}-${configuration.id}`,
        "aria-pressed": String(drawn.has(configuration.name)),
        onclick: () => toggle(configuration.name),
      },
      swatch(lookOf(configuration), line),
      configuration.name,
    );
  const several = (id, text, names) =>
    element("button", { type: "button", class: "several", id: `${setting}-${id}`, onclick: () => choose(names) }, text);
  const first = configurations.filter(({ name }) => usual.has(name) || drawn.has(name));
  const others = configurations.filter((one) => !first.includes(one));
  const more = element(
    "details",
    // As it is in the plot that this one takes the place of.
    { open: document.getElementById(`${setting}-more`)?.parentElement.open ? "" : null },
    element(
      "summary",
      { id: `${setting}-more` },
      others.length ? `${plural(others.length, "more configuration")}` : "Configurations",
    ),
    element("div", { class: "legend" }, others.map(button)),
    element(
      "div",
      { class: "controls" },
      several("all", "Draw all", new Set(configurations.map(({ name }) => name))),
      several("first", `Draw the first ${usual.size}`, usual),
    ),
  );
  const legend = element(
    "div",
    { class: "chooser", role: "group", "aria-label": "Configurations that are drawn" },
    element("div", { class: "legend" }, first.map(button)),
    configurations.length > AT_FIRST ? more : null,
  );
  return { isDrawn: (configuration) => drawn.has(configuration.name), legend };
}

// For the caption: configurations that have something to draw, and are not chosen.
const notChosen = (series, shown) => [series.length - shown.length, "configuration", "not chosen"];
