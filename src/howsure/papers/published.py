"""The result of a replication: published and reproduced numbers side by side."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from howsure import _check, documents
from howsure._frames import in_any_form
from howsure.documents import Block, Column, Document, Sentence, Table, details
from howsure.documents.document import Kind
from howsure.documents.numbers import as_error
from howsure.errors import ArgumentError
from howsure.papers.citations import CITATIONS
from howsure.records import Record

if TYPE_CHECKING:
    import polars as pl

PUBLISHED_SIMULATIONS = 1000
"""The papers' own number of simulated data sets: their figures carry Monte-Carlo error too."""

SIGNIFICANT = 0.05
"""The p below which the papers call a design large enough."""

ROUNDED = 5e-4
"""How far a number may be off that was printed with three digits."""

FAR = "← marks reproduced numbers that differ by more than two standard errors."

NUMBERS = ("published", "reproduced", "standard_error", "is_bound")

Setting = Mapping[str, Any]
"""What tells one part of a paper's tables from the others: table, data set, metric, sizes, …."""
Measured = tuple[Setting, Mapping[str, float]]
"""A setting and what was measured there."""


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """One published number and its recomputation.

    Attributes
    ----------
    cell : mapping
        What identifies it: table, data set, metric, sizes, ….
    quantity : str
        "p", "effect", "ci_width", "true_p" or "estimated_p".
    published : float
        NaN where the paper prints none: a dash says that no design it tried is significant.
    reproduced : float
        NaN where it cannot be recomputed from what is public here.
    standard_error : float
        Of the difference: both numbers come from simulations.
    beside : mapping of str to float
        What the reader should see next to it; NAME_is_bound, where there, says that NAME is a bound.
    is_bound : bool
        Whether no simulation was as extreme, so that the reproduced number, a p-value, is an upper bound.
    """

    cell: Mapping[str, Any]
    quantity: str
    published: float
    reproduced: float
    standard_error: float
    beside: Mapping[str, float] = field(default_factory=dict)
    is_bound: bool = False

    @property
    def difference(self) -> float:
        """Reproduced minus published; 0 where the published number lies below a bound, which says no more."""
        if self.is_bound and self.published <= self.reproduced:
            return 0.0
        return self.reproduced - self.published

    @property
    def agrees(self) -> bool | None:
        """Whether the two numbers differ by no more than their errors allow; None where there is nothing to compare.

        A dash in the paper agrees with every p that may be above .05.
        """
        if math.isnan(self.reproduced):
            return None
        if math.isnan(self.published):
            return self.reproduced + 2 * self.standard_error >= SIGNIFICANT
        return abs(self.difference) <= 2 * self.standard_error + ROUNDED

    def to_dict(self) -> dict[str, Any]:
        """Return the identifying fields, quantity, published, reproduced, their error, and what stands beside."""
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return {**self.cell, "quantity": self.quantity, **numbers, **self.beside}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "PublishedNumber":
        """Make the row from `to_dict`; what stands before the quantity identifies it."""
        names = list(content)
        at = names.index("quantity")
        cell = {name: content[name] for name in names[:at]}
        beside = {name: _number(content[name]) for name in names[at + 1 + len(NUMBERS) :]}
        published, reproduced, error = (_number(content[name]) for name in NUMBERS[:3])
        return cls(cell, content["quantity"], published, reproduced, error, beside, bool(content["is_bound"]))


