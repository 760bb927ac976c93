"""What is audited: every p-value and every interval that one data set can be given.

A test is a scheme and a null, or an analytical test of the item advantages. Draws are read in two ways: as *tail* p
(the observed advantage against null draws, by which `compare` decides) and as *expected* p (LEADER's: null draws
against resampled advantages). Each is what `compare` says: the same procedure runs.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from howsure import _random, intervals
from howsure.comparison import Procedure
from howsure.comparison.comparing import gather_rows
from howsure.comparison.gathering import Shared
from howsure.data.contests import Contest
from howsure.data.scales import FloatArray
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import PValues
from howsure.intervals.direct import Edgeworth
from howsure.intervals.inverted_test import SignFlipInterval
from howsure.metrics import AdditiveMetric, Metric
from howsure.models import ResponseModel
from howsure.nulls import NULLS, SIGN_FLIP
from howsure.nulls.bootstrap import BootstrapSign, ShiftedBootstrap
from howsure.nulls.item_test import exact_pvalues
from howsure.nulls.mixed_responses import PermutedResponses, PooledResponses
from howsure.nulls.ranks import Wilcoxon
from howsure.nulls.student import StudentT
from howsure.resampling import Scheme, Stack, can_stack, stackable

TAIL, EXPECTED = "tail", "expected"
BOOTSTRAP_SIGN = BootstrapSign.name
"""Pooled responses that are all kept make A and B the same pool: every null advantage is 0, and LEADER's estimated p of
(bootstrap_items, all) is the bootstrap probability that the advantage changes sign. This is its name here."""

DEFAULTS = tuple(null.name for null in (SIGN_FLIP, ShiftedBootstrap, PermutedResponses, PooledResponses))
"""The nulls that are audited unless others are asked for; with raters, random-effects too."""

ANALYTICAL = tuple(null.name for null in (StudentT, Wilcoxon))
EVERY = 50


class LookedAtT(StudentT):
    """Student's t after every 50 items, as somebody does who stops at the first significant difference.

    It is audited to show what looking early costs with an ordinary p-value, and no test that anybody should use
    (`howsure gate --looks` and `--sequential` look early without that cost).
    """

    name = f"paired-t-every-{EVERY}"

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the smallest p-value of all looks of each row."""
        n = evidence.items.shape[1]
        looks = [*range(EVERY, n, EVERY), n]
        parts = [
            super(LookedAtT, self).pvalues(replace(evidence, items=evidence.items[:, :k]), alternative) for k in looks
        ]
        return exact_pvalues(np.fmin.reduce([part.values for part in parts]))


LOOKED_AT = LookedAtT()
TESTS = {**{name: NULLS[name] for name in ANALYTICAL}, LOOKED_AT.name: LOOKED_AT}
"""The tests of item advantages that can be audited; the last one is never advised."""

INTERVALS = tuple(intervals.INTERVALS)
DEFAULT_INTERVALS = tuple(name for name in INTERVALS if name not in (Edgeworth.name, SignFlipInterval.name))
"""Audits are mostly of small studies without clusters, for which these two are not meant."""
ASKED_TESTS, ASKED_INTERVALS = (*TESTS, "none"), (*INTERVALS, "none")
"""The words by which they are asked for."""
NO_SCHEME = "–"


Simulated = tuple[Stack | Sequence[Contest], np.random.SeedSequence]
"""Data sets, and the seed of their draws."""


class Estimator(NamedTuple):
    """Which p-value: by metric, scheme, null (or the name of an analytical test), and how the draws are read."""

    metric: str
    scheme: str
    null: str
    pvalue: str


class IntervalKey(NamedTuple):
    """Which interval."""

    metric: str
    scheme: str
    interval: str


class PvalueEstimate(NamedTuple):
    """What an estimator says of one data set.

    `estimate` is its guess at the true p, which asks whether A is better: the one-sided tail p has exactly the true p
    as its expectation where the null draws are right. `pvalue` is what a user would hold against the level: two-sided,
    except for expected p, which has one side only.
    """

    estimate: float
    pvalue: float


