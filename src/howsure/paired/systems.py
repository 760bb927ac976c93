"""More than two systems: every pair with Holm's correction, and Friedman's test over all of them."""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from howsure import _check, _matrices, _random
from howsure._frames import in_any_form
from howsure.documents import Aside, Block, Column, Document, Sentence, Table, details
from howsure.documents.numbers import in_words
from howsure.documents.numbers import pvalue as p_of
from howsure.errors import DataError
from howsure.inference.corrections import CORRECTIONS, adjust
from howsure.inference.estimate import ConfidenceInterval
from howsure.nulls import SCORE_TESTS, ItemTest
from howsure.paired.recommendation import UNFIT
from howsure.paired.score_lists import PairedScores, ScoreTable
from howsure.paired.score_options import TestSettings
from howsure.paired.significance import SignificanceTest, run_test
from howsure.provenance import Provenance
from howsure.records import Signed
from howsure.wording.estimates import cells, ci, ci_column
from howsure.wording.sentences import order_of


@dataclass(frozen=True, slots=True)
class Friedman:
    """Do all systems rank alike? Demšar (2006), section 3.2.

    Attributes
    ----------
    statistic : float
        Friedman's χ², with k − 1 degrees of freedom.
    f_statistic : float
        Iman and Davenport's F, with k − 1 and (k − 1)(n − 1) degrees of freedom; less conservative than χ².
    pvalue : float
        Of `f_statistic`.
    critical_difference : float
        Nemenyi: mean ranks further apart than this differ at level alpha, all pairs taken together.
    """

    statistic: float
    f_statistic: float
    pvalue: float
    critical_difference: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemsComparison(Signed):
    """All pairs of systems, their p-values adjusted together.

    Attributes
    ----------
    names : tuple of str
    n : int
    mean_scores, mean_ranks : tuple of float
        By system; rank 1 is the highest score, ties share their mean rank.
    pairs : tuple of SignificanceTest
    adjusted_pvalues : tuple of float
    confidence_intervals : tuple of ConfidenceInterval
        With Holm's correction they hold together: all of them cover with probability 1 − alpha (each is at level
        1 − alpha / pairs). Otherwise each stands alone.
    correction : str
    alpha : float
    friedman : Friedman or None
        None for two systems or scores in clusters.
    notes : tuple of str
        What holds for all pairs; each pair has its own.
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("sentences", "reject", "signature")

    names: tuple[str, ...]
    n: int
    mean_scores: tuple[float, ...]
    mean_ranks: tuple[float, ...]
    pairs: tuple[SignificanceTest, ...]
    adjusted_pvalues: tuple[float, ...]
    confidence_intervals: tuple[ConfidenceInterval, ...]
    correction: str
    alpha: float
    friedman: Friedman | None
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def reject(self) -> tuple[bool, ...]:
        """Whether each pair differs, given that all pairs were looked at."""
        return tuple(pvalue <= self.alpha for pvalue in self.adjusted_pvalues)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The finding in words."""
        best = [name for name, rank in zip(self.names, self.mean_ranks, strict=True) if rank == min(self.mean_ranks)]
        found, n = sum(self.reject), len(self.pairs)
        pairs = f"{found:,} of {n:,} pairs" if found else "No pair" if n == 1 else f"None of the {n:,} pairs"
        if n == found == 1:
            pairs = "The pair"
        corrected = "" if self.correction == "none" or n == 1 else f" after correction ({self.correction})"
        said = (
            f"{pairs} {'differ' if found and n > 1 else 'differs'} significantly at {100 * self.alpha:g}%{corrected}. "
            f"Best mean rank of {len(self.names)} systems on {self.n:,} segments: {' and '.join(best)}."
        )
        if self.friedman is None:
            return (said,)
        overall = self.friedman
        return said, (
            f"Friedman test of all systems: χ² = {overall.statistic:.4g}, F = {overall.f_statistic:.4g}, "
            f"p {in_words(p_of(overall.pvalue))}. Mean ranks that are {overall.critical_difference:.3g} apart differ "
            "significantly (Nemenyi)."
        )

    def verdict(self, pair: SignificanceTest, reject: bool) -> str:
        """Return what may be said about a pair, given that all pairs were looked at."""
        if not reject:
            return "no clear difference"
        if pair.delta:
            return f"{'above' if pair.side > 0 else 'below'} {pair.delta:g}"
        return f"{pair.names[pair.side < 0]} higher"

    @in_any_form
    def to_frame(self) -> Any:
        """Return one row for each pair, as a Polars data frame."""
        import polars as pl

        return pl.DataFrame(
            {
                "a": [pair.names[0] for pair in self.pairs],
                "b": [pair.names[1] for pair in self.pairs],
                "estimate": [pair.estimate for pair in self.pairs],
                "low": [interval.low for interval in self.confidence_intervals],
                "high": [interval.high for interval in self.confidence_intervals],
                "pvalue": [pair.pvalue for pair in self.pairs],
                "adjusted_pvalue": list(self.adjusted_pvalues),
                "reject": list(self.reject),
            }
        )

    def document(self) -> Document:
        """Return every system and every pair of them."""
        means = tuple(zip(self.names, self.mean_scores, self.mean_ranks, strict=True))
        columns = (Column("system"), Column("mean score", "number"), Column("mean rank", "number"))
        rows = []
        pairs = zip(self.pairs, self.confidence_intervals, self.adjusted_pvalues, self.reject, strict=True)
        for pair, interval, adjusted, reject in pairs:
            order = 1 if pair.delta else order_of(pair.as_estimate)  # the higher one first, so that no sign is needed
            numbers = cells(order * pair.estimate, interval if order > 0 else interval.turned())
            names = " − ".join(pair.names[::order])
            rows.append((names, *numbers, pair.pvalue, adjusted, reject, self.verdict(pair, reject)))
        titles = (
            Column("pair"),
            Column(self.pairs[0].estimand, "number"),
            ci_column(1 - self.alpha),
            Column("p", "pvalue", detail=True),
            Column("adjusted p", "pvalue"),
            Column(f"p ≤ {self.alpha:g}"),
            Column("verdict", detail=True),
        )
        said, *overall = self.sentences
        blocks: list[Block] = [Sentence(said, "verdict"), Table(titles, tuple(rows))]
        blocks += details([*map(Sentence, overall), Table(columns, means)])
        return Document("Which systems differ?", tuple(blocks), self.notes, self.signature)


