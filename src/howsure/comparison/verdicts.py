"""What a comparison says in English: who is better, what the study could have found, where p and interval differ."""

import math
from collections.abc import Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING

from howsure.comparison import baselines
from howsure.data.scales import FREE_TEXT, FREE_TEXT_CAUTION
from howsure.documents import Block, Caution, Column, Document, Measured, Sentence, Table, details
from howsure.documents.numbers import error_of, in_words, listed, number, rough, subtracted
from howsure.documents.numbers import interval as ends_of
from howsure.documents.numbers import pvalue as p_of
from howsure.nulls import NULLS

if TYPE_CHECKING:
    from howsure.comparison.margins import MarginTests
    from howsure.comparison.rater_answers import RaterAnswer
    from howsure.comparison.results import Comparison
    from howsure.inference import ConfidenceInterval

MANY = 8
"""With more comparisons than this, the verdicts are counted instead of listed."""

NAMED = 5
"""A note names so many of the comparisons that it belongs to."""

MOST, LEAST = 200, 50
"""The most rows of a table; of more comparisons it has those that are decided, and at least the second number."""


def document(found: Sequence["Comparison"], correction: str, signature: str) -> Document:
    """Return the document of one or several comparisons."""
    first = found[0]
    _, a, b = first.names
    several = len(found) > 1
    blocks: list[Block] = []
    if len(found) > MANY:
        blocks += [Sentence(counted(found), "verdict")]
    else:
        blocks += [Sentence(verdict(entry), "verdict") for entry in found]
    shown = tabled(found)
    for entry in found[:MANY] if len(shown) == len(found) else ():
        raters = None if math.isnan(entry.advantage) else entry.rater_answers
        answers = [] if raters is None else raters.lines(entry)
        blocks += [
            Sentence(said) for said in [*_located(entry, found, answers), *_located(entry, found, asides(entry))]
        ]
    blocks.append(_table(shown))
    if len(shown) < len(found):
        blocks.append(
            Sentence(f"The table has the {len(shown)} with the smallest p-values; a report as .csv (`report`) has all.")
        )
    blocks += details(baselines.blocks(shown)) if several else baselines.blocks(shown)
    if several and correction != "none":
        blocks.append(Sentence(f"Verdicts use p-values adjusted for {len(found):,} comparisons ({correction})."))
    about = [] if first.slice else [sizes(first)]
    about += [f"Scale: {first.scale}."] if first.scale else []
    about += [] if several else effects(first)
    blocks += details(Sentence(line) for line in about)
    return Document(f"Is {a} better than {b}?", tuple(blocks), tuple(_notes(found, shown)), signature)


def _located(entry: "Comparison", found: Sequence["Comparison"], lines: list[str]) -> list[str]:
    """Return lines that say which comparison they belong to, where there are several."""
    where = f"On {entry.slice}" if entry.slice else ""
    metrics = {each.metric for each in found}
    where = ", ".join([part for part in (where, entry.metric if len(metrics) > 1 else "") if part])
    return (
        [f"{where}:", *lines] if where and len(lines) > 1 else [f"{where}: {line}" if where else line for line in lines]
    )


def verdict(result: "Comparison") -> str:
    """Return who is better, by how much, how sure; for a margin also what it allows to claim.

    The first model that is named is the one that scored better, so that the difference needs no sign. Where that is
    not so (a one-sided question whose answer points the other way), words say which score is lower.
    """
    first, second = ordered(result)
    where = f" on {result.slice}" if result.slice else ""
    raters = None if NULLS[result.null].two_answers else result.rater_answers  # the verdict is that for these raters
    whose = "" if raters is None else f" for these {raters.n_raters} raters"
    caution = [FREE_TEXT_CAUTION] if FREE_TEXT in result.scale else []
    numbers = f"{_who(result, first, second)}{where}{whose}: {_numbers(result, first)}"
    said = " ".join([numbers, *_margin(result), *caution])
    return f"{said} {_power(result)}".rstrip()


def ordered(result: "Comparison") -> tuple[str, str]:
    """Return the names of A and B, the better score first; a one-sided question keeps their order."""
    _, a, b = result.names
    keep = not result.advantage < 0 or (result.alternative != "two-sided" and not result.as_estimate.is_significant)
    return (a, b) if keep else (b, a)


