"""How fast `plan` is: the FOREST study, one more design, and power; writes docs/measured/plan_speed.csv.

The FOREST study is 5 datasets × 4 ε × 4 metrics × 282 designs (9 budgets, K from 1 to 500) = 22,560 expected p-values
with interval widths. Beside it stands what one-by-one simulation of the same cells would cost, from a sample of them.

    python benchmarks/plan_speed.py [--workers 2] [--limit SETTINGS] [--checks CELLS]

Seconds are wall-clock on an otherwise idle machine; on a busy one look at the processor seconds. A sample of the cells
is computed again from another seed and with a quarter of the error, which says whether the claimed errors are right.
"""

import argparse
import math
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes are the parallelism; must come before NumPy

import numpy as np

from howsure._random import seed_of
from howsure.metrics import resolve
from howsure.models import preset, simulate_advantages
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.expected_scores import mean_advantages, n_expected
from howsure.planning.engines.item_scores import ITEMS, Setting, draw_blocks
from howsure.planning.engines.pool_power import power_from_pool
from howsure.planning.engines.simulated_pvalues import Test
from measured import write_rows

DATASETS = ("toxicity", "dices", "d3code", "jobsq1", "jobsq3")
EPSILONS = (0.1, 0.2, 0.3, 0.4)
METRICS = ("accuracy", "tv", "wins", "kl")
BUDGETS = (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000)
RESPONSES = (*range(1, 11), *range(20, 501, 20))
PRECISION = 0.005
STUDIES = 10_000
"""Simulated studies per cell in the papers, for the alternative and for the null each."""


SETTINGS = tuple((name, epsilon, k) for name in DATASETS for epsilon in EPSILONS for k in RESPONSES)


@dataclass(frozen=True)
class Answer:
    """One expected p-value of the study, and how it was asked for."""

    setting: tuple[str, float, int]
    metric: str
    n_items: int
    pvalue: float
    error: float

    @property
    def matters(self) -> bool:
        """Whether the precision was asked for here."""
        return 0.01 < self.pvalue < 0.2


def engine_of(setting: tuple[str, float, int], metrics: tuple[str, ...] = METRICS, seed: int = 0) -> ExactEngine:
    name, epsilon, k = setting
    model = preset(f"categorical-{name}")
    bound = [resolve(metric).on(model.scale) for metric in metrics]
    return ExactEngine(model, bound, (k, k, k), epsilon=epsilon, seed=seed_of(seed), workers=1)


