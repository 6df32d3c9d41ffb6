"use strict";
// The run stands in the page as JSON. Whatever of it is shown goes through text nodes, so no name of a model can
// become markup. Everything that grows with the run is drawn for a window around the current step only.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const steps = data.steps, count = steps.length;
  const SVG = "http://www.w3.org/2000/svg";
  const element = (name, properties, ...children) => {
    const made = document.createElement(name);
    Object.assign(made, properties);
    made.append(...children);
    return made;
  };
  const drawn = (name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  // The last place in a sorted list that is not behind the value.
  const place = (list, value) => {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] <= value) low = middle + 1; else high = middle;
    }
    return low - 1;
  };
  let now = 0, timer = null;

  // When each variable changes, and to what; null where it does not exist.
  const lanes = data.names.map((name) => ({ name, at: [0], values: [null] }));
  data.start.forEach(([name, value]) => { lanes[name].values[0] = value; });
  steps.forEach((step, k) => step.changes.forEach(([name, value]) => {
    const lane = lanes[name];
    if (lane.at[lane.at.length - 1] === k + 1) lane.values[lane.values.length - 1] = value;
    else { lane.at.push(k + 1); lane.values.push(value); }
  }));
  const valueAt = (lane, step) => lane.values[place(lane.at, step)];

  const label = (k) => steps[k - 1];
  const after = (k) => (k < count ? k + 1 : data.cycle === null ? count : data.cycle + 1);
  // The cycle goes on for ever: behind its last step comes its first.

  function timeline() {
    const svg = $("timeline"), width = svg.clientWidth || 600;
    svg.replaceChildren();
    const x = (k) => 8 + (width - 16) * (count ? k / count : 0);
    svg.append(drawn("rect", { class: "track", x: 8, y: 26, width: width - 16, height: 12 }));
    if (data.cycle !== null) {
      const from = x(data.cycle), to = x(count);
      svg.append(drawn("rect", { class: "cycle", x: from, y: 26, width: Math.max(2, to - from), height: 12 }));
      svg.append(drawn("path", { class: "bold", d: `M${to} 26 C${to} 4 ${from} 4 ${from} 24` }));
      svg.append(drawn("path", { class: "bold", d: `M${from - 4} 17 L${from} 25 L${from + 4} 17` }));
    }
    svg.append(drawn("rect", { class: "dot", id: "marker", x: x(now) - 2, y: 22, width: 4, height: 20 }));
  }

  function columnsShown() {
    const most = Math.max(3, Math.floor(((document.body.clientWidth || 800) - 260) / 70));
    const from = Math.max(0, Math.min(now - (most >> 1), count - most + 1));
    return { from, to: Math.min(count, from + most - 1) };
  }

  function table(where, rows, cell) {
    const { from, to } = columnsShown();
    const head = element("tr", {}, element("th", { textContent: "step" }));
    for (let k = from; k <= to; k++) {
      head.append(element("th", { textContent: String(k), className: k === now ? "here" : "" }));
    }
    const body = rows.map((row) => {
      const line = element("tr", {}, element("th", { textContent: row.name, title: row.name }));
      for (let k = from; k <= to; k++) {
        const made = cell(row, k);
        if (k === now) made.className += " here";
        line.append(made);
      }
      return line;
    });
    where.replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
  }

  const LANES = 300; // more than so many lanes are not drawn; the filter finds the others
  function variables() {
    const wanted = $("filter").value.toLowerCase();
    const shown = lanes.filter((lane) => lane.name.toLowerCase().includes(wanted)
      && (!$("changing").checked || lane.at.length > 1));
    table($("lanes"), shown.slice(0, LANES), (lane, k) => {
      const value = valueAt(lane, k);
      const changed = k > 0 && valueAt(lane, k - 1) !== value;
      return element("td", { textContent: value === null ? "–" : value, className: changed ? "changed" : "" });
    });
  }

  function truth() {
    if (!data.truth) { $("truth-part").hidden = true; return; }
    const at = data.truth.steps;
    table($("truth"), data.truth.rows.map(([name, row]) => ({ name, row })), ({ row }, k) => {
      const holds = row[Math.max(0, place(at, k))] === "1";
      return element("td", { textContent: holds ? "true" : "false", className: String(holds) });
    });
  }

  function chart() {
    const columns = data.processes, room = 26, half = 11;
    const width = Math.max(150, Math.floor((($("chart").clientWidth || 500) - 50) / Math.max(1, columns.length)));
    const from = Math.max(1, Math.min(now - half, count - 2 * half)), to = Math.min(count, from + 2 * half);
    const x = (pid) => 56 + data.place[pid] * width, y = (k) => 40 + (k - from) * room;
    const svg = drawn("svg", { width: 60 + width * Math.max(1, columns.length), height: y(to) + room });
    if (!columns.length) svg.append(drawn("text", { x: 8, y: 16 }, "no process moves"));
    columns.forEach(([pid, name]) => {
      svg.append(drawn("text", { x: x(pid), y: 16 }, name));
      svg.append(drawn("line", { class: "line", x1: x(pid), y1: 24, x2: x(pid), y2: y(to) + 12 }));
    });
    if (now >= from) svg.prepend(drawn("rect", { class: "now-band", x: 0, y: y(now) - 14, width: 60 + width * columns.length, height: room }));
    // Messages that are sent or received in the window; those that go further are cut at its edge.
    const first = place(data.sent, from - 1) + 1;
    let drawnMessages = 0;
    for (let m = Math.max(0, first - 200); m < data.messages.length && data.messages[m][0] <= to; m++) {
      const [sent, received, sender, receiver] = data.messages[m];
      if (received === null || received < from || sent < from - 200) continue;
      const top = Math.max(from, sent), end = Math.min(to, received);
      const line = drawn("line", { class: "bold message", x1: x(sender), y1: y(top), x2: x(receiver), y2: y(end) });
      svg.append(line);
      if (end === received && receiver !== sender) {
        const towards = x(receiver) > x(sender) ? -1 : 1;
        svg.append(drawn("path", { class: "bold", d: `M${x(receiver) + 8 * towards} ${y(end) - 5} L${x(receiver)} ${y(end)} L${x(receiver) + 8 * towards} ${y(end) + 5}` }));
      }
      if (++drawnMessages > 200) break;
    }
    for (let k = from; k <= to; k++) {
      const step = label(k);
      const row = drawn("g", { "data-step": k, class: k === now ? "at" : "" });
      const idle = step.idle ? "idle" : "";
      row.append(drawn("text", { x: 4, y: y(k) + 4, class: idle }, `${data.cycle !== null && k > data.cycle ? "↻" : ""}${k}`));
      if (!step.stutters) {
        row.append(drawn("circle", { class: "dot", cx: x(step.pid), cy: y(k), r: 4 }));
        const room_for = Math.max(6, Math.floor((width - 16) / 8));
        const said = step.statement.length > room_for ? `${step.statement.slice(0, room_for - 1)}…` : step.statement;
        const text = drawn("text", { x: x(step.pid) + 9, y: y(k) + 4, class: idle }, said);
        text.append(drawn("title", {}, step.statement));
        row.append(text);
      } else row.append(drawn("text", { x: 40, y: y(k) + 4 }, step.statement));
      row.addEventListener("click", () => go(k));
      svg.append(row);
    }
    $("chart").replaceChildren(svg);
    if (now >= from) $("chart").scrollTop = y(now) - $("chart").clientHeight / 2;
  }

  const WORDS = new Set(("active assert atomic bit bool break byte chan d_step do else empty enabled eval false fi for full goto if in init inline int len ltl " +
    "mtype nempty never nfull notrace od of pid printf priority proctype provided run select short skip timeout trace true typedef unless unsigned xr xs " +
    "process state trans guard sync effect system async const commit accept property channel and or not imply").split(" "));
  const TOKENS = /(\/\*.*?(?:\*\/|$)|\/\/.*$)|("(?:[^"\\]|\\.)*")|([A-Za-z_]\w*)|(\d+)|([^\w"/]+|.)/g;
  let shownFile = null;
  function source() {
    const step = now > 0 ? label(now) : null;
    const file = step && step.line ? step.file : shownFile ?? data.files.findIndex((one) => one);
    const text = data.files[file];
    if (!text) return;
    if (file !== shownFile) {
      shownFile = file;
      $("file").textContent = text.name;
      let inside = false; // of a comment over several lines
      $("source").replaceChildren(...text.text.split("\n").map((line, number) => {
        const row = element("div", {}, `${String(number + 1).padStart(4)}  `);
        let rest = line;
        if (inside) {
          const end = line.indexOf("*/");
          const cut = end < 0 ? line.length : end + 2;
          row.append(element("span", { className: "comment", textContent: line.slice(0, cut) }));
          rest = line.slice(cut);
          inside = end < 0;
        }
        for (const [token, comment, string, word, digits] of rest.matchAll(TOKENS)) {
          if (comment) inside = token.startsWith("/*") && !token.endsWith("*/");
          const kind = comment ? "comment" : string ? "string" : word && WORDS.has(word) ? "word" : digits ? "number" : "";
          row.append(kind ? element("span", { className: kind, textContent: token }) : token);
        }
        return row;
      }));
    }
    $("source").querySelector(".now")?.classList.remove("now");
    const row = step && step.line ? $("source").children[step.line - 1] : null;
    if (row) {
      row.classList.add("now");
      $("source").scrollTop = row.offsetTop - $("source").clientHeight / 2;
    }
  }

  function automaton() {
    const moves = data.moves;
    if (!moves) { $("automaton-part").hidden = true; return; }
    const { states, edges } = data.automaton;
    const taken = place(data.readAfter, now);
    const [, from, to, text, accepting] = moves[Math.max(0, taken)];
    $("move").textContent = `${from} → ${to} on ${text}${accepting ? ", accepting" : ""}`;
    const size = 120, radius = 26, height = 150 + 26 * Math.max(0, ...edges.map(([a, b]) => Math.abs(a - b)));
    const svg = drawn("svg", { width: Math.max(320, 80 + states.length * size * 1.6), height });
    const x = (state) => 60 + states.findIndex(([number]) => number === state) * size * 1.6, middle = height / 2;
    edges.forEach(([a, b, name], nth) => {
      const current = a === from && b === to;
      const bend = a === b ? 44 : (b > a ? -1 : 1) * (30 + 14 * (nth % 3));
      const d = a === b ? `M${x(a) - 10} ${middle - 24} C${x(a) - 30} ${middle - 70} ${x(a) + 30} ${middle - 70} ${x(a) + 10} ${middle - 24}`
        : `M${x(a)} ${middle} Q${(x(a) + x(b)) / 2} ${middle + 2 * bend} ${x(b)} ${middle}`;
      const path = drawn("path", { class: current ? "bold" : "line", d });
      path.append(drawn("title", {}, `${a} → ${b}: ${name}`));
      svg.append(path);
      const said = name.length > 22 ? `${name.slice(0, 21)}…` : name;
      const text = drawn("text", { x: (x(a) + x(b)) / 2 - (a === b ? 20 : 60), y: a === b ? middle - 62 - 14 * (nth % 2) : middle + bend + (bend > 0 ? 16 : -4) }, said);
      text.append(drawn("title", {}, name));
      svg.append(text);
    });
    states.forEach(([number, about]) => {
      svg.append(drawn("circle", { class: number === to ? "now-band" : "track", cx: x(number), cy: middle, r: radius, stroke: "currentColor", "data-state": number }));
      if (about.includes("accepting")) svg.append(drawn("circle", { class: "line", cx: x(number), cy: middle, r: radius - 4 }));
      svg.append(drawn("text", { x: x(number) - 4, y: middle + 4 }, String(number)));
    });
    $("automaton").replaceChildren(svg);
  }

  const ROW = 24;
  function list(all) {
    const box = $("steps");
    const first = all ? 0 : Math.max(0, Math.floor(box.scrollTop / ROW) - 5);
    const last = all ? Math.min(count, 5000) : Math.min(count, first + Math.ceil((box.clientHeight || 320) / ROW) + 10);
    const rows = [element("div", { style: `height:${count * ROW}px` })];
    for (let k = first + 1; k <= last; k++) {
      const step = label(k);
      const cycle = data.cycle === null || k <= data.cycle ? "  " : k === data.cycle + 1 ? "┌▶" : k === count ? "└─" : "│ ";
      const who = step.stutters ? "" : `${data.names_of[step.who]}(${step.pid})  `;
      const row = element("div", { className: `row${step.idle ? " idle" : ""}${k === now ? " here" : ""}`, textContent: `${cycle}${String(k).padStart(6)}  ${who}${step.statement}` });
      row.style.top = `${(k - 1) * ROW}px`;
      row.addEventListener("click", () => go(k));
      rows.push(row);
    }
    box.replaceChildren(...rows);
  }

  function about() {
    if (now === 0) { $("now").textContent = "the run starts here"; return; }
    const step = label(now);
    const where = step.line ? ` at ${data.files_named[step.file]}:${step.line}` : "";
    const changes = step.changes.filter(([, value]) => value !== null).map(([name, value]) => `${data.names[name]} = ${value}`);
    $("now").textContent = step.stutters ? step.statement
      : `${data.names_of[step.who]}(${step.pid})${where}: ${step.statement}${changes.length ? ` — ${changes.join(", ")}` : ""}${step.idle ? " (no influence)" : ""}`;
  }

  function go(k, keep) {
    now = Math.max(0, Math.min(count, k));
    $("slider").value = String(now);
    $("count").textContent = `step ${now} of ${count}${data.cycle !== null && now > data.cycle ? ", in the cycle" : ""}`;
    $("link").href = `#step=${now}`;
    if (!keep) history.replaceState(null, "", `#step=${now}`);
    timeline(); about(); chart(); source(); variables(); truth(); automaton();
    const box = $("steps"), top = (now - 1) * ROW;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - ROW) box.scrollTop = top - box.clientHeight / 2;
    list(false);
  }

  function play() {
    if (timer !== null) { clearInterval(timer); timer = null; $("play").textContent = "play"; return; }
    $("play").textContent = "stop";
    timer = setInterval(() => {
      const next = after(now);
      if (next === now) play(); else go(next);
    }, 500);
  }

  const fromHash = () => {
    const found = /^#step=(\d+)$/.exec(location.hash);
    return found ? Number(found[1]) : 0;
  };
  $("verdict").textContent = data.verdict;
  $("verdict").className = data.good ? "good" : "";
  $("why").textContent = data.why;
  $("ending").textContent = data.ending;
  $("slider").max = String(count);
  $("first").addEventListener("click", () => go(0));
  $("back").addEventListener("click", () => go(now - 1));
  $("forward").addEventListener("click", () => go(after(now)));
  $("last").addEventListener("click", () => go(count));
  $("play").addEventListener("click", play);
  $("slider").addEventListener("input", () => go(Number($("slider").value)));
  $("filter").addEventListener("input", variables);
  $("changing").addEventListener("input", variables);
  $("steps").addEventListener("scroll", () => list(false));
  $("timeline").addEventListener("click", (event) => {
    const box = $("timeline").getBoundingClientRect();
    go(Math.round(((event.clientX - box.left - 8) / (box.width - 16)) * count));
  });
  addEventListener("hashchange", () => go(fromHash(), true));
  addEventListener("resize", () => go(now, true));
  addEventListener("beforeprint", () => list(true));
  addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.type !== "range") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { ArrowRight: () => go(after(now)), ArrowLeft: () => go(now - 1), Home: () => go(0), End: () => go(count), " ": play };
    if (event.key === " " && event.target instanceof HTMLButtonElement) return;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  go(fromHash(), true);
})();
