"""Audit the package's own defaults; write docs/measured/audit_{tests,intervals}.csv and docs/audit-defaults.md.

    python benchmarks/audit_defaults.py run [--items 50,200,1000] [--responses 1,3,5,20] [--workers 2] [--done FILE]
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
import zlib
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np

from assay import models
from assay._random import seed_of
from assay.auditing.estimators import analyse
from assay.comparison.observed import settled
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
N_DATA_SETS = {50: (6000, 2000), 200: (4000, 1000), 1000: (2000, 300)}
"""For each number of items: data sets for metrics with item scores, and for ranks, which cost more."""
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
                ready = [tuple(derive(side, richest, metric.needs, model.scale) for side in data_set) for metric in metrics]
                contrasts = [metric.item_contrasts(*each) for metric, each in zip(metrics, ready, strict=True)]
                by_scores(tally, names, metrics, np.stack(contrasts, axis=1), rng, bootstrap=truth != "different errors")
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


class Tally:
    """Counts of one cell."""

    def __init__(self, goals):
        self.goals, self.rejected, self.held = goals, {}, {}

    def test(self, i, name, pvalue):
        self.rejected[i, name] = self.rejected.get((i, name), 0) + bool(pvalue <= ALPHA * (1 + 1e-9))

    def limits(self, i, ends):
        defined, covered, width = self.held.get((i, ends.method), (0, 0, 0.0))
        if not np.isnan(ends.low):
            inside = ends.low - 1e-12 <= self.goals[i] <= ends.high + 1e-12
            defined, covered, width = defined + 1, covered + bool(inside), width + ends.width
        self.held[i, ends.method] = defined, covered, width


def by_scores(tally, names, metrics, contrasts, rng, *, bootstrap):
    """Test and give intervals as `compare` does, from item contrasts (items × metrics)."""
    n, width = contrasts.shape
    seeds = rng.integers(2**64, size=(2, N_DRAWS["scores"]), dtype=np.uint64)
    swapped = _kernels.swap_sums(contrasts, seeds[0]) / n
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
    for i, name in enumerate(names):
        spread = 0.0 if np.ptp(contrasts[:, i]) <= rounding else contrasts[:, i].std(ddof=1)
        known = {
            "jackknife": (contrasts[:, i].sum() - contrasts[:, i]) / (n - 1), "standard_errors": errors[:, i],
            "standard_error": spread / np.sqrt(n),
        }  # fmt: skip
        draws = settled(moments[:, i], means[i], rounding)
        methods = ("studentised", "score") if metrics[i].three_valued else ("studentised",)
        for method in (*methods, *(("bca",) if name == "wins" else ())):
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


PAGE = """# The package's own defaults, audited

Made by `python benchmarks/audit_defaults.py page` from `docs/measured/audit_tests.csv` and
`docs/measured/audit_intervals.csv`, which
`python benchmarks/audit_defaults.py run --data-sets {n} --items {items} --responses {responses}` measures: {n:,} data sets of
each kind in each cell, 399 draws, B perturbed by ε = {epsilon}. Metrics of the same data share their data sets. {ran}

## Type-I error of `compare` (swapped items) at a nominal 5 %

In percent. A level of exactly 5 % gives {low:.1f} to {high:.1f} in 99 of 100 cells; **bold** is above that. *same*: A and B answer
from the same distribution; *different*: they are equally good but err on different items. In brackets the paired t test.

{levels}

{level_words}

## Power where B is worse (ε = {epsilon})

{power}

## Coverage of the default 95 % interval

In percent: studentised, BCa for wins, percentile for spearman. A coverage of exactly 95 % gives {cov_low:.1f} to {cov_high:.1f} in 99 of
100 cells; **bold** is below that. u: share of data sets without an interval, where it is above 1 %.

{coverage}

