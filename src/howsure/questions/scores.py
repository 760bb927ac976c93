"""Questions about two (or more) lists of scores, from the file to a sentence."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure._fields import option
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

        return to_units(self.lines(), size=self.unit_size, statistic=self.unit_statistic, shuffle=self.shuffle)

    def _refuse_idle_statistic(self) -> None:
        if self.unit_size == 1 and self.unit_statistic != "mean":
            raise ArgumentError("`unit_statistic` changes nothing on single lines: give a `unit_size` above 1.")


@dataclass(frozen=True, kw_only=True)
class ScoresDescribe(SettlingFields, NormalityFields, _Units):
    """Summarise the scores and their differences, and say which tests fit."""

    name: ClassVar[str] = "scores describe"
    example: ClassVar[str] = "howsure scores describe scores.txt"
    written: ClassVar[Written] = Written(
        "units", "Write the evaluation units: .txt, .tsv or .csv.", (".txt", ".tsv", ".csv")
    )

    def answer(self, run: Run = HERE) -> "Overview":
        """Read and describe."""
        from howsure.paired import overview

        return self.call(overview, self.lines())

    def write(self, result: Any, path: str) -> None:
        """Write the evaluation units."""
        from howsure.paired import write_scores

        write_scores(self.units(), path)


@dataclass(frozen=True, kw_only=True)
class ScoresTest(TestFields, HypothesisFields, NormalityFields, _Units):
    """Test whether the systems differ; with a margin also whether they are equivalent."""

    name: ClassVar[str] = "scores test"
    example: ClassVar[str] = "howsure scores test scores.txt --test wilcoxon --alternative greater"

    noninferiority: bool = option(False, "With a margin: ask only that the first system is not worse.")
    all_pairs: bool = option(False, "Compare every pair of three or more systems.")
    correction: str | None = option(
        None,
        "How the p-values of all pairs are adjusted; holm if left out.",
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
    """Measure how large the difference is, with intervals."""

    name: ClassVar[str] = "scores effect"
    example: ClassVar[str] = "howsure scores effect scores.txt --effect-size hedges-g,hodges-lehmann"

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
    """Show how often the test would find a difference in new studies like this one, at several sizes."""

    name: ClassVar[str] = "scores power"
    example: ClassVar[str] = "howsure scores power scores.txt --effect 0.01 --sizes 500,1000,2000"

    n_resamples: int = option(
        999, "Resamples in each simulated bootstrap or permutation test.", at_least=1, at_most=MOST_RESAMPLES
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
    """Go all the way: describe, choose a test, test, measure the effect, show the power."""

    name: ClassVar[str] = "scores analyse"
    function: ClassVar[str] = "scores"
    example: ClassVar[str] = "howsure scores analyse scores.txt --report report.html"

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
            return self.call(paired.analyse, self.lines(), **how)


@dataclass(frozen=True, kw_only=True)
class ScoresGlossary(Question):
    """Say what p-value, interval, effect size and power mean, in a beginner's words."""

    name: ClassVar[str] = "scores glossary"
    example: ClassVar[str] = "howsure scores glossary"

    def answer(self, run: Run = HERE) -> "Glossary":
        """Return the words and what they mean."""
        from howsure.paired import glossary

        return glossary()


@dataclass(frozen=True, kw_only=True)
class Power(Question):
    """Plan a study of two score lists: give two of number of lines, difference and power, and get the third."""

    name: ClassVar[str] = "power"
    function: ClassVar[str] = "power"
    example: ClassVar[str] = "howsure power --effect 0.2 --sd 1 --target-power 0.8"

    sd: float = option(
        help="Standard deviation of the differences between the systems (of one system's scores if the design is "
        "independent)."
    )
    effect: float | None = option(None, "The true mean difference.")
    target_power: float | None = option(None, "How often the study is to find the difference: 0.8 is 8 times in 10.")
    n_items: int | None = option(None, "The number of lines.")
    alpha: float = option(0.05, "Level of the test: how often a true null hypothesis may be rejected.", fraction=True)
    alternative: str = option(
        "two-sided",
        "Find any difference, or only one in a direction.",
        choices="howsure.inference.pvalues:ALTERNATIVES",
    )
    design: str = option(
        "paired",
        "Both systems on the same lines, or each on lines of its own.",
        choices="howsure.paired.power:DESIGNS",
    )

    def answer(self, run: Run = HERE) -> "PowerPlan":
        """Solve for what was left out."""
        from howsure.paired import plan_power

        return self.call(plan_power)


SCORES = (ScoresDescribe, ScoresTest, ScoresEffect, ScoresPower, ScoresAnalyse, ScoresGlossary)
"""The questions of `howsure scores`, in the order in which people ask them."""
