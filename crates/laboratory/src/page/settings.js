// What the reader chose: filters, and what the plots show. All of it stands in the fragment of the address, so that a
// link shows the same; what is as it is by default does not stand there.

const DEFAULTS = {
  text: "",
  verdict: "",
  strength: "",
  states: "",
  counting: true,
  x: "",
  y: "",
  by: "transitions",
  "drawn-solved": "",
  "drawn-speed-up": "",
  "drawn-on-the-fly": "",
  "drawn-precomputed": "",
  "drawn-memory": "",
  configuration: "",
  outcome: "",
};

const settings = { ...DEFAULTS };

function readFragment() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = fragment.get(name);
    settings[name] = value === null ? usual : typeof usual === "boolean" ? value === "yes" : value;
  }
}

function writeFragment() {
  const fragment = new URLSearchParams();
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = settings[name];
    if (value !== usual) fragment.set(name, typeof usual === "boolean" ? (value ? "yes" : "no") : value);
  }
  const text = fragment.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

function change(name, value) {
  settings[name] = value;
  writeFragment();
}

function passes(one) {
  if (settings.counting && one.counts === false) return false;
  const words = settings.text.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${one.name} ${one.model ?? ""} ${one.formula ?? ""}`.toLowerCase();
  if (!words.every((word) => text.includes(word))) return false;
  if (settings.verdict && settings.verdict !== (one.verdict ?? "none")) return false;
  if (settings.strength && settings.strength !== (one.strength ?? "unknown")) return false;
  return one.states >= (Number(settings.states) || 0);
}

// For print, where the controls are not seen.
function filtersInWords() {
  const words = [];
  if (settings.counting && data.cases.some((one) => one.counts === false)) words.push("only cases that count");
  if (settings.text) words.push(`“${settings.text}” in the name`);
  if (settings.verdict) words.push(`verdict: ${settings.verdict}`);
  if (settings.strength) words.push(`automaton: ${settings.strength}`);
  if (Number(settings.states) > 0) words.push(`at least ${plural(Number(settings.states), "state")}`);
  return words.length ? `Filters: ${words.join(", ")}.` : "";
}
