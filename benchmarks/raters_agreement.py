"""Measure the coverage of intervals for coefficients of agreement; write docs/measured/raters_agreement.csv.

    python benchmarks/raters_agreement.py [--data-sets 1000] [--cells 1,2] [--out FILE]
    python benchmarks/raters_agreement.py tables        print the table of docs/raters.md from the file

A response is item + rater + noise, normal with standard deviations 1, 0.5 (or 0) and 1, cut into five levels that 10, 20,
40, 20 and 10 % of all responses fall into. The truth is what infinitely many items and raters would give, by numerical
integration. The default is what `measure_agreement` gives: percentiles of draws of items and raters (the "pigeonhole"
bootstrap). Beside it, on the first 200 data sets: percentiles of draws of items alone, and a t interval whose error is put
together from draws of items, of raters and of both, as for contrasts.
"""

import argparse
import csv
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from assay import Responses, ResponseTable, Scale, measure_agreement
from assay.agreement.coefficients import alpha, categorical, cells_from, intraclass
from assay.inference import CombinedError, clopper_pearson, percentile

ROOT = Path(__file__).parents[1]
CUTS = ndtri([0.1, 0.3, 0.7, 0.9])
SHOWN = ("agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha", "icc_2", "icc_3", "icc_2k")
DESIGNS = [
    (100, 2, None),
    (100, 3, None),
    (100, 5, None),
    (100, 10, None),
    (100, 30, None),
    (100, 20, 3),
    (30, 5, None),
]
DRAWS = 199
FIRST = 200


def truth(of_raters, k):
    """Return the coefficients of infinitely many items and raters; `k` raters are averaged by icc_2k."""
    total = 1 + of_raters**2 + 1
    points, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()

    def together(shared):
        """Return the probability of each two levels when responses share a normal of this variance."""
        ends = np.concatenate([[-np.inf], CUTS * np.sqrt(total), [np.inf]])
        rest = np.sqrt(total - shared)
        of_level = np.diff(ndtr((ends[:, np.newaxis] - np.sqrt(shared) * points) / rest), axis=0)
        return (of_level * weights) @ of_level.T

    levels = np.arange(5.0)
    same_item = together(1.0)
    shares = same_item.sum(axis=1)
    agreed = np.trace(same_item)
    chance, guess = float(shares @ shares), float((shares * (1 - shares)).sum() / 4)
    below = np.cumsum(shares) - shares / 2
    apart = np.square(np.subtract.outer(below, below))
    mean = shares @ levels
    variance = shares @ np.square(levels) - mean**2
    items = levels @ same_item @ levels - mean**2
    raters = levels @ together(of_raters**2) @ levels - mean**2 if of_raters else 0.0
    return {
        "agreement": agreed,
        "fleiss_kappa": (agreed - chance) / (1 - chance),
        "gwet_ac1": (agreed - guess) / (1 - guess),
        "krippendorff_alpha": 1 - (same_item * apart).sum() / (shares @ apart @ shares),
        "icc_2": items / variance,
        "icc_3": items / (variance - raters),
        "icc_2k": items / (items + (variance - items) / k),
    }


def others(cells, found, rng):
    """Yield the intervals that the default is compared with."""
    n, r = cells.n_items, cells.n_raters
    once = np.ones(n), np.ones(r)
    drawn = {"items": [], "raters": [], "both": []}
    for _ in range(DRAWS):
        items, raters = (np.bincount(rng.integers(k, size=k), minlength=k).astype(float) for k in (n, r))
        for kind, weights in (("items", (items, once[1])), ("raters", (once[0], raters)), ("both", (items, raters))):
            drawn[kind].append(
                categorical(cells, *weights)
                | {"krippendorff_alpha": alpha(cells, *weights, level="ordinal")}
                | intraclass(cells, *weights)
            )
    for name in SHOWN:
        of = {kind: np.array([entry[name] for entry in entries]) for kind, entries in drawn.items()}
        yield name, "items only", percentile(of["items"], confidence_level=0.95)
        items, raters = np.nanvar(of["items"]) * n / (n - 1), np.nanvar(of["raters"]) * r / (r - 1)
        shared = (np.nanvar(of["both"]) - (n - 1) / n * items - (r - 1) / r * raters) * n * r / ((n - 1) * (r - 1))
        shared = min(max(0.0, shared), items, raters)
        error = CombinedError((float(raters), float(items - shared)), (r - 1.0, n - 1.0))
        yield name, "t", error.interval(found[name].value, confidence_level=0.95)


