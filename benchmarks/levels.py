"""Measure type-I error of every null and coverage of every interval; write docs/measured/{levels,coverage}.csv.

    python benchmarks/levels.py levels [--data-sets 2000] [--null sign-flip] [--out docs/measured/levels.csv]
    python benchmarks/levels.py coverage [--data-sets 2000] [--out docs/measured/coverage.csv]
    python benchmarks/levels.py unequal [--data-sets 2000] [--out docs/measured/unequal.csv]
    python benchmarks/levels.py ranks [--data-sets 4000] [--out docs/measured/ranks.csv]

`python benchmarks/levels_page.py` makes docs/evidence/levels.md of the four.

Data: item means μ ~ U(0, 1), item standard deviations σ ~ U(0, 0.3) (METHODS §2). Metrics for labels see the same
responses cut into five levels. Two true nulls:

* same: A and B answer from gold's own distribution;
* different errors: on each item A's mean is μ + δ_A and B's is μ + δ_B, δ independent U(−0.3, 0.3): equally good on
  average, wrong on different items.

For coverage, A is ideal and B's mean is shifted by U(−0.3, 0.3); the truth is the expected advantage of that design,
from 2,000 (additive metrics) or 4,000 (others) large simulations.
"""

import argparse
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.special import bdtr

from howsure import Contest
from howsure._random import seed_of
from howsure.comparison import compare_each
from howsure.errors import HowsureWarning
from howsure.inference import clopper_pearson, tail_pvalue
from howsure.intervals import INTERVALS
from howsure.metrics import resolve
from howsure.resampling import Scheme, Stack, draw, summaries_of
from measured import read_rows, write_rows

ROOT = Path(__file__).parents[1]
NUMBERS = ("mae", "wins", "spearman")
UNEQUAL = ("mae", "tv", "accuracy", "wins", "spearman")
LABELS = ("tv", "accuracy")
COVERED = (*NUMBERS, "wins-responses")
"""The metrics of numbers whose intervals are measured."""
NULLS = {  # each null with the scheme that `compare` draws it under
    "sign-flip": Scheme(items="all"),
    "shifted-bootstrap": Scheme(),
    "permuted-responses": Scheme(),
    "pooled-responses": Scheme(responses="bootstrap"),
}
ALPHA = 0.05
N_DRAWS = 199
FEW_VALUES = ("wins", "tv", "accuracy")
GRID = 3600  # item advantages of labels with up to 20 responses and ties of up to 5 labels on either side are multiples of 1 / 3600


def responses(rng, means, sds, k):
    return means[:, np.newaxis] + sds[:, np.newaxis] * rng.normal(size=(means.size, k))


def cut(values):
    return np.clip(np.floor(5 * values), 0, 4)


def data_set(rng, n, k, truth):
    """Draw gold, A and B as numbers and cut into five levels."""
    means, sds = rng.random(n), 0.3 * rng.random(n)
    shift = {
        "same": (0.0, 0.0),
        "different errors": (rng.uniform(-0.3, 0.3, n), rng.uniform(-0.3, 0.3, n)),
        "B worse": (0.0, rng.uniform(-0.3, 0.3, n)),
    }[truth]
    arrays = [responses(rng, means, sds, k)]
    arrays += [responses(rng, np.clip(means + delta, 0, 1), sds, k) for delta in shift]
    numbers = Contest.from_arrays(*arrays, scale="continuous")
    labels = Contest.from_arrays(*(cut(array) for array in arrays), scale="ordinal")
    return ((numbers, NUMBERS), (labels, LABELS))


def null_advantages(contest, metrics, null, number):
    """Return the advantages of each metric in draws of a null: (metrics, draws)."""
    shifted = null == "shifted-bootstrap"
    draws = draw(
        Stack(contest), metrics, scheme=NULLS[null], exchange=None if shifted else null, n_resamples=N_DRAWS,
        seed=seed_of(number),
    )  # fmt: skip
    return (draws.shifted() if shifted else draws).advantages[:, 0]


def attainable(advantages, n_draws):
    """Return how often an exact test by swapped signs rejects, given the sizes of item advantages that take few values.

    The advantages are multiples of a unit. Their sum with fair signs is found by convolution, and a two-sided p-value
    from `n_draws` draws is at most 5% when at most `most` of them reach the observed sum on its side.
    """
    steps = np.rint(np.abs(advantages) * GRID).astype(np.int64)
    assert np.allclose(steps / GRID, np.abs(advantages), rtol=0, atol=1e-9)
    steps = steps[steps > 0]
    if not steps.size:
        return 0.0
    chances = np.ones(1)
    for step in steps // np.gcd.reduce(steps):
        still = np.zeros(2 * step)
        chances = (np.concatenate([chances, still]) + np.concatenate([still, chances])) / 2
    reached = np.cumsum(chances[::-1])[::-1]
    most = int(ALPHA / 2 * (n_draws + 1)) - 1
    return float(2 * (chances * bdtr(most, n_draws, np.minimum(reached, 1.0))).sum())


