"""What is audited: every p-value and every interval that one data set can be given.

A test is a scheme and a null, or an analytical test of the item contrasts. Draws are read in two ways: as *tail* p (the
observed contrast against null draws, by which `compare` decides) and as *expected* p (LEADER's: null draws against
resampled contrasts). Draws, ties and roundings are those of `compare`; the tests check that p is the same number.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from assay import inference
from assay.comparison.limits import NEEDED, can_have
from assay.comparison.observed import moments, rounding_of, settled
from assay.inference import ConfidenceInterval
from assay.metrics import AdditiveMetric, Metric
from assay.resampling import Draws, Scheme, draw, enumerate_swaps, judge, kept_responses, summaries_of
from assay.responses import Contest
from assay.scales import FloatArray

TAIL, EXPECTED = "tail", "expected"
SIGN_CHANGE = "sign-change"
"""Pooled responses that are all kept make A and B the same pool: every null contrast is 0, and LEADER's estimated p of
(bootstrap_items, all) is the bootstrap probability that the contrast changes sign. This is its name here."""

NULLS = ("swapped-items", "recentred", "dealt-responses", "pooled-responses")
ANALYTICAL = ("paired-t", "wilcoxon")
INTERVALS = inference.METHODS
NO_SCHEME = "–"


class Estimator(NamedTuple):
    """Which p-value: by metric, scheme, null (or the name of an analytical test), and how the draws are read."""

    metric: str
    scheme: str
    null: str
    pvalue: str


class Limits(NamedTuple):
    """Which interval."""

    metric: str
    scheme: str
    interval: str


class Estimate(NamedTuple):
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
    analytical : tuple of str
    intervals : tuple of str
    n_resamples : int
    confidence_level : float
    """

    metrics: tuple[Metric, ...]
    pairs: tuple[tuple[Scheme, tuple[str, ...]], ...]
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    analytical: tuple[str, ...] = ()
    intervals: tuple[str, ...] = ()
    n_resamples: int = 399
    confidence_level: float = 0.95

    def on(self, contest: Contest, seed: np.random.SeedSequence) -> "Found":
        """Return every p-value and interval of one data set."""
        found = Found({}, {})
        for scheme, nulls in self.pairs:
            self._by_scheme(found, contest, scheme, nulls, seed)
        for metric in self.metrics:
            if isinstance(metric, AdditiveMetric):
                contrasts = metric.item_contrasts(*summaries_of(contest, metric.needs))
                for name in self.analytical:
                    found.tests[Estimator(metric.name, NO_SCHEME, name, TAIL)] = analyse(name, contrasts)
        return found

    def _by_scheme(
        self, found: "Found", contest: Contest, scheme: Scheme, nulls: Sequence[str], seed: np.random.SeedSequence
    ) -> None:
        metrics = [metric for metric in self.metrics if metric.name in self.only.get(write(scheme), (metric.name,))]
        draws = self._draw(contest, metrics, scheme, None, seed)
        nulls_drawn = {null: self._null(contest, metrics, scheme, null, draws, seed) for null in nulls}
        seen = kept_responses(contest, scheme)
        for i, metric in enumerate(metrics):
            sides = summaries_of(seen, metric.needs)
            observed, rounding = float(metric.contrast(*sides)), rounding_of(metric, seen)
            kept = settled(draws.contrasts[i], observed, rounding)
            for null, drawn in nulls_drawn.items():
                under_null = settled(drawn.contrasts[i], observed, rounding)
                expected = inference.expected_pvalue(under_null, kept).pvalue
                key = Estimator(metric.name, write(scheme), null, EXPECTED)
                found.tests[key] = Estimate(expected, expected)
                if null != SIGN_CHANGE:
                    one, two = (
                        inference.tail_pvalue(observed, under_null, alternative=side, exact=drawn.exact).pvalue
                        for side in ("greater", "two-sided")
                    )
                    found.tests[key._replace(pvalue=TAIL)] = Estimate(one, two)
            methods = [method for method in self.intervals if has_interval(method, metric, scheme)]
            error, df, left = np.nan, np.nan, np.empty(0)
            if NEEDED.keys() & set(methods):
                error, df, left = moments(metric, *sides, contest=seen, rounding=rounding, clusters=None)
                left = settled(left, observed, rounding)
            for method in methods:
                found.limits[Limits(metric.name, write(scheme), method)] = inference.interval(
                    method, kept, estimate=observed, jackknife=left, standard_errors=draws.standard_errors[i],
                    standard_error=error, df=df, span=metric.span, confidence_level=self.confidence_level,
                )  # fmt: skip

    def _draw(
        self, contest: Contest, metrics: Sequence[Metric], scheme: Scheme, null: Any, seed: np.random.SeedSequence
    ) -> Draws:
        return draw(contest, metrics, scheme=scheme, null=null, n_resamples=self.n_resamples, seed=seed)

    def _null(  # noqa: PLR0917 (one step of `_by_scheme`)
        self,
        contest: Contest,
        metrics: Sequence[Metric],
        scheme: Scheme,
        null: str,
        draws: Draws,
        seed: np.random.SeedSequence,
    ) -> Draws:
        """Return the null draws as `compare` makes them; a sign change has its zeros without drawing."""
        if null == SIGN_CHANGE:
            return Draws(np.zeros_like(draws.contrasts), draws.standard_errors)
        if null == "recentred":
            return draws.recentred()
        if null != "swapped-items":
            return self._draw(contest, metrics, scheme, null, seed)
        if keeps_responses(scheme) and 2**contest.n_items <= self.n_resamples:
            return enumerate_swaps(contest, metrics, scheme=scheme)
        return self._draw(contest, metrics, replace(scheme, items="all"), null, seed)