def _numbers(result: "Comparison", first: str) -> str:
    """Return both scores, their difference with its interval, and p."""
    of_a, of_b, by, ends = as_text(result)
    joint = f", all {result.n_together:,} together" if result.n_together > 1 else ""
    p = f"p {in_words(shown_pvalue(result))}{beside_skewness(result.skewness_pvalue, result.n_resamples)}"
    if not math.isnan(result.pvalue_adjusted):
        p += f", adjusted p {in_words(p_of(result.pvalue_adjusted, result.pvalue_se))}"
    scores = f"{result.title} {of_a} vs {of_b}" if first == result.names[1] else f"{result.title} {of_b} vs {of_a}"
    interval = f"{level_of(result)} CI {ends}{joint}"
    if result.as_estimate.is_significant:
        return f"{scores}, {direction(result, better=True)} by {by} ({interval}), {p}."
    behind = first == result.names[1] and result.advantage < 0
    named = f"{direction(result, better=False)} by" if behind else "difference"
    return f"{scores} ({named} {by}, {interval}, {p})."


def as_text(result: "Comparison") -> tuple[str, str, str, str]:
    """Return the scores of A and B, by how much the better one is better, and the interval of that, as text."""
    ends = result.as_estimate.unsigned().confidence_interval
    return subtracted(result.a_score, result.b_score, result.advantage, ends)


def difference(result: "Comparison | RaterAnswer") -> tuple[str, str]:
    """Return by how much the better score is better, and the interval of that, as text without the scores beside it."""
    by = result.as_estimate.unsigned()
    ends, error = by.confidence_interval, error_of(by.confidence_interval, by.value)
    return number(by.value, error), ends_of(ends.low, ends.high, error)


def direction(result: "Comparison", *, better: bool) -> str:
    """Return whether the better score, or the worse one, is the higher or the lower one."""
    return "higher" if (result.better == "higher") == better else "lower"


def _power(result: "Comparison") -> str:
    """Return what an undecided study could have found."""
    if (
        result.as_estimate.is_significant
        or math.isnan(result.advantage)
        or math.isnan(result.pvalue)
        or not result.detectable > 0
    ):
        return ""
    if result.detectable == math.inf:
        n = result.n_items if result.evidence is None else result.evidence.n_units
        clusters = n < result.n_items
        least = (2 if result.alternative == "two-sided" else 1) / 2**n
        units = f"{n} {'cluster' if clusters else 'item'}{'s' * (n > 1)}"
        return f"With {units} no difference can be significant, however large: p is never below {least:.2g}."
    return f"This design has 80% power for a difference of {rough(result.detectable)}."


def counted(found: Sequence["Comparison"]) -> str:
    """Return how many comparisons each model won, and which."""
    _, a, b = found[0].names
    parts = []
    told = [entry for entry in found if entry.as_estimate.is_significant]
    for name, sign in ((a, 1), (b, -1)):
        won = [entry for entry in told if sign * entry.advantage > 0]
        if won:
            parts.append(f"{name} is better on {len(won):,} ({listed(map(_label, won))})")
    open_ones = len(found) - len(told)
    if open_ones:
        parts.append(f"there is no clear difference on {open_ones:,}")
    return f"Of {len(found):,} comparisons: {'; '.join(parts)}."


def tabled(found: Sequence["Comparison"]) -> Sequence["Comparison"]:
    """Return the comparisons that a table or chart has room for: of very many, those with the smallest p-values."""
    if len(found) <= MOST:
        return found
    n = min(MOST, max(LEAST, sum(entry.as_estimate.is_significant for entry in found)))
    return nsmallest(n, found, key=lambda entry: math.inf if math.isnan(entry.pvalue) else entry.pvalue)


