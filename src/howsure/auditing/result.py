"""The result: how well every p-value and every interval did, in rows, and what to use for such data."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure import _check, _json
from howsure._frames import in_any_form
from howsure.auditing.grid_point import INTERVALS, SMALLEST, TESTS, WORSE
from howsure.documents import Document
from howsure.inference import clopper_pearson
from howsure.records import Record

if TYPE_CHECKING:
    import polars

    from howsure.sweeps import CellRow


@dataclass(frozen=True, slots=True)
class AuditedData:
    """Which data a row is about.

    Attributes
    ----------
    n_items, n_responses : int
    epsilon : float
    truth : {"same", "equal errors", "different errors", "B worse"}
        What the data are; all but the last are true nulls.
    """

    n_items: int
    n_responses: int
    epsilon: float
    truth: str

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, derived ones included."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TestRow(AuditedData):
    """One p-value on one type of data.

    Attributes
    ----------
    n_items, n_responses, epsilon, truth
        The type of data.
    metric, scheme, null : str
        The scheme is written items/responses; the null may be the name of an analytical test, without a scheme.
    pvalue : {"tail", "expected"}
        How the p-value is computed from the resamples.
    n_kept : int
        Responses per item in a resample: the true p is that of a study with as many.
    true_pvalue, true_pvalue_se : float
        What such a study gives on average, from fresh data sets; never below one in their number plus one.
    mean, spread : float
        Of the estimated p over data sets (tail p: one-sided, whose expectation is the true p where the null is right).
    absolute_error, absolute_error_se, smallest_error : float
        Mean distance of the estimate from the true p, and that of the luckiest data set.
    n_data_sets, undefined : int
        Data sets with a p-value, and without.
    rejected : int
        Data sets with p (two-sided; expected p as it is) at or below the significance level.
    below : tuple of int
        Data sets with p at or below 10, 20, … 90% of the significance level.
    true_pvalue_is_bound : bool
        No fresh data set was as extreme: `true_pvalue` is an upper bound.
    """

    __test__ = False  # not a test of ours, whatever pytest thinks

    metric: str
    scheme: str
    null: str
    pvalue: str
    n_kept: int
    true_pvalue: float
    true_pvalue_se: float
    mean: float
    spread: float
    absolute_error: float
    absolute_error_se: float
    smallest_error: float
    n_data_sets: int
    undefined: int
    rejected: int
    below: tuple[int, ...] = ()
    true_pvalue_is_bound: bool = False

    @property
    def is_null(self) -> bool:
        """Whether a rejection is an error."""
        return self.truth != WORSE

    @property
    def rate(self) -> float:
        """The share of rejections: type I error where the null is true, power where it is not."""
        return self.rejected / self.n_data_sets if self.n_data_sets else math.nan

    def rate_at(self, tenth: int) -> float:
        """Return the share of rejections at so many tenths of the level."""
        count = self.rejected if tenth == 10 else self.below[tenth - 1] if tenth else 0
        return count / self.n_data_sets if self.n_data_sets else math.nan

    @property
    def rate_interval(self) -> tuple[float, float]:
        """The exact 95% interval of the rate."""
        ends = clopper_pearson(self.rejected, self.n_data_sets)
        return ends.low, ends.high

    @property
    def bias(self) -> float:
        """Mean estimate minus true p."""
        return self.mean - self.true_pvalue

    @property
    def bias_se(self) -> float:
        """Monte-Carlo error of the bias, that of the true p included."""
        return math.hypot(self.spread / math.sqrt(max(self.n_data_sets, 1)), self.true_pvalue_se)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, derived ones included."""
        low, high = self.rate_interval
        derived = {"bias": self.bias, "bias_se": self.bias_se, "rate": self.rate, "rate_low": low, "rate_high": high}
        return asdict(self) | derived


@dataclass(frozen=True, slots=True)
class IntervalRow(AuditedData):
    """One interval on one type of data.

    Attributes
    ----------
    n_items, n_responses, epsilon, truth, metric, scheme
        As for a p-value.
    interval : str
    advantage, advantage_se : float
        The expected advantage of the design: what the interval should hold.
    n_data_sets, undefined : int
        Data sets with an interval, and without.
    covered : int
        Data sets whose interval holds the expected advantage.
    width, width_se : float
        Mean width.
    """

    metric: str
    scheme: str
    interval: str
    advantage: float
    advantage_se: float
    n_data_sets: int
    undefined: int
    covered: int
    width: float
    width_se: float

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the expected advantage."""
        return self.covered / self.n_data_sets if self.n_data_sets else math.nan

    @property
    def coverage_interval(self) -> tuple[float, float]:
        """The exact 95% interval of the coverage."""
        ends = clopper_pearson(self.covered, self.n_data_sets)
        return ends.low, ends.high

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, derived ones included."""
        low, high = self.coverage_interval
        return asdict(self) | {"coverage": self.coverage, "coverage_low": low, "coverage_high": high}


