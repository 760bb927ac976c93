"""Whether a judge is good enough: its agreement with raters beside theirs with each other, and where it goes wrong."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from howsure import _check, _matrices
from howsure._frames import in_any_form
from howsure.data.responses import Labels, Responses
from howsure.data.scales import BoolArray, FloatArray, IntArray, Scale
from howsure.documents import Block, Column, Document, Heading, Measured, Sentence, Table, details
from howsure.documents.numbers import about, counted, error_of, number, plainly
from howsure.errors import ArgumentError, DataError
from howsure.inference import adjust
from howsure.inference.combined_error import CombinedError
from howsure.inference.estimate import ConfidenceInterval, Estimate
from howsure.inference.solving import fewest
from howsure.judging.alternative_annotators import AlternativeAnnotator, JudgedUnits, alternative_annotator_test
from howsure.provenance import Provenance
from howsure.raters.components import TwoWay
from howsure.records import Signed
from howsure.wording.estimates import cells, ci_column, interval

if TYPE_CHECKING:
    import polars

SHUFFLES = 20
"""A shuffled judge is the mean of so many."""

N_BINS = 5
"""Judge scores fall into so many groups for the table of calibration."""

MOST = 1_000_000
"""More labels than this are never asked for."""

WORST = 5
"""So many items on which the judge is furthest from people are named."""

SEEN = 2.8
"""A bias of so many standard errors is found with a power of 80% at 5%."""


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """How far somebody agrees with the raters.

    Attributes
    ----------
    name : str
    agreement : float
        Mean share of other raters with the same label, or minus the mean over responses of the root mean squared
        distance to the item's other raters.
    difference : Estimate or None
        Minus the agreement among raters; None for the raters themselves.
    winning_rate, advantage_probability : float
        ω and ρ of the alternative annotator test; NaN for the raters, and where no rater has 30 responses.
    """

    name: str
    agreement: float
    difference: Estimate | None
    winning_rate: float
    advantage_probability: float


@dataclass(frozen=True, slots=True)
class BiasRow:
    """By how much the judge is above people, for a system, a slice or a column.

    Attributes
    ----------
    name : str
        The system, or column = value.
    bias : Estimate
        Its adjusted p-value is Holm's, over the rows of the same table.
    smallest : float
        The smallest bias that is found with 80% power.
    n_items : int
    """

    derived: ClassVar[tuple[str, ...]] = ("pvalue_adjusted",)

    name: str
    bias: Estimate
    smallest: float
    n_items: int

    @property
    def pvalue_adjusted(self) -> float:
        """The adjusted p-value of the bias."""
        return self.bias.pvalue_adjusted


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """People's mean response to units with similar judge scores."""

    judge: str
    judge_mean: float
    human_mean: float
    n_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReport(Signed):
    """Whether a judge may replace one of the raters. `print` it for the verdict and the tables.

    Attributes
    ----------
    judge : str
    verdict : {"may replace", "may not replace", "cannot tell"}
    reason : str
        The sentence of the verdict.
    measure : {"labels", "distance"}
        How agreement is measured.
    agreements : tuple of AgreementRow
        Of the raters with each other, the judge, a constant judge and a shuffled judge.
    difference : Estimate
        The judge's agreement with raters minus theirs with each other.
    margin : float
        How much less the judge may agree: `allowance` times the raters' own agreement.
    allowance : float
    more_items : int or None
        How many more labelled items would decide it; None where it is decided, or where raters are the limit.
    alternative : AlternativeAnnotator
        The published test.
    correlation, worth : float
        Of the advantages of A over B by judge and people, and how many labels without a judge the labels with it are
        worth, each; NaN without A and B.
    shifts, biases, slices : tuple of BiasRow
        Judge minus people by model, by column, and agreement (judge minus raters) by slice.
    calibration : tuple of CalibrationRow
    consistency : float
        Agreement of two calls of the judge, in the unit of agreement; NaN with one call.
    worst : tuple of str
        The items on which the judge is furthest from people.
    n_units, n_raters, n_responses : int
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    judge: str
    verdict: str
    reason: str
    measure: str
    agreements: tuple[AgreementRow, ...]
    difference: Estimate
    margin: float
    allowance: float
    more_items: int | None
    alternative: AlternativeAnnotator
    correlation: float
    worth: float
    shifts: tuple[BiasRow, ...]
    biases: tuple[BiasRow, ...]
    slices: tuple[BiasRow, ...]
    calibration: tuple[CalibrationRow, ...]
    consistency: float
    worst: tuple[str, ...]
    n_units: int
    n_raters: int
    n_responses: int
    notes: tuple[str, ...]
    provenance: Provenance

    def document(self) -> Document:
        """Return the verdict, agreement beside that of poor judges, biases, calibration and where the judge fails."""
        blocks: list[Block] = [Sentence(self.reason, "verdict"), Sentence(self._compared()), self._agreements()]
        if not math.isnan(self.correlation):
            blocks.append(
                Sentence(
                    f"Its differences between A and B correlate with people's by {self.correlation:.2f}: a labelled "
                    f"item with the judge is worth {self.worth:.2g} without."
                )
            )
        if self.shifts:
            said = _favoured(self.shifts)
            said = f"{self.judge} {said}, which can turn a ranking." if said else "No model is favoured beyond chance."
            title = "Judge minus people, by model, less its mean over models"
            blocks += [_bias_table(title, "model", self.shifts), Sentence(said)]
        test = self.alternative
        if test.n_raters:
            passes = "passes" if test.passes else "does not pass"
            blocks.append(
                Sentence(
                    f"Alternative annotator test (ε = {self.allowance:g}): the judge wins against "
                    f"{100 * test.winning_rate:.0f}% of {test.n_raters} raters (ω) and {passes}; ρ = "
                    f"{test.advantage_probability:.2f}."
                )
            )
        blocks += [_bias_table("Biases of the judge", "column", self.biases)] if self.biases else []
        if self.slices:
            blocks.append(_bias_table("Agreement minus that among raters, by slice", "slice", self.slices))
        blocks += details(self._details())
        return Document(f"Is {self.judge} good enough?", tuple(blocks), self.notes, self.signature)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return a row for each agreement, shift, bias and slice."""
        import polars

        rows = [
            {"table": "agreement", "name": one.name, "agreement": one.agreement, **_columns(one.difference)}
            for one in self.agreements
        ]
        for table, found in (("shift", self.shifts), ("bias", self.biases), ("slice", self.slices)):
            rows += [{"table": table, "name": row.name, "agreement": None, **_columns(row.bias)} for row in found]
        return polars.DataFrame(rows, infer_schema_length=None)

    def _compared(self) -> str:
        human, judge, constant, shuffled = self.agreements
        if self.measure == "labels":
            shown = [f"{100 * row.agreement:.1f}%" for row in (human, judge, constant, shuffled)]
            said = f"Share with the same label as another rater: raters {shown[0]}, {self.judge} {shown[1]}"
        else:
            shown = [plainly(abs(row.agreement)) for row in (human, judge, constant, shuffled)]
            said = (
                "Distance to the item's other raters (root mean square on an item, averaged over responses): raters "
                f"{shown[0]}, {self.judge} {shown[1]}"
            )
        return f"{said}, {constant.name} {shown[2]}, {shuffled.name} {shown[3]}."

    def _agreements(self) -> Table:
        # Agreement of numbers is minus the distance, so that more of it is better.
        of = "agreement" if self.measure == "labels" else "minus distance"
        columns = [Column("who"), Column(of, "number"), Column("minus raters", "number")]
        between = ci_column(self.difference.confidence_interval.confidence_level)
        columns += [between, *(Column(rate, "number", detail=True) for rate in "ωρ")]
        rows: list[tuple[object, ...]] = []
        for one in self.agreements:
            if one.difference is None:
                rows.append((one.name, one.agreement, None, None, None, None))
                continue
            shown = cells(one.difference.value, one.difference.confidence_interval)
            rates = (one.winning_rate, one.advantage_probability)
            rows.append((one.name, one.agreement, *shown, *rates))
        return Table(tuple(columns), tuple(rows))

    def _details(self) -> list[Block]:
        blocks: list[Block] = []
        if self.calibration:
            columns = (Column("judge says"), Column("mean of judge", "number"), Column("mean of people", "number"))
            rows = tuple((row.judge, row.judge_mean, row.human_mean, row.n_units) for row in self.calibration)
            blocks.append(Table((*columns, Column("units", "count")), rows, "Calibration"))
        if not math.isnan(self.consistency):
            said = (
                f"{100 * self.consistency:.1f}% are equal"
                if self.measure == "labels"
                else (f"they differ by {plainly(-self.consistency)} (root mean square)")
            )
            blocks.append(Sentence(f"Two calls of the judge about the same item: {said}."))
        if self.worst:
            blocks.append(Heading("Where the judge is furthest from people"))
            blocks.append(Sentence(", ".join(self.worst) + "."))
        return blocks


