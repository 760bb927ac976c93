"""How often the interval of `howsure score` contains the true score, and how often single runs exceed the noise floor.

`python benchmarks/model_score_coverage.py` writes docs/measured/model_score_coverage.csv and the table of docs/evidence/runs.md.
Items are as easy as Beta(4, 4), or Beta(4, 0.4) where nearly all are easy; errors are lognormal. In clusters of five,
items are equally easy.
"""

import math

import numpy as np

from howsure.scoring.repeated_runs import _reliability
from howsure.scoring.single_scores import mean_interval
from measured import MEASURED, ROOT, markdown, put_between, write_rows

REPLICATIONS = 4000
EASE = {"medium": (4.0, 4.0), "easy": (4.0, 0.4)}


def covered(rng, kind, n_items, n_runs, clusters):
    """Return how many intervals contain the truth."""
    codes = np.arange(n_items) // 5 if clusters else None
    found = 0
    for _ in range(REPLICATIONS):
        if kind == "errors":
            own = rng.lognormal(size=n_items if codes is None else n_items // 5)
            items = own if codes is None else own[codes]
            truth, bounds = math.exp(0.5), (0.0, math.inf)
        else:
            first, second = EASE[kind]
            ease = rng.beta(first, second, n_items if codes is None else n_items // 5)
            items = rng.binomial(n_runs, ease if codes is None else ease[codes]) / n_runs
            truth, bounds = first / (first + second), (0.0, 1.0)
        found += truth in mean_interval(items, float(items.mean()), codes, 0.95, bounds)
    return found


def beyond(rng, kind, n_items, n_runs):
    """Return how many pairs of new runs differ by more than the noise floor of the others."""
    ease = rng.beta(*EASE[kind], n_items)[:, np.newaxis]
    found = 0
    for _ in range(REPLICATIONS):
        grid = rng.binomial(1, ease, (n_items, n_runs + 2)).astype(float)
        floor = _reliability("m", grid[:, 2:], 0.95, True).noise_floor
        found += abs(float(grid[:, 0].mean() - grid[:, 1].mean())) > floor
    return found


SIZES = (20, 100, 500)


def main():
    rng = np.random.default_rng(0)
    rows = []
    for kind, n_runs in (("medium", 1), ("medium", 5), ("easy", 1), ("easy", 5), ("errors", 1)):
        for units in ("items", "clusters of 5"):
            shares = [covered(rng, kind, n, n_runs, units != "items") / REPLICATIONS for n in SIZES]
            rows.append(("coverage", kind, n_runs, units, *shares))
    for kind in EASE:
        shares = [beyond(rng, kind, n, 3) / REPLICATIONS for n in SIZES]
        rows.append(("beyond the noise floor", kind, 3, "items", *shares))
    head = ("what", "scores", "runs", "units", *(f"{n} items" for n in SIZES))
    write_rows([dict(zip(head, row, strict=True)) for row in rows], MEASURED / "model_score_coverage.csv")
    told = [(*map(str, row[:4]), *(f"{100 * share:.1f}%" for share in row[4:])) for row in rows]
    put_between(ROOT / "docs" / "evidence" / "runs.md", "<!-- measured -->", markdown(head, told))


if __name__ == "__main__":
    main()
