"""What decides an answer about lists of scores: one frozen record for each step, which the questions inherit.

Each field says everything about itself once. The limits are here, too: what is larger is refused in one line instead of
running for ever.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from howsure import _check, _fields
from howsure._fields import option
from howsure.errors import ArgumentError

SMALLEST, LARGEST = 1e-100, 1e100
"""Scores and differences between these sizes can be squared and summed."""
MOST_RESAMPLES = 10_000_000
MOST_STEPS, LARGEST_STUDY, MOST_SIMULATIONS = 1_000, 10_000_000, 1_000_000
"""Of a power curve: how many sizes, how large a simulated study, and how many studies of each size."""
STEPS = 5
"""How many sizes a power curve has unless told otherwise."""

UNITS, LEVELS, SIMULATION = "Evaluation units", "Significance levels", "Simulated studies"


@dataclass(frozen=True, kw_only=True)
class UnitSettings(_fields.Checked):
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
class SettlingSettings(_fields.Checked):
    """When a unit size is large enough."""

    tolerance: float = option(
        0.01,
        "Largest change of the standard deviation between unit sizes that counts as stable.",
        at_least=0,
        group=UNITS,
    )


@dataclass(frozen=True, kw_only=True)
class NormalitySettings(_fields.Checked):
    """The level of the normality test."""

    normality_alpha: float = option(
        0.05,
        "Significance level α of the normality test, which decides the recommended test.",
        fraction=True,
        group=LEVELS,
    )


@dataclass(frozen=True, kw_only=True)
class HypothesisSettings(_fields.Checked):
    """Which test, and of what."""

    test: str | None = option(
        None,
        "Test to run. Default: recommended by the data.",
        choices="howsure.nulls:SCORE_TESTS",
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
class LevelSettings(_fields.Checked):
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
        9999, "Number of resamples of the bootstrap test of the mean.", at_least=1, at_most=MOST_RESAMPLES
    )


@dataclass(frozen=True, kw_only=True)
class EffectSettings(_fields.Checked):
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
class StudySettings(_fields.Checked):
    """How new studies are simulated."""

    power_method: str = option(
        "bootstrap",
        "Resample the observed differences (bootstrap) or simulate normal ones (normal).",
        choices="howsure.paired.power_curves:METHODS",
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
    def how_many(self) -> "int | tuple[int, ...]":
        """The sizes, or the number of steps."""
        if self.sizes and self.steps is not None:
            raise ArgumentError("`steps` changes nothing where `sizes` names the sizes; give one of them.")
        return self.sizes or self.steps or STEPS

    @property
    def n_studies(self) -> int:
        """About how many studies are simulated."""
        return (len(self.sizes) or self.steps or STEPS) * (self.n_simulations or 1000)


@dataclass(frozen=True, kw_only=True)
class TestSettings(LevelSettings, HypothesisSettings, NormalitySettings):
    """Which test of what, at which level."""


@dataclass(frozen=True, kw_only=True)
class PowerSettings(HypothesisSettings, StudySettings, NormalitySettings):
    """Which studies are simulated, and how each is tested."""

    n_resamples: int = option(
        999,
        "Number of resamples in each simulated bootstrap test of the mean.",
        at_least=1,
        at_most=MOST_RESAMPLES,
    )


@dataclass(frozen=True, kw_only=True)
class AnalysisSettings(TestSettings, EffectSettings, StudySettings, SettlingSettings, NormalitySettings, UnitSettings):
    """Everything that decides a whole analysis."""

    @property
    def power(self) -> PowerSettings:
        """How studies are simulated; the number of resamples in each of them is not that of the test."""
        shared = {field.name for field in _fields.fields_of(PowerSettings)} - {"n_resamples"}
        return PowerSettings(**{name: getattr(self, name) for name in shared})


def checked_sizes(sizes: int | Sequence[int]) -> dict[str, Any]:
    """Return as `steps` or `sizes` what Python passes as one argument: a number of steps, or the sizes."""
    if isinstance(sizes, int):
        return {"steps": _check.integer("sizes", sizes, at_least=1, at_most=MOST_STEPS)}
    if not len(sizes):
        raise ArgumentError("`sizes` must name at least one size; got none.")
    if len(sizes) > MOST_STEPS:
        raise ArgumentError(f"`sizes` must name at most {MOST_STEPS:,} sizes; got {len(sizes):,}.")
    return {"sizes": tuple(sizes)}
