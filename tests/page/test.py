#!/usr/bin/env python3
"""Tests a page in a headless browser: test.py PAGE.html [RESULTS.json]

With the comparison that the page was made from, its figures are computed again and compared; without, only what holds
of every page is tested. Every failure is told, not only the first.
"""

import json
import pathlib
import re
import sys
import time
import urllib.parse

from browser import Browser
from figures import SIX, Comparison, exponent

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


def equal(found, expected, what):
    check(found == expected, f"{what}: found {found!r}, expected {expected!r}")


def near(found, expected, what, margin=0.051):
    check(found is not None and abs(found - expected) <= margin, f"{what}: found {found}, expected {expected}")


def number(text):
    """A number as the page writes it: narrow gaps between thousands, a true minus, a per cent sign."""
    plain = re.sub(r"[\s\u202f%]", "", text).replace("−", "-")
    return float(plain) if re.fullmatch(r"-?\d+(\.\d+)?", plain) else None


CELLS = "[...document.querySelectorAll('#{} tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"


def cells(page, table):
    return page.evaluate(CELLS.format(table))


# Of every page.

WORDS = re.compile(r"\b(NaN|undefined|null|Infinity|\[object \w+\])\b")
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
SECTIONS = ["summary", "figure-4", "structure", "table-1", "plots", "generalised", "differences", "runs"]

# The contrast of every piece of text with what is painted behind it, after WCAG 2: the worst, and where it is.
CONTRAST = """(() => {
  const channel = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = parse(getComputedStyle(node).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  let worst = { contrast: 99, where: "nothing" };
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.getClientRects().length || node.closest("script, noscript, title")) continue;
    const style = getComputedStyle(node);
    const ink = light(parse(node.namespaceURI.endsWith("svg") ? style.fill : style.color));
    const paper = light(behind(node));
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    seen += 1;
    if (contrast < worst.contrast) worst = { contrast, where: `${node.tagName}.${node.getAttribute("class")}: ${walker.currentNode.textContent.slice(0, 40)}` };
  }
  return { ...worst, seen, paper: light(behind(document.body)) };
})()"""


def any_page(browser, file):
    for dark in [False, True]:
        for width in [1280, 390]:
            where = f"{'dark' if dark else 'light'}, {width} px"
            with browser.page(width, dark=dark) as page:
                page.open(file)
                # Also with all filters and all rows in sight.
                for opened in [False, True]:
                    if opened:
                        page.evaluate("document.querySelectorAll('.more:not([hidden]), #more-filters').forEach((b) => b.click())")
                    check(page.evaluate(OVERFLOW) <= 0, f"{where}: the page is wider than the window")
                    found = page.evaluate(CONTRAST)
                    check(found["contrast"] >= 4.5, f"{where}: contrast {found['contrast']:.2f} at {found['where']}")
                    check(found["seen"] > 30, f"{where}: only {found['seen']} pieces of text")
                check((found["paper"] < 0.2) == dark, f"{where}: the background has a brightness of {found['paper']:.2f}")
                text = page.evaluate("document.body.innerText + [...document.querySelectorAll('svg, [title], [aria-label]')]"
                                     ".map((n) => n.outerHTML).join('\\n')")
                for word in set(WORDS.findall(text)):
                    check(False, f"{where}: the page says {word}: {text[max(0, text.find(word) - 60):text.find(word) + 20]!r}")
                equal(page.complaints(), [], f"{where}: complaints")
                equal([url for url in page.requests() if not url.startswith(("data:", "about:"))],
                      [pathlib.Path(file).resolve().as_uri()], f"{where}: requests")
                if width == 1280 and not dark:
                    parts(page)


def parts(page):
    """Sections, and what is needed to use them without a mouse or without eyes."""
    equal(page.evaluate("[...document.querySelectorAll('main > section')].map((one) => one.id)"), SECTIONS, "sections")
    empty = page.evaluate("[...document.querySelectorAll('main > section > .body')].filter((one) => !one.textContent.trim()).length")
    equal(empty, 0, "sections that say nothing")
    unnamed = page.evaluate("[...document.querySelectorAll('svg:not(svg svg, [aria-hidden])')].filter((one) => "
                            "one.getAttribute('role') !== 'img' || !one.querySelector('title').textContent).length")
    equal(unnamed, 0, "plots without a role or a title")
    mute = page.evaluate("[...document.querySelectorAll('thead th[scope=col]')].filter((one) => "
                         "!one.querySelector('button') || !one.hasAttribute('aria-sort')).length")
    equal(mute, 0, "heads of columns that are no buttons")
    uncaptioned = page.evaluate("[...document.querySelectorAll('figure')].filter((one) => "
                                "!one.querySelector('figcaption').textContent && !one.querySelector('.missing')).length")
    equal(uncaptioned, 0, "figures without a caption")
    twice = page.evaluate("(() => { const all = [...document.querySelectorAll('[id]')].map((one) => one.id);"
                          "return all.filter((id, place) => all.indexOf(id) !== place); })()")
    equal(twice, [], "names of elements that occur twice")