def measure(cell):
    """Count how often each interval of each coefficient holds the truth."""
    (n, r, per_item), of_raters, n_data_sets = cell
    true = truth(of_raters, per_item or r)
    counts = {(name, method): [0, 0.0, 0, 0] for name in SHOWN for method in ("default", "items only", "t")}

    def count(name, method, interval):
        seen = counts[name, method]
        seen[0] += true[name] in interval
        seen[1] += interval.width
        seen[2] += np.isnan(interval.low)
        seen[3] += 1

    scale = Scale.of(np.arange(5.0), kind="ordinal")
    ids = np.tile(np.arange(r), (n, 1))
    for number in range(n_data_sets):
        rng = np.random.default_rng([number, n, r, per_item or 0, int(10 * of_raters)])
        latent = rng.normal(size=(n, 1)) + of_raters * rng.normal(size=r) + rng.normal(size=(n, r))
        grid = np.searchsorted(CUTS * np.sqrt(2 + of_raters**2), latent).astype(float)
        if per_item:
            grid[np.argsort(rng.random((n, r)), axis=1) >= per_item] = np.nan
        source = Responses.from_grid(grid, ids)
        table = ResponseTable(np.arange(n).astype(str), {"human": source}, scale, {}, tuple(map(str, range(r))))
        found = measure_agreement(table, n_resamples=DRAWS, rng=number, workers=1)
        for name in SHOWN:
            count(name, "default", found[name].confidence_interval)
        if number < FIRST:
            for name, method, interval in others(cells_from(source.values, source.items, source.raters), found, rng):
                count(name, method, interval)
    rows = []
    for (name, method), (covered, width, undefined, n_seen) in counts.items():
        ends = clopper_pearson(covered, n_seen)
        rows.append(
            {
                "coefficient": name,
                "interval": method,
                "n_items": n,
                "n_raters": r,
                "raters_per_item": per_item or r,
                "rater_sd": of_raters,
                "truth": round(true[name], 5),
                "n_data_sets": n_seen,
                "coverage": covered / n_seen,
                "low": round(ends.low, 5),
                "high": round(ends.high, 5),
                "mean_width": round(width / n_seen, 5),
                "undefined": undefined,
            }
        )
    return rows


def tables():
    """Print the coverage of each coefficient as Markdown."""
    with (ROOT / "docs" / "measured" / "raters_agreement.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    designs = list(dict.fromkeys((row["n_items"], row["n_raters"], row["raters_per_item"]) for row in rows))
    heads = [f"{n} × {r}" + (f", {per} per item" if per != r else "") for n, r, per in designs]
    print("| rater SD | coefficient | " + " | ".join(heads) + " |")
    print("|---" * (len(heads) + 2) + "|")
    known = {
        (row["rater_sd"], row["coefficient"], row["n_items"], row["n_raters"], row["raters_per_item"], row["interval"]):
        100 * float(row["coverage"]) for row in rows
    }  # fmt: skip
    for rater_sd in dict.fromkeys(row["rater_sd"] for row in rows):
        for name in SHOWN:
            shown = [
                " / ".join(f"{known[rater_sd, name, *design, method]:.1f}" for method in ("default", "items only", "t"))
                if (rater_sd, name, *design, "default") in known
                else "–"
                for design in designs
            ]
            print(f"| {rater_sd} | {name} | " + " | ".join(shown) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", nargs="?", choices=("coverage", "tables"), default="coverage")
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cells")
    parser.add_argument("--out", default=ROOT / "docs" / "measured" / "raters_agreement.csv")
    options = parser.parse_args()
    if options.study == "tables":
        tables()
        return
    cells = [(design, of_raters, options.data_sets) for of_raters in (0.5, 0.0) for design in DESIGNS]
    if options.cells:
        cells = [cells[int(number) - 1] for number in options.cells.split(",")]
    started, rows = time.time(), []
    with ProcessPoolExecutor(options.workers) as pool:
        for number, part in enumerate(pool.map(measure, cells), 1):
            rows += part
            print(f"{number}/{len(cells)} cells, {time.time() - started:.0f} s", file=sys.stderr)
    with Path(options.out).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
