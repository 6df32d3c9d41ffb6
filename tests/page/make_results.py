#!/usr/bin/env python3
"""Writes results.json: a comparison that never happened, with everything in it that the page must cope with.

The numbers are random but fixed (seeded), and behave roughly as those of real runs do: nested searches do some work
twice, `hpy` finds cycles late, time follows transitions. Besides there are limits, refusals, errors, a contradiction,
a verdict that is not the expected one, cases that do not count, fields without a value, a run that is missing, and
names that a careless page would take for markup.
"""

import json
import pathlib
import random

ALGORITHMS = {
    "lasso": ("any-sets", "from every state, which marks lie on a way back to it"),
    "cvwy": ("one-set", "nested depth-first search with a seed"),
    "hpy": ("one-set", "nested depth-first search that stops at the outer path"),
    "gmz": ("one-set", "nested depth-first search with black states"),
    "se": ("one-set", "nested depth-first search with four colours"),
    "and": ("one-set", "the same, with red states found early"),
    "sd": ("weak", "simple depth-first search"),
    "tarjan": ("any-sets", "components, judged when complete"),
    "gv": ("one-set", "Tarjan's algorithm with a goal"),
    "c99": ("any-sets", "a stack of roots, and a second search"),
    "ascc": ("any-sets", "a stack of roots and one of active states"),
    "tau": ("any-sets", "nested search that carries labels"),
}
PLAIN = ["hpy", "gmz", "se", "and", "sd", "tarjan", "gv", "c99", "ascc", "cvwy", "lasso"]
OTHERS = [("ascc", "generalised", "on-the-fly"), ("c99", "generalised", "on-the-fly"),
          ("ascc", "degeneralised", "precomputed"), ("hpy", "degeneralised", "precomputed")]
# How often an algorithm generates a transition, if it explores everything.
WORK = {"lasso": 9.0, "cvwy": 1.9, "hpy": 1.7, "gmz": 1.5, "se": 1.5, "and": 1.1, "sd": 1.0, "tarjan": 1.0,
        "gv": 1.0, "c99": 1.95, "ascc": 1.0, "tau": 1.8}
BYTES = {"lasso": 2, "cvwy": 0.3, "hpy": 0.4, "gmz": 0.4, "se": 0.3, "and": 0.3, "sd": 0.3, "tarjan": 9, "gv": 9,
         "c99": 5, "ascc": 5, "tau": 0.5}
ODD = ['quote " and \' and </script><b>bold</b> & <!-- x',
       "G (é → F “x”) \\ {{program}} </style>", "${name} `tick` %3Cb%3E"]
SECONDS = 60


def configurations():
    made = []
    for algorithm, automaton, product in [(name, "degeneralised", "on-the-fly") for name in PLAIN] + OTHERS:
        name = algorithm + (" generalised" if automaton == "generalised" else "")
        name += " precomputed" if product == "precomputed" else ""
        flag = "--degeneralise" if automaton == "degeneralised" else "--generalised"
        options = f"--algorithm {algorithm} {flag} --engine compiled" + (" --precompute" if "pre" in product else "")
        made.append({"name": name, "algorithm": algorithm, "engine": "compiled", "automaton": automaton,
                     "product": product, "options": options})
    return made


