"""What a comparison says in English: who is better, what the study could have found, where p and interval differ."""

import math
from collections.abc import Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING

from howsure.comparison import baselines
from howsure.data.scales import FREE_TEXT, FREE_TEXT_CAUTION
from howsure.documents import Block, Caution, Column, Document, Measured, Sentence, Table, details
from howsure.documents.numbers import error_of, listed, subtracted
from howsure.documents.numbers import pvalue as p_of
from howsure.inference import Estimate
from howsure.nulls import NULLS
from howsure.wording import sentences
from howsure.wording.estimates import beside_skewness, ci_column, p

if TYPE_CHECKING:
    from howsure.comparison.results import Comparison

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
    about = [] if first.slice else [first.sizes]
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
    """Return who is better, by how much, how sure; for a margin also what it allows to claim."""
    raters = None if NULLS[result.null].two_answers else result.rater_answers  # the verdict is that for these raters
    where = f" on {result.slice}" if result.slice else ""
    p_text = p(result.shown_pvalue) + beside_skewness(result.skewness_pvalue, result.n_resamples)
    if not math.isnan(result.pvalue_adjusted):
        p_text += f", adjusted {p(p_of(result.pvalue_adjusted, result.pvalue_se))}"
    text = sentences.comparison(
        result.as_estimate,
        result.names[1:],
        (result.a_score, result.b_score),
        p_text,
        title=result.title,
        better=result.better,
        alternative=result.alternative,
        where=where if raters is None else f"{where} for these {raters.n_raters} raters",
        together=f", all {result.n_together:,} together" if result.n_together > 1 else "",
    )
    caution = FREE_TEXT_CAUTION if FREE_TEXT in result.scale else ""
    return " ".join(part for part in (text, margin_claim(result), caution, _power(result)) if part)


def as_text(result: "Comparison") -> tuple[str, str, str, str]:
    """Return the scores of A and B, by how much the better one is better, and the interval of that, as text."""
    ends = result.as_estimate.unsigned().confidence_interval
    return subtracted(result.a_score, result.b_score, result.advantage, ends)


def _power(result: "Comparison") -> str:
    """Return what an undecided study could have found."""
    undefined = math.isnan(result.advantage) or math.isnan(result.pvalue)
    if result.as_estimate.is_significant or undefined or not result.detectable > 0:
        return ""
    if result.detectable == math.inf:
        n = result.n_items if result.evidence is None else result.evidence.n_units
        least = (2 if result.alternative == "two-sided" else 1) / 2**n
        unit = "cluster" if n < result.n_items else "item"
        return sentences.no_power(n, unit, why=f": p is never below {least:.2g}")
    return sentences.power(result.detectable)


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
    if result.n_together > 1:
        return []
    can_reject = result.detectable != math.inf
    return sentences.disagreements(result.as_estimate, result.skewness_pvalue, can_reject=can_reject)


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


def margin_claim(result: "Comparison") -> str:
    """Return what may be claimed about a margin, and no more."""
    tests = result.margin
    if tests is None or math.isnan(result.advantage):
        return ""
    within = Estimate(result.advantage, tests.confidence_interval)
    pvalues = (tests.superiority, tests.equivalence, tests.non_inferiority)
    return sentences.margin(within, tests.margin, result.names[1:], pvalues, result.confidence_interval.alpha)


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
        ci_column(first.confidence_interval.confidence_level),
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
        row += [*(Measured(value, error) for value in values), entry.shown_pvalue]
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