def level_cell(cell):
    """Count rejections of one (truth, N, K, null) over data sets."""
    truth, n, k, null, n_data_sets = cell
    warnings.simplefilter("ignore", HowsureWarning)
    rejected = dict.fromkeys(NUMBERS + LABELS, 0)
    expected = dict.fromkeys(FEW_VALUES if (null, n) == ("sign-flip", 50) else (), 0.0)
    for number in range(n_data_sets):
        rng = np.random.default_rng([number, n, k, sum(map(ord, truth))])
        for contest, names in data_set(rng, n, k, truth):
            metrics = [resolve(name).on(contest.scale) for name in names]
            for metric, null_draws in zip(metrics, null_advantages(contest, metrics, null, number), strict=True):
                summaries = summaries_of(contest, metric.needs)
                observed = float(metric.advantage(*summaries))
                rejected[metric.name] += tail_pvalue(observed, null_draws).pvalue <= ALPHA
                if metric.name in expected:
                    expected[metric.name] += attainable(metric.item_advantages(*summaries), N_DRAWS) / n_data_sets
    rows = []
    for metric, count in rejected.items():
        ends = clopper_pearson(count, n_data_sets)
        rows.append(
            {
                "null": null,
                "true_because": truth,
                "n_items": n,
                "n_responses": k,
                "metric": metric,
                "n_data_sets": n_data_sets,
                "rejected": count,
                "level": count / n_data_sets,
                "low": round(ends.low, 5),
                "high": round(ends.high, 5),
                "attainable": round(expected[metric], 5) if metric in expected else "",
            }
        )
    return rows


def unequal_cell(cell):
    """Count rejections where A and B answer alike but not equally often: with all runs, and as `compare` scores them."""
    k_a, k_b, n_data_sets = cell
    rejected = {name: [0, 0] for name in UNEQUAL}
    for number in range(n_data_sets):
        rng = np.random.default_rng([number, k_a, k_b, 3])
        means, sds = rng.random(50), 0.3 * rng.random(50)
        sides = [responses(rng, means, sds, k) for k in (5, k_a, k_b)]
        cut = [np.clip(np.floor(5 * side), 0, 4) for side in sides]
        for contest, names in (
            (Contest.from_arrays(*sides, scale="continuous"), ("mae", "wins", "spearman")),
            (Contest.from_arrays(*cut, scale="nominal"), ("accuracy", "tv")),
        ):
            fair = compare_each(contest, metrics=names, correction="none", n_resamples=N_DRAWS, rng=number, workers=1)
            for name, entry in zip(names, fair, strict=True):
                metric = resolve(name).on(contest.scale)
                (null_draws,) = null_advantages(contest, [metric], "sign-flip", number)
                observed = float(metric.advantage(*summaries_of(contest, metric.needs)))
                rejected[name][0] += tail_pvalue(observed, null_draws).pvalue <= ALPHA
                rejected[name][1] += entry.pvalue <= ALPHA
    return [
        {"k_a": k_a, "k_b": k_b, "metric": metric, "runs": runs, "n_data_sets": n_data_sets, "rejected": count}
        for metric, both in rejected.items()
        for runs, count in zip(("all", "equal"), both, strict=True)
    ]


def ranks_cell(cell):
    """Count rejections of swapped ranks for few items."""
    truth, n, k, n_data_sets = cell
    metrics = [resolve(name) for name in ("spearman", "kendall")]
    rejected = dict.fromkeys((metric.name for metric in metrics), 0)
    for number in range(n_data_sets):
        rng = np.random.default_rng([number, n, k, sum(map(ord, truth))])
        contest = data_set(rng, n, k, truth)[0][0]
        for metric, null_draws in zip(metrics, null_advantages(contest, metrics, "sign-flip", number), strict=True):
            observed = float(metric.advantage(*summaries_of(contest, metric.needs)))
            rejected[metric.name] += tail_pvalue(observed, null_draws).pvalue <= ALPHA
    design = {"true_because": truth, "n_items": n, "n_responses": k, "n_data_sets": n_data_sets}
    return [{**design, "metric": metric, "rejected": count} for metric, count in rejected.items()]


def covered(metrics):
    return COVERED if metrics is NUMBERS else metrics


