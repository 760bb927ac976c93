"""Audit the package's own defaults; write docs/measured/audit_{tests,intervals}.csv and docs/audit-defaults.md.

    python benchmarks/audit_defaults.py run [--items 50,200,1000] [--responses 1,3,5,20] [--workers 2] [--done FILE]
    python benchmarks/audit_defaults.py skewed   # few items and skewed contrasts: docs/measured/audit_skewed.csv
    python benchmarks/audit_defaults.py page

Data: normal (METHODS §2), Likert with five levels (LEADER's toxicity model), binary (RATINGS' MultiDomain model), three
categories (FOREST's DICES model); B is perturbed by ε = 0.2, in the second true null A and B by halves. Estimators: what
`compare` does by default, p by swapped items, and the intervals that could be its default; beside them the paired t
test. This is `assay audit` in a tighter loop: data sets are simulated as summaries, many at a time, and metrics with
item scores are resampled by the kernels of `compare` without a contest around them. Every cell is written to a file of
lines as it is done, and the run goes on from there.
"""

import argparse
import csv
import json
import time
import warnings
import zlib
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from textwrap import fill

import numpy as np

from assay import compare, models
from assay._random import seed_of
from assay.auditing.estimators import analyse
from assay.comparison.observed import SMALL, UNEVEN, settled
from assay.errors import AssayWarning
from assay.inference import binomial_region, interval, percentile, tail_pvalue
from assay.metrics import resolve
from assay.models import simulate_contrasts
from assay.models.simulation import derive
from assay.resampling import Scheme, _kernels, draw

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
"""A level of 5 % is exact with these: p is a multiple of 2 / (draws + 1)."""
N_DATA_SETS = {50: (6000, 2000), 200: (2000, 1000), 1000: (1000, 1000)}
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
    """Return the counts of one cell: rejections by test, and intervals that hold the expected contrast."""
    started = time.process_time()
    name, names = DATA[title]
    model = models.preset(name)
    metrics = [resolve(metric).on(model.scale) for metric in names]
    epsilon, perturbation = TRUTHS[truth]
    ranked = title == "normal, ranks"
    goals = np.zeros(len(metrics))
    if truth == "B worse":
        # The expected item contrast does not depend on the number of items; a rank correlation does.
        simulated = simulate_contrasts(
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
                contrasts = [metric.item_contrasts(*each) for metric, each in zip(metrics, ready, strict=True)]
                by_scores(
                    tally, metrics, np.stack(contrasts, axis=1), seeds(rng), bootstrap=truth != "different errors"
                )
    shared = {"data": title, "n_items": n, "n_responses": k, "truth": truth}
    return {
        "cell": [title, n, k, truth, n_data_sets],
        "seconds": time.process_time() - started,
        "tests": [shared | {"metric": names[i], "test": test, "n_data_sets": n_data_sets, "rejected": count}
                  for (i, test), count in tally.rejected.items()],
        "intervals": [shared | {"metric": names[i], "interval": method, "contrast": goals[i], "n_data_sets": defined,
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

    def limits(self, i, ends):
        """Count an interval that holds the expected contrast."""
        defined, covered, width = self.held.get((i, ends.method), (0, 0, 0.0))
        if not np.isnan(ends.low):
            inside = ends.low - 1e-12 <= self.goals[i] <= ends.high + 1e-12
            defined, covered, width = defined + 1, covered + bool(inside), width + ends.width
        self.held[i, ends.method] = defined, covered, width


def by_scores(tally, metrics, contrasts, seeds, *, bootstrap):
    """Test and give intervals as `compare` does, from item contrasts (items × metrics) and a seed for each draw."""
    n, width = contrasts.shape
    swapped = _kernels.swap_sums(_kernels.swap_table(contrasts), seeds[0]) / n
    means = contrasts.mean(axis=0)
    rounding = ROUNDING * max(1.0, np.abs(contrasts).max())
    for i in range(width):
        null = settled(swapped[:, i], means[i], rounding)
        tally.test(i, "swapped-items", tail_pvalue(means[i], null).pvalue)
        tally.test(i, "paired-t", analyse("paired-t", contrasts[:, i]).pvalue)
    if not bootstrap:
        return
    moments = _kernels.bootstrap_sums(np.hstack([contrasts, np.square(contrasts - means)]), seeds[1]) / n
    errors = np.sqrt(np.maximum(moments[:, width:] - np.square(moments[:, :width] - means), 0.0) / (n - 1))
    for i, metric in enumerate(metrics):
        spread = 0.0 if np.ptp(contrasts[:, i]) <= rounding else contrasts[:, i].std(ddof=1)
        known = {
            "jackknife": (contrasts[:, i].sum() - contrasts[:, i]) / (n - 1), "standard_errors": errors[:, i],
            "standard_error": spread / np.sqrt(n),
        }  # fmt: skip
        draws = settled(moments[:, i], means[i], rounding)
        methods = ("symmetric", "studentised", "t", *(("score", "bca") if metric.three_valued else ()))
        for method in methods:
            tally.limits(i, interval(method, draws, estimate=means[i], confidence_level=LEVEL, **known))


def by_ranks(tally, metric, data_set, rng):
    """Test and give the percentile interval, from item means of gold, A and B."""
    from assay import Contest

    contest = Contest.from_arrays(*(side[:, np.newaxis] for side in data_set), scale="continuous")
    observed = float(metric.contrast(*data_set))
    how = {"n_resamples": N_DRAWS["ranks"], "seed": seed_of(int(rng.integers(2**63)))}
    null = draw(contest, [metric], scheme=Scheme(items="all"), null="swapped-items", **how).contrasts[0]
    tally.test(0, "swapped-items", tail_pvalue(observed, null).pvalue)
    tally.limits(0, percentile(draw(contest, [metric], scheme=Scheme(), null=None, **how).contrasts[0]))


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
        with (MEASURED / f"audit_{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    print(f"{sum(found[key]['seconds'] for key in wanted):.0f} CPU seconds")


def skewed():
    """Coverage where items are few and contrasts skewed: squares and logarithms, B far from gold."""
    rows = []
    rng = np.random.default_rng(0)
    for name, names, needs, epsilon in SKEWED:
        model = models.preset(name)
        metrics = [resolve(metric).on(model.scale) for metric in names]
        for n, k in ((10, 5), (20, 3), (20, 20), (50, 5)):
            simulated = simulate_contrasts(
                model, metrics, n_items=1000, n_responses=k, epsilon=epsilon, n_simulations=2000, rng=1, workers=1
            )
            tally = Tally(simulated.mean(axis=1))
            for data_set in zip(
                *model.draw(N_SKEWED, n, n_responses=k, epsilon=epsilon, needs=needs, rng=rng), strict=True
            ):
                ready = [
                    tuple(derive(side, needs, metric.needs, model.scale) for side in data_set) for metric in metrics
                ]
                contrasts = [metric.item_contrasts(*each) for metric, each in zip(metrics, ready, strict=True)]
                by_scores(tally, metrics, np.stack(contrasts, axis=1), seeds(rng), bootstrap=True)
            rows += [
                {"data": name, "epsilon": epsilon, "n_items": n, "n_responses": k, "metric": names[i], "interval": method,
                 "n_data_sets": defined, "undefined": N_SKEWED - defined, "covered": covered, "width": width / max(defined, 1)}
                for (i, method), (defined, covered, width) in tally.held.items()
            ]  # fmt: skip
    with (MEASURED / "audit_skewed.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


PAGE = """# The package's own defaults, audited

Made by `python benchmarks/audit_defaults.py page` from `docs/measured/audit_tests.csv` and
`docs/measured/audit_intervals.csv`, which `python benchmarks/audit_defaults.py run` measures. Data: normal items, Likert
with five levels (LEADER's toxicity model), binary (RATINGS' MultiDomain model), three categories (FOREST's DICES model);
B is perturbed by ε = {epsilon}. Metrics of the same data share their data sets. Designs are items × responses. {sizes}
{ran}

## Type-I error of `compare` (swapped items) at a nominal 5 %

In percent, in brackets the paired t test on the same data. *same*: A and B answer from the same distribution;
*different*: they are equally good but err on different items. **Bold** is above what a level of exactly 5 % gives in 99 of
100 cells: {regions}.

{levels}

{level_words}

Below 5 % are metrics whose item contrasts take few values (wins, accuracy, single labels): then so does the p-value, and
an exact test cannot use the part of the level that falls between two of them.

## Power where B is worse (ε = {epsilon}), in percent

{power}

## Coverage of the default 95 % interval

In percent: {defaults}. **Bold** is below what a coverage of exactly 95 % gives in 99 of 100 cells: {inside}. u: share of
data sets without an interval (no item tells A and B apart), where it is above 1 %. Intervals from {draws:,} draws; with
the 9,999 of `compare` coverage is 0.2 points higher.

{coverage}

{coverage_words}

## Other intervals on the same data

Mean coverage over the designs, the lowest, and mean width, in brackets how many cells lie below the region. The symmetric
interval holds what the studentised one misses by one to two points, at the same width:

{others}

## Few items and skewed contrasts

Coverage and, in brackets, mean width where B is worse, 2,000 data sets in each cell (`docs/measured/audit_skewed.csv`).
**Bold** is below {skewed_low:.1f}, what a coverage of exactly 95 % gives in 99 of 100 cells. The mean of squares or logarithms
hangs on a few items; where a sample of 10 or 20 lacks them, no interval made of it can know. `compare` says so with fewer
than {few_items} items for {skewed_metrics}.

{skewed}
"""


def page():
    tests, limits = (read(name) for name in ("tests", "intervals"))
    designs = sorted({(row["n_items"], row["n_responses"]) for row in tests})
    kinds = list(dict.fromkeys((row["data"], row["metric"]) for row in tests))
    of_test = {
        (row["data"], row["metric"], row["truth"], row["n_items"], row["n_responses"], row["test"]): row
        for row in tests
    }
    of_limits = {
        (row["data"], row["metric"], row["truth"], row["n_items"], row["n_responses"], row["interval"]): row
        for row in limits
    }
    defaults = {kind: default_interval(*kind) for kind in kinds}
    above, below, levels, power, coverage = [], [], [], [], []
    for data, metric in kinds:
        for truth, word in (("same", "same"), ("different errors", "different")):
            cells = []
            for n, k in designs:
                row, other = (of_test.get((data, metric, truth, n, k, test)) for test in ("swapped-items", "paired-t"))
                shown = percent(row["rejected"], row["n_data_sets"])
                if row["rejected"] > binomial_region(row["n_data_sets"], ALPHA, confidence_level=0.99).high:
                    above.append(f"{data}, {metric}, {n}×{k}, {word}: {shown} %")
                    shown = f"**{shown}**"
                cells.append(shown + (f" ({percent(other['rejected'], other['n_data_sets'])})" if other else ""))
            levels.append([data, metric, word, *cells])
        found = [of_test[data, metric, "B worse", n, k, "swapped-items"] for n, k in designs]
        power.append([data, metric, *(f"{100 * row['rejected'] / row['n_data_sets']:.0f}" for row in found)])
        for truth in ("same", "B worse"):
            cells = []
            for n, k in designs:
                row = of_limits[data, metric, truth, n, k, defaults[data, metric]]
                shown = percent(row["covered"], row["n_data_sets"])
                if missed(row):
                    below.append(f"{data}, {metric}, {n}×{k}, {truth}: {shown} %")
                    shown = f"**{shown}**"
                without = row["undefined"] / (row["n_data_sets"] + row["undefined"])
                cells.append(shown + (f" (u {100 * without:.0f})" if without > 0.01 else ""))
            coverage.append([data, metric, truth, *cells])
    names = [f"{n}×{k}" for n, k in designs]
    numbers = {n: {row["n_data_sets"] for row in tests if row["n_items"] == n} for n in sorted({n for n, _ in designs})}
    methods = dict.fromkeys(method for method in defaults.values())
    text = PAGE.format(
        epsilon=EPSILON, ran=ran(designs), draws=N_DRAWS["scores"],
        sizes=" ".join(
            f"{n} items: {' or '.join(f'{each:,}' for each in sorted(counts, reverse=True))} data sets of each kind in each cell"
            f"{' (fewer for ranks)' if len(counts) > 1 else ''}." for n, counts in numbers.items()
        ),
        regions=regions(numbers, ALPHA), inside=regions(numbers, LEVEL),
        defaults=", ".join(
            f"{method} for {', '.join(dict.fromkeys(metric for (_, metric), each in defaults.items() if each == method))}"
            for method in methods
        ),
        levels=table(["data", "metric", "null is true because", *names], levels),
        power=table(["data", "metric", *names], power),
        coverage=table(["data", "metric", "data are", *names], coverage),
        level_words=verdict(above, len(levels) * len(designs), "above"),
        coverage_words=verdict(below, len(coverage) * len(designs), "below"),
        others=others(limits),
        skewed=shown_skewed(), skewed_low=100 * SKEWED_REGION.low / N_SKEWED,
        few_items=SMALL, skewed_metrics=", ".join(UNEVEN),
    )  # fmt: skip
    lines = [line if line.startswith("|") else fill(line, 124) for line in text.splitlines()]
    (ROOT / "docs" / "audit-defaults.md").write_text("\n".join(lines) + "\n")


def read(name):
    """Return the rows of a table, numbers as numbers."""
    with (MEASURED / f"audit_{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    whole = ("n_items", "n_responses", "n_data_sets", "rejected", "undefined", "covered")
    for row in rows:
        row["data"] = row["data"].removesuffix(", ranks")
        row.update({key: int(row[key]) for key in whole if key in row})
    return sorted(rows, key=lambda row: [title.removesuffix(", ranks") for title in DATA].index(row["data"]))


def default_interval(data, metric):
    """Return the interval that `compare` gives by default."""
    contest = models.preset(DATA[data][0]).table(12, 3, epsilon=0.3, rng=1).contest(gold="gold", a="A", b="B")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssayWarning)
        return compare(contest, metric=metric, n_resamples=99, rng=0).confidence_interval.method


def missed(row):
    return (
        row["covered"] < binomial_region(row["n_data_sets"], LEVEL, confidence_level=0.99).low
        if row["n_data_sets"]
        else False
    )


def others(limits):
    lines = []
    for key in dict.fromkeys((row["data"], row["metric"], row["interval"]) for row in limits):
        rows = [row for row in limits if (row["data"], row["metric"], row["interval"]) == key and row["n_data_sets"]]
        shares = [row["covered"] / row["n_data_sets"] for row in rows]
        low = rows[shares.index(min(shares))]
        lines.append([
            *key, f"{100 * sum(shares) / len(shares):.1f} ({sum(map(missed, rows))} of {len(rows)})",
            f"{100 * min(shares):.1f} ({low['n_items']}×{low['n_responses']}, {low['truth']})",
            f"{sum(float(row['width']) for row in rows) / len(rows):.4f}",
        ])  # fmt: skip
    return table(["data", "metric", "interval", "coverage (cells below)", "lowest", "width"], lines)


def shown_skewed():
    with (MEASURED / "audit_skewed.csv").open() as file:
        rows = list(csv.DictReader(file))
    methods = list(dict.fromkeys(row["interval"] for row in rows))
    cells = {}
    for row in rows:
        key = (row["data"], row["metric"], f"{float(row['epsilon']):g}", f"{row['n_items']}×{row['n_responses']}")
        shown = percent(int(row["covered"]), int(row["n_data_sets"]))
        shown = f"**{shown}**" if int(row["covered"]) < SKEWED_REGION.low else shown
        shown += f" ({float(row['width']):.3g})"
        cells.setdefault(key, {})[row["interval"]] = shown
    lines = [[*key, *(of.get(method, "") for method in methods)] for key, of in cells.items()]
    return table(["model", "metric", "ε", "design", *methods], lines)


def percent(count, n):
    return f"{100 * count / n:.1f}" if n else "–"


def regions(numbers, share):
    """Say between which percentages 99 of 100 cells lie."""
    said = []
    for n in dict.fromkeys(max(counts) for counts in numbers.values()):
        region = binomial_region(n, share, confidence_level=0.99)
        said.append(f"{100 * region.low / n:.1f} to {100 * region.high / n:.1f} with {n:,} data sets")
    return ", ".join(said)


def ran(designs):
    """Say which designs of the full study are missing."""
    missing = [f"{n}×{k}" for n in (50, 200, 1000) for k in (1, 3, 5, 20) if (n, k) not in designs]
    return f"**Not run yet**: {', '.join(missing)}." if missing else ""


def verdict(cells, total, side):
    """Say how many cells lie outside; one in 200 lies beyond one end by chance alone."""
    if not cells:
        return f"None of {total} cells is {side} the region ({total / 200:.1f} would be by chance)."
    if len(cells) > 12:
        counts = Counter(", ".join(cell.split(", ")[:-2]) for cell in cells)
        cells = [f"{name} {count}" for name, count in counts.items()]
        return f"{sum(counts.values())} of {total} cells are {side} the region ({total / 200:.1f} would be by chance): {'; '.join(cells)}."
    return f"{len(cells)} of {total} cells are {side} the region ({total / 200:.1f} would be by chance): {'; '.join(cells)}."


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "skewed", "page"))
    parser.add_argument("--items", default="50,200,1000")
    parser.add_argument("--responses", default="1,3,5,20")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--done", default="/tmp/audit_defaults.jsonl")
    options = parser.parse_args()
    {"run": lambda: study(options), "skewed": skewed, "page": page}[options.what]()


if __name__ == "__main__":
    main()