# Of the page of the fixture.

def set_filter(page, name, value):
    """As a person would: the value, then the event. The page draws a moment later, and then counts again."""
    page.evaluate(f"""(() => {{
      const field = document.querySelector('#filters [name={name}]');
      if (field.type === 'checkbox') field.checked = {json.dumps(value)};
      else field.value = {json.dumps(value)};
      field.dispatchEvent(new Event('input', {{ bubbles: true }}));
    }})()""")
    time.sleep(0.25)
    page.evaluate("new Promise((done) => requestAnimationFrame(done))")


def points(page, plot):
    """Per series, how many points its path has."""
    return page.evaluate(f"Object.fromEntries([...document.querySelectorAll('#{plot} .points')].map((one) => "
                         "[one.dataset.series, one.getAttribute('d').split('M').length - 1]))")


def steps(page, plot):
    return page.evaluate(f"Object.fromEntries([...document.querySelectorAll('#{plot} .points')].map((one) => "
                         "[one.dataset.series, one.getAttribute('d').split('V').length - 1]))")


def figures(page, comparison, places, where):
    """Everything that is computed anew when a filter changes."""
    equal(number(page.evaluate("document.getElementById('count').textContent.split(' of ')[0]")), len(places),
          f"{where}: cases in the bar")
    equal(number(page.evaluate("document.querySelector('#tiles dd').textContent")), len(places), f"{where}: cases")

    common, expected = comparison.figure_4(places)
    shown = {row[0]: row[1:] for row in cells(page, "figure-4-table")}
    equal(list(shown), SIX, f"{where}: the order of Figure 4")
    for name, row in shown.items():
        equal(number(row[0]), common, f"{where}: cases of {name} in Figure 4")
        for column, place in enumerate([1, 2, 3, 6, 7, 8]):
            near(number(row[place]), expected[name][column], f"{where}: Figure 4, {name}, column {place}")
    bars = page.evaluate("[...document.querySelectorAll('#figure-4-transitions .bar')].map((one) => [one.dataset.name, 100 * one.dataset.value])")
    equal([name for name, _ in bars], SIX, f"{where}: bars")
    for name, value in bars:
        near(value, expected[name][1], f"{where}: the bar of {name}", 1e-6)
    ordered = [expected[name][1] for name in SIX]
    caption = page.evaluate("document.querySelector('#figure-4-chart figcaption').textContent")
    says = "is the paper's" if ordered == sorted(ordered) else "is not the paper's"
    check(f"The order by transitions {says}" in caption, f"{where}: the caption of Figure 4 does not say that the order {says}")

    equal(sum(points(page, "pair-plot").values()), sum(comparison.pair(places, "hpy", "ascc")), f"{where}: points of the pair")
    equal(steps(page, "solved-plot"), comparison.solved(places), f"{where}: steps of cases solved")
    for product in ["on-the-fly", "precomputed"]:
        work = comparison.work(places, product)
        equal(sum(points(page, f"work-{product}-plot").values()), len(work), f"{where}: points of work, {product}")
    equal(sum(points(page, "memory-plot").values()), comparison.memory(places), f"{where}: points of memory")
    rows = cells(page, "work-table")
    near(number(rows[0][5]), exponent(comparison.work(places, "on-the-fly")), f"{where}: exponent on the fly", 0.0051)
    runs = sum(run["case"] in places for run in comparison.runs)
    caption = page.evaluate("document.querySelector('#all-runs figcaption').textContent")
    check(caption.replace("\u202f", "").startswith(f"{runs} run"), f"{where}: {runs} runs, but: {caption}")


FILTERS = [
    ({"counting": False}, {"counting": False}),
    ({"text": "ELEVATOR"}, {"text": "elevator"}),
    ({"verdict": "holds"}, {"verdict": "holds"}),
    ({"verdict": "violated"}, {"verdict": "violated"}),
    ({"strength": "weak"}, {"strength": "weak"}),
    ({"strength": "strong"}, {"strength": "strong"}),
    ({"states": "5000"}, {"states": 5000}),
]


