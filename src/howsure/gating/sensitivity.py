"""What can this gate see? How an unchanged model fares, which losses fail, and the cheapest change that would help.

The unchanged model is simulated from past results: items are drawn again, and the two models are exchanged at random
on each of them; where one model was run several times, two of its runs are compared. So everything that the gate would
meet is there but a difference. The loss that fails, the margin that works and the items that are needed are found by
trying values on these simulations, because the guards of a gate decide later than a normal approximation says.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from howsure import _matrices
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray
from howsure.documents import Block, Column, Document, Sentence, Table
from howsure.documents.numbers import counted, number, rough
from howsure.errors import ArgumentError, DataError
from howsure.gating.gate import GateSettings, GaugedComparison, Prepared, measure, prepare
from howsure.gating.gauges import NORMAL, gauge_of
from howsure.gating.rule import GateRule
from howsure.inference.solving import edge, outward
from howsure.intervals.direct import are_signs
from howsure.metrics import spelled
from howsure.provenance import Provenance
from howsure.records import Signed

POWER = 0.8
"""With this probability a loss is caught, and an unchanged model passes, in a gate worth its name."""

SIMULATIONS = 1000
"""A share of 80% then has a standard error of 1.3 points, less than the percent that is printed needs."""

LEAST_SIMULATIONS = 100
MOST_NUMBERS = 2_000_000
"""Simulated differences of one trial value: with more items there are fewer simulations, but at least 100."""

TRIALS = 9
"""Halvings of a bracket: they leave 1/512 of it, less than the two digits that are printed show."""

RUNS = (1, 2, 3, 5, 10)
"""The numbers of runs that are considered."""

MOST_RUNS = 100
"""More runs of the same items are not advised."""


@dataclass(frozen=True, slots=True)
class GateDesign:
    """A design in which an unchanged model passes with 80% probability.

    Attributes
    ----------
    n_items, n_runs : int
        Items, and runs of each model on each of them.
    n_answers : int
        Answers of both models together, which is what it costs.
    """

    n_items: int
    n_runs: int
    n_answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck(Signed):
    """What a gate can see.

    Attributes
    ----------
    claim : str
    margin, confidence_level : float
    metric, title : str
    n_items, n_runs : int
        Items of the gate, and runs of each model on each.
    standard_deviation : float
        Of the item differences of an unchanged model.
    failing_loss : float
        The true loss that fails in 80% of simulations. Right or wrong answers: a random share of items is lost. Other
        scores: each item loses the same.
    smallest_margin : float
        The smallest margin at which an unchanged model passes in 80% of simulations.
    unchanged_passes, unchanged_fails, unchanged_inconclusive : float
        How often an unchanged model passes, fails and is left open, in simulations.
    threshold_fails : float
        How often a bare threshold ("the score must not drop by more than the margin") fails an unchanged model.
    n_simulations : int
    designs : tuple of GateDesign
        What would let an unchanged model pass with about 80% probability, cheapest first.
    source : {"runs", "pairs"}
        Whether two runs of one model were compared, or two models exchanged.
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    claim: str
    margin: float
    confidence_level: float
    metric: str
    title: str
    n_items: int
    n_runs: int
    standard_deviation: float
    failing_loss: float
    smallest_margin: float
    unchanged_passes: float
    unchanged_fails: float
    unchanged_inconclusive: float
    threshold_fails: float
    n_simulations: int
    designs: tuple[GateDesign, ...]
    source: str
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def works(self) -> bool:
        """Whether an unchanged model passes with 80% probability or more."""
        return self.unchanged_passes >= POWER

    def document(self) -> Document:
        """Return what the gate sees, how an unchanged model fares, and what would help."""
        size = f"{counted(self.n_items, 'item')} and {counted(self.n_runs, 'run')} of each model"
        can = "works" if self.works else "is too weak for its margin"
        loss = (
            f"and no loss on this scale fails in {_percent(POWER)}."
            if math.isnan(self.failing_loss)
            else f"and a loss of {rough(self.failing_loss)} fails in {_percent(POWER)}."
        )
        verdict = (
            f"With {size}, this gate {can}: an unchanged model passes in {_percent(self.unchanged_passes)} of gates, "
            f"{loss}"
        )
        blocks: list[Block] = [Sentence(verdict, "verdict"), self._fates(), *self._help()]
        return Document("What can this gate see?", tuple(blocks), self.notes, self.signature)

    def _fates(self) -> Table:
        columns = (
            Column("an unchanged model"),
            Column("passes", "percent"),
            Column("inconclusive", "percent"),
            Column("fails", "percent"),
        )
        bare = (f"bare threshold at {number(self.margin)}", 1 - self.threshold_fails, None, self.threshold_fails)
        own = (self.unchanged_passes, self.unchanged_inconclusive, self.unchanged_fails)
        return Table(columns, (("this gate", *own), bare))

    def _help(self) -> list[Block]:
        if self.works or not self.designs:
            return []
        best = self.designs[0]
        said = (
            f"The cheapest change: {counted(best.n_items, 'item')} with {counted(best.n_runs, 'run')} of each model "
            f"({best.n_answers:,} answers), or a margin of {rough(self.smallest_margin)}."
        )
        columns = (Column("items", "count"), Column("runs", "count"), Column("answers of both models", "count"))
        rows = tuple((one.n_items, one.n_runs, one.n_answers) for one in self.designs)
        title = "Designs in which an unchanged model passes in about 80% of gates"
        return [Sentence(said), Table(columns, rows, title, frozenset({0}))]


