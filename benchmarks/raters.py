"""Measure level, power and coverage when raters are a random factor; write docs/measured/raters_*.csv.

    python benchmarks/raters.py ratings [--data-sets 2000]    gold-free mean ratings: level, power, coverage
    python benchmarks/raters.py gold [--data-sets 2000]       models against the gold of few raters: level
    python benchmarks/raters.py clusters [--data-sets 2000]   ratings of items that come in documents: level
    python benchmarks/raters.py tables                        print the tables of docs/evidence/raters.md from the three files

Ratings: rating = item + rater + (rater × model) + noise, all normal; standard deviations 1, 1, 0.3 and 1. Every rater
judges every item (or `per_item` of the raters, drawn for each item) and both models. The two-way test is compared with
the textbook's (mean squares of the items × raters table of differences, Satterthwaite's degrees of freedom) and with
the item-only test (swapped items, raters held fixed). Power is at a true difference of 3 standard errors.
The four complete designs get 20,000 data sets for the level, the item-only test the first 2,000 of them. Each 2,000 are
also a batch: how many batches have a 95% interval that touches 5% tells luck from fault. `raters_level.py` does the same
for millions of data sets.

Gold: item means U(0, 1); gold raters differ in severity (SD 0.15) and noise (SD 0.25). "same": A and B answer the item's
mean with noise SD 0.15. "opposite": they are off by +0.2 and −0.2, so that they are equally far from raters on average
but not from the few at hand. Labels are the same responses cut into five levels; for accuracy and F1 in "opposite" into
two, at 0.5, judged by an odd number of raters (19 in place of 20): only then are the two sides alike by these metrics, as
plurality ties and thresholds favour one.

Clusters: the ratings above, of documents of five sentences (or of 1 to 9), where each model does better on some documents
than on others (SD 0.5). The same tests with `cluster` and without.

`--cells 1,2` runs only these cells of a study, for long runs in pieces; write them with --out and join the files.
"""

import argparse
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.special import stdtr

from howsure import Contest, Responses
from howsure.comparison import compare_each
from howsure.data.scales import Scale
from howsure.errors import HowsureWarning
from howsure.inference import clopper_pearson, tail_pvalue
from measured import MEASURED, read_rows, write_rows

ROOT = Path(__file__).parents[1]
ALPHA = 0.05
BATCH, MORE = 2000, 20_000
ITEM_ONLY = 300
"""Data sets that the item-only test sees against gold: it is wrong by factors, not by percents."""
OF_RATERS, NOISE, OF_DOCUMENTS = 0.3, 1.0, 0.5
DESIGNS = [(100, 5, None), (100, 10, None), (500, 5, None), (500, 20, None), (100, 10, 3), (500, 20, 3)]
FEW = [(100, 2, None), (100, 3, None), (100, 30, None)]


def ratings(rng, n, r, per_item, shift, of_raters=OF_RATERS, of_items=0.0, document=None):
    """Return a gold-free contest, and the items × raters grid of differences."""
    shared = rng.normal(size=(n, 1)) + rng.normal(size=r)
    sides = [
        value + shared + of_items * rng.normal(size=(n, 1)) + of_raters * rng.normal(size=r)
        + NOISE * rng.normal(size=(n, r))
        for value in (shift, 0.0)
    ]  # fmt: skip
    groups = {}
    if document is not None:
        groups["document"] = document.astype(str)
        sides = [side + OF_DOCUMENTS * rng.normal(size=document.max() + 1)[document, np.newaxis] for side in sides]
    if per_item:
        gone = np.argsort(rng.random((n, r)), axis=1) >= per_item
        for side in sides:
            side[gone] = np.nan
    ids = np.tile(np.arange(r), (n, 1))
    a, b = (Responses.from_grid(side, ids) for side in sides)
    contest = Contest(None, a, b, Scale("continuous"), np.arange(n).astype(str), ("", "A", "B"), groups)
    return contest, sides[0] - sides[1]


def textbook(grid):
    """Return the p-value of the two-way analysis of variance with Satterthwaite's degrees of freedom."""
    n, r = grid.shape
    rows, columns = grid.mean(axis=1), grid.mean(axis=0)
    rest = grid - rows[:, np.newaxis] - columns + grid.mean()
    squares = np.array([r * rows.var(ddof=1), n * columns.var(ddof=1), -np.square(rest).sum() / ((n - 1) * (r - 1))])
    variance = squares.sum() / (n * r)
    if variance <= 0:
        return 0.0
    df = squares.sum() ** 2 / (np.square(squares) / [n - 1, r - 1, (n - 1) * (r - 1)]).sum()
    return 2 * stdtr(df, -abs(grid.mean()) / np.sqrt(variance))


