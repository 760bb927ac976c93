"""From two lists of scores to a sentence: describe, choose a test, test, measure the effect, see the power."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from assay import _check, _random
from assay.documents import Document
from assay.inference.intervals import ConfidenceInterval
from assay.paired.catalogue import TESTS
from assay.paired.curves import PowerCurve, power_curve
from assay.paired.description import Description, describe
from assay.paired.effects import EFFECTS, EffectSize, effect_sizes
from assay.paired.equivalence import Equivalence, equivalence_test
from assay.paired.flips import Flips, count_flips
from assay.paired.recommendation import Recommendation, recommend
from assay.paired.scores import PairedScores
from assay.paired.significance import SignificanceTest, significance_test
from assay.paired.units import UnitSizes, to_units, unit_sizes
from assay.provenance import Provenance
from assay.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview(Record):
    """What the scores look like and which tests fit.

    Attributes
    ----------
    description : Description
    unit_sizes : UnitSizes
    recommendation : Recommendation or None
        None where nothing varies.
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    description: Description
    unit_sizes: UnitSizes
    recommendation: Recommendation | None
    provenance: Provenance

    @property
    def signature(self) -> str:
        """The one line that says where the result comes from."""
        return self.provenance.signature

    def document(self) -> Document:
        """Return summaries, unit sizes and the three lists of tests."""
        from assay.paired import documents

        return documents.overview(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects(Record):
    """Several effect sizes of the same scores.

    Attributes
    ----------
    names : tuple of str
    n : int
    effects : tuple of EffectSize
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    names: tuple[str, str]
    n: int
    effects: tuple[EffectSize, ...]
    provenance: Provenance

    @property
    def signature(self) -> str:
        """The one line that says where the result comes from."""
        return self.provenance.signature

    def document(self) -> Document:
        """Return a table of the effect sizes."""
        from assay.paired import documents

        return documents.effects(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Record):
    """A test, and what belongs to it.

    Attributes
    ----------
    significance : SignificanceTest
    equivalence : Equivalence or None
        If a margin was given.
    flips : Flips or None
        If all scores are 0 or 1.
    notes : tuple of str
        Why the test was chosen, if it was not asked for.
    """

    derived: ClassVar[tuple[str, ...]] = (
        "sentence", "test", "n", "estimand", "estimate", "confidence_interval", "statistic", "pvalue", "reject",
        "signature",
    )  # fmt: skip

    significance: SignificanceTest
    equivalence: Equivalence | None
    flips: Flips | None
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The finding in sentences that can be pasted into a paper."""
        parts = [part.sentence for part in (self.significance, self.equivalence) if part is not None]
        return " ".join(parts)

    @property
    def test(self) -> str:
        """The name of the test."""
        return self.significance.test

    @property
    def n(self) -> int:
        """The number of differences."""
        return self.significance.n

    @property
    def estimand(self) -> str:
        """What is estimated."""
        return self.significance.estimand

    @property
    def estimate(self) -> float:
        """The difference; positive if the first system is higher."""
        return self.significance.estimate

    @property
    def confidence_interval(self) -> ConfidenceInterval:
        """The interval of the difference."""
        return self.significance.confidence_interval

    @property
    def statistic(self) -> float:
        """The statistic of the test."""
        return self.significance.statistic

    @property
    def pvalue(self) -> float:
        """The p-value."""
        return self.significance.pvalue

    @property
    def reject(self) -> bool:
        """Whether the test found a difference."""
        return self.significance.reject

    @property
    def signature(self) -> str:
        """The one line that says where the result comes from."""
        within, provenance = self.equivalence, self.significance.provenance
        if within is None:
            return provenance.signature
        return provenance.changed(margin=within.margin, kind=within.kind, margin_test=within.test).signature

    def document(self) -> Document:
        """Return the finding and its numbers."""
        from assay.paired import documents

        return documents.finding(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedAnalysis(Finding):
    """Everything there is to say about two score lists; each part is a result of its own.

    Attributes
    ----------
    names : tuple of str
    unit_size, unit_statistic
        How lines became units.
    description : Description
    unit_sizes : UnitSizes
    recommendation : Recommendation
    significance : SignificanceTest
        Of the test that was asked for, or else of the first recommended one.
    equivalence : Equivalence or None
        If a margin was given.
    flips : Flips or None
        If all scores are 0 or 1.
    effects : tuple of EffectSize
        Those that go with the test come first.
    curve : PowerCurve
    notes : tuple of str
        What holds for the whole analysis.
    provenance : Provenance
    """

    names: tuple[str, str]
    unit_size: int
    unit_statistic: str
    description: Description
    unit_sizes: UnitSizes
    recommendation: Recommendation
    effects: tuple[EffectSize, ...]
    curve: PowerCurve
    provenance: Provenance

    @property
    def signature(self) -> str:
        """The one line that says where the analysis comes from."""
        return self.provenance.signature

    def document(self) -> Document:
        """Return everything, from description to power."""
        from assay.paired import documents

        return documents.analysis(self)


def overview(
    scores: PairedScores,
    *,
    unit_size: int = 1,
    unit_statistic: str = "mean",
    shuffle: int | None = None,
    tolerance: float = 0.01,
    normality_alpha: float = 0.05,
) -> Overview:
    """Describe two lists of scores, and say which unit sizes and which tests fit; parameters as in `analyse`.

    Examples
    --------
    >>> scores = PairedScores.from_arrays([0.4, 0.6, 0.1, 0.7], [0.3, 0.6, 0.3, 0.4])
    >>> overview(scores).recommendation.test
    't'
    """
    units = to_units(scores, size=unit_size, statistic=unit_statistic, shuffle=shuffle)
    found = describe(units, alpha=normality_alpha)
    parameters = {
        "unit_size": unit_size,
        "unit_statistic": unit_statistic,
        "shuffle": shuffle,
        "tolerance": float(tolerance),
        "normality_alpha": float(normality_alpha),
    }
    return Overview(
        description=found,
        unit_sizes=unit_sizes(scores, tolerance=tolerance, statistic=unit_statistic),
        recommendation=None if units.constant is not None else recommend(units, found),
        provenance=Provenance("overview", parameters, None, scores.digest),
    )


def measure(
    scores: PairedScores,
    *,
    effects: Sequence[str] = EFFECTS,
    alpha: float = 0.05,
    normality_alpha: float = 0.05,
    rng: _random.Rng = None,
) -> Effects:
    """Measure several effect sizes at once; parameters as in `effect_sizes`.

    Examples
    --------
    >>> scores = PairedScores.from_arrays([0.4, 0.6, 0.1, 0.7], [0.3, 0.6, 0.3, 0.4])
    >>> measure(scores, effects=["hodges-lehmann"]).effects[0].estimate.__round__(3)
    0.05
    """
    seed = _random.replayable(rng)
    parameters = {
        "effects": ",".join(effects),
        "alpha": float(alpha),
        "unit_size": scores.unit_size,
        "normality_alpha": float(normality_alpha),
    }
    return Effects(
        names=scores.names,
        n=scores.n,
        effects=effect_sizes(scores, effects=effects, alpha=alpha, normality_alpha=normality_alpha, rng=seed),
        provenance=Provenance("measure", parameters, _random.entropy_of(seed), scores.digest),
    )


def find(
    scores: PairedScores,
    *,
    test: str | None = None,
    alternative: str = "two-sided",
    delta: float = 0.0,
    alpha: float = 0.05,
    n_resamples: int = 9999,
    margin: float | None = None,
    kind: str = "equivalence",
    normality_alpha: float = 0.05,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Finding:
    """Run a test (the recommended one if none is named), and with a margin also the test of equivalence.

    Parameters as in `significance_test` and `equivalence_test`.

    Examples
    --------
    >>> scores = PairedScores.from_arrays([0.4, 0.6, 0.1, 0.7], [0.3, 0.6, 0.3, 0.4])
    >>> find(scores, rng=1).sentence[:35]
    'No clear difference between A and B'
    """
    seed = _random.replayable(rng)
    why: tuple[str, ...] = ()
    if test is None:
        advice = recommend(scores, describe(scores, alpha=normality_alpha))
        test, why = advice.test, (_why(advice),)
    shared: dict[str, Any] = {
        "test": test, "alpha": alpha, "n_resamples": n_resamples, "rng": seed, "workers": workers
    }  # fmt: skip
    found = significance_test(
        scores,
        alternative=alternative,
        delta=delta,
        normality_alpha=normality_alpha,
        progress=progress,
        **shared,
    )
    return Finding(
        significance=found,
        equivalence=None if margin is None else equivalence_test(scores, margin=margin, kind=kind, **shared),
        flips=count_flips(scores, alternative=alternative, alpha=alpha) if scores.right_or_wrong else None,
        notes=why,
    )


def analyse(
    scores: PairedScores,
    *,
    unit_size: int = 1,
    unit_statistic: str = "mean",
    shuffle: int | None = None,
    tolerance: float = 0.01,
    normality_alpha: float = 0.05,
    test: str | None = None,
    alternative: str = "two-sided",
    delta: float = 0.0,
    alpha: float = 0.05,
    n_resamples: int = 9999,
    margin: float | None = None,
    effects: Sequence[str] = EFFECTS,
    effect_alpha: float = 0.05,
    power_method: str = "bootstrap",
    power_alpha: float = 0.05,
    effect: float | None = None,
    sizes: int | Sequence[int] = 5,
    n_simulations: int | None = None,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> PairedAnalysis:
    """Lead two lists of scores from description to finding.

    Parameters
    ----------
    scores : PairedScores
    unit_size, unit_statistic, shuffle
        Evaluation units; see `to_units`.
    tolerance : float
        For the unit sizes at which the standard deviation settles.
    normality_alpha : float
        Level of the normality test.
    test : str, optional
        The test to run; the first recommended one if left out.
    alternative, delta, alpha, n_resamples
        See `significance_test`.
    margin : float, optional
        The smallest difference that matters; adds an equivalence test.
    effects, effect_alpha
        Which effect sizes; their intervals have level 1 − effect_alpha.
    power_method, power_alpha, effect, sizes, n_simulations
        See `power_curve`; `power_alpha` is the level of the simulated tests.
    rng, workers, progress
        As everywhere; `progress` is told the number of finished resamples and simulated studies.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(3)
    >>> b = rng.normal(0.5, 0.1, 200)
    >>> analysis = analyse(PairedScores.from_arrays(b + rng.normal(0.02, 0.05, 200), b), rng=1)
    >>> analysis.sentence[:51]
    'A scores higher than B (mean difference 0.02098, 95'
    """
    seed = _random.replayable(rng)
    if test is not None:
        _check.one_of("test", test, TESTS)
    units = to_units(scores, size=unit_size, statistic=unit_statistic, shuffle=shuffle)
    description = describe(units, alpha=normality_alpha)
    recommendation = recommend(units, description)
    chosen = test or recommendation.test
    shared: dict[str, Any] = {"rng": seed, "workers": workers, "normality_alpha": normality_alpha}
    tested: dict[str, Any] = {"test": chosen, "alternative": alternative, "delta": delta, "progress": progress}
    finding = find(units, alpha=alpha, n_resamples=n_resamples, margin=margin, **tested, **shared)
    measured = effect_sizes(units, effects=effects, alpha=effect_alpha, normality_alpha=normality_alpha, rng=seed)
    curve = power_curve(
        units,
        method=power_method,
        effect=effect,
        sizes=sizes,
        n_simulations=n_simulations,
        alpha=power_alpha,
        **tested,
        **shared,
    )
    parameters = {
        "unit_size": unit_size,
        "unit_statistic": unit_statistic,
        "shuffle": shuffle,
        "tolerance": float(tolerance),
        "normality_alpha": float(normality_alpha),
        "test": chosen,
        "alternative": alternative,
        "delta": float(delta),
        "alpha": float(alpha),
        "n_resamples": n_resamples,
        "margin": margin,
        "effects": ",".join(effects),
        "effect_alpha": float(effect_alpha),
        "power_method": power_method,
        "power_alpha": float(power_alpha),
        "effect": effect,
        "sizes": ",".join(map(str, curve.sizes)),
        "n_simulations": curve.n_simulations,
    }
    return PairedAnalysis(
        names=units.names,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        description=description,
        unit_sizes=unit_sizes(scores, tolerance=tolerance, statistic=unit_statistic),
        recommendation=recommendation,
        significance=finding.significance,
        equivalence=finding.equivalence,
        flips=finding.flips,
        effects=tuple(sorted(measured, key=lambda size: chosen not in size.tests)),
        curve=curve,
        notes=(
            *(() if test is not None else (_why(recommendation),)),
            *finding.significance.notes,
            *recommendation.notes,
        ),
        provenance=Provenance("analyse", parameters, _random.entropy_of(seed), scores.digest),
    )


def _why(advice: Recommendation) -> str:
    return f"The {TESTS[advice.test].label} was chosen. {advice.reason}"
