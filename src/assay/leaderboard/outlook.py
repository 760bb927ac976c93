"""How many items until the first neighbours of a board separate, and how sure the lead is by then."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay import _check, _random
from assay.documents import Column, Document, Sentence, Table
from assay.errors import ArgumentError, DataError
from assay.io.reading import as_table
from assay.leaderboard.board import units_for
from assay.leaderboard.joint import Pairs, Spread, reach_of
from assay.leaderboard.units import Units
from assay.records import Record
from assay.responses import ResponseTable
from assay.scales import FloatArray

DRAWS, MOST_ITEMS = 4999, 10**7
"""Simulated studies of each size; and beyond how many items the answer is that no number will do."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a study of one size would show.

    Attributes
    ----------
    n_items : int
    separated : float
        The probability that all the first neighbours are told apart.
    leads : float
        The probability that today's leader leads.
    """

    n_items: int
    separated: float
    leads: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPlan(Record):
    """How many items a board needs.

    Attributes
    ----------
    models : tuple of str
        The models whose neighbours are to separate, from the best on.
    power : float
    n_items : int or None
        The fewest items with which all of them separate with that probability; None where no number will do.
    now : int
        How many items there are.
    outlooks : tuple of Outlook
    notes : tuple of str
    seed : int
    """

    models: tuple[str, ...]
    power: float
    n_items: int | None
    now: int
    outlooks: tuple[Outlook, ...]
    notes: tuple[str, ...]
    seed: int

    @property
    def verdict(self) -> str:
        """The answer in a sentence or two."""
        who = f"the first {len(self.models)} models"
        chance = f"{100 * self.power:g} %"
        if self.n_items is None:
            return f"No number of items tells {who} apart: two of them have the same score."
        more = self.n_items / self.now
        return (
            f"With {self.n_items:,} items all neighbours among {who} are told apart with probability {chance}, if "
            f"their true scores are as measured: {more:.3g} times the {self.now:,} items that there are."
        )

    def document(self) -> Document:
        """Return the plan as a document."""
        columns = (Column("items", "count"), Column("all told apart", "percent"), Column("the leader leads", "percent"))
        rows = tuple((one.n_items, one.separated, one.leads) for one in self.outlooks)
        return Document(
            "How many items does this board need?",
            (Sentence(self.verdict, "verdict"), Table(columns, rows)),
            self.notes,
        )


def plan_board(
    table: ResponseTable | Any,
    *,
    gold: str | None = None,
    metric: Any = None,
    neighbours: int = 1,
    power: float = 0.8,
    confidence_level: float = 0.95,
    n_resamples: int = 1999,
    rng: _random.Rng = None,
    workers: int | None = None,
) -> BoardPlan:
    """Say how many items it takes until the first `neighbours` pairs of neighbours on the board separate.

    The true scores are taken to be the measured ones, and items like these are added. Neighbours that are close by
    chance need fewer items than it says, neighbours that are apart by chance more.

    Parameters
    ----------
    table, gold, metric
        As in `compare_all`; raters are held fixed.
    neighbours : int
        1 asks when the first and the second separate, 2 also the second and the third.
    power : float
        With which probability all of them are to be told apart, all pairs of the board taken together.
    confidence_level, n_resamples, rng, workers
        As in `compare_all`.

    Examples
    --------
    >>> from assay.examples import ratings
    >>> plan_board(ratings(), gold="human", rng=0).n_items < 200
    True
    """
    table = as_table(table)
    _check.fraction("power", power)
    neighbours = _check.integer("neighbours", neighbours, at_least=1)
    units = units_for(table, gold=gold, metric=metric)
    m, now = len(units.names), units.n_units
    if neighbours >= m:
        raise ArgumentError(f"`neighbours` must be below the number of models ({m}); got {neighbours}.")
    if now < 2:
        raise DataError(f"a plan needs at least two items that every model answered; got {now}.")
    seed = _random.replayable(rng)
    spread = Spread.of(units, Pairs.of(m), rounding=1e-12)
    reach = reach_of(
        units, spread, confidence_level=confidence_level, n_resamples=n_resamples, seed=seed,
        workers=_random.n_workers(workers),
    ).pairs  # fmt: skip
    order = np.argsort(-units.scores, kind="stable")
    first = units.take(order)
    draws = _random.generator(seed, "outlook").standard_normal((DRAWS, now))
    moved = np.einsum("dn,nj->dj", draws, first.errors)

    def outlook(n_items: int) -> Outlook:
        return _outlook(first, moved * math.sqrt(now / n_items), n_items, neighbours=neighbours, reach=reach)

    gaps = first.scores[:neighbours] - first.scores[1 : neighbours + 1]
    needed = None if (gaps <= 1e-12).any() else _fewest(outlook, power)
    sizes = sorted({now, 2 * now, 4 * now, *([] if needed is None else [needed])})
    notes = (
        "The plan takes the measured scores for the true ones. Neighbours that are close by chance need fewer items "
        "than it says, neighbours that are apart by chance more.",
    )
    return BoardPlan(
        models=first.names[: neighbours + 1],
        power=power,
        n_items=needed,
        now=now,
        outlooks=tuple(outlook(size) for size in sizes),
        notes=notes,
        seed=_random.entropy_of(seed),
    )


def _outlook(units: Units, moved: FloatArray, n_items: int, *, neighbours: int, reach: float) -> Outlook:
    """Return what studies of this size show; `moved` is how far each of them moves each score."""
    boards = units.scores + moved
    scale = math.sqrt(units.n_units / n_items)
    errors = np.sqrt(np.square(np.diff(units.errors[:, : neighbours + 1], axis=1)).sum(axis=0)) * scale
    apart = boards[:, :neighbours] - boards[:, 1 : neighbours + 1] > reach * errors
    leads = boards[:, 0] >= boards.max(axis=1)
    return Outlook(n_items, float(apart.all(axis=1).mean()), float(leads.mean()))


def _fewest(outlook: Any, power: float) -> int | None:
    """Return the fewest items with which enough studies succeed, by doubling and halving."""
    high = 2
    while outlook(high).separated < power:
        high *= 2
        if high > MOST_ITEMS:
            return None
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if outlook(middle).separated >= power else (middle, high)
    return high
