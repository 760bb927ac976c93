"""Do plans come true whose pilot has two equally good models? Writes docs/measured/plan_equal_pilots.csv.

    python benchmarks/plan_equal_pilots.py [--data-sets 40]
    python benchmarks/plan_equal_pilots.py --page      put the table into docs/evidence/plans.md

Each pilot has 60 items. A and B are equally good there, and the difference is given to the plan. In the study B is worse by
this difference: its errors have a larger standard deviation (normal), or it guesses more often (labels of three kinds). Items
differ in how hard they are for both models, with the spread named in the row. Planned is the number of items for 80% power
with the sign-flip test. Reported are the median over pilots of the power that these studies have, and the lowest 10%.
"""

import os
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from howsure import Contest
from howsure.errors import HowsureWarning
from howsure.metrics import resolve
from howsure.planning import Effect, plan
from howsure.planning.engines.decisions import Test
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

ITEMS, POWER, STUDIES = 60, 0.8, 1000
FILE = "plan_equal_pilots.csv"
CASES = [
    ("normal", "mae", 0.5, 0.0), ("normal", "mae", 0.25, 0.0), ("normal", "mae", 0.5, 0.5), ("normal", "mse", 0.2, 0.0),
    ("normal", "wins", 0.5, 0.0), ("labels", "accuracy", 0.2, 0.0), ("labels", "accuracy", 0.1, 0.0),
    ("labels", "accuracy", 0.1, 0.3), ("labels", "tv", 0.2, 0.0),
]  # fmt: skip
"""Data, metric, by how much worse B is (a share of its error, or of all labels), and how much items differ."""


def drawn(kind, n_items, worse, spread, rng):
    """Return gold, A and B: one response each."""
    if kind == "normal":
        gold = rng.normal(size=n_items)
        hard = np.exp(spread * rng.normal(size=n_items))
        a, b = (gold + 0.5 * sd * hard * rng.normal(size=n_items) for sd in (1.0, 1 + worse))
        return gold, a, b
    gold = rng.integers(0, 3, n_items)
    easy = np.clip(0.8 + spread * rng.normal(size=n_items), 0, 1)
    a, b = (
        np.where(rng.random(n_items) < easy * right, gold, (gold + rng.integers(1, 3, n_items)) % 3)
        for right in (1.0, 1 - worse / easy.mean())
    )
    return gold, a, b


def advantages(metric, gold, a, b):
    """Return the item advantages, by the metric's definition."""
    if metric == "mae":
        return np.abs(b - gold) - np.abs(a - gold)
    if metric == "mse":
        return np.square(b - gold) - np.square(a - gold)
    if metric == "wins":
        return np.sign(np.abs(b - gold) - np.abs(a - gold))
    return (a == gold).astype(float) - (b == gold)  # total variation of one response each is the same


def measure(kind, metric, worse, spread, count, number):
    """Return the row of one setting."""
    warnings.simplefilter("ignore", HowsureWarning)
    true = float(advantages(metric, *drawn(kind, 2_000_000, worse, spread, np.random.default_rng(99))).mean())
    powers, items = [], []
    for i in range(count):
        rng = np.random.default_rng([number, i])
        sides = drawn(kind, ITEMS, 0.0, spread, rng)
        pilot = Contest.from_arrays(*(side if kind == "normal" else side.astype(str) for side in sides))
        found = plan(pilot, metrics=metric, effect=Effect(resolve(metric), true), n_responses=[1], rng=0, workers=1)
        n = found.recommended.n_items
        rows = np.array([advantages(metric, *drawn(kind, n, worse, spread, rng)) for _ in range(STUDIES)])
        powers.append(float(Test().decide(rows).mean()))
        items.append(n)
    return [{
        "data": kind, "metric": metric, "worse": worse, "spread": spread, "difference": f"{true:.4g}", "pilots": count,
        "items": round(float(np.median(items))), "power": round(float(np.median(powers)), 3),
        "low": round(float(np.quantile(powers, 0.1)), 3), "high": round(float(np.quantile(powers, 0.9)), 3),
    }]  # fmt: skip


def page():
    """Put the table into the page of evidence."""
    head = ["data, metric", "B is worse by", "items differ", "difference", "items", "true power (80% of pilots)"]
    body = [
        [f"{r['data']}, {r['metric']}", r["worse"], r["spread"], r["difference"], r["items"],
         f"{r['power']} ({r['low']}–{r['high']})"]
        for r in read_rows(MEASURED / FILE)
    ]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "plans.md", "<!-- equal pilots -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, FILE, CASES, measure, page, data_sets=40)