@dataclass(frozen=True, slots=True)
class Estimators:
    """What to compute on every data set.

    Attributes
    ----------
    metrics : tuple of Metric
        Each already on the scale of the data.
    pairs : tuple of (Scheme, nulls)
        Every scheme with the nulls that have a meaning under it.
    only : mapping of scheme to metric names
        Where some metrics would be the same or nothing at all under a scheme: the ones to compute.
    tests : tuple of str
        Analytical tests of the item advantages.
    intervals : tuple of str
    n_resamples : int
    confidence_level : float
    cluster : str, optional
        The column of the simulated tables that groups items.
    """

    metrics: tuple[Metric, ...]
    pairs: tuple[tuple[Scheme, tuple[str, ...]], ...]
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    intervals: tuple[str, ...] = ()
    n_resamples: int = 399
    confidence_level: float = 0.95
    cluster: str | None = None

    def on(self, data: Simulated) -> "Estimates":
        """Return every p-value and interval of simulated data sets, each with the seed of its draws."""
        leaves_out = any(intervals.INTERVALS[method].leaves_out for method in self.intervals)
        compared = DataSets.of(data, at_once=self.cluster is None, leaves_out=leaves_out)
        found = Estimates({}, {})
        for scheme, nulls in self.pairs:
            self._by_scheme(found, compared, scheme, nulls)
        for metric in self.metrics:
            if isinstance(metric, AdditiveMetric) and self.tests:
                rows = compared.item_advantages(metric)
                for name in self.tests:
                    known = np.concatenate([analyse_rows(name, part) for part in rows])
                    found.tests[Estimator(metric.name, NO_SCHEME, name, TAIL)] = known
        return found

    def _by_scheme(self, found: "Estimates", data: "DataSets", scheme: Scheme, nulls: Sequence[str]) -> None:
        """Compare by every null, and give every interval once: the draws of a scheme are the same whatever the null."""
        name = write(scheme)
        metrics = [metric for metric in self.metrics if metric.name in self.only.get(name, (metric.name,))]
        for null in nulls or (ShiftedBootstrap.name,):
            how = _procedure(scheme, null, self.cluster, self.n_resamples, self.confidence_level)
            for metric, known in zip(metrics, data.compared(how, metrics), strict=True):
                if null in nulls:
                    found.tests.update(_estimates(Estimator(metric.name, name, null, TAIL), known))
                for method in self.intervals:
                    key = IntervalKey(metric.name, name, method)
                    if key not in found.limits and has_interval(method, metric, scheme):
                        ends = [
                            intervals.INTERVALS[method].ends(one, self.confidence_level, "two-sided") for one in known
                        ]
                        found.limits[key] = np.concatenate([np.stack([one.low, one.high], axis=1) for one in ends])


def simulated(
    model: ResponseModel, stream: np.random.SeedSequence, numbers: Sequence[int], *, n_items: int, **design: Any
) -> Simulated:
    """Simulate the data sets of these numbers, at once where the model draws tables without anything of its own."""
    draws = _random.child(stream, "draws", numbers[0])
    if type(model).table is ResponseModel.table and stackable(n_items, model.scale):
        rng = _random.generator(stream, "data sets", numbers[0])
        grids = model.draw(len(numbers), n_items, needs="values", rng=rng, **design)
        if not any(np.isnan(grid).any() for grid in grids):
            return Stack.of_grids(*grids, scale=model.scale), draws
    tables = [model.table(n_items, rng=_random.child(stream, "data set", number), **design) for number in numbers]
    return [table.contest(gold="gold", a="A", b="B").complete() for table in tables], draws


@dataclass(frozen=True, slots=True)
class DataSets:
    """Data sets that are compared by several procedures, which share what they can.

    They are one stack where they have the same sizes, else a stack each.
    """

    stacks: Sequence[Stack]
    seeds: Sequence[np.random.SeedSequence]
    shared: Sequence[Shared]

    @classmethod
    def of(cls, data: Simulated, *, at_once: bool, leaves_out: bool) -> "DataSets":
        """Take data sets together if asked for and possible; `leaves_out` is that of `Shared`."""
        contests, seed = data
        if isinstance(contests, Stack):
            stacks = [contests]
        elif at_once and can_stack(contests):
            stacks = [Stack.of(contests)]
        else:
            stacks = [Stack(contest) for contest in contests]
        seeds = [_random.child(seed, number) for number in range(len(stacks))] if len(stacks) > 1 else [seed]
        return cls(stacks, seeds, [Shared(leaves_out=leaves_out) for _ in stacks])

    def compared(self, how: Procedure, metrics: Sequence[Metric]) -> list[list[Evidence]]:
        """Return what comparisons by a procedure rest on: for each metric, the evidence of all stacks."""
        found = [
            shared.once(how, partial(gather_rows, stack, metrics=metrics, procedure=how, shared=shared, rng=seed))
            for stack, seed, shared in zip(self.stacks, self.seeds, self.shared, strict=True)
        ]
        return [[one.evidence for one in of_metric] for of_metric in zip(*found, strict=True)]

    def item_advantages(self, metric: AdditiveMetric) -> list[FloatArray]:
        """Return the item advantages of each stack: (data sets, items)."""
        return [stack.item_advantages(metric) for stack in self.stacks]


