"""A leaderboard for each slice of the items, all of them holding together."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure import _check, _matrices, _random
from howsure.documents import Column, Document, Sentence, Table
from howsure.documents.numbers import measured
from howsure.io.reading import as_table
from howsure.leaderboards.board import compare_all
from howsure.leaderboards.leaderboards import Leaderboard
from howsure.records import Record
from howsure.response_tables import ResponseTable
from howsure.responses import group_codes


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboards(Record):
    """Leaderboards of several slices.

    Attributes
    ----------
    leaderboards : tuple of Leaderboard
        Each at the confidence level that makes all of them hold together.
    by : str
        The column whose values are the slices.
    confidence_level : float
        Of all leaderboards together.
    """

    leaderboards: tuple[Leaderboard, ...]
    by: str
    confidence_level: float

    @property
    def signature(self) -> str:
        """Those of all leaderboards."""
        return "; ".join(board.signature for board in self.leaderboards)

    def document(self) -> Document:
        """Return one row for each slice, and the verdict of each."""
        columns = (
            Column(self.by),
            Column("first place"),
            Column("score", "number"),
            Column("may be the best"),
            Column("significant pairs"),
        )
        rows = tuple(
            (
                board.slice.partition(" = ")[2],
                ", ".join(row.name for row in board.leaders[:3]) or "–",
                next((measured(row.score, row.confidence_interval) for row in board.leaders), None),
                f"{len(board.confidence_set):,} of {len(board.models):,}",
                f"{board.n_significant:,} of {len(board.pairs):,}",
            )
            for board in self.leaderboards
        )
        n, one = len(self.leaderboards), self.leaderboards[0]
        said = (
            f"Each of the {n} leaderboards has a confidence level of {100 * one.confidence_level:.4g}%, so all of them "
            f"hold together at {100 * self.confidence_level:g}%."
        )
        verdicts = tuple(Sentence(board.verdict, "verdict") for board in self.leaderboards[:8])
        notes = [
            f"{board.slice}: {note}" for board in self.leaderboards for note in board.notes if note not in _shared(self)
        ]
        return Document(
            f"Which of these models are really better, by {self.by}?",
            (*verdicts, Table(columns, rows), *([Sentence(said)] if n > 1 else [])),
            (*_shared(self), *notes),
            self.signature,
        )


def _shared(boards: Leaderboards) -> list[str]:
    """Return the notes that all leaderboards have."""
    return [note for note in boards.leaderboards[0].notes if all(note in board.notes for board in boards.leaderboards)]


@_matrices.on_one_thread
def compare_all_by(
    table: ResponseTable | Any, by: str, *, confidence_level: float = 0.95, rng: _random.Rng = None, **how: Any
) -> Leaderboards:
    """Rank the models on each slice of the items, with correction across all slices and pairs.

    The leaderboards share the probability of an error evenly: each has the confidence level 1 − (1 − level) / slices
    for all its pairs and ranks, so all of them hold together with `confidence_level`.

    Parameters
    ----------
    table : ResponseTable, dataframe or path
    by : str
        An item column; each of its values is a slice.
    confidence_level : float
        Of all leaderboards together.
    rng : int, SeedSequence, Generator or None
    **how
        As in `compare_all`.

    Examples
    --------
    >>> from howsure.examples import ratings
    >>> boards = compare_all_by(ratings(), "topic", gold="human", rng=0).leaderboards
    >>> [(board.slice, board.leaders[0].name, board.confidence_level) for board in boards]
    [('topic = fiction', 'model-2', 0.975), ('topic = news', 'model-2', 0.975)]
    """
    table = as_table(table)
    level = _check.fraction("confidence_level", confidence_level)
    values, codes = group_codes(table.groups, "by", by)
    seed = _random.replayable(rng)
    own = 1 - (1 - level) / values.size
    boards = tuple(
        replace(
            compare_all(table.take(np.flatnonzero(codes == number)), confidence_level=own, rng=seed, **how),
            slice=f"{by} = {value}",
        )
        for number, value in enumerate(values)
    )
    return Leaderboards(leaderboards=boards, by=by, confidence_level=level)
