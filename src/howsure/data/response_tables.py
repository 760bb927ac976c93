"""The table: every response of every source, on a common list of items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure import _check
from howsure._frames import in_any_form
from howsure.data import overviews
from howsure.data.arrays import groups_from, responses_from
from howsure.data.contests import Contest
from howsure.data.responses import Labels, Responses, by_id, digest_of, item_ids, raters_in_order
from howsure.data.scales import IntArray, Scale
from howsure.errors import ArgumentError, DataError

if TYPE_CHECKING:
    import polars as pl


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

    @classmethod
    def from_arrays(
        cls,
        sources: Mapping[str, Any],
        *,
        scale: str | None = None,
        order: Sequence[Any] | None = None,
        groups: Mapping[str, Any] | None = None,
    ) -> "ResponseTable":
        """Make a table from an (items, responses) array for each source; a vector is one response per item.

        NaN (or None among labels) marks an absent response. The arrays may have different numbers of columns, but must
        have the same number of rows.

        Examples
        --------
        >>> print(ResponseTable.from_arrays({"human": [[1, 2], [3, 3]], "model": [1, 4]}))
        2 items; responses: human (4), model (2); scale: ordinal: 1, 2, 3, 4 (4 distinct whole numbers)
        """
        if not _check.mapping("sources", sources):
            raise DataError("a table needs at least one source; got none.")
        found, shared = responses_from(sources, scale=scale, order=order)
        n_items = next(iter(found.values())).n_items
        return cls(np.arange(n_items).astype(str), found, shared, groups_from(groups, n_items))

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", item_ids(self.items))
        for name, source in _check.mapping("sources", self.sources).items():
            if _check.instance("sources", source, Responses).n_items != self.n_items:
                raise ArgumentError(f"{name} must have responses to {self.n_items:,} items; got {source.n_items:,}.")
        _check.instance("scale", self.scale, Scale)
        _check.mapping("groups", self.groups)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.items.size

    def source(self, name: str) -> Responses:
        """Return the responses of one source; an unknown name is an error that lists the known ones."""
        if _check.text("source", name) in self.sources:
            return self.sources[name]
        known = list(self.sources)
        listed = ", ".join(known[:10]) + (f" and {len(known) - 10:,} more" if len(known) > 10 else "")
        raise DataError(f"no source is called {name!r}; the table has {listed}.{_check.nearest(name, known)}")

    def take(self, items: IntArray) -> "ResponseTable":
        """Return the table of these items only."""
        sources = {name: source.take(items) for name, source in self.sources.items()}
        groups = {name: column[items] for name, column in self.groups.items()}
        return replace(self, items=self.items[items], sources=sources, groups=groups)

    def in_order(self) -> "ResponseTable":
        """Return the table with items and raters in the order of their ids, whatever the order of the rows was."""
        order = by_id(self.items)
        table = self if (np.diff(order) == 1).all() else self.take(order)
        sources, raters = raters_in_order(table.sources, self.raters)
        return replace(table, sources=sources, raters=raters)

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify scale, sources and responses."""
        return digest_of(self.scale, self.sources)

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
        for role, name in (("a", a), ("b", b), ("gold", gold)):
            if role != "gold" or name is not None:
                _check.text(role, name)
        _check.flag("complete", complete)
        if a == b or gold in (a, b):
            raise ArgumentError(f"gold, a and b must be different sources; got gold={gold!r}, a={a!r}, b={b!r}.")
        whole = Contest(
            gold=None if gold is None else self.source(gold),
            a=self.source(a),
            b=self.source(b),
            scale=self.scale,
            items=self.items,
            names=(gold or "", a, b),
            groups=self.groups,
            raters=self.raters,
            notes=self.notes,
            repeats=self.repeats,
            better=self.better,
        )
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
            n_given, n_empty = source.values.size, empty.size
            item = np.concatenate([source.items, empty])
            repeat = np.arange(n_given) - np.repeat(source.offsets[:-1], source.sizes) + 1
            rater = np.full(n_given, -1) if source.raters is None else source.raters
            share = np.full(n_given, np.nan) if source.weights is None else source.weights
            again = np.arange(n_empty) - np.searchsorted(empty, empty) + 1  # numbered from 1 within each item
            part = {
                "item": item,
                "source": np.full(item.size, number),
                "rater": np.append(rater, np.full(n_empty, -1)),
                "repeat": np.append(repeat, source.sizes[empty] + again),
                "value": np.append(source.values, np.full(n_empty, np.nan)),
                "share": np.append(share, np.full(n_empty, np.nan)),
            }
            parts.append(pl.DataFrame(part))
        rows = pl.concat(parts).sort("item", "source", "repeat")
        raters = rows["rater"].replace(-1, None)
        items = {"item": self.items, **self.groups}
        of_items = {
            name: pl.Series(column.tolist(), dtype=pl.String).gather(rows["item"]) for name, column in items.items()
        }
        columns = {
            "item": of_items.pop("item"),
            "source": pl.Series(list(self.sources), dtype=pl.String).gather(rows["source"]),
            **({"rater": pl.Series(self.raters, dtype=pl.String).gather(raters)} if self.raters else {}),
            "repeat": rows["repeat"],
            "value": self._cells(rows["value"].fill_nan(None)),
            **({"share": rows["share"].fill_nan(None)} if not rows["share"].is_nan().all() else {}),
            **of_items,
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
        return overviews.line(self.n_items, self.sources, self.scale)

    def __repr__(self) -> str:
        return f"<ResponseTable: {self}>"

    def _repr_html_(self) -> str:
        return overviews.table("ResponseTable", self.n_items, self.sources, self.scale)
