"""What a leaderboard did, what it leaves open, and how many items its first open pair requires."""

from typing import TYPE_CHECKING, Any

from howsure.documents.numbers import about, joined
from howsure.leaderboards import Leaderboard, LeaderboardPlan, Leaderboards
from howsure.leaderboards.document import VOTES, open_pair, separating
from howsure.metrics import formula_of
from howsure.nulls import NULLS
from howsure.reports.accounts.base import CORRECTIONS, Account

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
    if board.metric == VOTES:
        said.append(
            "Strengths are those of Bradley and Terry's model (1952) with ties counted half; a win rate is the mean "
            "probability of winning against each other model."
        )
    if board.effects:
        worth = joined([effect.name for effect in board.effects])
        said.append(f"The effect of {worth} is estimated along with the strengths (Davidson and Beaver 1977).")
    if told := formula_of(board.metric):
        said.append(f"{board.title[0].upper()}{board.title[1:]}: {told}.")
    if board.aggregate and board.by:
        said.append(f"Scores are computed for each {board.by} and combined by {board.aggregate}.")
    if board.metric == VOTES and NULLS[board.null].flips:
        said.append(
            "For each pair, the signs of what each voter, item or vote adds to the difference are flipped, the two "
            "models being taken to be equal (Kline and Santos 2012)."
        )
    elif board.metric == VOTES:
        said.append("The variances that items and voters add are summed (Cameron, Gelbach and Miller 2011).")
    else:
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
    pair = open_pair(board)
    if pair is not None:
        items = separating(board)
        more = f"{items} `plan` computes this for more adjacent ranks."
        if board.metric == VOTES:
            more = items or f"More voters, and more items, are required to separate {pair.a} and {pair.b}."
        elif not items:
            more = f"More raters, and more items, are required to separate {pair.a} and {pair.b}."
        return [*fill, f"{where}{more}"]
    if fill:
        return fill
    if board.baseline:
        return [f"{where}All models differ significantly from {board.baseline}: no more data are required for that."]
    return [f"{where}All adjacent ranks differ significantly: no more data are required for the order."]
