"""Headlines of the questions without a view of their own: the answer to the title in a dozen words.

A question that is not listed here has the beginning of its verdict.
"""

import math
from collections.abc import Callable
from typing import Any

from howsure.documents.numbers import error_of, number, rough
from howsure.web.everyday_words import plural

RELIABLE, TENTATIVE = 0.8, 2 / 3
"""From which Krippendorff's alpha on conclusions are safe, and from which on tentative ones are (his own limits)."""


def _describe(result: Any) -> str:
    found = [source.agreement for source in result.sources if source.agreement is not None]
    alphas = sorted(one["krippendorff_alpha"].value for one in found)
    alphas = [value for value in alphas if not math.isnan(value)]
    if not alphas:
        return f"{plural(result.n_items, 'item')}, {plural(len(result.sources), 'source')}; agreement is not known."
    word = "well" if alphas[0] >= RELIABLE else "moderately" if alphas[-1] >= TENTATIVE else "little"
    ends = f"{alphas[0]:.2f}" if len(alphas) == 1 else f"{alphas[0]:.2f} to {alphas[-1]:.2f}"
    return f"Raters agree {word} (alpha {ends})."


def _score(result: Any) -> str:
    known = [model for model in result.models if not math.isnan(model.score)]
    if not known:
        return "No score is defined on these data."
    best = (max if known[0].better == "higher" else min)(known, key=lambda model: model.score)
    value = number(best.score, error_of(best.confidence_interval, best.score))
    return (
        f"{best.name}: {best.title} {value}." if len(known) == 1 else f"{best.name} scores best: {best.title} {value}."
    )


def _reliability(result: Any) -> str:
    worst = max(result.models, key=lambda model: model.noise_floor, default=None)
    if worst is None:
        return "These data hold no repeated runs."
    return f"Two runs of {worst.name} differ by up to {rough(worst.noise_floor)} by chance."


def _fit(result: Any) -> str:
    from howsure.models.fitting.fits import ALPHA

    bad = [one for one in result.goodness if one.pvalue <= ALPHA / len(result.goodness)]
    if bad:
        return "Poor fit: this model does not reproduce the answers."
    return "This model fits: nothing in the answers contradicts it." if result.goodness else "This is the fitted model."


HEADLINES: dict[str, Callable[[Any], str]] = {
    "describe": _describe,
    "score": _score,
    "reliability": _reliability,
    "fit": _fit,
}
