"""Fields that questions about lists of scores share: the file, units, the hypothesis, simulated studies."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howsure._fields import option
from howsure.errors import ArgumentError
from howsure.paired.limits import LARGEST, LARGEST_STUDY, MOST_RESAMPLES, MOST_SIMULATIONS, MOST_STEPS

if TYPE_CHECKING:
    from howsure.paired import PairedScores

UNITS, LEVELS, SIMULATION = "Evaluation units", "Significance levels", "Simulated studies"


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
class UnitFields:
    """How segments become evaluation units."""

    unit_size: int = option(1, "Number of segments per evaluation unit; a unit has one score.", at_least=1, group=UNITS)
    unit_statistic: str = option(
        "mean", "Statistic of the segments in a unit.", choices="howsure.paired.units:UNIT_STATISTICS", group=UNITS
    )
    shuffle: int | None = option(
        None,
        "Shuffle segments with this seed before they form units. Default: keep their order.",
        at_least=0,
        group=UNITS,
    )


@dataclass(frozen=True, kw_only=True)
class SettlingFields:
    """When a unit size is large enough."""

    tolerance: float = option(
        0.01,
        "Largest change of the standard deviation between unit sizes that counts as stable.",
        at_least=0,
        group=UNITS,
    )


@dataclass(frozen=True, kw_only=True)
class NormalityFields:
    """The level of the normality test."""

    normality_alpha: float = option(
        0.05,
        "Significance level α of the normality test, which decides the recommended test.",
        fraction=True,
        group=LEVELS,
    )


@dataclass(frozen=True, kw_only=True)
class HypothesisFields:
    """Which test, and of what."""

    test: str | None = option(
        None,
        "Test to run. Default: recommended by the data.",
        choices="howsure.difference_tests:CATALOGUE",
        common=True,
    )
    alternative: str = option(
        "two-sided",
        "Alternative hypothesis: the systems differ, the first scores higher (greater) or lower (less).",
        choices="howsure.inference.pvalues:ALTERNATIVES",
        common=True,
    )
    delta: float = option(0.0, "Difference under the null hypothesis.", at_least=-LARGEST, at_most=LARGEST)


@dataclass(frozen=True, kw_only=True)
class TestFields:
    """How a test is run."""

    alpha: float = option(
        0.05,
        "Significance level α of the test. The confidence level of the interval is 1 − α.",
        fraction=True,
        group=LEVELS,
    )
    margin: float | None = option(
        None,
        "Smallest difference that matters. Adds a test of equivalence.",
        at_least=0,
        at_most=LARGEST,
        common=True,
    )
    n_resamples: int = option(
        9999, "Number of resamples of bootstrap and permutation tests.", at_least=1, at_most=MOST_RESAMPLES
    )


@dataclass(frozen=True, kw_only=True)
class EffectFields:
    """Which effect sizes, and the level of their intervals."""

    effect_size: tuple[str, ...] = option(
        ("cohen-d", "hedges-g", "wilcoxon-r", "hodges-lehmann"),
        "Effect sizes to estimate; several with commas.",
        choices="howsure.paired.effects:EFFECTS",
        common=True,
    )
    effect_alpha: float = option(
        0.05, "α of the intervals of effect sizes: their confidence level is 1 − α.", fraction=True, group=LEVELS
    )


@dataclass(frozen=True, kw_only=True)
class PowerFields:
    """How new studies are simulated."""

    power_method: str = option(
        "bootstrap",
        "Resample the observed differences (bootstrap) or simulate normal ones (normal).",
        choices="howsure.paired.curves:METHODS",
        group=SIMULATION,
    )
    effect: float | None = option(
        None,
        "True difference to assume. Default: the observed difference.",
        at_least=-LARGEST,
        at_most=LARGEST,
        group=SIMULATION,
        common=True,
    )
    steps: int | None = option(
        None,
        "Number of study sizes, in equal steps up to the size of the data. Default: 5.",
        at_least=1,
        at_most=MOST_STEPS,
        group=SIMULATION,
    )
    sizes: tuple[int, ...] = option(
        (),
        "Study sizes to simulate: 100,200,400.",
        at_least=2,
        at_most=LARGEST_STUDY,
        group=SIMULATION,
        common=True,
    )
    n_simulations: int | None = option(
        None,
        "Number of simulations of each size. Default: 1000, or fewer for large files.",
        at_least=1,
        at_most=MOST_SIMULATIONS,
        group=SIMULATION,
    )

    power_alpha: float = option(0.05, "Significance level α of the simulated tests.", fraction=True, group=LEVELS)

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
