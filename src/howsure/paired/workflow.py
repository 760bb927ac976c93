"""From two lists of scores to a sentence: describe, choose a test, test, measure the effect, see the power."""

from collections.abc import Callable, Sequence
from typing import Any

from howsure import _check, _matrices, _random
from howsure.paired.curves import power_curve
from howsure.paired.description import describe
from howsure.paired.effects import EFFECTS, effect_sizes
from howsure.paired.equivalence import equivalence_test
from howsure.paired.findings import Effects, Finding, Overview, PairedAnalysis
from howsure.paired.flips import count_flips
from howsure.paired.recommendation import TESTS, Recommendation, recommend
from howsure.paired.score_lists import PairedScores
from howsure.paired.significance import significance_test
from howsure.paired.units import to_units, unit_sizes
from howsure.provenance import Provenance


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
        provenance=Provenance("scores describe", parameters, None, scores.digest),
    )


@_matrices.on_one_thread
def measure(
    scores: PairedScores,
    *,
    effect_size: Sequence[str] = EFFECTS,
    alpha: float = 0.05,
    normality_alpha: float = 0.05,
    rng: _random.Rng = None,
) -> Effects:
    """Measure several effect sizes at once; parameters as in `effect_sizes`.

    Examples
    --------
    >>> scores = PairedScores.from_arrays([0.4, 0.6, 0.1, 0.7], [0.3, 0.6, 0.3, 0.4])
    >>> measure(scores, effect_size=["hodges-lehmann"]).effects[0].estimate.__round__(3)
    0.05
    """
    seed = _random.replayable(rng)
    parameters = {
        "effect_size": ",".join(effect_size),
        "alpha": float(alpha),
        "unit_size": scores.unit_size,
        "normality_alpha": float(normality_alpha),
    }
    return Effects(
        names=scores.names,
        n=scores.n,
        effects=effect_sizes(scores, effect_size=effect_size, alpha=alpha, normality_alpha=normality_alpha, rng=seed),
        provenance=Provenance("scores effect", parameters, _random.entropy_of(seed), scores.digest),
    )


@_matrices.on_one_thread
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
    shared: dict[str, Any] = {"test": test, "alpha": alpha, "n_resamples": n_resamples, "rng": seed, "workers": workers}
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


@_matrices.on_one_thread
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
    effect_size: Sequence[str] = EFFECTS,
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
        Significance level of the normality test.
    test : str, optional
        The test to run; the first recommended one by default.
    alternative, delta, alpha, n_resamples
        See `significance_test`.
    margin : float, optional
        The smallest difference that matters; adds an equivalence test.
    effect_size, effect_alpha
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
    >>> analysis.sentence[:56]
    'A scores higher than B: mean 0.5258 vs 0.5048, higher by'
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
    measured = effect_sizes(
        units, effect_size=effect_size, alpha=effect_alpha, normality_alpha=normality_alpha, rng=seed
    )
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
        "effect_size": ",".join(effect_size),
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
        notes=(*finding.significance.notes, *recommendation.notes),
        provenance=Provenance("scores analyse", parameters, _random.entropy_of(seed), scores.digest),
    )


def _why(advice: Recommendation) -> str:
    return f"{advice.sentence} Change it with `test`."