def solve(setting: tuple[str, float, int]) -> tuple[list[Answer], int, float]:
    """Answer for every budget and metric of one setting; also return the items simulated and the processor time."""
    begun = time.process_time()
    engine = engine_of(setting)
    n_items = sorted({budget // setting[2] for budget in BUDGETS if budget >= setting[2]})
    engine.sharpen(n_items, PRECISION)
    found = []
    for n in n_items:
        for metric, outlook in zip(METRICS, engine.outlooks(n), strict=True):
            found.append(Answer(setting, metric, n, outlook.expected_pvalue, outlook.expected_pvalue_error))
    return found, sum(engine.n_items), time.process_time() - begun


def again(answer: Answer) -> float:
    """Return how many standard errors an answer is from that of another seed and several times the precision."""
    engine = engine_of(answer.setting, (answer.metric,), seed=1)
    engine.sharpen([answer.n_items], PRECISION / 4)
    [outlook] = engine.outlooks(answer.n_items)
    return (answer.pvalue - outlook.expected_pvalue) / math.hypot(answer.error, outlook.expected_pvalue_error)


def forest(workers: int, limit: int | None, checks: int) -> list[dict[str, object]]:
    """Run the study, one setting after another in each process, and then some of its cells again."""
    settings = SETTINGS if limit is None else SETTINGS[:: max(1, len(SETTINGS) // limit)]
    wall = time.perf_counter()
    with ProcessPoolExecutor(workers) as pool:
        # Many labels cost most: they go first, so that the processes end together.
        done = list(pool.map(solve, settings[::-1]))
        wall = time.perf_counter() - wall
        answers = [answer for found, _, _ in done for answer in found]
        inside = [answer for answer in answers if answer.matters]
        chosen = np.random.default_rng(0).permutation(len(inside))[:checks]
        wall_checks = time.perf_counter()
        deviations = np.abs(list(pool.map(again, [inside[i] for i in chosen])))
        wall_checks = time.perf_counter() - wall_checks
    worst = max(answer.error for answer in inside)
    items = sum(n for _, n, _ in done)
    part = "" if limit is None else f" ({len(settings)} of {len(SETTINGS)} settings)"
    slowest = max(done, key=lambda each: each[2])
    study = {
        "what": f"FOREST study, expected p and interval width{part}, {workers} processes",
        "cells": len(answers),
        "wall_seconds": round(wall, 1),
        "cpu_seconds": round(sum(seconds for _, _, seconds in done), 1),
        "note": f"largest error {worst:.4f} among {len(inside)} cells with .01 < p < .2; {items / 1e6:.1f} million item "
        f"scores; slowest setting {slowest[0][0].setting} {slowest[2]:.1f} s",
    }
    check = {
        "what": "cells with .01 < p < .2 again, another seed, a quarter of the error",
        "cells": len(deviations),
        "wall_seconds": round(wall_checks, 1),
        "cpu_seconds": "",
        "note": f"deviation in standard errors: root mean square {math.sqrt(np.mean(deviations**2)):.2f}, "
        f"beyond 2: {np.mean(deviations > 2):.1%}, largest {deviations.max():.1f}",
    }
    return [study, check]


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
        simulate_advantages(
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


def an_item() -> dict[str, object]:
    """Say how many independent scores an item is worth for the mean: drawn, and with its responses summed up."""
    model = preset("categorical-jobsq1")
    metric = resolve("kl").on(model.scale)
    setting = Setting(model, (6, 6, 6), 0.2)
    blocks = [block for [block] in draw_blocks(setting, [metric], range(400), seed_of(0))]
    means, squares = np.array([block.moments for block in blocks]).T
    expected = [mean for [mean] in mean_advantages(setting, [metric], range(400), seed_of(0))]
    variance = squares.mean() - means.mean() ** 2
    drawn, summed = variance / (means.var() * ITEMS), variance / (np.var(expected) * n_expected(setting, "by level"))
    return {
        "what": "independent scores that one item is worth for the mean, jobsq1 kl, K = 6",
        "cells": 1,
        "wall_seconds": "",
        "cpu_seconds": "",
        "note": f"{drawn:.1f} drawn, {summed:.0f} with its responses summed up",
    }


def power(workers: int) -> dict[str, object]:
    model = preset("likert-toxicity")
    metric = resolve("mae").on(model.scale)
    wall, cpu = time.perf_counter(), time.process_time()
    engine = ExactEngine(model, [metric], (5, 5, 5), epsilon=0.1, seed=seed_of(0), workers=workers)
    engine.sharpen_power([1000], 0.006)
    found = power_from_pool(engine.pools[0], 1000, Test(), seed=seed_of(0))
    return {
        "what": "power of sign-flip at 1,000 × 5, likert-toxicity mae, ε = .1",
        "cells": 1,
        "wall_seconds": round(time.perf_counter() - wall, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "note": f"power {found.power:.3f} ± {found.error:.4f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=int, help="only about this many of the 700 settings")
    parser.add_argument("--checks", type=int, default=100, help="cells to compute again")
    arguments = parser.parse_args()
    rows = [power(arguments.workers), one_more(), an_item(), one_by_one()]
    rows += forest(arguments.workers, arguments.limit, arguments.checks)
    for row in rows:
        print(" | ".join(str(value) for value in row.values()))
    write_rows(rows, "docs/measured/plan_speed.csv")


if __name__ == "__main__":
    main()
