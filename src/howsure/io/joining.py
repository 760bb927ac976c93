"""Join tables, one per source, on the item id."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from howsure import _check
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Labels, Responses
from howsure.data.scales import SPELLINGS, FloatArray, IntArray, Scale
from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.io.coded_rows import labels as as_labels
from howsure.io.values import Factor, refuse_alike

MOST_LACKING = 6
COMPARED = 200
"""How many ids of each table are compared to find those that look alike."""


def join(
    tables: Mapping[str, ResponseTable], *, files: Mapping[str, str] | None = None, labels: str = "stripped"
) -> ResponseTable:
    """Join tables of one source each on the item id.

    Parameters
    ----------
    tables : mapping of str to ResponseTable
        Each table with the name that its source gets.
    files : mapping of str to str, optional
        Where each table comes from, for messages.
    labels : {"stripped", "exact"}
        Whether labels of different tables that differ only by case, spaces or Unicode form are refused.

    Returns
    -------
    ResponseTable
        The items of all tables; `notes` says how many are in every table and names the first that each one lacks.

    Examples
    --------
    >>> import polars
    >>> from howsure.io import read
    >>> human = read(polars.DataFrame({"item": ["q1", "q2", "q3"], "value": [1, 2, 2]}), sources="human")
    >>> model = read(polars.DataFrame({"item": ["q3", "q1"], "value": [2, 1]}), sources="gpt-4")
    >>> join({"human": human, "gpt-4": model}).notes[-1]
    'Joined 2 tables on the item id: 2 of 3 items are in all of them; gpt-4 lacks 1 (first: q2).'
    """
    tables = {
        name: _check.instance("tables", own, ResponseTable) for name, own in _check.mapping("tables", tables).items()
    }
    files = {
        name: _check.path("files", place)
        for name, place in _check.mapping("files", {} if files is None else files).items()
    }
    _check.one_of("labels", labels, SPELLINGS)
    if len(tables) < 2:
        raise ArgumentError(f"`tables` must hold at least two tables to join; got {len(tables)}.")
    titles = {name: f"{name} ({files[name]})" if files and name in files else name for name in tables}
    parts = {name: _only_source(table, titles[name]) for name, table in tables.items()}
    factor = Factor.of(pl.concat([pl.Series(table.items.tolist(), dtype=pl.String) for table in tables.values()]))
    where = dict(zip(tables, np.split(factor.codes, np.cumsum([t.n_items for t in tables.values()])[:-1]), strict=True))
    holds = {name: np.isin(np.arange(len(factor.names)), codes) for name, codes in where.items()}
    refuse_strangers({name: table.items.tolist() for name, table in tables.items()}, holds, titles)
    scale, values = _shared_scale(tables, parts, titles)
    if labels == "stripped" and not scale.is_numeric:
        refuse_alike(scale.labels)
    raters = tuple(dict.fromkeys(rater for table in tables.values() for rater in table.raters))
    sources = {}
    for name, part in parts.items():
        own = replace(part, values=values[name], raters=_renumbered(part.raters, tables[name].raters, raters))
        sources[name] = _spread(own, where[name], len(factor.names))
    notes = [note for table in tables.values() for note in table.notes]
    better = {table.better for table in tables.values() if table.better}
    return ResponseTable(
        as_labels(factor.names),
        sources,
        scale,
        _shared_groups(tables, where, factor.names, titles),
        raters,
        (*notes, join_note(holds, factor.names)),
        tuple(name for name, table in tables.items() if table.repeats),
        better.pop() if len(better) == 1 else "",
    )


def _only_source(table: ResponseTable, title: str) -> Responses:
    if len(table.sources) != 1:
        names = ", ".join(table.sources)
        raise DataError(f"{title} has {len(table.sources)} sources ({names}), but a table to join must have one.")
    return next(iter(table.sources.values()))


def refuse_strangers(
    items: Mapping[str, Sequence[str]], holds: Mapping[str, npt.NDArray[np.bool_]], titles: Mapping[str, str]
) -> None:
    """Refuse a source that shares no item with any other; the nearest ids are shown side by side."""
    shared = np.sum(list(holds.values()), axis=0) > 1
    for name, has in holds.items():
        if len(holds) > 1 and not (has & shared).any():
            other = next(entry for entry in items if entry != name)
            raise DataError(
                f"{titles[name]} shares no item with the other tables: its first item is "
                f"{str(items[name][0])!r}, that of {titles[other]} is {str(items[other][0])!r}"
                f"{_nearest_pair(items[name], items[other])}. Check the item column of each."
            )


def _nearest_pair(own: Sequence[str], other: Sequence[str]) -> str:
    """Return the two ids that look most alike, where they are not the first ones."""
    import difflib

    for item in own[:COMPARED]:
        alike = difflib.get_close_matches(str(item), [str(entry) for entry in other[:COMPARED]], n=1, cutoff=0.7)
        if alike and (str(item), alike[0]) != (str(own[0]), str(other[0])):
            return f"; the nearest are {str(item)!r} and {alike[0]!r}"
    return ""


def _shared_scale(
    tables: Mapping[str, ResponseTable], parts: Mapping[str, Responses], titles: Mapping[str, str]
) -> tuple[Scale, dict[str, FloatArray]]:
    """Return the scale of all tables together, and each source's values on it."""
    scales = {name: table.scale for name, table in tables.items()}
    distinct = set(scales.values())
    values = {name: part.values for name, part in parts.items()}
    if len(distinct) == 1:
        return next(iter(scales.values())), values
    kinds = {scale.kind for scale in distinct}
    if all(scale.is_numeric for scale in distinct) and (kinds == {"nominal"} or "nominal" not in kinds):
        kind = kinds.pop() if len(kinds) == 1 else None
        return Scale.of(np.concatenate(list(values.values())), kind=kind), values
    if kinds == {"nominal"}:
        names = sorted({label for scale in distinct for label in scale.labels})
        scale = Scale.of(names, kind="nominal")
        return scale, {name: _relabelled(values[name], scales[name], scale) for name in values}
    first = next(iter(titles))
    other = next(name for name in titles if scales[name] != scales[first])
    raise DataError(
        f"{titles[first]} and {titles[other]} are on different scales: {scales[first]} against {scales[other]}. "
        "Give both the same `scale`, or the `order` of the labels."
    )