@dataclass(frozen=True, slots=True)
class SmallestRow(AuditedData):
    """LEADER's tables 1–4: the smallest error of estimated p among all metrics of a scheme, or all schemes of a metric.

    Attributes
    ----------
    n_items, n_responses, epsilon, truth
        As for a p-value.
    by : {"scheme", "metric"}
    name : str
        Of the scheme or the metric.
    n : int
        Estimators among which the smallest is taken.
    smallest, smallest_se : float
        Mean over data sets of the smallest error: what the tables show.
    mean, largest : float
        Mean error of all of them, and of the worst: what the tables hide.
    """

    by: str
    name: str
    n: int
    smallest: float
    smallest_se: float
    mean: float
    largest: float


@dataclass(frozen=True, slots=True)
class Audit(Record):
    """How p-values and intervals do on data like these. `print` it for what to use.

    Attributes
    ----------
    model : str
        The response model in words.
    tests, intervals, smallest : tuple of rows
    alpha, confidence_level : float
    n_simulations, n_resamples : int
        Simulated data sets of each type, and resamples of each.
    seed : int
    notes : tuple of str
    signature : str
    """

    derived: ClassVar[tuple[str, ...]] = ("verdict", "reasons")

    model: str
    tests: tuple[TestRow, ...]
    intervals: tuple[IntervalRow, ...]
    smallest: tuple[SmallestRow, ...]
    alpha: float
    confidence_level: float
    n_simulations: int
    n_resamples: int
    seed: int
    notes: tuple[str, ...]
    signature: str

    @property
    def designs(self) -> tuple[tuple[int, int], ...]:
        """The (items, responses) that were audited."""
        return tuple(dict.fromkeys((row.n_items, row.n_responses) for row in self.tests))

    @property
    def verdict(self) -> str:
        """What to use for such data, and what not, in a few sentences."""
        from howsure.auditing.advice import Advice

        return Advice(self).verdict

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, and by how much it matters."""
        from howsure.auditing.advice import Advice

        return Advice(self).reasons

    def document(self) -> Document:
        """Return the verdict, the tables, and the reasons."""
        from howsure.auditing.document import document

        return document(self)

    @in_any_form
    def to_frame(self, *, table: str = "tests") -> "polars.DataFrame":
        """Return a dataframe of the tests, the intervals or the smallest errors."""
        import polars

        tables = {TESTS: self.tests, INTERVALS: self.intervals, SMALLEST: self.smallest}
        rows: Iterable[Any] = tables[_check.one_of("table", table, tables)]
        flat = []
        for row in rows:
            numbers = row.to_dict()
            below = numbers.pop("below", ())
            flat.append(numbers | {f"below_{10 * tenth}%": n for tenth, n in enumerate(below, start=1)})
        return polars.DataFrame(flat, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dictionary that JSON can hold; `Audit.from_dict` reads it back."""
        rows = {name: [row.to_dict() for row in getattr(self, name)] for name in (TESTS, INTERVALS, SMALLEST)}
        return _json.plain(Record.to_dict(self) | rows)  # type: ignore[no-any-return]


def rows_of(cells: Iterable["CellRow"]) -> tuple[tuple[TestRow, ...], tuple[IntervalRow, ...], tuple[SmallestRow, ...]]:
    """Read the rows back from the numbers that the grid points of a sweep returned."""
    kinds: dict[str, Any] = {
        TESTS: (TestRow, ("metric", "scheme", "null", "pvalue")),
        INTERVALS: (IntervalRow, ("metric", "scheme", "interval")),
        SMALLEST: (SmallestRow, ("by", "name")),
    }
    found: dict[str, list[Any]] = {table: [] for table in kinds}
    for cell in cells:
        design = {name: cell.parameters[name] for name in ("n_items", "n_responses", "epsilon")}
        grouped: dict[tuple[str, ...], dict[str, float]] = {}
        for name, number in cell.values.items():
            *key, quantity = name.split("|")
            grouped.setdefault(tuple(key), {})[quantity] = number
        for (table, truth, *key), quantities in grouped.items():
            kind, words = kinds[table]
            below = tuple(number for name, number in quantities.items() if name.startswith("below_"))
            numbers: dict[str, Any] = {
                name: number for name, number in quantities.items() if not name.startswith("below_")
            }
            if table == TESTS:
                numbers["true_pvalue_is_bound"] = bool(numbers["true_pvalue_is_bound"])
            named = dict(zip(words, key, strict=True)) | ({"below": below} if below else {})
            found[table].append(kind(**design, truth=truth, **named, **numbers))
    return tuple(found[TESTS]), tuple(found[INTERVALS]), tuple(found[SMALLEST])