def asides(result: "Comparison") -> list[str]:
    """Return where two p-values, or p-value and interval, disagree."""
    ends, alpha = result.confidence_interval, result.confidence_interval.alpha
    if any(map(math.isnan, (result.advantage, ends.low, result.pvalue))) or result.n_together > 1:
        return []
    lines = []
    if not math.isnan(result.skewness_pvalue) and result.as_estimate.is_significant != (
        result.skewness_pvalue <= alpha
    ):
        lines = [
            f"The exchange test and one that allows for skewness disagree at {100 * alpha:.2g}%. Treat this as a "
            "borderline case."
        ]
    outside = ends.excludes_zero
    if outside == (result.pvalue <= alpha):
        return lines
    if outside and result.detectable == math.inf:  # no p-value could be small, which the verdict says
        return [*lines, "The interval excludes 0, but it assumes normal differences, which so few items cannot show."]
    side = f"excludes 0 although p is above {alpha:.2g}" if outside else f"includes 0 although p is at most {alpha:.2g}"
    ways = "test and interval are computed in different ways. Treat this as a borderline case."
    return [*lines, f"The interval {side}: {ways}"]


def sizes(result: "Comparison") -> str:
    """Return how many items, with how many responses."""
    n = result.n_responses
    gold = f"{n['gold']:.4g} gold, " if "gold" in n else ""
    varies = " on average" if any(isinstance(count, float) for count in n.values()) else ""
    return f"{result.n_items:,} items with {gold}{n['a']:.4g} A and {n['b']:.4g} B responses each{varies}."


def effects(result: "Comparison") -> list[str]:
    """Return effect sizes and expected p, a line each."""
    lines = []
    found = result.effect_sizes
    if not math.isnan(found.cohen_d):
        parts = [f"Cohen's d {found.cohen_d:.2f}"]
        parts += [] if math.isnan(found.hedges_g) else [f"Hedges' g {found.hedges_g:.2f}"]
        parts.append(f"{result.names[1]} is better on {100 * found.win_rate:.3g}% of the items (ties count half)")
        parts += [] if math.isnan(found.cliffs_delta) else [f"Cliff's δ {found.cliffs_delta:.2f}"]
        lines.append(f"Effect size: {', '.join(parts)}.")
    if not math.isnan(result.expected_pvalue):
        bound = result.expected_pvalue <= (1 + 1e-9) / (result.n_resamples + 1)
        shown = f"{'below ' if bound else ''}{p_of(result.expected_pvalue, result.expected_pvalue_se)}"
        lines.append(
            f"Mean one-sided p-value if the study were repeated with new items: {shown}. It is a property of the "
            "design, not evidence about these models."
        )
    return lines


def shown_pvalue(result: "Comparison") -> str:
    """Return the p-value as text: "< 0.0002" where the draws cannot tell it from zero."""
    if math.isnan(result.pvalue):
        return "undefined"
    least = NULLS[result.null].floor(result.alternative, result.n_resamples, exact=result.exact)
    return f"{'< ' if result.pvalue <= least else ''}{p_of(result.pvalue, result.pvalue_se)}"


def beside_skewness(pvalue: float, n_resamples: int) -> str:
    """Return what stands after p where items are markedly skewed: the p-value that allows for it, in brackets.

    Examples
    --------
    >>> beside_skewness(0.43, 9999), beside_skewness(0.0001, 9999), beside_skewness(math.nan, 9999)
    (' (.43 by a test that allows for skewness)', '', '')
    """
    if not pvalue > (1 + 1e-9) / (n_resamples + 1):  # undefined, or no resample is as extreme
        return ""
    return f" ({in_words(p_of(pvalue)).removeprefix('= ')} by a test that allows for skewness)"


def level_of(result: "Comparison") -> str:
    """Return "95%"."""
    return f"{100 * result.confidence_interval.confidence_level:g}%"


def _who(result: "Comparison", first: str, second: str) -> str:
    if math.isnan(result.pvalue):
        return f"No verdict on {first} and {second}"
    if result.as_estimate.is_significant:
        return f"{first} is better than {second}"
    if result.alternative == "two-sided":
        return f"No clear difference between {first} and {second}"
    return f"No clear sign that {first} is {'better' if result.alternative == 'greater' else 'worse'} than {second}"


def _margin(result: "Comparison") -> list[str]:
    """Return what may be claimed about a margin, and no more."""
    if result.margin is None or math.isnan(result.advantage):
        return []
    _, a, b = result.names
    return [margin_claim(result.margin, result.confidence_interval, result.advantage, a, b)]