def filters(page, comparison, file):
    page.open(file)
    everything = comparison.chosen()
    figures(page, comparison, everything, "no filter")
    for fields, arguments in FILTERS:
        places = comparison.chosen(**arguments)
        check(places != everything, f"the fixture cannot tell {fields}")
        for name, value in fields.items():
            set_filter(page, name, value)
        figures(page, comparison, places, f"{fields}")
        # The address shows the same in a page that is opened anew.
        fragment = page.evaluate("location.hash.slice(1)")
        check(fragment != "", f"{fields}: the fragment is empty")
        with page.browser.page() as other:
            other.open(file, fragment)
            figures(other, comparison, places, f"#{fragment}")
            name, value = next(iter(fields.items()))
            field = f"document.querySelector('#filters [name={name}]')"
            equal(other.evaluate(f"{field}.type === 'checkbox' ? {field}.checked : {field}.value"), value, f"#{fragment}: the field")
        page.evaluate("document.getElementById('reset').click()")
        equal(page.evaluate("location.hash"), "", f"{fields}: the fragment after a reset")
    figures(page, comparison, everything, "after a reset")
    # A link to the same page with another fragment.
    page.evaluate("location.hash = 'verdict=holds'")
    time.sleep(0.3)
    figures(page, comparison, comparison.chosen(verdict="holds"), "after a change of the fragment")
    set_filter(page, "text", "no case is called so")
    equal(page.evaluate("document.getElementById('count').textContent.split(' ')[0]"), "0", "cases of an odd name")
    check(not WORDS.search(page.evaluate("document.body.innerText")), "a page without cases says odd words")
    equal(page.complaints(), [], "complaints after filters")


def choices(page, comparison, file):
    """The selects of the plots, and the legend."""
    page.open(file)
    places = comparison.chosen()
    for x, y in [("lasso", "gv"), ("c99", "sd"), ("ascc generalised", "ascc")]:
        for name, value in [("x", x), ("y", y)]:
            page.evaluate(f"(() => {{ const s = document.getElementById('choose-{name}'); s.value = {json.dumps(value)};"
                          "s.dispatchEvent(new Event('change')); })()")
        inside, border = comparison.pair(places, x, y)
        equal(sum(points(page, "pair-plot").values()), inside + border, f"points of {y} against {x}")
        drawn = page.evaluate("document.querySelectorAll('#pair-plot .border').length > 0")
        equal(drawn, border > 0, f"a border for limits, {y} against {x}")
        fragment = urllib.parse.parse_qs(page.evaluate("location.hash.slice(1)"))
        equal(fragment.get("x"), [x], "the fragment's x")
    page.evaluate("document.querySelector('.legend button').click()")
    equal(len(steps(page, "solved-plot")), len(comparison.names) - 1, "curves after one is switched off")
    page.evaluate("document.querySelector('.legend button').click()")
    equal(len(steps(page, "solved-plot")), len(comparison.names), "curves after it is switched on again")


def sorting(page, comparison, file):
    page.open(file)
    tables = {"table-1-nested-table": [0, 1, 5], "runs-table": [1, 3, 7], "extremes-table": [4, 6], "figure-4-table": [2]}
    for table, columns in tables.items():
        page.evaluate(f"document.querySelector('#{table}').closest('.table').querySelector('.more:not([hidden])')?.click()")
        for column in columns:
            orders = []
            for _ in range(2):
                page.evaluate(f"document.querySelectorAll('#{table} thead tr:last-child button')[{column}].click()")
                order = page.evaluate(f"document.querySelectorAll('#{table} thead tr:last-child th')[{column}].getAttribute('aria-sort')")
                orders.append(order)
                text = [row[column] for row in cells(page, table)]
                check(len(set(text)) > 1, f"{table}, column {column}: nothing to sort")
                there = [value for value in text if value != "–"]
                check("–" not in text[:len(there)], f"{table}, column {column}: dashes are not last")
                values = [number(value) for value in there]
                if None in values:
                    # Words: the browser knows their order.
                    compare = f"{json.dumps(there)}.every((w, i, all) => !i || all[i - 1].localeCompare(w, 'en', {{numeric: true}}) * {1 if order == 'ascending' else -1} <= 0)"
                    check(page.evaluate(compare), f"{table}, column {column}, {order}: not sorted")
                else:
                    equal(values, sorted(values, reverse=order == "descending"), f"{table}, column {column}, {order}")
            equal(sorted(orders), ["ascending", "descending"], f"{table}, column {column}: directions")
    sorted_ones = page.evaluate("document.querySelectorAll('#runs-table [aria-sort=ascending], #runs-table [aria-sort=descending]').length")
    equal(sorted_ones, 1, "columns by which a table is sorted")
    # The order stays when a filter changes.
    before = page.evaluate("document.querySelector('#runs-table [aria-sort$=ending]').textContent")
    set_filter(page, "verdict", "holds")
    equal(page.evaluate("document.querySelector('#runs-table [aria-sort$=ending]').textContent"), before, "the order after a filter")


