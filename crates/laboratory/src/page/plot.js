// Plots, drawn as SVG at the width that they have on the page, so that their letters keep their size.
//
// The points of a series are one path: thousands of elements would make filters slow. So the point under the mouse is
// not an element but the nearest one, and the arrow keys walk from point to point for those who have no mouse.

// An algorithm looks the same everywhere. Those that the papers compare have a colour of their own; the others share
// these, and differ by the shape of points and the dashes of lines, which also survive a grey printer.
const LOOKS = {
  ascc: [0, "circle", ""],
  gv: [1, "square", ""],
  and: [2, "triangle", ""],
  se: [3, "diamond", ""],
  hpy: [4, "plus", ""],
  c99: [5, "cross", ""],
  tarjan: [0, "square", "7 3"],
  sd: [1, "triangle", "7 3"],
  reach: [2, "diamond", "7 3"],
  gmz: [3, "circle", "7 3"],
  cvwy: [4, "square", "7 3"],
  "cvwy-gen": [5, "triangle", "7 3"],
  tau: [6, "diamond", "7 3"],
  lasso: [6, "plus", "2 3"],
  csd: [1, "circle", "2 3"],
  cndfs: [3, "square", "2 3"],
  ufscc: [0, "diamond", "2 3"],
};

function lookOf(configuration) {
  const [colour, shape, dashes] = LOOKS[configuration.algorithm] ?? [6, "circle", "4 2 1 2"];
  const look = { colour: `var(--hue-${colour})`, shape, dashes };
  if (configuration.automaton !== "degeneralised") return { ...look, shape: "fallen", dashes: "2 3" };
  if (configuration.product !== "on-the-fly") return { ...look, dashes: "9 3 2 3" };
  return look;
}

const SHAPES = {
  circle: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  square: (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  triangle: (x, y, r) => `M${x} ${y - r}l${r} ${2 * r}h${-2 * r}z`,
  fallen: (x, y, r) => `M${x} ${y + r}l${r} ${-2 * r}h${-2 * r}z`,
  diamond: (x, y, r) => `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`,
  plus: (x, y, r) => `M${x - r} ${y}h${2 * r}m${-r} ${-r}v${2 * r}`,
  cross: (x, y, r) => `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`,
};

const pixel = (number) => Math.round(number * 10) / 10;

function swatch(look, line = false) {
  const d = line ? "M1 6h22" : SHAPES[look.shape](12, 6, 4);
  return drawn(
    "svg",
    { width: 24, height: 12, class: "swatch", "aria-hidden": "true", style: `color:${look.colour}` },
    drawn("path", { d, class: line ? "curve" : "mark", "stroke-dasharray": line ? look.dashes : null }),
  );
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function tickLabel(value) {
  const exponent = Math.round(Math.log10(value));
  const power = Math.abs(value / 10 ** exponent - 1) < 1e-6;
  if (!power || Math.abs(exponent) < 4) return grouped(String(Number(value.toPrecision(3))));
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[digit]);
  return `10${exponent < 0 ? "⁻" : ""}${digits.join("")}`;
}

// Where a value lies between two pixels, and the ticks: powers of ten, with 2 and 5 between where there are few.
function logarithmicAxis(values, from, to) {
  const positive = values.filter((value) => finite(value) && value > 0);
  const least = positive.length ? positive.reduce((a, b) => Math.min(a, b)) : 1;
  const most = positive.length ? positive.reduce((a, b) => Math.max(a, b)) : 10;
  const low = Math.log10(least) - 0.08;
  const high = Math.max(Math.log10(most) + 0.08, low + 0.5);
  const ticks = [];
  const between = high - low < 0.9 ? [1, 1.5, 2, 3, 4, 5, 7] : high - low < 2.2 ? [1, 2, 5] : [1];
  const step = Math.max(1, Math.ceil((high - low) / (Math.abs(to - from) / 45)));
  for (let power = Math.floor(low); power <= high; power += 1) {
    if (power % step) continue;
    for (const factor of between) {
      const at = power + Math.log10(factor);
      if (at >= low && at <= high) ticks.push(factor * 10 ** power);
    }
  }
  const at = (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  return { at, ticks, label: tickLabel, low: 10 ** low, high: 10 ** high };
}

function linearAxis(most, from, to) {
  const high = Math.max(1, most) * 1.03;
  const rough = high / 6;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].find((factor) => factor * size >= rough) * size);
  const ticks = [];
  for (let value = 0; value <= high; value += step) ticks.push(value);
  return { at: (value) => from + (value / high) * (to - from), ticks, label: integer, low: 0, high };
}

const MARGIN = { left: 58, right: 14, top: 14, bottom: 44 };

