#!/usr/bin/env python3
"""The pictures of README.md and the guide: pictures.py LARIAT

Writes docs/pictures/*.png with a headless browser, from pages that `lariat` makes of models and examples of ours.
"""

import pathlib
import subprocess
import sys
import tempfile

from browser import Browser

TOP = pathlib.Path(__file__).resolve().parents[2]
PICTURES = TOP / "docs" / "pictures"

# Name, what `lariat` is asked, the step that is shown, and the size of the window.
SHOWN = [
    ("run", ["check", "models/peterson.pml", "--property", "no_starvation", "--no-reduce"], "step=7", (1100, 760)),
    ("slides", ["watch", "--example", "slides", "--algorithm", "cvwy"], "step=17", (1100, 800)),
    ("watch", ["watch", "--example", "components-win", "--algorithm", "se", "--with", "ascc"], "step=26", (1100, 930)),
]


def main():
    lariat = str(pathlib.Path(sys.argv[1]).resolve())
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, Browser() as browser:
        for name, command, fragment, (width, height) in SHOWN:
            file = pathlib.Path(directory) / f"{name}.html"
            subprocess.run([lariat, *command, "--html", str(file)], cwd=TOP, stdout=subprocess.DEVNULL, check=False)
            with browser.page(width, height) as page:
                page.open(file, fragment)
                page.screenshot(PICTURES / f"{name}.png")
            print(f"{name}.png: {(PICTURES / f'{name}.png').stat().st_size} bytes")


if __name__ == "__main__":
    main()
