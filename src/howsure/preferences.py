"""Preferences between two models' outputs: as raters gave them, or as their ratings of both imply.

A preference is one response for each model, 1 for the preferred, 0 for the other, ½ each for a tie. The mean response
is then the win rate with ties counted half, and needs nothing but the order of the ratings.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from howsure import _check
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses, cells_from_codes
from howsure.data.scales import FloatArray, Scale
from howsure.errors import ArgumentError, DataError

PREFERENCE = Scale("ordinal", (0.0, 0.5, 1.0), ("0", "0.5", "1"), "preferences")


def preferences_between(
    contest: Contest | Any, *, a: str | None = None, b: str | None = None, better: str = "higher"
) -> Contest:
    """Return what each rater of both models prefers, item by item; responses without a counterpart are left out.

    A rater who rated the outputs several times prefers the one with the better mean; `better` is "lower" for penalties.
    Of a table, a dataframe or a path the two models are named by `a` and `b`.

    Examples
    --------
    >>> raters = np.array([[0, 1], [0, 1]])
    >>> a, b = (Responses.from_grid(np.array(grid, float), raters) for grid in ([[4, 2], [3, 3]], [[1, 2], [5, 1]]))
    >>> preferences_between(Contest(None, a, b, Scale("continuous"), np.array(["x", "y"]))).a.values
    array([1. , 0.5, 0. , 1. ])
    """
    _check.one_of("better", better, ("higher", "lower"))
    from howsure.io.reading import as_contest

    contest = as_contest(contest, a=a, b=b, gold=None)
    if contest.a.raters is None or contest.b.raters is None:
        raise DataError(
            "preferences between ratings need rater ids for A and for B; without them use the metric superiority."
        )
    if contest.scale.kind == "nominal":
        raise ArgumentError(f"labels without an order have no better one; the scale is {contest.scale}.")
    keys, values = zip(*(_cell_means(source) for source in (contest.a, contest.b)), strict=True)
    both, in_a, in_b = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    if not both.size:
        raise DataError("no rater judged both A and B on the same item, so there are no preferences.")
    items, raters = cells_from_codes(both)
    note = f"Preferences of {np.unique(raters).size} raters, from {both.size} pairs of ratings"
    alone = keys[0].size + keys[1].size - 2 * both.size
    note += f"; {alone} ratings without a counterpart by the same rater are left out." if alone else "."
    signs = np.sign(values[0][in_a] - values[1][in_b])
    won = (1 + (signs if better == "higher" else -signs)) / 2
    return _contest(contest, won, items, raters, note).complete()


def preferences_from(
    table: ResponseTable | Any, source: str, *, a: Any, b: Any, tie: Any = None, complete: bool = True
) -> Contest:
    """Return the contest between two models from one source whose responses name the preferred one.

    Parameters
    ----------
    table : ResponseTable, dataframe (pandas, Polars, Arrow) or path
    source : str
        Whose responses are preferences.
    a, b, tie : str or number
        The labels that mean "A is better", "B is better" and "neither". A response with another label is an error.
    complete : bool
        Leave out items without a preference. If not, `missing_bounds` can tell what they could change.

    Examples
    --------
    >>> table = ResponseTable(np.array(["x"]), {"human": Responses([1, 2, 0], [0, 3])}, Scale.of([0, 1, 2]))
    >>> preferences_from(table, "human", a=1, b=2, tie=0).a.values
    array([1. , 0. , 0.5])
    """
    from howsure.io.reading import as_table

    table = as_table(table)
    responses = table.single(_check.text("source", source))
    labels = {"a": a, "b": b} if tie is None else {"a": a, "b": b, "tie": tie}
    values = {"a": 1.0, "b": 0.0, "tie": 0.5}
    wanted = {str(_check.label(name, label)): values[name] for name, label in labels.items()}
    _check.flag("complete", complete)
    if len(wanted) < 2 + (tie is not None):
        raise ArgumentError(f"the labels for A, B and ties must be different; got a={a!r}, b={b!r}, tie={tie!r}.")
    won = np.full(responses.values.size, np.nan)
    for level, label in zip(table.scale.levels, table.scale.labels, strict=True):
        won[responses.values == level] = wanted.get(label, np.nan)
    if np.isnan(won).any():
        other = table.scale.decode(responses.values[np.isnan(won)][:1])[0]
        label = f"{other:g}" if isinstance(other, float) else other
        raise DataError(f"{source} answers {label!r}, which is none of the labels {', '.join(wanted)} (a, b, tie).")
    raters = np.full(won.size, -1) if responses.raters is None else responses.raters
    names = ("", str(a), str(b))
    base = Contest(
        gold=None,
        a=responses,
        b=responses,
        scale=table.scale,
        items=table.items,
        names=names,
        groups=table.groups,
        raters=table.raters,
        notes=table.notes,
    )
    found = _contest(base, won, responses.items, raters, None, identified=responses.raters is not None)
    a_side, b_side = (replace(side, missing=responses.missing) for side in (found.a, found.b))
    whole = replace(found, a=a_side, b=b_side)
    return whole.complete() if complete else whole


def _cell_means(source: Responses) -> tuple[Any, FloatArray]:
    """Return (item, rater) keys and the mean response of each."""
    keys, cell, counts = np.unique(source.cells, return_inverse=True, return_counts=True)
    return keys, np.bincount(cell, source.values) / counts


def _contest(
    contest: Contest, won: FloatArray, items: Any, raters: Any, note: str | None, *, identified: bool = True
) -> Contest:
    """Return the contest whose A has `won` and whose B has the rest."""
    order = np.argsort(items, kind="stable")
    sizes = np.bincount(items, minlength=contest.n_items)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    who = raters[order] if identified else None
    a, b = (Responses(side[order], offsets, who) for side in (won, 1 - won))
    notes = (*contest.notes, *([note] if note else []))
    names = ("", *contest.names[1:])
    return replace(contest, gold=None, a=a, b=b, scale=PREFERENCE, names=names, notes=notes, repeats=(), better="")
