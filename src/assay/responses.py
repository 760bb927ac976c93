"""The data: responses of one source, a table of sources, and the contest between two of them.

All types are frozen and their arrays are read-only. Ragged is the normal case: an item has as many responses as it
has, and a missing response is absent, never a sentinel.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay import _check
from assay._frames import in_any_form
from assay.errors import ArgumentError, DataError
from assay.scales import FloatArray, IntArray, Scale

if TYPE_CHECKING:
    import polars as pl

Labels = npt.NDArray[np.str_]
SMALLEST, LARGEST = 1e-100, 1e100
"""Values outside cannot be squared and summed."""


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array, contiguous and read-only (a copy where the caller could still write to it)."""
    array = np.ascontiguousarray(array)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """All responses of one source: item `i` has `values[offsets[i]:offsets[i + 1]]`.

    Attributes
    ----------
    values : array of float
        Every response, item after item.
    offsets : array of int
        Where each item starts; one entry more than there are items.
    raters : array of int, optional
        The number of the rater who gave each response.
    weights : array of float, optional
        The share of each response in its item's answer, for a source that answers with probabilities: the responses
        of an item are then one answer, a distribution over labels, and are never drawn one by one.
    missing : array of int, optional
        How many more responses each item should have had: answers that the data name but that have no value.
    """

    values: FloatArray
    offsets: IntArray
    raters: IntArray | None = None
    weights: FloatArray | None = None
    missing: IntArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(np.asarray(self.values, dtype=np.float64)))
        object.__setattr__(self, "offsets", frozen(np.asarray(self.offsets, dtype=np.int64)))
        for name, kind in (("raters", np.int64), ("weights", np.float64), ("missing", np.int64)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(np.asarray(getattr(self, name), dtype=kind)))

    @classmethod
    def from_grid(cls, grid: FloatArray, raters: IntArray | None = None) -> "Responses":
        """Make responses from an (items, responses) array in which NaN marks an absent response."""
        present = ~np.isnan(grid)
        offsets = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
        return cls(grid[present], offsets, None if raters is None else raters[present])

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.offsets.size - 1

    @property
    def sizes(self) -> IntArray:
        """The number of responses of each item."""
        return np.diff(self.offsets)

    @property
    def n_responses(self) -> int | float:
        """Responses per item: the number K where it is the same for all items, else the mean."""
        sizes = self.sizes
        if self.weights is not None:
            sizes = np.minimum(sizes, 1)
        if sizes.size and (sizes == sizes[0]).all():
            return int(sizes[0])
        return float(sizes.mean()) if sizes.size else 0

    @property
    def items(self) -> IntArray:
        """The item of each response."""
        return np.repeat(np.arange(self.n_items), self.sizes)

    def check_magnitudes(self, name: str, items: Labels) -> None:
        """Refuse values whose squares or sums are no longer numbers; the message names the first."""
        size = np.abs(self.values)
        bad = np.flatnonzero((size > LARGEST) | ((size > 0) & (size < SMALLEST)) | ~np.isfinite(size))
        if bad.size:
            raise DataError(
                f"{name}, item {items[self.items[bad[0]]]}: {self.values[bad[0]]:g} is too large or too small to "
                "compute with (1e-100 to 1e100 in size). Rescale the values, or leave it out if it is an error."
            )

    def take(self, items: IntArray) -> "Responses":
        """Return the responses of these items, in this order; an item may be taken more than once."""
        starts = self.offsets[items]
        sizes = self.offsets[np.asarray(items) + 1] - starts
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        where = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
        return Responses(
            self.values[where], offsets, None if self.raters is None else self.raters[where],
            None if self.weights is None else self.weights[where],
            None if self.missing is None else self.missing[items],
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """Two models, and usually a gold standard, on the same items.

    Attributes
    ----------
    gold : Responses or None
        What the models are measured against; None when raters score the models' own outputs.
    a, b : Responses
    scale : Scale
    items : array of str
        The id of each item.
    names : tuple of str
        What the sources are called: (gold, a, b); gold is "" when there is none.
    groups : mapping of str to array of str
        Columns that describe items, for slices.
    raters : tuple of str
        The name behind each rater number.
    notes : tuple of str
        What the reader of a result must know about how the data were put together.
    repeats : tuple of str
        The sources (by name) whose several responses are known to be repeats: runs of a model, not raters.
    better : {"", "higher", "lower"}
        Which values are better, where the data say so: a penalty is better when it is lower.

    Examples
    --------
    >>> contest = Contest.from_arrays([[1, 2], [3, 3]], [[1, 1], [3, 4]], [[5, 4], [1, 2]])
    >>> contest.n_items, contest.gold.n_responses
    (2, 2)
    """

    gold: Responses | None
    a: Responses
    b: Responses
    scale: Scale
    items: Labels
    names: tuple[str, str, str] = ("gold", "A", "B")
    groups: Mapping[str, Labels] = field(default_factory=dict)
    raters: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    better: str = ""

    @classmethod
    def from_arrays(
        cls,
        gold: Any,
        a: Any,
        b: Any,
        *,
        scale: str | None = None,
        order: Sequence[Any] | None = None,
        groups: Mapping[str, Any] | None = None,
        names: tuple[str, str, str] = ("gold", "A", "B"),
    ) -> "Contest":
        """Make a contest from (items, responses) arrays; a vector is one response per item.

        NaN (or None among labels) marks an absent response. `gold` may be None. The arrays may have different numbers
        of columns, but must have the same number of rows.
        """
        given = {"a": a, "b": b} if gold is None else {"gold": gold, "a": a, "b": b}
        grids = {name: _grid(name, array) for name, array in given.items()}
        lengths = {name: grid.shape[0] for name, grid in grids.items()}
        if len(set(lengths.values())) != 1:
            shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise DataError(f"gold, a and b must have one row for each item; got rows: {shown}.")
        present = {name: _present(grid) for name, grid in grids.items()}
        everything = np.concatenate([grid[present[name]] for name, grid in grids.items()])
        if not everything.size:
            raise DataError("there is no response in these arrays.")
        shared = Scale.of(everything, kind=scale, order=order)
        sources = {}
        for name, grid in grids.items():
            filled = np.full(grid.shape, np.nan)
            filled[present[name]] = shared.encode(grid[present[name]])
            sources[name] = Responses.from_grid(filled)
        n_items = next(iter(lengths.values()))
        described = {name: _group(name, column, n_items) for name, column in (groups or {}).items()}
        contest = cls(
            sources.get("gold"), sources["a"], sources["b"], shared, np.arange(n_items).astype(str),
            names if gold is not None else ("", *names[1:]), described,
        )  # fmt: skip
        return contest.complete()

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", frozen(np.asarray(self.items)))

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.a.n_items

    @property
    def n_responses(self) -> dict[str, int | float]:
        """Responses per item of gold, a and b (the mean where it varies)."""
        return {role: source.n_responses for role, source in self.sources.items()}

    @property
    def sources(self) -> dict[str, Responses]:
        """The responses by role: gold (if there is one), a, b."""
        roles = {"gold": self.gold, "a": self.a, "b": self.b}
        return {role: source for role, source in roles.items() if source is not None}

    def complete(self) -> "Contest":
        """Return the contest on the items that every source answered; a note says which were left out."""
        answered = np.logical_and.reduce([source.sizes > 0 for source in self.sources.values()])
        if answered.all():
            return self
        names = (name for name in self.names if name)
        absent = {name: source.sizes == 0 for name, source in zip(names, self.sources.values(), strict=True)}
        if not answered.any():
            empty = [name for name, lacks in absent.items() if lacks.all()]
            who = f"{empty[0]} has none at all" if empty else f"{', '.join(absent)} share no item"
            raise DataError(f"no item has a response from every source: {who}. Check the item ids of each source.")
        reasons = [
            f"{int(lacks.sum())} without a response from {name} (first: item {self.items[lacks][0]})"
            for name, lacks in absent.items()
            if lacks.any()
        ]
        note = f"{int((~answered).sum())} of {self.n_items} items left out: {'; '.join(reasons)}."
        kept = self.take(np.flatnonzero(answered))
        return replace(kept, notes=(*self.notes, note))

    def in_order(self) -> "Contest":
        """Return the contest with items and raters in the order of their ids (2 before 10), whatever the data's order.

        Draws go by position, so this is what makes a result independent of the order of rows in a file. Responses of
        an item are in the order of their raters; without raters they stay as they are.
        """
        order = _by_id(self.items)
        contest = self if (np.diff(order) == 1).all() else self.take(order)
        sources, raters = _raters_in_order(contest.sources, self.raters)
        return replace(contest, raters=raters, **sources)  # type: ignore[arg-type]

    def take(self, items: IntArray) -> "Contest":
        """Return the contest on these items only."""
        return replace(
            self,
            gold=None if self.gold is None else self.gold.take(items),
            a=self.a.take(items),
            b=self.b.take(items),
            items=self.items[items],
            groups={name: column[items] for name, column in self.groups.items()},
        )

    def swapped(self) -> "Contest":
        """Return the contest with A and B exchanged."""
        gold, a, b = self.names
        return replace(self, a=self.b, b=self.a, names=(gold, b, a))

    def slices(self, by: str) -> Iterator[tuple[str, "Contest"]]:
        """Yield (value, contest) for each value of the item column `by`."""
        values, which = group_codes(self.groups, "by", by)
        order = np.argsort(which, kind="stable")
        parts = np.split(order, np.searchsorted(which[order], np.arange(1, values.size)))
        for value, items in zip(values, parts, strict=True):
            yield str(value), self.take(items)

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify scale and responses."""
        return _digest(self.scale, self.sources)


@dataclass(frozen=True, slots=True, eq=False)
class ResponseTable:
    """Every response of every source, on a common list of items.

    Attributes
    ----------
    items : array of str
    sources : mapping of str to Responses
        Each source's responses, over all items of the table (an item may have none).
    scale : Scale
    groups : mapping of str to array of str
        Columns that describe items, for slices.
    raters : tuple of str
        The name behind each rater number.
    notes : tuple of str
        What was guessed, joined or left out while reading.
    repeats : tuple of str
        The sources whose several responses are known to be repeats: runs of a model, not raters.
    better : {"", "higher", "lower"}
        Which values are better, where the data say so.
    """

    items: Labels
    sources: Mapping[str, Responses]
    scale: Scale
    groups: Mapping[str, Labels] = field(default_factory=dict)
    raters: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    better: str = ""

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.items.size

    def source(self, name: str) -> Responses:
        """Return the responses of one source; an unknown name is an error that lists the known ones."""
        if name in self.sources:
            return self.sources[name]
        known = list(self.sources)
        listed = ", ".join(known[:10]) + (f" and {len(known) - 10} more" if len(known) > 10 else "")
        raise DataError(f"no source is called {name!r}; the table has {listed}.{_check.nearest(name, known)}")

    def take(self, items: IntArray) -> "ResponseTable":
        """Return the table of these items only."""
        sources = {name: source.take(items) for name, source in self.sources.items()}
        groups = {name: column[items] for name, column in self.groups.items()}
        return replace(self, items=self.items[items], sources=sources, groups=groups)

    def in_order(self) -> "ResponseTable":
        """Return the table with items and raters in the order of their ids, whatever the order of the rows was."""
        order = _by_id(self.items)
        table = self if (np.diff(order) == 1).all() else self.take(order)
        sources, raters = _raters_in_order(table.sources, self.raters)
        return replace(table, sources=sources, raters=raters)

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify scale, sources and responses."""
        return _digest(self.scale, self.sources)

    def single(self, name: str) -> Responses:
        """Return the responses of a source that gives single ones; probabilities of labels are refused."""
        found = self.source(name)
        if found.weights is not None:
            raise DataError(f"{name} answers with a share for each label; this needs single responses.")
        return found

    def contest(self, *, a: str, b: str, gold: str | None = None, complete: bool = True) -> Contest:
        """Put two sources against each other, measured against `gold` (leave it out for gold-free ratings).

        Items that a source did not answer are left out, with a note, unless `complete` is False.

        Another order of the rows, or another layout of the same responses, gives the same contest: see
        `Contest.in_order`.
        """
        if a == b or gold in (a, b):
            raise ArgumentError(f"gold, a and b must be different sources; got gold={gold!r}, a={a!r}, b={b!r}.")
        whole = Contest(
            None if gold is None else self.source(gold), self.source(a), self.source(b), self.scale, self.items,
            (gold or "", a, b), self.groups, self.raters, self.notes, self.repeats, self.better,
        )  # fmt: skip
        return whole.complete().in_order() if complete else whole

    @in_any_form
    def to_frame(self) -> "pl.DataFrame":
        """Return a Polars dataframe with one response per row: item, source, rater (if any), repeat, value, groups.

        Repeats are numbered from 1 within item and source. A response that is known to be missing, an item without any
        response, and a source without a response on the first item get a row whose value is null, so that reading the
        rows gives this table again. A source that answers with probabilities has them in the column `share`.
        """
        import polars as pl

        clash = {"item", "source", "rater", "repeat", "value", "share"} & set(self.groups)
        if clash:
            raise DataError(f"a group cannot be called {sorted(clash)[0]!r}; rename it.")
        silent = np.logical_and.reduce([source.sizes == 0 for source in self.sources.values()])
        parts = []
        for number, source in enumerate(self.sources.values()):
            lacks = np.zeros(self.n_items, dtype=np.int64) if source.missing is None else source.missing.copy()
            if number == 0:
                lacks[silent] = np.maximum(lacks[silent], 1)
            if self.n_items and source.sizes[0] == 0:
                lacks[0] = max(lacks[0], 1)
            empty = np.repeat(np.arange(self.n_items), lacks)
            item = np.concatenate([source.items, empty])
            repeat = np.arange(source.values.size) - np.repeat(source.offsets[:-1], source.sizes) + 1
            rater = np.full(source.values.size, -1) if source.raters is None else source.raters
            part = {
                "item": item,
                "source": np.full(item.size, number),
                "rater": np.concatenate([rater, np.full(empty.size, -1)]),
                "repeat": np.concatenate([repeat, source.sizes[empty] + _within(empty)]),
                "value": np.concatenate([source.values, np.full(empty.size, np.nan)]),
                "share": np.concatenate(
                    [
                        np.full(source.values.size, np.nan) if source.weights is None else source.weights,
                        np.full(empty.size, np.nan),
                    ]
                ),
            }
            parts.append(pl.DataFrame(part))
        rows = pl.concat(parts).sort("item", "source", "repeat")
        raters = rows["rater"].replace(-1, None)
        columns = {
            "item": pl.Series(self.items.tolist(), dtype=pl.String).gather(rows["item"]),
            "source": pl.Series(list(self.sources), dtype=pl.String).gather(rows["source"]),
            **({"rater": pl.Series(self.raters, dtype=pl.String).gather(raters)} if self.raters else {}),
            "repeat": rows["repeat"],
            "value": self._cells(rows["value"].fill_nan(None)),
            **({"share": rows["share"].fill_nan(None)} if not rows["share"].is_nan().all() else {}),
            **{
                name: pl.Series(column.tolist(), dtype=pl.String).gather(rows["item"])
                for name, column in self.groups.items()
            },
        }
        return pl.DataFrame(columns)

    def _cells(self, values: "pl.Series") -> "pl.Series":
        """Return values as written: whole numbers without a point, labels, in their order if they have one."""
        import polars as pl

        if self.scale.is_numeric:
            whole = bool((values == values.round()).all()) and bool((values.abs() < 2**53).all())
            return values.cast(pl.Int64) if whole else values
        written = pl.Series(self.scale.labels, dtype=pl.String)
        cells = written.gather(values.replace_strict(self.scale.levels, range(len(written)), return_dtype=pl.UInt32))
        return cells.cast(pl.Enum(self.scale.labels)) if self.scale.kind == "ordinal" else cells

    def __str__(self) -> str:
        sources = ", ".join(f"{name} ({source.values.size})" for name, source in self.sources.items())
        return f"{self.n_items} items; responses: {sources}; scale: {self.scale}"


def group_codes(groups: Mapping[str, Labels], option: str, column: str) -> tuple[Labels, IntArray]:
    """Return the values of a column that describes items, and the number of each item's value among them."""
    if column not in groups:
        known = ", ".join(groups) or "none"
        raise ArgumentError(
            f"`{option}` must name a column that describes items; got {column!r}. Columns: {known}."
            f"{_check.nearest(column, groups)}"
        )
    values, codes = np.unique(groups[column], return_inverse=True)
    return values, codes.astype(np.int64)


def _by_id(ids: Labels) -> IntArray:
    """Return the order of ids, the shorter first, so that 2 comes before 10."""
    lengths = np.fromiter(map(len, ids.tolist()), dtype=np.int64, count=ids.size)
    return np.lexsort((ids, lengths))


def _digest(scale: Scale, sources: Mapping[str, Responses]) -> str:
    seen = hashlib.sha256(repr((scale.kind, scale.levels, scale.labels)).encode())
    for name, source in sources.items():
        seen.update(name.encode())
        seen.update(source.values.tobytes())
        seen.update(source.offsets.tobytes())
        seen.update(b"" if source.raters is None else source.raters.tobytes())
        seen.update(b"" if source.weights is None else source.weights.tobytes())
    return seen.hexdigest()[:12]


def _raters_in_order(
    sources: Mapping[str, Responses], raters: tuple[str, ...]
) -> tuple[dict[str, Responses], tuple[str, ...]]:
    """Return the sources with raters numbered in the order of their ids, and these; raters without a response go."""
    codes = [source.raters for source in sources.values() if source.raters is not None]
    if not raters or not codes:
        return dict(sources), raters
    used = np.unique(np.concatenate(codes))
    names = np.array([raters[code] for code in used])
    order = _by_id(names)
    place = np.full(len(raters), -1)
    place[used[order]] = np.arange(used.size)
    return {name: _by_rater(source, place) for name, source in sources.items()}, tuple(names[order].tolist())


def _by_rater(source: Responses, place: IntArray) -> Responses:
    """Return the responses with new rater numbers, those of an item in the order of their raters."""
    if source.raters is None:
        return source
    raters = place[source.raters]
    order = np.lexsort((raters, source.items))
    weights = None if source.weights is None else source.weights[order]
    return Responses(source.values[order], source.offsets, raters[order], weights, source.missing)


def _within(items: IntArray) -> IntArray:
    """Give numbers to the entries of a sorted list of items from 1 within each item."""
    starts = np.searchsorted(items, items)
    return np.arange(items.size) - starts + 1


def _grid(name: str, array: Any) -> npt.NDArray[Any]:
    try:
        grid = np.asarray(array)
    except ValueError:
        raise DataError(f"`{name}` has rows of different lengths; fill them up with NaN (None among labels).") from None
    if grid.dtype.kind in "iu":
        grid = grid.astype(np.float64)
    if grid.dtype.kind == "O":
        with suppress(TypeError, ValueError):  # numbers with gaps
            grid = grid.astype(np.float64)
    if grid.ndim == 1:
        grid = grid[:, np.newaxis]
    if grid.ndim != 2 or grid.dtype.kind not in "fbUO":
        raise DataError(f"`{name}` must be an (items, responses) array of numbers or labels; got shape {grid.shape}.")
    if grid.dtype.kind == "f" and np.isinf(grid).any():
        row, column = np.argwhere(np.isinf(grid))[0]
        raise DataError(f"`{name}` is infinite at item {row}, response {column}; leave the response out (NaN).")
    return grid


def _present(grid: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if grid.dtype.kind == "f":
        return np.asarray(grid == grid, dtype=bool)  # noqa: PLR0124 (false for NaN only)
    if grid.dtype.kind == "O":
        present = [value is not None and value == value for value in grid.flat]  # noqa: PLR0124 (NaN of any type)
        return np.array(present, dtype=bool).reshape(grid.shape)
    return np.ones(grid.shape, dtype=bool)


def _group(name: str, column: Any, n_items: int) -> Labels:
    labels = np.asarray(column).astype(str)
    if labels.shape != (n_items,):
        raise DataError(f"group {name!r} must have one value for each of the {n_items} items; got {labels.shape}.")
    return labels