def expected_advantages(n, k, truth="B worse"):
    """Return each metric's expected advantage at a design, with its standard error."""
    sums = {}
    large = 20_000
    for number in range(40 if n < 1000 else 10):
        rng = np.random.default_rng([number, n, k, 99])
        for contest, metrics in data_set(rng, large, k, truth):
            for name in covered(metrics):
                metric = resolve(name).on(contest.scale)
                gold, a, b = summaries_of(contest, metric.needs)
                if metric.additive:
                    parts = [float(metric.advantage(gold, a, b))]
                else:  # the expectation depends on N: score many data sets of N items
                    cuts = [slice(start, start + n) for start in range(0, large - n + 1, n)][:200]
                    parts = [float(metric.advantage(gold[c], a[c], b[c])) for c in cuts]
                sums.setdefault(name, []).extend(parts)
    return {name: (np.mean(parts), np.std(parts) / len(parts) ** 0.5) for name, parts in sums.items()}


def coverage_cell(cell):
    """Count how often each interval holds the expected advantage."""
    n, k, n_data_sets = cell
    warnings.simplefilter("ignore", HowsureWarning)
    truth = expected_advantages(n, k)
    counts = {}
    for number in range(n_data_sets):
        rng = np.random.default_rng([number, n, k, 7])
        for contest, metrics in data_set(rng, n, k, "B worse"):
            asked = {"metrics": covered(metrics), "n_resamples": 999, "workers": 1, "correction": "none"}
            found = compare_each(contest, rng=number, **asked)
            for entry in found:
                metric = resolve(entry.metric)
                for method in INTERVALS:
                    if not INTERVALS[method].possible(item_scores=metric.additive, items_alone=True) or (
                        not INTERVALS[method].fits(metric)
                    ):
                        continue
                    ends = entry.at(interval=method).confidence_interval
                    seen = counts.setdefault((entry.metric, method), [0, 0, 0, 0.0])
                    if np.isnan(ends.low):
                        seen[2] += 1
                        continue
                    target = truth[entry.metric][0]
                    seen[0] += ends.low <= target <= ends.high
                    seen[1] += 1
                    seen[3] += ends.width
    rows = []
    for (metric, method), (held, defined, undefined, width) in counts.items():
        ends = clopper_pearson(held, defined)
        rows.append(
            {
                "interval": method,
                "n_items": n,
                "n_responses": k,
                "metric": metric,
                "n_data_sets": defined,
                "undefined": undefined,
                "covered": held,
                "coverage": held / defined if defined else float("nan"),
                "low": round(ends.low, 5),
                "high": round(ends.high, 5),
                "mean_width": width / defined if defined else float("nan"),
                "truth": truth[metric][0],
                "truth_error": truth[metric][1],
            }
        )
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("levels", "coverage", "unequal", "ranks"))
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--null", choices=list(NULLS), help="measure the levels of this null only; keep the others' rows"
    )
    parser.add_argument(
        "--items", type=int, help="with --null: measure this number of items only; keep the others' rows"
    )
    parser.add_argument("--out")
    options = parser.parse_args()
    b = options.data_sets
    if options.study == "levels":
        task = level_cell
        cells = [
            (truth, n, k, null, b)
            for truth in ("same", "different errors")
            for k in (1, 2, 5, 20)
            for null, n in [*((null, 50) for null in NULLS), ("sign-flip", 1000)]
        ]
    elif options.study == "unequal":
        task = unequal_cell
        cells = [(k_a, k_b, b) for k_a, k_b in ((3, 3), (2, 3), (1, 2), (1, 5), (5, 20))]
    elif options.study == "ranks":
        task = ranks_cell
        cells = [(truth, n, k, b) for truth in ("same", "different errors") for n in (20, 30, 50) for k in (1, 5, 20)]
    else:
        task = coverage_cell
        cells = [(n, k, b) for n in (20, 50, 200) for k in (1, 5)]
    out = Path(options.out or ROOT / "docs" / "measured" / f"{options.study}.csv")
    started = time.time()
    rows = []
    if options.null:
        cells = [cell for cell in cells if options.null in cell and options.items in (None, cell[1])]
        rows = [
            row
            for row in read_rows(out)
            if row["null"] != options.null or options.items not in (None, int(row["n_items"]))
        ]
    with ProcessPoolExecutor(options.workers) as pool:
        for number, part in enumerate(pool.map(task, cells), 1):
            rows += part
            print(f"{number}/{len(cells)} cells, {time.time() - started:.0f} s", file=sys.stderr)
    write_rows(rows, out)


if __name__ == "__main__":
    main()
