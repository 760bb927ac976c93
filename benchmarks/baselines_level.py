"""How often the baselines of `compare --test` call equal models different, at a nominal 5%.

    python benchmarks/baselines_level.py run [--data-sets 2000]
    python benchmarks/baselines_level.py page

Writes docs/measured/baselines_level.csv and the table in docs/evidence/tests.md. Normal items, mean absolute error; the null is true because A and B answer from the same
distribution, or because they are equally good but err on different items. `compare` gives these p-values (tests/comparison/
test_baselines.py); here they are computed for all data sets at once. LEADER's number is one side of the flat bootstrap.
"""

import argparse
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from scipy import stats

from howsure.models import preset
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

CSV = MEASURED / "baselines_level.csv"
MARK = "<!-- benchmarks/baselines_level.py -->"
DRAWS = 999
TRUE = {"same distribution": 0.0, "other items": 0.3}
DESIGNS = ((50, 1), (50, 5), (200, 5))
BECAUSE = {
    "same distribution": "they answer from the same distribution",
    "other items": "they are equally good but err on different items",
}
TITLES = {
    "welch-t": "Welch's t",
    "paired-t": "paired t",
    "wilcoxon": "Wilcoxon",
    "item-bootstrap": "flat bootstrap",
    "bootstrap-sign, one side (LEADER)": "LEADER's one side",
}


def pvalues(a, b, rng):
    """Return the two-sided p-value of each test on each data set, from the errors of A and B on each item."""
    advantages = b - a
    n = advantages.shape[1]
    weights = rng.multinomial(n, np.full(n, 1 / n), size=DRAWS) / n
    draws = advantages @ weights.T
    side = np.minimum((draws <= 0).sum(axis=1), (draws >= 0).sum(axis=1))
    return {
        "welch-t": stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue,
        "paired-t": stats.ttest_rel(a, b, axis=1).pvalue,
        "wilcoxon": stats.wilcoxon(advantages, axis=1).pvalue,
        "item-bootstrap": np.minimum(1.0, 2 * (side + 1) / (DRAWS + 1)),
        "bootstrap-sign, one side (LEADER)": side / DRAWS,
    }


def run(n):
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
    write_rows(rows, CSV)


def percent(text):
    """Return a share as percent with one decimal; halves are rounded up, as readers do who hold both beside each other."""
    return str((100 * Decimal(text)).quantize(Decimal("0.1"), ROUND_HALF_UP))


def table():
    """Return the table of the page: a rate that is not what chance leaves of 5% is bold."""
    lines = {}
    for row in read_rows(CSV):
        rate, low, high = (float(row[name]) for name in ("rejected", "binomial_low", "binomial_high"))
        shown = percent(row["rejected"])
        line = lines.setdefault((row["null"], f"{row['n_items']} × {row['k']}"), {})
        line[row["test"]] = shown if low <= rate <= high else f"**{shown}**"
    body, said = [], set()
    for (why, design), cells in lines.items():
        body.append([BECAUSE[why] if why not in said else "", design, *(cells[test] for test in TITLES)])
        said.add(why)
    return markdown(["A and B are equal because …", "items × responses", *TITLES.values()], body)


def text():
    """Return what stands above the table, and the table."""
    first = read_rows(CSV)[0]
    return (
        f"How often the baselines call equal models different at a nominal 5% (percent of {int(first['n_data_sets']):,} data sets, normal "
        f"items, mean absolute\nerror; between {percent(first['binomial_low'])} and {percent(first['binomial_high'])} is what chance "
        "leaves of 5; `benchmarks/baselines_level.py`, `docs/measured/baselines_level.csv`):"
        f"\n\n{table()}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("--data-sets", type=int, default=2000)
    options = parser.parse_args()
    if options.what == "run":
        run(options.data_sets)
    put_between(ROOT / "docs" / "evidence" / "tests.md", MARK, text())


if __name__ == "__main__":
    main()
