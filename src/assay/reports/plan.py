"""A plan as a chart: power, expected p and interval width against items or responses; a grid as a heat map."""

import math
from textwrap import wrap
from typing import Any

from assay.planning import Cell, Plan
from assay.reports import pages

WIDTH, HEIGHT = 240, 220


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
    if is_grid(plan):
        return _titled(heat_map(plan), plan, titled=titled)
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
    return _titled(alt.hconcat(*drawn).configure_legend(orient="bottom"), plan, titled=titled)


def is_grid(plan: Plan) -> bool:
    """Whether every number of items meets every number of responses, three of each at least, by one metric and test."""
    cells = [cell for cell in plan.cells if not math.isnan(cell.contrast)]
    if len({_kind(cell, plan) for cell in cells}) != 1:
        return False
    items, sizes = {cell.n_items for cell in cells}, {_sizes(cell) for cell in cells}
    return len(items) >= 3 and len(sizes) >= 3 and len(cells) == len(items) * len(sizes)


def heat_map(plan: Plan) -> Any:
    """Return items against responses, coloured by power (or expected p); one line joins designs of the same cost."""
    alt = pages.altair()
    rows = [_record(cell, plan) for cell in plan.cells if not math.isnan(cell.contrast)]
    field, title = ("power", "power") if plan.tests else ("expected_pvalue", "expected p")
    sizes = list(dict.fromkeys(row["responses"] for row in sorted(rows, key=lambda row: row["k"])))
    x = alt.X("responses:O", title=f"{_judged(plan)} per item", sort=sizes)
    y = alt.Y("n_items:O", title="items", sort="descending")
    base = alt.Chart(alt.InlineData(values=rows), width=48 * len(sizes) + 40, height=260)
    scale = alt.Scale(domain=[0, 1], scheme="blues") if plan.tests else alt.Scale(scheme="blues", reverse=True)
    colour = alt.Color(f"{field}:Q", title=title, scale=scale)
    tips = ["n_items:Q", "responses:N", "contrast:Q", "expected_pvalue:Q", "ci_width:Q", "power:Q", "cost:Q"]
    tiles = base.mark_rect().encode(x=x, y=y, color=colour, tooltip=tips)
    numbers = base.mark_text(fontSize=11).encode(
        x=x, y=y, text=alt.Text(f"{field}:Q", format=".2f"),
        color=alt.condition(f"datum.{field} > 0.6", alt.value("white"), alt.value("#333")),
    )  # fmt: skip
    same = _same_cost(rows)
    line = alt.Chart(alt.InlineData(values=same)).mark_line(color="#b5322b", strokeWidth=2, point=True)
    return tiles + numbers + line.encode(x=x, y=y, tooltip=["cost:Q"], order="k:Q")


def _same_cost(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return, for each number of responses, the design whose cost is nearest to the middle cost of the grid."""
    costs = sorted(row["cost"] for row in rows)
    middle = costs[len(costs) // 2]
    found = []
    for k in sorted({row["k"] for row in rows}):
        near = min((row for row in rows if row["k"] == k), key=lambda row: abs(math.log(row["cost"] / middle)))
        if abs(math.log(near["cost"] / middle)) < math.log(1.5):
            found.append(near)
    return found


def _titled(drawn: Any, plan: Plan, *, titled: bool) -> Any:
    if not titled:
        return drawn
    alt = pages.altair()
    return drawn.properties(title=alt.TitleParams(wrap(plan.sentences[0], 120), anchor="start", fontSize=13))


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
