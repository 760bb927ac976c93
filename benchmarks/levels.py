"""Measure type-I error of every null and coverage of every interval; write docs/measured/{levels,coverage}.csv.

    python benchmarks/levels.py levels [--data-sets 2000] [--out docs/measured/levels.csv]
    python benchmarks/levels.py coverage [--data-sets 2000] [--out docs/measured/coverage.csv]

Data: item means μ ~ U(0, 1), item standard deviations σ ~ U(0, 0.3) (METHODS §2). Metrics for labels see the same
responses cut into five levels. Two true nulls:

* same: A and B answer from gold's own distribution;
* different errors: on each item A's mean is μ + δ_A and B's is μ + δ_B, δ independent U(−0.3, 0.3): equally good on
  average, wrong on different items.

For coverage, A is ideal and B's mean is shifted by U(−0.3, 0.3); the truth is the expected contrast of that design,
from 2,000 (additive metrics) or 4,000 (others) large simulations.
"""

import argparse
import csv
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from assay import Contest, compare_each
from assay.errors import AssayWarning
from assay.inference import clopper_pearson
from assay.metrics import resolve
from assay.resampling import summaries_of

ROOT = Path(__file__).parents[1]
NUMBERS = ("mae", "wins", "spearman")
LABELS = ("tv", "accuracy")
NULLS = {
    "swapped-items": {},
    "recentred": {},
    "dealt-responses": {},
    "pooled-responses": {"responses": "bootstrap"},
}
ALPHA = 0.05


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


def level_cell(cell):
    """Count rejections of one (truth, N, K, null) over data sets."""
    truth, n, k, null, n_data_sets = cell
    warnings.simplefilter("ignore", AssayWarning)
    rejected = dict.fromkeys(NUMBERS + LABELS, 0)
    for number in range(n_data_sets):
        rng = np.random.default_rng([number, n, k, sum(map(ord, truth))])
        for contest, metrics in data_set(rng, n, k, truth):
            found = compare_each(
                contest, metrics=metrics, null=null, n_resamples=199, rng=number, workers=1, correction="none",
                interval="percentile", **NULLS[null],
            )  # fmt: skip
            for entry in found:
                rejected[entry.metric] += entry.pvalue <= ALPHA
    rows = []
    for metric, count in rejected.items():
        ends = clopper_pearson(count, n_data_sets)
        rows.append(
            {
                "null": null, "true_because": truth, "n_items": n, "n_responses": k, "metric": metric,
                "n_data_sets": n_data_sets, "rejected": count, "level": count / n_data_sets,
                "low": round(ends.low, 5), "high": round(ends.high, 5),
            }  # fmt: skip
        )
    return rows


def expected_contrasts(n, k, truth="B worse"):
    """Return each metric's expected contrast at a design, with its standard error."""
    sums = {}
    large = 20_000
    for number in range(40 if n < 1000 else 10):
        rng = np.random.default_rng([number, n, k, 99])
        for contest, metrics in data_set(rng, large, k, truth):
            for name in metrics:
                metric = resolve(name).on(contest.scale)
                gold, a, b = summaries_of(contest, metric.needs)
                if metric.additive:
                    parts = [float(metric.contrast(gold, a, b))]
                else:  # the expectation depends on N: score many data sets of N items
                    cuts = [slice(start, start + n) for start in range(0, large - n + 1, n)][:200]
                    parts = [float(metric.contrast(gold[c], a[c], b[c])) for c in cuts]
                sums.setdefault(name, []).extend(parts)
    return {name: (np.mean(parts), np.std(parts) / len(parts) ** 0.5) for name, parts in sums.items()}


def coverage_cell(cell):
    """Count how often each interval holds the expected contrast."""
    n, k, n_data_sets = cell
    warnings.simplefilter("ignore", AssayWarning)
    truth = expected_contrasts(n, k)
    counts = {}
    for number in range(n_data_sets):
        rng = np.random.default_rng([number, n, k, 7])
        for contest, metrics in data_set(rng, n, k, "B worse"):
            found = compare_each(
                contest, metrics=metrics, n_resamples=999, rng=number, workers=1, correction="none"
            )
            for entry in found:
                methods = ("percentile", "basic", "bca") + (("studentised",) if entry.metric != "spearman" else ())
                for method in methods:
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
                "interval": method, "n_items": n, "n_responses": k, "metric": metric, "n_data_sets": defined,
                "undefined": undefined, "covered": held, "coverage": held / defined, "low": round(ends.low, 5),
                "high": round(ends.high, 5), "mean_width": width / defined, "truth": truth[metric][0],
                "truth_error": truth[metric][1],
            }  # fmt: skip
        )
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("levels", "coverage"))
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out")
    options = parser.parse_args()
    b = options.data_sets
    if options.study == "levels":
        task = level_cell
        cells = [
            (truth, 50, k, null, b) for truth in ("same", "different errors") for k in (1, 2, 5, 20) for null in NULLS
        ]
    else:
        task = coverage_cell
        cells = [(n, k, b) for n in (20, 50, 200) for k in (1, 5)]
    out = Path(options.out or ROOT / "docs" / "measured" / f"{options.study}.csv")
    started = time.time()
    rows = []
    with ProcessPoolExecutor(options.workers) as pool:
        for number, part in enumerate(pool.map(task, cells), 1):
            rows += part
            print(f"{number}/{len(cells)} cells, {time.time() - started:.0f} s", file=sys.stderr)
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
