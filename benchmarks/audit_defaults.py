"""Audit the package's own defaults; write docs/measured/audit_{tests,intervals}.csv.

    python benchmarks/audit_defaults.py run [--items 50,200,1000] [--responses 1,3,5,20] [--workers 2] [--done FILE]
    python benchmarks/audit_defaults.py skewed   # few items and skewed advantages: docs/measured/audit_skewed.csv

`python benchmarks/audit_defaults_page.py` makes docs/audit-defaults.md of them.

Data: normal, Likert with five levels (LEADER's toxicity model), binary (RATINGS' MultiDomain model), three
categories (FOREST's DICES model); B is perturbed by ε = 0.2, in the second true null A and B by halves. Estimators: what
`compare` does by default, p by swapped items, and the intervals that could be its default; beside them the paired t
test. This is `howsure audit` in a tighter loop: data sets are simulated as summaries, many at a time, and metrics with
item scores are resampled by the kernels of `compare` without a contest around them. Every cell is written to a file of
lines as it is done, and the run goes on from there.
"""

import argparse
import json
import time
import zlib
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np

from howsure import Contest, models
from howsure.auditing.estimators import analyse
from howsure.comparison import compare
from howsure.comparison.moments import settled
from howsure.inference import binomial_region, tail_pvalue
from howsure.intervals import interval
from howsure.intervals.default import default_interval
from howsure.metrics import resolve
from howsure.models import simulate_advantages
from howsure.models.simulation import derive
from howsure.resampling import _kernels
from measured import write_rows

ROOT = Path(__file__).parents[1]
MEASURED = ROOT / "docs" / "measured"
DATA = {
    "normal": ("normal", ("mae", "wins")),
    "Likert, 5 levels": ("likert-toxicity", ("mae", "wins", "tv")),
    "binary": ("likert-multidomain", ("mae", "accuracy")),
    "3 categories": ("categorical-dices", ("accuracy", "tv", "js")),
    "normal, ranks": ("normal", ("spearman",)),
}
TRUTHS = {"same": (0.0, None), "different errors": (0.2, "split"), "B worse": (0.2, None)}
EPSILON, ALPHA, LEVEL = 0.2, 0.05, 0.95
N_DRAWS = {"scores": 999, "ranks": 399}
"""A level of 5% is exact with these: p is a multiple of 2 / (draws + 1)."""
N_DATA_SETS = {50: (4000, 2000), 200: (2000, 1000), 1000: (1000, 400)}
"""For each number of items: data sets for metrics with item scores, and for ranks, which cost more."""
SKEWED = (
    ("normal", ("mae", "mse"), "means", 0.7),
    ("normal", ("mae", "mse"), "means", 0.2),
    ("categorical-dices", ("kl", "js", "tv"), "counts", 0.3),
    ("likert-toxicity", ("mse", "kl", "emd"), "counts", 0.3),
)
N_SKEWED = 2000
SKEWED_REGION = binomial_region(N_SKEWED, LEVEL, confidence_level=0.99)
ROUNDING = 100 * np.finfo(float).eps


def seed(*names):
    return np.random.SeedSequence([zlib.crc32(str(name).encode()) for name in names])


