"""Time the two-way bootstrap on a million ratings of 2,000 raters; write docs/measured/raters_speed.csv.

    python benchmarks/raters_speed.py [--workers 2]

100,000 items, ten ratings each by raters drawn from 2,000; gold-free mean rating of two models (a million ratings of each
model) and mean absolute error against a gold of a million ratings. The first draws compile the kernels and are not
counted. Peak memory is that of the whole process.
"""

import argparse
import csv
import resource
import time
from pathlib import Path

import numpy as np

from assay import Contest, Responses
from assay._random import seed_of
from assay.metrics import resolve
from assay.resampling import Scheme, draw
from assay.scales import Scale

ROOT = Path(__file__).parents[1]
N_ITEMS, PER_ITEM, N_RATERS, N_DRAWS = 100_000, 10, 2_000, 2_000


def contests():
    """Yield (metric, contest): ratings of two models, and two models against the ratings of gold."""
    rng = np.random.default_rng(0)
    offsets = np.arange(N_ITEMS + 1) * PER_ITEM
    raters = rng.integers(N_RATERS, size=N_ITEMS * PER_ITEM)
    severity = rng.normal(size=N_RATERS)[raters]
    rated = [Responses(severity + rng.normal(size=raters.size), offsets, raters) for _ in range(2)]
    names = np.arange(N_ITEMS).astype(str)
    yield "rating", Contest(None, *rated, Scale("continuous"), names, ("", "A", "B"))
    models = [Responses(rng.normal(size=N_ITEMS), np.arange(N_ITEMS + 1)) for _ in range(2)]
    yield "mae", Contest(rated[0], *models, Scale("continuous"), names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", default=ROOT / "docs" / "measured" / "raters_speed.csv")
    options = parser.parse_args()
    rows = []
    for name, contest in contests():
        how = {"scheme": Scheme(raters="bootstrap"), "null": None, "seed": seed_of(0), "workers": options.workers}
        metric = resolve(name).on(contest.scale)
        draw(contest, [metric], n_resamples=2, **how)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.perf_counter()
        draw(contest, [metric], n_resamples=N_DRAWS, **how)
        seconds = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        rows.append(
            {
                "metric": name,
                "n_items": N_ITEMS,
                "n_ratings": sum(s.values.size for s in contest.sources.values()),
                "n_raters": N_RATERS,
                "n_draws": N_DRAWS,
                "workers": options.workers,
                "seconds": round(seconds, 1),
                "peak_mb_after_2_draws": before // 1024,
                "peak_mb_after_all_draws": after // 1024,
            }
        )
        print(rows[-1])
    with Path(options.out).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
