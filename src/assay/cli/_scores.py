"""How `assay scores` shows its results: tables and plain sentences on stdout."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from assay.paired import (
        Description,
        EffectSize,
        PairedAnalysis,
        PowerCurve,
        Recommendation,
        SystemsComparison,
        UnitSizes,
    )

BARS = " ▁▂▃▄▅▆▇█"


def as_json(value: Any) -> None:
    """Print one JSON object."""
    from assay import _json

    typer.echo(_json.dumps(value, indent=2))


def sentences(*texts: object) -> None:
    """Print results in words, a line each; a line that was already said is not said again."""
    for line in dict.fromkeys(line for text in texts for line in str(text).splitlines()):
        typer.echo(line)


def description(found: "Description", units: "UnitSizes", advice: "Recommendation | None") -> None:
    """Print the summary of both systems, the shape of the differences, unit sizes and the three lists."""
    a, b = found.names
    rows = []
    for name, summary, histogram in (
        (a, found.a, "a"),
        (b, found.b, "b"),
        (f"{a} − {b}", found.difference, "difference"),
    ):
        numbers = (summary.mean, summary.median, summary.standard_deviation, summary.minimum, summary.maximum)
        bars = sparkline(found.histograms[histogram].counts.tolist())
        rows.append([name, f"{summary.n:,}", *(f"{number:.4g}" for number in numbers), bars])
    table(["", "n", "mean", "median", "sd", "min", "max", "histogram"], rows)
    sentences(found, units)
    if advice is not None:
        recommendation(advice)


def recommendation(advice: "Recommendation") -> None:
    """Print the three lists of tests with their reasons."""
    rows = [[name, choice.test, choice.reason] for name, choices in advice.lists.items() for choice in choices]
    table(["list", "test", "reason"], rows)
    sentences(f"Statistic to compare: the {advice.statistic}. {advice.statistic_reason}", *advice.notes)


def effects(found: Iterable["EffectSize"]) -> None:
    """Print effect sizes with their intervals."""
    from assay.paired.effects import COHEN_CAUTION

    rows: list[list[str]] = []
    notes: list[str] = []
    for effect in found:
        interval = effect.confidence_interval
        shown = f"{interval.low:.4g} to {interval.high:.4g}"
        goes_with = ", ".join(effect.tests)
        rows.append([effect.label, f"{effect.estimate:.4g}", shown, effect.size, goes_with, effect.meaning])
        level = f"{100 * interval.confidence_level:g} % interval"
        notes.extend(effect.notes)
    table(["effect size", "estimate", level, "Cohen's word", "goes with", "what it is"], rows)
    sentences(*notes, COHEN_CAUTION)


def power(curve: "PowerCurve") -> None:
    """Print the power at each size."""
    rows = [
        [f"{n:,}", f"{share:.3f}", f"{interval.low:.3f} to {interval.high:.3f}"]
        for n, share, interval in zip(curve.sizes, curve.power, curve.confidence_intervals, strict=True)
    ]
    table([curve.unit, "power", "95 % interval"], rows)
    sentences(curve)


def systems(found: "SystemsComparison") -> None:
    """Print every system and every pair of them."""
    means = zip(found.names, found.mean_scores, found.mean_ranks, strict=True)
    table(["system", "mean score", "mean rank"], [[name, f"{mean:.4g}", f"{rank:.3f}"] for name, mean, rank in means])
    rows = []
    for pair, adjusted, reject in zip(found.pairs, found.adjusted_pvalues, found.reject, strict=True):
        low, high = pair.confidence_interval.low, pair.confidence_interval.high
        names = f"{pair.names[0]} − {pair.names[1]}"
        p, verdict = f"{pair.pvalue:.3g}", "differ" if reject else ""
        rows.append([names, f"{pair.estimate:.4g}", f"{low:.4g} to {high:.4g}", p, f"{adjusted:.3g}", verdict])
    table(["pair", "difference", "interval", "p", f"p ({found.correction})", ""], rows)
    sentences(found)


def analysis(found: "PairedAnalysis") -> None:
    """Print the finding, then what it rests on."""
    typer.echo(found.sentence)
    typer.echo()
    description(found.description, found.unit_sizes, found.recommendation)
    typer.echo()
    sentences(*found.significance.notes, *[part for part in (found.flips, found.equivalence) if part is not None])
    effects(found.effects)
    power(found.curve)
    sentences(*found.notes, found.signature)


def sparkline(counts: Sequence[int]) -> str:
    """Draw counts as bars one line high, at most 20 of them."""
    step = -(-len(counts) // 20)
    merged = [sum(counts[start : start + step]) for start in range(0, len(counts), step)]
    top = max(merged)
    return "".join(BARS[-(-8 * count // top)] for count in merged)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, numbers to the right and words to the left."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table()
    for number, title in enumerate(header):
        numeric = all(_is_number(row[number]) for row in rows)
        shown.add_column(title, justify="right" if numeric else "left")
    for row in rows:
        shown.add_row(*map(Text, row))  # Text: a name in brackets is a name and not a colour
    Console(width=None if Console().is_terminal else 120).print(shown)


def _is_number(text: str) -> bool:
    try:
        return all(part == "to" or float(part.replace(",", "")) is not None for part in text.split())
    except ValueError:
        return False
