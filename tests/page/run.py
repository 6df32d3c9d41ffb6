#!/usr/bin/env python3
"""Tests the page of a run in a headless browser: run.py LARIAT

The pages are made by `lariat check --html`, and what they show is compared, step by step, with what the same command
says in JSON. Every failure is told, not only the first.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

from any_page import CONTRAST
from browser import Browser
from checks import check, equal, failures, text

MODELS = pathlib.Path(__file__).parent / "models"
SECONDS_TO_PAINT = 2


def made(lariat, directory, model, *options):
    page = pathlib.Path(directory) / f"{model}.html"
    command = [lariat, "check", model, *options, "--format", "json", "--html", str(page)]
    done = subprocess.run(command, cwd=MODELS, capture_output=True, text=True, check=False)
    equal(done.returncode, 1, f"{model}: exit code, {done.stderr}")
    return page, json.loads(done.stdout)["counterexample"]


def key(page, name):
    codes = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, " ": 32}
    for kind in ["keyDown", "keyUp"]:
        page.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name if name != " " else "Space",
                 windowsVirtualKeyCode=codes[name], **({"text": " "} if name == " " and kind == "keyDown" else {}))


def at(page):
    return page.evaluate("Number(document.getElementById('slider').value)")


def cell(page, table, row):
    """What stands in a row at the current step."""
    return page.evaluate(f"""(() => {{
      const table = document.getElementById({table!r});
      const here = [...table.tHead.rows[0].cells].findIndex((one) => one.classList.contains("here"));
      const row = [...table.tBodies[0].rows].find((one) => one.cells[0].textContent === {row!r});
      return row ? row.cells[here].textContent : null;
    }})()""")


def follows_the_run(page, file, run):
    """Step by step with the keys: statement, source line, variables, propositions, automaton."""
    page.open(file)
    equal(text(page, "#why"), run["why"]["text"], "why")
    steps = run["prefix"] + run["cycle"]
    truth = dict.fromkeys(run["propositions"]["initially_true"], "true")
    truth |= dict.fromkeys(run["propositions"]["initially_false"], "false")
    moves = run.get("automaton")
    check(moves is None, "the automaton is for the page only")
    for k, step in enumerate(steps, 1):
        key(page, "ArrowRight")
        where = f"step {k}"
        equal(at(page), k, f"{where}: the slider")
        check(text(page, "#count").startswith(f"step {k} of {len(steps)}"), f"{where}: {text(page, '#count')}")
        check(step["statement"] in text(page, "#now"), f"{where}: {text(page, '#now')}")
        line = page.evaluate("[...document.querySelectorAll('#source div')].findIndex((one) => one.classList.contains('now')) + 1")
        equal(line, step["line"], f"{where}: the line of the source")
        for change in step["changes"]:
            equal(cell(page, "lanes", change["name"]), change["value"], f"{where}: {change['name']}")
        truth |= dict.fromkeys(step.get("becomes_true", []), "true") | dict.fromkeys(step.get("becomes_false", []), "false")
        for name, value in truth.items():
            equal(cell(page, "truth", name), value, f"{where}: {name}")
        idle = page.evaluate("document.querySelector('#steps .row.here').classList.contains('idle')")
        equal(idle, k in run.get("without_influence", []), f"{where}: influence")
        equal(page.evaluate("document.querySelectorAll('#automaton circle.now-band').length"), 1, f"{where}: automaton")
    # Behind the last step the cycle begins again.
    key(page, "ArrowRight")
    equal(at(page), len(run["prefix"]) + 1, "behind the last step")
    key(page, "ArrowLeft")
    equal(at(page), len(run["prefix"]), "back")


def can_be_used(page, file, run):
    """Slider, clicks, links, play, filter."""
    count = len(run["prefix"]) + len(run["cycle"])
    page.open(file, "step=5")
    equal(at(page), 5, "a link to a step")
    page.evaluate("location.hash = '#step=7'")
    page.wait("document.getElementById('slider').value === '7'")
    equal(page.evaluate("document.getElementById('link').getAttribute('href')"), "#step=7", "the link")
    page.evaluate("(() => { const s = document.getElementById('slider'); s.value = 3; s.dispatchEvent(new Event('input')); })()")
    check(text(page, "#count").startswith("step 3 "), "the slider moves the run")
    page.evaluate("[...document.querySelectorAll('#steps .row')].find((one) => one.textContent.includes('     9  ')).click()")
    equal(at(page), 9, "a click on a step")
    page.evaluate("document.querySelector('#chart g[data-step=\"2\"]').dispatchEvent(new Event('click', {bubbles: true}))")
    equal(at(page), 2, "a click in the chart")
    box = page.evaluate("(() => { const b = document.getElementById('timeline').getBoundingClientRect(); return [b.left, b.top, b.width]; })()")
    for kind in ["mousePressed", "mouseReleased"]:
        page.ask("Input.dispatchMouseEvent", type=kind, x=box[0] + box[2] - 9, y=box[1] + 30, button="left", clickCount=1)
    equal(at(page), count, "a click at the end of the timeline")
    key(page, "Home")
    equal(at(page), 0, "Home")
    key(page, "End")
    equal(at(page), count, "End")
    key(page, "Home")
    key(page, " ")
    equal(text(page, "#play"), "stop", "space plays")
    page.wait("Number(document.getElementById('slider').value) >= 2")
    page.evaluate("document.getElementById('play').click()")
    equal(text(page, "#play"), "play", "a click stops")
    page.evaluate("(() => { const f = document.getElementById('filter'); f.value = 'SHELF'; f.dispatchEvent(new Event('input')); })()")
    names = page.evaluate("[...document.querySelectorAll('#lanes tbody tr')].map((row) => row.cells[0].textContent)")
    equal(names, ["shelf", "queue 2 (shelf)"], "the filter")
    page.open(file, "step=9")
    equal(page.evaluate("document.querySelectorAll('#chart .message').length"), 2, "a handshake and a message")
    cycle = page.evaluate("document.querySelectorAll('#timeline .cycle').length")
    equal(cycle, 1, "the cycle on the timeline")


def is_harmless(page, file):
    page.open(file)
    check("violated" in page.evaluate("document.title"), "the title is the verdict")
    equal(page.evaluate("document.querySelectorAll('img, iframe, object').length"), 0, "markup from the model")
    check("</script><script>" in text(page, "#source"), "the text of the model is there as it is")
    key(page, "End")
    check("</script>" in text(page, "#now"), "and so are its statements")


def looks(browser, file):
    for dark in [False, True]:
        for width in [1280, 390]:
            with browser.page(width, dark=dark) as page:
                page.open(file, "step=6")
                where = f"{'dark' if dark else 'light'}, {width} px"
                wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                check(wider <= 0, f"{where}: the page is {wider} px wider than the window")
                found = page.evaluate(CONTRAST)
                check(found["contrast"] >= 4.5, f"{where}: contrast {found['contrast']:.2f} at {found['where']}")
                check((found["paper"] < 0.2) == dark, f"{where}: brightness {found['paper']:.2f}")
                equal(page.complaints(), [], f"{where}: complaints")
                asked = [url.split("#")[0] for url in page.requests() if not url.startswith(("data:", "about:"))]
                equal(set(asked), {pathlib.Path(file).resolve().as_uri()}, f"{where}: requests")


def is_quick(page, file, run):
    page.open(file)
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    ready = page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart")
    check(ready < 1000 * SECONDS_TO_PAINT and painted < 1000 * SECONDS_TO_PAINT, f"painted after {painted} ms, ready after {ready} ms")
    count = len(run["prefix"])
    check(count > 100_000, f"only {count} steps")
    start = time.monotonic()
    key(page, "End")
    equal(at(page), count, "the end of a long run")
    check(time.monotonic() - start < 1, "a jump takes long")
    equal(cell(page, "lanes", "n"), "50000", "a variable at the end of a long run")
    drawn = page.evaluate("document.querySelectorAll('*').length")
    check(drawn < 5000, f"{drawn} elements for a long run")


def odd_runs(browser, lariat, directory):
    """A run without steps shows the source; in DVE two processes meet in one step, and buffers have messages."""
    reports = MODELS.parent.parent / "reports"
    pages = [
        ("still.pml", [], "no process moves", "byte x = 1;", 0),
        ("claims.pml", ["--property", "ends"], "P(0)", "never ends {", 0),
        ("meeting.dve", ["--ltl", "!F (Police->seen == 3 && passed == 2)", "--finite-runs", "stutter", "--no-reduce"],
         "Police(2)", "process Car {", 3),
    ]
    for name, options, told, line, messages in pages:
        file = pathlib.Path(directory) / f"{name}.html"
        command = [lariat, "check", name, *options, "--html", str(file)]
        done = subprocess.run(command, cwd=reports, capture_output=True, text=True, check=False)
        equal(done.returncode, 1, f"{name}: exit code, {done.stderr}")
        with browser.page() as page:
            page.open(file)
            key(page, "End")
            check(told in text(page, "#chart"), f"{name}: {told} is in the chart")
            check(line in text(page, "#source"), f"{name}: the source is there")
            equal(page.evaluate("document.querySelectorAll('#chart .message').length"), messages, f"{name}: messages")
            behind = page.evaluate("""[...document.querySelectorAll('#chart .message')].every((line) =>
              [...document.querySelectorAll('#chart g text')].every((one) =>
                line.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING))""")
            check(behind, f"{name}: text stands in front of the messages")
            if name == "claims.pml":
                equal([cell(page, "truth", row) for row in ["asked", "x==2"]], ["true", "true"], "what a claim reads")
            check("NaN" not in page.evaluate("document.body.innerHTML"), f"{name}: a place is no number")
            equal(page.complaints(), [], f"{name}: complaints")


def main():
    lariat = str(pathlib.Path(sys.argv[1]).resolve())
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as directory, Browser() as browser:
        try:
            file, run = made(lariat, directory, "waiting.pml", "--property", "given_some_day")
            for part in [follows_the_run, can_be_used]:
                with browser.page() as page:
                    part(page, file, run)
                    equal(page.complaints(), [], f"complaints, {part.__name__}")
            with browser.page() as page:
                is_harmless(page, file)
            looks(browser, file)
            odd_runs(browser, lariat, directory)
            file, run = made(lariat, directory, "long.pml", "--safety", "--as-found")
            with browser.page() as page:
                is_quick(page, file, run)
                equal(page.complaints(), [], "complaints, a long run")
        except (RuntimeError, TimeoutError) as broken:
            check(False, broken)
    print(f"pages of runs: {len(failures)} failures, {time.monotonic() - start:.1f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
