"""Exchange A and B item by item: Fisher's test, exact wherever the metric is a mean over items."""

import math
from types import MappingProxyType
from typing import Any

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import PValues
from howsure.inference.sign_flips import SMALLEST, sign_flips
from howsure.inference.simulated_sign_flips import simulated_sign_flips
from howsure.intervals.bootstrap_t import FEW_TELLING
from howsure.intervals.direct import are_signs, telling
from howsure.intervals.inverted_test import exact_upper_tail, lowest_kept
from howsure.nulls.bootstrap import StudentisedBootstrap
from howsure.nulls.item_test import (
    MEAN,
    Hypothesis,
    Resamples,
    Shape,
    Tails,
    TestedRows,
    Units,
    combined,
    inappropriate,
    no_interval,
    non_preferred,
    recommended,
)
from howsure.nulls.null import Resampler, Rule, holds_raters
from howsure.nulls.student import MeanTest, robust_error
from howsure.resampling.draws import Draws

MARKED, SURPRISING = 1.0, 2.58
"""Item advantages are markedly skewed if their skewness is at least the first, and the second times its error."""

LISTED = 24
"""Up to so many units all sets of two halves of them are listed in a few milliseconds."""


class SignFlip(MeanTest):
    """On each item (or cluster) A and B are exchanged with probability ½.

    The exchange keeps each item once, so the scheme's `items` concerns the interval only: a sign-flip test on resampled
    items would not be exact. Of a metric with item scores the tails are computed (`inference/sign_flips.py`); of the
    others all exchanges of few items are scored, and a random sample of those of many.
    """

    name, score_name = "sign-flip", "permutation"
    label = "permutation test of the mean"
    statistic = MEAN
    item_scores = False
    says = "on each item A and B are exchanged with probability ½, all their responses together"
    account = (
        "under the null hypothesis A and B are exchangeable on each item. The p-value is the share of all exchanges, "
        "with probability ½ for each item, whose advantage is at least as far from 0 as the observed one (Fisher 1935)"
    )
    how = "the signs of the differences are flipped by fair coins, in all possible ways (Fisher 1935)"
    from_resamples = False
    direct = True
    flips = True
    exact_with_few_clusters = True
    suitability = MappingProxyType(
        {
            Shape.NORMAL: non_preferred(2, "valid and about as powerful as t."),
            Shape.SYMMETRIC: non_preferred(1, "valid for symmetric differences, but outliers cost it power."),
            Shape.SKEWED: inappropriate(4, "it assumes symmetric differences, and tests the mean."),
            Shape.CLUSTERED: recommended("it flips whole clusters; its error rate is nominal even with few clusters."),
            Shape.RIGHT_OR_WRONG: non_preferred(
                2, "the same p-value as the sign test, with an interval for the accuracy."
            ),
        }
    )
    rules = (
        holds_raters("sign-flip"),
        Rule(
            verdict="warn",
            reason="resampling responses in addition to sign flips counts the response noise twice: the p-value is "
            "too large.",
            responses=("one", "bootstrap"),
        ),
    )

    def run(self, units: Units, hypothesis: Hypothesis, resamples: Resamples | None = None) -> TestedRows:
        """Test each row: exactly, or by expansion where very many units lie almost on a grid, but not on it."""
        centred, mean = units.less(hypothesis.delta), units.means
        less, greater = np.empty((2, len(mean)))
        exact = True
        for i, row in enumerate(centred.sums):
            flips = sign_flips(row)
            exact = exact and flips is not None
            less[i], greater[i] = (
                np.ravel(simulated_sign_flips(row[np.newaxis])) if flips is None else (flips.less, flips.greater)
            )
        pvalue, side = hypothesis.decide(np.maximum(less, SMALLEST), np.maximum(greater, SMALLEST))
        low, high = no_interval(mean)
        if hypothesis.interval:
            low, high = hypothesis.ends(*self._interval(units, hypothesis.tail))
        return TestedRows(mean, mean - hypothesis.delta, pvalue, side, low, high, exact=exact)

    @staticmethod
    def _interval(units: Units, tail: float) -> Tails:
        """Return the ends between which the test does not reject; infinite where too few units can be rejected.

        An end takes two dozen tails of shifted units, which lie on no grid: of more than `LISTED` units they would take
        seconds to compute exactly. Simulated ones move an end by at most a few hundredths of the standard error.
        """
        upper_tail = exact_upper_tail if units.n <= LISTED else _upper_tail
        low, high = np.full((2, len(units.sums)), np.inf)
        if 0.5**units.n > tail:
            return -low, high
        sizes = np.broadcast_to(units.sizes, units.sums.shape)
        for i, error in enumerate(robust_error(units)[1].tolist()):
            if math.isnan(error):  # all units are equal
                low[i] = high[i] = units.means[i]
                continue
            low[i], high[i] = (
                sign * lowest_kept(sign * units.sums[i], sizes[i], tail, error, upper_tail) for sign in (1, -1)
            )
        return low, high

    def simulated_pvalues(self, units: Units, hypothesis: Hypothesis, resamples: Resamples) -> FloatArray:
        """Return the p-value of each of many simulated data sets, in a fiftieth of the time of `run`."""
        tails = simulated_sign_flips(units.less(hypothesis.delta).sums, near=hypothesis.tail)
        return combined(tails, hypothesis.alternative)

    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return all exchanges where they are few, else random ones."""
        if data.keeps_responses and 2**data.n_units <= data.n_resamples:
            return data.every_exchange()
        return data.exchanged("sign-flip", items="all")

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the exact tails where they are known, else the share of exchanges."""
        if evidence.flips is None or any(flip is None for flip in evidence.flips):
            return super().pvalues(evidence, alternative)
        less, greater = np.array([(flip.less, flip.greater) for flip in evidence.flips if flip is not None]).T
        values, n = combined((less, greater), alternative), len(less)
        zeros = np.zeros(n, dtype=np.int64)
        return PValues(np.maximum(values, SMALLEST), np.zeros(n), zeros, values < SMALLEST, True, zeros, [""] * n)

    def can_reject(self, n_units: int, tail: float) -> bool:
        """Whether one exchange of all 2ⁿ is rare enough."""
        return bool(n_units >= 60 or 0.5**n_units <= tail)

    def pvalue_under_skewness(self, evidence: Evidence, alternative: str) -> float:
        """Return the p-value of the studentised bootstrap, where items are markedly skewed; NaN without draws."""
        items, error = evidence.items[0], float(evidence.errors[0])
        if not items.size or not error > 0 or not evidence.draws.size or np.isnan(evidence.standard_errors).all():
            return math.nan
        if not is_skewed(items):
            return math.nan
        plain = Evidence(
            np.array([items.mean()]),
            draws=evidence.draws,
            standard_errors=evidence.standard_errors,
            errors=evidence.errors,
        )
        return StudentisedBootstrap().of(plain, alternative)[0].pvalue

    def cautions(self, evidence: Evidence, metric: str, alternative: str) -> list[str]:
        """Say that item advantages are skewed, where exchanges assume symmetry."""
        if math.isnan(self.pvalue_under_skewness(evidence, alternative)):
            return []
        skewness, _ = skewness_of(evidence.items[0])
        return [
            f"Item differences in {metric} are markedly skewed (skewness {skewness:.2g}), but the sign-flip test "
            "assumes symmetry if A and B are equally good. The p-value that allows for skewness is that of the "
            "studentised bootstrap test (`null='studentised'`)."
        ]


def _upper_tail(sums: FloatArray) -> float:
    return float(simulated_sign_flips(sums[np.newaxis])[1][0])


def is_skewed(advantages: FloatArray) -> bool:
    """Whether item advantages are so skewed, and so many of them differ from zero, that it matters and shows."""
    if are_signs(advantages) or telling(advantages) < FEW_TELLING:
        return False
    skewness, least = skewness_of(advantages)
    return bool(abs(skewness) >= least)


def skewness_of(advantages: FloatArray) -> tuple[Any, float]:
    """Return the skewness of item advantages, the last axis being items, and how large a marked one is at least."""
    n = advantages.shape[-1]
    centred = (advantages - advantages.mean(axis=-1, keepdims=True)) / advantages.std(axis=-1, keepdims=True)
    by_chance = math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    return math.sqrt(n * (n - 1)) / (n - 2) * (centred**3).mean(axis=-1), max(MARKED, SURPRISING * by_chance)
