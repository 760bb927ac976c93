"""Measure the coverage of each interval of clustered items; write docs/measured/cluster_coverage.csv.

    python benchmarks/cluster_coverage.py [--data-sets 2000]

`python benchmarks/levels_page.py` shows it. MAE against a gold of 0: A answers 2.7, B 3 plus an effect of the document,
N(0, 0.5), both with noise N(0, 0.5), so that the expected advantage is 0.3. Documents have two to eight items.
"""

import argparse
import warnings

import numpy as np

from howsure import Contest
from howsure.comparison import compare
from howsure.errors import HowsureWarning
from measured import MEASURED, write_rows

CLUSTERS = (4, 6, 12, 30)
METHODS = ("symmetric", "studentised", "t", "bca", "percentile", "basic")
TRUTH = 0.3


def data_set(rng, n_clusters):
    """Draw documents of items whose advantages hang together."""
    document = np.repeat(np.arange(n_clusters), rng.integers(2, 9, n_clusters))
    n, effects = document.size, rng.normal(0, 0.5, n_clusters)
    a, b = 3 - TRUTH + rng.normal(0, 0.5, n), 3 + effects[document] + rng.normal(0, 0.5, n)
    return Contest.from_arrays(np.zeros(n), a, b, groups={"document": document.astype(str)})


def main():
    """Count how often each interval holds the expected advantage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=2000)
    n_data_sets = parser.parse_args().data_sets
    warnings.simplefilter("ignore", HowsureWarning)
    rows = []
    for n_clusters in CLUSTERS:
        rng = np.random.default_rng(n_clusters)
        found = {method: [] for method in METHODS}
        for number in range(n_data_sets):
            contest = data_set(rng, n_clusters)
            result = compare(contest, cluster="document", n_resamples=999, rng=number, workers=1)
            for method in METHODS:
                found[method].append(result.at(interval=method).confidence_interval)
        rows += [
            {"n_clusters": n_clusters, "interval": method, "n_data_sets": n_data_sets,
             "covered": sum(TRUTH in ends for ends in all_ends), "width": np.mean([ends.width for ends in all_ends])}
            for method, all_ends in found.items()
        ]  # fmt: skip
        print(n_clusters, "documents", flush=True)
    write_rows(rows, MEASURED / "cluster_coverage.csv")


if __name__ == "__main__":
    main()
