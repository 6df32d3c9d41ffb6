// Tables that sort by any column, and show a few rows until all are asked for.
//
// How a table is sorted outlives it: when a filter changes, the page is drawn anew, and the reader's order stays.

const tableStates = new Map();

// columns: {name, value(row), show(row, value)?, group?, title?, text: true for words, wide: true for long ones}
function table({ id, columns, rows, sort = null, few = 25, label }) {
  if (!tableStates.has(id)) tableStates.set(id, { ...(sort ?? { column: null, descending: false }), all: false });
  const state = tableStates.get(id);
  const heads = columns.map((column, place) => head(column, () => sortBy(place)));
  const body = element("tbody");
  const more = element("button", { type: "button", class: "more", onclick: () => showAll() });

  function sortBy(place) {
    // Who sorts by a number mostly wants to see the greatest.
    const first = !columns[place].text;
    state.descending = state.column === place ? !state.descending : first;
    state.column = place;
    fill();
  }

  function showAll() {
    state.all = !state.all;
    fill();
  }

  function fill() {
    heads.forEach((cell, place) =>
      cell.setAttribute("aria-sort", state.column !== place ? "none" : state.descending ? "descending" : "ascending"),
    );
    const sorted = state.column === null ? rows : sortedBy(rows, columns[state.column], state.descending);
    const shown = state.all ? sorted : sorted.slice(0, few);
    body.replaceChildren(...shown.map((row) => tableRow(columns, row)));
    more.hidden = rows.length <= few;
    more.textContent = state.all ? `Show ${few} rows` : `Show all ${integer(rows.length)} rows`;
  }

  fill();
  const box = element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    element("table", { id }, element("thead", {}, groupRow(columns), element("tr", {}, heads)), body),
  );
  // The first column stays; a line beside it says that something has gone under it.
  box.addEventListener("scroll", () => box.classList.toggle("scrolled", box.scrollLeft > 0), { passive: true });
  return element("div", { class: "table" }, box, more);
}

function head(column, sort) {
  const label = element("button", { type: "button", title: column.title, onclick: sort }, column.name);
  return element("th", { scope: "col", class: kindOf(column) }, label);
}

const kindOf = (column) => [column.text && "text", column.wide && "wide"].filter(Boolean).join(" ") || null;

// Neighbours of the same group stand under one heading. The first column, which stays in sight, stands alone.
function groupRow(columns) {
  if (!columns.some((column) => column.group)) return null;
  const cells = [];
  for (const column of columns) {
    const last = cells.at(-1);
    if (cells.length > 1 && last.group === column.group) last.span += 1;
    else cells.push({ group: column.group, span: 1 });
  }
  return element(
    "tr",
    { class: "groups" },
    cells.map(({ group, span }) =>
      group ? element("th", { scope: "colgroup", colspan: span }, group) : element("td", { colspan: span }),
    ),
  );
}

function tableRow(columns, row) {
  return element(
    "tr",
    { class: row.emphasis ?? null },
    columns.map((column, place) => {
      const value = column.value(row);
      const shown = column.show ? column.show(row, value) : column.text ? (value ?? DASH) : integer(value);
      const first = place === 0;
      return element(first ? "th" : "td", { scope: first ? "row" : null, class: kindOf(column) }, shown);
    }),
  );
}

// What has no value comes last in both directions.
function sortedBy(rows, column, descending) {
  const keyed = rows.map((row) => ({ row, value: column.value(row) }));
  const there = keyed.filter(({ value }) => value !== null && value !== undefined);
  const absent = keyed.filter(({ value }) => value === null || value === undefined);
  const order = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  there.sort((a, b) => (descending ? order(b.value, a.value) : order(a.value, b.value)));
  return [...there, ...absent].map(({ row }) => row);
}

// A column for the name of a case, which most tables begin with.
const caseColumn = (of = (row) => row) => ({ name: "Case", text: true, wide: true, value: (row) => of(row).name });
