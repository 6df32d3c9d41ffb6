"""What all tests of the page use: checks that go on after a failure, and reading what the page has written."""

import re

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


def text(page, selector):
    return page.evaluate(f"document.querySelector({selector!r}).textContent")


def cells(page, table):
    """The rows of a table, each as the texts of its cells."""
    return page.evaluate(f"[...document.querySelectorAll('#{table} tbody tr')]"
                         ".map((row) => [...row.cells].map((cell) => cell.textContent))")


# What a program says by mistake.
MISTAKES = re.compile(r"\b(NaN|undefined|null|Infinity|\[object \w+\])\b")