{coverage_words}
"""


def page():
    rows = {}
    for name in ("tests", "intervals"):
        with (MEASURED / f"audit_{name}.csv").open() as file:
            rows[name] = list(csv.DictReader(file))
    n = max(int(row["n_data_sets"]) for row in rows["tests"])
    sizes = sorted({(int(row["n_items"]), int(row["n_responses"])) for row in rows["tests"]})
    designs = [f"{items}×{k}" for items, k in sizes]
    region = binomial_region(n, ALPHA, confidence_level=0.99)
    inside = binomial_region(n, LEVEL, confidence_level=0.99)
    above, below = [], []

    def cell(row, other):
        defined = int(row["n_data_sets"])
        if not defined:
            return "–"
        share = int(row["rejected"]) / defined
        shown = f"{100 * share:.1f}"
        if share > region.high / n:
            above.append(
                f"{row['data']}, {row['metric']}, {row['n_items']}×{row['n_responses']}, {row['truth']}: {shown} %"
            )
            shown = f"**{shown}**"
        beside = int(other["rejected"]) / int(other["n_data_sets"]) if other and int(other["n_data_sets"]) else None
        return shown if beside is None else f"{shown} ({100 * beside:.1f})"

    keyed = {
        (row["data"], row["metric"], row["truth"], f"{row['n_items']}×{row['n_responses']}", row["null"]): row
        for row in rows["tests"]
    }
    kinds = list(dict.fromkeys((row["data"], row["metric"]) for row in rows["tests"]))
    levels, power = [], []
    for data, metric in kinds:
        for truth, word in (("same", "same"), ("different errors", "different")):
            cells = [
                cell(
                    keyed[data, metric, truth, design, "swapped-items"],
                    keyed.get((data, metric, truth, design, "paired-t")),
                )
                for design in designs
            ]
            levels.append([data, metric, word, *cells])
        shown = [keyed[data, metric, "B worse", design, "swapped-items"] for design in designs]
        power.append([data, metric, *(f"{100 * float(row['rate']):.0f}" for row in shown)])
    coverage = []
    covered = {
        (row["data"], row["metric"], row["truth"], f"{row['n_items']}×{row['n_responses']}"): row
        for row in rows["intervals"]
    }
    for data, metric in kinds:
        for truth in ("same", "B worse"):
            cells = []
            for design in designs:
                row = covered[data, metric, truth, design]
                defined, undefined = int(row["n_data_sets"]), int(row["undefined"])
                if not defined:
                    cells.append("–")
                    continue
                share = int(row["covered"]) / defined
                text = f"{100 * share:.1f}"
                if share < inside.low / n:
                    below.append(f"{data}, {metric}, {design}, {truth}: {text} %")
                    text = f"**{text}**"
                missing = undefined / (defined + undefined)
                cells.append(text + (f" (u {100 * missing:.0f})" if missing > 0.01 else ""))
            coverage.append([data, metric, truth, *cells])
    text = PAGE.format(
        n=n, epsilon=EPSILON, ran=ran(designs),
        items=",".join(str(each) for each in sorted({n for n, _ in sizes})),
        responses=",".join(str(each) for each in sorted({k for _, k in sizes})),
        low=100 * region.low / n, high=100 * region.high / n, cov_low=100 * inside.low / n, cov_high=100 * inside.high / n,
        levels=table(["data", "metric", "null is true because", *designs], levels),
        power=table(["data", "metric", *designs], power),
        coverage=table(["data", "metric", "data are", *designs], coverage),
        level_words=verdict(above, len(levels) * len(designs), "above"),
        coverage_words=verdict(below, len(coverage) * len(designs), "below"),
    )  # fmt: skip
    (ROOT / "docs" / "audit-defaults.md").write_text(text)


def ran(designs):
    """Say which designs of the full study are here."""
    missing = [f"{n}×{k}" for n in (50, 200, 1000) for k in (1, 3, 5, 20) if f"{n}×{k}" not in designs]
    said = f"Designs: {', '.join(designs)}."
    return said + (f" **Not run yet**: {', '.join(missing)}." if missing else "")


def verdict(cells, total, side):
    """Say how many cells lie outside; one in 200 lies beyond one end by chance alone."""
    if not cells:
        return f"None of {total} cells is {side} the region."
    return (
        f"{len(cells)} of {total} cells are {side} the region ({total / 200:.1f} are expected by chance): "
        + "; ".join(cells)
        + "."
    )


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("--items", default="50,200,1000")
    parser.add_argument("--responses", default="1,3,5,20")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--done", default="/tmp/audit_defaults.jsonl")
    options = parser.parse_args()
    study(options) if options.what == "run" else page()


if __name__ == "__main__":
    main()
