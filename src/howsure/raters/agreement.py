"""Agreement of raters: coefficients with confidence intervals, and each rater compared with the others."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from howsure import _check, _matrices, _random
from howsure._frames import in_any_form
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import group_codes
from howsure.data.scales import IntArray, Scale
from howsure.documents import Block, Caution, Column, Document, Measured, Sentence, Table
from howsure.documents.numbers import counted, listed
from howsure.errors import ArgumentError, DataError
from howsure.inference import ConfidenceInterval
from howsure.io.reading import as_table
from howsure.provenance import Provenance
from howsure.raters.agreement_coefficients import (
    LEVELS,
    Cells,
    Level,
    WeightedCoefficients,
    alpha,
    categorical,
    cells_from,
    intraclass,
    krippendorff_alpha,
)
from howsure.raters.agreement_intervals import ONE_WAY, fisher_interval, measure_errors, one_way_interval
from howsure.raters.design import FEW_RATERS, RatingDesign, design_of, rated
from howsure.raters.rater_summaries import RaterSummary, summarise_raters
from howsure.records import Signed
from howsure.wording.estimates import cells, ci_column

if TYPE_CHECKING:
    import polars

TITLES = {
    "agreement": "observed agreement",
    "krippendorff_alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_kappa": "Cohen's kappa",
    "gwet_ac1": "Gwet's AC1",
    "fleiss_kappa_linear": "Fleiss' kappa, linear weights",
    "cohen_kappa_linear": "Cohen's kappa, linear weights",
    "gwet_ac2_linear": "Gwet's AC2, linear weights",
    "fleiss_kappa_quadratic": "Fleiss' kappa, quadratic weights",
    "cohen_kappa_quadratic": "Cohen's kappa, quadratic weights",
    "gwet_ac2_quadratic": "Gwet's AC2, quadratic weights",
    "icc_1": "ICC(1), one response",
    "icc_2": "ICC(2), one response",
    "icc_3": "ICC(3), one response",
    "icc_1k": "ICC(1), mean of the raters",
    "icc_2k": "ICC(2), mean of the raters",
    "icc_3k": "ICC(3), mean of the raters",
}
OF_SCALE: dict[str, Level] = {"nominal": "nominal", "ordinal": "ordinal", "continuous": "interval"}
MOST_DRAWS = 1_000_000
TOP = 10
"""How many raters are shown by default."""
AT_ONCE = 1_000_000
"""How many item weights of resamples a thread holds at a time: no call is short, and they fit into the cache."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient of agreement.

    Attributes
    ----------
    name : str
    value : float
        1 is perfect, 0 is what chance gives; NaN when undefined.
    confidence_interval : ConfidenceInterval
        Over items and raters like these; over items alone when there are two raters.
    """

    name: str
    value: float
    confidence_interval: ConfidenceInterval

    @property
    def title(self) -> str:
        """What people call it."""
        return TITLES[self.name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Signed):
    """The agreement of the raters of one source.

    Attributes
    ----------
    source : str
    measurement_level : {"nominal", "ordinal", "interval", "ratio"}
        How differences between values count in Krippendorff's alpha.
    design : RatingDesign
    coefficients : tuple of Coefficient
    raters : tuple of RaterSummary
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    source: str
    measurement_level: str
    design: RatingDesign
    coefficients: tuple[Coefficient, ...]
    raters: tuple[RaterSummary, ...]
    notes: tuple[str, ...]
    provenance: Provenance

    def __getitem__(self, name: str) -> Coefficient:
        """Return the coefficient of this name."""
        known = {entry.name: entry for entry in self.coefficients}
        if name not in known:
            raise ArgumentError(f"no coefficient is called {name!r}; there are {', '.join(known)}.")
        return known[name]

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each rater."""
        import polars

        return polars.DataFrame([asdict(rater) for rater in self.raters])

    def document(self) -> Document:
        """Return the design, the coefficients with their intervals, and the raters."""
        blocks = (
            Sentence(f"{self.source}: {self.design}."),
            coefficient_table([self]),
            *raters_that_differ([self]),
            *rater_table([self], TOP),
        )
        return Document(f"Agreement of {self.source}", blocks, self.notes, self.signature)


@_matrices.on_one_thread
def measure_agreement(
    table: ResponseTable | Any,
    *,
    source: str | None = None,
    measurement_level: str | None = None,
    cluster: str | None = None,
    n_resamples: int = 499,
    confidence_level: float = 0.95,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Agreement:
    """Estimate the agreement of the raters of one source.

    A rater who answered an item several times is one rater: each different answer counts by its share, and the
    intraclass correlations take the mean. Ordered labels also get kappa and AC2 with linear and quadratic weights, two
    raters also Cohen's kappa.

    Parameters
    ----------
    table : ResponseTable, dataframe or path
        With rater ids.
    source : str, optional
        Optional if only one source has two or more raters.
    measurement_level : {"nominal", "ordinal", "interval", "ratio"}, optional
        How differences count in Krippendorff's alpha. Default: depends on the scale.
    cluster : str, optional
        A column that groups items, such as their document: items of one group are resampled together.
    n_resamples : int
        Draws of items behind the intervals.
    confidence_level : float
    rng : int, SeedSequence, Generator or None
    workers : int, optional
        Threads; the result does not depend on it.
    progress : callable, optional
        Called with the number of resamples done, as they are done: twice `n_resamples` in all.

    Returns
    -------
    Agreement

    Examples
    --------
    >>> import polars
    >>> from howsure import read
    >>> frame = polars.DataFrame(
    ...     {"item": [1, 1, 2, 2, 3, 3], "rater": ["ann", "bob"] * 3, "value": ["yes", "yes", "no", "no", "no", "yes"]}
    ... )
    >>> found = measure_agreement(read(frame, sources="human"), n_resamples=99, rng=0)
    >>> round(found["agreement"].value, 3), round(found["krippendorff_alpha"].value, 3)
    (0.667, 0.444)
    """
    table = as_table(table).in_order()
    name = _source(table, source)
    responses = table.source(name)
    assert responses.raters is not None
    responses.check_magnitudes(name, table.items)
    if measurement_level is not None:
        _check.one_of("measurement_level", measurement_level, LEVELS)
    chosen: Level = measurement_level or OF_SCALE[table.scale.kind]  # type: ignore[assignment]
    if chosen == "ratio" and responses.values.min() < 0:
        raise DataError("the measurement level ratio requires values of 0 or more; use `measurement_level='interval'`.")
    if table.scale.kind == "nominal" and chosen != "nominal":
        raise ArgumentError(f"the measurement level {chosen} requires ordered labels; pass their `order`.")
    n_resamples = _check.integer("n_resamples", n_resamples, at_least=1, at_most=MOST_DRAWS)
    confidence_level = _check.fraction("confidence_level", confidence_level)
    cells = cells_from(responses.values, responses.items, responses.raters)
    seed = _random.replayable(rng)
    units = np.arange(cells.n_items) if cluster is None else _clusters(table, responses.items, cluster)
    of_all = _all_coefficients(cells, table.scale, chosen)
    values = {entry: float(value[0]) for entry, value in of_all(np.ones((cells.n_items, 1))).items()}
    values["krippendorff_alpha"] = krippendorff_alpha(cells, level=chosen)
    errors = measure_errors(
        lambda raters: of_all if raters.all() else _all_coefficients(cells.of(raters), table.scale, chosen),
        units=units,
        n_raters=cells.n_raters,
        n_resamples=n_resamples,
        seed=seed,
        workers=_random.n_workers(workers),
        at_once=max(4, AT_ONCE // max(cells.n_items, cells.n_raters, cells.levels.size)),
        progress=progress,
    )
    per_item = np.bincount(cells.means().items, minlength=cells.n_items)
    harmonic = float(1 / np.mean(1 / per_item[per_item > 0]))
    alone = int(units.max()) + 1 == cells.n_items  # no two items belong together

    # F limits assume that each item has raters of its own (Shrout and Fleiss 1979, case 1).
    alone = alone and int(np.bincount(np.unique(np.stack([responses.raters, responses.items]), axis=1)[0]).max()) == 1

    def limits(entry: str, value: float) -> ConfidenceInterval:
        if entry in ONE_WAY and alone:
            return one_way_interval(
                entry, values["icc_1"], n_items=cells.n_items, per_item=harmonic, confidence_level=confidence_level
            )
        return fisher_interval(entry, value, errors[entry], confidence_level=confidence_level)

    coefficients = tuple(Coefficient(entry, value, limits(entry, value)) for entry, value in values.items())
    names = [table.raters[number] for number in np.unique(responses.raters)]
    parameters = {
        "source": name,
        "measurement_level": chosen,
        "cluster": cluster,
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
    }
    return Agreement(
        source=name,
        measurement_level=chosen,
        design=design_of(responses),
        coefficients=coefficients,
        raters=summarise_raters(cells, names, numeric=table.scale.kind != "nominal"),
        notes=(*_notes(cells, one_cluster=cluster is not None and units.max() == 0), *_undefined(cells, values)),
        provenance=Provenance("agreement", parameters, _random.entropy_of(seed), table.digest),
    )


def _clusters(table: ResponseTable, items: IntArray, cluster: str) -> IntArray:
    """Return the number of the cluster of each item that has a response."""
    _, codes = group_codes(table.groups, "cluster", cluster)
    return np.unique(codes[np.unique(items)], return_inverse=True)[1].astype(np.int64)


def _source(table: ResponseTable, source: str | None) -> str:
    known = rated(table)
    if source is not None:
        table.source(source)
        if source not in known:
            raise DataError(f"{source} has no rater ids, or one rater only; agreement requires two or more raters.")
        return source
    if len(known) == 1:
        return known[0]
    if not known:
        raise DataError("no source has two or more identified raters; pass the column of rater ids with `rater`.")
    raise ArgumentError(f"several sources have raters: {', '.join(known)}. Name one with `source`.")


def _all_coefficients(cells: Cells, scale: Scale, level: Level) -> WeightedCoefficients:
    """Return every coefficient that the scale has, as a function of item weights."""
    parts = [] if scale.kind == "continuous" else [categorical(cells, ordered=scale.kind == "ordinal")]
    parts.append(alpha(cells, level=level))
    if scale.kind != "nominal":
        parts.append(intraclass(cells))
    return lambda weights: {name: values for part in parts for name, values in part(weights).items()}


FEW_AGREED = 5
"""With fewer items on which two raters gave the rarer of two labels, alpha and kappa jump with each such item."""


def _notes(cells: Cells, *, one_cluster: bool) -> Iterator[str]:
    if cells.levels.size == 2:
        rarer = int(cells.labels().sum(axis=0).argmin())
        agreed = int((cells.labels()[:, rarer] >= 2).sum())
        if agreed < FEW_AGREED:
            yield Caution(
                f"Two raters gave the rarer label on {counted(agreed, 'item')} only, too few for Krippendorff's alpha "
                "and kappa: their 95% intervals can cover 81% to 94% instead of 95%. Label more items of this kind."
            )
    if one_cluster:
        yield "All items are in one cluster, so the intervals are undefined."
    alone = int((cells.sum_by_item() == 1).sum())
    if alone:
        yield (
            f"{alone} of {cells.n_items} items have one rater only. They count for how common each value is, not for "
            "the agreement."
        )
    if cells.repeated:
        yield "Some raters gave several answers to one item. Each different answer counts by its share."
    if cells.n_raters == 2:
        yield "With 2 raters the intervals describe these two raters on other items, not other raters."
    elif cells.n_raters < FEW_RATERS:
        yield (
            f"{cells.n_raters} raters are too few to generalise reliably, so the intervals are wide. They are still "
            "too narrow if some raters of this kind answer at random."
        )


def _undefined(cells: Cells, values: dict[str, float]) -> Iterator[str]:
    count = sum(math.isnan(value) for value in values.values())
    if count:
        alone = cells.sum_by_item().max() == 1
        vary = "the responses vary too little" if cells.levels.size > 1 else "all responses are equal"
        why = "no item has two raters" if alone else vary
        yield f"{count} of {len(values)} coefficients are undefined, because {why}."


def coefficient_table(rated: Sequence[Agreement]) -> Table:
    """Return the coefficients of one or several sources, with their intervals."""
    several = len(rated) > 1
    columns = (
        *([Column("source")] if several else []),
        Column("coefficient"),
        Column("value", "number"),
        ci_column(rated[0].coefficients[0].confidence_interval.confidence_level),
    )
    rows = tuple(
        (
            *([one.source] if several else []),
            entry.title,
            *cells(entry.value, entry.confidence_interval),
        )
        for one in rated
        for entry in one.coefficients
    )
    title = "Agreement" if several else f"Agreement of {rated[0].source}"
    return Table(columns, rows, title)


def raters_that_differ(rated: Sequence[Agreement]) -> Iterator[Block]:
    """Yield who differs from the other raters more than chance explains."""
    for one in rated:
        odd = [rater for rater in one.raters if rater.stands_out]
        if odd:
            named = listed((f"{rater.rater} ({rater.stands_out})" for rater in odd), 5)
            yield Sentence(f"Raters of {one.source} that differ significantly from the others: {named}.")


def rater_table(rated: Sequence[Agreement], top: int) -> Iterator[Block]:
    """Yield the raters who are furthest from the others."""
    every = [(one, rater) for one in rated for rater in one.raters]
    order = sorted(every, key=lambda pair: -1.0 if math.isnan(pair[1].distance) else pair[1].distance, reverse=True)
    shown = order[:top]
    if not shown:
        return
    several = len(rated) > 1
    numeric = any(not math.isnan(rater.mean_shift) for _, rater in shown)
    columns = (
        *([Column("source")] if several else []),
        Column("rater"),
        Column("items", "count"),
        Column("agrees with plurality", "percent"),
        *([Column("mean shift", "number")] if numeric else []),
        Column("differs"),
    )
    rows = tuple((*([one.source] if several else []), *_rater_cells(rater, numeric=numeric)) for one, rater in shown)
    title = (
        "Raters" if len(shown) == len(every) else f"{len(shown)} of {len(every)} raters, furthest from the others first"
    )
    yield Table(columns, rows, title)


def _rater_cells(rater: RaterSummary, *, numeric: bool) -> tuple[Any, ...]:
    moved = (Measured(rater.mean_shift, rater.shift_error),) if numeric else ()
    return (rater.rater, rater.n_items, rater.with_plurality, *moved, rater.stands_out or None)
