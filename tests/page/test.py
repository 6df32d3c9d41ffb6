#!/usr/bin/env python3
"""Tests a page in a headless browser: test.py PAGE.html [RESULTS.json]

With the comparison that the page was made from, its figures are computed again and compared (fixture.py); without, only
what holds of every page is tested (any_page.py). Every failure is told, not only the first.
"""

import json
import pathlib
import sys
import time

import any_page
import fixture
from browser import Browser
from checks import check, equal, failures
from figures import Comparison


def main():
    file, *results = sys.argv[1:]
    start = time.monotonic()
    with Browser() as browser:
        try:
            any_page.test(browser, file)
            if results:
                comparison = Comparison(json.loads(pathlib.Path(results[0]).read_text(encoding="utf-8")))
                for part in fixture.PARTS:
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
