"""The report of an analysis of two score lists: one HTML page that needs no network, Markdown, or JSON."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assay import _files, _json
from assay.errors import ArgumentError
from assay.inference.intervals import ConfidenceInterval
from assay.paired import TESTS, PairedAnalysis
from assay.reports import pages

FIRST, SECOND, ACCENT, QUIET = "#4c78a8", "#f58518", "#b5322b", "#8a8a8a"
WIDTH, HEIGHT = 340, 200
SUMMARY = {
    "mean": "mean", "median": "median", "standard_deviation": "sd", "minimum": "min", "first_quartile": "1st quartile",
    "third_quartile": "3rd quartile", "maximum": "max",
}  # fmt: skip


def write_report(analysis: PairedAnalysis, path: str | Path) -> None:
    """Write the analysis as a page (.html), text (.md) or data (.json), as the file's name says.

    The page holds its charts and the JavaScript that draws them, so it opens without a network. It needs the extra
    `charts`; the other two need nothing.
    """
    target = Path(path)
    writers: Mapping[str, Callable[[PairedAnalysis], str]] = {".html": to_html, ".md": to_markdown, ".json": to_json}
    if target.suffix not in writers:
        raise ArgumentError(f"`report` must be a file that ends in {', '.join(writers)}; got {str(path)!r}.")
    _files.write_text(target, writers[target.suffix](analysis))


def to_json(analysis: PairedAnalysis) -> str:
    """Return everything as JSON."""
    return _json.dumps(analysis.to_dict(), indent=2) + "\n"


def to_markdown(analysis: PairedAnalysis) -> str:
    """Return the sentences and tables as Markdown."""
    parts = [f"# {analysis.names[0]} against {analysis.names[1]}", analysis.sentence]
    for title, (sentence, header, rows) in sections(analysis).items():
        parts.append(f"## {title}")
        if sentence:
            parts.append(sentence)
        if rows:
            lines = [header, ["---"] * len(header), *rows]
            parts.append("\n".join("| " + " | ".join(line) + " |" for line in lines))
    parts += [f"* {note}" for note in analysis.notes]
    parts.append(f"`{analysis.signature}`")
    return "\n\n".join(parts) + "\n"


def to_html(analysis: PairedAnalysis) -> str:
    """Return one page with sentences, tables and interactive charts."""
    drawn = charts(analysis)
    return pages.render(
        "scores.html",
        charts={name: chart for name, (_, chart) in drawn.items()},
        title=f"{analysis.names[0]} against {analysis.names[1]}",
        result=analysis,
        captions={name: caption for name, (caption, _) in drawn.items()},
        sections=sections(analysis),
    )


Section = tuple[str, list[str], list[list[str]]]


def sections(analysis: PairedAnalysis) -> dict[str, Section]:
    """Return the parts of the report in order: title → (sentence, header of the table, its rows)."""
    description, significance, curve = analysis.description, analysis.significance, analysis.curve
    names = (analysis.names[0], analysis.names[1], f"{analysis.names[0]} − {analysis.names[1]}")
    summaries = (description.a, description.b, description.difference)
    result: dict[str, Section] = {
        "The scores": (
            " ".join(description.sentences),
            ["", "n", *SUMMARY.values()],
            [
                [name, f"{summary.n:,}", *(_number(getattr(summary, field)) for field in SUMMARY)]
                for name, summary in zip(names, summaries, strict=True)
            ],
        ),
        "Evaluation units": (analysis.unit_sizes.sentence, [], []),
        "Which test": (
            analysis.recommendation.reason,
            ["list", "test", "reason"],
            [
                [name, TESTS[choice.test].label, choice.reason]
                for name, choices in analysis.recommendation.lists.items()
                for choice in choices
            ],
        ),
        "Significance": (
            significance.sentence,
            ["test", "statistic", "p", "interval", f"reject at {significance.alpha:g}"],
            [
                [
                    TESTS[significance.test].label,
                    f"{TESTS[significance.test].statistic} = {_number(significance.statistic)}",
                    significance.p_text,
                    _interval(significance.confidence_interval),
                    "yes" if significance.reject else "no",
                ]
            ],
        ),
    }
    if analysis.flips is not None:
        result["Flips"] = (analysis.flips.sentence, [], [])
    if analysis.equivalence is not None:
        result["Equivalence"] = (analysis.equivalence.sentence, [], [])
    result["Effect size"] = (
        "",
        ["effect size", "estimate", "interval", "what it is"],
        [[e.label, _number(e.estimate), _interval(e.confidence_interval), e.meaning] for e in analysis.effects],
    )
    result["Power"] = (
        f"{curve.sentence} {' '.join(curve.notes)}".strip(),
        [curve.unit, "power", "95 % interval"],
        [
            [f"{n:,}", f"{power:.3f}", _interval(bounds)]
            for n, power, bounds in zip(curve.sizes, curve.power, curve.confidence_intervals, strict=True)
        ],
    )
    return result


def charts(analysis: PairedAnalysis) -> dict[str, tuple[str, Any]]:
    """Return the charts by name, each with its caption."""
    pages.altair()  # says what is missing
    estimate, interval = analysis.significance.estimate, analysis.significance.confidence_interval
    a, b = analysis.names
    histograms = analysis.description.histograms
    both = _bars(histograms["a"], a) + _bars(histograms["b"], b)
    drawn: dict[str, tuple[str, Any]] = {
        "scores": (f"Scores of {a} and {b}", _overlaid(both, (a, b))),
        "difference": (
            f"Differences {a} − {b}; the line is the estimate, the band its interval, the dashed line no difference",
            _differences(_bars(histograms["difference"], "difference"), estimate, interval),
        ),
    }
    if len(analysis.unit_sizes.sizes) > 1:
        drawn["units"] = ("Standard deviation of the differences, by unit size", _unit_sizes(analysis))
    drawn["power"] = (f"Power for a difference of {analysis.curve.effect:.4g}, by size of the study", _power(analysis))
    return drawn


def _bars(histogram: Any, name: str) -> list[dict[str, Any]]:
    edges = histogram.edges
    return [
        {"from": low, "to": high, "count": count, "system": name}
        for low, high, count in zip(edges[:-1], edges[1:], histogram.counts, strict=True)
    ]


def _overlaid(bars: list[dict[str, Any]], names: tuple[str, str]) -> Any:
    import altair as alt

    return (
        _chart(bars)
        .mark_bar(opacity=0.55)
        .encode(
            x=alt.X("from:Q", title="score", bin="binned", scale=alt.Scale(zero=False)),
            x2="to:Q",
            y=alt.Y("count:Q", title="lines", stack=None),
            color=alt.Color("system:N", title=None, scale=alt.Scale(domain=list(names), range=[FIRST, SECOND])),
            tooltip=[
                alt.Tooltip(f"{field}:{kind}")
                for field, kind in (("system", "N"), ("from", "Q"), ("to", "Q"), ("count", "Q"))
            ],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def _differences(bars: list[dict[str, Any]], estimate: float, interval: ConfidenceInterval) -> Any:
    import math

    import altair as alt

    edges = [bar["from"] for bar in bars] + [bars[-1]["to"]]
    low = interval.low if math.isfinite(interval.low) else min(edges)
    high = interval.high if math.isfinite(interval.high) else max(edges)
    histogram = (
        _chart(bars)
        .mark_bar(color=QUIET, opacity=0.6)
        .encode(
            x=alt.X("from:Q", title="difference", bin="binned"),
            x2="to:Q",
            y=alt.Y("count:Q", title="lines"),
            tooltip=[alt.Tooltip(f"{field}:Q") for field in ("from", "to", "count")],
        )
    )
    zero = _chart([{"x": 0}]).mark_rule(strokeDash=[4, 3], color="black").encode(x="x:Q")
    band = _chart([{"low": low, "high": high}]).mark_rect(color=ACCENT, opacity=0.25)
    line = _chart([{"x": estimate}]).mark_rule(color=ACCENT, strokeWidth=2).encode(x="x:Q")
    layers = (histogram, band.encode(x="low:Q", x2="high:Q"), zero, line)
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _unit_sizes(analysis: PairedAnalysis) -> Any:
    import altair as alt

    sizes = analysis.unit_sizes
    points = [
        {"size": size, "sd": deviation} for size, deviation in zip(sizes.sizes, sizes.standard_deviations, strict=True)
    ]
    return (
        _chart(points)
        .mark_line(color=FIRST, point=alt.OverlayMarkDef(size=16))
        .encode(
            x=alt.X("size:Q", title="lines per unit"),
            y=alt.Y("sd:Q", title="standard deviation"),
            tooltip=["size:Q", "sd:Q"],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def _power(analysis: PairedAnalysis) -> Any:
    import altair as alt

    curve = analysis.curve
    rows = zip(curve.sizes, curve.power, curve.confidence_intervals, strict=True)
    points = [{"n": n, "power": power, "low": end.low, "high": end.high} for n, power, end in rows]
    base = _chart(points).encode(x=alt.X("n:Q", title=curve.unit, scale=alt.Scale(zero=True)))
    band = base.mark_area(color=FIRST, opacity=0.2).encode(y=alt.Y("low:Q", title="power"), y2="high:Q")
    line = base.mark_line(color=FIRST, point=True).encode(
        y=alt.Y("power:Q", scale=alt.Scale(domain=[0, 1])), tooltip=["n:Q", "power:Q", "low:Q", "high:Q"]
    )
    usual = _chart([{"y": 0.8}]).mark_rule(strokeDash=[4, 3], color=QUIET).encode(y="y:Q")
    return alt.layer(band, line, usual).properties(width=WIDTH, height=HEIGHT)


def _chart(rows: list[dict[str, Any]]) -> Any:
    import altair as alt

    return alt.Chart(alt.Data(values=rows))  # type: ignore[no-untyped-call]


def _number(value: float) -> str:
    return f"{value:.4g}"


def _interval(bounds: ConfidenceInterval) -> str:
    return f"{bounds.low:.4g} to {bounds.high:.4g}"
