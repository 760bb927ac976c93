"""The contest: two models, and usually gold, on the same items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from howsure import _check
from howsure.data import overviews
from howsure.data.arrays import groups_from, responses_from
from howsure.data.responses import Labels, Responses, by_id, digest_of, frozen, group_codes, item_ids, raters_in_order
from howsure.data.scales import IntArray, Scale
from howsure.errors import ArgumentError, DataError


def _three(names: Any) -> tuple[str, str, str]:
    found = _check.texts("names", names)
    if len(found) != 3:
        raise ArgumentError(f"`names` must be three names, of gold, A and B; got {_check.shown(names)}.")
    return found[0], found[1], found[2]


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
        sources, shared = responses_from(given, scale=scale, order=order)
        n_items = sources["a"].n_items
        names = _three(names)
        contest = cls(
            sources.get("gold"),
            sources["a"],
            sources["b"],
            shared,
            np.arange(n_items).astype(str),
            names if gold is not None else ("", *names[1:]),
            groups_from(groups, n_items),
        )
        return contest.complete()

    def __post_init__(self) -> None:
        for role, source in self.sources.items():
            _check.instance(role, source, Responses)
        _check.instance("scale", self.scale, Scale)
        object.__setattr__(self, "items", frozen(item_ids(self.items)))
        _check.mapping("groups", self.groups)

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
        lengths = [source.n_items for source in self.sources.values()]
        if set(lengths) != {self.items.size}:
            counts = ", ".join(map(str, lengths))
            raise ArgumentError(
                f"a contest must have responses to each of its {self.items.size:,} items; got {counts}."
            )
        answered = np.logical_and.reduce([source.sizes > 0 for source in self.sources.values()])
        if answered.all():
            return self
        absent = {name: source.sizes == 0 for name, source in zip(self._called, self.sources.values(), strict=True)}
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
        order = by_id(self.items)
        contest = self if (np.diff(order) == 1).all() else self.take(order)
        sources, raters = raters_in_order(contest.sources, self.raters)
        return replace(contest.having(sources), raters=raters)

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

    def having(self, sources: Mapping[str, Responses]) -> "Contest":
        """Return the contest with other responses in some of its roles (gold, a, b)."""
        return replace(
            self, gold=sources.get("gold", self.gold), a=sources.get("a", self.a), b=sources.get("b", self.b)
        )

    def swapped(self) -> "Contest":
        """Return the contest with A and B exchanged."""
        gold, a, b = self.names
        return replace(self, a=self.b, b=self.a, names=(gold, b, a))

    def slices(self, by: str) -> Iterator[tuple[str, "Contest"]]:
        """Yield (value, contest) for each value of the item column `by`."""
        values, order, starts = self.parts(by)
        for value, items in zip(values, np.split(order, starts[1:-1]), strict=True):
            yield value, self.take(items)

    def parts(self, by: str) -> tuple[list[str], IntArray, IntArray]:
        """Return the values of the item column `by`, the items in their order, and where those of each value start.

        Examples
        --------
        >>> contest = Contest.from_arrays([1, 2, 3], [1, 2, 3], [3, 2, 1], groups={"task": ["x", "y", "x"]})
        >>> contest.parts("task")
        (['x', 'y'], array([0, 2, 1]), array([0, 2, 3]))
        """
        values, which = group_codes(self.groups, "by", by)
        order = np.argsort(which, kind="stable")
        starts = np.searchsorted(which[order], np.arange(values.size + 1))
        return [str(value) for value in values], order, starts

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify scale and responses."""
        return digest_of(self.scale, self.sources)

    @property
    def _called(self) -> list[str]:
        """What gold (if there is one), A and B are called; a source without a name is called by its role."""
        names = zip(("gold", "A", "B"), self.names, strict=True)
        return [name or role for role, name in names if role != "gold" or self.gold is not None]

    @property
    def _named_sources(self) -> dict[str, Responses]:
        """The responses by role and name: "gold: human"."""
        return {f"{role}: {name}": own for (role, own), name in zip(self.sources.items(), self._called, strict=True)}

    def __str__(self) -> str:
        return overviews.line(self.n_items, self._named_sources, self.scale)

    def __repr__(self) -> str:
        return f"<Contest: {self}>"

    def _repr_html_(self) -> str:
        return overviews.table("Contest", self.n_items, self._named_sources, self.scale)
