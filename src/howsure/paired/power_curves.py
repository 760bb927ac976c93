"""Retrospective power: how often a test would reject in new studies like this one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from howsure import _check, _matrices, _random
from howsure._frames import in_any_form
from howsure.data.scales import FloatArray
from howsure.documents import Column, Document, Sentence, Table
from howsure.documents.numbers import measured, share
from howsure.errors import ArgumentError, DataError
from howsure.inference.estimate import ConfidenceInterval
from howsure.inference.proportions import wilson
from howsure.nulls import SCORE_TESTS, Hypothesis, ItemTest, Resamples, Units
from howsure.paired.description import describe
from howsure.paired.recommendation import caution
from howsure.paired.score_lists import PairedScores
from howsure.paired.score_options import PowerSettings, checked_sizes
from howsure.paired.significance import FOUND, check_testable
from howsure.provenance import Provenance
from howsure.records import Signed

METHODS = ("bootstrap", "normal")
WORK = 30_000_000
"""About how many differences a curve draws unless told otherwise."""
TESTED_AT_ONCE = 2**15
"""About so many numbers of small studies are tested at once where a test draws nothing itself."""

ROWS_AT_ONCE = 2**17

OBSERVED_NOTE = (
    "The power is computed for the observed difference. At the size of these data, such observed power only restates "
    "the p-value. To plan a study, give the smallest difference that matters with `effect`."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCurve(Signed):
    """The power of a test at several sizes, each with its Monte-Carlo interval.

    Attributes
    ----------
    test : str
    method : {"bootstrap", "normal"}
        New differences are drawn from the data's, moved to have the effect (right-or-wrong scores: the same share of
        flips, divided so that accuracy differs by the effect); or from a normal distribution with that mean and the
        data's standard deviation.
    effect : float
        The true difference that is assumed, and `effect_source`: "observed" or "given".
    unit : {"segments", "units", "clusters"}
        What a size is the number of.
    sizes : tuple of int
        Of each simulated study.
    power : tuple of float
    confidence_intervals : tuple of ConfidenceInterval
        Wilson's 95% interval of each power, which was counted in simulated studies.
    unit_size : int
        Segments in a unit; 1 where segments themselves are counted.
    n_simulations : int
        Studies simulated at each size.
    n_undefined : int
        Studies on which the test was undefined (they are not counted).
    alpha : float
    alternative : str
    delta : float
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("sentence", "signature")

    test: str
    method: str
    effect: float
    effect_source: str
    unit: str
    sizes: tuple[int, ...]
    power: tuple[float, ...]
    confidence_intervals: tuple[ConfidenceInterval, ...]
    n_simulations: int
    n_undefined: int
    alpha: float
    alternative: str
    delta: float
    notes: tuple[str, ...]
    provenance: Provenance
    unit_size: int = 1

    @in_any_form
    def to_frame(self) -> Any:
        """Return one row for each size, as a Polars data frame."""
        import polars as pl

        low, high = ([getattr(interval, end) for interval in self.confidence_intervals] for end in ("low", "high"))
        return pl.DataFrame({"n": list(self.sizes), "power": list(self.power), "low": low, "high": high})

    @property
    def assumed(self) -> str:
        """What the simulated studies are to find; an observed difference of 0 may still be found by its ranks."""
        if self.effect_source == "observed" and not self.effect:
            return "differences like those observed"
        return f"a difference of {abs(self.effect):.3g}{' with the second system higher' if self.effect < 0 else ''}"

    @property
    def sentence(self) -> str:
        """The power of the smallest and of the largest study, and the sizes that reach 80%, in words."""
        known = dict(zip(self.sizes, self.power, strict=True))
        ends = " and ".join(
            f"{share(known[n], most=2)} with {n:,} {self.unit}" for n in sorted({*self.sizes[:1], *self.sizes[-1:]})
        )
        of = f"units of {self.unit_size} segments; " if self.unit_size > 1 else ""
        how = f"{of}{self.method}, {self.n_simulations:,} simulations per size"
        said = f"The {SCORE_TESTS[self.test].label} has a power of {ends} for {self.assumed} ({how})."
        reached = next(
            (n for n in self.sizes if min(power for size, power in known.items() if size >= n) >= FOUND), None
        )
        if reached is None:
            return f"{said} No simulated size reaches 80% power."
        return f"{said} Sizes from {reached:,} on reach 80% power."

    def document(self) -> Document:
        """Return the power at each size."""
        columns = (Column(self.unit, "count"), Column("power", "share"), Column("95% CI", "shares"))
        known = zip(self.sizes, self.power, self.confidence_intervals, strict=True)
        rows = tuple((size, measured(power, ends), ends) for size, power, ends in known)
        return Document("Power", (Sentence(self.sentence, "verdict"), Table(columns, rows)), self.notes, self.signature)


