"""Measure whether plans for pass@k and pass^k come true; write docs/measured/pass_plan.csv.

    python benchmarks/pass_plan.py [--data-sets 400]
    python benchmarks/pass_plan.py --page

Two models run N items R times and pass or fail: logit P(pass) = 0.5 or 0 + item N(0, 1.5²) + item × model N(0, 0.5²). A pilot of
3,000 items × 5 runs, planned from with the true advantage, says how many items it takes to find it with power 80%, with as many
runs as the pilot or with others. Then studies of that size are drawn and compared.
"""

import time

import numpy as np

from howsure import Responses, ResponseTable, Scale
from howsure.comparison import compare
from howsure.data.summaries import summarise
from howsure.inference import binomial_region
from howsure.metrics import resolve
from howsure.planning import Effect, plan
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

POWER, PILOT, RUNS = 0.8, 3000, 5
SHIFTS = np.array([0.5, 0.0])
CELLS = [(metric, runs) for metric in ("pass@1", "pass@3", "pass^3") for runs in (5, 3, 10)]
SCALE = Scale("ordinal", (0.0, 1.0), ("0", "1"))


def simulate(rng, n, runs):
    level = SHIFTS + 1.5 * rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(n, 2))
    return (rng.random((n, 2, runs)) < 1 / (1 + np.exp(-level[:, :, np.newaxis]))).astype(float)


def contest_of(passed):
    sources = {name: Responses.from_grid(passed[:, j]) for j, name in enumerate(("a", "b"))}
    table = ResponseTable(np.arange(len(passed)).astype(str), sources, SCALE, repeats=("a", "b"))
    return table.contest(a="a", b="b")


def truth_of(metric):
    """Return the true advantage, from many items."""
    found = simulate(np.random.default_rng(99), 400_000, RUNS)
    scored = resolve(metric).on(SCALE)
    scores = [
        scored.item_scores(None, summarise(Responses.from_grid(found[:, j]), "counts", SCALE)).mean() for j in (0, 1)
    ]
    return float(scores[0] - scores[1])


def cell(metric, runs, data_sets, seed):
    rng = np.random.default_rng(seed)
    started = time.process_time()
    effect = Effect(resolve(metric), round(truth_of(metric), 4))
    found = plan(
        contest_of(simulate(rng, PILOT, RUNS)), metrics=metric, effect=effect, n_responses=runs, target_power=POWER
    )
    n_items = found.recommended.design.n_items
    hits = sum(
        compare(contest_of(simulate(rng, n_items, runs)), metric=metric, rng=number, workers=1).pvalue <= 0.05
        for number in range(data_sets)
    )
    return [{
        "metric": metric, "runs": runs, "advantage": effect.advantage, "n_items": n_items,
        "said": round(found.recommended.power, 4), "found": hits, "data_sets": data_sets,
        "seconds": round(time.process_time() - started, 1),
    }]  # fmt: skip


def page():
    rows = read_rows(MEASURED / "pass_plan.csv")
    head = ["metric", "true advantage", "items × runs", "plan: power", "power", "region of the plan", "studies"]
    body = []
    for r in rows:
        n, said = int(r["data_sets"]), float(r["said"])
        region = binomial_region(n, said)
        body.append([
            r["metric"], r["advantage"], f"{int(r['n_items']):,} × {r['runs']}", f"{100 * said:.1f}%",
            f"{100 * int(r['found']) / n:.1f}%", f"{100 * region.low / n:.1f} to {100 * region.high / n:.1f}%", str(n),
        ])  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "tests.md", "<!-- passes -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, "pass_plan.csv", CELLS, cell, page, data_sets=400)
