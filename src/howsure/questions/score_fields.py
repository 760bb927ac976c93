"""Fields that questions about lists of scores share: the file, units, the hypothesis, simulated studies."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howsure._fields import option
from howsure.errors import ArgumentError
from howsure.paired.limits import LARGEST, LARGEST_STUDY, MOST_RESAMPLES, MOST_SIMULATIONS, MOST_STEPS

if TYPE_CHECKING:
    from howsure.paired import PairedScores

UNITS, LEVELS, SIMULATION = "Evaluation units", "Levels", "Simulated studies"


@dataclass(frozen=True, kw_only=True)
class ScoreFile:
    """Which file, and which of its columns."""

    file: str = option(help="Text file, one line per item, one column per system.", positional=True, also="Any")
    columns: tuple[str, ...] = option((), "Which columns to compare, by name or number: 1,3.", also="int")
    cluster: str | None = option(None, "Column of document ids; lines of one document are not independent.")
    encoding: str | None = option(None, "Encoding of a file that is not UTF-8: cp1252.")

    def lines(self) -> "PairedScores":
        """Read the two columns."""
        from howsure.paired import PairedScores, read_scores

        if isinstance(self.file, PairedScores):
            for name in ("columns", "cluster", "encoding"):
                if getattr(self, name):
                    raise ArgumentError(f"`{name}` has no effect here: it describes a file.")
            return self.file
        return read_scores(self.file, columns=self.columns or None, cluster=self.cluster, encoding=self.encoding)


@dataclass(frozen=True, kw_only=True)
class UnitFields:
    """How lines become evaluation units."""

    unit_size: int = option(1, "Lines per evaluation unit, the lines that share one score.", at_least=1, group=UNITS)
    unit_statistic: str = option(
        "mean", "How the lines of a unit become one score.", choices="howsure.paired.units:UNIT_STATISTICS", group=UNITS
    )
    shuffle: int | None = option(
        None,
        "Seed for shuffling lines first; they keep their order if left out.",
        at_least=0,
        group=UNITS,
    )


@dataclass(frozen=True, kw_only=True)
class SettlingFields:
    """When a unit size is large enough."""

    tolerance: float = option(
        0.01, "How little the standard deviation may change from one unit size to the next.", at_least=0, group=UNITS
    )


@dataclass(frozen=True, kw_only=True)
class NormalityFields:
    """The level of the normality test."""

    normality_alpha: float = option(
        0.05, "Level of the normality test, which decides what fits.", fraction=True, group=LEVELS
    )


@dataclass(frozen=True, kw_only=True)
class HypothesisFields:
    """Which test, and of what."""

    test: str | None = option(
        None, "The test; the recommended one if left out.", choices="howsure.paired.catalogue:TESTS"
    )
    alternative: str = option(
        "two-sided",
        "Find any difference, or only that the first system is greater (or less).",
        choices="howsure.inference.pvalues:ALTERNATIVES",
    )
    delta: float = option(0.0, "The difference under the null hypothesis.", at_least=-LARGEST, at_most=LARGEST)


@dataclass(frozen=True, kw_only=True)
class TestFields:
    """How a test is run."""

    alpha: float = option(
        0.05,
        "Level of the test: how often a true null hypothesis may be rejected. p ≤ alpha is a finding; the interval has "
        "level 1 − alpha.",
        fraction=True,
        group=LEVELS,
    )
    margin: float | None = option(
        None, "Smallest difference that matters: adds a test of equivalence.", at_least=0, at_most=LARGEST
    )
    n_resamples: int = option(9999, "Resamples of bootstrap and permutation tests.", at_least=1, at_most=MOST_RESAMPLES)


@dataclass(frozen=True, kw_only=True)
class EffectFields:
    """Which effect sizes, and the level of their intervals."""

    effect_size: tuple[str, ...] = option(
        ("cohen-d", "hedges-g", "wilcoxon-r", "hodges-lehmann"),
        "Which effect sizes.",
        choices="howsure.paired.effects:EFFECTS",
    )
    effect_alpha: float = option(
        0.05, "Intervals of effect sizes have level 1 − `effect_alpha`.", fraction=True, group=LEVELS
    )


@dataclass(frozen=True, kw_only=True)
class PowerFields:
    """How new studies are simulated."""

    power_method: str = option(
        "bootstrap",
        "Resample the differences, or draw normal ones.",
        choices="howsure.paired.curves:METHODS",
        group=SIMULATION,
    )
    effect: float | None = option(
        None,
        "The true difference to assume; the observed one if left out.",
        at_least=-LARGEST,
        at_most=LARGEST,
        group=SIMULATION,
    )
    steps: int | None = option(
        None,
        "How many sizes of studies, in equal steps up to that of the data; 5 if left out.",
        at_least=1,
        at_most=MOST_STEPS,
        group=SIMULATION,
    )
    sizes: tuple[int, ...] = option(
        (), "The sizes of studies themselves: 100,200,400.", at_least=2, at_most=LARGEST_STUDY, group=SIMULATION
    )
    n_simulations: int | None = option(
        None,
        "Simulated studies of each size; 1,000 if left out, or fewer for large files.",
        at_least=1,
        at_most=MOST_SIMULATIONS,
        group=SIMULATION,
    )

    power_alpha: float = option(0.05, "Level of the simulated tests.", fraction=True, group=LEVELS)

    @property
    def how_many(self) -> Any:
        """The sizes, or the number of steps."""
        if self.sizes and self.steps is not None:
            raise ArgumentError("`steps` changes nothing where `sizes` names the sizes; give one of them.")
        return self.sizes or self.steps or 5

    @property
    def n_studies(self) -> int:
        """About how many studies are simulated."""
        return (len(self.sizes) or self.steps or 5) * (self.n_simulations or 1000)
