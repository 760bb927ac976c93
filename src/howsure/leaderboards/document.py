"""What a board says in English, and its document."""

from itertools import pairwise
from typing import TYPE_CHECKING

from howsure.documents import Block, Column, Document, Sentence, Table
from howsure.documents.numbers import error_of, interval, joined, listed, measured, number

if TYPE_CHECKING:
    from howsure.leaderboards.leaderboards import Leaderboard, Pair

TASKS = 12
"""Up to this many tasks have a column each."""


def verdict(board: "Leaderboard") -> str:
    """Return who leads, who may be best, and how many pairs are told apart."""
    parts = [_lead(board), _against(board) if board.baseline else _best(board)]
    n, told = len(board.pairs), board.n_apart
    alpha = f"{100 * (1 - board.confidence_level):.4g}%"
    together = {"none": "each pair by itself", "benjamini-hochberg": "with that share of false ones at most"}
    how = together.get(board.correction, "all pairs taken together")
    parts.append(f"{told:,} of {n:,} pairs {'is' if told == 1 else 'are'} told apart at {alpha}, {how}.")
    return " ".join(parts)


def _lead(board: "Leaderboard") -> str:
    where = f" on {board.slice}" if board.slice else ""
    first = board.leaders
    if not first:
        return f"No model has a score on every task{where}."
    ends = first[0].confidence_interval
    error = error_of(ends, first[0].score)
    score = f"{board.title} {number(first[0].score, error)}"
    among = "Of the models that have every task, " if _lacks(board) else ""
    if len(first) > 1:
        return f"{among}{joined([model.name for model in first])} share the lead{where}: {score}."
    level = f"{100 * board.confidence_level:g}% interval {interval(ends.low, ends.high, error)}"
    return f"{among}{first[0].name} leads{where}: {score} ({level})."


def _lacks(board: "Leaderboard") -> bool:
    """Whether some model lacks a task, and so a score and a rank."""
    return any(model.rank is None for model in board.models)


def _best(board: "Leaderboard") -> str:
    best = board.may_be_best
    if len(best) == 1 and board.model(best[0]).rank is None:
        return f"Only {best[0]}, which lacks a task, may be best: it is better than every other."
    if len(best) == 1:
        return f"No other model may be best: {best[0]} is better than every other."
    if len(best) == len(board.models):
        return f"Any of the {len(best)} models may be best."
    return f"{len(best)} of {len(board.models)} models may be best: {joined(best)}."


def _against(board: "Leaderboard") -> str:
    told = [pair for pair in board.pairs if pair.pvalue_adjusted <= board.alpha]
    better = [pair.a for pair in told if pair.a != board.baseline]
    worse = [pair.b for pair in told if pair.b != board.baseline]
    parts = [
        f"{joined(names)} {'is' if len(names) == 1 else 'are'} {word} than {board.baseline}"
        for names, word in ((better, "better"), (worse, "worse"))
        if names
    ]
    return f"{'; '.join(parts)}." if parts else f"No model is told apart from {board.baseline}."


def document(board: "Leaderboard") -> Document:
    """Return the document of a board."""
    blocks: list[Block] = [Sentence(verdict(board), "verdict"), _models(board)]
    if board.top is not None and board.top < len(board.models):
        blocks.append(Sentence(f"These are the first {board.top} of {len(board.models):,} models.", "aside"))
    blocks.append(Sentence(_meaning(board), "aside"))
    blocks += [_pairs(board), *_groups(board), *_tasks(board)]
    return Document("Which of these models are really better?", tuple(blocks), board.notes, board.signature)


def _models(board: "Leaderboard") -> Table:
    rows = board.models[: board.top]
    lacks = _lacks(board)
    columns = (
        Column("rank", "count"),
        Column("model"),
        Column(board.title, "number"),
        Column(f"{100 * board.confidence_level:g}% interval", "interval"),
        Column("rank_low", "count"),
        Column("rank_high", "count"),
        Column("may_be_best"),
        Column("leads", "percent"),
        *((Column("items", "count"),) if lacks else ()),
    )
    cells = tuple(
        (
            row.rank,
            row.name,
            measured(row.score, row.confidence_interval),
            row.confidence_interval,
            row.rank_low,
            row.rank_high,
            "yes" if row.may_be_best else "no",
            row.leads,
            *((row.n_items,) if lacks else ()),
        )
        for row in rows
    )
    return Table(columns, cells, f"{board.title}, {board.better} is better")


def _meaning(board: "Leaderboard") -> str:
    level = f"{100 * board.confidence_level:g}%"
    ranks = f"With {level} confidence all true ranks lie between rank_low and rank_high."
    if board.correction in ("none", "benjamini-hochberg"):
        ranks = "True ranks lie between rank_low and rank_high only where no pair is told apart wrongly."
    among = " rank counts the models that have every task." if _lacks(board) else ""
    return (
        f"The interval is that of a model's own score. {ranks}{among} leads is the share of resampled boards that a "
        "model leads."
    )


def _pairs(board: "Leaderboard") -> Table:
    """Return neighbours on the board, or the pairs with the baseline."""
    names = [row.name for row in board.models[: board.top]]
    if board.baseline:
        shown = [pair for pair in board.pairs if {pair.a, pair.b} <= {*names, board.baseline}]
        title = f"Against {board.baseline}"
    else:
        wanted = set(pairwise(names))
        shown = [pair for pair in board.pairs if (pair.a, pair.b) in wanted]
        title = "Neighbours on the board"
    columns = (
        Column("better"),
        Column("than"),
        Column("advantage", "number"),
        Column("interval (together)", "interval"),
        Column("p", "pvalue"),
        Column("p adjusted", "pvalue"),
        Column("told apart"),
    )
    return Table(columns, tuple(_pair_row(board, pair) for pair in shown), title)


def _pair_row(board: "Leaderboard", pair: "Pair") -> tuple[object, ...]:
    told = "yes" if pair.pvalue_adjusted <= board.alpha else "no"
    advantage = measured(pair.advantage, pair.confidence_interval)
    return (pair.a, pair.b, advantage, pair.confidence_interval, pair.pvalue, pair.pvalue_adjusted, told)


def _groups(board: "Leaderboard") -> list[Block]:
    groups = [group for group in board.groups if len(group) > 1]
    if not groups:
        return []
    rows = tuple((number, len(group), listed(group)) for number, group in enumerate(groups[:10], 1))
    more = f"; the first 10 of {len(groups):,}" if len(groups) > 10 else ""
    columns = (Column("group", "count"), Column("models", "count"), Column("which"))
    return [Table(columns, rows, f"Groups in which no two models are told apart (they may overlap{more})")]


def _tasks(board: "Leaderboard") -> list[Block]:
    names = list(dict.fromkeys(cell.task for cell in board.tasks))
    if not names:
        return []
    if len(names) > TASKS:
        return [Sentence(f"The scores on {len(names)} tasks are in the JSON and in to_dict().", "aside")]
    scores = {(cell.task, cell.model): cell.score for cell in board.tasks}
    columns = (Column("model"), *(Column(name, "number") for name in names))
    rows = tuple(
        (row.name, *(_or_missing(scores[name, row.name]) for name in names)) for row in board.models[: board.top]
    )
    return [Table(columns, rows, f"Scores by {board.by}")]


def _or_missing(score: float) -> float | str:
    return score if score == score else "missing"  # noqa: PLR0124 (NaN alone differs from itself)
