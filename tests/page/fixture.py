"""What holds of the page of the fixture: its figures are those that figures.py computes from the same runs, before and
after a reader filters, chooses and sorts."""

import json
import re
import statistics
import time
import urllib.parse

from any_page import first_column
from checks import MISTAKES, cells, check, equal, near, number, text
from figures import SIX, exponent


def set_filter(page, name, value):
    """As a person would: the value, then the event. The page draws a moment later."""
    page.evaluate(f"""(() => {{
      const field = document.querySelector('#filters [name={name}]');
      if (field.type === 'checkbox') field.checked = {json.dumps(value)};
      else field.value = {json.dumps(value)};
      field.dispatchEvent(new Event('input', {{ bubbles: true }}));
    }})()""")
    time.sleep(0.25)


def choose(page, name, value):
    page.evaluate(f"""(() => {{
      const field = document.getElementById('choose-{name}');
      field.value = {json.dumps(value)};
      field.dispatchEvent(new Event('change'));
    }})()""")


def show_all(page, table):
    page.evaluate(f"document.getElementById('{table}').closest('.table').querySelector('.more:not([hidden])')?.click()")


def points(page, plot, stroke="M"):
    """Per series, how many points its path has: every one begins with a stroke of its own."""
    return page.evaluate(f"Object.fromEntries([...document.querySelectorAll('#{plot} .points')].map((one) => "
                         f"[one.dataset.series, one.getAttribute('d').split('{stroke}').length - 1]))")


def figures(page, comparison, places, where):
    """Everything that is computed anew when a filter changes."""
    equal(number(text(page, "#count").split(" of ")[0]), len(places), f"{where}: cases in the bar")
    equal(number(text(page, "#tiles dd")), len(places), f"{where}: cases")
    figure_4(page, comparison, places, where)
    pair = sum(comparison.pair(places, "hpy", "ascc"))
    equal(sum(points(page, "pair-plot").values()), pair, f"{where}: points of the pair")
    solved = comparison.solved(places)
    equal(points(page, "solved-plot", "V"), {name: solved[name] for name in comparison.names if name in SIX},
          f"{where}: steps of cases solved")
    for product in ["on-the-fly", "precomputed"]:
        work = comparison.work(places, product, comparison.drawn_at_first(product))
        equal(sum(points(page, f"work-{product}-plot").values()), len(work), f"{where}: points of work, {product}")
    equal(sum(points(page, "memory-plot").values()), comparison.memory(places, SIX), f"{where}: points of memory")
    slope = exponent(comparison.work(places, "on-the-fly"))
    near(number(cells(page, "work-table")[0][5]), slope, f"{where}: exponent on the fly", 0.0051)
    runs = sum(run["case"] in places for run in comparison.runs)
    caption = text(page, "#all-runs figcaption").replace("\u202f", "")
    check(caption.startswith(f"{runs} run"), f"{where}: {runs} runs, but: {caption}")


def figure_4(page, comparison, places, where):
    common, expected = comparison.figure_4(places)
    shown = {row[0]: row[1:] for row in cells(page, "figure-4-table")}
    equal(list(shown), SIX, f"{where}: the order of Figure 4")
    for name, row in shown.items():
        equal(number(row[0]), common, f"{where}: cases of {name} in Figure 4")
        for column, place in enumerate([1, 2, 3, 6, 7, 8]):
            near(number(row[place]), expected[name][column], f"{where}: Figure 4, {name}, column {place}")
    bars = page.evaluate("[...document.querySelectorAll('#figure-4-transitions .bar')]"
                         ".map((one) => [one.dataset.name, 100 * one.dataset.value])")
    equal([name for name, _ in bars], SIX, f"{where}: bars")
    for name, value in bars:
        near(value, expected[name][1], f"{where}: the bar of {name}", 1e-6)
    ordered = [expected[name][1] for name in SIX]
    says = "is the paper's" if ordered == sorted(ordered) else "is not the paper's"
    finding(page, comparison, places, says, common, expected, where)


