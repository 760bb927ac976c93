"""A simulated table, with what it was simulated from: `simulate`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from howsure import _check, _json, _matrices, _random
from howsure._frames import in_any_form
from howsure.documents import Block, Column, Document, Sentence, Table, details
from howsure.documents.numbers import counted, number
from howsure.errors import ArgumentError
from howsure.models.base import ResponseModel, Sizes, check_sizes
from howsure.models.model_files import resolve
from howsure.models.perturbation import PERTURBATIONS
from howsure.provenance import Provenance
from howsure.records import Signed
from howsure.response_tables import ResponseTable

MOST_RESPONSES = 100_000_000
"""More would not fit into the memory of most machines."""


@dataclass(frozen=True, slots=True)
class SimulatedSource:
    """What one source answered.

    Attributes
    ----------
    name : str
    n_responses : int
        To each item.
    epsilon : float
        How far it is from gold.
    mean, sd : float
        Of all its responses; NaN where they are labels.
    shares : mapping of str to float
        How often it gave each category; empty where responses have none.
    """

    name: str
    n_responses: int
    epsilon: float
    mean: float
    sd: float
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Simulation(Signed):
    """A simulated table.

    Attributes
    ----------
    model : ResponseModel
    n_items : int
    sources : tuple of SimulatedSource
        gold, A and B.
    perturbation : str
        How B, and A where it is not ideal, is worse.
    under_null : bool
        Whether each answer of A and of B was drawn from either of them by a fair coin.
    scale : str
    provenance : Provenance
    table : ResponseTable or None
        The responses; not written.
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    model: ResponseModel
    n_items: int
    sources: tuple[SimulatedSource, ...]
    perturbation: str
    under_null: bool
    scale: str
    provenance: Provenance
    table: ResponseTable | None = field(default=None, repr=False)

    @in_any_form
    def to_frame(self) -> Any:
        """Return one response per row."""
        if self.table is None:
            raise ArgumentError("a written result has no responses; simulate again with the same seed.")
        return self.table.to_frame()

    def document(self) -> Document:
        """Return what was simulated, and the distribution of the responses."""
        gold, a, b = self.sources
        sizes = ", ".join(f"{one.n_responses} {one.name}" for one in self.sources)
        worse = [f"{one.name} is degraded (ε = {one.epsilon:g}, {self.perturbation})" for one in (b, a) if one.epsilon]
        how = "; ".join(worse if b.epsilon else ["B is not degraded (ε = 0)", *worse])
        mixed = " Each response of A and of B comes from either model with probability ½." if self.under_null else ""
        columns = (Column("response"), *(Column(one.name, "percent") for one in self.sources))
        moments = [] if math.isnan(gold.mean) else [("mean", "mean"), ("SD", "sd")]
        rows: list[tuple[Any, ...]] = [
            (name, *(number(getattr(one, field)) for one in self.sources)) for name, field in moments
        ]
        rows += [(label, *(one.shares[label] for one in self.sources)) for label in gold.shares]
        blocks: tuple[Block, ...] = (
            Sentence(f"{counted(self.n_items, 'item')} with {sizes} responses each. {how}.{mixed}", "verdict"),
            Table(columns, tuple(rows), "Distribution of the responses"),
            *details([Sentence(f"Simulated from {self.model}; scale: {self.scale}.")]),
        )
        return Document("Simulated responses", blocks, (), self.signature)


@_matrices.on_one_thread
def simulate(
    model: str | ResponseModel,
    *,
    n_items: int = 100,
    n_responses: Sizes = 5,
    epsilon: float = 0.0,
    epsilon_a: float = 0.0,
    perturbation: str | None = None,
    under_null: bool = False,
    rng: _random.Rng = None,
) -> Simulation:
    """Simulate a table of responses of gold, A and B.

    Parameters
    ----------
    model : str or ResponseModel
        A preset, a model file, or a model.
    n_items : int
    n_responses : int or tuple of int
        Responses per item, or one number each for gold, A and B.
    epsilon, epsilon_a : float
        How far B, and A, is from gold, as a share of the scale.
    perturbation : str, optional
        In which way; the model's own by default.
    under_null : bool
        Draw each response of A and of B from either of them by a fair coin.
    rng : int, SeedSequence, Generator or None

    Examples
    --------
    >>> found = simulate("likert-toxicity", n_items=50, n_responses=(5, 1, 1), epsilon=0.3, rng=0)
    >>> found.table.n_items, [one.n_responses for one in found.sources]
    (50, [5, 1, 1])
    """
    described = resolve(model)
    sizes = check_sizes(n_responses)
    n_items = _check.integer("n_items", n_items, at_least=1)
    strengths = tuple(
        _check.real(name, value, at_least=0.0, at_most=1.0)
        for name, value in (("epsilon_a", epsilon_a), ("epsilon", epsilon))
    )
    kind = _check.one_of("perturbation", perturbation or described.own_perturbation, PERTURBATIONS)
    if perturbation is not None and not any(strengths):
        raise ArgumentError("`perturbation` has no effect without `epsilon`; give `epsilon` too.")
    if n_items * sum(sizes) > MOST_RESPONSES:
        raise ArgumentError(
            f"at most {MOST_RESPONSES:,} responses can be simulated; got {n_items * sum(sizes):,}. Lower `n_items`."
        )
    seed = _random.replayable(rng)
    table = described.table(
        n_items, sizes, epsilon=(strengths[0], strengths[1]), perturbation=perturbation, null=under_null, rng=seed
    )
    settings = {
        "n_items": n_items,
        "n_responses": "/".join(map(str, sizes)),
        "epsilon": strengths[1],
        "epsilon_a": strengths[0],
        "perturbation": kind,
        "under_null": under_null or None,
    }
    off = {"gold": 0.0, "A": strengths[0], "B": strengths[1]}
    return Simulation(
        model=described,
        n_items=n_items,
        sources=tuple(_summary(table, name, size, off[name]) for name, size in zip(table.sources, sizes, strict=True)),
        perturbation=kind,
        under_null=under_null,
        scale=str(replace(table.scale, reason="")),
        provenance=Provenance("simulate", settings, _random.entropy_of(seed), _json.digest(described.to_dict())[:12]),
        table=table,
    )


def _summary(table: ResponseTable, name: str, size: int, epsilon: float) -> SimulatedSource:
    values, scale = table.sources[name].values, table.scale
    labels = scale.labels or tuple(f"{level:g}" for level in scale.levels)
    shares = {label: float(np.mean(values == level)) for label, level in zip(labels, scale.levels, strict=True)}
    numeric = scale.kind != "nominal"
    mean = float(values.mean()) if numeric else math.nan
    sd = float(values.std(ddof=1)) if numeric and values.size > 1 else math.nan
    return SimulatedSource(name, size, epsilon, mean, sd, shares)
