"""What results about two lists of scores say: one function for each kind of result, made of blocks that they share."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from assay.documents import Block, Column, Definitions, Document, Heading, Measured, Sentence, Table
from assay.documents.numbers import error_of, measured
from assay.paired.catalogue import TESTS

if TYPE_CHECKING:
    from assay.paired.curves import PowerCurve
    from assay.paired.description import Description
    from assay.paired.effects import EffectSize
    from assay.paired.equivalence import Equivalence
    from assay.paired.findings import Effects, Finding, Overview, PairedAnalysis
    from assay.paired.flips import Flips
    from assay.paired.glossary import Glossary
    from assay.paired.power import PowerPlan
    from assay.paired.recommendation import Recommendation
    from assay.paired.significance import SignificanceTest
    from assay.paired.systems import SystemsComparison
    from assay.paired.units import UnitSizes

BARS = "·▁▂▃▄▅▆▇█"
MOST_BARS = 20


def description(found: "Description") -> Document:
    """Show both systems and the shape of their differences."""
    return _page(_against(found.names), _description(found), found.notes)


def unit_sizes(found: "UnitSizes") -> Document:
    """Show at which unit sizes the standard deviation settles."""
    return _page("Evaluation units", [*_unit_sizes(found), _unit_table(found)])


def recommendation(found: "Recommendation") -> Document:
    """Show the three lists of tests."""
    return _page("Which test", _recommendation(found), found.notes)


def overview(found: "Overview") -> Document:
    """Show what `scores describe` answers."""
    blocks = [*_description(found.description), *_unit_sizes(found.unit_sizes)]
    notes = found.description.notes
    if found.recommendation is not None:
        blocks += [Heading("Which test"), *_recommendation(found.recommendation)]
        notes += found.recommendation.notes
    return _page(_against(found.description.names), blocks, notes, found.signature)


def significance(found: "SignificanceTest") -> Document:
    """Show the finding and its numbers."""
    title = f"Do {found.names[0]} and {found.names[1]} differ?"
    return _page(title, [Sentence(found.sentence, "verdict"), _numbers(found)], found.notes, found.signature)


def equivalence(found: "Equivalence") -> Document:
    """Show whether the difference lies within the margin."""
    title = f"Do {found.names[0]} and {found.names[1]} differ by less than {found.margin:g}?"
    return _page(title, [Sentence(found.sentence, "verdict")], found.notes, found.signature)


def flips(found: "Flips") -> Document:
    """Show right and wrong answers."""
    return _page(_against(found.names), [Sentence(found.sentence), _flips(found)])


def finding(found: "Finding") -> Document:
    """Show what `scores test` answers."""
    parts = [part for part in (found.significance, found.equivalence) if part is not None]
    blocks: list[Block] = [Sentence(part.sentence, "verdict") for part in parts]
    blocks.append(_numbers(found.significance))
    if found.flips is not None:
        blocks += [Sentence(found.flips.sentence), _flips(found.flips)]
    title = f"Do {found.significance.names[0]} and {found.significance.names[1]} differ?"
    notes = [note for part in parts for note in part.notes]
    return _page(title, blocks, [*found.notes, *notes], found.signature)


def effects(found: "Effects") -> Document:
    """Show what `scores effect` answers."""
    notes = [note for size in found.effects for note in size.notes]
    return _page(f"How large is the difference {_minus(found.names)}?", _effects(found.effects), notes, found.signature)


def effect(found: "EffectSize") -> Document:
    """Show one effect size."""
    return _page(found.label, _effects((found,)), found.notes)


def curve(found: "PowerCurve") -> Document:
    """Show how often the test would reject, by size."""
    return _page("Power", _curve(found), found.notes, found.signature)


def power_plan(found: "PowerPlan") -> Document:
    """Show number of lines, difference and power that belong together."""
    unit = "lines" if found.design == "paired" else "lines per system"
    sizes = sorted({max(2, round(found.n_items * part / 4)) for part in (1, 2, 3, 6, 8)} | {found.n_items})
    rows = tuple((n, found.power_with(n)) for n in sizes)
    marked = frozenset({sizes.index(found.n_items)})
    table = Table((Column(unit, "count"), Column("power", "share")), rows, marked=marked)
    return _page("Plan of a study", [Sentence(found.sentence, "verdict"), *map(Sentence, found.asides), table])


def systems(found: "SystemsComparison") -> Document:
    """Show every system and every pair of them."""
    means = zip(found.names, found.mean_scores, found.mean_ranks, strict=True)
    columns = (Column("system"), Column("mean score", "number"), Column("mean rank", "number"))
    rows = []
    pairs = zip(found.pairs, found.confidence_intervals, found.adjusted_pvalues, found.reject, strict=True)
    for pair, interval, adjusted, reject in pairs:
        said = found.verdict(pair, reject)
        rows.append((_minus(pair.names), measured(pair.estimate, interval), interval, pair.pvalue, adjusted, said))
    titles = (
        Column("pair"),
        Column(found.pairs[0].estimand, "number"),
        Column(f"{100 * (1 - found.alpha):g} % interval", "interval"),
        Column("p", "pvalue"),
        Column(f"p ({found.correction})", "pvalue"),
        Column("verdict"),
    )
    tables = [Table(columns, tuple(means)), Table(titles, tuple(rows))]
    return _page("Which systems differ?", [*map(_verdict, found.sentences), *tables], found.notes, found.signature)


def analysis(found: "PairedAnalysis") -> Document:
    """Show everything, from description to power."""
    blocks: list[Block] = [Sentence(found.sentence, "verdict")]
    if found.equivalence is not None:
        blocks.append(Sentence(found.equivalence.sentence, "verdict"))
    blocks += [Heading("The scores"), *_description(found.description), *_unit_sizes(found.unit_sizes)]
    blocks += [Heading("Which test"), *_recommendation(found.recommendation)]
    blocks += [Heading("The test"), _numbers(found.significance)]
    if found.flips is not None:
        blocks += [Sentence(found.flips.sentence), _flips(found.flips)]
    blocks += [Heading("Effect size"), *_effects(found.effects)]
    blocks += [Heading("Power"), *_curve(found.curve)]
    parts = (found.description, found.equivalence, *found.effects, found.curve)
    notes = [note for part in parts if part is not None for note in part.notes]
    return _page(_against(found.names), blocks, [*found.notes, *notes], found.signature)


def glossary(found: "Glossary") -> Document:
    """Show what the words mean."""
    return _page("What the words mean", [Definitions(tuple(found.entries.items()))])


def _description(found: "Description") -> list[Block]:
    rows = []
    names = (*found.names, _minus(found.names))
    for name, key, summary in zip(names, ("a", "b", "difference"), (found.a, found.b, found.difference), strict=True):
        error = summary.standard_deviation / math.sqrt(summary.n)
        middle = (Measured(summary.mean, error), Measured(summary.median, error))
        spread = Measured(summary.standard_deviation, error / math.sqrt(2))
        numbers = (*middle, spread, summary.minimum, summary.maximum)
        rows.append((name, summary.n, *numbers, sparkline(found.histograms[key].counts)))
    numeric = [Column(title, "number") for title in ("mean", "median", "sd", "min", "max")]
    table = Table((Column(""), Column("n", "count"), *numeric, Column("histogram")), tuple(rows))
    return [table, *map(Sentence, found.sentences)]


def _unit_sizes(found: "UnitSizes") -> list[Block]:
    return [Sentence(found.sentence)]


def _unit_table(found: "UnitSizes") -> Table:
    columns = (Column("lines per unit", "count"), Column("standard deviation", "number"))
    return Table(columns, tuple(zip(found.sizes, found.standard_deviations, strict=True)))


def _recommendation(found: "Recommendation") -> list[Block]:
    rows = [(name, choice.test, choice.reason) for name, choices in found.lists.items() for choice in choices]
    table = Table((Column("list"), Column("test"), Column("reason")), tuple(rows), marked=frozenset({0}))
    return [
        Sentence(f"Statistic to compare: the {found.statistic}. {found.statistic_reason}"),
        Sentence(found.sentence),
        table,
    ]


def _numbers(found: "SignificanceTest") -> Table:
    test = TESTS[found.test]
    columns = (
        Column("test"),
        Column(found.estimand, "number"),
        Column(_level(found.confidence_interval), "interval"),
        Column(test.statistic, "number"),
        Column("p", "pvalue"),
        Column(f"p ≤ {found.alpha:g}"),
        Column("n", "count"),
    )
    row = (
        test.label,
        measured(found.estimate, found.confidence_interval),
        Measured(found.confidence_interval, error_of(found.confidence_interval, found.estimate)),
        found.statistic,
        found.p_text.removeprefix("p ").removeprefix("= "),
        found.reject,
        found.n,
    )
    return Table(columns, (row,))


def _flips(found: "Flips") -> Table:
    a, b = found.names
    rows = ((f"{a} right", found.both, found.only_a), (f"{a} wrong", found.only_b, found.neither))
    return Table((Column(""), Column(f"{b} right", "count"), Column(f"{b} wrong", "count")), rows)


def _effects(found: Sequence["EffectSize"]) -> list[Block]:
    from assay.paired.effects import COHEN_CAUTION

    columns = (
        Column("effect size"),
        Column("estimate", "number"),
        Column(_level(found[0].confidence_interval), "interval"),
        Column("Cohen's word"),
        Column("goes with"),
        Column("what it is"),
    )
    rows = [
        (
            size.label,
            measured(size.estimate, size.confidence_interval),
            size.confidence_interval,
            size.size,
            ", ".join(size.tests),
            size.meaning,
        )
        for size in found
    ]
    caution = [Sentence(COHEN_CAUTION)] if any(size.size for size in found) else []
    return [Table(columns, tuple(rows)), *caution]


def _curve(found: "PowerCurve") -> list[Block]:
    columns = (Column(found.unit, "count"), Column("power", "share"), Column("95 % interval", "shares"))
    known = zip(found.sizes, found.power, found.confidence_intervals, strict=True)
    rows = tuple((size, measured(power, ends), ends) for size, power, ends in known)
    return [Sentence(found.sentence), Table(columns, rows)]


def sparkline(counts: Sequence[int]) -> str:
    """Draw counts as bars one line high, at most 20 of them.

    Examples
    --------
    >>> sparkline([1, 4, 8, 2])
    '▁▄█▂'
    """
    step = -(-len(counts) // MOST_BARS)
    merged = [sum(counts[start : start + step]) for start in range(0, len(counts), step)]
    top = max(merged)
    return "".join(BARS[-(-8 * count // top)] for count in merged)


def _verdict(text: str) -> Sentence:
    return Sentence(text, "verdict")


def _against(names: tuple[str, str]) -> str:
    return f"{names[0]} against {names[1]}"


def _minus(names: tuple[str, str]) -> str:
    return f"{names[0]} − {names[1]}"


def _level(interval: Any) -> str:
    return f"{100 * interval.confidence_level:g} % interval"


def _page(title: str, blocks: Sequence[Block], notes: Iterable[str] = (), signature: str = "") -> Document:
    return Document(title, tuple(blocks), tuple(dict.fromkeys(notes)), signature)
