"""Level and power of swapped ranks where answers are few labels; writes docs/measured/rank_ties.csv and a table in docs/evidence/tests.md.

    python benchmarks/rank_ties.py [--data-sets 4000]

Single answers of A, B and gold, drawn from presets with two and with five labels. "apart" swaps the ranks as they are, so that
equal answers of A and B are no longer tied once they are swapped; "joined" is what howsure swaps. Both see the same data sets and coins.
For the level A and B are alike (ε = .2); for the power A is gold's (ε = 0) and B has ε = .4.
"""  # fmt: skip

import argparse

import numpy as np

from howsure.metrics import resolve
from howsure.models import preset
from measured import MEASURED, ROOT, put_between, write_rows

PRESETS = {"likert-convabuse": 2, "likert-toxicity": 5}
N_SWAPS, ALPHA, AT_ONCE = 199, 0.05, 200
MARK = "<!-- benchmarks/rank_ties.py -->"


def rejected(draws, observed):
    """Return in how many data sets the two-sided p-value of the sign-flip test is at most 5%."""
    here = observed[:, np.newaxis]
    tie = 1e-9 * np.maximum(np.abs(here), 1e-12)
    tails = [(draws >= here - tie).sum(axis=1), (draws <= here + tie).sum(axis=1)]
    pvalues = 2 * (np.minimum(*tails) + 1) / (N_SWAPS + 1)
    return int((pvalues <= ALPHA * (1 + 1e-9)).sum())


def measured(kind, metric, n_items, epsilon, n_data_sets):
    """Return the shares of data sets that are rejected, with ranks apart and joined."""
    model, rng, found, seen = preset(kind), np.random.default_rng(n_items), np.zeros(2), 0
    metric = resolve(metric).on(model.scale)
    for _ in range(n_data_sets // AT_ONCE):
        gold, a, b = model.draw(AT_ONCE, n_items, n_responses=1, epsilon=epsilon, needs=metric.needs, rng=rng)
        observed = metric.advantage(gold, a, b)
        kept = np.flatnonzero(~np.isnan(observed))
        gold, a, b, observed = gold[kept], a[kept], b[kept], observed[kept]
        coins = rng.integers(0, 2, (N_SWAPS, kept.size, n_items)) == 1
        for i, (one, other) in enumerate(((metric.seen(a), metric.seen(b)), metric.swappable(gold, a, b))):
            draws = [metric.advantage(gold, np.where(coin, other, one), np.where(coin, one, other)) for coin in coins]
            found[i] += rejected(np.stack(draws, axis=1), observed)
        seen += kept.size
    return found / seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=4000)
    n = parser.parse_args().data_sets
    rows = []
    for kind, n_labels in PRESETS.items():
        for metric in ("auc", "spearman"):
            for n_items in (30, 100, 300):
                level, power = (measured(kind, metric, n_items, epsilon, n) for epsilon in ((0.2, 0.2), (0.0, 0.4)))
                rows.append(
                    {
                        "metric": metric, "labels": n_labels, "items": n_items, "level_apart": f"{100 * level[0]:.1f}",
                        "level_joined": f"{100 * level[1]:.1f}", "power_apart": f"{100 * power[0]:.0f}",
                        "power_joined": f"{100 * power[1]:.0f}",
                    }
                )  # fmt: skip
                print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "rank_ties.csv")
    table = ["| metric | labels | items | level apart | level joined | power apart | power joined |", "|---|---|---|---|---|---|---|"]  # fmt: skip
    table += ["| " + " | ".join(map(str, row.values())) + " |" for row in rows]
    put_between(ROOT / "docs" / "evidence" / "tests.md", MARK, "\n".join(table))


if __name__ == "__main__":
    main()
