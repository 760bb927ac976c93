"""A plan as a chart: power, expected p and interval width against items or responses; and as a page around it."""

import math
from pathlib import Path
from textwrap import wrap
from typing import Any

from assay.planning import Cell, Plan
from assay.reports import pages

WIDTH, HEIGHT = 240, 220


def write_chart(plan: Plan, path: str | Path) -> None:
    """Write the chart as a page (.html, JavaScript included), a picture, or a Vega-Lite specification (.json)."""
    pages.write(path, chart=lambda: chart(plan), page=lambda: to_html(plan))


def to_html(plan: Plan) -> str:
    """Return one page with sentences, chart and table, which needs no network."""
    return pages.render(
        "plan.html",
        charts={"plan": chart(plan, titled=False)},
        title=f"How many items, how many {_judged(plan)}?",
        result=plan,
        header=["metric", "items", _judged(plan), "contrast", "expected p", "interval width", "power", "cost"],
        rows=[(_row(cell), _taken(cell, plan)) for cell in plan.cells],
    )


def chart(plan: Plan, *, titled: bool = True) -> Any:
    """Return the Altair chart of a plan: one panel for each number, one line for each number of responses.

    Where every number of responses has one design only, as within a budget, responses are on the x axis. The title is
    the plan's first sentence; a page that shows the sentence itself leaves it out.
    """
    alt = pages.altair()
    alt.data_transformers.disable_max_rows()
    cells = [cell for cell in plan.cells if not math.isnan(cell.contrast)]
    kinds = {_kind(cell, plan) for cell in cells}
    several = len(kinds) > 1
    sizes = {_sizes(cell) for cell in cells}
    per_size = max(sum(_sizes(cell) == each for cell in cells) for each in sizes)
    by_items = per_size > len(kinds)
    panels = {"power": "power", "expected_pvalue": "expected p", "ci_width": "interval width"}
    if not plan.tests:
        del panels["power"]
    rows = [_record(cell, plan) for cell in cells]
    data = alt.InlineData(values=rows)
    x = alt.X(
        "n_items:Q" if by_items else "k:Q", title="items" if by_items else f"{_judged(plan)} per item",
        scale=alt.Scale(type="log", nice=False, padding=15), axis=alt.Axis(grid=False, format="~s"),
    )  # fmt: skip
    colour: Any = alt.value("#4c78a8")
    if by_items:
        order = [_sizes(cell) for cell in sorted(cells, key=_order)]
        colour = alt.Color("responses:N", title=_judged(plan), sort=list(dict.fromkeys(order)))
    elif several:
        colour = alt.Color("kind:N", title="")
    drawn = []
    for field, title in panels.items():
        bounded = field != "ci_width"
        y = alt.Y(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]) if field == "power" else alt.Scale())
        base = alt.Chart(data, width=WIDTH, height=HEIGHT)
        tips = ["metric:N", "n_items:Q", "responses:N", "contrast:Q", "expected_pvalue:Q", "ci_width:Q", "power:Q"]
        lines: Any = base.mark_line(point=True).encode(x=x, y=y, color=colour, tooltip=[*tips, "cost:Q"])
        if several and by_items:
            lines = lines.encode(strokeDash=alt.StrokeDash("kind:N", title=""))
        if bounded:
            low, high = alt.Y(f"{field}_low:Q", title=title), alt.Y2(f"{field}_high:Q")
            lines = base.mark_rule(opacity=0.5).encode(x=x, y=low, y2=high, color=colour) + lines
        mark = {"power": plan.target_value if plan.target == "power" else 0.8, "expected_pvalue": plan.alpha}.get(field)
        if mark is not None:
            rule = alt.Chart(alt.InlineData(values=[{"y": mark}])).mark_rule(strokeDash=[4, 4], color="#8a8a8a")
            lines = rule.encode(y="y:Q") + lines
        taken = alt.Chart(alt.InlineData(values=[row for row in rows if row["taken"]])).mark_point(
            size=160, color="#b5322b", strokeWidth=2.5
        )
        drawn.append(lines + taken.encode(x=x, y=y) if any(row["taken"] for row in rows) else lines)
    panels_in_a_row = alt.hconcat(*drawn).configure_legend(orient="bottom")
    if not titled:
        return panels_in_a_row
    return panels_in_a_row.properties(title=alt.TitleParams(wrap(plan.sentences[0], 120), anchor="start", fontSize=13))


def _record(cell: Cell, plan: Plan) -> dict[str, Any]:
    numbers = {name: getattr(cell, name) for name in ("n_items", "metric", "contrast", "ci_width", "cost")}
    record = numbers | {
        "kind": _kind(cell, plan),
        "k": _order(cell)[0],
        "responses": _sizes(cell),
        "taken": _taken(cell, plan),
    }
    for name, error in (("expected_pvalue", cell.expected_pvalue_error), ("power", cell.power_error)):
        value = getattr(cell, name)
        known = not math.isnan(value)
        record[name] = value if known else None
        record[f"{name}_low"] = max(0.0, value - 2 * error) if known else None
        record[f"{name}_high"] = min(1.0, value + 2 * error) if known else None
    return record


def _taken(cell: Cell, plan: Plan) -> bool:
    return any(cell == answer.recommended for answer in plan.answers)


def _kind(cell: Cell, plan: Plan) -> str:
    """Return which of several questions a cell belongs to: metric, ε, test."""
    parts = [cell.metric]
    if len({each.epsilon for each in plan.cells}) > 1:
        parts.append(f"ε = {cell.epsilon:g}")
    if len(plan.tests) > 1:
        parts.append(cell.test)
    return ", ".join(parts)


def _judged(plan: Plan) -> str:
    return "raters" if any(cell.design.n_raters for cell in plan.cells) else "responses"


def _order(cell: Cell) -> tuple[int, ...]:
    """Return what designs are ordered by: raters, where there are any, else responses."""
    if cell.design.n_raters:
        raters = cell.design.raters_per_item if cell.design.nested else cell.design.n_raters
        return raters, cell.design.raters_per_item, cell.n_responses["a"]
    return cell.n_responses["gold"] or cell.n_responses["a"], cell.n_responses["a"], cell.n_responses["b"]


def _sizes(cell: Cell) -> str:
    if cell.design.n_raters:
        return f"{cell.design.raters_per_item} each" if cell.design.nested else cell.design.per_item
    if not cell.design.gold:
        return f"{cell.n_responses['a']}"
    gold, a, b = cell.design.n_responses
    return f"{gold}" if gold == a == b else f"{gold}/{a}/{b}"


def _row(cell: Cell) -> list[str]:
    power = "–" if math.isnan(cell.power) else f"{cell.power:.3f} ± {cell.power_error:.3f}"
    return [
        cell.metric, f"{cell.n_items:,}", _sizes(cell), f"{cell.contrast:.4g}",
        f"{cell.expected_pvalue:.4f} ± {cell.expected_pvalue_error:.4f}", f"{cell.ci_width:.4g}", power,
        f"{cell.cost:,g}",
    ]  # fmt: skip