def contents(page, comparison, file):
    """What must be seen of the odd things in the fixture."""
    page.open(file)
    alarm = page.evaluate("document.getElementById('alarm').textContent")
    for case in comparison.cases:
        if not case["agreed"]:
            check(case["name"] in alarm, f"no alarm for {case['name']}")
    odd = [case["name"] for case in comparison.cases if "</script>" in case["name"]]
    check(odd and odd[0] in page.evaluate("document.body.innerText"), "an odd name is not shown as it is")
    page.evaluate("document.querySelector('#runs-table').closest('.table').querySelector('.more').click()")
    rows = cells(page, "runs-table")
    equal(len(rows), sum(run["case"] in comparison.chosen() for run in comparison.runs), "rows of all runs")
    commands = {row[-1].removeprefix("copy") for row in rows}
    for run in comparison.runs:
        case, configuration = comparison.cases[run["case"]], comparison.configurations[run["configuration"]]
        if case["counts"]:
            check(f"lariat check {case['arguments']} {configuration['options']}" in commands, f"no command for {run}")
    # The extreme cases: the greatest ratio, computed from the runs.
    plain = [one["name"] for one in comparison.configurations
             if one["automaton"] == "degeneralised" and one["product"] == "on-the-fly" and one["algorithm"] != "lasso"]
    ratios = []
    for place in comparison.chosen():
        work = [run["transitions"] for name in plain if (run := comparison.finished(place, name))]
        if len(work) > 1:
            ratios.append(max(work) / min(work))
    near(number(cells(page, "extremes-table")[0][6]), max(ratios), "the greatest ratio", 0.0051)
    caption = page.evaluate("document.querySelector('#work-statistics figcaption').textContent")
    check(re.search(r"only read, .* of the time .*, and the correlation is 0\.\d+ instead of 0\.\d+", caption),
          f"the difference between the products: {caption}")
    # Points can be read with the keyboard.
    page.evaluate("document.getElementById('pair-plot').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }))")
    tip = page.evaluate("document.querySelector('#pair .tip').innerText")
    check(any(case["name"] in tip for case in comparison.cases) and "hpy: " in tip, f"a point says {tip!r}")
    effects(page, comparison)


def effects(page, comparison):
    places = [place for place in comparison.chosen() if comparison.cases[place]["verdict"]]
    rows = cells(page, "effects-table")
    for line, effect in enumerate(["accepting_trivial", "not_preceded_by_accepting", "not_preceded_by_accepting_cyclic"]):
        known = [place for place in places if comparison.cases[place]["effects"]]
        have = [place for place in known if comparison.cases[place]["effects"][effect] > 0]
        equal([number(rows[2 * line][1]), number(rows[2 * line + 1][1])], [len(have), len(known) - len(have)], effect)
        common = comparison.common(have, ["ascc", "c99", "se", "hpy", "and", "gv"])
        sums = [sum(comparison.by[place, name]["transitions"] for place in common) for name in ("c99", "ascc")]
        near(number(rows[2 * line][11]), sums[0] / sums[1], f"{effect}: transitions of c99", 0.0051)
    found = [(comparison.finished(place, "se"), comparison.finished(place, "hpy")) for place in places
             if comparison.cases[place]["verdict"] == "violated"]
    for line, nested in [(6, False), (8, True)]:
        expected = sum(bool(se and hpy and hpy["found_nested"] and se["found_nested"] == nested) for se, hpy in found)
        equal(number(rows[line][1]), expected, f"cycles that hpy found nested and se {'too' if nested else 'not'}")


def main():
    file, *results = sys.argv[1:]
    start = time.monotonic()
    with Browser() as browser:
        try:
            any_page(browser, file)
            if results:
                comparison = Comparison(json.loads(pathlib.Path(results[0]).read_text(encoding="utf-8")))
                for part in [filters, choices, sorting, contents]:
                    with browser.page() as page:
                        part(page, comparison, file)
                        equal(page.complaints(), [], f"complaints, {part.__name__}")
        except (RuntimeError, TimeoutError) as broken:
            check(False, broken)
    seconds = time.monotonic() - start
    print(f"{pathlib.Path(file).name}: {len(failures)} failures, {seconds:.1f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