def case(number, dice):
    model = dice.choice(["anderson", "bakery", "elevator", "leader_filters", "sliding_window", "szymanski"])
    formula = dice.choice(["G (wait0 -> F cs0)", "G F p", "(G F p) -> (G F q)", "G !(cs0 && cs1)", "F G p"])
    name = f"{model}.{number % 7 + 1}: {formula}"
    if number < len(ODD):
        name = formula = ODD[number]
    strength = dice.choices(["terminal", "weak", "strong"], [2, 6, 2])[0]
    sets = dice.choice([2, 3]) if strength == "strong" else 1
    verdict = dice.choices(["holds", "violated"], [6, 4])[0]
    trivial = dice.choice([0, 0, 3, 40])
    before = dice.choice([0, 5, 90])
    return {"name": name, "model": f"{model}/{model}.{number % 7 + 1}.dve", "property": formula, "formula": formula,
            "arguments": f"corpus/{model}.dve --ltl '{formula}'", "expected": dice.choice([verdict, None]),
            "verdict": verdict, "agreed": True, "counts": number % 10 != 9, "strength": strength,
            "automaton": {"states": 2 + sets, "edges": 4 + sets, "sets": 1},
            "generalised": {"states": 2, "edges": 4, "sets": sets}, "state_bytes": dice.randint(20, 380),
            "effects": {"states": 100, "components": 60, "accepting_trivial": trivial,
                        "not_preceded_by_accepting": before, "not_preceded_by_accepting_cyclic": before // 9}}


NUMBERS = ["visited", "stored", "transitions", "post_calls", "depth", "roots", "active", "found_nested", "prefix",
           "cycle", "seconds", "total_seconds", "descriptor_bytes", "auxiliary_bytes", "vector_bytes",
           "peak_rss_bytes"]


def run(place, case, which, configuration, size, early, dice):
    algorithm = configuration["algorithm"]
    made = {"case": place, "configuration": which, "verdict": case["verdict"], "reason": None}
    if algorithm == "sd" and case["strength"] == "strong":
        return made | {"verdict": "refused", "reason": "sd needs a weak automaton"} | dict.fromkeys(NUMBERS)
    states, work = size, WORK[algorithm]
    if case["verdict"] == "violated":
        states *= early * (dice.uniform(1, 4) if algorithm in ("hpy", "cvwy", "lasso") else 1)
    if configuration["automaton"] == "generalised":
        states *= dice.uniform(0.5, 1.05) if case["generalised"]["sets"] > 1 else 1
    if algorithm == "c99" and not case["effects"]["not_preceded_by_accepting"]:
        work = 1.2
    if algorithm in ("se", "hpy") and not case["effects"]["accepting_trivial"]:
        work = 1.1
    states = max(3, int(states))
    transitions = int(states * 2.7 * work)
    rate = 3e-8 if configuration["product"] == "precomputed" else 4e-7
    seconds = round(transitions * rate * dice.uniform(0.8, 1.3) + 2e-6, 9)
    if transitions * 4e-7 > 1.5 and configuration["product"] == "on-the-fly":
        made |= {"verdict": "unknown", "reason": "time: 60 s"}
        seconds = SECONDS + dice.random()
    violated = made["verdict"] == "violated"
    nested = algorithm in ("hpy", "cvwy", "gmz") or (algorithm in ("se", "and") and place % 3 == 0)
    return made | {
        "visited": states, "stored": states + states // 9, "transitions": transitions,
        "post_calls": int(states * work**0.7),
        "depth": max(1, states // dice.randint(2, 9)), "roots": states // 8 if algorithm in ("c99", "ascc") else 0,
        "active": states // 5 if algorithm in ("gv", "ascc", "tarjan") else 0,
        "found_nested": violated and nested,
        "prefix": dice.randint(0, 90) if violated else None, "cycle": dice.randint(1, 30) if violated else None,
        "seconds": seconds, "total_seconds": round(seconds + 0.02, 9),
        "descriptor_bytes": states * dice.randint(8, 24), "auxiliary_bytes": int(states * BYTES[algorithm]) + 64,
        "vector_bytes": states * dice.randint(16, 60), "peak_rss_bytes": 30_000_000 + states * 40}


def comparison():
    dice = random.Random(20091)
    listed = configurations()
    cases = [case(number, dice) for number in range(40)]
    runs = []
    for place, one in enumerate(cases):
        size, early = 10 ** dice.uniform(1.3, 6), dice.uniform(0.05, 0.6)
        runs += [run(place, one, which, configuration, size, early, dice) for which, configuration in enumerate(listed)]
    by = {(one["case"], one["configuration"]): one for one in runs}

    # Two runs contradict each other.
    cases[5] |= {"verdict": None, "agreed": False, "counts": True}
    for which, verdict in [(0, "holds"), (8, "violated"), (2, "holds")]:
        by[5, which]["verdict"] = verdict
    # All say the same, which is not what is expected.
    cases[6] |= {"agreed": False, "expected": "holds" if cases[6]["verdict"] == "violated" else "violated"}
    # Errors: nothing is known of the run.
    for place, which in [(7, 3), (8, 3), (8, 9)]:
        by[place, which] |= {"verdict": "error", "reason": "the process ended with signal 9"} | dict.fromkeys(NUMBERS)
    # A case of which hardly anything is known, and no run has a verdict.
    cases[10] |= dict.fromkeys(["expected", "verdict", "strength", "automaton", "generalised", "state_bytes"])
    cases[10]["effects"] = None
    for which in range(len(listed)):
        by[10, which] |= {"verdict": "unknown", "reason": "memory: 4 GiB"}
    # Too quick for the clock; and numbers that may be missing.
    by[11, 8]["seconds"] = 0.0
    by[12, 8] |= {"vector_bytes": None, "peak_rss_bytes": None}
    runs.remove(by[13, 10])

    return {"schema": "lariat-comparison/1", "title": "Fixture: cases that never ran",
            "suite": "tests/page/results.json", "version": "0.1.0", "complete": False,
            "machine": {"processors": 2, "memory_bytes": 25_000_000_000},
            "limits": {"seconds": SECONDS, "memory_bytes": 4 << 30, "qualify": {"algorithm": "ascc", "seconds": 20}},
            "algorithms": [{"name": name, "title": title, "paper": f"Someone {1990 + place}", "needs": needs}
                           for place, (name, (needs, title)) in enumerate(ALGORITHMS.items())],
            "configurations": listed, "cases": cases, "runs": runs}


def main():
    made = comparison()
    lists = {name: made.pop(name) for name in ["algorithms", "configurations", "cases", "runs"]}
    text = json.dumps(made, ensure_ascii=False)[:-1]
    for name, entries in lists.items():
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries)
        text += f',\n"{name}": [\n{lines}\n]'
    pathlib.Path(__file__).with_name("results.json").write_text(text + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
