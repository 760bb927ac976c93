"""What a replication gives: published and recomputed numbers side by side."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import _check
from assay.errors import ArgumentError

if TYPE_CHECKING:
    import polars as pl

PUBLISHED_SIMULATIONS = 1000
"""The papers' own number of simulated data sets: their figures carry Monte-Carlo error too."""

Setting = Mapping[str, Any]
"""What tells one part of a paper's tables from the others: table, data set, metric, sizes, …."""
Measured = tuple[Setting, Mapping[str, float]]
"""A setting and what was measured there."""


@dataclass(frozen=True, slots=True)
class Row:
    """One published number and its recomputation.

    Attributes
    ----------
    cell : mapping
        What identifies it: table, data set, metric, sizes, ….
    quantity : str
        "p", "effect", "ci_width", "true_p" or "estimated_p".
    published, reproduced : float
    standard_error : float
        Of the difference: both numbers come from simulations.
    beside : mapping of str to float
        What the reader should see next to it.
    """

    cell: Mapping[str, Any]
    quantity: str
    published: float
    reproduced: float
    standard_error: float
    beside: Mapping[str, float] = field(default_factory=dict)

    @property
    def difference(self) -> float:
        """Reproduced minus published."""
        return self.reproduced - self.published

    def to_dict(self) -> dict[str, Any]:
        """Return the identifying fields, quantity, published, reproduced, standard_error and what stands beside."""
        numbers = {"published": self.published, "reproduced": self.reproduced, "standard_error": self.standard_error}
        return {**self.cell, "quantity": self.quantity, **numbers, **self.beside}


@dataclass(frozen=True, slots=True)
class Replication:
    """Every recomputed number of a paper.

    Attributes
    ----------
    paper : str
    convention : str
        Which reading of the paper reproduces its tables.
    rows : tuple of Row
    n_simulations : int
    seed : int
    """

    paper: str
    convention: str
    rows: tuple[Row, ...]
    n_simulations: int
    seed: int

    def of(self, quantity: str) -> tuple[Row, ...]:
        """Return the rows of one quantity."""
        return tuple(row for row in self.rows if row.quantity == quantity)

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities that were recomputed."""
        return tuple(dict.fromkeys(row.quantity for row in self.rows))

    def to_dict(self) -> dict[str, Any]:
        """Return everything that JSON can hold."""
        rows = [row.to_dict() for row in self.rows]
        head = {"paper": self.paper, "convention": self.convention}
        return {**head, "n_simulations": self.n_simulations, "seed": self.seed, "rows": rows}

    def to_frame(self) -> "pl.DataFrame":
        """Return a dataframe with one published number per row."""
        import polars as pl

        return pl.DataFrame([row.to_dict() for row in self.rows], infer_schema_length=None)

    def __str__(self) -> str:
        lines = [f"{self.paper.upper()}: {self.convention}"]
        for quantity in self.quantities:
            rows = self.of(quantity)
            apart = np.array([row.difference for row in rows])
            error = math.sqrt(float(np.mean(np.square(apart))))
            lines.append(
                f"{quantity}: {len(rows)} published numbers, root mean squared difference {error:.4f}, "
                f"mean difference {apart.mean():+.4f}, within two standard errors {_share_within(rows):.0%}."
            )
        lines.append(f"{self.n_simulations:,} simulated data sets of each kind, seed {self.seed}.")
        return "\n".join(lines)


@cache
def figures(name: str) -> list[dict[str, Any]]:
    """Read a file of published figures."""
    text = resources.files("assay.replications").joinpath("figures", name).read_text(encoding="utf-8")
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


def groups(rows: Sequence[dict[str, Any]], *keys: str) -> Iterator[tuple[tuple[Any, ...], list[dict[str, Any]]]]:
    """Yield rows that share these keys, in the order of their first appearance."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    yield from found.items()


def _share_within(rows: Sequence[Row]) -> float:
    return float(np.mean([abs(row.difference) <= 2 * row.standard_error + 5e-4 for row in rows]))
