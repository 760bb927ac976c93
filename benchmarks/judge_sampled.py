"""Measure the interval of people and judge where labels were drawn with unequal chances; write docs/measured/judge_sampled.csv.

    python benchmarks/judge_sampled.py [--data-sets 2000]    run, and put the table into docs/evidence/judge.md

Chances are least ** u with u uniform on 0..1, at random or by the judge's score (the highest are drawn least), so that
weights differ by a factor of up to 1 / least. Advantages are normal, signs (−1, 0, 1) or lognormal; the judge correlates
by 0.7.
"""

import argparse

import numpy as np

from howsure.inference import binomial_region
from howsure.judging.combined_advantage import LabelDesign, Labelled, combine
from measured import MEASURED, ROOT, markdown, put_between, write_rows

TRUTH = {"normal": 0.2, "signs": 0.24196 - 0.11507, "lognormal": float(np.exp(0.125))}


def measure(kind, drawn, n_all, least, n_sets):
    """Return how often the interval contains the truth, and how many items the labels were worth."""
    rng = np.random.default_rng([list(TRUTH).index(kind), drawn == "by score", n_all, round(1 / least)])
    hits, labelled, worth = 0, [], []
    for _ in range(n_sets):
        z = rng.normal(size=n_all)
        human = {"normal": 0.2 + z, "signs": (z > 0.7) * 1.0 - (z < -1.2), "lognormal": np.exp(z / 2)}[kind]
        judge = 0.7 * z + np.sqrt(1 - 0.7**2) * rng.normal(size=n_all)
        share = rng.random(n_all) if drawn == "at random" else judge.argsort().argsort() / (n_all - 1)
        chances = least**share
        where = np.flatnonzero(rng.random(n_all) < chances)
        data = Labelled(human[where], judge, where, LabelDesign.drawn(chances[where]))
        result = combine(data)
        hits += TRUTH[kind] in result.error.interval(result.estimate)
        labelled.append(where.size)
        worth.append(data.design.n_effective)
    return {"advantages": kind, "drawn": drawn, "items": n_all, "weights_up_to": round(1 / least), "data_sets": n_sets,
            "labelled": round(np.mean(labelled)), "worth": round(np.mean(worth)), "covered": hits}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=2000)
    n_sets = parser.parse_args().data_sets
    rows = [
        measure(kind, drawn, n_all, least, n_sets)
        for kind in TRUTH
        for drawn in ("at random", "by score")
        for n_all in (300, 1000)
        for least in (0.1, 0.01)
    ]
    write_rows(rows, MEASURED / "judge_sampled.csv")
    low = binomial_region(n_sets, 0.95).low
    body = []
    for row in rows:
        share = f"{100 * row['covered'] / n_sets:.1f}"
        body.append(
            [*(str(value) for value in list(row.values())[:-1]), f"**{share}**" if row["covered"] < low else share]
        )
    head = ["advantages", "chances", "items", "weights up to", "data sets", "labelled", "worth", "coverage"]
    put_between(ROOT / "docs" / "evidence" / "judge.md", "<!-- sampled -->", markdown(head, body))


if __name__ == "__main__":
    main()
