"""Planned interval widths beside those that `compare` finds on simulated studies, where items are few.

    python benchmarks/plan_widths.py [--data-sets 400]

Writes docs/measured/plan_widths.csv and the table in docs/evidence/plans.md. Nothing here is a test.
"""

import argparse
import math
import warnings

import numpy as np

from howsure.comparison import compare
from howsure.models import preset
from howsure.planning import plan
from measured import MEASURED, ROOT, markdown, put_between, write_rows

SETTINGS = (
    ("normal", "mae"),
    ("likert-toxicity", "mae"),
    ("categorical-dices", "tv"),
    ("categorical-dices", "accuracy"),
)
EPSILON, K = 0.2, 5


def found_widths(name, metric, n, data_sets):
    """Return the widths of the intervals of simulated studies."""
    widths = []
    for seed in range(data_sets):
        table = preset(name).table(n, (K, K, K), epsilon=EPSILON, rng=seed)
        gold, a, b = table.sources
        found = compare(table.contest(gold=gold, a=a, b=b), metric=metric, rng=seed, n_resamples=1999, workers=1)
        widths.append(found.confidence_interval.width)
    return np.array(widths)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=400)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name, metric in SETTINGS:
        designs = plan(name, epsilon=EPSILON, metrics=metric, n_items=[10, 20, 50], n_responses=[K], rng=0)
        for cell in designs.cells:
            n = cell.design.n_items
            widths = found_widths(name, metric, n, options.data_sets)
            known = widths[~np.isnan(widths)]
            rows.append(
                {
                    "model": name,
                    "metric": metric,
                    "n_items": n,
                    "planned": f"{cell.ci_width:.4g}",
                    "found": f"{known.mean():.4g}",
                    "standard_error": f"{known.std() / math.sqrt(known.size):.2g}",
                    "undefined": int(np.isnan(widths).sum()),
                    "ratio": f"{cell.ci_width / known.mean():.3f}",
                }
            )
            print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "plan_widths.csv")
    table = markdown(
        ["responses", "metric", "items", "planned", "found by `compare`", "planned / found"],
        [
            [row["model"], row["metric"], str(row["n_items"]), row["planned"],
             f"{row['found']} ± {row['standard_error']}", row["ratio"]]
            for row in rows
        ],
    )  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "plans.md", "<!-- widths -->", table)


if __name__ == "__main__":
    main()
