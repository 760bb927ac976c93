"""Do the intervals of very many slices hold together? Writes docs/measured/slices_coverage.csv and docs/evidence/intervals.md.

    python benchmarks/slices_coverage.py [--data-sets 100] [--page]

`compare_each(by=…)` of 1,200 slices gives each interval the level 0.95^(1/1,200), so that all of them are right at once in
95 of 100 data sets; 700 slices are compared one by one, and their level lies beyond every draw. Counted is how often all
are right, by MAE of normal answers and by accuracy of labels, whose true advantages are known; and how many intervals of a
data set miss, of which 0.05 would be right.
"""

import math
from dataclasses import replace

import numpy as np

from howsure import Contest
from howsure.comparison import compare_each
from howsure.inference import binomial_region
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

CELLS = [(metric, 1_200, size) for metric in ("mae", "accuracy") for size in (5, 20, 100)] + [("mae", 700, 20)]
NOISE = {"gold": 0.5, "a": 0.6, "b": 0.9}
RIGHT = {"a": 0.7, "b": 0.6}


def drawn(metric, n_items, rng):
    """Return gold, A and B with one response for each item, and the true advantage."""
    if metric == "mae":
        truth = rng.normal(size=n_items)
        sides = [truth + spread * rng.normal(size=n_items) for spread in NOISE.values()]
        far, near = (math.sqrt(2 / math.pi) * math.hypot(NOISE["gold"], NOISE[side]) for side in ("b", "a"))
        return sides, far - near
    gold = rng.choice(list("xyz"), size=n_items)
    wrong = {"x": "y", "y": "z", "z": "x"}
    models = [
        np.array([name if hit else wrong[name] for name, hit in zip(gold, rng.random(n_items) < share, strict=True)])
        for share in RIGHT.values()
    ]
    return [gold, *models], RIGHT["a"] - RIGHT["b"]


def measure(metric, n_slices, size, data_sets, number):
    """Return how often all intervals held at once, and how many missed in all."""
    together = missed = lacking = 0
    groups = {"slice": np.repeat(np.arange(n_slices).astype(str), size)}
    for data_set in range(data_sets):
        sides, true = drawn(metric, size * n_slices, np.random.default_rng([number, data_set]))
        found = compare_each(
            replace(Contest.from_arrays(*sides), groups=groups), metrics=[metric], by="slice", rng=data_set
        )
        ends = np.array([(entry.confidence_interval.low, entry.confidence_interval.high) for entry in found])
        misses = int(((ends[:, 0] > true) | (ends[:, 1] < true)).sum())
        lacking += int(np.isnan(ends[:, 0]).sum())
        missed += misses
        together += misses == 0
    return [
        {
            "metric": metric, "n_items": size, "n_slices": n_slices, "data_sets": data_sets, "together": together,
            "missed": missed, "without_interval": lacking,
        }
    ]  # fmt: skip


def page():
    """Put the table into docs/evidence/intervals.md."""
    rows = []
    for row in read_rows(MEASURED / "slices_coverage.csv"):
        data_sets, together, missed = (int(row[name]) for name in ("data_sets", "together", "missed"))
        region = binomial_region(data_sets, 0.95)
        shown = f"{100 * together / data_sets:.0f}%"
        rows.append([
            row["metric"], f"{int(row['n_slices']):,} × {row['n_items']}", shown if together >= region.low else f"**{shown}**",
            f"{100 * region.low / data_sets:.0f} to {100 * region.high / data_sets:.0f}%", f"{missed / data_sets:.2f}",
            f"{int(row['without_interval']) / (data_sets * int(row['n_slices'])):.1%}", f"{data_sets}",
        ])  # fmt: skip
    head = [
        "metric",
        "slices × items",
        "all right at once",
        "region of 95%",
        "misses in a data set",
        "no interval",
        "data sets",
    ]
    put_between(ROOT / "docs" / "evidence" / "intervals.md", "<!-- slices -->", markdown(head, rows))


if __name__ == "__main__":
    run_cells(__doc__, "slices_coverage.csv", CELLS, measure, page, data_sets=100)
