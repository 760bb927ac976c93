"""Measure leaderboards by a metric without item scores (Spearman); write docs/measured/leaderboard_swaps.csv.

    python benchmarks/leaderboard_swaps.py [--data-sets 300]
    python benchmarks/leaderboard_swaps.py --page

Items have a true value, N(0, 1); gold adds noise of SD 0.4, and each model noise of its own SD. P-values come from swapping two
models item by item, and are adjusted by the same swaps (min-p, Westfall and Young 1993) or by Holm's correction.
"""

import time

import numpy as np

from howsure import Responses, ResponseTable, Scale
from howsure.leaderboards import compare_all
from measured import false_differences, run_cells

ALPHA, N_DRAWS = 0.05, 999
MODELS = {
    "6 equal": [0.6] * 6,
    "3 pairs of equals": [0.3, 0.3, 0.8, 0.8, 1.6, 1.6],
    "one best of 6": [0.25] + [0.6] * 5,
}
ITEMS = (40, 150)


def cell(name, n_items, data_sets, seed):
    noise = np.array(MODELS[name])
    rng = np.random.default_rng(seed)
    counts = {way: {"wrong": 0, "found": []} for way in ("westfall-young", "holm")}
    started = time.process_time()
    for number in range(data_sets):
        true = rng.normal(size=(n_items, 1))
        scores = np.column_stack(
            [true + 0.4 * rng.normal(size=true.shape), true + noise * rng.normal(size=(n_items, noise.size))]
        )
        names = ["gold", *map(str, range(noise.size))]
        sources = {one: Responses.from_grid(scores[:, [j]]) for j, one in enumerate(names)}
        table = ResponseTable(np.arange(n_items).astype(str), sources, Scale("continuous"))
        for way, kept in counts.items():
            board = compare_all(
                table, gold="gold", metric="spearman", correction=way, rng=number, n_resamples=N_DRAWS, workers=1
            )
            for pair in board.pairs:
                kept.setdefault("now", []).append(
                    (noise[int(pair.a)] == noise[int(pair.b)], pair.pvalue_adjusted <= ALPHA)
                )
            now = kept.pop("now")
            kept["wrong"] += any(told for equal, told in now if equal)
            kept["found"] += [told for equal, told in now if not equal]
    seconds = round(time.process_time() - started, 1)
    return [
        {"models": name, "items": n_items, "correction": way, "data_sets": data_sets, "seconds": seconds, "wrong": kept["wrong"],
         "found": round(float(np.mean(kept["found"])), 4) if kept["found"] else ""}
        for way, kept in counts.items()
    ]  # fmt: skip


def page():
    false_differences("leaderboard_swaps.csv", "<!-- swaps -->", ("models", "items", "correction"))


if __name__ == "__main__":
    cells = [(name, n_items) for name in MODELS for n_items in ITEMS]
    run_cells(__doc__, "leaderboard_swaps.csv", cells, cell, page, data_sets=300)