def _favoured(shifts: Sequence[BiasRow]) -> str:
    """Return "favours x by 0.2 more than the other models" where that is significant; else nothing."""
    found = [row for row in shifts if row.bias.is_significant]
    if not found:
        return ""
    most = max(found, key=lambda row: (row.bias.value > 0, abs(row.bias.value)))
    how = "favours" if most.bias.value > 0 else "disfavours"
    by = number(abs(most.bias.value), error_of(most.bias.confidence_interval))
    return f"{how} {most.name} by {by} beside the mean model"


def _columns(one: Estimate | None) -> dict[str, float | None]:
    if one is None:
        return {"difference": None, "interval_low": None, "interval_high": None}
    ends = one.confidence_interval
    return {"difference": one.value, "interval_low": ends.low, "interval_high": ends.high}


def _bias_table(title: str, what: str, found: Sequence[BiasRow]) -> Table:
    columns = [Column(what), Column("items", "count"), Column("bias" if what != "slice" else "difference", "number")]
    columns += [ci_column(found[0].bias.confidence_interval.confidence_level), Column("adjusted p", "pvalue")]
    columns.append(Column("80% power for", "number", detail=True))
    rows = []
    for row in found:
        shown = cells(row.bias.value, row.bias.confidence_interval)
        rows.append((row.name, row.n_items, *shown, row.pvalue_adjusted, Measured(row.smallest, row.smallest)))
    return Table(tuple(columns), tuple(rows), title)


