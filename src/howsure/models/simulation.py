"""Simulated data sets: `simulate` gives one with every response, `simulate_advantages` what many of them find.

All metrics see the same data. One draw gives the richest summary that is asked for, the others follow from it. Data
sets come in batches of a fixed size with a generator each, so that the number of threads changes neither memory nor
bits.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from howsure import _check, _json, _matrices, _random
from howsure._frames import in_any_form
from howsure._random import Rng, generator, map_blocks, n_workers, seed_of
from howsure.data.response_tables import ResponseTable
from howsure.data.scales import FloatArray, Scale
from howsure.data.summaries import Needs
from howsure.documents import Block, Column, Document, Sentence, Table, details
from howsure.documents.numbers import counted, number
from howsure.errors import ArgumentError
from howsure.metrics import Metric
from howsure.models.base import PERTURBATIONS, Epsilon, ResponseModel, Sizes, check_sizes
from howsure.models.model_files import resolve
from howsure.provenance import Provenance
from howsure.records import Signed

CHUNK = 1 << 16
"""Largest number of entries of one simulated array: half a megabyte, so that a batch stays in the cache."""


@_matrices.on_one_thread
def simulate_advantages(
    model: ResponseModel,
    metrics: Sequence[Metric],
    *,
    n_items: int,
    n_responses: Sizes = 5,
    epsilon: Epsilon = 0.0,
    perturbation: str | None = None,
    null: bool = False,
    n_simulations: int = 1000,
    resample_simulated: bool = False,
    rng: Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> FloatArray:
    """Simulate data sets and return the advantage of each metric on each: (metrics, simulations).

    Parameters
    ----------
    model : ResponseModel
    metrics : sequence of metric
        Each already `on` the model's scale.
    n_items, n_responses, epsilon, perturbation, null
        As for `ResponseModel.draw`.
    n_simulations : int
    resample_simulated : bool
        Also draw items with replacement within every simulated data set, as the RATINGS tables do. This doubles the
        variance between items; it is here for replication only.
    rng : int, SeedSequence, Generator or None
    workers : int, optional
        Threads; one per core when left out. The result does not depend on it.
    progress : callable, optional
        Told the number of data sets that each finished block adds.

    Examples
    --------
    >>> from howsure.metrics import resolve
    >>> from howsure.models import preset
    >>> draws = simulate_advantages(preset("normal"), [resolve("mae")], n_items=50, epsilon=0.3, n_simulations=9, rng=0)
    >>> draws.shape, bool(draws.mean() > 0)
    ((1, 9), True)
    """
    sizes = check_sizes(n_responses)
    _check.integer("n_items", n_items, at_least=1)
    _check.integer("n_simulations", n_simulations, at_least=1)
    seed = seed_of(rng)
    purpose = "null data" if null else "data"
    scale = model.scale
    needs = _richest({metric.needs for metric in metrics}, scale)
    width = {"means": 1, "counts": len(scale.levels)}.get(needs, max(sizes))
    wanted = {metric.needs for metric in metrics}

    def batch(number: int, start: int, stop: int) -> FloatArray:
        stream = generator(seed, purpose, number)
        drawn = model.draw(
            stop - start,
            n_items,
            n_responses=sizes,
            epsilon=epsilon,
            perturbation=perturbation,
            null=null,
            needs=needs,
            rng=stream,
        )
        if resample_simulated:
            drawn = _resampled(drawn, stream)
        ready = {need: tuple(derive(part, needs, need, scale) for part in drawn) for need in wanted}
        return np.stack([metric.advantage(*ready[metric.needs]) for metric in metrics])

    size = max(1, CHUNK // (n_items * max(1, width)))
    results = map_blocks(batch, n_simulations, workers=n_workers(workers), progress=progress, size=size)
    return np.concatenate(results, axis=-1)


def derive(summary: FloatArray, have: Needs, want: Needs, scale: Scale) -> FloatArray:
    """Turn one summary into a poorer one: values → sorted, counts, means; counts → means."""
    if have == want:
        return summary
    if have == "counts":
        return np.asarray(summary @ np.array(scale.levels) / summary.sum(axis=-1))
    if want == "means":
        return np.asarray(summary.mean(axis=-1))
    if want == "sorted":
        return np.sort(summary, axis=-1)
    ones = np.ones(summary.shape[-1])  # a product with them is a sum over short rows in less time
    return np.stack([(summary == level) @ ones for level in scale.levels], axis=-1)


def _richest(needs: set[Needs], scale: Scale) -> Needs:
    if len(needs) == 1:
        return next(iter(needs))
    return "counts" if needs == {"means", "counts"} and scale.levels else "values"


def _resampled(
    drawn: tuple[FloatArray, FloatArray, FloatArray], generator: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    n_data_sets, n_items = drawn[0].shape[:2]
    rows = np.arange(n_data_sets)[:, np.newaxis]
    items = generator.integers(0, n_items, (n_data_sets, n_items))
    gold, a, b = (part[rows, items] for part in drawn)
    return gold, a, b


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
