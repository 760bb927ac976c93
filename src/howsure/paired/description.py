"""What the scores look like: summaries, histograms, skewness and normality of the differences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from howsure import _check
from howsure.data.scales import FloatArray
from howsure.documents import Aside, Block, Column, Document, Measured, Sentence, Table, details
from howsure.documents.numbers import in_words, minus, number
from howsure.documents.numbers import pvalue as p_of
from howsure.inference.bins import bin_edges
from howsure.paired.score_lists import PairedScores
from howsure.records import Record

SKEWED = 0.5
HIGHLY_SKEWED = 1.0
MOST_FOR_SHAPIRO = 5000
BARS = "·▁▂▃▄▅▆▇█"
MOST_BARS = 20


@dataclass(frozen=True, slots=True)
class Summary:
    """The usual numbers of one list; the standard deviation has n − 1 in its denominator."""

    n: int
    mean: float
    median: float
    standard_deviation: float
    minimum: float
    first_quartile: float
    third_quartile: float
    maximum: float

    @classmethod
    def of(cls, values: FloatArray) -> "Summary":
        """Summarise a list of at least one number."""
        low, first, middle, third, high = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
        deviation = float(values.std(ddof=1)) if values.size > 1 else math.nan
        return cls(values.size, float(values.mean()), middle, deviation, low, first, third, high)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts between edges; there is one edge more than there are counts."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Description(Record):
    """Both systems and their difference, and whether the differences look symmetric and normal.

    Attributes
    ----------
    names : tuple of str
    a, b, difference : Summary
    histograms : mapping of str to Histogram
        Under "a", "b" (same edges) and "difference".
    skewness : float
        Sample skewness of the differences (third moment over the 3/2 power of the second); NaN when they do not vary.
    symmetric : bool
        |skewness| < 0.5, a rule of thumb.
    normality_test : str
    normality_pvalue : float
    normal : bool
        Whether that p-value is at least `alpha`.
    alpha : float
    notes : tuple of str
    counted : {"segments", "units"}
        What `n` is the number of.
    """

    derived: ClassVar[tuple[str, ...]] = ("n", "shape")

    names: tuple[str, str]
    a: Summary
    b: Summary
    difference: Summary
    histograms: dict[str, Histogram]
    skewness: float
    symmetric: bool
    normality_test: str
    normality_statistic: float
    normality_pvalue: float
    normal: bool
    alpha: float
    notes: tuple[str, ...] = ()
    counted: str = "segments"

    @property
    def n(self) -> int:
        """The number of differences."""
        return self.difference.n

    @property
    def shape(self) -> str:
        """How skewed the differences are, in words."""
        size = abs(self.skewness)
        if math.isnan(size):
            return "constant"
        return "roughly symmetric" if size < SKEWED else "slightly skewed" if size < HIGHLY_SKEWED else "highly skewed"

    @property
    def normality(self) -> str:
        """What the normality test says, to complete "The differences are …"."""
        verdict = "not clearly different from normal" if self.normal else "not normal"
        return f"{verdict} ({self.normality_test} p {in_words(p_of(self.normality_pvalue))})"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The differences in words."""
        d = self.difference
        error = d.standard_deviation / math.sqrt(d.n)
        spread = number(d.standard_deviation, error / math.sqrt(2))
        count = "1 difference" if d.n == 1 else f"{d.n:,} differences"
        said = (
            f"{count} {self.names[0]} − {self.names[1]}: mean {number(d.mean, error)}, "
            f"median {number(d.median, error)}, standard deviation {spread}, from {number(d.minimum)} to "
            f"{number(d.maximum)}."
        )
        if math.isnan(self.skewness):
            return (said,)
        return (
            said,
            f"The differences are {self.shape} (skewness {minus(f'{self.skewness:.2f}')}) and {self.normality}.",
        )

    def document(self) -> Document:
        """Return summaries, histograms and the shape of the differences."""
        rows = []
        of = {"a": self.names[0], "b": self.names[1], "difference": " − ".join(self.names)}
        for key, name in of.items():
            summary: Summary = getattr(self, key)
            error = summary.standard_deviation / math.sqrt(summary.n)
            middle = (Measured(summary.mean, error), Measured(summary.median, error))
            spread = Measured(summary.standard_deviation, error / math.sqrt(2))
            numbers = (*middle, spread, summary.minimum, summary.maximum)
            rows.append((name, summary.n, *numbers, sparkline(self.histograms[key].counts)))
        numeric = [Column(title, "number") for title in ("mean", "median", "SD")]
        ends = [Column(title, "number", detail=True) for title in ("min", "max")]
        table = Table((Column("system"), Column("n", "count"), *numeric, *ends, Column("histogram")), tuple(rows))
        blocks: tuple[Block, ...] = (table, *details(map(Sentence, self.sentences)))
        return Document(" vs ".join(self.names), blocks, self.notes)