@_matrices.on_one_thread
def check_gate(contest: Contest, rule: GateRule, settings: GateSettings | None = None) -> GateCheck:
    """Return what a gate on data like these can see.

    Parameters
    ----------
    contest : Contest
        Past results of two models, or two copies of one source with several runs (`two_runs`).
    rule : GateRule
    settings : GateSettings, optional
    """
    settings = settings or GateSettings()
    if rule.claim.lower > 0:
        raise ArgumentError("`check` is about gates that an unchanged model should pass; leave out `superior`.")
    if rule.margin == 0:
        raise ArgumentError("`check` needs a margin above 0: at 0 an unchanged model passes in 5% of gates.")
    if settings.cluster is not None or settings.by is not None or settings.raters == "random":
        raise ArgumentError("`check` counts items alone: leave out `cluster`, `by` and `raters`.")
    prepared = prepare(contest, rule, settings)
    found = measure(prepared.complete, prepared, settings)
    if found.comparison.evidence is None or not found.comparison.evidence.items.size:
        raise ArgumentError(f"`check` needs a metric with item scores; {prepared.metric.name!r} has none.")
    known = _known(prepared, found)
    simulate = _Simulations(known, rule, found.span, settings.seed)
    fates = simulate.fates()
    noise = _noise(known, found, rule)
    both = 2 if rule.claim.upper else 1
    parameters = {
        "claim": rule.claim.name,
        "margin": rule.margin,
        "metric": spelled(prepared.metric),
        "confidence_level": rule.confidence_level,
        "n_simulations": SIMULATIONS,
    }
    return GateCheck(
        claim=rule.claim.name,
        margin=rule.margin,
        confidence_level=rule.confidence_level,
        metric=found.comparison.metric,
        title=found.comparison.title,
        n_items=known.n_items,
        n_runs=known.n_runs,
        standard_deviation=noise,
        failing_loss=simulate.failing_loss(noise),
        smallest_margin=simulate.smallest_margin(noise),
        unchanged_passes=fates["pass"],
        unchanged_fails=fates["fail"],
        unchanged_inconclusive=fates["inconclusive"],
        threshold_fails=fates["threshold"],
        n_simulations=SIMULATIONS,
        designs=_designs(known, noise, rule, both, simulate),
        source=known.source,
        notes=_notes(known, prepared),
        provenance=Provenance("gate check", parameters, settings.seed, prepared.complete.digest),
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """What past results say: item differences, or the runs of one model, and the variance within runs of an item."""

    source: str
    n_items: int
    n_runs: int
    differences: FloatArray
    runs: Responses | None
    within: float


def _known(prepared: Prepared, found: GaugedComparison) -> _Known:
    """Take the runs of one model where it is compared with itself, else the differences of the pair."""
    contest = prepared.complete
    evidence = found.comparison.evidence
    assert evidence is not None
    linear = found.comparison.metric == "rating" and not contest.raters
    fewest = int(min(contest.a.sizes.min(), contest.b.sizes.min()))
    same = np.array_equal(contest.a.values, contest.b.values) and np.array_equal(contest.a.offsets, contest.b.offsets)
    within = _within(contest.b) if linear and fewest > 1 else math.nan
    if same:
        if not linear or fewest < 2:
            raise DataError(
                "one model alone needs two runs or more of each item to see how an unchanged model differs from itself."
            )
        return _Known("runs", contest.n_items, 1, np.empty(0), contest.b, within)
    runs = round(float(contest.a.sizes.mean()))
    return _Known("pairs", contest.n_items, max(1, runs), evidence.items[0], None, within)


def _within(source: Responses) -> float:
    """Return the variance of single runs of an item, averaged over items."""
    means = np.add.reduceat(source.values, source.offsets[:-1]) / source.sizes
    rest = np.square(source.values - np.repeat(means, source.sizes))
    return float((np.add.reduceat(rest, source.offsets[:-1]) / (source.sizes - 1)).mean())


@dataclass(frozen=True, slots=True)
class _Simulations:
    """Gates of an unchanged model, simulated from what is known; the same random numbers serve every value tried."""

    known: _Known
    rule: GateRule
    span: float
    seed: int

    def draws(self, n_items: int, n_simulations: int) -> Iterator[FloatArray]:
        """Yield the item differences of one simulated gate after the other."""
        known, rng = self.known, np.random.default_rng(self.seed)
        for _ in range(n_simulations):
            items = rng.integers(known.n_items, size=n_items)
            if known.runs is None:
                yield known.differences[items] * rng.choice([-1.0, 1.0], size=n_items)
            else:
                yield _pair_of_runs(known.runs, items, rng)

    def fates(self) -> dict[str, float]:
        """Return how often an unchanged model passes, fails and is left open, and how often a threshold fails it."""
        counts = dict.fromkeys(("pass", "fail", "inconclusive", "threshold"), 0)
        for drawn in self.draws(self.known.n_items, SIMULATIONS):
            counts[self.rule.verdict(gauge_of(drawn, self.span))] += 1
            counts["threshold"] += bool(drawn.mean() < -self.rule.margin)
        return {name: count / SIMULATIONS for name, count in counts.items()}

    def failing_loss(self, noise: float) -> float:
        """Return the smallest true loss that fails in 80% of gates; NaN where the scale has no such loss."""
        n, rule = self.known.n_items, self.rule

        def fails(loss: float) -> float:
            rng = np.random.default_rng([self.seed, 1])
            gauges = (gauge_of(self._with_loss(drawn, loss, rng), self.span) for drawn in self.draws(n, _count(n)))
            return sum(rule.verdict(gauge) == "fail" for gauge in gauges) / _count(n)

        reach = (rule.critical + NORMAL.inv_cdf(POWER)) / math.sqrt(n)
        return _smallest(fails, rule.margin, rule.margin + 1.5 * reach * noise, self.span)

    def _with_loss(self, drawn: FloatArray, loss: float, rng: np.random.Generator) -> FloatArray:
        """Return the differences of a model that loses this much: on some items, or the same on each of them."""
        if are_signs(drawn / self.span) and bool((np.abs(drawn) > 0.999 * self.span).any()):  # right or wrong, one run
            return np.where(rng.random(drawn.size) < loss / self.span, -self.span, drawn)
        return np.maximum(drawn - loss, -self.span)

    def smallest_margin(self, noise: float) -> float:
        """Return the smallest margin at which an unchanged model passes in 80% of gates."""
        n = self.known.n_items
        gauges = [gauge_of(drawn, self.span) for drawn in self.draws(n, _count(n))]

        def passes(margin: float) -> float:
            rule = replace(self.rule, margin=margin)
            return sum(rule.verdict(gauge) == "pass" for gauge in gauges) / len(gauges)

        start = 1.5 * (self.rule.critical + NORMAL.inv_cdf((1 + POWER) / 2)) * noise / math.sqrt(n)
        return _smallest(passes, 1e-9 * start, start, self.span)

    def needed_items(self, about: float) -> int:
        """Return how many items an unchanged model needs to pass in 80% of gates; `about` is a first guess."""

        def passes(n: float) -> float:
            size = math.ceil(n)
            gauges = (gauge_of(drawn, self.span) for drawn in self.draws(size, _count(size)))
            return sum(self.rule.verdict(gauge) == "pass" for gauge in gauges) / _count(size)

        return math.ceil(_smallest(passes, 2.0, 1.5 * about, 20 * about))


def _count(n_items: int) -> int:
    """Return how many gates of this size are simulated for each value tried."""
    return max(LEAST_SIMULATIONS, min(SIMULATIONS, MOST_NUMBERS // n_items))


def _smallest(share: Callable[[float], float], low: float, high: float, most: float) -> float:
    """Return the smallest value from which a growing share reaches 80%; NaN where `most` does not."""

    def reached(value: float) -> bool:
        return share(value) >= POWER

    end = outward(reached, high, most=most)
    if math.isnan(end):
        return math.nan
    return float(edge(reached, low if end <= high else max(low, end / 2), end, halvings=TRIALS))


def _pair_of_runs(runs: Responses, items: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return the difference of two different runs of each item."""
    sizes, start = runs.sizes[items], runs.offsets[:-1][items]
    first = rng.integers(sizes)
    second = (first + 1 + rng.integers(sizes - 1)) % sizes
    return np.asarray(runs.values[start + first] - runs.values[start + second])


def _noise(known: _Known, found: GaugedComparison, rule: GateRule) -> float:
    """Return the standard deviation of the item differences of an unchanged model; the margin itself needs some."""
    variance = 2 * known.within if known.runs is not None else float(np.square(known.differences).mean())
    least = found.span * rule.margin * (1 - rule.margin / found.span) if math.isfinite(found.span) else 0.0
    return math.sqrt(max(variance, least))


def _designs(known: _Known, noise: float, rule: GateRule, both: int, simulate: _Simulations) -> tuple[GateDesign, ...]:
    """Return what would let an unchanged model pass, cheapest first; runs only where their variance is known.

    The normal formula gives the items for each number of runs. What the guards need more is simulated for the runs at
    hand, and all designs get the same factor. Nothing is advised where even twenty times as many items do not pass.
    """
    needed = ((rule.critical + NORMAL.inv_cdf(1 - (1 - POWER) / both)) / rule.margin) ** 2
    if not needed * noise**2 > 0:
        return ()
    about = max(2.0, needed * noise**2)
    try:
        needed *= simulate.needed_items(about) / about
    except ValueError:  # NaN: no number of items passes
        return ()
    found = []
    for runs in RUNS if known.within >= 0 else (known.n_runs,):
        variance = noise**2
        if known.within >= 0:
            variance += 2 * known.within * (1 / runs - 1 / known.n_runs)
        items = max(2, math.ceil(needed * max(variance, 0.0)))
        found.append(GateDesign(items, runs, 2 * items * runs))
    if known.within > 0:  # the same items, run more often
        between = noise**2 - 2 * known.within / known.n_runs
        room = known.n_items / needed - max(between, 0.0)
        runs = math.ceil(2 * known.within / room) if room > 0 else MOST_RUNS + 1
        if max(RUNS) < runs <= MOST_RUNS:
            found.append(GateDesign(known.n_items, runs, 2 * known.n_items * runs))
    return tuple(sorted(found, key=lambda one: (one.n_answers, one.n_items)))


def _notes(known: _Known, prepared: Prepared) -> tuple[str, ...]:
    how = (
        "The unchanged model is simulated from pairs of runs of one model on the same items."
        if known.source == "runs"
        else "The unchanged model is simulated by exchanging the two models at random on each item."
    )
    return (how, *prepared.complete.notes)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
