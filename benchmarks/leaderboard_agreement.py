"""How often the interval of a pair contradicts its adjusted p-value about 0, and what agreement changes.

    python benchmarks/leaderboard_agreement.py [--data-sets 1000] [--page]

Writes docs/measured/leaderboard_agreement.csv and a table of docs/evidence/leaderboards.md. Models answer the same N
items, in one task: pass or fail, ratings 1 to 5, or lognormal costs. *Equal* models are exchangeable; of *different*
ones each is better than the one before. "Before" are the intervals as they are computed for all pairs together;
"after" are those of the leaderboard. The true differences are those of 400,000 items.
"""

import functools
from itertools import combinations
from unittest import mock

import numpy as np

from howsure import Responses, ResponseTable, Scale
from howsure.inference import binomial_region
from howsure.leaderboards import compare_all
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

FILE, LEVEL = "leaderboard_agreement.csv", 0.95


def passes(rng, n, steps):
    ease = rng.beta(3, 1, (n, 1))
    return (rng.random((n, steps.size)) < ease ** np.exp(-0.6 * steps)).astype(float)


def ratings(rng, n, steps):
    return np.clip(np.round(rng.normal(size=(n, 1)) + rng.normal(size=(n, steps.size)) + 0.3 * steps), -2, 2) + 3


def costs(rng, n, steps):
    return rng.lognormal(0.3 * steps, 1.0, (n, steps.size))


MAKE = {"pass or fail": passes, "ratings 1 to 5": ratings, "lognormal": costs}
SCALES = {
    "pass or fail": Scale.of([0.0, 1.0], kind="ordinal"),
    "ratings 1 to 5": Scale.of([1.0, 2.0, 3.0, 4.0, 5.0]),
    "lognormal": Scale("continuous"),
}
CELLS = [(kind, n, m, how) for kind in MAKE for n in (20, 30, 100) for m in (2, 4) for how in ("equal", "different")]


@functools.cache
def truth_of(kind, m, how):
    return MAKE[kind](np.random.default_rng(1), 400_000, steps_of(m, how)).mean(axis=0)


def steps_of(m, how):
    return np.arange(m) * (how == "different")


def measure(kind, n, m, how, data_sets, number):
    rng = np.random.default_rng([16, number])
    truth = truth_of(kind, m, how) * (how == "different")
    count = {f"{what}_{when}": 0 for what in ("clash", "missed") for when in ("before", "after")}
    width = {"before": 0.0, "after": 0.0}
    for seed in range(data_sets):
        scores = MAKE[kind](rng, n, steps_of(m, how))
        sources = {f"m{j}": Responses.from_grid(scores[:, [j]]) for j in range(m)}
        table = ResponseTable(np.arange(n).astype(str), sources, SCALES[kind], {}, ())
        place = "howsure.leaderboards.comparing"
        with (
            mock.patch(f"{place}.agreeing", lambda found, settings, **_: found),
            mock.patch(f"{place}.of_two_models", lambda found, *_, **__: (found, [])),
        ):
            before = compare_all(table, rng=seed, n_resamples=999, workers=1)
        after = compare_all(table, rng=seed, n_resamples=999, workers=1)
        for when, board in (("before", before), ("after", after)):
            clash = missed = False
            for a, b in combinations(range(m), 2):
                pair = board.pair(f"m{a}", f"m{b}")
                sign = 1 if pair.a == f"m{a}" else -1
                ends, gap = pair.confidence_interval, sign * (truth[a] - truth[b])
                if np.isnan(ends.low):
                    continue
                significant = pair.pvalue_adjusted <= 1 - LEVEL + 1e-12
                clash |= significant == (ends.low <= 0 <= ends.high)
                missed |= not ends.low <= gap <= ends.high
                width[when] += min(ends.width, 1e3)
            count[f"clash_{when}"] += clash
            count[f"missed_{when}"] += missed
    return [{"scores": kind, "items": n, "models": m, "truth": how, "data_sets": data_sets, **count,
             "width": round(width["after"] / width["before"], 4)}]  # fmt: skip


def page():
    body = []
    for row in read_rows(MEASURED / FILE):
        n = int(row["data_sets"])

        def share(name, row=row, n=n):
            bold = name.startswith("missed") and int(row[name]) > binomial_region(n, 0.05, confidence_level=0.99).high
            return f"**{100 * int(row[name]) / n:.1f}**" if bold else f"{100 * int(row[name]) / n:.1f}"

        body.append([row["scores"], row["items"], row["models"], row["truth"], share("clash_before"),
                     share("clash_after"), share("missed_before"), share("missed_after"), row["width"]])  # fmt: skip
    head = ["scores", "items", "models", "models are", "contradictions before, %", "after, %", "an interval misses before, %",
            "after, %", "width after / before"]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "leaderboards.md", "<!-- agreement -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, FILE, CELLS, measure, page, data_sets=1000)
