"""What looking early costs: errors at the edge of the margin, and items needed by an unchanged model.

`python benchmarks/gate_looks.py` writes docs/measured/gate_looks.csv, gate_top_up.csv and gate_sizes.csv and the tables
of docs/evidence/gate.md; `--page` writes the page only.
"""

import argparse
import math

import numpy as np
from scipy import stats

from gate_levels import PAGE, catastrophes, five_runs, flips, ratings, shown
from howsure.gating import CLAIMS, GateRule
from howsure.gating.gauges import gauge_of
from howsure.gating.looks import added, spending_bounds, two_look_bound
from howsure.gating.sequential import BETS, FIRST, TIGHTEST
from measured import MEASURED, markdown, put_between, read_rows, write_rows

RUNS, LAST, BLOCK = 10_000, 2000, 500
START = 30
"""A t test at every item begins here."""

EDGE = {
    "2% differ, all lost": (0.02, flips(0.0, 0.02)),
    "4% differ": (0.02, flips(0.01, 0.03)),
    "20% differ": (0.02, flips(0.09, 0.11)),
    "5% differ, all lost": (0.05, flips(0.0, 0.05)),
    "15% differ": (0.05, flips(0.05, 0.10)),
    "45% differ": (0.05, flips(0.2, 0.25)),
    "6% catastrophes": (0.05, catastrophes(0.06, -0.05)),
    "five runs": (0.05, five_runs(-0.05)),
    "ratings": (0.05, ratings(-0.05)),
}


def rows_of(draw, rng, n_rows, n):
    return draw(rng, n_rows * n).reshape(n_rows, n)


def bet_paths(units, margin):
    """Return when the capital of a pass, and of a fail, first exceeds 1/α; LAST + 1 where it never does."""
    found = []
    for sign, bets in ((1, BETS / (1 - margin)), (-1, BETS / (1 + margin))):
        total = np.zeros_like(units)
        for bet in bets:
            total += np.exp(np.log1p(sign * bet * (units + margin)).cumsum(axis=1))
        found.append(first(total / BETS.size >= 20))
    return found


def first(crossed):
    return np.where(crossed.any(axis=1), crossed.argmax(axis=1) + 1, crossed.shape[1] + 1)


def moment_paths(units, margin):
    """Return when an asymptotic sequence, and a t test at every item, first pass and first fail."""
    n = np.arange(1, units.shape[1] + 1)
    mean = units.cumsum(axis=1) / n
    spread = np.sqrt(np.maximum(np.square(units).cumsum(axis=1) / n - mean**2, 0) * n / np.maximum(n - 1, 1))
    rho = (-2 * math.log(0.1) + math.log(1 - 2 * math.log(0.1))) / TIGHTEST
    reach = np.sqrt(2 * (n * rho + 1) / (n**2 * rho) * np.log(1 + np.sqrt(n * rho + 1) / 0.1))
    t = np.append(np.inf, stats.t.ppf(0.95, n[1:] - 1)) / np.sqrt(n)
    found = []
    for width, begin in ((reach, FIRST), (t, START)):
        late = n >= begin
        with np.errstate(invalid="ignore"):
            arm = np.where(late, spread * width, np.inf)
        found += [first(mean - arm > -margin), first(mean + arm < -margin)]
    return found