class JudgedTable(NamedTuple):
    """What a report is made of: people's and the judge's responses by model (or one source of gold), on the same items.

    Attributes
    ----------
    humans, judge : mapping of str to Responses
        By model; by "" where people and judge labelled the items themselves.
    scale : Scale
    items : array of str
    groups : mapping of str to array of str
    raters : tuple of str
    """

    humans: Mapping[str, Responses]
    judge: Mapping[str, Responses]
    scale: Scale
    items: Labels
    groups: Mapping[str, Labels]
    raters: tuple[str, ...]


@_matrices.on_one_thread
def report_judge(
    table: JudgedTable,
    *,
    name: str,
    allowance: float = 0.1,
    bias: Sequence[str] = (),
    by: str | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
    advantages: tuple[float, float] = (math.nan, math.nan),
    notes: Sequence[str] = (),
    data: str = "",
) -> JudgeReport:
    """Report how good a judge is.

    Parameters
    ----------
    table : JudgedTable
    name : str
        What the judge is called.
    allowance : float
        How much less the judge may agree with raters than they with each other, as a share; also ε of the published
        test.
    bias : sequence of str
        Columns of items that the judge might react to: lengths, positions, model families, batches.
    by : str, optional
        A column of items; agreement is shown for each of its values.
    confidence_level : float
    seed : int
        Of the shuffled judge.
    advantages : (float, float)
        The correlation of judge's and people's advantages, and what a label is worth, where A and B are known.
    notes : sequence of str
    data : str
        The digest of the data.
    """
    level = _check.fraction("confidence_level", confidence_level)
    units, systems = _units(table, name)
    human, own = units.human_scores(), units.judge_scores()
    among = units.mean(human)
    margin = allowance * abs(among.mean)
    compared = units.mean(own - human)
    constant = units.constant()
    always = units.scores_of(np.full(units.n_units, constant))
    shuffled = _shuffled_scores(units, seed)
    said = table.scale.decode(np.array([constant]))[0]
    label = f"{said:g}" if isinstance(said, float) else said
    rows = [AgreementRow("raters with each other", among.mean, None, math.nan, math.nan)]
    for who, scores in ((name, own), (f"always {label}", always), ("shuffled judge", shuffled)):
        test = alternative_annotator_test(units, scores, allowance)
        difference = _estimate(units.mean(scores - human), level)
        rates = (test.winning_rate, test.advantage_probability)
        rows.append(AgreementRow(who, units.mean(scores).mean, difference, *rates))
    verdict, reason, more = _verdict(
        name, compared, units.mean(own - always), margin=margin, always=rows[2].name, level=level
    )
    shifts = _shifts(units, systems, list(table.humans), level)
    if verdict == "may replace" and (favoured := _favoured(shifts)):
        reason += f" But it {favoured}: do not rank models by it alone."
    kept = units.scored
    told = list(notes)
    if (n := int((units.sizes == 1).sum())) > 0:
        told.append(f"{counted(n, 'item')} with one person's response only: they show no agreement among raters.")
    return JudgeReport(
        judge=name,
        verdict=verdict,
        reason=reason,
        measure="labels" if units.labels else "distance",
        agreements=tuple(rows),
        difference=_estimate(compared, level),
        margin=margin,
        allowance=allowance,
        more_items=more,
        alternative=alternative_annotator_test(units, own, allowance),
        correlation=advantages[0],
        worth=advantages[1],
        shifts=shifts,
        biases=_biases(units, table, bias, level),
        slices=_slices(units, table, by, own - human, level),
        calibration=_calibration(units, table.scale),
        consistency=_consistency(units),
        worst=_worst(units, own - human, table.items, systems, list(table.humans)),
        n_units=int(np.unique(units.units[kept]).size),
        n_raters=int(np.unique(units.raters[kept]).size),
        n_responses=int(kept.sum()),
        notes=tuple(dict.fromkeys(told)),
        provenance=Provenance(
            "judge",
            {
                "judge": name,
                "allowance": allowance,
                "bias": ",".join(bias) or None,
                "by": by,
                "confidence_level": level,
            },
            seed,
            data,
        ),
    )


