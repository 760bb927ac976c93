"""Do means of many items need resamples? Coverage of Edgeworth's interval where `compare` takes it, beside others.

Data sets of item advantages from seven distributions with known means. For each: Student's interval, Edgeworth's
(`howsure.intervals.direct.Edgeworth`) and, on a part of the data sets, the symmetric bootstrap-t that `compare` takes
for fewer items. `taken` is the share of data sets on which `enough` says that the formula will do; on the others
`compare` resamples. `default` is the coverage of what it then takes, on the same data sets as `symmetric`.

    python benchmarks/many_items.py        # writes docs/measured/many_items.csv and the table in docs/evidence/intervals.md
"""

import numpy as np

from howsure.inference.evidence import Evidence
from howsure.intervals import INTERVALS
from howsure.intervals.direct import enough
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

SIZES, LEVEL = (200, 500, 1000, 5000), 0.95
SIDES = ("two-sided", "greater", "less")
DRAWS, DRAWN, MOST_DRAWN = 499, 2000, 1000
"""Resamples, on so many data sets, of at most so many items."""

DISTRIBUTIONS = {
    "normal": (lambda rng, shape: rng.normal(0.1, 1.0, shape), 0.1),
    "exponential": (lambda rng, shape: rng.exponential(1.0, shape), 1.0),
    "lognormal": (lambda rng, shape: rng.lognormal(0.0, 1.0, shape), np.exp(0.5)),
    "t with 3 df": (lambda rng, shape: rng.standard_t(3, shape), 0.0),
    "10% gamma(½)": (lambda rng, shape: rng.gamma(0.5, 1.0, shape) * (rng.random(shape) < 0.1), 0.05),
    "5% ±1, 15% half": (lambda rng, shape: rng.choice([-1.0, 1.0, 0.5, 0.0], shape, p=[0.02, 0.03, 0.15, 0.8]), 0.085),
    "mixed tails": (lambda rng, shape: np.where(rng.random(shape) < 0.9, rng.normal(0.1, 1.0, shape), -0.9), 0.0),
}


def known_of(rows, draws=None, errors=None):
    n = rows.shape[1]
    return Evidence(
        rows.mean(axis=1),
        draws=np.empty((len(rows), 0)) if draws is None else draws,
        standard_errors=np.empty((len(rows), 0)) if errors is None else errors,
        errors=rows.std(axis=1, ddof=1) / np.sqrt(n),
        df=np.full(len(rows), n - 1.0),
        jackknife=(rows.sum(axis=1, keepdims=True) - rows) / (n - 1),
    )


def covered(kind, known, side, truth):
    low, high, _ = kind.ends(known, LEVEL, side)
    below = np.ones(len(low), dtype=bool) if side == "less" else low <= truth
    above = np.ones(len(low), dtype=bool) if side == "greater" else high >= truth
    return below & above


def resampled(rows, rng):
    n = rows.shape[1]
    draws, errors = np.empty((2, len(rows), DRAWS))
    for i, row in enumerate(rows):
        drawn = row[rng.integers(0, n, (DRAWS, n))]
        draws[i], errors[i] = drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / np.sqrt(n)
    return known_of(rows, draws, errors)


def measure(name, n, n_data_sets, number):
    make, truth = DISTRIBUTIONS[name]
    rng = np.random.default_rng([7, number])
    counts = {(side, what): 0 for side in SIDES for what in ("t", "edgeworth", "taken")}
    drawn, default = {}, {}
    n_drawn = DRAWN if n <= MOST_DRAWN else 0
    for first in range(0, n_data_sets, 500):
        rows = make(rng, (min(500, n_data_sets - first), n))
        known = known_of(rows)
        for side in SIDES:
            plain, formula = (covered(INTERVALS[kind], known, side, truth) for kind in ("t", "edgeworth"))
            taken = np.array([enough(row, LEVEL, side) for row in rows])
            counts[side, "t"] += int(plain.sum())
            counts[side, "edgeworth"] += int(formula.sum())
            counts[side, "taken"] += int(taken.sum())
    if n_drawn:
        rows = make(rng, (n_drawn, n))
        known = resampled(rows, rng)
        for side in SIDES:
            both = [covered(INTERVALS[kind], known, side, truth) for kind in ("symmetric", "edgeworth")]
            taken = np.array([enough(row, LEVEL, side) for row in rows])
            drawn[side], default[side] = int(both[0].sum()), int(np.where(taken, both[1], both[0]).sum())
    return [
        {
            "distribution": name,
            "items": n,
            "side": side,
            "data_sets": n_data_sets,
            "student": counts[side, "t"],
            "edgeworth": counts[side, "edgeworth"],
            "taken": counts[side, "taken"],
            "resampled_data_sets": n_drawn,
            "symmetric": drawn.get(side, ""),
            "default": default.get(side, ""),
        }
        for side in SIDES
    ]


def page():
    rows = read_rows(MEASURED / "many_items.csv")
    found = []
    for row in rows:
        if int(row["items"]) < 500 or (row["side"] != "two-sided" and row["items"] != "1000"):
            continue  # the file has them
        n, taken, drawn = (int(row[name]) for name in ("data_sets", "taken", "resampled_data_sets"))
        found.append(
            (
                row["distribution"],
                f"{int(row['items']):,}",
                row["side"],
                f"{100 * int(row['student']) / n:.1f}",
                f"{100 * int(row['edgeworth']) / n:.1f}",
                f"{100 * taken / n:.0f}",
                *(f"{100 * int(row[name]) / drawn:.1f}" if drawn else "–" for name in ("symmetric", "default")),
            )
        )
    head = ("advantages", "items", "side", "t", "edgeworth", "taken, %", "symmetric", "default")
    put_between(ROOT / "docs" / "evidence" / "intervals.md", "<!-- benchmarks/many_items.py -->", markdown(head, found))


if __name__ == "__main__":
    cells = [(name, n) for name in DISTRIBUTIONS for n in SIZES]
    run_cells(__doc__, "many_items.csv", cells, measure, page, data_sets=4000)
