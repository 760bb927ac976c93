"""How fast `plan` is: the FOREST study, one more design, and power; writes docs/measured/plan_speed.csv.

The FOREST study is 5 datasets × 4 ε × 4 metrics × 282 designs (9 budgets, K from 1 to 500) = 22,560 expected p-values
with interval widths. Beside it stands what one-by-one simulation of the same cells would cost, from a sample of them.

    python benchmarks/plan_speed.py [--workers 2] [--limit SETTINGS]

Seconds are wall-clock on an otherwise idle machine; on a busy one look at the processor seconds.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np

from assay._random import seed_of
from assay.metrics import resolve
from assay.models import preset, simulate_contrasts
from assay.planning.exact import ExactEngine
from assay.planning.power import Test, from_pool

DATASETS = ("toxicity", "dices", "d3code", "jobsq1", "jobsq3")
EPSILONS = (0.1, 0.2, 0.3, 0.4)
METRICS = ("accuracy", "tv", "wins", "kl")
BUDGETS = (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000)
RESPONSES = (*range(1, 11), *range(20, 501, 20))
PRECISION = 0.005
STUDIES = 10_000
"""Simulated studies per cell in the papers, for the alternative and for the null each."""


def forest(workers: int, limit: int | None) -> dict[str, object]:
    settings = [(name, epsilon, k) for name in DATASETS for epsilon in EPSILONS for k in RESPONSES]
    if limit is not None:
        settings = settings[:: max(1, len(settings) // limit)]
    wall, cpu = time.perf_counter(), time.process_time()
    cells, matter, worst, items = 0, 0, 0.0, 0
    for name, epsilon, k in settings:
        model = preset(f"categorical-{name}")
        metrics = [resolve(metric).on(model.scale) for metric in METRICS]
        n_items = sorted({budget // k for budget in BUDGETS if budget >= k})
        engine = ExactEngine(model, metrics, (k, k, k), epsilon=epsilon, seed=seed_of(0), workers=workers)
        engine.sharpen(n_items, PRECISION)
        items += max(engine.n_items)
        for n in n_items:
            for outlook in engine.outlooks(n):
                cells += 1
                if 0.01 < outlook.expected_pvalue < 0.2:
                    matter += 1
                    worst = max(worst, outlook.expected_pvalue_error)
    part = "" if limit is None else f" (every {700 // len(settings)}th of 700 settings)"
    return {
        "what": f"FOREST study, expected p and interval width{part}",
        "cells": cells,
        "wall_seconds": round(time.perf_counter() - wall, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "note": f"largest error {worst:.4f} among {matter} cells with .01 < p < .2; {items / 1e6:.1f} million items",
    }


def one_by_one(sample: int = 24, studies: int = 100) -> dict[str, object]:
    """Time the simulation of some cells with few studies, and scale up to the papers' numbers."""
    rng = np.random.default_rng(0)
    shares = []
    designs = [(b, k) for b in BUDGETS for k in RESPONSES if b >= k]
    for _ in range(sample):
        budget, k = designs[rng.integers(len(designs))]
        model = preset(f"categorical-{DATASETS[rng.integers(len(DATASETS))]}")
        metrics = [resolve(metric).on(model.scale) for metric in METRICS]
        begun = time.process_time()
        simulate_contrasts(
            model, metrics, n_items=budget // k, n_responses=k, epsilon=0.2, n_simulations=studies, rng=0, workers=1
        )
        shares.append((time.process_time() - begun) / studies)
    per_design = 2 * STUDIES * float(np.mean(shares))
    total = per_design * len(designs) * len(DATASETS) * len(EPSILONS)
    return {
        "what": "the same by simulating 10,000 studies (and as many null ones) per design, all metrics together",
        "cells": len(designs) * len(DATASETS) * len(EPSILONS) * len(METRICS),
        "wall_seconds": "",
        "cpu_seconds": round(total),
        "note": f"estimated from {sample} designs × {studies} studies",
    }


def one_more() -> dict[str, object]:
    model = preset("likert-toxicity")
    metric = resolve("mae").on(model.scale)
    engine = ExactEngine(model, [metric], (5, 5, 5), epsilon=0.1, seed=seed_of(0), workers=2)
    engine.sharpen([1000], PRECISION)
    engine.outlooks(1000)
    times = []
    for n in (10, 50, 123, 500, 777, 1000, 5000):
        begun = time.perf_counter()
        engine.outlooks(n)
        times.append(time.perf_counter() - begun)
    return {
        "what": "one more design, likert-toxicity mae, K = 5",
        "cells": len(times),
        "wall_seconds": round(float(np.median(times)), 4),
        "cpu_seconds": "",
        "note": f"median of {len(times)}; slowest {1000 * max(times):.1f} ms",
    }


def power(workers: int) -> dict[str, object]:
    model = preset("likert-toxicity")
    metric = resolve("mae").on(model.scale)
    wall, cpu = time.perf_counter(), time.process_time()
    engine = ExactEngine(model, [metric], (5, 5, 5), epsilon=0.1, seed=seed_of(0), workers=workers)
    engine.sharpen_power([1000], 0.006)
    found = from_pool(engine.pools[0], 1000, Test(), seed=seed_of(0))
    return {
        "what": "power of swapped-items at 1,000 × 5, likert-toxicity mae, ε = .1",
        "cells": 1,
        "wall_seconds": round(time.perf_counter() - wall, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "note": f"power {found.power:.3f} ± {found.error:.4f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=int, help="only about this many of the 700 settings")
    arguments = parser.parse_args()
    rows = [power(arguments.workers), one_more(), one_by_one(), forest(arguments.workers, arguments.limit)]
    for row in rows:
        print(" | ".join(str(value) for value in row.values()))
    with Path("docs/measured/plan_speed.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
