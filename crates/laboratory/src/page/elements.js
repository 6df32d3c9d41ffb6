// Elements of the page. Text goes in as text and never as markup, whatever the names of cases look like.

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

function withAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  return node;
}

const element = (tag, attributes = {}, ...children) =>
  append(withAttributes(document.createElement(tag), attributes), children);

const drawn = (tag, attributes = {}, ...children) =>
  append(withAttributes(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes), children);

const paragraph = (...children) => element("p", {}, ...children);

const missing = (...children) => element("p", { class: "missing" }, ...children);

// What a section shows: a heading for it, the thing itself, and what is to be known to read it.
function figure({ id, title, caption, wide = false }, ...children) {
  return element(
    "figure",
    { id, class: wide ? "wide" : null },
    element("h3", {}, title),
    ...children,
    element("figcaption", {}, caption),
  );
}

// [3, "case", "that no run finished"], …: a sentence that names what is not shown. Parts may also be text, or null.
function leftOut(...parts) {
  const there = parts.filter((part) => (Array.isArray(part) ? part[0] > 0 : part));
  if (!there.length) return "Nothing is left out.";
  return `Left out: ${there.map(inWords).join("; ")}.`;
}

const inWords = (part) => (Array.isArray(part) ? `${plural(part[0], part[1])} ${part[2]}` : part);

// "a, b and c"
const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

function copyButton(text) {
  const button = element("button", { type: "button", class: "copy", title: text }, "copy");
  button.addEventListener("click", async () => {
    const done = await copied(text);
    button.textContent = done ? "copied" : "failed";
    setTimeout(() => (button.textContent = "copy"), 1500);
  });
  return button;
}

// Browsers keep the clipboard from some pages that come from a file; the old way still works there.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { class: "offscreen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

const command = (text) => element("span", { class: "command" }, copyButton(text), element("code", {}, text));
