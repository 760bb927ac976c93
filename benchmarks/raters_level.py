"""Measure the level of the mean-rating test with crossed raters on millions of data sets; write docs/measured/raters_level.csv.

    python benchmarks/raters_level.py [--data-sets 2000000]
    python benchmarks/raters_level.py tables        print the table of docs/evidence/raters.md from the file

The four complete designs of `raters.py ratings`. The test sees a table of differences through four numbers: its mean and the
mean squares of items, raters and the rest, which are independent, normal and χ² with known degrees of freedom. Drawing these
four in place of the table gives the same test (tests/comparison/test_raters_level.py: the same p as `compare`) at a
millionth of the time. Data sets are also counted in batches of 2,000: of a test whose level is exactly 5%, the 95% interval
of a batch touches 5% as often as `expected` says.
"""

import argparse

import numpy as np
from scipy.special import bdtr, stdtr, stdtrit

from howsure.inference import clopper_pearson
from measured import MEASURED, read_rows, write_rows

OUT = MEASURED / "raters_level.csv"
ALPHA, BATCH = 0.05, 2000
DESIGNS = [(100, 5), (100, 10), (500, 5), (500, 20)]
OF_RATERS, NOISE = 0.3, 1.0


def numbers(rng, n, r, *, of_items, size):
    """Draw the mean, and the mean squares of items, raters and the rest, of differences between equally good models."""
    items, raters, rest = 2 * of_items**2, 2 * OF_RATERS**2, 2 * NOISE**2
    mean = np.sqrt(items / n + raters / r + rest / (n * r)) * rng.normal(size=size)
    expected_squares = ((r * items + rest, n - 1), (n * raters + rest, r - 1), (rest, (n - 1) * (r - 1)))
    return mean, *(square * rng.chisquare(df, size) / df for square, df in expected_squares)


def half_width(items, raters, rest, *, n, r, level=1 - ALPHA):
    """Return half the width of the interval for random raters: the null is rejected when the mean is further from zero."""
    of_raters, of_items = (stdtrit(df, (1 + level) / 2) ** 2 for df in (r - 1, n - 1))
    return np.sqrt((raters * of_raters + np.maximum(items - rest, 0) * of_items) / (n * r))


def textbook(mean, items, raters, rest, *, n, r):
    """Return the p-value of Satterthwaite's test; 0 where its variance is estimated at or below zero."""
    total = items + raters - rest
    df = total**2 / (items**2 / (n - 1) + raters**2 / (r - 1) + rest**2 / ((n - 1) * (r - 1)))
    error = np.sqrt(np.maximum(total, np.finfo(float).tiny) / (n * r))
    return np.where(total > 0, 2 * stdtr(df, -np.abs(mean) / error), 0.0)


def touching(n_rejected):
    """Return whether the 95% interval of the share rejected in a batch touches 5%, for each count."""
    by_count = np.array([ALPHA in clopper_pearson(count, BATCH) for count in range(n_rejected.max() + 1)])
    return by_count[n_rejected]


def expected():
    """Return the share of batches that touch 5% when the level is exactly 5%."""
    counts = np.flatnonzero(touching(np.arange(300)))
    return bdtr(counts[-1], BATCH, ALPHA) - bdtr(counts[0] - 1, BATCH, ALPHA)


def measure(n, r, of_items, n_data_sets):
    found = numbers(np.random.default_rng([n, r, int(10 * of_items)]), n, r, of_items=of_items, size=n_data_sets)
    tests = {
        "random": np.abs(found[0]) >= half_width(*found[1:], n=n, r=r),
        "textbook": textbook(*found, n=n, r=r) <= ALPHA,
    }
    for test, rejected in tests.items():
        ends = clopper_pearson(int(rejected.sum()), n_data_sets)
        batches = rejected.reshape(-1, BATCH).sum(axis=1)
        yield {
            "test": test,
            "n_items": n,
            "n_raters": r,
            "item_by_model_sd": of_items,
            "n_data_sets": n_data_sets,
            "level": rejected.mean(),
            "low": round(ends.low, 5),
            "high": round(ends.high, 5),
            "batches_of_2000": batches.size,
            "touching_5_percent": touching(batches).mean(),
            "expected": round(expected(), 5),
            "largest_batch": batches.max() / BATCH,
        }


def tables():
    rows = read_rows(OUT)
    print("| items × raters | item × model SD | random, % | textbook, % | batches touching 5%, random, % |")
    print("|---|---|---|---|---|")
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        levels = [
            f"{100 * float(row['level']):.2f} [{100 * float(row['low']):.2f}, {100 * float(row['high']):.2f}]"
            for row in (one, other)
        ]
        design = f"{one['n_items']} × {one['n_raters']} | {one['item_by_model_sd']}"
        print(f"| {design} | {' | '.join(levels)} | {100 * float(one['touching_5_percent']):.1f} |")
    print(f"\nExpected of a level of exactly 5%: {100 * float(rows[0]['expected']):.1f}% of batches.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", nargs="?", choices=("level", "tables"), default="level")
    parser.add_argument("--data-sets", type=int, default=2_000_000)
    options = parser.parse_args()
    if options.study == "tables":
        tables()
        return
    rows = [row for of_items in (0.0, 0.5) for n, r in DESIGNS for row in measure(n, r, of_items, options.data_sets)]
    write_rows(rows, OUT)


if __name__ == "__main__":
    main()
