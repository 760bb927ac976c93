"""Measure the interval of people and judge where other raters judged A's outputs than B's; write docs/measured/judge_sides.csv.

    python benchmarks/judge_sides.py [--data-sets 2000]    run, and put the table into docs/evidence/judge.md
    python benchmarks/judge_sides.py --page                the table only

Data as in `raters_sides.py` (plain setting, equal loads), with labels of people on 100 of 500 items. The judge sees item
and output, without raters, plus noise of SD 0.7. Both models are equally good, so the truth is 0. Each data set goes
through `compare --judge` with raters as a random factor.
"""

import argparse

import numpy as np

from howsure.comparison import Procedure
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.inference import binomial_region
from howsure.judging import JudgedContest, compare_with_judge
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows
from raters_sides import SHARED, drawn

OUT = MEASURED / "judge_sides.csv"
SIZES = [(5, 1), (10, 1), (20, 2)]
SCALES = ("ratings", "pass/fail")
OF_MODEL, SEVERITY, TASTE, NOISE = 0.5, 0.5, 0.4, 0.7


def data_set(rng, n_raters, k, *, shared, scale, n=100, n_all=500):
    """Return what people and the judge say of two equally good models."""
    chance = np.full(n_raters, 1 / n_raters)
    of_a, of_b = drawn(rng, n, chance, k), drawn(rng, n, chance, k)
    if shared != "different":
        again = np.arange(n) % (1 if shared == "same" else 2) == 0
        of_b[again] = of_a[again]

    def cut(values):
        return np.clip(np.round(values), -2, 2) + 3 if scale == "ratings" else (values > 0).astype(float)

    item, strictness = rng.normal(size=n_all), SEVERITY * rng.normal(size=n_raters)
    people, judge = [], []
    for raters in (of_a, of_b):
        output = item + OF_MODEL * rng.normal(size=n_all)
        effects = (strictness + TASTE * rng.normal(size=n_raters))[raters]
        grid = np.full((n_all, k), np.nan)
        grid[:n] = cut(output[:n, np.newaxis] + effects + NOISE * rng.normal(size=(n, k)))
        ids = np.zeros((n_all, k), dtype=int)
        ids[:n] = raters
        people.append(Responses.from_grid(grid, ids))
        judge.append(Responses.from_grid(cut(output + NOISE * rng.normal(size=n_all))[:, np.newaxis]))
    levels = Scale.of([1.0, 2.0, 3.0, 4.0, 5.0] if scale == "ratings" else [0.0, 1.0])
    items, names = np.array([f"{i:04d}" for i in range(n_all)]), ("", "A", "B")
    humans = Contest(None, *people, levels, items, names, raters=tuple(f"p{r}" for r in range(n_raters)))
    return JudgedContest(humans, Contest(None, *judge, levels, items, names), "judge")


def measure(n_raters, k, shared, scale, n_data_sets):
    """Return how often the intervals of people, and of people and judge, contain the truth."""
    rng = np.random.default_rng([n_raters, k, SHARED.index(shared), SCALES.index(scale)])
    hits, widths = np.zeros(2, dtype=int), np.zeros(2)
    for _ in range(n_data_sets):
        both = data_set(rng, n_raters, k, shared=shared, scale=scale)
        result = compare_with_judge(both, metric="rating", procedure=Procedure(raters="random", n_resamples=99))
        for place, ends in enumerate((result.humans.confidence_interval, result.confidence_interval)):
            hits[place] += 0.0 in ends
            widths[place] += ends.high - ends.low
    return {
        "shared": shared, "raters": n_raters, "per_output": k, "scale": scale, "data_sets": n_data_sets,
        "people": hits[0], "people_and_judge": hits[1], "width": round(widths[1] / widths[0], 3),
    }  # fmt: skip


def page():
    """Put the table into docs/evidence/judge.md; a coverage below the region of 95% is bold."""
    body = []
    for row in read_rows(OUT):
        n = int(row["data_sets"])
        shares = [
            f"**{100 * hits / n:.1f}**" if hits < binomial_region(n, 0.95).low else f"{100 * hits / n:.1f}"
            for hits in (int(row["people"]), int(row["people_and_judge"]))
        ]
        body.append([row["shared"], row["raters"], row["per_output"], row["scale"], str(n), *shares, row["width"]])
    head = ["raters of A and B", "raters", "per output", "labels", "data sets", "people alone", "people and judge",
            "width beside people's"]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "judge.md", "<!-- sides -->", markdown(head, body))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--page", action="store_true", help="write the table only")
    options = parser.parse_args()
    if not options.page:
        rows = []
        for n_raters, k in SIZES:
            for shared in SHARED:
                for scale in SCALES:
                    rows.append(measure(n_raters, k, shared, scale, options.data_sets))
                    print(rows[-1], flush=True)
        write_rows(rows, OUT)
    page()


if __name__ == "__main__":
    main()
