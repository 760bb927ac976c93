"""From two lists of scores to a sentence: describe, choose a test, test, measure the effect, see the power.

The results of these steps are made of other results.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from howsure import _matrices, _random
from howsure.documents import Aside, Block, Caution, Document, Heading, Sentence, details
from howsure.inference.estimate import ConfidenceInterval
from howsure.nulls import SCORE_TESTS
from howsure.paired.description import Description, describe
from howsure.paired.effects import EFFECTS, EffectSize, effect_blocks, effect_sentence, effect_sizes
from howsure.paired.equivalence import Equivalence, run_equivalence
from howsure.paired.power_curves import PowerCurve, run_power_curve
from howsure.paired.recommendation import Recommendation, recommend
from howsure.paired.score_lists import PairedScores
from howsure.paired.score_options import AnalysisSettings, TestSettings, checked_sizes
from howsure.paired.significance import Flips, SignificanceTest, count_flips, run_test
from howsure.paired.units import UnitSizes, to_units, unit_sizes
from howsure.provenance import Provenance
from howsure.records import Record, Signed

SIGNED = """
    unit_size unit_statistic shuffle tolerance normality_alpha test alternative delta alpha n_resamples margin
    effect_size effect_alpha power_method power_alpha effect sizes n_simulations
"""
"""The settings in the signature of an analysis, in the order of its steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview(Signed):
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

    def document(self) -> Document:
        """Return summaries, unit sizes and the three lists of tests."""
        about, notes = self.description.document(), self.description.notes
        blocks: list[Block] = [*about.blocks, *details([Sentence(self.unit_sizes.sentence)])]
        if self.recommendation is not None:
            blocks = [Sentence(self.recommendation.sentence, "verdict"), *blocks]
            blocks += details([Heading("Which test"), *self.recommendation.document().blocks[1:]])
            notes += self.recommendation.notes
        return Document(about.title, tuple(blocks), notes, self.signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects(Signed):
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

    def document(self) -> Document:
        """Return a table of the effect sizes."""
        a, b = self.names
        notes = dict.fromkeys(note for size in self.effects for note in size.notes)
        verdict = Sentence(effect_sentence(self.effects[0], self.names), "verdict")
        signs = Sentence(f"Positive values mean that {a} scores higher than {b}.")
        blocks = (verdict, *effect_blocks(self.effects), signs)
        return Document(f"How large is the difference {a} − {b}?", blocks, tuple(notes), self.signature)


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
        "sentence",
        "test",
        "n",
        "estimand",
        "estimate",
        "confidence_interval",
        "statistic",
        "pvalue",
        "reject",
        "signature",
    )

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
        about = self.significance.document()
        verdict, numbers = about.blocks
        within = () if self.equivalence is None else self.equivalence.document().blocks
        answers = () if self.flips is None else details(self.flips.document().blocks)
        notes = [*self.notes, *about.notes, *(() if self.equivalence is None else self.equivalence.notes)]
        blocks = (verdict, *within, numbers, *answers)
        return Document(about.title, blocks, tuple(dict.fromkeys(notes)), self.signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedAnalysis(Finding):
    """Everything there is to say about two score lists; each part is a result of its own.

    Attributes
    ----------
    names : tuple of str
    unit_size, unit_statistic
        How segments became units.
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
        """Return everything, from description to power: the finding, the scores and the choice of the test first."""
        verdict, numbers = self.significance.document().blocks
        blocks: list[Block] = [verdict, *(() if self.equivalence is None else self.equivalence.document().blocks)]
        blocks.append(Sentence(self.recommendation.sentence))
        answers = () if self.flips is None else self.flips.document().blocks
        scores, *about = self.description.document().blocks
        power = [
            replace(block, role="") if isinstance(block, Sentence) else block for block in self.curve.document().blocks
        ]
        blocks += [*details([Heading("The scores")]), scores, *about, *details([Sentence(self.unit_sizes.sentence)])]
        blocks += details([Heading("Which test"), *self.recommendation.document().blocks[1:]])
        blocks += details([Heading("The test"), numbers, *answers])
        of_effects = dict.fromkeys(note for size in self.effects for note in size.notes)
        cautions = [Sentence(note) for note in of_effects if isinstance(note, Caution)]
        blocks += details([Heading("Effect size"), *cautions, *effect_blocks(self.effects)])
        blocks += details([Heading("Power"), *power])
        first = [self.description.notes, () if self.equivalence is None else self.equivalence.notes]
        notes = [*self.notes, *(note for part in first for note in part)]
        notes += [Aside(note) for note in of_effects if not isinstance(note, Caution)]
        notes += [Aside(note) for note in self.curve.notes]
        return Document(" vs ".join(self.names), tuple(blocks), tuple(dict.fromkeys(notes)), self.signature)


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
    settings = TestSettings(
        test=test,
        alternative=alternative,
        delta=delta,
        alpha=alpha,
        n_resamples=n_resamples,
        margin=margin,
        normality_alpha=normality_alpha,
    )
    _random.n_workers(workers)
    return run_finding(scores, settings, kind, rng, progress)


@_matrices.on_one_thread
def run_finding(
    scores: PairedScores,
    settings: TestSettings,
    kind: str,
    rng: _random.Rng,
    progress: Callable[[int], object] | None = None,
) -> Finding:
    """Run the test of the settings or the recommended one, and what belongs to it."""
    seed = _random.replayable(rng)
    why: tuple[str, ...] = ()
    name = settings.test
    if name is None:
        advice = recommend(scores, describe(scores, alpha=settings.normality_alpha))
        name, why = advice.test, (f"{advice.sentence} Change it with `test`.",)
    test, within, flips = SCORE_TESTS[name], None, None
    found = run_test(scores, test, settings, seed, progress)
    if settings.margin is not None:
        within = run_equivalence(scores, test, settings, kind, seed)
    if scores.right_or_wrong:
        flips = count_flips(scores, alternative=settings.alternative, alpha=settings.alpha)
    return Finding(significance=found, equivalence=within, flips=flips, notes=why)


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
    settings = AnalysisSettings(
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        shuffle=shuffle,
        tolerance=tolerance,
        normality_alpha=normality_alpha,
        test=test,
        alternative=alternative,
        delta=delta,
        alpha=alpha,
        n_resamples=n_resamples,
        margin=margin,
        effect_size=tuple(effect_size),
        effect_alpha=effect_alpha,
        power_method=power_method,
        power_alpha=power_alpha,
        effect=effect,
        n_simulations=n_simulations,
        **checked_sizes(sizes),
    )
    return run_analysis(scores, settings, rng, workers=workers, progress=progress)


@_matrices.on_one_thread
def run_analysis(
    scores: PairedScores,
    settings: AnalysisSettings,
    rng: _random.Rng,
    *,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> PairedAnalysis:
    """Describe, recommend, test, measure and simulate, each step with its part of the settings."""
    seed = _random.replayable(rng)
    units = to_units(scores, size=settings.unit_size, statistic=settings.unit_statistic, shuffle=settings.shuffle)
    normality = settings.normality_alpha
    description = describe(units, alpha=normality)
    recommendation = recommend(units, description)
    test = SCORE_TESTS[settings.test or recommendation.test]
    finding = run_finding(units, replace(settings, test=test.score_name), "equivalence", seed, progress)
    measured = effect_sizes(
        units, effect_size=settings.effect_size, alpha=settings.effect_alpha, normality_alpha=normality, rng=seed
    )
    curve = run_power_curve(units, test, settings.power, seed, workers=workers, progress=progress)
    parameters = {name: getattr(settings, name) for name in SIGNED.split()} | {
        "test": test.score_name,
        "effect_size": ",".join(settings.effect_size),
        "sizes": ",".join(map(str, curve.sizes)),
        "n_simulations": curve.n_simulations,
    }
    return PairedAnalysis(
        names=units.names,
        unit_size=settings.unit_size,
        unit_statistic=settings.unit_statistic,
        description=description,
        unit_sizes=unit_sizes(scores, tolerance=settings.tolerance, statistic=settings.unit_statistic),
        recommendation=recommendation,
        significance=finding.significance,
        equivalence=finding.equivalence,
        flips=finding.flips,
        effects=tuple(sorted(measured, key=lambda size: test.score_name not in size.tests)),
        curve=curve,
        notes=(*finding.significance.notes, *recommendation.notes),
        provenance=Provenance("scores analyse", parameters, _random.entropy_of(seed), scores.digest),
    )
