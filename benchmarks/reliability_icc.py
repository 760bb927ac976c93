"""Intervals of the intraclass correlation of repeated runs, and how often two new runs differ by more than their noise.

`python benchmarks/reliability_icc.py` writes docs/measured/reliability_icc.csv and the table of docs/evidence/runs.md;
`--page` writes the page only.
"""

import argparse

import numpy as np

from howsure.inference import binomial_region
from howsure.raters.agreement_intervals import one_way_interval
from howsure.scoring.repeated_runs import _icc, _reliability
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

SETS = 2000
PAGE = ROOT / "docs" / "evidence" / "runs.md"


def answers(chances):
    """Right and wrong answers with a chance for each item."""

    def draw(rng, n, k):
        chance = chances(rng, n)[:, np.newaxis]
        return (rng.random((n, k)) < chance).astype(float), (rng.random((n, 2)) < chance).astype(float)

    def truth():
        chance = chances(np.random.default_rng(0), 1_000_000)
        return chance.var() / (chance.mean() * (1 - chance.mean()))

    return draw, truth()


def normal(spread):
    """Draw normal scores; the noise of an item has a lognormal standard deviation."""

    def draw(rng, n, k):
        item, noise = rng.normal(size=(n, 1)), np.exp(spread * rng.normal(size=(n, 1)))
        return item + noise * rng.normal(size=(n, k)), item + noise * rng.normal(size=(n, 2))

    return draw, 1 / (1 + np.exp(2 * spread**2))


HARD = answers(lambda rng, n: np.where(rng.random(n) < 0.9, 0.97, 0.05))
ONE_IN_20 = answers(lambda rng, n: np.where(rng.random(n) < 0.95, 0.97, 0.05))
CLEAR = answers(lambda rng, n: np.where(rng.random(n) < 0.9, 0.99, 0.05))
EASY = answers(lambda rng, n: rng.beta(9, 1, n))
WIDE = answers(lambda rng, n: rng.beta(1, 0.7, n))
COIN = answers(lambda rng, n: np.where(rng.random(n) < 0.9, 1.0, 0.5))
SETTLED = answers(lambda rng, n: np.where(rng.random(n) < 0.5, 0.998, 0.002))
ALIKE = answers(lambda rng, n: np.full(n, 0.9))
SETTINGS = (
    *(
        ("pass/fail, Beta(9, 1) chances", n, k, EASY)
        for n, k in ((20, 3), (50, 3), (100, 3), (200, 3), (50, 5), (100, 5))
    ),
    ("pass/fail, one item in 20 is hard", 40, 3, ONE_IN_20),
    ("pass/fail, one item in 20 is hard", 100, 3, ONE_IN_20),
    ("pass/fail, one item in ten is hard", 100, 5, HARD),
    ("pass/fail, one item in ten is hard", 50, 3, HARD),
    ("pass/fail, one item in ten fails, the others pass", 30, 3, CLEAR),
    ("pass/fail, one item in ten is a coin, the others pass", 60, 4, COIN),
    ("pass/fail, half of the items pass, half fail", 30, 3, SETTLED),
    ("pass/fail, items are alike", 50, 3, ALIKE),
    ("pass/fail, Beta(1, 0.7) chances", 50, 3, WIDE),
    ("pass/fail, Beta(1, 0.7) chances", 200, 2, WIDE),
    ("noise differs by item", 100, 5, normal(0.8)),
    ("noise differs by item", 40, 3, normal(0.8)),
    ("normal", 100, 5, normal(0.0)),
    ("normal", 30, 3, normal(0.0)),
)


def measure():
    rows = []
    for number, (name, n, k, (draw, true)) in enumerate(SETTINGS):
        rng = np.random.default_rng([7, number])
        counts = dict.fromkeys(("covered", "undefined", "jackknife", "f_limits", "floor", "plain_floor"), 0)
        for _ in range(SETS):
            runs, new = draw(rng, n, k)
            found = _reliability("m", runs, 0.95, right_or_wrong=set(np.unique(runs)) <= {0.0, 1.0})
            ends = found.consistency
            k_of_item, means = np.full(n, float(k)), runs.mean(axis=1)
            plain = _icc(means, np.square(runs - means[:, np.newaxis]).sum(axis=1), k_of_item, 0.95)[1]
            old = one_way_interval("icc_1", found.consistency_estimate, n_items=n, per_item=k, confidence_level=0.95)
            counts["covered"] += ends.low <= true <= ends.high
            counts["jackknife"] += plain.low <= true <= plain.high
            counts["undefined"] += bool(np.isnan(ends.low))
            counts["f_limits"] += old.low <= true <= old.high
            difference = abs(float(new[:, 0].mean() - new[:, 1].mean()))
            counts["floor"] += difference > found.noise_floor + 1e-12
            counts["plain_floor"] += difference > 1.96 * np.sqrt(2) * found.run_sd + 1e-12
        rows.append(
            {"setting": name, "items": n, "runs": k, "true": round(float(true), 3), "data_sets": SETS, **counts}
        )
        print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "reliability_icc.csv")


def page():
    body = []
    for row in read_rows(MEASURED / "reliability_icc.csv"):
        n = int(row["data_sets"])
        covered, floor = binomial_region(n, 0.95).low, binomial_region(n, 0.05).high
        cells = [
            f"{100 * int(row[key]) / n:.1f}" for key in ("covered", "jackknife", "f_limits", "floor", "plain_floor")
        ]
        bad = [int(row[key]) < covered for key in ("covered", "jackknife", "f_limits")]
        bad += [int(row[key]) > floor for key in ("floor", "plain_floor")]
        shown = [f"**{cell}**" if wrong else cell for cell, wrong in zip(cells, bad, strict=True)]
        body.append([row["setting"], row["items"], row["runs"], row["true"], *shown])
    head = ["runs", "items", "runs per item", "true ICC", "interval covers, %", "jackknife, %", "F limits, %",
            "beyond the noise floor, %", "beyond 1.96 √2 SD, %"]  # fmt: skip
    put_between(PAGE, "<!-- reliability -->", markdown(head, body))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true")
    if not parser.parse_args().page:
        measure()
    page()
