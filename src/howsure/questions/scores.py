"""Questions about two (or more) lists of scores, from the file to a sentence."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure._fields import like, option
from howsure.errors import ArgumentError
from howsure.paired.limits import MOST_RESAMPLES
from howsure.questions.base import HERE, Question, Run, Written, seed_option
from howsure.questions.score_fields import (
    EffectFields,
    HypothesisFields,
    NormalityFields,
    PowerFields,
    ScoreFile,
    SettlingFields,
    TestFields,
    UnitFields,
)

if TYPE_CHECKING:
    from howsure.paired import Effects, Finding, Glossary, Overview, PairedAnalysis, PairedScores, PowerCurve, PowerPlan
    from howsure.paired.systems import SystemsComparison


@dataclass(frozen=True, kw_only=True)
class _Units(ScoreFile, UnitFields, Question):
    """What questions about units of a file share."""

    def units(self) -> "PairedScores":
        """Read the scores and make evaluation units of them."""
        from howsure.paired import to_units

        return to_units(self.segments(), size=self.unit_size, statistic=self.unit_statistic, shuffle=self.shuffle)

    def _refuse_idle_statistic(self) -> None:
        if self.unit_size == 1 and self.unit_statistic != "mean":
            raise ArgumentError("`unit_statistic` changes nothing on single segments; give a `unit_size` above 1.")


@dataclass(frozen=True, kw_only=True)
class ScoresDescribe(SettlingFields, NormalityFields, _Units):
    """Summarise scores and differences, and recommend a test."""

    name: ClassVar[str] = "scores describe"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure scores describe scores.txt",
        "howsure scores describe scores.txt --unit-size 5 --units units.txt",
    )
    written: ClassVar[Written] = Written(
        "units", "Write the evaluation units to this file: .txt, .tsv or .csv.", (".txt", ".tsv", ".csv")
    )

    unit_size: int = like(UnitFields, "unit_size", common=True)

    def answer(self, run: Run = HERE) -> "Overview":
        """Read and describe."""
        from howsure.paired import overview

        return self.call(overview, self.segments())

    def write(self, result: Any, path: str) -> None:
        """Write the evaluation units."""
        from howsure.paired import write_scores

        write_scores(self.units(), path)


@dataclass(frozen=True, kw_only=True)
class ScoresTest(TestFields, HypothesisFields, NormalityFields, _Units):
    """Test whether two systems differ, or whether they are equivalent."""

    name: ClassVar[str] = "scores test"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure scores test scores.txt",
        "howsure scores test scores.txt --test wilcoxon --alternative greater",
    )

    noninferiority: bool = option(
        False, "With `margin`: test only whether the first system is not worse (non-inferiority)."
    )
    all_pairs: bool = option(False, "Compare every pair of three or more systems.", common=True)
    correction: str | None = option(
        None,
        "Correction of the p-values of all pairs. Default: holm.",
        choices="howsure.inference.corrections:CORRECTIONS",
    )
    seed: int = seed_option()

    def __post_init__(self) -> None:
        """Check each field, and refuse those that change nothing."""
        super().__post_init__()
        self._refuse_idle_statistic()
        if self.noninferiority and self.margin is None:
            raise ArgumentError("`noninferiority` needs `margin`, the loss that would still be acceptable.")
        if self.all_pairs and self.margin is not None:
            raise ArgumentError("`margin` is for two systems; it does not go with `all_pairs`.")
        if self.correction is not None and not self.all_pairs:
            raise ArgumentError("`correction` is for `all_pairs`; two systems have one p-value.")

    @property
    def result(self) -> str:
        """One test, or one of every pair."""
        return "SystemsComparison" if self.all_pairs else "Finding"

    def answer(self, run: Run = HERE) -> "Finding | SystemsComparison":
        """Read and test."""
        from howsure import paired

        if self.all_pairs:
            return self._every_pair(run)
        units = self.units()
        with run.progress("resampling", self.n_resamples) as advance:
            kind = "non-inferiority" if self.noninferiority else "equivalence"
            return self.call(paired.find, units, kind=kind, workers=run.workers, progress=advance)

    def _every_pair(self, run: Run) -> "SystemsComparison":
        from howsure import paired

        table = paired.read_table(self.file, columns=self.columns or None, cluster=self.cluster, encoding=self.encoding)
        units = paired.to_units(table, size=self.unit_size, statistic=self.unit_statistic, shuffle=self.shuffle)
        chosen = {"test": self.test or "t", "correction": self.correction or "holm"}
        return self.call(paired.compare_systems, units, **chosen, workers=run.workers)


@dataclass(frozen=True, kw_only=True)
class ScoresEffect(EffectFields, NormalityFields, _Units):
    """Estimate effect sizes with confidence intervals."""

    name: ClassVar[str] = "scores effect"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure scores effect scores.txt",
        "howsure scores effect scores.txt --effect-size hedges-g,hodges-lehmann",
    )

    seed: int = seed_option()

    def __post_init__(self) -> None:
        """Check each field, and refuse those that change nothing."""
        super().__post_init__()
        self._refuse_idle_statistic()

    def answer(self, run: Run = HERE) -> "Effects":
        """Read and measure."""
        from howsure import paired

        return self.call(paired.measure, self.units(), alpha=self.effect_alpha)


@dataclass(frozen=True, kw_only=True)
class ScoresPower(HypothesisFields, PowerFields, NormalityFields, _Units):
    """Estimate the power of new studies of several sizes."""

    name: ClassVar[str] = "scores power"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure scores power scores.txt --test t",
        "howsure scores power scores.txt --test t --effect 0.01 --sizes 500,1000",
    )

    n_resamples: int = option(
        999,
        "Number of resamples in each simulated bootstrap or permutation test.",
        at_least=1,
        at_most=MOST_RESAMPLES,
    )
    seed: int = seed_option()

    def __post_init__(self) -> None:
        """Check each field, and refuse those that change nothing."""
        super().__post_init__()
        self._refuse_idle_statistic()
        _ = self.how_many

    def answer(self, run: Run = HERE) -> "PowerCurve":
        """Read and simulate."""
        from howsure import paired

        units = self.units()
        test = self.test or paired.recommend(units, paired.describe(units, alpha=self.normality_alpha)).test
        with run.progress("simulating", self.n_studies) as advance:
            how = {"test": test, "method": self.power_method, "sizes": self.how_many, "alpha": self.power_alpha}
            return self.call(paired.power_curve, units, **how, workers=run.workers, progress=advance)


@dataclass(frozen=True, kw_only=True)
class ScoresAnalyse(TestFields, HypothesisFields, EffectFields, PowerFields, SettlingFields, NormalityFields, _Units):
    """Run the complete analysis: summary, test, effect size, power.

    Describes the scores, chooses a test, runs it, estimates effect sizes and the power of studies of several sizes.
    """

    name: ClassVar[str] = "scores analyse"
    function: ClassVar[str] = "scores"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure scores analyse scores.txt",
        "howsure scores analyse scores.txt --test t --report report.html",
    )

    seed: int = seed_option()

    def __post_init__(self) -> None:
        """Check each field, and refuse those that change nothing."""
        super().__post_init__()
        _ = self.how_many

    def answer(self, run: Run = HERE) -> "PairedAnalysis":
        """Read and analyse."""
        from howsure import paired

        with run.progress("analysing", self.n_resamples + self.n_studies) as advance:
            how = {"sizes": self.how_many, "workers": run.workers, "progress": advance}
            return self.call(paired.analyse, self.segments(), **how)


@dataclass(frozen=True, kw_only=True)
class ScoresGlossary(Question):
    """Explain p-value, interval, effect size and power in plain words."""

    name: ClassVar[str] = "scores glossary"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure scores glossary",
        "howsure scores glossary --report glossary.html",
    )

    def answer(self, run: Run = HERE) -> "Glossary":
        """Return the words and what they mean."""
        from howsure.paired import glossary

        return glossary()


@dataclass(frozen=True, kw_only=True)
class Power(Question):
    """Compute the sample size, difference or power of a t-test.

    Give two of number of segments, difference and power to get the third.
    """

    name: ClassVar[str] = "power"
    function: ClassVar[str] = "power"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure power --effect 0.2 --sd 1 --target-power 0.8",
        "howsure power --sd 1 --n-items 200 --target-power 0.8",
    )

    sd: float = option(
        help="Standard deviation of the differences, or of one system's scores if the design is independent.",
        common=True,
    )
    effect: float | None = option(None, "True mean difference.", common=True)
    target_power: float | None = option(
        None, "Power: probability of detecting the difference, such as 0.8.", common=True
    )
    n_items: int | None = option(None, "Number of segments.", common=True)
    alpha: float = option(0.05, "Significance level α of the test.", fraction=True, common=True)
    alternative: str = option(
        "two-sided",
        "Alternative hypothesis: any difference, or only a positive (greater) or negative (less) one.",
        choices="howsure.inference.pvalues:ALTERNATIVES",
        common=True,
    )
    design: str = option(
        "paired",
        "Both systems score the same segments (paired), or each its own (independent).",
        choices="howsure.paired.power:DESIGNS",
        common=True,
    )

    def answer(self, run: Run = HERE) -> "PowerPlan":
        """Solve for what was left out."""
        from howsure.paired import plan_power

        return self.call(plan_power)


SCORES = (ScoresAnalyse, ScoresDescribe, ScoresTest, ScoresEffect, ScoresPower, ScoresGlossary)
"""The questions of `howsure scores`, in the order in which people ask them."""
