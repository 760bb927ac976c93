"""Measure what leaderboards of votes promise; write docs/measured/leaderboard_votes.csv.

    python benchmarks/leaderboard_votes.py [--data-sets 1000]
    python benchmarks/leaderboard_votes.py --page

The log-odds that the first model of a vote wins are the difference of two strengths, plus what the voter and the item add to each
model (tastes, N(0, sd²)), plus what the first place is worth. A tie comes with a chance of its own. `loads` says how votes fall to
voters: equally, or like 1/rank^0.7 or 1/rank (Zipf). "voters see different models": a voter meets two neighbouring models only. "a first
in 90%": the first model is shown first in 90% of its votes. "cycle": every model beats the one after it, the last one the first, with
log-odds 0.6, so that no order fits and all strengths are equal. Three cases have three times as many data sets.

The true strengths are those that Bradley and Terry's model has for votes without end, fitted to 400,000.
"""

import time
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from howsure.inference import binomial_region
from howsure.leaderboards import compare_votes
from howsure.leaderboards.strengths import Votes, fit_strengths
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

ALPHA, N_DRAWS = 0.05, 499


@dataclass(frozen=True)
class Case:
    """How votes come about."""

    name: str
    strengths: tuple[float, ...] = (0.0,) * 4
    n_votes: int = 400
    n_voters: int = 25
    n_items: int = 60
    taste: float = 0.8
    of_items: float = 0.0
    zipf: float = 0.0
    item_zipf: float = 0.0
    ties: float = 0.0
    place: float = 0.0
    first: float = 0.5
    near: bool = False
    cycle: float = 0.0
    columns: tuple[str, ...] = ("voter",)
    unordered: bool = False
    times: int = 1


EQUAL = Case("4 equal models, equal loads")
ZIPF = replace(EQUAL, name="4 equal models, Zipf 1", zipf=1.0)
SURE = {"times": 3}
ALONE = replace(EQUAL, taste=0.0, n_votes=600, columns=())
CASES = (
    EQUAL,
    replace(EQUAL, name="4 equal models, Zipf 0.7", zipf=0.7),
    replace(ZIPF, **SURE),
    replace(ZIPF, name="4 equal models, Zipf 1, a third ties", ties=1 / 3, **SURE),
    replace(ZIPF, name="4 equal models, Zipf 1, 100 voters", n_voters=100),
    replace(ZIPF, name="4 equal models, Zipf 1, voters see different models", near=True, **SURE),
    replace(ZIPF, name="2 equal models, Zipf 1", strengths=(0.0,) * 2),
    replace(ZIPF, name="10 equal models, Zipf 1", strengths=(0.0,) * 10, n_votes=1000),
    replace(ZIPF, name="22 equal models, Zipf 1", strengths=(0.0,) * 22, n_votes=2200),
    replace(EQUAL, name="10 equal models, equal loads", strengths=(0.0,) * 10, n_votes=1000),
    replace(EQUAL, name="2 equal, 2 better, equal loads", strengths=(0.0, 0.0, 0.8, 1.6)),
    replace(ZIPF, name="2 equal, 2 better, Zipf 1", strengths=(0.0, 0.0, 0.8, 1.6)),
    Case(
        "4 equal models, items with unequal votes",
        taste=0.0,
        of_items=0.8,
        n_items=25,
        item_zipf=1.0,
        columns=("item",),
    ),
    Case("4 equal models, items and voters, Zipf 1", taste=0.5, of_items=0.5, zipf=1.0, columns=("item", "voter")),
    replace(ALONE, name="4 equal models, votes alone"),
    replace(ALONE, name="a first in 90%", first=0.9),
    replace(ALONE, name="first place worth 0.4, balanced", place=0.4),
    replace(ALONE, name="first place worth 0.4, a first in 90%", place=0.4, first=0.9),
    replace(ALONE, name="the same, place not estimated (unordered)", place=0.4, first=0.9, unordered=True),
    replace(ALONE, name="first place worth 0.4, a first in 90%, a third ties", place=0.4, first=0.9, ties=1 / 3),
    replace(ALONE, name="2 models, first place worth 0.4, a first in 90%", strengths=(0.0,) * 2, place=0.4, first=0.9),
    replace(ZIPF, name="first place worth 0.4, a first in 90%, Zipf 1", place=0.4, first=0.9, n_votes=600),
    replace(ALONE, name="5 models in a cycle", strengths=(0.0,) * 5, cycle=0.6),
)
"""What is measured; each row is one."""