def _units(table: JudgedTable, name: str) -> tuple[JudgedUnits, IntArray]:
    """Return the units with people's and the judge's responses, and the model of each."""
    values, places, raters, calls, items, systems = [], [], [], [], [], []
    n_items = table.items.size
    for number_of, system in enumerate(table.humans):
        people, own = table.humans[system], table.judge[system]
        if people.raters is None:
            raise DataError("people's responses have no rater ids, so agreement is unknown. Name them with `rater`.")
        values.append(people.values)
        raters.append(people.raters)
        places.append(people.items + number_of * n_items)
        width = max(1, int(own.sizes.max(initial=0)))
        grid = np.full((n_items, width), np.nan)
        grid[own.items, np.arange(own.values.size) - own.offsets[own.items]] = own.values
        calls.append(grid.T)
        items.append(np.arange(n_items))
        systems.append(np.full(n_items, number_of))
    width = max(grid.shape[0] for grid in calls)
    padded = [np.vstack([grid, np.full((width - grid.shape[0], n_items), np.nan)]) for grid in calls]
    units = JudgedUnits(
        values=np.concatenate(values),
        units=np.concatenate(places),
        raters=np.concatenate(raters),
        judge=np.hstack(padded),
        items=np.concatenate(items),
        labels=table.scale.kind == "nominal",
    )
    if np.isnan(units.judge[0]).all():
        raise DataError(f"{name} scored none of these items.")
    if not (units.sizes[units.units] > 0)[~np.isnan(units.judge[0])[units.units]].any():
        raise DataError(f"no item has responses of people and of {name}. Check the item ids of both.")
    if not units.scored.any():
        raise DataError(
            "every item has one person's response only, so raters cannot be compared with each other: let two or more "
            "people respond to some items."
        )
    if not np.ptp(units.values[units.scored]) > 0:
        raise DataError(
            "people gave the same response to every item, so nothing shows whether a judge knows one item from another."
        )
    if np.unique(units.raters[units.scored]).size < 2:
        raise DataError("there is one rater only: a judge can be compared with two or more.")
    return units, np.concatenate(systems)


