"""What a leaderboard did, what it leaves open, and how many items its first open pair requires."""

import math
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from howsure.documents.numbers import joined
from howsure.leaderboards import Leaderboard, LeaderboardPlan, Leaderboards
from howsure.metrics import formula_of
from howsure.nulls import NULLS
from howsure.reports.accounts.base import CORRECTIONS, Account, about, units_needed

if TYPE_CHECKING:
    from howsure.questions.base import Question


def account(result: Leaderboard | Leaderboards, asked: "Question | None", data: Any) -> Account:
    """Return the account of a leaderboard, or of the first of several."""
    boards = result.leaderboards if isinstance(result, Leaderboards) else (result,)
    return Account(
        done=(" ".join(_done(boards[0])),),
        limits=tuple(_limits(boards[0])),
        next=tuple(line for board in boards[:5] for line in _next(board)),
    )


def of_plan(result: LeaderboardPlan, asked: "Question | None", data: Any) -> Account:
    """Return the account of a plan for a leaderboard."""
    return Account(
        done=(
            "Studies of each size are simulated by moving all scores together, as resampled items move them, with an "
            "error that shrinks with the root of the number of items. A pair differs significantly where its advantage "
            "exceeds the critical value for all pairs of the leaderboard times its standard error.",
        ),
        limits=("It does not show that the measured order is the true one.",),
        next=() if result.n_items is None else (f"Collect about {about(result.n_items)} items like these.",),
    )


def _done(board: Leaderboard) -> list[str]:
    said = []
    if told := formula_of(board.metric):
        said.append(f"{board.title[0].upper()}{board.title[1:]}: {told}.")
    if board.aggregate and board.by:
        said.append(f"Scores are computed for each {board.by} and combined by {board.aggregate}.")
    if board.null in NULLS:
        said.append(f"For each pair, {NULLS[board.null].account}.")
    if CORRECTIONS.get(board.correction):
        said.append(f"The p-values of all {len(board.pairs):,} pairs are adjusted by {CORRECTIONS[board.correction]}.")
    said.append(
        "The rank range of a model starts at 1 plus the number of models that are significantly better, and ends at "
        "the number of models minus those that are significantly worse (Mogstad et al. 2024)."
    )
    return said


def _limits(board: Leaderboard) -> list[str]:
    said = ["The ranks hold for items like these; another benchmark may rank the models differently."]
    if any(len(group) > 1 for group in board.groups):
        said.append("No significant difference does not mean that models are equal.")
    if board.task_effect == "fixed" and board.by:
        said.append(f"Values of {board.by} are fixed: the result does not generalise to others.")
    if board.gold:
        said.append(f"The result does not show whether {board.gold} is right.")
    return said


def _next(board: Leaderboard) -> list[str]:
    """Return what would settle the first open pair (of adjacent ranks, or with the baseline), and what is missing."""
    where = f"{board.slice}: " if board.slice else ""
    lacking = [model.name for model in board.models if model.rank is None]
    fill = [f"{where}Run {joined(lacking)} on the tasks that are missing."] if lacking else []
    ranked = [model for model in board.models if model.rank is not None]
    names = [model.name for model in ranked]
    wanted = {frozenset(pair) for pair in pairwise(names)}
    if board.baseline:
        wanted = {frozenset((name, board.baseline)) for name in names if board.baseline in names}
    asked = [pair for pair in board.pairs if frozenset((pair.a, pair.b)) in wanted]
    unsettled = [pair for pair in asked if pair.pvalue_adjusted > board.alpha]
    if unsettled:
        return [*fill, f"{where}{_separate(board, unsettled[0], ranked[0].n_items)}"]
    if fill:
        return fill
    if board.baseline:
        return [f"{where}All models differ significantly from {board.baseline}: no more data are required for that."]
    return [f"{where}All adjacent ranks differ significantly: no more data are required for the order."]


def _separate(board: Leaderboard, pair: Any, n_items: int) -> str:
    pvalue, names = pair.pvalue, f"{pair.a} and {pair.b}"
    if not 0 < pvalue < 1 or not pair.advantage or math.isnan(pair.advantage):
        return f"No number of items separates {names}: their scores are equal."
    error = abs(pair.advantage) / NormalDist().inv_cdf(1 - pvalue / 2)
    needed = units_needed(n_items, error, pair.advantage, alpha=(1 - board.confidence_level) / len(board.pairs))
    if needed > 10_000_000:
        return f"{names} are so close that more than 10,000,000 items would be required to separate them."
    return (
        f"For 80% power to separate {names}, if the measured scores are the true ones, collect about {about(needed)} "
        f"items; these data have {n_items:,}. `plan` computes this for more adjacent ranks."
    )
