"""From two lists of scores to a sentence: describe, choose a test, test, measure the effect, see the power."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assay import _check, _random
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedAnalysis:
    """Everything there is to say about two score lists; each part is a result of its own.

    Attributes
    ----------
    names : tuple of str
    n : int
        The number of evaluation units that were tested (lines, if the unit size is 1).
    unit_size, unit_statistic
        How lines became units.
    description : Description
    unit_sizes : UnitSizes
    recommendation : Recommendation
    significance : SignificanceTest
        Of the test that was asked for, or else of the first recommended one.
    effects : tuple of EffectSize
        Those that go with the test come first.
    curve : PowerCurve
    equivalence : Equivalence or None
        If a margin was given.
    flips : Flips or None
        If all scores are 0 or 1.
    notes : tuple of str
        What holds for the whole analysis.
    signature : str
    """

    names: tuple[str, str]
    n: int
    unit_size: int
    unit_statistic: str
    description: Description
    unit_sizes: UnitSizes
    recommendation: Recommendation
    significance: SignificanceTest
    effects: tuple[EffectSize, ...]
    curve: PowerCurve
    equivalence: Equivalence | None
    flips: Flips | None
    notes: tuple[str, ...]
    signature: str

    @property
    def sentence(self) -> str:
        """The finding in sentences that can be pasted into a paper."""
        return self.significance.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return every part as numbers, texts and lists; the main test's numbers also stand at the top."""
        result = self.significance.to_dict()
        top = ("sentence", "test", "estimand", "estimate", "confidence_interval", "statistic", "pvalue", "reject")
        return {
            **{name: result[name] for name in top},
            "names": list(self.names),
            "n": self.n,
            "unit_size": self.unit_size,
            "unit_statistic": self.unit_statistic,
            "description": self.description.to_dict(),
            "unit_sizes": self.unit_sizes.to_dict(),
            "recommendation": self.recommendation.to_dict(),
            "significance": result,
            "effects": [effect.to_dict() for effect in self.effects],
            "power_curve": self.curve.to_dict(),
            "equivalence": None if self.equivalence is None else self.equivalence.to_dict(),
            "flips": None if self.flips is None else self.flips.to_dict(),
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def __str__(self) -> str:
        parts = [self.sentence] if self.equivalence is None else [self.sentence, self.equivalence.sentence]
        return "\n".join([*parts, *self.notes, self.signature])


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
    shared: dict[str, Any] = {"test": chosen, "rng": seed, "workers": workers}
    tested: dict[str, Any] = {"alternative": alternative, "delta": delta, "progress": progress}
    judged: dict[str, Any] = {"normality_alpha": normality_alpha}
    significance = significance_test(units, alpha=alpha, n_resamples=n_resamples, **shared, **tested, **judged)
    measured = effect_sizes(units, effects=effects, alpha=effect_alpha, rng=seed, **judged)
    curve = power_curve(
        units,
        method=power_method,
        effect=effect,
        sizes=sizes,
        n_simulations=n_simulations,
        alpha=power_alpha,
        **shared,
        **tested,
        **judged,
    )
    equivalence = None
    if margin is not None:
        equivalence = equivalence_test(units, margin=margin, alpha=alpha, n_resamples=n_resamples, **shared)
    flips = count_flips(units, alternative=alternative, alpha=alpha) if units.right_or_wrong else None
    parameters = {
        "unit_size": unit_size, "test": chosen, "alternative": alternative, "delta": float(delta), "alpha": alpha
    }  # fmt: skip
    why = () if test is not None else (f"The {TESTS[chosen].label} was chosen. {recommendation.reason}",)
    return PairedAnalysis(
        names=units.names,
        n=units.n,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        description=description,
        unit_sizes=unit_sizes(scores, tolerance=tolerance, statistic=unit_statistic),
        recommendation=recommendation,
        significance=significance,
        effects=tuple(sorted(measured, key=lambda size: chosen not in size.tests)),
        curve=curve,
        equivalence=equivalence,
        flips=flips,
        notes=tuple(dict.fromkeys((*significance.notes, *why, *recommendation.notes))),
        signature=Provenance("analyse", parameters, _random.entropy_of(seed), scores.digest).signature,
    )
