"""What a comparison says in English: who is better, what the study could have found, where p and interval differ."""

import math
from collections.abc import Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING

from howsure.comparison import baselines
from howsure.comparison.rater_answers import WHICH, related
from howsure.documents import Block, Column, Document, Measured, Sentence, Table
from howsure.documents.numbers import error_of, listed, number, rough
from howsure.documents.numbers import interval as ends_of
from howsure.documents.numbers import pvalue as p_of
from howsure.inference import SMALLEST

if TYPE_CHECKING:
    from howsure.comparison.comparisons import Comparison

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
    metrics = {entry.metric for entry in found}
    shown = tabled(found)
    for entry in found[:MANY] if len(shown) == len(found) else ():
        where = f"On {entry.slice}: " if entry.slice else ""
        where += f"{entry.metric}: " if len(metrics) > 1 else ""
        blocks += [Sentence(where + said) for said in asides(entry)]
    if any(entry.rater_answers is not None for entry in found[:MANY]):
        blocks.append(Sentence(WHICH))
    blocks.append(_table(shown))
    if len(shown) < len(found):
        blocks.append(
            Sentence(f"The table has the {len(shown)} with the smallest p-values; a report as .csv (`report`) has all.")
        )
    blocks += baselines.blocks(shown)
    if several and correction != "none":
        blocks.append(Sentence(f"Verdicts use p-values adjusted for {len(found):,} comparisons ({correction})."))
    if not first.slice:
        blocks.append(Sentence(sizes(first)))
    if first.scale:
        blocks.append(Sentence(f"Scale: {first.scale}."))
    if not several:
        blocks += [Sentence(line) for line in effects(first)]
    return Document(f"Is {a} better than {b}?", tuple(blocks), tuple(_notes(found, shown)), signature)


def verdict(result: "Comparison") -> str:
    """Return who is better, by how much, how sure; for a margin also what it allows to claim."""
    _, a, b = result.names
    ends = result.confidence_interval
    first, second = (a, b) if result.advantage >= 0 or not decided(result) else (b, a)
    joint = f", all {result.n_together:,} together" if result.n_together > 1 else ""
    scores, error = {a: result.a_score, b: result.b_score}, error_of(ends, result.advantage)
    said = (
        f"{result.title} {number(scores[first], error)} ({first}) against {number(scores[second], error)} ({second}), "
        f"advantage {number(result.advantage, error)} "
        f"({level_of(result)} interval {ends_of(ends.low, ends.high, error)}{joint}), "
        f"p {related(shown_pvalue(result))}"
    )
    if not math.isnan(result.pvalue_adjusted):
        said += f", adjusted {p_of(result.pvalue_adjusted, result.pvalue_se)}"
    where = f" on {result.slice}" if result.slice else ""
    return " ".join([f"{_who(result)}{where}: {said}.", *_margin(result)])


def counted(found: Sequence["Comparison"]) -> str:
    """Return how many comparisons each model won, and which."""
    _, a, b = found[0].names
    parts = []
    told = [entry for entry in found if decided(entry)]
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
    n = min(MOST, max(LEAST, sum(map(decided, found))))
    return nsmallest(n, found, key=lambda entry: math.inf if math.isnan(entry.pvalue) else entry.pvalue)


def asides(result: "Comparison") -> list[str]:
    """Return what the study could have found, and where p-value and interval disagree."""
    if math.isnan(result.advantage):
        return []
    lines = [] if result.rater_answers is None else [str(result.rater_answers)]
    if not decided(result) and result.detectable == math.inf:
        clusters = 0 < result.jackknife.size < result.n_items
        n = result.jackknife.size if clusters else result.n_items
        least = (2 if result.alternative == "two-sided" else 1) / 2**n
        lines.append(
            f"A study of {n} {'cluster' if clusters else 'item'}{'s' * (n > 1)} finds no advantage, however large: its "
            f"p is never below {least:.2g}."
        )
    elif not decided(result) and result.detectable > 0 and not math.isnan(result.pvalue):
        lines.append(
            f"A study like this finds a true advantage of {rough(result.detectable)} 8 times in 10; it often misses "
            "smaller ones."
        )
    ends, alpha = result.confidence_interval, 1 - result.confidence_interval.confidence_level
    if math.isnan(ends.low) or math.isnan(result.pvalue) or result.n_together > 1:
        return lines
    outside = not ends.low <= 0 <= ends.high
    rejected = result.pvalue <= alpha + 1e-12
    if outside and not rejected:
        lines.append(
            f"The interval excludes 0 although p is above {alpha:.2g}: test and interval are computed in different "
            "ways. Treat this as a borderline case."
        )
    if rejected and not outside:
        lines.append(
            f"The interval includes 0 although p is at most {alpha:.2g}: test and interval are computed in different "
            "ways. Treat this as a borderline case."
        )
    return lines


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
        lines.append(f"Expected one-sided p of a study like this: {shown}. It describes the design; it is not a test.")
    return lines