class Found(NamedTuple):
    """The p-values and intervals of one data set."""

    tests: dict[Estimator, Estimate]
    limits: dict[Limits, ConfidenceInterval]


def keeps_responses(scheme: Scheme) -> bool:
    """Whether a draw has all the responses of its items (or the first, once and for all)."""
    return scheme.keeps_responses


def has_interval(method: str, metric: Metric, scheme: Scheme) -> bool:
    """Whether `compare` would give this interval, and whatever the data are."""
    resamples_items = scheme.items == "bootstrap" and keeps_responses(scheme)
    signs = method != "score" or metric.counts_items
    return signs and can_have(method, metric, resamples_items=resamples_items)


def analyse(name: str, contrasts: FloatArray) -> Estimate:
    """Return Student's or Wilcoxon's p of the item contrasts; both are undefined or 1 where no item differs."""
    from assay.paired.means import t_test
    from assay.paired.ranks import wilcoxon
    from assay.paired.rows import Hypothesis, Resamples, Sample

    test: Callable[..., object] = {"paired-t": t_test, "wilcoxon": wilcoxon}[name]
    sample = Sample.independent(contrasts[np.newaxis, :])
    one, two = (
        float(test(sample, Hypothesis(side, interval=False), Resamples(np.random.SeedSequence(0))).pvalue[0])  # type: ignore[attr-defined]
        for side in ("greater", "two-sided")
    )
    return Estimate(one, two)


def pairs(schemes: Sequence[Scheme], nulls: Sequence[str], *, single: bool) -> Iterator[tuple[Scheme, str, str]]:
    """Yield each (scheme, null, reason); the reason says why a combination has no meaning, and is empty if it has one.

    What `compare` refuses is left out, except for pooled responses that are all kept, which appear as what they are.
    """
    for scheme in schemes:
        for null in nulls:
            if null == "pooled-responses" and keeps_responses(scheme) and scheme.items == "bootstrap":
                yield scheme, SIGN_CHANGE, ""
                continue
            refused = [reason for verdict, reason in judge(scheme, null, single=single) if verdict == "refuse"]
            yield scheme, null, refused[0] if refused else ""


def write(scheme: Scheme) -> str:
    """Write a scheme as items/responses."""
    return f"{scheme.items}/{scheme.responses}"