@dataclass(frozen=True, slots=True)
class Replication(Record):
    """Every recomputed number of a paper.

    Attributes
    ----------
    paper : str
    convention : str
        Which reading of the paper reproduces its tables.
    rows : tuple of PublishedNumber
    n_simulations : int
    seed : int
    notes : tuple of str
        What is not compared, and why; where the paper and its recomputation differ.
    """

    paper: str
    convention: str
    rows: tuple[PublishedNumber, ...]
    n_simulations: int
    seed: int
    notes: tuple[str, ...] = ()

    def of(self, quantity: str) -> tuple[PublishedNumber, ...]:
        """Return the rows of one quantity."""
        return tuple(row for row in self.rows if row.quantity == quantity)

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities that were recomputed."""
        return tuple(dict.fromkeys(row.quantity for row in self.rows))

    def to_dict(self) -> dict[str, Any]:
        """Return everything; a row is flat, as `PublishedNumber.to_dict` makes it."""
        names = ("schema_version", "paper", "convention", "n_simulations", "seed")
        rows = [row.to_dict() for row in self.rows]
        return {name: getattr(self, name) for name in names} | {"notes": list(self.notes), "rows": rows}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make the replication from `to_dict` or from its JSON."""
        rows = tuple(PublishedNumber.from_dict(row) for row in content["rows"])
        size, seed, notes = content["n_simulations"], content["seed"], tuple(content["notes"])
        return cls(content["paper"], content["convention"], rows, size, seed, notes)

    @in_any_form
    def to_frame(self) -> "pl.DataFrame":
        """Return a dataframe with one published number per row."""
        import polars as pl

        return pl.DataFrame([row.to_dict() for row in self.rows], infer_schema_length=None)

    def document(self) -> Document:
        """Return one line for each table and quantity, and all numbers side by side where one table was asked for."""
        blocks: list[Block] = [Sentence(self._verdict(), "verdict"), self._summary()]
        if len({row.cell["table"] for row in self.rows}) == 1:
            numbers = [self._numbers(quantity) for quantity in self.quantities]
            blocks = [blocks[0], *numbers, Sentence(FAR), *details(blocks[1:])]
        blocks += details([Sentence(f"Convention that reproduces the tables: {self.convention}")])
        blocks.append(Sentence(f"{self.n_simulations:,} simulations of each type, seed {self.seed}."))
        blocks.append(Sentence(f"Paper: {CITATIONS[self.paper]}"))
        return Document(f"{self.paper.upper()}, reproduced", tuple(blocks), self.notes)

    def _verdict(self) -> str:
        share, n = _share_within(self.rows), sum(row.agrees is not None for row in self.rows)
        said = f"{100 * share:.0f}% of {n:,} published numbers are reproduced within two standard errors."
        left = len(self.rows) - n
        return said if not left else f"{said} {left:,} cannot be reproduced from public data."

    def _summary(self) -> Table:
        lacks = any(row.agrees is None for row in self.rows)
        titles = ("table", "quantity", "numbers", "RMS difference", "mean difference", "within 2 SE", "largest")
        kinds: tuple[Kind, ...] = ("text", "text", "count", "number", "number", "percent", "number")
        lines = []
        for (table, quantity), rows in _by_table(self.rows).items():
            known = [row for row in rows if not math.isnan(row.difference)]
            apart = np.array([row.difference for row in known])
            numbers: list[float | None] = [None, None, None]
            place = ""
            if known:
                worst = max(known, key=lambda row: abs(row.difference))
                place = ", ".join(f"{_words(name)} {value}" for name, value in worst.cell.items() if name != "table")
                numbers = [float(np.sqrt(np.square(apart).mean())), float(apart.mean()), worst.difference]
            rms, mean, largest = (None if each is None else float(f"{each:.3g}") for each in numbers)
            missing = sum(row.agrees is None for row in rows)
            numbered = (len(rows), missing) if lacks else (len(rows),)
            lines.append((str(table), _words(quantity), *numbered, rms, mean, _share_within(rows), largest, place))
        columns = [Column(*pair) for pair in zip(titles, kinds, strict=True)]
        if lacks:  # the share is one of the numbers that were reproduced
            columns.insert(3, Column("missing", "count"))
        return Table(
            (*columns, Column("largest at", detail=True)), tuple(lines), "Difference from the published numbers"
        )

    def _numbers(self, quantity: str) -> Table:
        rows = self.of(quantity)
        beside = [name for name in dict.fromkeys(name for row in rows for name in row.beside) if not _of_bound(name)]
        names = [name for name in rows[0].cell if name != "table"]
        keys = [name for name in names if len({str(row.cell[name]) for row in rows}) > 1]
        same = [f"{_words(name)} = {rows[0].cell[name]}" for name in names if name not in keys]
        columns = [
            *(Column(_words(name)) for name in keys),
            *(Column(name, "number") for name in ("published", "reproduced", "difference")),
            *(Column(_words(name), "number", detail=True) for name in ("standard error", *beside)),
        ]
        lines = []
        for row in rows:
            identity = (str(row.cell[name]) for name in keys)
            lines.append((*identity, *_shown(row), *(_beside(row, name) for name in beside)))
        far = frozenset(number for number, row in enumerate(rows) if row.agrees is False)
        return Table(tuple(columns), tuple(lines), ", ".join([_words(quantity), *same]), far)


def _words(name: str) -> str:
    """Return the name of a quantity or a parameter as a title: "ci_width" is "CI width", and "epsilon" is "ε"."""
    return {"epsilon": "ε"}.get(name, name.replace("_", " ").replace("ci ", "CI "))


def _of_bound(name: str) -> bool:
    return name.endswith("_is_bound")


def _beside(row: PublishedNumber, name: str) -> float | str | None:
    value = row.beside.get(name)
    return f"< {value:.2g}" if row.beside.get(f"{name}_is_bound") else value


def _shown(row: PublishedNumber) -> tuple[float | str | documents.Measured | None, ...]:
    """Return published, reproduced, difference and error as they may be written: a bound has no error."""
    published: float | str = "–" if math.isnan(row.published) else row.published
    if math.isnan(row.reproduced):
        return published, None, None, None
    if row.is_bound:
        return published, f"< {row.reproduced:.2g}", None, None
    error = row.standard_error
    apart = None if math.isnan(row.published) else documents.Measured(row.difference, error)
    return published, documents.Measured(row.reproduced, error), apart, as_error(error)


def _by_table(rows: Sequence[PublishedNumber]) -> dict[tuple[Any, str], list[PublishedNumber]]:
    found: dict[tuple[Any, str], list[PublishedNumber]] = {}
    for row in rows:
        found.setdefault((row.cell["table"], row.quantity), []).append(row)
    return found


@cache
def figures(name: str) -> list[dict[str, Any]]:
    """Read a file of published figures."""
    text = resources.files("howsure.papers").joinpath("figures", name).read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def matching(published: Sequence[dict[str, Any]], setting: Setting, keys: Sequence[str]) -> list[dict[str, Any]]:
    """Return the published rows at a setting, which must have these keys."""
    for key in setting:
        _check.one_of("parameter", key, keys)
    found = [row for row in published if all(row[key] == setting.get(key) for key in keys)]
    if not found:
        raise ArgumentError(f"nothing is published at {', '.join(f'{key}={setting.get(key)}' for key in keys)}.")
    return found


def lookup(published: Sequence[dict[str, Any]], setting: Setting, keys: Sequence[str]) -> dict[str, Any]:
    """Return the one published row that these keys identify."""
    [row] = matching(published, setting, keys)
    return row


def error_of_difference(own: float, n_simulations: int, published_simulations: int = PUBLISHED_SIMULATIONS) -> float:
    """Return the standard error of reproduced − published, from our own: theirs shrinks with their sample size."""
    return own * math.sqrt(1 + n_simulations / published_simulations)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _share_within(rows: Sequence[PublishedNumber]) -> float:
    agree = [row.agrees for row in rows if row.agrees is not None]
    return float(np.mean(agree)) if agree else math.nan