def describe(scores: PairedScores, *, alpha: float = 0.05) -> Description:
    """Describe two systems' scores and their differences.

    Normality is tested with Shapiro–Wilk at level `alpha`; beyond 5,000 differences, where its p-value is no longer
    accurate, with D'Agostino and Pearson's test of skewness and kurtosis.

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> scores = PairedScores.from_arrays(rng.normal(0.2, 1, 200), rng.normal(0, 1, 200))
    >>> description = describe(scores)
    >>> description.symmetric, description.normal
    (True, True)
    """
    return _described(scores, _check.fraction("alpha", alpha))


@lru_cache(maxsize=1)  # an analysis asks again for its test and its effect sizes
def _described(scores: PairedScores, alpha: float) -> Description:
    differences = scores.differences
    counted = "units" if scores.unit_size > 1 else "segments"
    notes = list(scores.notes)
    skewness, test, statistic, pvalue = math.nan, "none", math.nan, math.nan
    if scores.constant is not None:
        notes.append(f"Every difference is {number(scores.constant)}: skewness and normality are undefined.")
    elif scores.n < 3:
        notes.append(f"{scores.n} {counted} are too few to judge skewness and normality.")
    else:
        skewness, test, statistic, pvalue = _normality(differences)
        if scores.n > MOST_FOR_SHAPIRO:
            notes.append(
                Aside(
                    f"Normality is tested by D'Agostino and Pearson's test of skewness and kurtosis: beyond "
                    f"{MOST_FOR_SHAPIRO:,} differences the p-value of Shapiro–Wilk is not accurate."
                )
            )
    if scores.clusters is not None:
        notes.append(Aside("Skewness and normality are computed over segments, as if these were independent."))
    if scores.binary:
        notes.append(Aside("All scores are 0 or 1 (right or wrong)."))
    return Description(
        names=scores.names,
        a=Summary.of(scores.a),
        b=Summary.of(scores.b),
        difference=Summary.of(differences),
        histograms=_histograms(scores),
        skewness=skewness,
        symmetric=abs(skewness) < SKEWED,
        normality_test=test,
        normality_statistic=statistic,
        normality_pvalue=pvalue,
        normal=pvalue >= alpha,
        alpha=alpha,
        notes=tuple(notes),
        counted=counted,
    )


def sparkline(counts: Sequence[int]) -> str:
    """Draw counts as bars one line high, at most 20 of them.

    Examples
    --------
    >>> sparkline([1, 4, 8, 2])
    '▁▄█▂'
    """
    step = -(-len(counts) // MOST_BARS)
    merged = [sum(counts[start : start + step]) for start in range(0, len(counts), step)]
    top = max(merged)
    return "".join(BARS[-(-8 * count // top)] for count in merged)


def _normality(values: FloatArray) -> tuple[float, str, float, float]:
    """Return the skewness, and a test of normality with its statistic and p-value."""
    from scipy import stats

    # Shifting and scaling changes nothing but keeps the routines away from differences of very small size.
    standard = (values - values.mean()) / values.std()
    skewness = float(stats.skew(standard))
    if values.size <= MOST_FOR_SHAPIRO:
        result = stats.shapiro(standard)
        return skewness, "Shapiro–Wilk", float(result.statistic), float(result.pvalue)
    outcome = stats.normaltest(standard)
    return skewness, "D'Agostino–Pearson", float(outcome.statistic), float(outcome.pvalue)


def _histograms(scores: PairedScores) -> dict[str, Histogram]:
    differences = scores.differences
    both = np.concatenate([scores.a, scores.b])
    edges = bin_edges(both)
    columns = {"a": (scores.a, edges), "b": (scores.b, edges), "difference": (differences, bin_edges(differences))}
    return {
        name: Histogram(tuple(bins.tolist()), tuple(np.histogram(values, bins=bins)[0].tolist()))
        for name, (values, bins) in columns.items()
    }
