"""Audit the package's own defaults; write docs/measured/audit_{tests,intervals}.csv and the tables of docs/audit-defaults.md.

    python benchmarks/audit_defaults.py run [--items 50,200,1000] [--responses 1,3,5,20] [--workers 2] [--store FILE]
    python benchmarks/audit_defaults.py page

Data: normal (METHODS §2), Likert with five levels (LEADER's toxicity model), binary (RATINGS' MultiDomain model), three
categories (FOREST's DICES model); B is perturbed by ε = 0.2, in the second true null A and B by halves. Estimators: what
`compare` does by default, p by swapped items, and the default interval of each metric; beside them the paired t test.
The run resumes from its store.
"""

import argparse
import csv
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from assay.auditing import measure, plan
from assay.auditing.results import rows_of
from assay.inference import binomial_region
from assay.sweeps import Grid, run

ROOT = Path(__file__).parents[1]
MEASURED = ROOT / "docs" / "measured"
DATA = {
    "normal": ("normal", ("mae", "wins", "spearman")),
    "Likert, 5 levels": ("likert-toxicity", ("mae", "wins", "tv")),
    "binary": ("likert-multidomain", ("mae", "accuracy", "tv")),
    "3 categories": ("categorical-dices", ("accuracy", "tv", "js")),
}
DEFAULT_INTERVAL = {"wins": "bca", "spearman": "percentile"}
EPSILON, ALPHA, LEVEL = 0.2, 0.05, 0.95
SIZES = {50: ((4000, 999), (2000, 999)), 200: ((3000, 999), (1500, 399)), 1000: ((2000, 999), (500, 399))}
"""For each number of items: data sets and draws for metrics with item scores, and for ranks, which cost more.

A level of 5 % is exact with these numbers of draws: p is a multiple of 2 / (draws + 1)."""


def grids(n_items, n_responses):
    """Yield the cells of each kind of data: metrics with item scores share their data sets, ranks have their own."""
    for n in n_items:
        for title, (name, metrics) in DATA.items():
            for ranked in (False, True):
                chosen = [metric for metric in metrics if (metric == "spearman") == ranked]
                if not chosen:
                    continue
                n_data_sets, n_resamples = SIZES[n][ranked]
                cells, _ = plan(
                    name, metrics=chosen, schemes=[("bootstrap", "all")], nulls=["swapped-items"],
                    analytical=[] if ranked else ["paired-t"],
                    intervals=["percentile"] if ranked else ["bca", "studentised", "score"],
                    designs=[(n, k) for k in n_responses], epsilons=[0, EPSILON], n_data_sets=n_data_sets,
                    n_resamples=n_resamples, n_simulations=10_000 if n < 1000 else 2000,
                )  # fmt: skip
                yield title, cells


def study(options):
    sizes = [[int(word) for word in text.split(",")] for text in (options.items, options.responses)]
    parts = list(grids(*sizes))
    everything = sum((cells for _, cells in parts), start=Grid([]))
    with ProcessPoolExecutor(options.workers) as pool:
        sweep = run(
            measure,
            everything,
            store=options.store,
            executor=pool,
            rng=11,
            progress=lambda counts: print(counts, flush=True),
        )
    tables = {"tests": [], "intervals": []}
    for title, cells in parts:
        wanted = {measure.identity(cell) for cell in cells}
        tests, intervals, _ = rows_of(row for row in sweep.rows if row.identity in wanted)
        tables["tests"] += [{"data": title} | row.to_dict() for row in tests if row.pvalue == "tail"]
        tables["intervals"] += [{"data": title} | row.to_dict() for row in intervals]
    for name, rows in tables.items():
        with (MEASURED / f"audit_{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)


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
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--items", default="50,200,1000")
    parser.add_argument("--responses", default="1,3,5,20")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--store")
    options = parser.parse_args()
    study(options) if options.what == "run" else page()


if __name__ == "__main__":
    main()
