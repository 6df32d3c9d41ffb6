// The page as a whole: its sections, and when they are drawn.
//
// Every section is a function from the cases that pass the filters to elements. All are drawn anew when a filter
// changes, so no figure can be out of step with another.

const SECTIONS = [
  {
    id: "findings",
    title: "What was found",
    help: "The work of an algorithm in all, as per cent of what Spin's nested search (hpy) needs; less is better.",
    show: findingsSection,
  },
  {
    id: "summary",
    title: "Cases and runs",
    help: "How many cases there are, what the runs say about them, and which algorithms ran.",
    show: summarySection,
  },
  {
    id: "others",
    title: "The other configurations",
    help: "What is not in Figure 4, compared in the same way.",
    show: othersSection,
  },
  {
    id: "structure",
    title: "Structure of the products",
    help: "Which automata and products there are, and which algorithms suffer from their structure.",
    show: structureSection,
  },
  {
    id: "table-1",
    title: "Schwoon and Esparza, Table 1",
    help: "Case by case, what an algorithm explores, how deep, and how long its stacks get. Every column sorts.",
    show: table1Section,
  },
  {
    id: "plots",
    title: "Plots",
    help: "Point at a plot, or focus it and use the arrow keys, to see which case a point is.",
    show: plotsSection,
  },
  {
    id: "generalised",
    title: "Generalised against degeneralised",
    help: "What it is worth that an algorithm takes automata with several acceptance sets as they are.",
    show: setsSection,
  },
  {
    id: "differences",
    title: "Where algorithms differ most",
    help: "Cases that are worth a closer look, with commands to run them again.",
    show: differencesSection,
  },
  {
    id: "runs",
    title: "All runs",
    help: "Every number that the figures above are made of.",
    show: runsSection,
  },
];

const form = document.getElementById("filters");

// The width of a figure of which so many stand side by side. Some are narrower than the page on purpose.
function widths() {
  const all = document.getElementById("sections").clientWidth;
  return (beside) => Math.max(240, Math.floor(all < 760 ? all : Math.min(all, 1120) / beside - (beside > 1 ? 24 : 0)));
}

function draw() {
  const cases = data.cases.filter(passes);
  const view = { cases, width: widths() };
  // Elements are made anew; who works with the keyboard stays where they were.
  const focused = document.activeElement?.id;
  for (const section of SECTIONS) {
    section.body.replaceChildren(...section.show(view).flat(Infinity).filter(Boolean));
  }
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  document.getElementById("count").textContent = `${integer(cases.length)} of ${plural(data.cases.length, "case")}`;
  document.getElementById("footer").textContent = filtersInWords();
}

function showSettings() {
  for (const name of ["text", "verdict", "strength", "states"]) form.elements[name].value = settings[name];
  form.elements.counting.checked = settings.counting;
}

function readForm() {
  for (const name of ["text", "verdict", "strength", "states"]) settings[name] = form.elements[name].value;
  settings.counting = form.elements.counting.checked;
  writeFragment();
}

function provenance() {
  const { limits, machine } = data;
  const facts = [];
  if (data.version) facts.push(`lariat ${data.version}`);
  if (data.suite) facts.push(data.suite);
  if (machine) facts.push(`${plural(machine.processors ?? 0, "processor")}, ${bytes(machine.memory_bytes)} of memory`);
  if (limits) facts.push(`at most ${chosen(limits.seconds)}${GAP}s and ${bytes(limits.memory_bytes)} per run`);
  const qualify = limits?.qualify;
  if (qualify) facts.push(`a case counts if ${qualify.algorithm} finishes it within ${chosen(qualify.seconds)}${GAP}s`);
  document.getElementById("provenance").textContent = facts.join(" · ");
  if (data.complete === false) {
    document
      .getElementById("provenance")
      .after(missing("The comparison is not complete: there are cases or runs still to come."));
  }
}

// The fragment holds the filters, so links within the page move it by themselves.
function moveTo(heading) {
  return (event) => {
    event.preventDefault();
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  };
}

function build() {
  const contents = document.getElementById("contents");
  const main = document.getElementById("sections");
  for (const section of SECTIONS) {
    section.body = element("div", { class: "body" });
    const heading = element("h2", { tabindex: "-1" }, section.title);
    main.append(
      element("section", { id: section.id }, heading, element("p", { class: "help" }, section.help), section.body),
    );
    contents.append(element("a", { href: `#${section.id}`, onclick: moveTo(heading) }, section.title));
  }
  document.querySelector(".skip").addEventListener("click", moveTo(main.querySelector("h2")));
}

function after(milliseconds, action) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

const drawSoon = after(120, draw);

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", () => {
  readForm();
  drawSoon();
});
document.getElementById("reset").addEventListener("click", () => {
  Object.assign(settings, DEFAULTS);
  writeFragment();
  showSettings();
  draw();
});
document.getElementById("more-filters").addEventListener("click", (event) => {
  const open = form.classList.toggle("open");
  event.target.setAttribute("aria-expanded", String(open));
});
window.addEventListener("hashchange", () => {
  readFragment();
  showSettings();
  draw();
});

let drawnWidth = 0;
window.addEventListener(
  "resize",
  after(150, () => {
    const width = document.getElementById("sections").clientWidth;
    if (width !== drawnWidth) draw();
    drawnWidth = width;
  }),
);

readFragment();
provenance();
build();
showSettings();
draw();
drawnWidth = document.getElementById("sections").clientWidth;
