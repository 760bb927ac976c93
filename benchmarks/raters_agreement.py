"""Measure the coverage of intervals for coefficients of agreement; write docs/measured/raters_agreement.csv.

    python benchmarks/raters_agreement.py [--data-sets 400] [--cells 1,2] [--out FILE]
    python benchmarks/raters_agreement.py tables        print the table of docs/evidence/raters.md from the file

A response is item + rater + noise, normal with standard deviations 1, 0.5 (or 0) and 1, cut into five levels that 10, 20,
40, 20 and 10% of all responses fall into. In some cells a quarter or half of the raters answer at random. The truth is what infinitely many items and raters would give, by numerical
integration. The default is what `measure_agreement` gives: items drawn, raters left out in turn. Beside it, from as many
draws: percentiles of draws of items and raters together (the "pigeonhole" bootstrap), and of items alone. Two raters speak
of themselves: for them "these raters" counts how often the default holds what infinitely many items would give *these two*.
"""

import argparse
import itertools
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

import agreement_plain
from howsure import Responses, ResponseTable, Scale
from howsure.inference import clopper_pearson
from howsure.intervals import interval
from howsure.raters import measure_agreement
from howsure.raters.agreement_coefficients import cells_from
from measured import MEASURED, read_rows, write_rows

ROOT = Path(__file__).parents[1]
CUTS = ndtri([0.1, 0.3, 0.7, 0.9])
SHOWN = {
    "agreement": "observed agreement",
    "fleiss_kappa": "Fleiss' κ",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha": "Krippendorff's α (ordinal)",
    "icc_2": "ICC(2)",
    "icc_3": "ICC(3)",
    "icc_2k": "ICC(2), mean",
}
DESIGNS = [
    (100, 2, None),
    (100, 3, None),
    (100, 5, None),
    (100, 10, None),
    (100, 30, None),
    (100, 20, 3),
    (30, 5, None),
]
AT_RANDOM = (0.25, 0.5)
DRAWS = 199


def truth(of_raters, k, at_random=0.0):
    """Return the coefficients of infinitely many items and raters; `k` raters are averaged by icc_2k.

    `at_random` is the share of raters who answer each level equally often, whatever the item.
    """
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
    shares, evenly = same_item.sum(axis=1), np.full(5, 0.2)
    mixed = np.outer(shares, evenly)
    same_item = (
        (1 - at_random) ** 2 * same_item
        + at_random * (1 - at_random) * (mixed + mixed.T)
        + at_random**2 * np.outer(evenly, evenly)
    )
    of_good, shares = shares @ levels, same_item.sum(axis=1)
    agreed = np.trace(same_item)
    chance, guess = float(shares @ shares), float((shares * (1 - shares)).sum() / 4)
    below = np.cumsum(shares) - shares / 2
    apart = np.square(np.subtract.outer(below, below))
    mean = shares @ levels
    variance = shares @ np.square(levels) - mean**2
    items = levels @ same_item @ levels - mean**2
    raters = (1 - at_random) * (levels @ together(of_raters**2) @ levels - of_good**2) if of_raters else 0.0
    raters += at_random * (1 - at_random) * (of_good - levels @ evenly) ** 2
    return {
        "agreement": agreed,
        "fleiss_kappa": (agreed - chance) / (1 - chance),
        "gwet_ac1": (agreed - guess) / (1 - guess),
        "krippendorff_alpha": 1 - (same_item * apart).sum() / (shares @ apart @ shares),
        "icc_2": items / variance,
        "icc_3": items / (variance - raters),
        "icc_2k": items / (items + (variance - items) / k),
    }


def truth_of_two(shifts, of_raters):
    """Return the coefficients of infinitely many items judged by these two raters."""
    points, weights = np.polynomial.hermite_e.hermegauss(120)
    ends = np.concatenate([[-np.inf], CUTS * np.sqrt(2 + of_raters**2), [np.inf]])
    one, other = (np.diff(ndtr(ends[:, np.newaxis] - points - shift), axis=0) for shift in shifts)
    together = (one * weights) @ other.T
    # Each pair of levels is an item that counts as often as it happens, among so many that their number plays no part.
    first, second = np.indices(together.shape).reshape(2, -1).astype(float)
    items = np.tile(np.arange(first.size), 2)
    cells = cells_from(np.concatenate([first, second]), items, np.repeat([0, 1], first.size))
    return coefficients(cells, 1e9 * together.ravel() / together.sum(), np.ones(2))


def coefficients(cells, items, raters):
    return agreement_plain.coefficients(cells, items, raters, kind="ordinal", level="ordinal")


def others(cells, rng):
    """Yield the intervals that the default is compared with."""
    for method in ("pigeonhole", "items only"):
        drawn = []
        for _ in range(DRAWS):
            items, raters = (
                np.bincount(rng.integers(k, size=k), minlength=k).astype(float) for k in (cells.n_items, cells.n_raters)
            )
            drawn.append(coefficients(cells, items, raters if method == "pigeonhole" else np.ones(cells.n_raters)))
        for name in SHOWN:
            yield name, method, interval("percentile", [entry[name] for entry in drawn], confidence_level=0.95)


