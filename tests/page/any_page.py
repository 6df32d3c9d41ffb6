"""What holds of every page, whatever it shows: at two widths, light and dark, with few rows and with all."""

import pathlib

from checks import MISTAKES, cells, check, equal, near, number

SECTIONS = ["findings", "summary", "others", "structure", "table-1", "plots", "generalised", "differences", "runs"]

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
    const text = walker.currentNode.textContent.trim();
    const node = walker.currentNode.parentElement;
    if (!text || !node.getClientRects().length || node.closest("script, noscript, title")) continue;
    const style = getComputedStyle(node);
    const ink = light(parse(node.namespaceURI.endsWith("svg") ? style.fill : style.color));
    const paper = light(behind(node));
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    seen += 1;
    if (contrast < worst.contrast) worst = { contrast, where: `${node.tagName}: ${text.slice(0, 40)}` };
  }
  return { ...worst, seen, paper: light(behind(document.body)) };
})()"""

EVERYTHING_SAID = """document.body.innerText
  + [...document.querySelectorAll('svg, [title], [aria-label]')].map((node) => node.outerHTML).join('\\n')"""


def test(browser, file):
    for dark in [False, True]:
        for width in [1280, 390]:
            with browser.page(width, dark=dark) as page:
                page.open(file)
                where = f"{'dark' if dark else 'light'}, {width} px"
                first_column(page, where)
                looks(page, file, dark, where)
                if width == 1280 and not dark:
                    parts(page)
                    figure_4(page)


# Of every table that is wider than its box: scrolled to its end, what is wrong with the cells of the first column.
FIRST_COLUMN = """(() => {
  const wrong = [];
  let scrolled = 0;
  for (const box of document.querySelectorAll(".scroll")) {
    if (box.scrollWidth <= box.clientWidth + 1) continue;
    scrolled += 1;
    box.scrollIntoView({ block: "center" });
    box.scrollLeft = box.scrollWidth;
    const left = box.getBoundingClientRect().left;
    for (const row of [...box.querySelectorAll("tr")].slice(0, 12)) {
      const cell = row.cells[0];
      const bounds = cell.getBoundingClientRect();
      const say = (what) => wrong.push(`${box.getAttribute("aria-label")}: ${cell.textContent}: ${what}`);
      if (Math.abs(bounds.left - left) > 1) say(`${bounds.left - left} px away from the edge`);
      if (bounds.width > 0.6 * box.clientWidth) say(`${bounds.width} px of ${box.clientWidth}`);
      const colour = getComputedStyle(cell).backgroundColor;
      if (colour !== getComputedStyle(document.body).backgroundColor) say(`the background is ${colour}`);
      const seen = document.elementFromPoint(bounds.left + 5, bounds.top + bounds.height / 2);
      const inside = bounds.top > 100 && bounds.bottom < innerHeight;
      if (inside && !cell.contains(seen)) say(`${seen?.tagName} ${seen?.textContent.slice(0, 20)} lies on it`);
    }
    box.scrollLeft = 0;
  }
  scrollTo(0, 0);
  return { wrong, scrolled };
})()"""


def first_column(page, where):
    """The names of rows stay in sight, on an opaque background, and leave room for the rest."""
    found = page.evaluate(FIRST_COLUMN)
    equal(found["wrong"], [], f"{where}: the first column of tables that are scrolled")
    return found["scrolled"]


def looks(page, file, dark, where):
    for opened in [False, True]:
        if opened:
            page.evaluate("document.querySelectorAll('.more:not([hidden]), #more-filters')"
                          ".forEach((one) => one.click())")
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        check(wider <= 0, f"{where}: the page is {wider} px wider than the window")
        found = page.evaluate(CONTRAST)
        check(found["contrast"] >= 4.5, f"{where}: contrast {found['contrast']:.2f} at {found['where']}")
        check(found["seen"] > 30, f"{where}: only {found['seen']} pieces of text")
    check((found["paper"] < 0.2) == dark, f"{where}: the background has a brightness of {found['paper']:.2f}")
    said = page.evaluate(EVERYTHING_SAID)
    for word in set(MISTAKES.findall(said)):
        place = said.find(word)
        check(False, f"{where}: the page says {word}: {said[max(0, place - 60):place + 20]!r}")
    equal(page.complaints(), [], f"{where}: complaints")
    asked = [url for url in page.requests() if not url.startswith(("data:", "about:"))]
    equal(asked, [pathlib.Path(file).resolve().as_uri()], f"{where}: requests")


def figure_4(page):
    """The program that wrote the document has summed up too, over the cases that the page shows at first."""
    written = page.evaluate("JSON.parse(document.getElementById('data').textContent).figure_4 ?? {}")
    shown = {row[0]: [number(cell) for cell in row[1:5]] for row in cells(page, "figure-4-table")}
    for row in written.get("rows", []):
        expected = [written["cases"], row["seconds"], row["transitions"], row["post_calls"]]
        for value, wanted in zip(shown.get(row["algorithm"], [None] * 4), expected):
            near(value, wanted, f"Figure 4, {row['algorithm']}")


def parts(page):
    """Sections, and what is needed to use them without a mouse or without eyes."""
    def number(selector, condition):
        return page.evaluate(f"[...document.querySelectorAll('{selector}')].filter((one) => {condition}).length")

    equal(page.evaluate("[...document.querySelectorAll('main > section')].map((one) => one.id)"), SECTIONS, "sections")
    # What was found stands before everything else, and the figure before its table.
    order = page.evaluate("[...document.querySelectorAll('#findings #finding, #findings .bars, #findings table')]"
                          ".map((one) => one.id)")
    if order:
        equal(order[0], "finding", "what the page begins with")
        check(order == ["finding"] or order[1:] == ["figure-4-seconds", "figure-4-transitions", "figure-4-post_calls",
                                                    "figure-4-table"], f"what follows it: {order}")
    drawn = page.evaluate("[...document.querySelectorAll('#plots .plot-box:has(+ .chooser) svg')]"
                          ".map((one) => one.querySelectorAll('.points').length)")
    check(all(one <= 6 for one in drawn), f"plots with more than six configurations: {drawn}")
    equal(number("main > section > .body", "!one.textContent.trim()"), 0, "sections that say nothing")
    equal(number("svg:not(svg svg, [aria-hidden])",
                 "one.getAttribute('role') !== 'img' || !one.querySelector('title').textContent"), 0,
          "plots without a role or a title")
    equal(number("thead th[scope=col]", "!one.querySelector('button') || !one.hasAttribute('aria-sort')"), 0,
          "heads of columns that are no buttons")
    equal(number("figure", "!one.querySelector('figcaption').textContent && !one.querySelector('.missing')"), 0,
          "figures without a caption")
    names = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    equal([name for name in set(names) if names.count(name) > 1], [], "names of elements that occur twice")