// The frame of a plot: axes with names, lines at the ticks. Series draw into what it returns.
function frame({ id, title, width, height, x, y, xName, yName }) {
  const { left, right, top, bottom } = MARGIN;
  const svg = drawn("svg", {
    id,
    class: "plot",
    role: "img",
    tabindex: "0",
    "aria-labelledby": `${id}-title`,
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
  });
  svg.append(drawn("title", { id: `${id}-title` }, title));
  for (const tick of x.ticks) {
    const at = pixel(x.at(tick));
    svg.append(drawn("path", { class: "grid", d: `M${at} ${top}V${height - bottom}` }));
    svg.append(drawn("text", { x: at, y: height - bottom + 16, "text-anchor": "middle" }, x.label(tick)));
  }
  for (const tick of y.ticks) {
    const at = pixel(y.at(tick));
    svg.append(drawn("path", { class: "grid", d: `M${left} ${at}H${width - right}` }));
    svg.append(drawn("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, y.label(tick)));
  }
  const [centre, middle] = [(left + width - right) / 2, (top + height - bottom) / 2];
  svg.append(drawn("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }));
  svg.append(drawn("text", { class: "name", x: centre, y: height - 8, "text-anchor": "middle" }, xName));
  svg.append(
    drawn(
      "text",
      { class: "name", x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` },
      yName,
    ),
  );
  return svg;
}

// series: {name, look, points: {x, y, text}[]}; x or y null: the run hit a limit, and its point lies at the border.
// diagonal: where x is y; as "factors" with lines for 2 and ½ beside it, and with the same range on both axes.
function scatterPlot({ id, title, width, xName, yName, series, diagonal = false, line = null, square = false }) {
  const height = Math.round(square ? Math.min(width, 600) - 20 : Math.min(width * 0.75, 430));
  const points = series.flatMap((one) => one.points.map((point) => ({ ...point, look: one.look })));
  const border = { x: points.some((point) => point.x === null), y: points.some((point) => point.y === null) };
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const right = width - MARGIN.right - (border.x ? 22 : 0);
  const top = MARGIN.top + (border.y ? 22 : 0);
  const bottom = height - MARGIN.bottom;
  const same = diagonal === "factors";
  const x = logarithmicAxis(same ? [...xs, ...ys] : xs, MARGIN.left, right);
  const y = logarithmicAxis(same ? [...xs, ...ys] : ys, bottom, top);
  const svg = frame({ id, title, width, height, x, y, xName, yName });
  // An inner picture cuts off what sticks out of it.
  const [across, down] = [Math.max(0, right - MARGIN.left), bottom - top];
  const inside = drawn("svg", {
    x: MARGIN.left,
    y: top,
    width: across,
    height: down,
    viewBox: `${MARGIN.left} ${top} ${across} ${down}`,
  });
  const straight = (from, to, kind) =>
    inside.append(
      drawn("path", {
        class: kind,
        d: `M${pixel(x.at(x.low))} ${pixel(y.at(from))}L${pixel(x.at(x.high))} ${pixel(y.at(to))}`,
      }),
    );
  if (diagonal) straight(x.low, x.high, "diagonal");
  if (same) {
    straight(2 * x.low, 2 * x.high, "factor");
    straight(x.low / 2, x.high / 2, "factor");
  }
  if (line) {
    const value = (at) => 10 ** (line.slope * Math.log10(at) + line.offset);
    straight(value(x.low), value(x.high), "fit");
  }
  svg.append(inside);
  if (border.x) {
    svg.append(drawn("path", { class: "border", d: `M${right} ${top}V${bottom}` }));
    svg.append(drawn("text", { x: right + 18, y: bottom + 16, "text-anchor": "end" }, "limit"));
  }
  if (border.y) {
    svg.append(drawn("path", { class: "border", d: `M${MARGIN.left} ${top}H${right}` }));
    svg.append(drawn("text", { x: MARGIN.left - 6, y: top - 7, "text-anchor": "end" }, "limit"));
  }
  for (const point of points) {
    point.left = pixel(point.x === null ? right + 11 : x.at(point.x));
    point.top = pixel(point.y === null ? top - 11 : y.at(point.y));
  }
  let next = 0;
  for (const one of series) {
    const own = points.slice(next, (next += one.points.length));
    const d = own.map((point) => SHAPES[one.look.shape](point.left, point.top, 3.5)).join("");
    svg.append(drawn("path", { class: "mark points", d, style: `color:${one.look.colour}`, "data-series": one.name }));
  }
  return withReadout(svg, points, width, height);
}

// How many cases are solved within a time. series: {name, look, points: {seconds, text}[]}
function stepPlot({ id, title, width, xName, yName, series, limit }) {
  const height = Math.round(Math.min(width * 0.62, 460));
  const floored = (time) => Math.max(time, TIME_FLOOR);
  const all = series.flatMap((one) => one.points.map((point) => floored(point.seconds)));
  const x = logarithmicAxis(finite(limit) ? [...all, limit] : all, MARGIN.left, width - MARGIN.right);
  const y = linearAxis(Math.max(0, ...series.map((one) => one.points.length)), height - MARGIN.bottom, MARGIN.top);
  const svg = frame({ id, title, width, height, x, y, xName, yName });
  const points = [];
  for (const one of series) {
    const sorted = [...one.points].sort((a, b) => a.seconds - b.seconds);
    let d = `M${pixel(x.at(x.low))} ${pixel(y.at(0))}`;
    sorted.forEach((point, place) => {
      const [left, top] = [pixel(x.at(floored(point.seconds))), pixel(y.at(place + 1))];
      d += `H${left}V${top}`;
      points.push({
        left,
        top,
        look: one.look,
        text: [...point.text, `${plural(place + 1, "case")} solved until then`],
      });
    });
    d += `H${pixel(x.at(x.high))}`;
    svg.append(
      drawn("path", {
        class: "curve points",
        d,
        style: `color:${one.look.colour}`,
        "stroke-dasharray": one.look.dashes,
        "data-series": one.name,
      }),
    );
  }
  return withReadout(svg, points, width, height);
}

// Shows what the nearest point is. points: {left, top, look, text: string[]}
function withReadout(svg, points, width, height) {
  const ring = drawn("circle", { class: "ring", r: 6, visibility: "hidden" });
  // The plot has a title for those who do not see it; on top of the plot, an empty one keeps it from popping up.
  const surface = drawn("rect", { class: "surface", width, height }, drawn("title"));
  svg.append(ring, surface);
  const tip = element("div", { class: "tip", "aria-live": "polite", hidden: "" });
  const box = element("div", { class: "plot-box" }, svg, tip);
  const order = points.map((_, place) => place).sort((a, b) => points[a].left - points[b].left);
  let current = -1;

  function show(place) {
    current = place;
    const point = points[order[place]];
    ring.setAttribute("visibility", point ? "visible" : "hidden");
    tip.hidden = !point;
    if (!point) return;
    withAttributes(ring, { cx: point.left, cy: point.top, style: `color:${point.look.colour}` });
    tip.replaceChildren(...point.text.map((line, number) => element(number ? "span" : "strong", {}, line)));
    const scale = svg.getBoundingClientRect().width / width;
    const room = box.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(room, point.left * scale + 12))}px`;
    tip.style.top = `${point.top * scale + 12}px`;
  }

  surface.addEventListener("pointermove", (event) => {
    const bounds = svg.getBoundingClientRect();
    const [left, top] = [
      ((event.clientX - bounds.left) * width) / bounds.width,
      ((event.clientY - bounds.top) * height) / bounds.height,
    ];
    const distance = (point) => (point.left - left) ** 2 + (point.top - top) ** 2;
    let nearest = -1;
    order.forEach((place, at) => {
      if (nearest < 0 || distance(points[place]) < distance(points[order[nearest]])) nearest = at;
    });
    show(nearest >= 0 && distance(points[order[nearest]]) < 30 ** 2 ? nearest : -1);
  });
  surface.addEventListener("pointerleave", () => show(-1));
  svg.addEventListener("blur", () => show(-1));
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !points.length) return;
    event.preventDefault();
    show(current < 0 ? (step > 0 ? 0 : points.length - 1) : (current + step + points.length) % points.length);
  });
  return box;
}

// rows: {name, value, look, mark: another value to compare with}
function barChart({ id, title, width, rows, show, unit = null, most = null }) {
  const [line, value] = [24, 64];
  const label = Math.min(width * 0.4, 12 + 7.5 * Math.max(...rows.map((row) => row.name.length)));
  const longest = Math.max(unit ?? 0, most ?? 0, ...rows.flatMap((row) => [row.value ?? 0, row.mark ?? 0]), 1e-9);
  const at = (number) => pixel(label + (number / longest) * (width - label - value));
  const height = rows.length * line + 8;
  const svg = drawn("svg", {
    id,
    class: "bars",
    role: "img",
    "aria-labelledby": `${id}-title`,
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
  });
  svg.append(drawn("title", { id: `${id}-title` }, title));
  if (unit !== null) svg.append(drawn("path", { class: "diagonal", d: `M${at(unit)} 0V${height}` }));
  rows.forEach((row, place) => {
    const top = place * line + 4;
    svg.append(drawn("text", { x: 0, y: top + 15 }, row.name));
    if (finite(row.value)) {
      const bar = { class: "bar", x: label, y: top + 3, width: Math.max(1, at(row.value) - label), height: line - 8 };
      svg.append(
        drawn("rect", { ...bar, style: `color:${row.look.colour}`, "data-value": row.value, "data-name": row.name }),
      );
    }
    if (finite(row.mark)) svg.append(drawn("path", { class: "paper", d: `M${at(row.mark)} ${top}v${line - 2}` }));
    svg.append(drawn("text", { x: width - 2, y: top + 15, "text-anchor": "end" }, show(row.value)));
  });
  return element("div", { class: "plot-box" }, element("h4", {}, title), svg);
}
