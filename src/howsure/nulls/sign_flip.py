"""Exchange A and B item by item: Fisher's test, exact wherever the metric is a mean over items."""

import math
from typing import Any

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import PValues
from howsure.inference.sign_flips import SMALLEST
from howsure.intervals.bootstrap_t import FEW_TELLING
from howsure.intervals.direct import are_signs, telling
from howsure.nulls.null import Null, Resampler, Rule, holds_raters
from howsure.nulls.studentised import StudentisedBootstrap
from howsure.resampling.draws import Draws

MARKED, SURPRISING = 1.0, 2.58
"""Item advantages are markedly skewed if their skewness is at least the first, and the second times its error."""


class SignFlip(Null):
    """On each item (or cluster) A and B are exchanged with probability ½.

    The exchange keeps each item once, so the scheme's `items` concerns the interval only: a sign-flip test on resampled
    items would not be exact. Of a metric with item scores the tails are computed (`inference/sign_flips.py`); of the
    others all exchanges of few items are scored, and a random sample of those of many.
    """

    name = "sign-flip"
    says = "on each item A and B are exchanged with probability ½, all their responses together"
    account = (
        "under the null hypothesis A and B are exchangeable on each item. The p-value is the share of all exchanges, "
        "with probability ½ for each item, whose advantage is at least as far from 0 as the observed one (Fisher 1935)"
    )
    from_resamples = False
    direct = True
    flips = True
    rules = (
        holds_raters("sign-flip"),
        Rule(
            verdict="warn",
            reason="resampling responses in addition to sign flips counts the response noise twice: the p-value is "
            "too large.",
            responses=("one", "bootstrap"),
        ),
    )

    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return all exchanges where they are few, else random ones."""
        if data.keeps_responses and 2**data.n_units <= data.n_resamples:
            return data.every_exchange()
        return data.exchanged("sign-flip", items="all")

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the exact tails where they are known, else the share of exchanges."""
        if evidence.flips is None or any(flip is None for flip in evidence.flips):
            return super().pvalues(evidence, alternative)
        tails = np.array([(flip.less, flip.greater) for flip in evidence.flips if flip is not None])
        values = {"less": tails[:, 0], "greater": tails[:, 1]}.get(alternative, np.minimum(1.0, 2 * tails.min(axis=1)))
        n = len(values)
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
