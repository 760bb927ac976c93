"""Coverage of intervals where few items tell A and B apart; writes its table into docs/evidence/intervals.md.

    python benchmarks/sparse_coverage.py

Each item differs with a given probability, and then A wins it with another. By how much is one of 1/4, 2/4, 3/4 and 1, as
total variation of four responses would be, or exponential. Intervals are those of `inference.interval` on 999 draws;
data sets without an interval (one item differs, or none) are counted apart.
"""

import numpy as np

from howsure.inference import binomial_region
from howsure.intervals import interval
from measured import MEASURED, ROOT, markdown, put_between, write_rows

CELLS = [(20, 0.2), (50, 0.06), (50, 0.1), (50, 0.2), (200, 0.03), (200, 0.1)]
SIZES = {
    "quarters": (lambda rng, n: rng.integers(1, 5, n) / 4, 0.625),
    "exponential": (lambda rng, n: rng.exponential(size=n), 1.0),
}
METHODS = ("symmetric", "studentised", "t", "bca", "percentile")
N_DATA_SETS, N_DRAWS, LEVEL = 2000, 999, 0.95
MARK = "<!-- benchmarks/sparse_coverage.py -->"


def limits(advantages, rng):
    """Return every interval of the mean, by method."""
    n, mean = advantages.size, advantages.mean()
    drawn = advantages[rng.integers(0, n, (N_DRAWS, n))]
    draws, squares = drawn.mean(axis=1), np.square(drawn - mean).mean(axis=1)
    known = {
        "jackknife": (advantages.sum() - advantages) / (n - 1),
        "standard_errors": np.sqrt(np.maximum(squares - np.square(draws - mean), 0.0) / (n - 1)),
        "standard_error": advantages.std(ddof=1) / np.sqrt(n),
    }
    return {name: interval(name, draws, estimate=mean, confidence_level=LEVEL, **known) for name in METHODS}


def study():
    """Return the rows of every cell."""
    rows = []
    for kind, (sizes, mean) in SIZES.items():
        for n, differing in CELLS:
            for won in (0.5, 0.8):
                rng = np.random.default_rng([n, round(100 * differing), round(10 * won), len(kind)])
                truth = differing * (2 * won - 1) * mean
                found = {name: [] for name in METHODS}
                for _ in range(N_DATA_SETS):
                    signs = np.where(rng.random(n) < won, 1.0, -1.0) * (rng.random(n) < differing)
                    for name, ends in limits(signs * sizes(rng, n), rng).items():
                        if not np.isnan(ends.low):
                            found[name].append((truth in ends, ends.width))
                rows += [
                    {"sizes": kind, "n_items": n, "differing": differing, "won": won, "interval": name,
                     "n_data_sets": len(ends), "undefined": N_DATA_SETS - len(ends),
                     "covered": sum(held for held, _ in ends), "width": np.mean([width for _, width in ends])}
                    for name, ends in found.items()
                ]  # fmt: skip
    return rows


def page(rows):
    """Write the table: coverage in percent, bold below the region, and the mean width in brackets."""
    lines = {}
    for row in rows:
        low = binomial_region(row["n_data_sets"], LEVEL, confidence_level=0.99).low
        shown = f"{100 * row['covered'] / row['n_data_sets']:.1f}"
        shown = f"**{shown}**" if row["covered"] < low else shown
        key = (row["sizes"], f"{row['n_items']}", f"{100 * row['differing']:g}%", f"{100 * row['won']:g}%")
        lines.setdefault(key, []).append(f"{shown} ({row['width']:.3g})")
    head = ["sizes", "items", "share that differ", "of these A wins", *METHODS]
    put_between(
        ROOT / "docs" / "evidence" / "intervals.md",
        MARK,
        markdown(head, [[*key, *cells] for key, cells in lines.items()]),
    )


if __name__ == "__main__":
    found = study()
    write_rows(found, MEASURED / "sparse_coverage.csv")
    page(found)