@_matrices.on_one_thread
def compare_systems(
    table: ScoreTable,
    *,
    test: str = "t",
    alternative: str = "two-sided",
    delta: float = 0.0,
    alpha: float = 0.05,
    correction: str = "holm",
    n_resamples: int = 9999,
    normality_alpha: float = 0.05,
    rng: _random.Rng = None,
    workers: int | None = None,
) -> SystemsComparison:
    """Test every pair of systems, and adjust the p-values for having looked at all of them.

    The first system of a pair is the one whose column comes first; `alternative` and `delta` are about the first minus
    the second. With Holm's correction the intervals hold together. Friedman's test is about ranks and always two-sided.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> table = ScoreTable(rng.normal([0, 0.1, 0.9], 1, (60, 3)), ("x", "y", "z"))
    >>> compare_systems(table, rng=1).reject
    (False, True, True)
    """
    settings = TestSettings(
        test=test,
        alternative=alternative,
        delta=delta,
        alpha=alpha,
        n_resamples=n_resamples,
        normality_alpha=normality_alpha,
    )
    _random.n_workers(workers)
    return run_systems(table, SCORE_TESTS[test], settings, correction, rng)


@_matrices.on_one_thread
def run_systems(
    table: ScoreTable, test: ItemTest, settings: TestSettings, correction: str, rng: _random.Rng
) -> SystemsComparison:
    """Test every pair of systems."""
    seed = _random.replayable(rng)
    _check.one_of("correction", correction, CORRECTIONS)
    if len(table.names) < 2:
        raise DataError("a comparison requires at least two systems.")
    alpha, delta = settings.alpha, settings.delta

    def ask(number: int, pair: PairedScores, level: float) -> SignificanceTest:
        own = _random.replayable(_random.child(seed, "pair", number))
        return run_test(pair, test, replace(settings, alpha=level), own)

    pairs = tuple(ask(number, pair, alpha) for number, pair in enumerate(table.pairs()))
    adjusted = tuple(adjust([pair.pvalue for pair in pairs], method=correction).tolist())
    intervals = [pair.confidence_interval for pair in pairs]
    if correction == "holm" and len(pairs) > 1:
        each = [ask(number, pair, alpha / len(pairs)) for number, pair in enumerate(table.pairs())]
        intervals = [pair.confidence_interval for pair in each]
    n, k = table.values.shape
    ranks, untied = _ranks(table)
    independent = k > 2 and n > 1 and table.clusters is None
    notes = _about_pairs(pairs)
    notes += _about_intervals(intervals, adjusted, correction, alpha, delta)
    parameters = {
        "test": test.score_name,
        "alternative": settings.alternative,
        "delta": delta,
        "alpha": alpha,
        "correction": correction,
        "unit_size": table.unit_size,
        "normality_alpha": settings.normality_alpha,
        "n_resamples": settings.n_resamples,
    }
    return SystemsComparison(
        names=table.names,
        n=n,
        mean_scores=tuple(table.values.mean(axis=0).tolist()),
        mean_ranks=tuple(ranks),
        pairs=pairs,
        adjusted_pvalues=adjusted,
        confidence_intervals=tuple(intervals),
        correction=correction,
        alpha=alpha,
        friedman=friedman(ranks, n, alpha=alpha, untied=untied) if independent else None,
        notes=tuple(notes),
        provenance=Provenance("scores test", parameters, _random.entropy_of(seed), table.digest),
    )


