"""Measure leaderboards of many kinds; write docs/measured/leaderboard_boards.csv.

    python benchmarks/leaderboard_boards.py [--data-sets 300]
    python benchmarks/leaderboard_boards.py --page

Scores of models on tasks (or items), with a part that all models share. *equal*: no model is better. *steps*: models get better by 0.1
standard deviations each, the first half being equal. *families*: models in families of five whose scores correlate by 0.9. *clones*: every
second model is a copy of the one before. *ceiling*: right or wrong, 97% right. *skewed*: exponential scores. *missing*: 15 items per task,
and the first model lacks a task (what it would have scored there lies within the scores of the others). Models cost 1, 2, 3, … in a random order; a statement about cost errs if it calls a model dominated by one that is not
better, or a bound on how much worse a model is misses.
"""

import time

import numpy as np

from howsure import Responses, ResponseTable, Scale
from howsure.inference import binomial_region
from howsure.leaderboards import compare_all
from howsure.leaderboards.frontier import with_costs
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

ALPHA, N_DRAWS = 0.05, 499
CELLS = [
    ("equal", 3, 12), ("equal", 10, 12), ("equal", 10, 41), ("equal", 50, 41), ("equal", 200, 41), ("equal", 50, 12),
    ("steps", 10, 41), ("steps", 50, 41), ("steps", 200, 41), ("families", 50, 41), ("families", 200, 41), ("clones", 20, 41),
    ("ceiling", 10, 60), ("ceiling", 50, 200), ("skewed", 10, 41), ("skewed", 50, 41), ("missing", 10, 12),
]  # fmt: skip


def simulate(rng, kind, m, n):
    """Return scores (units, models), the true scores, and the task of each unit."""
    truth = np.zeros(m)
    tasks = None
    shared = rng.normal(size=(n, 1))
    if kind == "steps":
        truth = 0.1 * np.maximum(0, np.arange(m) - m // 2)
    noise = rng.normal(size=(n, m))
    if kind == "families":
        noise = np.sqrt(0.9) * np.repeat(rng.normal(size=(n, m // 5)), 5, axis=1) + np.sqrt(0.1) * noise
    if kind == "clones":
        noise = np.repeat(rng.normal(size=(n, m // 2)), 2, axis=1)
    if kind == "ceiling":
        return (rng.random((n, m)) < 0.97).astype(float), truth + 0.97, tasks
    if kind == "skewed":
        noise = rng.exponential(size=(n, m)) - 1
    scores = truth + shared + noise
    if kind == "missing":
        tasks = np.repeat(np.arange(n), 15)
        scores = np.repeat(shared, 15, axis=0) + rng.normal(size=(15 * n, m))
        scores[tasks == 0, 0] = np.nan
    return scores, truth, tasks


def table_of(scores, tasks):
    sources = {}
    for j in range(scores.shape[1]):
        known = ~np.isnan(scores[:, j])
        sources[f"m{j}"] = Responses(scores[known, j], np.concatenate([[0], np.cumsum(known)]))
    groups = {} if tasks is None else {"task": np.array([f"t{t}" for t in tasks])}
    return ResponseTable(np.arange(scores.shape[0]).astype(str), sources, Scale("continuous"), groups)


def cell(kind, m, n, data_sets, seed):
    rng = np.random.default_rng(seed)
    counts = dict.fromkeys(("wrong", "missed_intervals", "missed_ranks", "costs"), 0)
    found, widths, started = [], [], time.process_time()
    for number in range(data_sets):
        scores, true, tasks = simulate(rng, kind, m, n)
        how = {} if tasks is None else {"by": "task"}
        board = compare_all(table_of(scores, tasks), rng=number, n_resamples=N_DRAWS, workers=1, **how)
        truth = {f"m{j}": value for j, value in enumerate(true)}
        ranks = {a: 1 + int((true > truth[a] + 1e-9).sum()) for a in truth}
        gaps = np.array([truth[pair.a] - truth[pair.b] for pair in board.pairs])
        told = np.array([pair.pvalue_adjusted <= ALPHA for pair in board.pairs])
        ends = np.array([(pair.confidence_interval.low, pair.confidence_interval.high) for pair in board.pairs])
        counts["wrong"] += bool((told & (gaps < 1e-9)).any())
        counts["missed_intervals"] += bool(((gaps < ends[:, 0] - 1e-9) | (gaps > ends[:, 1] + 1e-9)).any())
        counts["missed_ranks"] += not all(row.rank_low <= ranks[row.name] <= row.rank_high for row in board.models)
        costs = dict(zip(truth, (rng.permutation(m) + 1.0).tolist(), strict=True))
        leader = board.models[0].name
        counts["costs"] += any(
            (one.dominated_by and truth[one.dominated_by] <= truth[one.name] + 1e-9)
            or one.at_most_worse < truth[leader] - truth[one.name] - 1e-9
            for one in with_costs(board, costs, "price").costs
        )
        found += told[np.abs(gaps) > 1e-9].tolist()
        widths.append(np.mean([row.rank_high - row.rank_low + 1 for row in board.models]))
    return [{
        "kind": kind, "models": m, "units": n, "data_sets": data_sets, "seconds": round(time.process_time() - started, 1), **counts,
        "found": round(float(np.mean(found)), 4) if found else "", "ranks": round(float(np.mean(widths)), 1),
    }]  # fmt: skip


def page():
    rows = read_rows(MEASURED / "leaderboard_boards.csv")
    head = ["scores", "models", "tasks or items", "data sets", "a false difference", "an interval misses", "a true rank missed",
            "a statement about cost errs", "true differences found", "ranks in a range"]  # fmt: skip
    body = []
    for row in rows:
        n = int(row["data_sets"])
        high = binomial_region(n, ALPHA).high
        shares = []
        for key in ("wrong", "missed_intervals", "missed_ranks", "costs"):
            share = f"{100 * int(row[key]) / n:.1f}"
            shares.append(f"**{share}**" if int(row[key]) > high else share)
        body.append([row["kind"], row["models"], row["units"], row["data_sets"], *shares, row["found"], row["ranks"]])
    put_between(ROOT / "docs" / "evidence" / "leaderboards.md", "<!-- boards -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, "leaderboard_boards.csv", CELLS, cell, page, data_sets=300)