def simulate(rng, case):
    m, n = len(case.strengths), case.n_votes
    names = [
        np.arange(1, size + 1) ** -power for size, power in ((case.n_voters, case.zipf), (case.n_items, case.item_zipf))
    ]
    voter, item = (rng.choice(loads.size, n, p=loads / loads.sum()) for loads in names)
    first = rng.integers(m, size=n)
    second = (first + 1 + rng.integers(m - 1, size=n)) % m
    if case.near:
        first = (voter + rng.integers(0, 2, n)) % m
        second = (first + 1) % m
        turn = rng.random(n) < 0.5
        first, second = np.where(turn, second, first), np.where(turn, first, second)
    if case.first != 0.5:
        has, other = (first == 0) | (second == 0), np.where(first == 0, second, first)
        ahead = rng.random(n) < case.first
        first, second = (
            np.where(has, np.where(ahead, 0, other), first),
            np.where(has, np.where(ahead, other, 0), second),
        )
    own = np.array(case.strengths) + case.taste * rng.normal(size=(case.n_voters, m))[voter]
    own = own + case.of_items * rng.normal(size=(case.n_items, m))[item]
    rows = np.arange(n)
    odds = own[rows, first] - own[rows, second] + case.place
    odds += case.cycle * ((second == (first + 1) % m) * 1.0 - (first == (second + 1) % m) * 1.0)
    won = (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(float)
    won[rng.random(n) < case.ties] = 0.5
    return first, second, won, item, voter


def truth_of(case):
    strengths = np.array(case.strengths)
    if not strengths.any():
        return strengths
    many = replace(case, n_votes=400_000, n_voters=40_000, n_items=40_000, zipf=0.0, item_zipf=0.0)
    first, second, won, _, _ = simulate(np.random.default_rng(99), many)
    found = fit_strengths(Votes(tuple(map(str, range(strengths.size))), first, second, won)).strengths.copy()
    for value in np.unique(strengths):
        found[strengths == value] = found[strengths == value].mean()
    return found


def frame_of(first, second, won, item, voter):
    said = np.where(won == 0.5, "tie", np.where(won == 1, "model_a", "model_b"))
    return pl.DataFrame({
        "model_a": [f"m{j}" for j in first], "model_b": [f"m{j}" for j in second], "winner": said,
        "item": item.astype(str), "voter": voter.astype(str),
    })  # fmt: skip


def cell(name, data_sets, seed):
    case = next(case for case in CASES if case.name == name)
    truth = {f"m{j}": value for j, value in enumerate(truth_of(case))}
    ranks = {a: 1 + sum(truth[b] > truth[a] + 1e-9 for b in truth) for a in truth}
    rng = np.random.default_rng(seed)
    data_sets *= case.times
    counts = dict.fromkeys(("wrong", "missed_intervals", "missed_ranks", "place"), 0)
    found, started = [], time.process_time()
    how = {"n_resamples": N_DRAWS, "workers": 1, "strength": "log-odds", "unordered": case.unordered}
    how |= {column: column for column in case.columns}
    for number in range(data_sets):
        board = compare_votes(frame_of(*simulate(rng, case)), rng=number, **how)
        gaps = np.array([truth[pair.a] - truth[pair.b] for pair in board.pairs])
        told = np.array([pair.pvalue_adjusted <= ALPHA for pair in board.pairs])
        ends = np.array([(pair.confidence_interval.low, pair.confidence_interval.high) for pair in board.pairs])
        counts["wrong"] += bool((told & (gaps < 1e-9)).any())
        counts["missed_intervals"] += bool(((gaps < ends[:, 0]) | (gaps > ends[:, 1])).any())
        counts["missed_ranks"] += not all(row.rank_low <= ranks[row.name] <= row.rank_high for row in board.models)
        counts["place"] += bool(board.effects) and board.effects[0].pvalue <= ALPHA
        found += told[np.abs(gaps) > 1e-9].tolist()
    return [{
        "case": name, "data_sets": data_sets, "seconds": round(time.process_time() - started, 1), **counts,
        "found": round(float(np.mean(found)), 4) if found else "",
    }]  # fmt: skip


def shown(count, n, *, promised=True):
    bold = promised and int(count) > binomial_region(int(n), ALPHA).high
    share = f"{100 * int(count) / int(n):.1f}"
    return f"**{share}**" if bold else share


def page():
    rows = {row["case"]: row for row in read_rows(MEASURED / "leaderboard_votes.csv")}
    head = ["votes", "units", "data sets", "a false difference", "an interval misses", "a true rank missed",
            "first place found to matter", "true differences found"]  # fmt: skip
    body = [
        [case.name, " and ".join(case.columns) or "vote", row["data_sets"],
         *(shown(row[key], row["data_sets"]) for key in ("wrong", "missed_intervals", "missed_ranks")),
         "" if case.unordered else shown(row["place"], row["data_sets"], promised=case.place == 0), row["found"]]
        for case in CASES
        if (row := rows.get(case.name))
    ]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "leaderboards.md", "<!-- votes -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, "leaderboard_votes.csv", [(case.name,) for case in CASES], cell, page, data_sets=1000)
