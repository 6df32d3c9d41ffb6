"use strict";
// What changes in each step stands in the page as JSON; here it is applied and drawn. Whatever a model's
// author wrote goes through text nodes, so no name can become markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
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
  const show = (node, shown) => (shown ? node.removeAttribute("hidden") : node.setAttribute("hidden", ""));
  const RADIUS = 17, BETWEEN_COPIES = 200;
  const COUNTERS = ["states visited", "calls of post", "arcs computed", "nested searches", "longest path"];

  // A run at a step: looks of states and arcs, lists, counters. Every so often there is a copy to go back to.
  class Player {
    constructor(run) {
      this.run = run;
      this.last = run.steps.length - 1;
      this.copies = new Map();
      this.start();
      this.apply(0);
    }
    start() {
      this.at = -1;
      this.states = data.graph.states.map(() => ["white", 0, ""]);
      this.arcs = data.graph.arcs.map(() => 0);
      this.lists = this.run.lists.map(() => []);
      this.counters = [0, 0, 0, 0, 0];
    }
    apply(step) {
      const [, , , states, arcs, lists, counters] = this.run.steps[step];
      for (const [place, fill, flags, note] of states) this.states[place] = [fill, flags, note];
      for (const [place, flags] of arcs) this.arcs[place] = flags;
      for (const [place, same, items] of lists) this.lists[place] = this.lists[place].slice(0, same).concat(items);
      if (counters) this.counters = counters;
      this.at = step;
      if (step % BETWEEN_COPIES === 0 && !this.copies.has(step)) {
        this.copies.set(step, [this.states.slice(), this.arcs.slice(), this.lists.slice(), this.counters]);
      }
    }
    go(step) {
      const to = Math.max(0, Math.min(this.last, step));
      if (to < this.at) {
        const near = to - (to % BETWEEN_COPIES), [states, arcs, lists, counters] = this.copies.get(near);
        Object.assign(this, { at: near, states: states.slice(), arcs: arcs.slice(), lists: lists.slice(), counters });
      }
      while (this.at < to) this.apply(this.at + 1);
    }
    // The next step of a kind, or the one before; where it is if there is none.
    find(kind, by) {
      for (let k = this.at + by; k >= 0 && k <= this.last; k += by) {
        if (kind === "" || this.run.steps[k][0] === Number(kind)) return k;
      }
      return this.at;
    }
  }

  // The elements that show a run.
  class Panel {
    constructor(player, number) {
      const { run } = player, graph = data.graph;
      this.player = player;
      this.said = element("p", { className: "said" });
      this.said.setAttribute("aria-live", "polite");
      this.svg = drawn("svg", {
        viewBox: `0 0 ${graph.width} ${graph.height}`, width: graph.width, height: graph.height, role: "img",
        "aria-label": `The graph, as ${run.name} has seen it`,
      });
      const tip = drawn("marker", { id: `tip-${number}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" });
      tip.append(drawn("path", { d: "M0 0L8 4L0 8z", fill: "context-stroke" }));
      this.svg.append(tip);
      this.arcs = graph.arcs.map(([line, marks, x, y]) => {
        const group = drawn("g", { class: "arc" });
        group.append(drawn("path", { d: line, "marker-end": `url(#tip-${number})` }));
        if (marks) group.append(drawn("text", { class: "marks", x, y }, marks));
        this.svg.append(group);
        return group;
      });
      this.states = graph.states.map(([x, y, name, about, double, sets, initial]) => {
        const group = drawn("g", { class: "state" });
        const circle = (r, kind) => drawn("circle", { cx: x, cy: y, r, class: kind });
        const parts = {
          group, sets, place: circle(RADIUS + 9, "place"), ring: circle(RADIUS + 5, "ring"),
          broken: circle(RADIUS + 8, "broken"), body: circle(RADIUS, "white"),
          note: drawn("text", { class: "note", x: x - RADIUS - 4, y: y - RADIUS + 2 }),
        };
        if (about) group.append(drawn("title", {}, about));
        group.append(parts.place, parts.ring, parts.broken, parts.body);
        if (double) group.append(circle(RADIUS - 4, "double"));
        if (initial) group.append(drawn("path", { class: "start", d: `M${x - RADIUS - 17} ${y}h14`, stroke: "currentColor", "stroke-width": 1.5, "marker-end": `url(#tip-${number})` }));
        group.append(drawn("text", { x, y: y + 4.5 }, name), parts.note);
        this.svg.append(group);
        return parts;
      });
      this.graph = element("div", { className: "graph", tabIndex: 0 }, this.svg);
      this.lines = run.code.map((line) => element("div", { textContent: line }));
      this.lists = run.lists.map((title) => ({ title, box: element("div", { className: "list" }) }));
      this.counters = element("p", { className: "counters" });
      this.slider = element("input", { type: "range", min: 0, max: player.last, value: 0 });
      this.slider.setAttribute("aria-label", `Step of ${run.name}`);
      this.count = element("output", {});
      const button = (text, by) => {
        const made = element("button", { textContent: text });
        made.setAttribute("aria-label", `${run.name}: one step ${by < 0 ? "back" : "on"}`);
        made.addEventListener("click", () => { choose(number); move(by); });
        return made;
      };
      this.own = element("div", { className: "own", hidden: true }, button("◀", -1), this.slider, button("▶", 1), this.count);
      this.slider.addEventListener("input", () => { choose(number); goTo(Number(this.slider.value)); });
      const legend = run.legend.map(([fill, meaning]) => element("span", {}, element("span", { className: `swatch ${fill}` }), `${fill}: ${meaning}`));
      const side = element("div", {}, element("h3", { textContent: "The algorithm" }),
        element("div", { className: "code", tabIndex: 0 }, ...this.lines));
      for (const { title, box } of this.lists) side.append(element("h3", { textContent: title }), box);
      side.append(element("h3", { textContent: "Counted" }), this.counters);
      this.box = element("section", { className: "run" },
        element("h2", {}, `${run.name} `, element("span", { className: "quiet", textContent: `${run.what} – ${run.paper}` })),
        this.said, this.own,
        element("div", { className: "parts" },
          element("div", {}, this.graph, element("p", { className: "legend" }, ...legend)), side));
      this.box.addEventListener("pointerdown", () => { if (!together()) choose(number); });
      $("runs").append(this.box);
      this.shown = null;
    }
    draw() {
      const { player } = this, [, lines, sentence] = player.run.steps[player.at];
      this.said.textContent = sentence;
      this.states.forEach((parts, place) => {
        const [fill, flags, note] = player.states[place];
        show(parts.group, flags & 1);
        show(parts.ring, flags & 2);
        show(parts.broken, flags & 4);
        show(parts.place, flags & 8);
        parts.body.setAttribute("class", fill);
        parts.note.textContent = `${parts.sets} ${note}`.trim();
        if (flags & 8) this.here = place;
      });
      this.arcs.forEach((group, place) => {
        const flags = player.arcs[place];
        show(group, flags & 1);
        const kind = flags & 16 ? "lasso" : flags & 2 ? "now" : flags & 8 ? "nested" : flags & 4 ? "path" : "";
        group.setAttribute("class", `arc ${kind}`);
      });
      this.lines.forEach((line, number) => { line.className = lines.includes(number) ? "now" : ""; });
      this.lists.forEach(({ box }, number) => {
        box.replaceChildren(...player.lists[number].map((item) => element("span", { textContent: item })));
      });
      this.counters.replaceChildren(...COUNTERS.map((name, number) => element("span", { textContent: `${name}: ${player.counters[number]}` })));
      this.slider.value = player.at;
      this.count.textContent = `${player.at} of ${player.last}`;
      this.follow();
    }
    // What happens stays in sight, if the graph is larger than its box.
    follow() {
      if (this.here === undefined) return;
      const [x, y] = data.graph.states[this.here], box = this.graph;
      const scale = this.svg.clientWidth / data.graph.width || 1, room = 60;
      const into = (value, start, length) => (value < start + room ? value - room : value > start + length - room ? value - length + room : start);
      box.scrollLeft = into(x * scale, box.scrollLeft, box.clientWidth);
      box.scrollTop = into(y * scale, box.scrollTop, box.clientHeight);
    }
    // As large as there is room, but not so small that names cannot be read.
    fit() {
      const { width, height } = data.graph;
      const tall = parseFloat(getComputedStyle(this.graph).maxHeight) || 600;
      const scale = Math.max(0.62, Math.min(1.25, (this.graph.clientWidth - 4) / width, (tall - 4) / height));
      this.svg.setAttribute("width", width * scale);
      this.svg.setAttribute("height", height * scale);
    }
  }

  const players = data.runs.map((run) => new Player(run));
  let active = 0, timer = null;
  const together = () => $("together").checked;
  const moved = () => (together() ? players : [players[active]]);
  const panels = players.map((player, number) => new Panel(player, number));

  function choose(number) {
    active = number;
    mark();
  }
  function mark() {
    panels.forEach((panel, number) => {
      panel.box.classList.toggle("active", !together() && players.length > 1 && number === active);
      panel.own.hidden = together() || players.length === 1;
    });
    const last = Math.max(...moved().map((player) => player.last));
    const at = together() ? Math.max(...players.map((player) => player.at)) : players[active].at;
    $("slider").max = last;
    $("slider").value = at;
    $("count").textContent = `step ${at} of ${last}`;
    const where = together() ? String(at) : players.map((player) => player.at).join(",");
    $("link").setAttribute("href", `#step=${where}`);
  }
  function draw() {
    panels.forEach((panel) => panel.draw());
    mark();
  }
  function goTo(step) {
    moved().forEach((player) => player.go(step));
    draw();
  }
  function move(by) {
    goTo((together() ? Math.max(...players.map((player) => player.at)) : players[active].at) + by);
  }
  // In step, the nearest step of the kind in any run; the others go along.
  function find(by) {
    const kind = $("kind").value;
    const found = moved().map((player) => [player, player.find(kind, by)]).filter(([player, step]) => step !== player.at);
    if (!found.length) return;
    const steps = found.map(([, step]) => step);
    goTo(by > 0 ? Math.min(...steps) : Math.max(...steps));
  }
  function play() {
    if (timer) {
      clearInterval(timer);
      timer = null;
    } else {
      if (moved().every((player) => player.at === player.last)) goTo(0);
      timer = setInterval(() => {
        move(1);
        if (moved().every((player) => player.at === player.last)) play();
      }, 700);
    }
    $("play").textContent = timer ? "stop" : "play";
  }
  function readLink() {
    const found = /^#step=([0-9,]+)$/.exec(location.hash);
    if (!found) return;
    const steps = found[1].split(",").map(Number);
    if (steps.length > 1 && players.length > 1) $("together").checked = false;
    players.forEach((player, number) => player.go(steps[Math.min(number, steps.length - 1)]));
    draw();
  }

  $("title").textContent = data.title;
  $("about").textContent = data.about;
  const left = data.graph.notDrawn;
  $("not-drawn").hidden = !left;
  if (left) $("not-drawn").textContent = `The graph is cut: ${left} more states were seen, and are not drawn.`;
  $("runs").classList.toggle("two", players.length > 1);
  $("together-part").hidden = players.length < 2;
  const used = new Set(data.runs.flatMap((run) => run.steps.map(([kind]) => kind)));
  $("kind").append(element("option", { value: "", textContent: "any step" }),
    ...[...used].sort((a, b) => a - b).map((kind) => element("option", { value: kind, textContent: data.kinds[kind] })));
  $("first").addEventListener("click", () => goTo(0));
  $("back").addEventListener("click", () => move(-1));
  $("forward").addEventListener("click", () => move(1));
  $("last").addEventListener("click", () => goTo(Infinity));
  $("play").addEventListener("click", play);
  $("slider").addEventListener("input", () => goTo(Number($("slider").value)));
  $("next-of-kind").addEventListener("click", () => find(1));
  $("previous-of-kind").addEventListener("click", () => find(-1));
  $("together").addEventListener("change", draw);
  addEventListener("hashchange", readLink);
  addEventListener("resize", () => panels.forEach((panel) => { panel.fit(); panel.follow(); }));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tagName, type } = event.target;
    if (tagName === "SELECT" || (tagName === "INPUT" && type === "range" && event.key !== "n" && event.key !== "p" && event.key !== " ")) return;
    if (event.key === " " && (tagName === "BUTTON" || type === "checkbox")) return;
    const keys = {
      ArrowRight: () => move(1), ArrowLeft: () => move(-1), Home: () => goTo(0), End: () => goTo(Infinity),
      " ": play, n: () => find(1), p: () => find(-1),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  panels.forEach((panel) => panel.fit());
  draw();
  readLink();
})();