NAMED = 3
"""How many of the pairs that a caution is about are named; it counts the others."""


def _about_pairs(pairs: tuple[SignificanceTest, ...]) -> list[str]:
    """Return the notes that all pairs have, and the cautions about some of them, with their names."""
    about: dict[str, list[str]] = {}
    for pair in pairs:
        for note in dict.fromkeys(pair.notes):
            about.setdefault(note, []).append(" − ".join(pair.names))
    told = []
    for note, named in about.items():
        more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
        if len(named) == len(pairs):
            told.append(note)
        elif UNFIT in note:
            told.append(f"{', '.join(named[:NAMED])}{more}: {note}")
    return told


def _about_intervals(
    intervals: list[ConfidenceInterval], adjusted: tuple[float, ...], correction: str, alpha: float, delta: float
) -> list[str]:
    """Return what the intervals cover together, and where they and the adjusted p-values disagree."""
    if len(intervals) == 1:
        return []
    if correction != "holm":
        return ["The intervals are not adjusted for the number of pairs."]
    told: list[str] = [
        Aside(
            f"The {len(intervals)} intervals are simultaneous: all cover with probability {100 * (1 - alpha):g}% "
            f"(each is a {ci(round(intervals[0].confidence_level, 4))})."
        )
    ]
    if any((p <= alpha) == (delta in interval) for p, interval in zip(adjusted, intervals, strict=True)):
        told.append(
            "Holm's p-values are slightly more powerful than simultaneous intervals: a pair can differ significantly "
            f"although its interval includes {delta:g}. The verdict follows the p-value."
        )
    return told


def friedman(mean_ranks: list[float], n: int, *, alpha: float = 0.05, untied: float = 1.0) -> Friedman:
    """Compare systems by their mean ranks over `n` segments.

    `untied` is the variance of the ranks as a share of what it would be without ties; the statistic is divided by it.

    Examples
    --------
    >>> result = friedman([3.143, 2.000, 2.893, 1.964], 14)
    >>> round(result.statistic, 2), round(result.f_statistic, 2), round(result.critical_difference, 2)
    (9.28, 3.69, 1.25)
    """
    from scipy.special import fdtrc
    from scipy.stats import studentized_range

    k = len(mean_ranks)
    squares = sum(rank**2 for rank in mean_ranks)
    if untied <= 0:  # every line is one big tie
        return Friedman(math.nan, math.nan, 1.0, math.nan)
    statistic = 12 * n / (k * (k + 1)) * (squares - k * (k + 1) ** 2 / 4) / untied
    rest = n * (k - 1) - statistic
    f = (n - 1) * statistic / rest if rest > 0 else math.inf
    pvalue = float(fdtrc(k - 1, (k - 1) * (n - 1), max(f, 0.0))) if math.isfinite(f) else 0.0
    quantile = float(studentized_range.ppf(1 - _check.fraction("alpha", alpha), k, math.inf)) / math.sqrt(2)
    return Friedman(statistic, f, pvalue, quantile * math.sqrt(k * (k + 1) / (6 * n)))


def _ranks(table: ScoreTable) -> tuple[list[float], float]:
    """Return the mean rank of each system (1 for the highest, ties sharing their mean rank), and `untied`."""
    values = table.values
    n, k = values.shape
    higher, equal = np.zeros((n, k)), np.zeros((n, k))
    for other in range(k):  # one column at a time: memory stays that of the table
        higher += values[:, [other]] > values
        equal += values[:, [other]] == values
    ranks = higher + (equal + 1) / 2
    untied = 1 - float((equal**2 - 1).sum()) / (n * (k**3 - k))
    return ranks.mean(axis=0).tolist(), untied