def _relabelled(values: FloatArray, old: Scale, new: Scale) -> FloatArray:
    level = dict(zip(new.labels, new.levels, strict=True))
    return np.array([level[label] for label in old.labels])[old.codes(values)]


def _renumbered(codes: IntArray | None, old: tuple[str, ...], new: tuple[str, ...]) -> IntArray | None:
    if codes is None:
        return None
    number = {rater: position for position, rater in enumerate(new)}
    return np.array([number[rater] for rater in old])[codes]


def _spread(part: Responses, where: IntArray, n_items: int) -> Responses:
    """Return the responses over all items of the joined table."""
    sizes = np.zeros(n_items, dtype=np.int64)
    sizes[where] = part.sizes
    ordered = part.take(np.argsort(where))
    missing = None
    if part.missing is not None:
        missing = np.zeros(n_items, dtype=np.int64)
        missing[where] = part.missing
    return replace(ordered, offsets=np.concatenate([[0], np.cumsum(sizes)]), missing=missing)


def _shared_groups(
    tables: Mapping[str, ResponseTable], where: Mapping[str, IntArray], items: list[str], titles: Mapping[str, str]
) -> dict[str, Labels]:
    groups: dict[str, Labels] = {}
    for name, table in tables.items():
        for column, own in table.groups.items():
            merged = groups.get(column, np.full(len(items), "")).astype(object)
            before = merged[where[name]]
            clash = (before != "") & (own != "") & (before != own)
            if clash.any():
                first = int(np.flatnonzero(clash)[0])
                raise DataError(
                    f"item {table.items[first]} has {column} {str(own[first])!r} in {titles[name]}, but "
                    f"{before[first]!r} in an earlier table. A group must be the same in all tables."
                )
            merged[where[name]] = np.where(own != "", own, before)
            groups[column] = as_labels(merged.tolist())
    return groups


def join_note(holds: Mapping[str, npt.NDArray[np.bool_]], items: Sequence[str], what: str = "tables") -> str:
    """Say how many items all tables share, and what each lacks."""
    everywhere = int(np.logical_and.reduce(list(holds.values())).sum())
    lacks = [
        f"{name} lacks {int((~has).sum()):,} (first: {items[int(np.flatnonzero(~has)[0])]})"
        for name, has in holds.items()
        if not has.all()
    ]
    if len(lacks) > MOST_LACKING:
        lacks[MOST_LACKING:] = [f"{len(lacks) - MOST_LACKING} more lack some"]
    some = f"{everywhere:,} of {len(items):,} items are in all of them"
    counted = some if lacks else "the one item matched" if len(items) == 1 else f"all {len(items):,} items matched"
    said = f"Joined {len(holds)} {what} on the item id: {'; '.join([counted, *lacks])}."
    return said if lacks else Aside(said)  # what matched as it should changes nobody's mind
