"""Measure intervals and p-values of clustered items; write docs/measured/cluster_coverage.csv.

    python benchmarks/cluster_coverage.py [--data-sets 2000]

`python benchmarks/levels_page.py` shows it. 180 items lie in 4 to 30 documents of equal sizes, of sizes that fall with
their rank (Zipf), or with one document that holds half of the items. The advantage of an item is 0.3 plus an effect of
its document plus noise of the same kind:

* *normal*: N(0, 0.5) for the document, N(0, 1) for the item;
* *signs*: −1, 0 or 1, as for wins, more often positive in some documents than in others;
* *skewed*: exponential effects of documents, centred, and N(0, 1) for the item;
* *growing*: normal, but the larger a document, the larger its mean. Sizes are then drawn anew in each data set, 1 to 40
  with chances that fall as 1/size, and so they are beside it without such growth.

Counted are intervals that hold the expected advantage, which should be 95%; claims that the advantage exceeds a margin
where it equals the margin, which should be 5%; and data sets where p ≤ .05 and the interval do not agree about 0.
"""

import argparse
import warnings

import numpy as np

from howsure import Contest
from howsure.comparison import compare
from howsure.errors import HowsureWarning
from measured import MEASURED, write_rows

CLUSTERS = (4, 6, 12, 30)
SHAPES = ("equal", "by rank", "one half", "random")
EFFECTS = ("normal", "signs", "skewed", "growing")
LARGEST = 40
METHODS = ("symmetric", "t")
N_ITEMS, TRUTH = 180, 0.3


def sizes_of(rng, n_clusters, shape):
    """Return how many items each document has."""
    if shape == "random":
        sizes = np.arange(1, LARGEST + 1)
        return rng.choice(sizes, n_clusters, p=1 / sizes / (1 / sizes).sum())
    if shape == "one half":
        weights = np.r_[n_clusters - 1, np.ones(n_clusters - 1)]
    else:
        weights = np.ones(n_clusters) if shape == "equal" else 1 / np.arange(1, n_clusters + 1)
    return np.maximum(1, np.round(N_ITEMS * weights / weights.sum())).astype(int)


def data_set(rng, sizes, effects):
    """Draw the advantage of every item, in expectation `TRUTH`, and its document."""
    n = sizes.size
    document = np.repeat(np.arange(n), sizes)
    if effects == "signs":
        better = np.clip(0.45 + rng.normal(0, 0.15, n), 0.2, 0.7)[document]
        drawn = rng.random(document.size)
        found = np.where(drawn < better, 1.0, np.where(drawn < better + 0.15, -1.0, 0.0))
    else:
        own = rng.exponential(0.5, n) - 0.5 if effects == "skewed" else rng.normal(0, 0.5, n)
        if effects == "growing":  # of items drawn with their documents, the mean size of their document is (1 + 40) / 2
            own = own + 0.05 * (sizes - (1 + LARGEST) / 2)
        found = TRUTH + own[document] + rng.normal(0, 1, document.size)
    names = np.array([f"document {i}" for i in range(n)])[document]
    return Contest.from_arrays(None, found, np.zeros(document.size), groups={"document": names})


def measure(n_clusters, shape, effects, n_data_sets):
    """Count how often intervals hold the expected advantage and margins are exceeded."""
    rng = np.random.default_rng([n_clusters, SHAPES.index(shape), EFFECTS.index(effects)])
    covered, width = dict.fromkeys(("default", *METHODS), 0), dict.fromkeys(("default", *METHODS), 0.0)
    beyond = apart = 0
    for number in range(n_data_sets):
        contest = data_set(rng, sizes_of(rng, n_clusters, shape), effects)
        asked = {"metric": "rating", "cluster": "document", "rng": number, "workers": 1}
        result = compare(contest, margin=TRUTH, **asked)
        found = {"default": result.confidence_interval}
        found |= {method: compare(contest, interval=method, **asked).confidence_interval for method in METHODS}
        for method, ends in found.items():
            covered[method] += TRUTH in ends
            width[method] += ends.width / n_data_sets
        beyond += result.margin.superiority <= 0.05
        apart += (result.pvalue <= 0.05) == (0 in found["default"])
    about = {"n_clusters": n_clusters, "shape": shape, "effects": effects, "n_data_sets": n_data_sets}
    shared = {"margin_exceeded": beyond, "disagree": apart}
    return [
        about | {"interval": method, "covered": covered[method], "width": round(width[method], 4)} | shared
        for method in covered
    ]


def main():
    """Measure every combination."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=2000)
    n_data_sets = parser.parse_args().data_sets
    warnings.simplefilter("ignore", HowsureWarning)
    rows = []
    for cell in CELLS:
        rows += measure(*cell, n_data_sets)
        print(*cell, rows[-3]["covered"] / n_data_sets, flush=True)
        write_rows(rows, MEASURED / "cluster_coverage.csv")


CELLS = [
    *((n, shape, effects) for n in CLUSTERS for shape in SHAPES[:3] for effects in EFFECTS[:3]),
    *((n, "random", effects) for n in CLUSTERS[2:] for effects in ("normal", "growing")),
]


if __name__ == "__main__":
    main()