def measure_looks():
    rows = []
    names = ("bets at every item", "asymptotic from 100 items", "t at every item")
    for number, (name, (margin, draw)) in enumerate(EDGE.items()):
        rng = np.random.default_rng(number)
        counts = {each: [0, 0] for each in names}
        for _ in range(RUNS // BLOCK):
            units = rows_of(draw, rng, BLOCK, LAST)
            paths = [*bet_paths(units, margin), *moment_paths(units, margin)]
            for each, passed, failed in zip(names, paths[::2], paths[1::2], strict=True):
                counts[each][0] += int(((passed <= LAST) & (passed <= failed)).sum())
                counts[each][1] += int(((failed <= LAST) & (failed < passed)).sum())
        for each, (passed, failed) in counts.items():
            rows.append({"setting": name, "margin": margin, "way": each, "runs": RUNS, "pass": passed, "fail": failed})
        rows.append(
            {"setting": name, "margin": margin, "way": "five looks", **five_looks(draw, margin, 1000, rng, 4000)}
        )
        print(rows[-4:], flush=True)
        write_rows(rows, MEASURED / "gate_looks.csv")


def five_looks(draw, margin, last, rng, runs):
    """Return how many of these gates pass and fail at five equal looks, and how many items they take on average."""
    rule = GateRule(CLAIMS["non-inferior"], margin)
    sizes = tuple(last * look // 5 for look in range(1, 6))
    bounds = spending_bounds(sizes, (0.2, 0.4, 0.6, 0.8, 1.0), rule.alpha)
    counts, items = {"pass": 0, "fail": 0}, 0
    for _ in range(runs):
        units = draw(rng, last)
        for size, bound in zip(sizes, bounds, strict=True):
            verdict = rule.verdict(gauge_of(units[:size], 1.0), bound)
            if verdict != "inconclusive":
                counts[verdict] += 1
                break
        items += size
    return {"runs": runs, **counts, **({} if runs == 4000 else {"mean": items / runs})}


def measure_top_up(runs=4000):
    """After an inconclusive gate: the same items and more tested again, and two planned looks."""
    rows = []
    settings = (
        ("15% differ", 0.05, flips(0.05, 0.10)),
        ("4% differ", 0.02, flips(0.01, 0.03)),
        ("five runs", 0.05, five_runs(-0.05)),
    )
    for number, (name, margin, draw) in enumerate(settings):
        rule = GateRule(CLAIMS["non-inferior"], margin)
        bound = two_look_bound(rule.alpha)
        for n, factor in ((100, 1), (100, 5), (200, 1)):
            rng = np.random.default_rng([number, n, factor])
            again = planned = 0
            for _ in range(runs):
                units = draw(rng, n * (1 + factor))
                one, two = gauge_of(units[:n], 1.0), gauge_of(units[n:], 1.0)
                verdict = rule.verdict(one)
                again += verdict == "pass" or (
                    verdict == "inconclusive" and rule.verdict(gauge_of(units, 1.0)) == "pass"
                )
                verdict = rule.verdict(one, bound)
                planned += verdict == "pass" or (
                    verdict == "inconclusive" and added(map(rule.passing, (one, two))) > bound
                )
            row = {"setting": name, "margin": margin, "items": n, "new_items": n * factor, "runs": runs}
            rows.append({**row, "tested_again": again, "two_looks": planned})
            print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "gate_top_up.csv")


SAME = {
    "2% differ": (0.02, flips(0.01, 0.01)),
    "10% differ": (0.05, flips(0.05, 0.05)),
    "30% differ": (0.05, flips(0.15, 0.15)),
    "five runs": (0.05, five_runs(0.0)),
    "ratings": (0.05, ratings(0.0)),
}


def measure_sizes(runs=2000):
    """Items that an unchanged model needs: one look at a fixed number, five looks, bets at every item."""
    rows = []
    for number, (name, (margin, draw)) in enumerate(SAME.items()):
        rng = np.random.default_rng(number)
        rule = GateRule(CLAIMS["non-inferior"], margin)
        spread = float(draw(rng, 400_000).std())
        fixed = math.ceil(((stats.norm.ppf(0.95) + stats.norm.ppf(0.9)) * spread / margin) ** 2)
        passed = sum(rule.verdict(gauge_of(draw(rng, fixed), 1.0)) == "pass" for _ in range(runs))
        five = five_looks(draw, margin, 5 * math.ceil(1.03 * fixed / 5), rng, runs)
        when = np.concatenate([bet_paths(rows_of(draw, rng, 250, 4 * fixed), margin)[0] for _ in range(runs // 250)])
        row = {"setting": name, "margin": margin, "fixed": fixed, "fixed_power": passed / runs}
        row |= {"five_mean": five["mean"], "five_power": five["pass"] / runs}
        rows.append(
            {
                **row,
                "bets_mean": float(np.minimum(when, 4 * fixed).mean()),
                "bets_power": float((when <= 4 * fixed).mean()),
            }
        )
        print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "gate_sizes.csv")


def page():
    rows = read_rows(MEASURED / "gate_looks.csv")
    ways = list(dict.fromkeys(row["way"] for row in rows))
    body = []
    for name in dict.fromkeys(row["setting"] for row in rows):
        own = {row["way"]: row for row in rows if row["setting"] == name}
        cells = [
            " / ".join(shown(int(own[way][key]), int(own[way]["runs"])) for key in ("pass", "fail")) for way in ways
        ]
        body.append([name, own[ways[0]]["margin"], *cells])
    put_between(PAGE, "<!-- looks -->", markdown(["at the edge", "margin", *(f"{way}, %" for way in ways)], body))
    body = [
        [row["setting"], row["margin"], row["items"], row["new_items"]]
        + [shown(int(row[key]), int(row["runs"])) for key in ("tested_again", "two_looks")]
        for row in read_rows(MEASURED / "gate_top_up.csv")
    ]
    head = ["at the edge", "margin", "items", "new items", "tested again passes, %", "two looks pass, %"]
    put_between(PAGE, "<!-- top-up -->", markdown(head, body))
    body = [
        [row["setting"], row["margin"]]
        + [f"{float(row[f'{way}']):,.0f} ({100 * float(row[power]):.0f}%)" for way, power in SHOWN]
        for row in read_rows(MEASURED / "gate_sizes.csv")
    ]
    head = ["unchanged model", "margin", "one look", "five looks, mean", "bets, mean, up to 4 times as many"]
    put_between(PAGE, "<!-- sizes -->", markdown(head, body))


SHOWN = (("fixed", "fixed_power"), ("five_mean", "five_power"), ("bets_mean", "bets_power"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--only", choices=("looks", "top-up", "sizes"))
    given = parser.parse_args()
    parts = {"looks": measure_looks, "top-up": measure_top_up, "sizes": measure_sizes}
    for name, measure in {} if given.page else parts.items():
        if given.only in (None, name):
            measure()
    page()


if __name__ == "__main__":
    main()
