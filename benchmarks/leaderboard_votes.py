"""Measure what boards of votes promise; write docs/measured/leaderboard_votes.csv.

    python benchmarks/leaderboard_votes.py [--data-sets 300]
    python benchmarks/leaderboard_votes.py --page

Five models. A vote is between two of them by lot, on one of 60 items and by one of 30 voters by lot, 600 votes in all: the log-odds
that the first wins are the difference of strengths, plus what the item and the voter add to each model (N(0, sd²)); one vote in
five is a tie. Strengths: all equal; or three equal and two better by 0.5 and 1. Tastes: none; of voters (0.7); of items (0.7); of both
(0.5 each). Votes are judged as they were given (by the columns that the tastes belong to) and as if each stood alone.

The true strengths are those that Bradley and Terry's model has for votes without end, fitted to 400,000.
"""

import time

import numpy as np
import polars as pl

from howsure.inference import binomial_region
from howsure.leaderboards import compare_votes
from howsure.leaderboards.votes import Votes, fit_strengths
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

ALPHA, N_DRAWS, N_VOTES, N_ITEMS, N_VOTERS, TIES = 0.05, 499, 600, 60, 30, 0.2
NAMES = tuple(f"m{j}" for j in range(5))
STRENGTHS = {"all equal": np.zeros(5), "3 equal, 2 better": np.array([0.0, 0.0, 0.0, 0.5, 1.0])}
TASTES = {"none": (0.0, 0.0), "voters": (0.0, 0.7), "items": (0.7, 0.0), "items and voters": (0.5, 0.5)}
COLUMNS = {"none": {}, "voters": {"voter": "voter"}, "items": {"item": "item"},
           "items and voters": {"item": "item", "voter": "voter"}}  # fmt: skip


def simulate(rng, strengths, tastes, n_votes, n_items, n_voters):
    m = strengths.size
    of_items, of_voters = (sd * rng.normal(size=(n, m)) for sd, n in zip(tastes, (n_items, n_voters), strict=True))
    first = rng.integers(m, size=n_votes)
    second = (first + 1 + rng.integers(m - 1, size=n_votes)) % m
    item, voter = rng.integers(n_items, size=n_votes), rng.integers(n_voters, size=n_votes)
    whole = strengths + of_items[item] + of_voters[voter]
    rows = np.arange(n_votes)
    odds = whole[rows, first] - whole[rows, second]
    won = (rng.random(n_votes) < 1 / (1 + np.exp(-odds))).astype(float)
    won[rng.random(n_votes) < TIES] = 0.5
    return first, second, won, item, voter


def truth_of(strengths, tastes):
    first, second, won, _, _ = simulate(np.random.default_rng(99), strengths, tastes, 400_000, 40_000, 40_000)
    found = fit_strengths(Votes(NAMES, first, second, won))
    equal = strengths == strengths.min()
    found[equal] = found[equal].mean() if equal.sum() > 1 else found[equal]
    return found


def frame_of(first, second, won, item, voter):
    names = np.array(NAMES)
    said = np.where(won == 0.5, "tie", np.where(won == 1, "model_a", "model_b"))
    return pl.DataFrame({
        "model_a": names[first], "model_b": names[second], "winner": said, "item": item.astype(str), "voter": voter.astype(str)
    })  # fmt: skip


def cell(name, taste, data_sets, seed):
    strengths, tastes = STRENGTHS[name], TASTES[taste]
    truth = dict(zip(NAMES, truth_of(strengths, tastes), strict=True))
    ranks = {a: 1 + sum(truth[b] > truth[a] + 1e-9 for b in NAMES) for a in NAMES}
    rng = np.random.default_rng(seed)
    ways = {"as given": COLUMNS[taste]} | ({} if taste == "none" else {"each vote alone": {}})
    kept = {way: dict.fromkeys(("wrong", "missed_intervals", "missed_ranks"), 0) | {"found": []} for way in ways}
    started = time.process_time()
    for number in range(data_sets):
        votes = frame_of(*simulate(rng, strengths, tastes, N_VOTES, N_ITEMS, N_VOTERS))
        for way, columns in ways.items():
            board = compare_votes(votes, n_resamples=N_DRAWS, rng=number, workers=1, **columns)
            gaps = np.array([truth[pair.a] - truth[pair.b] for pair in board.pairs])
            told = np.array([pair.pvalue_adjusted <= ALPHA for pair in board.pairs])
            ends = np.array([(pair.confidence_interval.low, pair.confidence_interval.high) for pair in board.pairs])
            counts = kept[way]
            counts["wrong"] += bool((told & (gaps < 1e-9)).any())
            counts["missed_intervals"] += bool(((gaps < ends[:, 0]) | (gaps > ends[:, 1])).any())
            counts["missed_ranks"] += not all(row.rank_low <= ranks[row.name] <= row.rank_high for row in board.models)
            counts["found"] += told[np.abs(gaps) > 1e-9].tolist()
    seconds = round(time.process_time() - started, 1)
    return [
        {"truth": name, "tastes": taste, "way": way, "data_sets": data_sets, "seconds": seconds,
         **{key: counts[key] for key in ("wrong", "missed_intervals", "missed_ranks")},
         "found": round(float(np.mean(counts["found"])), 4) if counts["found"] else ""}
        for way, counts in kept.items()
    ]  # fmt: skip


def shown(count, n):
    bold = int(count) > binomial_region(int(n), ALPHA).high
    share = f"{100 * int(count) / int(n):.1f}"
    return f"**{share}**" if bold else share


def page():
    rows = read_rows(MEASURED / "leaderboard_votes.csv")
    head = ["truth", "tastes of", "votes count", "data sets", "a false difference", "an interval misses", "a true rank missed",
            "true differences found"]  # fmt: skip
    body = [
        [r["truth"], r["tastes"], r["way"], r["data_sets"],
         *(shown(r[key], r["data_sets"]) for key in ("wrong", "missed_intervals", "missed_ranks")), r["found"]]
        for r in rows
    ]  # fmt: skip
    put_between(ROOT / "docs" / "leaderboards.md", "<!-- votes -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(
        __doc__,
        "leaderboard_votes.csv",
        [(name, taste) for name in STRENGTHS for taste in TASTES],
        cell,
        page,
        data_sets=300,
    )