def ratings_cell(cell):
    """Count rejections and covered truths of one design."""
    n, r, per_item, of_raters, of_items, power, n_data_sets = cell
    warnings.simplefilter("ignore", HowsureWarning)
    variance = 2 * (of_raters**2 / r + of_items**2 / n + NOISE**2 / (n * (per_item or r)))
    shift = 3 * np.sqrt(variance) if power else 0.0
    tests = {test: {"rejected": [], "covered": 0, "width": 0.0} for test in ("random", "item-only")}
    if not per_item:
        tests["textbook"] = {"rejected": [], "covered": None, "width": 0.0}

    def count(test, rejected, ends=None):
        seen = tests[test]
        seen["rejected"].append(rejected)
        if ends is not None:
            seen["covered"] += shift in ends
            seen["width"] += ends.width

    for number in range(n_data_sets):
        rng = np.random.default_rng([number, n, r, per_item or 0, int(1000 * of_raters), int(1000 * of_items)])
        contest, grid = ratings(rng, n, r, per_item, shift, of_raters, of_items)
        for test, raters in (("random", "random"), ("item-only", "fixed")):
            if test == "item-only" and number >= BATCH:
                continue
            n_resamples = 19 if test == "random" else 199  # p and interval of random raters need no resamples here
            found = compare_each(
                contest, metrics=["rating"], raters=raters, n_resamples=n_resamples, rng=number, workers=1
            )[0]
            count(test, found.pvalue <= ALPHA, found.confidence_interval)
        if not per_item:
            count("textbook", textbook(grid) <= ALPHA)
    rows = []
    for test, seen in tests.items():
        b = len(seen["rejected"])
        ends = clopper_pearson(sum(seen["rejected"]), b)
        batches = [clopper_pearson(sum(seen["rejected"][i : i + BATCH]), BATCH) for i in range(0, b - BATCH + 1, BATCH)]
        rows.append(
            {
                "test": test,
                "n_items": n,
                "n_raters": r,
                "raters_per_item": per_item or r,
                "rater_by_model_sd": of_raters,
                "item_by_model_sd": of_items,
                "true_difference": round(shift, 5),
                "n_data_sets": b,
                "rejected": sum(seen["rejected"]) / b,
                "low": round(ends.low, 5),
                "high": round(ends.high, 5),
                "batches_of_2000": len(batches),
                "touching_5_percent": sum(ALPHA in batch for batch in batches),
                "coverage": "" if seen["covered"] is None else seen["covered"] / b,
                "mean_width": round(seen["width"] / b, 5),
            }
        )
    return rows


def gold_contests(rng, n, r, per_item, truth):
    """Return the contest as numbers, and cut into labels."""
    means = rng.random(n)
    gold = means[:, np.newaxis] + 0.15 * rng.normal(size=r) + 0.25 * rng.normal(size=(n, r))
    bias = 0.2 if truth == "opposite" else 0.0
    models = [(means + sign * bias + 0.15 * rng.normal(size=n))[:, np.newaxis] for sign in (1, -1)]
    if per_item:
        gold[np.argsort(rng.random((n, r)), axis=1) >= per_item] = np.nan
    yield contest_of([gold, *models], Scale("continuous")), ("mae", "wins", "rmse", "spearman")
    labels = contest_of([levels(side, 5) for side in (gold, *models)], Scale.of(np.arange(5.0), kind="ordinal"))
    if truth == "same":
        yield labels, ("tv", "accuracy", "f1")
    else:
        yield labels, ("tv",)
        odd = gold if per_item else gold[:, : r - 1 + r % 2]
        sides = [levels(side, 2) for side in (odd, *models)]
        yield contest_of(sides, Scale.of(np.arange(2.0), kind="nominal")), ("accuracy", "f1")


def contest_of(sides, scale):
    """Return the contest of gold, whose columns are raters, and of two models."""
    n, r = sides[0].shape
    gold = Responses.from_grid(sides[0], np.tile(np.arange(r), (n, 1)))
    return Contest(gold, *map(Responses.from_grid, sides[1:]), scale, np.arange(n).astype(str))


def levels(side, n_levels):
    """Cut responses between 0 and 1 into levels."""
    return np.where(np.isnan(side), np.nan, np.clip(np.floor(n_levels * side), 0, n_levels - 1))


