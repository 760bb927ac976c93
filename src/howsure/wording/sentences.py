"""Every sentence about an estimate: who is better, what is undecided, margins, raters, power, disagreements.

The system that did better is named first, so that a difference needs no sign.
"""

import math
from collections.abc import Mapping, Sequence

from howsure.documents.numbers import counted, number, rough, subtracted
from howsure.documents.numbers import pvalue as p_of
from howsure.inference import Estimate
from howsure.raters.design import FEW_RATERS
from howsure.wording.estimates import interval, p

BETTER = ("is better", "is worse")
HIGHER = ("scores higher", "scores lower")
"""What a claim says of the first system: of models, and of systems with a score for each segment."""

BORDERLINE = "Treat this as a borderline case."


def order_of(estimate: Estimate, alternative: str = "two-sided") -> int:
    """Return 1 where a sentence names A first, −1 where B: the better one; an undecided one-sided question names A."""
    keeps = not estimate.value < 0 or (alternative != "two-sided" and not estimate.is_significant)
    return 1 if keeps else -1


def claim(
    names: Sequence[str],
    *,
    significant: bool,
    alternative: str = "two-sided",
    verbs: tuple[str, str] = BETTER,
    where: str = "",
) -> str:
    """Return who is better, or that this is not clear, of two systems in the order in which they are named."""
    first, second = names
    if significant:
        return f"{first} {verbs[0]} than {second}{where}"
    if alternative == "two-sided":
        return f"No clear difference between {first} and {second}{where}"
    return f"No clear sign that {first} {verbs[alternative == 'less']} than {second}{where}"


def headline(a: str, b: str, estimate: Estimate, alternative: str, whose: str = "") -> str:
    """Return the claim for the top of a page about A and B, which has their names: without them where it is open."""
    if estimate.is_significant:
        return f"{claim((a, b)[:: 1 if estimate.value > 0 else -1], significant=True, where=whose)}."
    if alternative == "two-sided":
        return f"No clear difference{whose}."
    return f"No clear sign that {a} {BETTER[alternative == 'less']}{whose}."


def finding(who: str, scores: str, difference: str, ends: str, p_text: str, *, significant: bool, how: str = "") -> str:
    """Return a claim with both scores, their difference, its interval (or "") and p; `how` names test and sample."""
    if significant:
        by = f"{difference} ({ends})" if ends else difference
        return f"{who}: {scores}, {by}, {p_text}{f' ({how})' if how else ''}."
    return f"{who}: {scores} ({', '.join(part for part in (difference, ends, p_text, how) if part)})."


def comparison(
    estimate: Estimate,
    names: Sequence[str],
    scores: tuple[float, float],
    p_text: str,
    *,
    title: str,
    better: str,
    alternative: str = "two-sided",
    where: str = "",
    together: str = "",
) -> str:
    """Return who is better, both scores, by how much, and how sure.

    The estimate is how much better the first is, `better` is "higher" or "lower", `where` follows the names (" on topic
    = news") and `together` the interval.

    Examples
    --------
    >>> from howsure.inference import ConfidenceInterval
    >>> found = Estimate(-0.248, ConfidenceInterval(-0.338, -0.158, "t", 0.95), pvalue=0.001)
    >>> comparison(found, ("x", "y"), (0.686, 0.438), "p = .001", title="mean absolute error", better="lower")
    'y is better than x: mean absolute error 0.438 vs 0.686, lower by 0.248 (95% CI 0.158 to 0.338), p = .001.'
    """
    order, significant = order_of(estimate, alternative), estimate.is_significant
    ahead, behind = estimate.unsigned(), order * estimate.value < 0
    *texts, by, _ = subtracted(*scores, ahead.value, ahead.confidence_interval)
    # Where a one-sided answer points the other way, words say which score is lower, or higher, than it should be.
    worse = "lower" if better == "higher" else "higher"
    way = f"{better if significant else worse} by" if significant or behind else "difference"
    pair = names[::order]
    who = claim(pair, significant=significant, alternative=alternative, where=where)
    if math.isnan(estimate.pvalue):
        who = f"No verdict on {pair[0]} and {pair[1]}{where}"
    ends = f"{interval(ahead.confidence_interval, ahead.value)}{together}"
    both = f"{title} {' vs '.join(texts[::order])}"
    return finding(who, both, f"{way} {by}", ends, p_text, significant=significant)


