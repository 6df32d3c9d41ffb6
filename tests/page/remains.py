#!/usr/bin/env python3
"""Writes comparisons that lack most of the fixture: remains.py RESULTS.json DIRECTORY. Their pages must not break."""

import json
import pathlib
import sys


def remains(full):
    """Names and comparisons. Runs name cases and configurations by their places, so what is kept is at the start."""
    def part(cases, configurations):
        return full | {
            "cases": full["cases"][:cases], "configurations": full["configurations"][:configurations],
            "runs": [run for run in full["runs"] if run["case"] < cases and run["configuration"] < configurations]}

    yield "nothing", {}
    yield "no-runs", full | {"runs": []}
    yield "no-cases", full | {"runs": [], "cases": []}
    yield "one-case", part(1, len(full["configurations"]))
    yield "one-configuration", part(40, 1)
    yield "one-run", part(1, 1)
    without = [run for run in full["runs"] if full["configurations"][run["configuration"]]["algorithm"] != "hpy"]
    others = [one if one["algorithm"] != "hpy" else one | {"algorithm": "other"} for one in full["configurations"]]
    yield "no-hpy", full | {"runs": without, "configurations": others}
    refused = {"verdict": "refused", "reason": "not weak"}
    keys = ("case", "configuration")
    yield "all-refused", full | {"runs": [{key: run[key] for key in keys} | refused for run in full["runs"]]}
    nulls = {key: None for key in full["cases"][0] if key not in ("name", "counts", "verdict")}
    yield "nulls", full | {"cases": [one | nulls for one in full["cases"]], "machine": None, "limits": None}


def main():
    results, directory = sys.argv[1:]
    full = json.loads(pathlib.Path(results).read_text(encoding="utf-8"))
    for name, comparison in remains(full):
        pathlib.Path(directory, f"{name}.json").write_text(json.dumps(comparison), encoding="utf-8")


if __name__ == "__main__":
    main()
