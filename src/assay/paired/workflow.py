"""From two lists of scores to a sentence: describe, choose a test, test, measure the effect, see the power."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assay import _check, _random
from assay.paired.curves import PowerCurve, power_curve
from assay.paired.description import Description, describe
from assay.paired.effects import EffectSize, effect_sizes
from assay.paired.equivalence import Equivalence, equivalence_test
from assay.paired.flips import Flips, count_flips
from assay.paired.recommendation import Recommendation, recommend
from assay.paired.scores import PairedScores
from assay.paired.significance import TESTS, SignificanceTest, significance_test
from assay.paired.units import UnitSizes, to_units, unit_sizes
from assay.provenance import Provenance


@dataclass(frozen=True, slots=True)
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
    def difference(self) -> tuple[str, float, tuple[float, float]]:
        """What differs, by how much, and its interval.

        The median of right-or-wrong scores is nearly always 0, so with a sign test on these it is the accuracy.
        """
        result = self.significance
        if self.flips is not None and result.test == "sign" and result.alternative == "two-sided":
            return "accuracy difference", self.flips.difference, self.flips.confidence_interval
        return TESTS[result.test].estimand, result.estimate, result.confidence_interval

    @property
    def sentence(self) -> str:
        """The finding in one sentence that can be pasted into a paper."""
        result, test = self.significance, TESTS[self.significance.test]
        a, b = self.names
        what, estimate, (low, high) = self.difference
        units = "" if self.unit_size == 1 else f" units of {self.unit_size} lines"
        if result.n_clusters is not None:
            units = f" in {result.n_clusters:,} clusters"
        numbers = (
            f"{what} {estimate:.4g}, {100 * result.confidence_level:g} % confidence interval "
            f"{low:.4g} to {high:.4g}, {result.p_text}, {test.label}, n = {self.n:,}{units}"
        )
        if not result.reject:
            return f"No difference between {a} and {b} was established ({numbers})."
        if result.delta:
            claim = {"two-sided": "different from", "greater": "greater than", "less": "less than"}[result.alternative]
            return f"The difference between {a} and {b} is {claim} {result.delta:g} ({numbers})."
        return f"{a} scores {'higher' if estimate > 0 else 'lower'} than {b} ({numbers})."

    def to_dict(self) -> dict[str, Any]:
        """Return every part as numbers, texts and lists; the main test's numbers also stand at the top."""
        result = self.significance
        estimand, estimate, interval = self.difference
        return {
            "sentence": self.sentence,
            "names": list(self.names),
            "n": self.n,
            "test": result.test,
            "estimand": estimand,
            "estimate": estimate,
            "confidence_interval": list(interval),
            "statistic": result.statistic,
            "pvalue": result.pvalue,
            "reject": result.reject,
            "unit_size": self.unit_size,
            "unit_statistic": self.unit_statistic,
            "description": self.description.to_dict(),
            "unit_sizes": self.unit_sizes.to_dict(),
            "recommendation": self.recommendation.to_dict(),
            "significance": result.to_dict(),
            "effects": [effect.to_dict() for effect in self.effects],
            "power_curve": self.curve.to_dict(),
            "equivalence": None if self.equivalence is None else self.equivalence.to_dict(),
            "flips": None if self.flips is None else self.flips.to_dict(),
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def __str__(self) -> str:
        return "\n".join([self.sentence, *self.notes, self.signature])


def analyse(
    scores: PairedScores,
    *,
    unit_size: int = 1,
    unit_statistic: str = "mean",
    shuffle: int | None = None,
    tolerance: float = 0.01,
    test: str | None = None,
    alternative: str = "two-sided",
    delta: float = 0.0,
    alpha: float = 0.05,
    n_resamples: int = 9999,
    margin: float | None = None,
    power_method: str = "bootstrap",
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
    test : str, optional
        The test to run; the first recommended one if left out.
    alternative, delta, alpha, n_resamples
        See `significance_test`.
    margin : float, optional
        The smallest difference that matters; adds an equivalence test.
    power_method, effect, sizes, n_simulations
        See `power_curve`.
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
    description = describe(units, alpha=alpha)
    recommendation = recommend(units, description)
    chosen = test or recommendation.test
    shared: dict[str, Any] = {"test": chosen, "alpha": alpha, "rng": seed, "workers": workers}
    significance = significance_test(
        units, alternative=alternative, delta=delta, n_resamples=n_resamples, progress=progress, **shared
    )
    curve = power_curve(
        units, method=power_method, effect=effect, sizes=sizes, n_simulations=n_simulations, alternative=alternative,
        delta=delta, progress=progress, **shared,
    )  # fmt: skip
    equivalence = None if margin is None else equivalence_test(units, margin=margin, n_resamples=n_resamples, **shared)
    flips = None
    if units.binary and units.clusters is None:
        flips = count_flips(units, alternative=alternative, alpha=alpha)
    parameters = {
        "unit_size": unit_size, "test": chosen, "alternative": alternative, "delta": float(delta), "alpha": alpha
    }  # fmt: skip
    signature = Provenance("analyse", parameters, _random.entropy_of(seed), scores.digest).signature
    return PairedAnalysis(
        units.names, units.n, unit_size, unit_statistic, description,
        unit_sizes(scores, tolerance=tolerance, statistic=unit_statistic), recommendation, significance,
        effect_sizes(units, alpha=alpha, rng=seed), curve, equivalence, flips,
        _notes(units, recommendation, chosen, test is not None, unit_size), signature,
    )  # fmt: skip


def _notes(
    units: PairedScores, recommendation: Recommendation, chosen: str, asked: bool, unit_size: int
) -> tuple[str, ...]:
    notes = list(units.notes)
    notes.extend(
        f"The {TESTS[chosen].label} is in the list of inappropriate tests here: {choice.reason}"
        for choice in recommendation.inappropriate
        if choice.test == chosen
    )
    if not asked:
        notes.append(f"The {TESTS[chosen].label} was chosen because: {recommendation.reason}")
    if unit_size > 1:
        notes.append(f"Standardised effects grow with the unit size; they are those of units of {unit_size} lines.")
    return (*notes, *recommendation.notes)