def _shuffled_scores(units: JudgedUnits, seed: int) -> FloatArray:
    """Return the scores of a judge whose answers are dealt to other units, on average over shuffles."""
    rng = np.random.default_rng(seed)
    there = np.flatnonzero(~np.isnan(units.judge[0]))
    found = np.zeros(units.values.size)
    for _ in range(SHUFFLES):
        dealt = units.judge[0].copy()
        dealt[there] = dealt[rng.permutation(there)]
        found += units.scores_of(dealt) / SHUFFLES
    return found


def _estimate(found: TwoWay, level: float) -> Estimate:
    ends = found.error.interval(found.mean, confidence_level=level)
    if math.isnan(ends.low) and found.error.variance == 0:
        ends = ConfidenceInterval(found.mean, found.mean, "t", level)
    return Estimate(found.mean, ends, found.error.standard_error, found.error.pvalue(found.mean))


def _verdict(
    name: str, compared: TwoWay, beats: TwoWay, *, margin: float, always: str, level: float
) -> tuple[str, str, int | None]:
    """Return the verdict, its sentence, and how many more labelled items would decide it.

    `compared` is the judge's agreement minus the raters', `beats` minus that of a judge that is `always` the same.
    """
    found = _estimate(compared, level)
    ends, error = found.confidence_interval, error_of(found.confidence_interval)
    less = "less" if found.value < 0 else "more"
    agrees = (
        f"it agrees with raters {number(abs(found.value), error)} {less} than they do with each other (difference "
        f"{number(found.value, error)}, {interval(ends)}; allowed: {number(-margin, error)})"
    )
    if math.isnan(ends.low):
        return "cannot tell", f"We cannot tell whether {name} may replace a rater: the interval is undefined.", None
    if ends.high < -margin:
        return "may not replace", f"{name} may not replace one of these raters: {agrees}.", None
    if ends.low > -margin:
        if _estimate(beats, level).confidence_interval.low > 0:
            return "may replace", f"{name} may replace one of these raters: {agrees}.", None
        return (
            "may not replace",
            f"{name} may not replace one of these raters: a judge that is {always} agrees with them as well. By itself "
            f"{agrees}.",
            None,
        )
    more = _more_items(compared, abs(found.value + margin), level)
    if more is None:
        remedy = "more items would hardly decide it, since raters disagree; add raters"
    else:
        remedy = f"label about {about(more)} more items"
    open_ = f"We cannot tell whether {name} may replace one of these raters: {agrees}. To decide, {remedy}."
    return "cannot tell", open_, more