def cell(title, n, k, truth, n_data_sets):
    """Return the counts of one cell: rejections by test, and intervals that hold the expected advantage."""
    started = time.process_time()
    name, names = DATA[title]
    model = models.preset(name)
    metrics = [resolve(metric).on(model.scale) for metric in names]
    epsilon, perturbation = TRUTHS[truth]
    ranked = title == "normal, ranks"
    goals = np.zeros(len(metrics))
    if truth == "B worse":
        # The expected item advantage does not depend on the number of items; a rank correlation does.
        simulated = simulate_advantages(
            model, metrics, n_items=n if ranked else 1000, n_responses=k, epsilon=epsilon, n_simulations=4000,
            rng=seed(title, k, n, "goal"), workers=1,
        )  # fmt: skip
        goals = simulated.mean(axis=1)
    needs = {metric.needs for metric in metrics}
    richest = next(iter(needs)) if len(needs) == 1 else "counts"
    tally = Tally(goals)
    rng = np.random.Generator(np.random.SFC64(seed(title, n, k, truth)))
    step = max(1, 2**15 // n)
    for start in range(0, n_data_sets, step):
        sides = model.draw(
            min(step, n_data_sets - start), n, n_responses=k, epsilon=epsilon, perturbation=perturbation,
            needs=richest, rng=rng,
        )  # fmt: skip
        for data_set in zip(*sides, strict=True):
            if ranked:
                by_ranks(tally, metrics[0], data_set, rng)
            else:
                ready = [
                    tuple(derive(side, richest, metric.needs, model.scale) for side in data_set) for metric in metrics
                ]
                advantages = [metric.item_advantages(*each) for metric, each in zip(metrics, ready, strict=True)]
                by_scores(
                    tally, metrics, np.stack(advantages, axis=1), seeds(rng), bootstrap=truth != "different errors"
                )
    shared = {"data": title, "n_items": n, "n_responses": k, "truth": truth}
    return {
        "cell": [title, n, k, truth, n_data_sets],
        "seconds": time.process_time() - started,
        "tests": [shared | {"metric": names[i], "test": test, "n_data_sets": n_data_sets, "rejected": count}
                  for (i, test), count in tally.rejected.items()],
        "intervals": [shared | {"metric": names[i], "interval": method, "advantage": goals[i], "n_data_sets": defined,
                                "undefined": n_data_sets - defined, "covered": covered, "width": width / max(defined, 1)}
                      for (i, method), (defined, covered, width) in tally.held.items()],
    }  # fmt: skip


def seeds(rng):
    """Return a seed for each draw, swapped and resampled."""
    return rng.integers(2**64, size=(2, N_DRAWS["scores"]), dtype=np.uint64)


class Tally:
    """Counts of one cell."""

    def __init__(self, goals):
        self.goals, self.rejected, self.held = goals, {}, {}

    def test(self, i, name, pvalue):
        """Count a rejection."""
        self.rejected[i, name] = self.rejected.get((i, name), 0) + bool(pvalue <= ALPHA * (1 + 1e-9))

    def limits(self, i, name, ends):
        """Count an interval that holds the expected advantage."""
        defined, covered, width = self.held.get((i, name), (0, 0, 0.0))
        if not np.isnan(ends.low):
            inside = ends.low - 1e-12 <= self.goals[i] <= ends.high + 1e-12
            defined, covered, width = defined + 1, covered + bool(inside), width + ends.width
        self.held[i, name] = defined, covered, width


def by_scores(tally, metrics, advantages, seeds, *, bootstrap):
    """Test and give intervals as `compare` does, from item advantages (items × metrics) and a seed for each draw."""
    n, width = advantages.shape
    swapped = _kernels.swap_sums(_kernels.swap_table(advantages), seeds[0]) / n
    means = advantages.mean(axis=0)
    rounding = ROUNDING * max(1.0, np.abs(advantages).max())
    for i in range(width):
        null = settled(swapped[:, i], means[i], rounding)
        tally.test(i, "sign-flip", tail_pvalue(means[i], null).pvalue)
        tally.test(i, "paired-t", analyse("paired-t", advantages[:, i]).pvalue)
    if not bootstrap:
        return
    moments = _kernels.bootstrap_sums(advantages, means, seeds[1]) / n
    errors = np.sqrt(np.maximum(moments[:, width:] - np.square(moments[:, :width] - means), 0.0) / (n - 1))
    for i, metric in enumerate(metrics):
        spread = 0.0 if np.ptp(advantages[:, i]) <= rounding else advantages[:, i].std(ddof=1)
        known = {
            "jackknife": (advantages[:, i].sum() - advantages[:, i]) / (n - 1), "standard_errors": errors[:, i],
            "standard_error": spread / np.sqrt(n),
        }  # fmt: skip
        draws = settled(moments[:, i], means[i], rounding)
        default = default_interval(metric, advantages[:, i], items_alone=True, formula=False).name
        methods = ("symmetric", "studentised", "t", *(("score", "bca") if metric.counts_items else ()))
        for method in dict.fromkeys((*methods, default)):
            ends = interval(method, draws, estimate=means[i], confidence_level=LEVEL, span=metric.span, **known)
            if method in methods:
                tally.limits(i, method, ends)
            if method == default:
                tally.limits(i, "default", ends)


def by_ranks(tally, metric, data_set, rng):
    """Test and give intervals by `compare` itself, from item means of gold, A and B."""
    contest = Contest.from_arrays(*(side[:, np.newaxis] for side in data_set), scale="continuous")
    found = compare(contest, metric=metric, n_resamples=N_DRAWS["ranks"], rng=int(rng.integers(2**63)), workers=1)
    tally.test(0, "sign-flip", found.pvalue)
    tally.limits(0, "default", found.confidence_interval)
    for method in ("t", "percentile", "bca"):
        tally.limits(0, method, found.at(interval=method).confidence_interval)


def study(options):
    items, responses = ([int(word) for word in text.split(",")] for text in (options.items, options.responses))
    wanted = [
        (title, n, k, truth, N_DATA_SETS[n][title == "normal, ranks"])
        for n in items for title in DATA for k in responses for truth in TRUTHS
    ]  # fmt: skip
    done = Path(options.done)
    found = {}
    if done.exists():
        found = {tuple(line["cell"]): line for line in map(json.loads, done.read_text().splitlines())}
    with ProcessPoolExecutor(options.workers) as pool, done.open("a") as file:
        waiting = [pool.submit(cell, *key) for key in wanted if key not in found]
        for finished in as_completed(waiting):
            line = finished.result()
            found[tuple(line["cell"])] = line
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(len(found), "of", len(wanted), line["cell"], f"{line['seconds']:.0f} s", flush=True)
    for name in ("tests", "intervals"):
        rows = [row for key in wanted for row in found[key][name]]
        write_rows(rows, MEASURED / f"audit_{name}.csv")
    print(f"{sum(found[key]['seconds'] for key in wanted):.0f} CPU seconds")


def skewed():
    """Coverage where items are few and advantages skewed: squares and logarithms, B far from gold."""
    rows = []
    rng = np.random.default_rng(0)
    for name, names, needs, epsilon in SKEWED:
        model = models.preset(name)
        metrics = [resolve(metric).on(model.scale) for metric in names]
        for n, k in ((10, 5), (20, 3), (20, 20), (50, 5)):
            simulated = simulate_advantages(
                model, metrics, n_items=1000, n_responses=k, epsilon=epsilon, n_simulations=2000, rng=1, workers=1
            )
            tally = Tally(simulated.mean(axis=1))
            for data_set in zip(
                *model.draw(N_SKEWED, n, n_responses=k, epsilon=epsilon, needs=needs, rng=rng), strict=True
            ):
                ready = [
                    tuple(derive(side, needs, metric.needs, model.scale) for side in data_set) for metric in metrics
                ]
                advantages = [metric.item_advantages(*each) for metric, each in zip(metrics, ready, strict=True)]
                by_scores(tally, metrics, np.stack(advantages, axis=1), seeds(rng), bootstrap=True)
            rows += [
                {"data": name, "epsilon": epsilon, "n_items": n, "n_responses": k, "metric": names[i], "interval": method,
                 "n_data_sets": defined, "undefined": N_SKEWED - defined, "covered": covered, "width": width / max(defined, 1)}
                for (i, method), (defined, covered, width) in tally.held.items()
            ]  # fmt: skip
    write_rows(rows, MEASURED / "audit_skewed.csv")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "skewed"))
    parser.add_argument("--items", default="50,200,1000")
    parser.add_argument("--responses", default="1,3,5,20")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--done", default="/tmp/audit_defaults.jsonl")
    options = parser.parse_args()
    if options.what == "run":
        study(options)
    else:
        skewed()


if __name__ == "__main__":
    main()
