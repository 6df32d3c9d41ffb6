// Numbers as people read them, and the statistics of the page.
//
// Every function takes what may be missing, and answers with a dash or with null. So no section has to ask.

const DASH = "–";
const GAP = "\u202f"; // narrow, and no line ends there

const finite = (number) => typeof number === "number" && Number.isFinite(number);

function grouped(digits) {
  const [whole, fraction] = digits.split(".");
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, GAP);
  return fraction === undefined ? parted : `${parted}.${fraction}`;
}

function integer(number) {
  if (!finite(number)) return DASH;
  return (number < 0 ? "−" : "") + grouped(Math.abs(number).toFixed(0));
}

// Three digits that count: 0.00123, 1.23, 123, 12 346.
function measured(number) {
  if (!finite(number)) return DASH;
  if (number === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(number)));
  const decimals = Math.min(9, Math.max(0, 2 - size));
  return (number < 0 ? "−" : "") + grouped(Math.abs(number).toFixed(decimals));
}

const decimal = (number, places) =>
  finite(number) ? (number < 0 ? "−" : "") + grouped(Math.abs(number).toFixed(places)) : DASH;

const percent = (share) => (finite(share) ? `${decimal(100 * share, 1)}${GAP}%` : DASH);

const times = (ratio) => (finite(ratio) ? `${ratio < 100 ? decimal(ratio, 2) : integer(ratio)}` : DASH);

// Limits and the like, which people chose: no digits that nobody asked for.
const chosen = (number) => (finite(number) ? grouped(String(Number(number.toPrecision(3)))) : DASH);

const seconds = (number) => (finite(number) ? `${measured(number)}${GAP}s` : DASH);

function bytes(number) {
  if (!finite(number)) return DASH;
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (number >= 1024 && unit + 1 < units.length) {
    number /= 1024;
    unit += 1;
  }
  const digits = unit === 0 ? measured(number) : Number.isInteger(number) ? integer(number) : measured(number);
  return `${digits}${GAP}${units[unit]}`;
}

const plural = (number, one, many = `${one}s`) => `${integer(number)} ${number === 1 ? one : many}`;

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

const mean = (numbers) => (numbers.length ? sum(numbers) / numbers.length : null);

const quotient = (number, base) => (finite(number) && finite(base) && base !== 0 ? number / base : null);

// Of the positive ones: a time of zero is below what the clock sees, and has no logarithm.
function geometricMean(numbers) {
  const logarithms = numbers.filter((number) => finite(number) && number > 0).map(Math.log);
  return logarithms.length ? Math.exp(mean(logarithms)) : null;
}

function median(numbers) {
  const sorted = numbers.filter(finite).sort((a, b) => a - b);
  if (!sorted.length) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function deviations(xs, ys) {
  const [x, y] = [mean(xs), mean(ys)];
  let [xx, xy, yy] = [0, 0, 0];
  xs.forEach((value, place) => {
    xx += (value - x) ** 2;
    xy += (value - x) * (ys[place] - y);
    yy += (ys[place] - y) ** 2;
  });
  return { x, y, xx, xy, yy };
}

function pearson(xs, ys) {
  if (xs.length < 3) return null;
  const { xx, xy, yy } = deviations(xs, ys);
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : null;
}

// Equal values share the mean of their ranks.
function ranks(numbers) {
  const order = numbers.map((_, place) => place).sort((a, b) => numbers[a] - numbers[b]);
  const result = new Array(numbers.length);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to + 1 < order.length && numbers[order[to + 1]] === numbers[order[from]]) to += 1;
    for (let place = from; place <= to; place += 1) result[order[place]] = (from + to) / 2;
    from = to + 1;
  }
  return result;
}

const spearman = (xs, ys) => pearson(ranks(xs), ranks(ys));

// The line of least squares: y = slope · x + offset.
function fittedLine(xs, ys) {
  if (xs.length < 3) return null;
  const { x, y, xx, xy } = deviations(xs, ys);
  return xx > 0 ? { slope: xy / xx, offset: y - (xy / xx) * x } : null;
}