def _more_items(table: TwoWay, distance: float, level: float) -> int | None:
    """Return how many more items give an interval that ends before the margin, if the difference stays as it is."""
    a, b, e = (0.0 if math.isnan(part) else max(0.0, part) for part in (table.items, table.raters, table.residual))
    per_item = table.n_cells / table.n_items
    n, r = table.n_items, max(2, table.n_raters)

    def reached(size: int) -> bool:
        error = CombinedError((b / r + e / (size * per_item), a / size), (r - 1.0, size - 1.0))
        return error.half_width((1 - level) / 2) < distance

    needed = fewest(reached, least=n + 1, most=MOST, precision=0.01)
    return None if needed is None else needed - n


def _errors(units: JudgedUnits) -> FloatArray:
    """Return judge minus person beside each response."""
    known = ~np.isnan(units.judge)
    with np.errstate(invalid="ignore"):
        own = np.where(known, units.judge, 0.0).sum(axis=0) / known.sum(axis=0)
    return np.asarray(own[units.units] - units.values)


def _mean_of(units: JudgedUnits, values: FloatArray, kept: BoolArray) -> TwoWay | None:
    """Return the mean of values beside the kept responses; None with fewer than two items."""
    return units.mean(values, kept) if np.unique(units.items[units.units[kept]]).size > 1 else None


def _rows(found: Sequence[tuple[str, TwoWay | None]], level: float) -> tuple[BiasRow, ...]:
    known = [(name, _estimate(one, level), one.n_items) for name, one in found if one is not None]
    adjusted = adjust([one.pvalue for _, one, _ in known])
    return tuple(
        BiasRow(name, replace(one, pvalue_adjusted=float(p)), SEEN * one.standard_error, n)
        for (name, one, n), p in zip(known, adjusted, strict=True)
    )


def _shifts(units: JudgedUnits, systems: IntArray, names: Sequence[str], level: float) -> tuple[BiasRow, ...]:
    """Return by how much the judge is above people for each model, less its mean over the models."""
    if len(names) < 2 or units.labels:
        return ()
    errors, of = _errors(units), systems[units.units]
    there = ~np.isnan(errors)
    # Beside the same item and rater the mean is that of all models; where a model is missing there, that of all.
    keys = units.items[units.units] * (int(units.raters.max()) + 1) + units.raters
    _, cell = np.unique(keys, return_inverse=True)
    counts = np.bincount(cell, there)
    sums = np.bincount(cell, np.where(there, errors, 0.0))
    whole = counts[cell] == len(names)
    known = [system for system in range(len(names)) if (there & (of == system)).any()]
    overall = np.mean([errors[there & (of == system)].mean() for system in known])
    mean = np.where(whole, sums[cell] / np.maximum(counts[cell], 1), overall)
    found = [(names[system], _mean_of(units, errors - mean, np.asarray(there & (of == system)))) for system in known]
    return _rows(found, level)


def _biases(units: JudgedUnits, table: JudgedTable, columns: Sequence[str], level: float) -> tuple[BiasRow, ...]:
    """Return how the judge's errors depend on columns: numbers by their slope per SD, others by value.

    A column whose values are labels (the answer that was shown first, say) tells whether the judge chooses that label
    more often than people do.
    """
    found: list[tuple[str, TwoWay | None]] = []
    labels = set(map(str, table.scale.labels)) if units.labels else set()
    there = ~np.isnan(units.judge[0])[units.units]
    for column in columns:
        if column not in table.groups:
            hint = _check.nearest(column, table.groups)
            raise ArgumentError(f"`bias` must name columns that describe items; got {column!r}.{hint}")
        cells = table.groups[column][units.items[units.units]]
        if labels and set(cells.tolist()) <= labels:
            wanted = np.array([float(table.scale.labels.index(cell)) for cell in cells.tolist()])
            chosen = (units.judge[0][units.units] == wanted).astype(np.float64) - (units.values == wanted)
            found.append((f"chooses {column}", _mean_of(units, chosen, there)))
            continue
        errors = units.judge_scores() - units.human_scores() if units.labels else _errors(units)
        usable = there & ~np.isnan(errors)
        numbers = _numbers(cells)
        if numbers is not None and np.unique(numbers[usable]).size > 2:
            spread = float(numbers[usable].std())
            centred = (numbers - numbers[usable].mean()) / spread
            middle = errors - errors[usable].mean()
            # The mean of x·(error − mean error) is the slope per standard deviation of x.
            found.append((f"{column} (per SD)", _mean_of(units, centred * middle, usable)))
            continue
        overall = errors[usable].mean()
        for value in np.unique(cells[usable]):
            rows = usable & (cells == value)
            found.append((f"{column} = {value}", _mean_of(units, errors - overall, rows)))
    return _rows(found, level)


