#!/usr/bin/env python3
"""Pictures of a page to look at, since no test can say whether it is beautiful: screenshots.py PAGE.html DIRECTORY"""

import pathlib
import sys

from any_page import SECTIONS
from browser import Browser


def main():
    file, directory = sys.argv[1:]
    with Browser() as browser:
        for width in [1280, 390]:
            for dark in [False, True]:
                with browser.page(width, dark=dark) as page:
                    page.open(file)
                    # One picture per section: a picture of the whole page could not be read.
                    for section in SECTIONS:
                        height = page.evaluate(f"document.getElementById('{section}').scrollHeight")
                        page.resize(width, min(height, 4000))
                        page.evaluate(f"document.getElementById('{section}').scrollIntoView()")
                        name = f"{width}-{'dark' if dark else 'light'}-{section}.png"
                        page.screenshot(pathlib.Path(directory, name))


if __name__ == "__main__":
    main()