@cache
def _procedure(scheme: Scheme, null: str, cluster: str | None, n_resamples: int, confidence_level: float) -> Procedure:
    return Procedure(
        null=null,
        items=scheme.items,
        responses=scheme.responses,
        n_responses=scheme.n_responses,
        raters=scheme.raters,
        cluster=cluster,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        interval="percentile",
    )


def _estimates(key: Estimator, known: Sequence[Evidence]) -> dict[Estimator, FloatArray]:
    """Return the tail p and the expected p of comparisons: (data sets, 2), an `PvalueEstimate` in each row."""
    null, found = NULLS[key.null], {}
    if TAIL in null.audited:
        sides = [[null.pvalues(one, side).values for one in known] for side in ("greater", "two-sided")]
        found[key] = np.stack([np.concatenate(parts) for parts in sides], axis=1)
    if EXPECTED in null.audited:
        found[key._replace(pvalue=EXPECTED)] = _twice(np.concatenate([null.expected(one) for one in known]))
    return found


def _twice(pvalues: FloatArray) -> FloatArray:
    return np.stack([pvalues, pvalues], axis=1)


class Estimates(NamedTuple):
    """What is said of data sets: (data sets, 2), an `PvalueEstimate` or the ends of an interval in each row."""

    tests: dict[Estimator, FloatArray]
    limits: dict[IntervalKey, FloatArray]

    @classmethod
    def joined(cls, parts: Sequence["Estimates"]) -> "Estimates":
        """Return what is said of the data sets of all parts."""
        tests, limits = zip(*parts, strict=True)
        return cls(_joined(tests), _joined(limits))


def _joined(parts: Sequence[dict[Any, FloatArray]]) -> dict[Any, FloatArray]:
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def keeps_responses(scheme: Scheme) -> bool:
    """Whether a draw has all the responses of its items (or the first, once and for all)."""
    return scheme.keeps_responses


def has_interval(name: str, metric: Metric, scheme: Scheme) -> bool:
    """Whether `compare` would give this interval, and whatever the data are."""
    kind = intervals.INTERVALS[name]
    if scheme.raters == "random":
        return kind.random_raters
    items_alone = scheme.items == "bootstrap" and keeps_responses(scheme)
    return kind.fits(metric) and kind.possible(item_scores=metric.additive, items_alone=items_alone)


def analyse(name: str, advantages: FloatArray) -> PvalueEstimate:
    """Return Student's or Wilcoxon's p of the item advantages; both are undefined or 1 where no item differs."""
    return PvalueEstimate(*analyse_rows(name, advantages[np.newaxis])[0].tolist())


def analyse_rows(name: str, rows: FloatArray) -> FloatArray:
    """Return the same for each row of item advantages: (rows, 2)."""
    known, null = Evidence(np.zeros(len(rows)), items=rows), TESTS[name]
    return np.stack([null.pvalues(known, side).values for side in ("greater", "two-sided")], axis=1)


def pairs(schemes: Sequence[Scheme], nulls: Sequence[str]) -> Iterator[tuple[Scheme, str, str]]:
    """Yield each (scheme, null, reason); the reason says why a combination has no meaning, and is empty if it has one.

    What `compare` refuses is left out, except for pooled responses that are all kept, which appear as what they are.
    """
    for scheme in schemes:
        for null in nulls:
            if null == PooledResponses.name and keeps_responses(scheme) and scheme.items == "bootstrap":
                yield scheme, BOOTSTRAP_SIGN, ""
                continue
            judged = NULLS[null].judge(scheme, (math.inf, math.inf))
            refused = [reason for verdict, reason in judged if verdict == "refuse"]
            yield scheme, null, refused[0] if refused else ""


def words(scheme: Scheme) -> tuple[str, ...]:
    """Return a scheme as words: items, responses (with their number where it is not the data's), drawn raters."""
    count = "" if scheme.n_responses is None else f":{scheme.n_responses}"
    drawn = ("random",) if scheme.raters == "random" else ()
    return scheme.items, f"{scheme.responses}{count}", *drawn


def scheme_of(items: str, responses: str, raters: str = "fixed") -> Scheme:
    """Return the scheme of these words.

    Examples
    --------
    >>> scheme_of("bootstrap", "bootstrap:3").n_responses
    3
    """
    kind, colon, count = responses.partition(":")
    return Scheme(items, kind, raters, int(count) if colon else None)


def write(scheme: Scheme) -> str:
    """Write a scheme as items/responses, and raters where they are drawn."""
    items, responses, *raters = words(scheme)
    return "/".join([items, responses, *("raters" for _ in raters)])


def kept(scheme: Scheme, n_responses: int) -> int:
    """Return how many responses of an item a draw has, of so many."""
    return 1 if scheme.responses in ("one", "first") else scheme.n_responses or n_responses
