#!/usr/bin/env python3
"""Tests the page of a search in a headless browser: watch.py LARIAT

The pages are made by `lariat watch --html`, and what they show is compared, step by step, with what the same command
says as text. Every failure is told, not only the first.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

from any_page import CONTRAST
from browser import Browser
from checks import check, equal, failures, text

MODELS = pathlib.Path(__file__).parent / "models"
SECONDS_TO_PAINT = 2
CODES = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, " ": 32, "n": 78, "p": 80}


def made(lariat, directory, name, *options):
    """A page, and for each of its searches the steps as text: the line that runs, and the sentence."""
    page = pathlib.Path(directory) / f"{name}.html"
    subprocess.run([lariat, "watch", *options, "--html", str(page)], cwd=MODELS, capture_output=True, check=False)
    told = subprocess.run([lariat, "watch", *options], cwd=MODELS, capture_output=True, text=True, check=False)
    check(told.returncode in (0, 1), f"{name}: exit code {told.returncode}, {told.stderr}")
    runs = []
    for line in told.stdout.splitlines():
        if line.startswith(("empty", "not empty")):
            counted = [int(one) for one in re.findall(r"(\d+) (?:states? visited|calls? of|arcs?)", line)]
            runs.append({"steps": [], "counted": counted, "listed": False})
        elif line == "step  line":
            runs[-1]["listed"] = True
        elif runs and runs[-1]["listed"] and (row := re.match(r" *(\d+) +(\d+|–)  (.*)", line)):
            runs[-1]["steps"].append((row[2], row[3]))
    return page, runs


EVIL = """HOA: v1
name: "</script><script>document.title = 'broken: '</script><img src=x onerror='broken()'>"
States: 2
Start: 0
AP: 1 "</script><img src=x onerror='broken()'>"
acc-name: Buchi
Acceptance: 1 Inf(0)
--BODY--
State: 0
[0] 1
State: 1 {0}
[!0] 0
--END--
"""


def key(page, name):
    for kind in ["keyDown", "keyUp"]:
        said = {"text": name} if len(name) == 1 and kind == "keyDown" else {}
        page.ask("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=CODES[name], **said)


def at(page, number=0):
    return page.evaluate(f"Number(document.querySelectorAll('.own input')[{number}].value)")


# Of each search the sentence, the lines that run, from 1 on, the counters, and how many states are drawn; and
# a number
# that is another one if anything on the page looks otherwise.
SHOWN = """(() => {
  const runs = [...document.querySelectorAll('.run')].map((run) => [run.querySelector('.said').textContent,
    [...run.querySelectorAll('.code div')].flatMap((line, k) => (line.className === 'now' ? [k + 1] : [])),
    [...run.querySelectorAll('.counters span')].map((one) => Number(one.textContent.split(': ')[1])),
    run.querySelectorAll('.state:not([hidden])').length]);
  let sum = 0;
  for (const letter of document.getElementById('runs').innerHTML) sum = (sum * 31 + letter.codePointAt(0)) % 4294967291;
  return { runs, sum };
})()"""


def shown(page, number=0):
    return page.evaluate(SHOWN)["runs"][number]


PLACES = "[...document.querySelectorAll('.run circle, .run path')].map((one) => one.getAttribute('cx') + one.getAttribute('cy') + one.getAttribute('d')).join()"


def follows_the_search(page, file, runs):
    """Step by step with the keys, to the end and back: sentences, lines, counters; and nothing moves."""
    page.open(file)
    places = page.evaluate(PLACES)
    longest = max(len(run["steps"]) for run in runs)
    seen = []
    drawn = [0] * len(runs)
    for k in range(longest):
        now = page.evaluate(SHOWN)
        seen.append(now["sum"])
        for number, (run, (said, lines, _, states)) in enumerate(zip(runs, now["runs"])):
            line, sentence = run["steps"][min(k, len(run["steps"]) - 1)]
            equal(said, sentence, f"{file.name}, step {k} of run {number}")
            check(line == "–" or int(line) in lines, f"{file.name}, step {k}: lines {lines}, expected {line}")
            check(states >= drawn[number], f"{file.name}, step {k}: {states} states after {drawn[number]}")
            drawn[number] = states
        key(page, "ArrowRight")
    for number, run in enumerate(runs):
        equal(shown(page, number)[2][:3], run["counted"], f"{file.name}: counters of run {number}")
    equal(page.evaluate(PLACES), places, f"{file.name}: where everything is")
    for k in reversed(range(longest - 1)):
        key(page, "ArrowLeft")
        equal(page.evaluate(SHOWN)["sum"], seen[k], f"{file.name}: step {k} on the way back")


def choose_kind(page, kind):
    page.evaluate(f"(() => {{ const k = document.getElementById('kind'); k.value = [...k.options].find((one) => one.textContent === {kind!r}).value; }})()")


def can_be_used(page, file, runs):
    """Slider, links, play, kinds, one search."""
    last = len(runs[0]["steps"]) - 1
    page.open(file, "step=5")
    equal(at(page), 5, "a link to a step")
    page.evaluate("location.hash = '#step=7'")
    page.wait("document.getElementById('slider').value === '7'")
    equal(page.evaluate("document.getElementById('link').getAttribute('href')"), "#step=7", "the link")
    page.evaluate("(() => { const s = document.getElementById('slider'); s.value = 3; s.dispatchEvent(new Event('input')); })()")
    equal((at(page), text(page, "#count")), (3, f"step 3 of {last}"), "the slider")
    key(page, "End")
    equal(at(page), last, "End")
    key(page, "ArrowRight")
    equal(at(page), last, "behind the end")
    key(page, "Home")
    equal(at(page), 0, "Home")
    for name, expected in [("forward", 1), ("last", last), ("back", last - 1), ("first", 0)]:
        page.evaluate(f"document.getElementById({name!r}).click()")
        equal(at(page), expected, f"the button {name}")
    page.evaluate("document.activeElement.blur()")
    kinds = page.evaluate("[...document.querySelectorAll('#kind option')].map((one) => one.textContent)")
    check("a nested search begins" in kinds and "components become one" not in kinds, f"kinds: {kinds}")
    choose_kind(page, "a nested search begins")
    starts = [k for k, (_, sentence) in enumerate(runs[0]["steps"]) if "the red search starts" in sentence]
    equal(len(starts), 2, "nested searches of the slides")
    for expected in starts + starts[-1:]:
        key(page, "n")
        equal(at(page), expected, "n")
    key(page, "p")
    equal(at(page), starts[0], "p")
    page.evaluate("document.getElementById('next-of-kind').click()")
    equal(at(page), starts[1], "the button for the next one")
    page.evaluate("document.getElementById('previous-of-kind').click()")
    equal(at(page), starts[0], "the button for the one before")
    page.evaluate("document.activeElement.blur()")
    key(page, "Home")
    key(page, " ")
    equal(text(page, "#play"), "stop", "space plays")
    page.wait("Number(document.getElementById('slider').value) >= 2")
    page.evaluate("document.getElementById('play').click()")
    equal(text(page, "#play"), "play", "a click stops")
    equal(page.evaluate("document.getElementById('together-part').hidden"), True, "one search is always in step")


def two_at_their_own_pace(page, file, runs):
    lasts = [len(run["steps"]) - 1 for run in runs]
    page.open(file, "step=4")
    places = page.evaluate("[...document.querySelectorAll('.run')].map((run) => [...run.querySelectorAll('circle')].map((one) => one.getAttribute('cx') + ',' + one.getAttribute('cy')).join())")
    equal(places[0], places[1], "where both draw the states")
    equal((at(page, 0), at(page, 1)), (4, 4), "in step")
    key(page, "End")
    equal((at(page, 0), at(page, 1)), tuple(lasts), "each at its own end")
    key(page, "Home")
    choose_kind(page, "an accepting run is found")
    first, last = sorted(lasts)
    key(page, "n")
    equal(max(at(page, 0), at(page, 1)), first, "in step, the nearest of both")
    key(page, "n")
    equal(max(at(page, 0), at(page, 1)), last, "then that of the other")
    key(page, "Home")
    page.evaluate("document.getElementById('together').click()")
    page.evaluate("document.activeElement.blur()")
    page.evaluate("document.querySelectorAll('.own')[1].querySelectorAll('button')[1].click()")
    equal((at(page, 0), at(page, 1)), (0, 1), "the second alone")
    page.evaluate("document.activeElement.blur()")
    key(page, "End")
    equal((at(page, 0), at(page, 1)), (0, lasts[1]), "keys move the one that was chosen")
    page.evaluate("document.querySelectorAll('.run')[0].dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))")
    key(page, "ArrowRight")
    equal((at(page, 0), at(page, 1)), (1, lasts[1]), "a click chooses the other")
    equal(page.evaluate("document.getElementById('link').getAttribute('href')"), f"#step=1,{lasts[1]}", "a link to both")
    page.open(file, "step=3,6")
    equal((at(page, 0), at(page, 1)), (3, 6), "from a link")


def is_harmless(page, file):
    page.open(file)
    equal(page.evaluate("document.querySelectorAll('img, iframe, object').length"), 0, "markup from the model")
    titles = page.evaluate("[...document.querySelectorAll('.state title')].map((one) => one.textContent).join()")
    check("</script>" in titles, "the names of the automaton are there as they are")
    check("</script>" in text(page, "#title"), "and so is its title")
    check("broken" not in page.evaluate("document.title").split(":")[0], "nothing of it has run")
    equal(page.complaints(), [], "complaints, names that look like markup")


def looks(browser, file):
    for dark in [False, True]:
        for width in [1280, 390]:
            with browser.page(width, dark=dark) as page:
                page.open(file, "step=20")
                where = f"{file.name}, {'dark' if dark else 'light'}, {width} px"
                wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                check(wider <= 0, f"{where}: the page is {wider} px wider than the window")
                found = page.evaluate(CONTRAST)
                check(found["contrast"] >= 4.5, f"{where}: contrast {found['contrast']:.2f} at {found['where']}")
                check((found["paper"] < 0.2) == dark, f"{where}: brightness {found['paper']:.2f}")
                fills = page.evaluate(FILLS)
                check(fills >= 4.5, f"{where}: contrast of a name with its circle {fills:.2f}")
                equal(page.complaints(), [], f"{where}: complaints")
                asked = [url.split("#")[0] for url in page.requests() if not url.startswith(("data:", "about:"))]
                equal(set(asked), {pathlib.Path(file).resolve().as_uri()}, f"{where}: requests")


# The worst contrast of the name of a state with the circle that it stands in, whichever fill the circle has.
FILLS = """(() => {
  const channel = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
  const state = document.querySelector('.state'), ink = light(getComputedStyle(state.querySelector('text')).fill);
  const body = state.querySelector('circle:nth-of-type(4)'), was = body.getAttribute('class');
  const worst = ['white', 'cyan', 'blue', 'red', 'black', 'current', 'complete', 'waiting', 'visited'].map((fill) => {
    body.setAttribute('class', fill);
    const paper = light(getComputedStyle(body).fill);
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  });
  body.setAttribute('class', was);
  return Math.min(...worst);
})()"""


def is_quick(page, file, runs):
    page.open(file)
    ready = page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart")
    check(ready < 1000 * SECONDS_TO_PAINT, f"a long search is ready after {ready} ms")
    last = len(runs[0]["steps"]) - 1
    check(last > 5000, f"only {last} steps")
    start = time.monotonic()
    key(page, "End")
    equal(at(page), last, "the end of a long search")
    check(time.monotonic() - start < 1, "a jump takes long")
    key(page, "ArrowLeft")
    equal(shown(page)[0], runs[0]["steps"][last - 1][1], "one step back from the end")
    check("are not drawn" in text(page, "#not-drawn"), "what is not drawn is said")
    equal(page.evaluate("document.getElementById('not-drawn').hidden"), False, "and shown")


def main():
    lariat = str(pathlib.Path(sys.argv[1]).resolve())
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as directory, Browser() as browser:
        try:
            slides, steps = made(lariat, directory, "slides", "--example", "slides", "--algorithm", "cvwy")
            two, both = made(lariat, directory, "two", "--example", "components-win", "--algorithm", "se", "--with", "ascc")
            pages = [(slides, steps, follows_the_search), (slides, steps, can_be_used), (two, both, two_at_their_own_pace)]
            for example, name in [("two-sets-apart", "tau"), ("slides-components", "c99"), ("weak", "reach"), ("three-sets", "cvwy-gen")]:
                file, run = made(lariat, directory, name, "--example", example, "--algorithm", name)
                pages.append((file, run, follows_the_search))
            model, run = made(lariat, directory, "model", "waiting.pml", "--algorithm", "and", "--with", "gv")
            pages.append((model, run, follows_the_search))
            fair, run = made(lariat, directory, "fair", "waiting.pml", "--algorithm", "streett", "--fair", "strong")
            pages.append((fair, run, follows_the_search))
            evil = pathlib.Path(directory) / "evil.hoa"
            evil.write_text(EVIL)
            evil, _ = made(lariat, directory, "evil", str(evil), "--algorithm", "se")
            for file, run, part in pages:
                with browser.page() as page:
                    part(page, file, run)
                    equal(page.complaints(), [], f"complaints, {file.name}, {part.__name__}")
            with browser.page() as page:
                is_harmless(page, evil)
            for file in [slides, two]:
                looks(browser, file)
            file, run = made(lariat, directory, "long", "long.pml", "--algorithm", "se", "--ltl", "F (n == 60000)")
            with browser.page() as page:
                is_quick(page, file, run)
                equal(page.complaints(), [], "complaints, a long search")
        except (RuntimeError, TimeoutError) as broken:
            check(False, broken)
    print(f"pages of searches: {len(failures)} failures, {time.monotonic() - start:.1f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