def gold_cell(cell):
    """Count rejections of each metric by each test on one design."""
    n, r, per_item, truth, n_data_sets = cell
    warnings.simplefilter("ignore", HowsureWarning)
    counts, sizes = (
        {},
        {"random": n_data_sets, "shifted-bootstrap": n_data_sets, "item-only": min(n_data_sets, ITEM_ONLY)},
    )

    def count(metric, test, pvalue):
        counts[metric, test] = counts.get((metric, test), 0) + (pvalue <= ALPHA)

    for number in range(n_data_sets):
        rng = np.random.default_rng([number, n, r, per_item or 0, sum(map(ord, truth))])
        for contest, metrics in gold_contests(rng, n, r, per_item, truth):
            shared = {"metrics": metrics, "n_resamples": 199, "rng": number, "workers": 1, "correction": "none"}
            for entry in compare_each(contest, interval="percentile", raters="random", **shared):
                count(entry.metric, "random", entry.pvalue)
                # Random raters have the draws of items and raters of the two-way bootstrap.
                count(entry.metric, "shifted-bootstrap", tail_pvalue(entry.advantage, entry.null_draws).pvalue)
            if number < ITEM_ONLY:
                for entry in compare_each(contest, interval="percentile", raters="fixed", **shared):
                    count(entry.metric, "item-only", entry.pvalue)
    rows = []
    for (metric, test), rejected in counts.items():
        ends = clopper_pearson(rejected, sizes[test])
        rows.append(
            {
                "metric": metric,
                "test": test,
                "true_because": truth,
                "n_items": n,
                "n_raters": r,
                "raters_per_item": per_item or r,
                "n_data_sets": sizes[test],
                "level": rejected / sizes[test],
                "low": round(ends.low, 5),
                "high": round(ends.high, 5),
            }
        )
    return rows


def clusters_cell(cell):
    """Count rejections of the mean rating where items come in documents, by tests that know and that do not."""
    n_documents, sizes_of, r, n_data_sets = cell
    warnings.simplefilter("ignore", HowsureWarning)
    tests = {
        "random, clustered": {"raters": "random", "cluster": "document"},
        "random": {"raters": "random"},
        "fixed raters, clustered": {"cluster": "document", "raters": "fixed"},
        "fixed raters": {"raters": "fixed"},
    }
    rejected = dict.fromkeys(tests, 0)
    for number in range(n_data_sets):
        rng = np.random.default_rng([number, n_documents, len(sizes_of), r])
        sizes = rng.choice(sizes_of, size=n_documents)
        document = np.repeat(np.arange(n_documents), sizes)
        for test, asked in tests.items():
            # Fixed raters are asked about data in which raters are alike, where theirs is a true null.
            stream = np.random.default_rng([number, n_documents, len(sizes_of), r, "fixed" in test])
            of_raters = 0.0 if "fixed" in test else OF_RATERS
            contest, _ = ratings(stream, document.size, r, None, 0.0, of_raters, of_items=0.0, document=document)
            found = compare_each(contest, metrics=["rating"], n_resamples=199, rng=number, workers=1, **asked)[0]
            rejected[test] += found.pvalue <= ALPHA
    rows = []
    for test, count in rejected.items():
        ends = clopper_pearson(count, n_data_sets)
        rows.append(
            {
                "test": test,
                "n_documents": n_documents,
                "items_per_document": f"{min(sizes_of)} to {max(sizes_of)}" if len(sizes_of) > 1 else sizes_of[0],
                "n_raters": r,
                "n_data_sets": n_data_sets,
                "level": count / n_data_sets,
                "low": round(ends.low, 5),
                "high": round(ends.high, 5),
            }
        )
    return rows


def read(study):
    rows = read_rows(MEASURED / f"raters_{study}.csv")
    return [{name: number(value) for name, value in row.items()} for row in rows]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def share(row, key="rejected"):
    return f"{100 * row[key]:.1f} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


def print_table(head, rows):
    print("|" + "|".join(f" {cell} " for cell in head) + "|")
    print("|---" * len(head) + "|")
    for row in rows:
        print("|" + "|".join(f" {cell} " for cell in row) + "|")
    print()