def measure(cell):
    """Return how often each interval of each coefficient holds the truth."""
    (n, r, per_item), of_raters, at_random, n_data_sets = cell
    true = truth(of_raters, per_item or r, at_random)
    seen = {}
    scale = Scale.of(np.arange(5.0), kind="ordinal")
    ids = np.tile(np.arange(r), (n, 1))
    for number in range(n_data_sets):
        kind = [int(100 * at_random)] if at_random else []
        rng = np.random.default_rng([number, n, r, per_item or 0, int(10 * of_raters), *kind])
        of_items, shifts = rng.normal(size=(n, 1)), of_raters * rng.normal(size=r)
        latent = of_items + shifts + rng.normal(size=(n, r))
        grid = np.searchsorted(CUTS * np.sqrt(2 + of_raters**2), latent).astype(float)
        if at_random:
            grid = np.where(rng.random(r) < at_random, rng.integers(5, size=(n, r)), grid).astype(float)
        if per_item:
            grid[np.argsort(rng.random((n, r)), axis=1) >= per_item] = np.nan
        source = Responses.from_grid(grid, ids)
        table = ResponseTable(np.arange(n).astype(str), {"human": source}, scale, {}, tuple(map(str, range(r))))
        found = measure_agreement(table, n_resamples=DRAWS, rng=number, workers=1)
        of_two = truth_of_two(shifts, of_raters) if r == 2 else {}
        for name in SHOWN:
            interval = found[name].confidence_interval
            seen.setdefault((name, "default"), []).append((true[name] in interval, interval.width))
            if of_two:
                seen.setdefault((name, "these raters"), []).append((of_two[name] in interval, interval.width))
        beside = others(cells_from(source.values, source.items, source.raters), rng) if not at_random else ()
        for name, method, interval in beside:
            seen.setdefault((name, method), []).append((true[name] in interval, interval.width))
    design = {"n_items": n, "n_raters": r, "raters_per_item": per_item or r, "rater_sd": of_raters}
    design["at_random"] = at_random
    return [
        {"coefficient": name, "interval": method, **design, "truth": round(true[name], 5), **shares(entries)}
        for (name, method), entries in seen.items()
    ]


def shares(entries):
    """Return how often intervals held the truth, and how wide they were."""
    held, widths = np.transpose(entries)
    ends = clopper_pearson(int(held.sum()), held.size)
    return {
        "n_data_sets": held.size, "coverage": held.mean(), "low": round(ends.low, 5), "high": round(ends.high, 5),
        "mean_width": round(np.nanmean(widths), 5), "undefined": int(np.isnan(widths).sum()),
    }  # fmt: skip


def tables():
    """Print the coverage, and the width, of each coefficient as Markdown."""
    measured = read_rows(MEASURED / "raters_agreement.csv")
    rows = [row for row in measured if not float(row["at_random"])]
    designs = list(dict.fromkeys((row["n_items"], row["n_raters"], row["raters_per_item"]) for row in rows))
    heads = [f"{n} × {r}" + (f", {per} per item" if per != r else "") for n, r, per in designs]
    known = {
        (
            row["rater_sd"],
            row["coefficient"],
            row["n_items"],
            row["n_raters"],
            row["raters_per_item"],
            row["interval"],
        ): row
        for row in rows
    }
    methods = ("default", "pigeonhole", "items only")
    for what, form in (("coverage", lambda row: f"{100 * float(row['coverage']):.1f}"),
                       ("mean_width", lambda row: f"{float(row['mean_width']):.2f}")):  # fmt: skip
        print(f"{what}: {' / '.join(methods)}\n\n| rater SD | coefficient | " + " | ".join(heads) + " |")
        print("|---" * (len(heads) + 2) + "|")
        for rater_sd in dict.fromkeys(row["rater_sd"] for row in rows):
            for name, title in SHOWN.items():
                found = [[known.get((rater_sd, name, *design, method)) for method in methods] for design in designs]
                shown = [" / ".join(map(form, cell)) if all(cell) else "–" for cell in found]
                print(f"| {rater_sd} | {title} | " + " | ".join(shown) + " |")
        print()
    mixed = [row for row in measured if float(row["at_random"])]
    heads = list(dict.fromkeys((row["n_items"], row["n_raters"]) for row in mixed))
    print(
        "| at random | coefficient | "
        + " | ".join(f"{n} × {r}" for n, r in heads)
        + " |\n"
        + "|---" * (len(heads) + 2)
        + "|"
    )
    for share, (name, title) in itertools.product(dict.fromkeys(row["at_random"] for row in mixed), SHOWN.items()):
        found = [row for row in mixed if (row["at_random"], row["coefficient"]) == (share, name)]
        shown = [f"{100 * float(row['coverage']):.1f}" for row in found]
        print(f"| {100 * float(share):g}% | {title} | " + " | ".join(shown) + " |")
    of_two = [row for row in rows if row["interval"] == "these raters"]
    print("these two raters:", ", ".join(f"{row['coefficient']} {100 * float(row['coverage']):.1f}" for row in of_two))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", nargs="?", choices=("coverage", "tables"), default="coverage")
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cells")
    parser.add_argument("--out", default=MEASURED / "raters_agreement.csv")
    options = parser.parse_args()
    if options.study == "tables":
        tables()
        return
    cells = [(design, 0.5, 0.0, options.data_sets) for design in DESIGNS] + [
        ((100, 5, None), 0.0, 0.0, options.data_sets)
    ]
    cells += [((100, r, None), 0.5, at_random, options.data_sets) for at_random in AT_RANDOM for r in (4, 10, 30)]
    if options.cells:
        cells = [cells[int(number) - 1] for number in options.cells.split(",")]
    started, rows = time.time(), []
    with ProcessPoolExecutor(options.workers) as pool:
        for number, part in enumerate(pool.map(measure, cells), 1):
            rows += part
            print(f"{number}/{len(cells)} cells, {time.time() - started:.0f} s", file=sys.stderr)
    write_rows(rows, options.out)


if __name__ == "__main__":
    main()
