"""Would anchor items do? Few items chosen by discrimination, against as many random items, on models that were not used to choose.

    python benchmarks/anchors.py [FOLDER]      # the folder of alpaca_eval_wins.csv; without it simulated boards only

Writes docs/measured/anchors.csv and the table in docs/evidence/leaderboards.md. Models are split in halves: items are chosen, and
their weights fitted, on one half; the error is that of the other half's mean scores over all items.
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl
from scipy import stats

from measured import MEASURED, ROOT, markdown, put_between, write_rows

SPLITS, SIZES = 200, (20, 50, 100)


def simulated(rng, n_items=800, n_models=60):
    """Return right and wrong answers of a two-parameter logistic model: items of unequal difficulty and discrimination."""
    ability, hard = rng.normal(size=n_models), rng.normal(size=n_items)
    slope = np.exp(rng.normal(0, 0.5, n_items))
    chance = 1 / (1 + np.exp(-slope[:, None] * (ability - hard[:, None])))
    return (rng.random(chance.shape) < chance).astype(float)


def chosen(train, size):
    """Return the items that correlate most with the mean of the others, at most one of each stratum of difficulty."""
    total = train.mean(axis=0)
    spread = train.std(axis=1)
    related = np.array([np.corrcoef(row, total)[0, 1] if sd > 0 else -1 for row, sd in zip(train, spread, strict=True)])
    strata = np.array_split(np.argsort(train.mean(axis=1), kind="stable"), size)
    return np.array([part[np.argmax(related[part])] for part in strata])


def errors(train, test, items):
    """Return the error of the mean and of the order of held-out models, from a line fitted on the other models."""
    slope, intercept = np.polyfit(train[items].mean(axis=0), train.mean(axis=0), 1)
    guess, truth = intercept + slope * test[items].mean(axis=0), test.mean(axis=0)
    return np.sqrt(np.mean((guess - truth) ** 2)), stats.kendalltau(guess, truth).statistic


def main():
    rng = np.random.default_rng(0)
    boards = {"simulated, 800 items × 60 models": simulated(rng)}
    if len(sys.argv) > 1:
        table = (
            pl.read_csv(Path(sys.argv[1]) / "alpaca_eval_wins.csv").select(pl.col(pl.Float64, pl.Int64)).drop_nulls()
        )
        boards[f"AlpacaEval, {table.height} items × {table.width} models"] = table.to_numpy()
    found = []
    for name, scores in boards.items():
        for size in SIZES:
            tried = []
            for _ in range(SPLITS):
                order = rng.permutation(scores.shape[1])
                train, test = scores[:, order[::2]], scores[:, order[1::2]]
                random = rng.choice(len(scores), size, replace=False)
                tried.append([*errors(train, test, chosen(train, size)), *errors(train, test, random)])
            anchor_error, anchor_order, random_error, random_order = np.mean(tried, axis=0)
            found.append(
                [name, size, f"{anchor_error:.4f}", f"{random_error:.4f}", f"{anchor_order:.2f}", f"{random_order:.2f}"]
            )
    head = [
        "leaderboard",
        "items kept",
        "error of anchors",
        "error of random items",
        "order of anchors",
        "order of random items",
    ]
    write_rows([dict(zip(head, row, strict=True)) for row in found], MEASURED / "anchors.csv")
    put_between(
        ROOT / "docs" / "evidence" / "leaderboards.md",
        "<!-- anchors -->",
        markdown(head, [list(map(str, row)) for row in found]),
    )


if __name__ == "__main__":
    main()
