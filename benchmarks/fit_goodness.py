"""Does the p-value of a fit have its level, and does it see a wrong model? Writes docs/measured/fit_goodness.csv.

    python benchmarks/fit_goodness.py [--fits 200]

"labels": data sets from a Dirichlet distribution (dices350's), fitted by their own family: how often each p-value is at or
below .05, with a 95% interval. "wrong labels": labels of items of two kinds, agreed and contested, fitted by
one Dirichlet distribution. "without" is the p-value that compares the data with the model fitted to all of them.
"""

import argparse

import numpy as np

from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.inference import clopper_pearson
from howsure.models import CategoricalModel, fit
from howsure.models.fitting.goodness import agreement, compare_with_data
from measured import write_rows

LABELS = CategoricalModel((5.22, 0.86, 2.75))


def contested(n_items: int, k: int, rng: np.random.Generator) -> ResponseTable:
    """Return labels of items of which half are agreed on and half are not."""
    shares = np.where(
        rng.random((n_items, 1)) < 0.5, rng.dirichlet([40, 1, 1], n_items), rng.dirichlet([3, 3, 3], n_items)
    )
    codes = (rng.random((n_items, k, 1)) >= np.cumsum(shares, axis=1)[:, np.newaxis, :-1]).sum(axis=-1)
    gold = Responses.from_grid(codes.astype(float))
    return ResponseTable(np.arange(n_items).astype(str), {"gold": gold}, LABELS.scale)


def rates(kind: str, n_items: int, k: int, n_fits: int) -> list[dict[str, object]]:
    """Fit so many data sets and count small p-values."""
    found = []
    for number in range(n_fits):
        rng = np.random.default_rng([number, n_items, k])
        table = LABELS.table(n_items, (k, 1, 1), rng=rng) if kind == "labels" else contested(n_items, k, rng)
        result = fit(table, source="gold", rng=number)
        gold = table.source("gold")
        codes = Responses(table.scale.codes(gold.values).astype(float), gold.offsets)
        commonest = int(np.argmax(np.bincount(codes.values.astype(int))))
        naive = compare_with_data(result.model, codes, agreement(3, commonest), ("", ""), rng)
        found.append([feature.pvalue for feature in (*result.goodness, *naive)])
    names = [feature.name.partition(" of ")[0] for feature in result.goodness]
    rows = []
    for column, name in enumerate(names):
        rejected = int((np.array(found)[:, column] <= 0.05).sum())
        ends = clopper_pearson(rejected, n_fits)
        naive_rate = float((np.array(found)[:, column + 2] <= 0.05).mean())
        rows.append(
            {"data": kind, "n_items": n_items, "k": k, "feature": name, "rate": rejected / n_fits,
             "low": round(ends.low, 3), "high": round(ends.high, 3), "without": naive_rate, "fits": n_fits}
        )  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=200)
    n_fits = parser.parse_args().fits
    rows = []
    for kind, n_items, k, n in (
        ("labels", 50, 5, n_fits), ("labels", 200, 5, n_fits), ("wrong labels", 50, 5, n_fits // 3),
        ("wrong labels", 200, 5, n_fits // 3),
    ):  # fmt: skip
        rows += rates(kind, n_items, k, n)
        for row in rows[-2:]:
            print(*row.values(), sep=" | ", flush=True)
    write_rows(rows, "docs/measured/fit_goodness.csv")


if __name__ == "__main__":
    main()