def power(detectable: float, what: str = "difference", about: str = "") -> str:
    """Return what an undecided study could have found."""
    return f"This design has 80% power for a {what} of {rough(detectable)}{about}."


def no_power(n: int, unit: str, *, at: str = "", why: str = "") -> str:
    """Return that a study is too small to find anything."""
    return f"With {counted(n, unit)} no difference can be significant{at}, however large{why}."


def disagreements(estimate: Estimate, skewness_pvalue: float = math.nan, *, can_reject: bool = True) -> list[str]:
    """Return where two p-values, or p-value and interval, disagree.

    `skewness_pvalue` is that of a test that allows for skewness, and `can_reject` says whether any p-value of such a
    study could be significant.
    """
    ends = estimate.confidence_interval
    alpha, lines = ends.alpha, []
    if any(map(math.isnan, (estimate.value, ends.low, estimate.pvalue))):
        return []
    if not math.isnan(skewness_pvalue) and estimate.is_significant != (skewness_pvalue <= alpha):
        both = "The exchange test and one that allows for skewness disagree"
        lines.append(f"{both} at {100 * alpha:.2g}%. {BORDERLINE}")
    if ends.excludes_zero == (estimate.pvalue <= alpha):
        return lines
    if ends.excludes_zero and not can_reject:  # which the verdict says
        return [*lines, "The interval excludes 0, but it assumes normal differences, which so few items cannot show."]
    side = "excludes 0 although p is above" if ends.excludes_zero else "includes 0 although p is at most"
    ways = "test and interval are computed in different ways"
    return [*lines, f"The interval {side} {alpha:.2g}: {ways}. {BORDERLINE}"]


def equivalent(a: str, b: str, size: str) -> str:
    """Return that two systems differ by less than a margin."""
    return f"{a} and {b} are equivalent: they differ by less than {size}"


def margin(
    within: Estimate, size: float, names: Sequence[str], pvalues: tuple[float, float, float], alpha: float
) -> str:
    """Return what tests against a margin allow to say of A and B, and no more.

    `within` has the two-sided interval at level 1 − 2α. The p-values are of three claims: A is better by more than the
    margin, within it in both directions, not worse by more than it.
    """
    (a, b), shown = names, number(size)
    ends = interval(within.confidence_interval, within.value)
    claims = (
        f"{a} is better than {b} by more than {shown}",
        equivalent(a, b, shown),
        f"{a} is not worse than {b} by more than {shown}",
    )
    for pvalue, who in zip(pvalues, claims, strict=True):
        if pvalue <= alpha:
            return f"{who} ({ends}, {p(p_of(pvalue))})."
    other = within.turned()
    if other.confidence_interval.low > size:
        return f"{b} is better than {a} by more than {shown} ({interval(other.confidence_interval, other.value)})."
    neither = f"The data do not show that {a} is within {shown} of {b} ({ends}, {p(p_of(pvalues[1]))})"
    return f"{neither}, nor that it is better by more than {shown}."


def labelled_items(n_labelled: int, n_items: int, n_raters: int) -> str:
    """Return how many of the items that a judge scored were labelled by people."""
    raters = f" by {counted(n_raters, 'rater')}" if n_raters > 1 else ""
    which = f"All {n_items:,}" if n_labelled == n_items else f"{n_labelled:,} of {n_items:,}"
    return f"{which} items are labelled{raters}"


def whose_raters(n_raters: int) -> tuple[str, str]:
    """Return what the two answers about raters hold for."""
    return f"For these {n_raters} raters", "For raters like these"


def aligned(answers: Mapping[str, str]) -> list[str]:
    """Return answers in lines, each after what it holds for, one below the other."""
    longest = max(map(len, answers))
    return [f"{head + ':':<{longest + 1}}  {answer}" for head, answer in answers.items()]


def few_raters(n_raters: int) -> str:
    """Return that an answer about raters like these is no more than a hint."""
    return f"{n_raters} raters are too few to generalise reliably"


def which_line(n_raters: int) -> str:
    """Return which of the two aligned answers about raters to report."""
    if n_raters < FEW_RATERS:
        return f"Report the first line. The second is only a hint: {few_raters(n_raters)}. Add raters."
    return "Report the second line unless exactly these raters are the standard."
