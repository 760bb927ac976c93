"""How often the baselines of `compare --test` call equal models different, at a nominal 5 %.

    python benchmarks/baselines_level.py [--data-sets 2000]

Writes docs/measured/baselines_level.csv. Normal items, mean absolute error; the null is true because A and B answer from the same
distribution, or because they are equally good but err on different items. `compare` gives these p-values (tests/comparison/
test_baselines.py); here they are computed for all data sets at once. LEADER's number is one side of the flat bootstrap.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy import stats

from assay.models import preset
from measured import write_rows

DRAWS = 999
TRUE = {"same distribution": 0.0, "other items": 0.3}
DESIGNS = ((50, 1), (50, 5), (200, 5))


def pvalues(a, b, rng):
    """Return the two-sided p-value of each test on each data set, from the errors of A and B on each item."""
    contrasts = b - a
    n = contrasts.shape[1]
    weights = rng.multinomial(n, np.full(n, 1 / n), size=DRAWS) / n
    draws = contrasts @ weights.T
    side = np.minimum((draws <= 0).sum(axis=1), (draws >= 0).sum(axis=1))
    return {
        "welch-t": stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue,
        "paired-t": stats.ttest_rel(a, b, axis=1).pvalue,
        "wilcoxon": stats.wilcoxon(contrasts, axis=1).pvalue,
        "item-bootstrap": np.minimum(1.0, 2 * (side + 1) / (DRAWS + 1)),
        "sign-change, one side (LEADER)": side / DRAWS,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-sets", type=int, default=2000)
    n = parser.parse_args().data_sets
    model = preset("normal")
    low, high = stats.binom.ppf([0.025, 0.975], n, 0.05) / n
    rows = []
    for why, epsilon in TRUE.items():
        for n_items, k in DESIGNS:
            rng = np.random.default_rng(n_items + k)
            gold, a, b = model.draw(
                n, n_items, n_responses=(k,) * 3, epsilon=(epsilon, epsilon), needs="means", rng=n_items + k
            )
            for test, p in pvalues(np.abs(a - gold), np.abs(b - gold), rng).items():
                rate = float(np.mean(p <= 0.05))
                rows.append(
                    {"null": why, "n_items": n_items, "k": k, "test": test, "n_data_sets": n, "rejected": round(rate, 4),
                     "binomial_low": round(float(low), 4), "binomial_high": round(float(high), 4)}
                )  # fmt: skip
    write_rows(rows, Path("docs/measured/baselines_level.csv"))


if __name__ == "__main__":
    main()