def margin_claim(margin: "MarginTests", ends: "ConfidenceInterval", advantage: float, a: str, b: str) -> str:
    """Return what the tests against a margin allow to say of A and B, at the level of the interval `ends`."""
    alpha, within = ends.alpha, margin.confidence_interval
    size, error = number(margin.margin), error_of(within, advantage)
    level = f"{100 * within.confidence_level:g}% CI"

    def basis(pvalue: float) -> str:
        return f"({level} {ends_of(within.low, within.high, error)}, p {in_words(p_of(pvalue))})"

    if margin.superiority <= alpha:
        return f"{a} is better than {b} by more than {size} {basis(margin.superiority)}."
    if margin.equivalence <= alpha:
        return f"{a} and {b} are equivalent: they differ by less than {size} {basis(margin.equivalence)}."
    if margin.non_inferiority <= alpha:
        return f"{a} is not worse than {b} by more than {size} {basis(margin.non_inferiority)}."
    if within.high < -margin.margin:
        return f"{b} is better than {a} by more than {size} ({level} {ends_of(-within.high, -within.low, error)})."
    return (
        f"The data do not show that {a} is within {size} of {b} {basis(margin.equivalence)}, nor that it is better by "
        f"more than {size}."
    )


def _table(found: Sequence["Comparison"]) -> Table:
    first = found[0]
    sliced, several = any(entry.slice for entry in found), len(found) > 1
    metrics = len({entry.metric for entry in found}) > 1
    columns = [Column("slice")] if sliced else []
    columns += [Column("metric", detail=sliced and not metrics), Column("better", detail=True)]
    columns += [Column("items", "count", detail=True)] if sliced else []
    columns += [
        Column(f"{side}: {name}", "number", detail=sliced and metrics)
        for side, name in zip("AB", first.names[1:], strict=True)
    ]
    columns += [
        Column("advantage", "number"),
        Column(f"{level_of(first)} CI", "interval"),
        Column("p", "pvalue", detail=several),
    ]
    columns += [Column("adjusted p", "pvalue")] if several else []
    rows = []
    for entry in found:
        row: list[object] = [entry.slice] if sliced else []
        # A title of one word says more than the option's name: the mean of right and wrong answers is an accuracy.
        row += [entry.metric if " " in entry.title else entry.title, entry.better]
        row += [entry.n_items] if sliced else []
        error = error_of(entry.confidence_interval, entry.advantage)
        values = (entry.a_score, entry.b_score, entry.advantage, entry.confidence_interval)
        row += [*(Measured(value, error) for value in values), shown_pvalue(entry)]
        row += [entry.pvalue_adjusted] if several else []
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows))


def _notes(found: Sequence["Comparison"], shown: Sequence["Comparison"]) -> list[str]:
    """Return each note once, with the comparisons it belongs to where it does not belong to all.

    Notes on a single comparison that the table has no room for are counted.
    """
    alike: dict[tuple[str, ...], list[int]] = {}  # thousands of slices have few different sets of notes
    for i, entry in enumerate(found):
        alike.setdefault(entry.notes, []).append(i)
    where: dict[str, list[int]] = {}
    for notes, numbers in alike.items():
        for note in notes:
            where.setdefault(note, []).extend(numbers)
    told = {note for entry in shown for note in entry.notes}
    lines = []
    for note, numbers in where.items():
        if len(numbers) == len(found):
            lines.append(note)
        elif len(numbers) > 1 or note in told:
            first = [_label(found[i]) for i in nsmallest(NAMED, numbers)]
            line = f"{listed([*first, *numbers[NAMED:]], NAMED)}: {note}"
            lines.append(Caution(line) if isinstance(note, Caution) else line)
    n_others = sum(len(numbers) == 1 and note not in told for note, numbers in where.items())
    if n_others:
        more = "notes are" if n_others > 1 else "note is"
        lines.append(f"{n_others:,} more {more} on single comparisons that are not in the table.")
    return lines


def _label(entry: "Comparison") -> str:
    return ", ".join(part for part in (entry.slice, entry.metric) if part) if entry.slice else entry.metric