def decided(result: "Comparison") -> bool:
    """Whether the verdict names a winner: at p ≤ 1 − level, adjusted where there are several comparisons."""
    p = result.pvalue if math.isnan(result.pvalue_adjusted) else result.pvalue_adjusted
    return p <= 1 - result.confidence_interval.confidence_level + 1e-12  # 1 − 0.9 is a little below 0.1


def shown_pvalue(result: "Comparison") -> str:
    """Return the p-value as text: "< 0.0002" where the draws cannot tell it from zero."""
    if math.isnan(result.pvalue):
        return "undefined"
    if result.null == "random-effects":
        return p_of(result.pvalue)
    least = SMALLEST if result.exact else (2 if result.alternative == "two-sided" else 1) / (result.n_resamples + 1)
    return f"{'< ' if result.pvalue <= least else ''}{p_of(result.pvalue, result.pvalue_se)}"


def level_of(result: "Comparison") -> str:
    """Return "95%"."""
    return f"{100 * result.confidence_interval.confidence_level:g}%"


def _who(result: "Comparison") -> str:
    _, a, b = result.names
    if math.isnan(result.pvalue):
        return f"No verdict on {a} and {b}"
    if decided(result):
        return f"{a} is better than {b}" if result.advantage > 0 else f"{b} is better than {a}"
    if result.alternative == "two-sided":
        return f"No clear difference between {a} and {b}"
    return f"No clear sign that {a} is {'better' if result.alternative == 'greater' else 'worse'} than {b}"


def _margin(result: "Comparison") -> list[str]:
    """Return what may be claimed about a margin, and no more."""
    if result.margin is None or math.isnan(result.advantage):
        return []
    _, a, b = result.names
    found, alpha = result.margin, 1 - result.confidence_interval.confidence_level
    margin, ends = number(found.margin), found.confidence_interval
    error = error_of(ends, result.advantage)

    def basis(pvalue: float) -> str:
        return f"({100 * ends.confidence_level:g}% interval {ends_of(ends.low, ends.high, error)}, p = {p_of(pvalue)})"

    if found.superiority <= alpha:
        return [f"{a} is better than {b} by more than {margin} {basis(found.superiority)}."]
    if found.equivalence <= alpha:
        return [f"{a} and {b} are equivalent: they differ by less than {margin} {basis(found.equivalence)}."]
    if found.non_inferiority <= alpha:
        return [f"{a} is not worse than {b} by more than {margin} {basis(found.non_inferiority)}."]
    if ends.high < -found.margin:
        return [
            f"{b} is better than {a} by more than {margin} ({100 * ends.confidence_level:g}% interval "
            f"{ends_of(ends.low, ends.high, error)})."
        ]
    return [
        f"The data do not show that {a} is within {margin} of {b} {basis(found.equivalence)}, nor that it is "
        f"better by more than {margin}."
    ]


def _table(found: Sequence["Comparison"]) -> Table:
    first = found[0]
    sliced, several = any(entry.slice for entry in found), len(found) > 1
    columns = [*([Column("slice")] if sliced else []), Column("metric")]
    columns += [Column("items", "count")] if sliced else []
    columns += [Column(f"A: {first.names[1]}", "number"), Column(f"B: {first.names[2]}", "number")]
    columns += [Column("advantage", "number"), Column(f"{level_of(first)} interval", "interval"), Column("p", "pvalue")]
    columns += [Column("p adjusted", "pvalue")] if several else []
    rows = []
    for entry in found:
        row: list[object] = [entry.slice] if sliced else []
        row.append(f"{entry.metric} ({entry.better} is better)")
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
            lines.append(f"{listed([*first, *numbers[NAMED:]], NAMED)}: {note}")
    n_others = sum(len(numbers) == 1 and note not in told for note, numbers in where.items())
    if n_others:
        more = "notes are" if n_others > 1 else "note is"
        lines.append(f"{n_others:,} more {more} on single comparisons that are not in the table.")
    return lines


def _label(entry: "Comparison") -> str:
    return ", ".join(part for part in (entry.slice, entry.metric) if part) if entry.slice else entry.metric