@_matrices.on_one_thread
def power_curve(
    scores: PairedScores,
    *,
    test: str = "t",
    method: str = "bootstrap",
    effect: float | None = None,
    sizes: int | Sequence[int] = 5,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    alternative: str = "two-sided",
    delta: float = 0.0,
    alpha: float = 0.05,
    normality_alpha: float = 0.05,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> PowerCurve:
    """Simulate new studies like this one and count how often the test rejects.

    A test that does not fit the scores, and normal simulation of differences for which normality is rejected (at
    `normality_alpha`), get a note.

    Parameters
    ----------
    scores : PairedScores
    test : str
        Any of the seven tests.
    method : {"bootstrap", "normal"}
    effect : float, optional
        The true difference to assume, in units of the scores; the observed one by default.
    sizes : int or list of int
        A number k for k equal steps up to the size of the data, or the sizes themselves (larger ones allowed).
    n_simulations : int, optional
        Studies per size; 1,000 by default, and fewer (at least 100) when the sizes are so large that more than about
        30 million differences would have to be drawn.
    n_resamples : int
        Resamples inside each simulated bootstrap test of the mean. The 64 studies of a block share them.
    alternative, delta, alpha, normality_alpha, rng, workers, progress
        As in `significance_test`; `progress` is told the number of studies.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = PairedScores.from_arrays(rng.normal(0.3, 1, 100), np.zeros(100))
    >>> curve = power_curve(scores, effect=0.3, sizes=[50, 100, 200], n_simulations=500, rng=1)
    >>> [round(power, 1) for power in curve.power]
    [0.7, 0.9, 1.0]
    """
    # Checked here by the names that Python users know.
    _check.one_of("method", method, METHODS)
    _check.fraction("alpha", alpha)
    settings = PowerSettings(
        test=test,
        power_method=method,
        effect=effect,
        n_simulations=n_simulations,
        n_resamples=n_resamples,
        alternative=alternative,
        delta=delta,
        power_alpha=alpha,
        normality_alpha=normality_alpha,
        **checked_sizes(sizes),
    )
    return run_power_curve(scores, SCORE_TESTS[test], settings, rng, workers=workers, progress=progress)


@_matrices.on_one_thread
def run_power_curve(
    scores: PairedScores,
    test: ItemTest,
    settings: PowerSettings,
    rng: _random.Rng,
    *,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> PowerCurve:
    """Simulate studies and test each, by the test that was asked for or that the data recommend."""
    seed = _random.replayable(rng)
    hypothesis = Hypothesis(settings.alternative, settings.delta, settings.power_alpha, interval=False)
    method, effect = settings.power_method, settings.effect
    check_testable(scores, test, hypothesis.delta)
    if scores.constant is not None:
        raise DataError("the differences do not vary, so studies cannot be simulated from them.")
    if method == "normal" and (scores.clusters is not None or scores.binary):
        why = "scores in clusters" if scores.clusters is not None else "scores of 0 and 1"
        raise ArgumentError(f"`method` 'normal' draws independent normal differences; {why} need 'bootstrap'.")
    sizes = _sizes(settings.how_many, scores.units.n)
    n_simulations = settings.n_simulations or max(100, min(1000, WORK // sum(sizes)))
    # Moving right-or-wrong scores would make them neither, so for these the effect is a difference in accuracy.
    located = float(scores.differences.mean()) if scores.binary else test.estimate(np.sort(scores.differences))
    aim = located if effect is None else effect
    if abs(aim) > 1 and scores.binary:
        raise ArgumentError(f"`effect` must lie between -1 and 1 for scores of 0 and 1; got {aim:g}.")
    simulation = _Simulation(
        draw=_source(scores, method, located, aim),
        test=test,
        hypothesis=hypothesis,
        n_simulations=n_simulations,
        n_resamples=settings.n_resamples,
        seed=seed,
        workers=_random.n_workers(workers),
        progress=progress,
    )
    power, intervals, n_undefined = [], [], 0
    for n in sizes:
        pvalues = simulation.pvalues(n)
        defined = ~np.isnan(pvalues)
        rejected, counted = int(np.count_nonzero(pvalues <= hypothesis.alpha)), int(defined.sum())
        n_undefined += n_simulations - counted
        power.append(rejected / counted if counted else float("nan"))
        intervals.append(wilson(rejected, counted))
    parameters = {
        "test": test.score_name,
        "method": method,
        "effect": aim,
        "sizes": ",".join(map(str, sizes)),
        "alternative": hypothesis.alternative,
        "delta": hypothesis.delta,
        "alpha": hypothesis.alpha,
        "unit_size": scores.unit_size,
        "normality_alpha": settings.normality_alpha,
        "n_simulations": n_simulations,
        "n_resamples": settings.n_resamples,
    }
    return PowerCurve(
        test=test.score_name,
        method=method,
        effect=aim,
        effect_source="observed" if effect is None else "given",
        unit=scores.counted,
        sizes=sizes,
        power=tuple(power),
        confidence_intervals=tuple(intervals),
        n_simulations=n_simulations,
        n_undefined=n_undefined,
        alpha=hypothesis.alpha,
        alternative=hypothesis.alternative,
        delta=hypothesis.delta,
        notes=tuple(_notes(scores, test, settings, n_undefined)),
        unit_size=scores.unit_size,
        provenance=Provenance("scores power", parameters, _random.entropy_of(seed), scores.digest),
    )


def _notes(scores: PairedScores, test: ItemTest, settings: PowerSettings, n_undefined: int) -> list[str]:
    description = describe(scores, alpha=settings.normality_alpha)
    notes = [*scores.notes, *caution(scores, description, test)]
    if settings.power_method == "normal" and not description.normal:
        notes.append(
            f"The simulation assumes normal differences, but the observed ones are {description.normality}. Prefer "
            "`method` bootstrap."
        )
    n_zero = int(np.count_nonzero(scores.differences == 0))
    if settings.effect is None:
        notes.append(OBSERVED_NOTE)
    elif n_zero and not scores.binary and not test.compares_means:
        notes.append(
            f"{n_zero:,} differences are zero. The simulation shifts them by the effect, which overestimates the power "
            f"of the {test.label}. The t and permutation tests are not affected."
        )
    if n_undefined:
        notes.append(f"{n_undefined:,} simulated studies had no variation and are not counted.")
    return notes


Draw = Callable[[np.random.Generator, int, int], Units]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Simulation:
    """How studies are drawn and tested; `draw(generator, count, n)` draws `count` studies of `n` segments."""

    draw: Draw
    test: ItemTest
    hypothesis: Hypothesis
    n_simulations: int
    n_resamples: int
    seed: np.random.SeedSequence
    workers: int
    progress: Callable[[int], object] | None

    def pvalues(self, n: int) -> FloatArray:
        """Return the p-values of studies of n segments; each block of them has a stream of its own."""
        # Studies that are tested without resamples share a call, because a call on a few small ones costs more than
        # the test. The resamples of a test have the seed of their block, so there each block is a call.
        n_blocks = 1 if self.test.resamples else max(1, TESTED_AT_ONCE // (_random.BLOCK * n))

        def block(_: int, start: int, stop: int) -> FloatArray:
            numbers = range(start // _random.BLOCK, -(-stop // _random.BLOCK))
            drawn = chain.from_iterable(self._studies(n, number, stop) for number in numbers)
            if n_blocks > 1:
                return self._tested(n, start, Units.joined([units for _, units in drawn]))
            return np.concatenate([self._tested(n, first, units) for first, units in drawn])

        size = n_blocks * _random.BLOCK
        workers = self.workers if self.test.resamples else 1  # short calls would only wait for each other
        return np.concatenate(
            _random.map_blocks(block, self.n_simulations, workers=workers, progress=self.progress, size=size, width=n)
        )

    def _studies(self, n: int, number: int, stop: int) -> Iterator[tuple[int, Units]]:
        """Yield the studies of a block, each time with the number of the first."""
        step = max(1, ROWS_AT_ONCE // n)  # large studies go a few at a time, to stay in the cache
        generator = _random.generator(self.seed, "study", n, number)
        last = min((number + 1) * _random.BLOCK, stop)
        for first in range(number * _random.BLOCK, last, step):
            yield first, self.draw(generator, min(step, last - first), n)

    def _tested(self, n: int, first: int, units: Units) -> FloatArray:
        inner = Resamples(_random.child(self.seed, "inner", n, first), self.n_resamples)
        return self.test.simulated_pvalues(units, self.hypothesis, inner)


def _source(scores: PairedScores, method: str, located: float, effect: float) -> Draw:
    """Return the function that draws `count` studies of `n` segments with the effect."""
    data = scores.units
    if scores.binary and scores.clusters is None:
        flips = max(abs(effect), float(np.abs(scores.differences).mean()))
        won, lost = (flips + effect) / 2, (flips - effect) / 2

        def answers(generator: np.random.Generator, count: int, n: int) -> Units:
            chance = generator.random((count, n))
            return Units.independent((chance < won).astype(np.float64) - (chance > 1 - lost))

        return answers
    sums = data.sums[0] + (effect - located) * data.sizes[0]
    if method == "normal":
        deviation = float(sums.std(ddof=1))

        def normal(generator: np.random.Generator, count: int, n: int) -> Units:
            return Units.independent(effect + deviation * generator.standard_normal((count, n)))

        return normal

    def resampled(generator: np.random.Generator, count: int, n: int) -> Units:
        chosen = generator.integers(0, sums.size, size=(count, n))
        if scores.clusters is None:
            return Units.independent(sums[chosen])
        return Units(sums[chosen], data.sizes[0][chosen])

    return resampled


def _sizes(asked: int | Sequence[int], n: int) -> tuple[int, ...]:
    """Return the sizes that were asked for, or as many equal steps up to the size of the data."""
    if isinstance(asked, int):
        return tuple(sorted({max(2, round(n * step / asked)) for step in range(1, asked + 1)}))
    return tuple(sorted(set(asked)))
