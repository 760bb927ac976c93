"""Measure the interval of RMSE where A and B are equal on most items; write docs/measured/ties_coverage.csv.

    python benchmarks/ties_coverage.py [--data-sets 1000]    run, and put the table into docs/evidence/intervals.md

Gold is normal, A misses it by a normal error; on a share of the items B's answer is A's, on the others its error is
half as large again. The true difference is that of 400,000 items. "Before" has one degree of freedom less than items.
"""

import argparse
import warnings

import numpy as np
from scipy.special import stdtrit

from howsure import Contest
from howsure.comparison import compare
from howsure.errors import HowsureWarning
from howsure.inference import binomial_region
from measured import MEASURED, ROOT, markdown, put_between, write_rows


def sides(rng, n, ties):
    """Return gold and the answers of A and B."""
    gold = rng.normal(size=n)
    a = gold + rng.normal(size=n)
    return gold, a, np.where(rng.random(n) < ties, a, gold + 1.5 * rng.normal(size=n))


def measure(n, ties, n_sets):
    """Return how often the interval contains the truth, and how often it is undefined."""
    rng = np.random.default_rng([n, round(100 * ties)])
    gold, a, b = sides(rng, 400_000, ties)
    truth = np.sqrt(np.mean((b - gold) ** 2)) - np.sqrt(np.mean((a - gold) ** 2))
    hits, before, undefined = 0, 0, 0
    for number in range(n_sets):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HowsureWarning)
            result = compare(Contest.from_arrays(*sides(rng, n, ties)), metric="rmse", n_resamples=199, rng=number)
        if np.isnan(result.confidence_interval.low):
            undefined += 1
            continue
        hits += truth in result.confidence_interval
        before += abs(result.advantage - truth) <= stdtrit(n - 1, 0.975) * result.standard_error
    return {"n_items": n, "ties": ties, "data_sets": n_sets, "undefined": undefined, "before": before, "covers": hits}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=1000)
    n_sets = parser.parse_args().data_sets
    rows = [measure(n, ties, n_sets) for n, ties in ((60, 0.95), (60, 0.9), (60, 0.5), (200, 0.97), (200, 0.9))]
    write_rows(rows, MEASURED / "ties_coverage.csv")
    body = []
    for row in rows:
        defined = n_sets - row["undefined"]
        low = binomial_region(defined, 0.95).low
        shares = [
            f"**{100 * hits / defined:.1f}**" if hits < low else f"{100 * hits / defined:.1f}"
            for hits in (row["before"], row["covers"])
        ]
        body.append([str(row["n_items"]), f"{100 * row['ties']:g}%", str(n_sets), str(row["undefined"]), *shares])
    head = ["items", "items that tie", "data sets", "undefined", "coverage before, %", "coverage, %"]
    page = ROOT / "docs" / "evidence" / "intervals.md"
    put_between(page, "<!-- benchmarks/ties_coverage.py -->", markdown(head, body))


if __name__ == "__main__":
    main()