def finding(page, comparison, places, says, common, expected, where):
    """The sentences that the page begins with."""
    said = text(page, "#finding").replace("\u202f", "")
    check(f"The order by transitions {says}" in said, f"{where}: it is not said that the order {says}: {said}")
    check(f"Over {common} case" in said, f"{where}: not over {common} cases: {said}")
    transitions = {name: expected[name][1] for name in SIX}
    for word, value in [("fewest transitions, ", min(transitions.values())), ("most, ", max(transitions.values()))]:
        found = re.search(word + r"([\d.]+)%", said)
        near(float(found[1]) if found else None, value, f"{where}: {word} in: {said}")
    quickest = min(SIX, key=lambda name: expected[name][0])
    check(f"By the clock {quickest} is the quickest" in said, f"{where}: {quickest} is the quickest: {said}")
    wrong = sum(not comparison.cases[place]["agreed"] for place in places)
    agree = f"in {wrong} case" if wrong else "agree"
    check(agree in said.split(". ")[0], f"{where}: {agree!r} is not said: {said}")


FILTERS = [
    ({"counting": False}, {"counting": False}),
    ({"text": "ELEVATOR"}, {"text": "elevator"}),
    ({"verdict": "holds"}, {"verdict": "holds"}),
    ({"verdict": "violated"}, {"verdict": "violated"}),
    ({"strength": "weak"}, {"strength": "weak"}),
    ({"strength": "strong"}, {"strength": "strong"}),
    ({"states": "5000"}, {"states": 5000}),
    ({"text": "cs0", "verdict": "holds"}, {"text": "cs0", "verdict": "holds"}),
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
            for name, value in fields.items():
                field = f"document.querySelector('#filters [name={name}]')"
                found = other.evaluate(f"{field}.type === 'checkbox' ? {field}.checked : {field}.value")
                equal(found, value, f"#{fragment}: the field")
        page.evaluate("document.getElementById('reset').click()")
        equal(page.evaluate("location.hash"), "", f"{fields}: the fragment after a reset")
    figures(page, comparison, everything, "after a reset")
    # A link to the same page with another fragment.
    page.evaluate("location.hash = 'verdict=holds'")
    time.sleep(0.3)
    figures(page, comparison, comparison.chosen(verdict="holds"), "after a change of the fragment")
    set_filter(page, "text", "no case is called so")
    equal(text(page, "#count").split(" ")[0], "0", "cases of a name that there is not")
    check(not MISTAKES.search(page.evaluate("document.body.innerText")), "a page without cases makes mistakes")


def choices(page, comparison, file):
    """The selects of the plots and of the runs, and the legend."""
    page.open(file)
    places = comparison.chosen()
    for x, y in [("lasso", "gv"), ("c99", "sd"), ("ascc generalised", "ascc")]:
        choose(page, "x", x)
        choose(page, "y", y)
        inside, border = comparison.pair(places, x, y)
        equal(sum(points(page, "pair-plot").values()), inside + border, f"points of {y} against {x}")
        drawn = page.evaluate("document.querySelectorAll('#pair-plot .border').length > 0")
        equal(drawn, border > 0, f"a border for limits, {y} against {x}")
        fragment = urllib.parse.parse_qs(page.evaluate("location.hash.slice(1)"))
        equal(fragment.get("x"), [x], "the fragment's x")
    for measure in ["seconds", "states", "memory"]:
        choose(page, "by", measure)
        equal(sum(points(page, "pair-plot").values()), inside + border, f"points by {measure}")
    choose(page, "configuration", "sd")
    choose(page, "outcome", "refused")
    show_all(page, "runs-table")
    refused = [comparison.cases[place]["name"] for place in places
               if comparison.by[place, "sd"]["verdict"] == "refused"]
    equal([row[0] for row in cells(page, "runs-table")], refused, "runs of sd that were refused")


def legends(page, comparison, file):
    """Six configurations at first, the others by choice, with the keyboard alone."""
    plots = {"solved": "solved-plot", "on-the-fly": "work-on-the-fly-plot", "precomputed": "work-precomputed-plot",
             "memory": "memory-plot"}
    page.open(file)
    numbers = page.evaluate("document.getElementById('work-table').textContent")
    for name, plot in plots.items():
        first = comparison.drawn_at_first("precomputed" if name == "precomputed" else "on-the-fly")
        equal(list(points(page, plot)), first, f"{plot}: at first")
    # Behind a button are the others.
    more = "drawn-solved-more"
    equal(page.evaluate(f"document.getElementById('{more}').parentElement.open"), False, "the others are shown")
    page.press(more, "Enter")
    equal(page.evaluate(f"document.getElementById('{more}').parentElement.open"), True, "the others are shown")
    place = comparison.names.index("gmz")
    page.press(f"drawn-solved-{place}", " ")
    equal(sorted(points(page, "solved-plot")), sorted([*SIX, "gmz"]), "after gmz is chosen")
    equal(page.evaluate("document.activeElement.id"), f"drawn-solved-{place}", "the focus after a choice")
    equal(page.evaluate(f"document.activeElement.getAttribute('aria-pressed')"), "true", "gmz is pressed")
    equal(page.evaluate(f"document.getElementById('{more}').parentElement.open"), True, "the others stay shown")
    equal(list(points(page, "memory-plot")), comparison.drawn_at_first("on-the-fly"), "another plot after the choice")
    # The address shows the same.
    with page.browser.page() as other:
        other.open(file, page.evaluate("location.hash.slice(1)"))
        equal(sorted(points(other, "solved-plot")), sorted([*SIX, "gmz"]), "gmz in a page that is opened anew")
    page.press(f"drawn-solved-{place}", "Enter")
    equal(sorted(points(page, "solved-plot")), sorted(SIX), "after gmz is taken back")
    equal(page.evaluate("location.hash"), "", "the fragment after gmz is taken back")
    for name in ["solved", "on-the-fly", "memory"]:
        page.evaluate(f"document.getElementById('drawn-{name}-more').parentElement.open = true")
        page.press(f"drawn-{name}-all", "Enter")
    equal(points(page, "solved-plot", "V"), comparison.solved(comparison.chosen()), "all configurations")
    everything = comparison.work(comparison.chosen(), "on-the-fly")
    equal(sum(points(page, "work-on-the-fly-plot").values()), len(everything), "points of all configurations")
    flying = [one["name"] for one in comparison.configurations if one["product"] == "on-the-fly"]
    equal(sum(points(page, "memory-plot").values()), comparison.memory(comparison.chosen(), flying),
          "points of memory of all configurations")
    equal(page.evaluate("document.getElementById('work-table').textContent"), numbers, "numbers follow no choice")
    for place in range(len(comparison.names)):
        page.press(f"drawn-solved-{place}", "Enter")
    equal(points(page, "solved-plot"), {}, "no configuration is chosen")
    check(not MISTAKES.search(page.evaluate("document.body.innerText")), "a plot of nothing makes mistakes")
    page.press("drawn-solved-first", "Enter")
    equal(sorted(points(page, "solved-plot")), sorted(SIX), "the first again")


SORTED = {"table-1-nested-table": [0, 1, 5], "runs-table": [1, 3, 7], "extremes-table": [4, 6], "figure-4-table": [2]}


def sorting(page, comparison, file):
    page.open(file)
    for table, columns in SORTED.items():
        show_all(page, table)
        for column in columns:
            head = f"document.querySelectorAll('#{table} thead tr:last-child th')[{column}]"
            orders = []
            for _ in range(2):
                page.evaluate(f"{head}.querySelector('button').click()")
                orders.append(page.evaluate(f"{head}.getAttribute('aria-sort')"))
                is_sorted(page, [row[column] for row in cells(page, table)], orders[-1], f"{table}, column {column}")
            equal(sorted(orders), ["ascending", "descending"], f"{table}, column {column}: directions")
    equal(page.evaluate("document.querySelectorAll('#runs-table [aria-sort$=ending]').length"), 1,
          "columns by which a table is sorted")
    # The order stays when a filter changes.
    before = text(page, "#runs-table [aria-sort$=ending]")
    set_filter(page, "verdict", "holds")
    equal(text(page, "#runs-table [aria-sort$=ending]"), before, "the order after a filter")


def is_sorted(page, shown, order, where):
    check(len(set(shown)) > 1, f"{where}: nothing to sort")
    there = [value for value in shown if value != "–"]
    check("–" not in shown[:len(there)], f"{where}: dashes are not last")
    values = [number(value) for value in there]
    if None not in values:
        equal(values, sorted(values, reverse=order == "descending"), f"{where}, {order}")
        return
    # Words: the browser knows their order.
    sign = 1 if order == "ascending" else -1
    compare = f"all[i - 1].localeCompare(word, 'en', {{ numeric: true }}) * {sign} <= 0"
    in_order = page.evaluate(f"{json.dumps(there)}.every((word, i, all) => !i || {compare})")
    check(in_order, f"{where}, {order}: not sorted")


def contents(page, comparison, file):
    """What must be seen of the odd things in the fixture, and of single runs."""
    page.open(file)
    alarm = text(page, "#alarm")
    for case in comparison.cases:
        check(case["agreed"] or case["name"] in alarm, f"no alarm for {case['name']}")
    odd = [case["name"] for case in comparison.cases if "</script>" in case["name"]]
    check(odd and odd[0] in page.evaluate("document.body.innerText"), "an odd name is not shown as it is")
    show_all(page, "runs-table")
    rows = cells(page, "runs-table")
    equal(len(rows), sum(run["case"] in comparison.chosen() for run in comparison.runs), "rows of all runs")
    commands = {row[-1].removeprefix("copy") for row in rows}
    for run in comparison.runs:
        case, configuration = comparison.cases[run["case"]], comparison.configurations[run["configuration"]]
        if case["counts"]:
            command = f"lariat check {case['arguments']} {configuration['options']}"
            check(command in commands, f"no command for {run}")
    near(number(cells(page, "extremes-table")[0][6]), comparison.greatest_ratio(), "the greatest ratio", 0.0051)
    caption = text(page, "#work-statistics figcaption")
    check(re.search(r"only read, .* of the time .*, and the correlation is 0\.\d+ instead of 0\.\d+", caption),
          f"the difference between the products: {caption}")
    # Points can be read with the keyboard.
    page.evaluate("document.getElementById('pair-plot')"
                  ".dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }))")
    tip = text(page, "#pair .tip")
    check(any(case["name"] in tip for case in comparison.cases) and "hpy: " in tip, f"a point says {tip!r}")


def narrow(page, comparison, file):
    """On a telephone tables are wider than the window; that what is tested of them is tested at all."""
    page.resize(390, 844)
    page.open(file)
    check(first_column(page, "390 px") > 5, "no table is scrolled at 390 px")


def tables(page, comparison, file):
    """Tables whose numbers are read off the runs, or computed from few of them."""
    page.open(file)
    places = comparison.chosen()
    outcomes(page, comparison, places)
    table_1(page, comparison, places)
    effects(page, comparison, [place for place in places if comparison.cases[place]["verdict"]])
    sets(page, comparison, places)
    for row in cells(page, "memory-table"):
        runs = [run for place in places if (run := comparison.finished(place, row[0]))]
        equal(number(row[1]), len(runs), f"runs of {row[0]} whose memory is known")
        for column, field in [(2, "auxiliary_bytes"), (3, "descriptor_bytes")]:
            middle = statistics.median(run[field] / run["stored"] for run in runs)
            near(number(row[column]), middle, f"median of {field} of {row[0]}", 0.005 * middle)


def outcomes(page, comparison, places):
    rows = {row[0]: [number(cell) for cell in row[1:7]] for row in cells(page, "outcomes-table")}
    equal(list(rows), comparison.names, "configurations")
    for name, row in rows.items():
        verdicts = [run["verdict"] for place in places if (run := comparison.by.get((place, name)))]
        expected = [verdicts.count(verdict) for verdict in ["holds", "violated", "unknown", "refused", "error"]]
        equal(row, [len(verdicts), *expected], f"outcomes of {name}")


def table_1(page, comparison, places):
    by_name = {comparison.cases[place]["name"]: place for place in places}
    kinds = [
        ("table-1-nested-table", "violated",
         [(name, field) for name in ("hpy", "gmz", "se") for field in ("visited", "transitions", "depth")]),
        ("table-1-components-table", "violated",
         [("c99", "visited"), ("c99", "transitions"), ("c99", "depth"), ("c99", "roots"),
          ("gv", "visited"), ("gv", "transitions"), ("gv", "depth"), ("gv", "active")]),
        ("table-1-holds-table", "holds",
         [("hpy", "visited"), ("hpy", "depth"),
          *((name, "transitions") for name in ("hpy", "gmz", "se", "c99", "gv")), ("c99", "roots"), ("gv", "active")]),
    ]
    for table, verdict, fields in kinds:
        show_all(page, table)
        rows = cells(page, table)
        some = [place for place in places if comparison.cases[place]["verdict"] == verdict
                and any(comparison.finished(place, name) for name, _ in fields)]
        equal(len(rows), len(some), f"rows of {table}")
        for row in rows:
            place = by_name[row[0]]
            if sum(case["name"] == row[0] for case in comparison.cases) > 1:
                continue  # two cases of one name: it is not known which this is
            for cell, (name, field) in zip(row[1:], fields):
                run = comparison.finished(place, name)
                equal(number(cell), run[field] if run else None, f"{table}, {row[0]}, {field} of {name}")


def effects(page, comparison, places):
    rows = cells(page, "effects-table")
    kinds = ["accepting_trivial", "not_preceded_by_accepting", "not_preceded_by_accepting_cyclic"]
    for line, effect in enumerate(kinds):
        known = [place for place in places if comparison.cases[place]["effects"]]
        have = [place for place in known if comparison.cases[place]["effects"][effect] > 0]
        equal([number(rows[2 * line][1]), number(rows[2 * line + 1][1])], [len(have), len(known) - len(have)], effect)
        common = comparison.common(have, SIX)
        sums = [sum(comparison.by[place, name]["transitions"] for place in common) for name in ("c99", "ascc")]
        near(number(rows[2 * line][11]), sums[0] / sums[1], f"{effect}: transitions of c99", 0.0051)
    found = [(comparison.finished(place, "se"), comparison.finished(place, "hpy")) for place in places
             if comparison.cases[place]["verdict"] == "violated"]
    for line, nested in [(6, False), (8, True)]:
        expected = sum(bool(se and hpy and hpy["found_nested"] and se["found_nested"] == nested) for se, hpy in found)
        equal(number(rows[line][1]), expected, f"cycles that hpy found nested and se {'too' if nested else 'not'}")


def sets(page, comparison, places):
    rows = cells(page, "sets-table")
    equal([row[0] for row in rows[::2]], ["ascc generalised", "c99 generalised"], "generalised configurations")
    for line, row in enumerate(rows):
        names = [row[0], row[0].removesuffix(" generalised")]
        common = comparison.common(places, names)
        if line % 2:
            common = [place for place in common if comparison.cases[place]["generalised"]["sets"] > 1]
        equal(number(row[2]), len(common), f"{row[0]}, {row[1]}: cases")
        for column, field in enumerate(["visited", "transitions", "seconds"], 3):
            general, plain = (sum(comparison.by[place, name][field] for place in common) for name in names)
            near(number(row[column]), 100 * general / plain, f"{row[0]}, {row[1]}: {field}")
        pairs = [[comparison.by[place, name]["transitions"] for name in names] for place in common]
        wins = [sum(a < b for a, b in pairs), sum(a == b for a, b in pairs), sum(a > b for a, b in pairs)]
        equal([number(cell) for cell in row[9:12]], wins, f"{row[0]}, {row[1]}: wins")


PARTS = [filters, choices, legends, sorting, contents, narrow, tables]
