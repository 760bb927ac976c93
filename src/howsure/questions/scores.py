"""Questions about two (or more) lists of scores, from the file to a sentence."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure import _fields
from howsure._fields import like, option
from howsure.errors import ArgumentError
from howsure.paired.score_options import (
    AnalysisSettings,
    EffectSettings,
    NormalitySettings,
    PowerSettings,
    SettlingSettings,
    TestSettings,
    UnitSettings,
)
from howsure.questions.base import HERE, Question, Run, Written, seed_option

if TYPE_CHECKING:
    from howsure.paired import (
        Effects,
        Finding,
        Glossary,
        Overview,
        PairedAnalysis,
        PairedScores,
        PowerCurve,
        PowerPlan,
        SystemsComparison,
    )


@dataclass(frozen=True, kw_only=True)
class ScoreFile:
    """Which file, and which of its columns."""

    file: str = option(
        help="Text file of scores: one row per segment, one column per system.",
        positional=True,
        metavar="FILE",
        also="Any",
    )
    columns: tuple[str, ...] = option(
        (),
        "Two columns to compare, by name or number: 1,3. Required if the file has more.",
        metavar="COLUMNS",
        common=True,
        also="int",
    )
    cluster: str | None = option(
        None,
        "Column of document ids. Segments of one document are treated as dependent.",
        metavar="COLUMN",
        common=True,
    )
    encoding: str | None = option(None, "Encoding of a file that is not UTF-8, such as cp1252.")

    def segments(self) -> "PairedScores":
        """Read the two columns."""
        from howsure.paired import PairedScores, read_scores

        if isinstance(self.file, PairedScores):
            for name in ("columns", "cluster", "encoding"):
                if getattr(self, name):
                    raise ArgumentError(f"`{name}` has no effect here: it describes a file.")
            return self.file
        return read_scores(self.file, columns=self.columns or None, cluster=self.cluster, encoding=self.encoding)


@dataclass(frozen=True, kw_only=True)
class _Units(ScoreFile, UnitSettings, Question):
    """What questions about units of a file share."""

    reads_settings: ClassVar[bool] = True

    def units(self) -> "PairedScores":
        """Read the scores and make evaluation units of them."""
        from howsure.paired import to_units

        return to_units(self.segments(), size=self.unit_size, statistic=self.unit_statistic, shuffle=self.shuffle)

    def _refuse_idle_statistic(self) -> None:
        if self.unit_size == 1 and self.unit_statistic != "mean":
            raise ArgumentError("`unit_statistic` changes nothing on single segments; give a `unit_size` above 1.")


@dataclass(frozen=True, kw_only=True)
class ScoresDescribe(SettlingSettings, NormalitySettings, _Units):
    """Summarise scores and differences, and recommend a test."""

    name: ClassVar[str] = "scores describe"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure scores describe scores.txt",
        "howsure scores describe scores.txt --unit-size 5 --units units.txt",
    )
    written: ClassVar[Written] = Written(
        "units", "Write the evaluation units to this file: .txt, .tsv or .csv.", (".txt", ".tsv", ".csv")
    )

    unit_size: int = like(UnitSettings, "unit_size", common=True)

    def answer(self, run: Run = HERE) -> "Overview":
        """Read and describe."""
        from howsure.paired import overview

        return self.call(overview, self.segments())

    def write(self, result: Any, path: str) -> None:
        """Write the evaluation units."""
        from howsure.paired import write_scores

        write_scores(self.units(), path, force=True)


@dataclass(frozen=True, kw_only=True)
class ScoresTest(TestSettings, _Units):
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
        from howsure.paired.analysis import run_finding

        if self.all_pairs:
            return self._every_pair()
        settings, units = _fields.part(TestSettings, self), self.units()
        kind = "non-inferiority" if self.noninferiority else "equivalence"
        with run.progress("resampling", self.n_resamples) as advance:
            return run_finding(units, settings, kind, self.seed, advance)

    def _every_pair(self) -> "SystemsComparison":
        from howsure.paired import TESTS, read_table, to_units
        from howsure.paired.systems import run_systems

        table = read_table(self.file, columns=self.columns or None, cluster=self.cluster, encoding=self.encoding)
        units = to_units(table, size=self.unit_size, statistic=self.unit_statistic, shuffle=self.shuffle)
        test, settings = TESTS[self.test or "t"], _fields.part(TestSettings, self)
        return run_systems(units, test, settings, self.correction or "holm", self.seed)


@dataclass(frozen=True, kw_only=True)
class ScoresEffect(EffectSettings, NormalitySettings, _Units):
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
class ScoresPower(PowerSettings, _Units):
    """Estimate the power of new studies of several sizes."""

    name: ClassVar[str] = "scores power"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure scores power scores.txt --test t",
        "howsure scores power scores.txt --test t --effect 0.01 --sizes 500,1000",
    )

    seed: int = seed_option()

    def __post_init__(self) -> None:
        """Check each field, and refuse those that change nothing."""
        super().__post_init__()
        self._refuse_idle_statistic()
        _ = self.how_many

    def answer(self, run: Run = HERE) -> "PowerCurve":
        """Read and simulate."""
        from howsure.paired import TESTS, describe, recommend
        from howsure.paired.power_curves import run_power_curve

        units, settings = self.units(), _fields.part(PowerSettings, self)
        test = TESTS[self.test or recommend(units, describe(units, alpha=self.normality_alpha)).test]
        with run.progress("simulating", self.n_studies) as advance:
            return run_power_curve(units, test, settings, self.seed, workers=run.workers, progress=advance)


@dataclass(frozen=True, kw_only=True)
class ScoresAnalyse(AnalysisSettings, _Units):
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
        from howsure.paired.analysis import run_analysis

        settings, scores = _fields.part(AnalysisSettings, self), self.segments()
        with run.progress("analysing", self.n_resamples + self.n_studies) as advance:
            return run_analysis(scores, settings, self.seed, workers=run.workers, progress=advance)


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
    reads_settings: ClassVar[bool] = True

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
WITH_SETTINGS = tuple(question for question in (*SCORES, Power) if question.reads_settings)
"""The questions that one file of settings may serve."""
