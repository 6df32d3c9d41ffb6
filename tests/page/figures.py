"""What the page must show of a comparison, computed again, and in another way: from the runs as they are listed."""

import math

SIX = ["ascc", "gv", "and", "se", "hpy", "c99"]


class Comparison:
    def __init__(self, raw):
        self.cases = raw["cases"]
        self.configurations = raw["configurations"]
        self.names = [configuration["name"] for configuration in self.configurations]
        self.runs = raw["runs"]
        self.by = {(run["case"], self.names[run["configuration"]]): run for run in self.runs}

    def chosen(self, text="", verdict=None, strength=None, states=0, counting=True):
        """Places of the cases that pass the filters."""
        def passes(place):
            case = self.cases[place]
            most = max([run["visited"] or 0 for run in self.runs if run["case"] == place], default=0)
            words = f"{case['name']} {case['model']} {case['formula']}".lower()
            return ((case["counts"] or not counting) and text.lower() in words and most >= states
                    and verdict in (None, case["verdict"] or "none")
                    and strength in (None, case["strength"] or "unknown"))
        return [place for place in range(len(self.cases)) if passes(place)]

    def finished(self, place, name):
        run = self.by.get((place, name))
        return run if run and run["verdict"] in ("holds", "violated") and self.cases[place]["verdict"] else None

    def common(self, places, names):
        return [place for place in places if all(self.finished(place, name) for name in names)]

    def figure_4(self, places):
        """Per algorithm the per cents of hpy: three sums and three geometric means."""
        common = self.common(places, SIX)
        shown = {}
        for name in SIX:
            sums, means = [], []
            for field in ["seconds", "transitions", "post_calls"]:
                pairs = [(self.by[place, name][field], self.by[place, "hpy"][field]) for place in common]
                sums.append(100 * sum(a for a, _ in pairs) / sum(b for _, b in pairs))
                logs = [math.log(a / b) for a, b in pairs if a > 0]
                means.append(100 * math.exp(sum(logs) / len(logs)))
            shown[name] = sums + means
        return len(common), shown

    def pair(self, places, x, y):
        """Points of the plot of two configurations by transitions: inside, and at the border."""
        inside = border = 0
        for place in places:
            runs = [self.by.get((place, name)) for name in (x, y)]
            told = [run["verdict"] if run else "missing" for run in runs]
            if not self.cases[place]["verdict"] or {"missing", "refused", "error"} & set(told):
                continue
            limits = told.count("unknown")
            inside += limits == 0
            border += limits == 1
        return inside, border

    def solved(self, places):
        return {name: sum(self.finished(place, name) is not None for place in places) for name in self.names}

    def drawn_at_first(self, product):
        """The papers' six in the setting of the papers; there are not more of a precomputed product."""
        return [one["name"] for one in self.configurations if one["product"] == product
                and one["automaton"] == "degeneralised" and one["algorithm"] in SIX]

    def work(self, places, product, names=None):
        names = names or [one["name"] for one in self.configurations if one["product"] == product]
        runs = [run for place in places for name in names if (run := self.finished(place, name))]
        return [(run["transitions"], run["seconds"]) for run in runs if run["seconds"] > 0]

    def memory(self, places, names):
        return sum(self.finished(place, name) is not None for place in places for name in names)

    def greatest_ratio(self):
        """Between the transitions of two algorithms, all in the setting of the papers, for a case that counts."""
        plain = [one["name"] for one in self.configurations if one["algorithm"] != "lasso"
                 and one["automaton"] == "degeneralised" and one["product"] == "on-the-fly"]
        ratios = []
        for place in self.chosen():
            work = [run["transitions"] for name in plain if (run := self.finished(place, name))]
            if len(work) > 1:
                ratios.append(max(work) / min(work))
        return max(ratios)


def exponent(points):
    xs, ys = [math.log10(x) for x, _ in points], [math.log10(y) for _, y in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)