def tables():
    """Print level and power, coverage, and level against gold as Markdown."""
    cells = {}
    for row in read("ratings"):
        key = (
            row["n_items"],
            row["n_raters"],
            row["raters_per_item"],
            row["rater_by_model_sd"],
            row["item_by_model_sd"],
        )
        cells[*key, row["true_difference"] > 0, row["test"]] = row
    rows = []
    for n, r, per_item in DESIGNS:
        key = (n, r, per_item or r, OF_RATERS, 0.0)
        level = [cells.get((*key, False, test)) for test in ("random", "textbook", "item-only")]
        power = [cells.get((*key, True, test)) for test in ("random", "textbook")]
        design = f"{n} × {r}" + (f", {per_item} raters per item" if per_item else "")
        shown = [share(row) if row else "–" for row in level] + [
            f"{100 * p['rejected']:.1f}" if p else "–" for p in power
        ]
        batches = f"{level[0]['touching_5_percent']:.0f} of {level[0]['batches_of_2000']:.0f}"
        rows.append([design, shown[0], batches, *shown[1:]])
    print_table(
        ["items × raters", "random, %", "batches that touch 5%", "textbook, %", "item-only, %", "power, %",
         "textbook's power, %"],
        rows,
    )  # fmt: skip
    rows = []
    for of_raters, of_items in ((0.3, 0.0), (0.3, 0.5), (0.3, 1.5), (0.0, 0.5), (0.0, 0.0)):
        for test in ("random", "item-only"):
            found = [cells[100, r, r, of_raters, of_items, False, test] for r in (2, 3, 5, 10, 30)]
            rows.append([of_raters, of_items, test, *(f"{100 * row['coverage']:.1f}" for row in found)])
    print_table(["rater × model SD", "item × model SD", "interval", *(f"{r} raters" for r in (2, 3, 5, 10, 30))], rows)
    gold = {}
    for row in read("gold"):
        gold[row["metric"], row["test"], row["true_because"], row["n_items"], row["n_raters"]] = row
    designs = list(dict.fromkeys((key[3], key[4]) for key in gold))
    rows = []
    for truth in ("same", "opposite"):
        for metric in dict.fromkeys(key[0] for key in gold):
            found = [
                [gold[metric, test, truth, *d]["level"] for test in ("random", "shifted-bootstrap", "item-only")]
                for d in designs
            ]
            rows.append([truth, metric, *(" / ".join(f"{100 * level:.1f}" for level in cell) for cell in found)])
    heads = [f"{n:.0f} × {r:.0f}" + (", 3 per item" if (n, r) == (100, 10) else "") for n, r in designs]
    print("random / shifted-bootstrap / item-only, %\n")
    print_table(["equally good", "metric", *heads], rows)
    clusters = {}
    for row in read("clusters"):
        design = (row["n_documents"], row["items_per_document"], row["n_raters"])
        clusters.setdefault(design, []).append(share(row, "level"))
    rows = [
        [f"{n:.0f} of {per if isinstance(per, str) else int(per)}", f"{r:.0f}", *shown]
        for (n, per, r), shown in clusters.items()
    ]
    print_table(["documents of items", "raters", "random, clustered", "random", "fixed, clustered", "fixed"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("ratings", "gold", "clusters", "tables"))
    parser.add_argument("--data-sets", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cells")
    parser.add_argument("--out")
    options = parser.parse_args()
    if options.study == "tables":
        tables()
        return
    b = options.data_sets or 2000
    if options.study == "ratings":
        task, more = ratings_cell, options.data_sets or MORE
        cells = [(*design, OF_RATERS, 0.0, False, b if design[2] else more) for design in DESIGNS]
        cells += [(*design, OF_RATERS, 0.0, True, b) for design in DESIGNS]
        cells += [(*design, OF_RATERS, 0.0, False, b) for design in FEW]
        cells += [
            (100, r, None, of_raters, of_items, False, b)
            for r in (2, 3, 5, 10, 30)
            for of_raters, of_items in ((0.0, 0.0), (0.0, 0.5), (0.3, 0.5), (0.3, 1.5))
        ]
    elif options.study == "gold":
        task = gold_cell
        cells = [
            (*design, truth, b)
            for truth in ("same", "opposite")
            for design in ((100, 3, None), (100, 5, None), (100, 10, 3), (200, 20, None))
        ]
    else:
        task = clusters_cell
        cells = [(n, sizes, r, b) for n in (10, 20, 50) for sizes, r in (((5,), 3), ((1, 2, 3, 5, 9), 10))]
    if options.cells:
        cells = [cells[int(number) - 1] for number in options.cells.split(",")]
    out = Path(options.out or MEASURED / f"raters_{options.study}.csv")
    started = time.time()
    rows = []
    with ProcessPoolExecutor(options.workers) as pool:
        for number, part in enumerate(pool.map(task, cells), 1):
            rows += part
            print(f"{number}/{len(cells)} cells, {time.time() - started:.0f} s", file=sys.stderr)
    write_rows(rows, out)


if __name__ == "__main__":
    main()