def _numbers(cells: Labels) -> FloatArray | None:
    try:
        return cells.astype(np.float64)
    except ValueError:
        return None


def _slices(
    units: JudgedUnits, table: JudgedTable, by: str | None, differences: FloatArray, level: float
) -> tuple[BiasRow, ...]:
    """Return the judge's agreement minus the raters' for each value of a column, the worst first."""
    if by is None:
        return ()
    if by not in table.groups:
        hint = _check.nearest(by, table.groups)
        raise ArgumentError(f"`by` must name a column that describes items; got {by!r}.{hint}")
    cells = table.groups[by][units.items[units.units]]
    kept = units.scored & ~np.isnan(differences)
    found = [
        (f"{by} = {value}", _mean_of(units, differences, kept & (cells == value))) for value in np.unique(cells[kept])
    ]
    return tuple(sorted(_rows(found, level), key=lambda row: row.bias.value))


def _calibration(units: JudgedUnits, scale: Scale) -> tuple[CalibrationRow, ...]:
    """Return people's mean by the judge's score: for each score, or in groups of equal size. Labels have none."""
    means = units.human_means()
    there = ~np.isnan(units.judge[0]) & (units.sizes > 0)
    if units.labels or not there.any():
        return ()
    own, human = units.judge[0][there], means[there]
    levels = np.unique(own)
    if levels.size <= N_BINS:
        groups = [(own == value, f"{value:g}") for value in levels]
    else:
        edges = np.unique(np.quantile(own, np.arange(1, N_BINS) / N_BINS))
        codes = np.searchsorted(edges, own, side="right")
        groups = [
            (codes == code, f"{own[codes == code].min():.3g} to {own[codes == code].max():.3g}")
            for code in np.unique(codes)
        ]
    return tuple(
        CalibrationRow(said, float(own[chosen].mean()), float(human[chosen].mean()), int(chosen.sum()))
        for chosen, said in groups
    )


def _consistency(units: JudgedUnits) -> float:
    """Return how far two calls about the same unit agree; NaN with one call each."""
    if units.judge.shape[0] < 2:
        return math.nan
    first, second = units.judge[0], units.judge[1]
    both = ~np.isnan(first) & ~np.isnan(second)
    if not both.any():
        return math.nan
    if units.labels:
        return float((first[both] == second[both]).mean())
    return -float(np.sqrt(np.square(first[both] - second[both]).mean()))


def _worst(
    units: JudgedUnits, differences: FloatArray, items: Labels, systems: IntArray, names: Sequence[str]
) -> tuple[str, ...]:
    """Return the units on which the judge falls furthest behind the raters."""
    kept = units.scored & ~np.isnan(differences)
    sums = np.bincount(units.units[kept], differences[kept], minlength=units.n_units)
    counts = np.bincount(units.units[kept], minlength=units.n_units)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counts > 0, sums / np.maximum(counts, 1), np.inf)
    order = np.argsort(mean, kind="stable")[:WORST]
    behind = [int(unit) for unit in order if mean[unit] < 0]
    return tuple(
        f"{items[units.items[unit]]}{f' ({names[systems[unit]]})' if len(names) > 1 else ''}" for unit in behind
    )
