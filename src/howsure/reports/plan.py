"""A plan as a chart: power, p, width and cost against items or responses; a grid of designs as a heat map."""

import math
from textwrap import wrap
from typing import Any

from howsure.documents.numbers import joined
from howsure.planning import Cell, Plan
from howsure.planning.designs import Design
from howsure.reports import chart_files, drawing
from howsure.reports.colours import DASHES, INK, MARK, PAPER, QUIET, SERIES, A
from howsure.reports.drawing import rows, settings, ticks

WIDTH, HEIGHT = 240, 220
PANELS = {
    "power": "power",
    "expected_pvalue": "expected p",
    "ci_width": "interval width",
    "n_items": "items needed",
    "cost": "cost",
}
TARGETS = {"power": "power", "p": "expected_pvalue", "width": "ci_width"}
"""Which number each kind of target is about."""
TIPS = ("metric:N", "n_items:C", "responses:N", "advantage:Q", "expected_pvalue:Q", "ci_width:Q", "power:Q", "cost:C")


def chart(plan: Plan, *, titled: bool = True) -> Any:
    """Return the Altair chart of a plan; its title is what to collect, which a page that says it leaves out.

    A grid of designs is a heat map. Designs within budgets are lines of power and p against responses, one for each
    budget; designs that reach a target show how many items that takes, and what it costs; other designs are lines
    against items, one for each number of responses. Several ε or tests differ by dash; metrics have panels of their
    own.
    """
    alt = chart_files.altair()
    cells = [cell for cell in plan.cells if not math.isnan(cell.advantage)]
    if is_grid(plan):
        return _titled(heat_map(plan), plan, titled=titled)
    points = [_record(cell, plan) for cell in cells]
    per_size = max(sum(cell.design.short == each.design.short for cell in cells) for each in cells)
    if any(cell.budget is not None for cell in cells):
        fields, by = ["power", "expected_pvalue", "ci_width"], "k"
    elif per_size > len({(point["metric"], point["kind"]) for point in points}):
        fields, by = ["power", "expected_pvalue", "ci_width"], "n_items"
    else:
        reached = ["n_items", "cost", TARGETS.get(plan.target, "")]
        fields, by = reached if plan.target else ["power", "expected_pvalue", "ci_width"], "k"
    fields = [field for field in fields if plan.tests or field != "power"]
    legend = _lines(plan, fields)
    if "n_items" in fields and any(point["missed"] for point in points):
        most = max(cell.n_items for cell in cells)
        legend += f"; no dot for items and cost where {most:,} items miss it"
    if any(point["searched"] for point in points):
        legend += "; square: the fewest items that reach the target"
    metrics = list(dict.fromkeys(cell.metric for cell in cells))
    # Metrics have units of their own, so each has its own row of panels with its own axes.
    strips = [_panels([point for point in points if point["metric"] == each], fields, by, plan) for each in metrics]
    if len(metrics) == 1:
        drawn = strips[0]
    else:
        named = (strip.properties(title=drawing.title(name)) for strip, name in zip(strips, metrics, strict=True))
        drawn = alt.vconcat(*named).resolve_scale(color="shared", strokeDash="shared")
    drawn = drawn.configure_legend(
        orient="bottom", columns=8, symbolType="stroke", symbolSize=500, symbolStrokeWidth=2.5, symbolOpacity=1
    )
    return _titled(drawn, plan, titled=titled, dashed=legend)


def _panels(points: list[dict[str, Any]], fields: list[str], by: str, plan: Plan) -> Any:
    import altair as alt

    known, here = [point[by] for point in points], _here(plan)
    known += [] if here is None else [here.n_items if by == "n_items" else _order(here)[0]]
    title = "items" if by == "n_items" else _judged(plan)
    x = alt.X(
        f"{by}:Q",
        title=title,
        scale=settings(type="log", nice=False, padding=15, domain=[min(known), max(known)]),
        axis=settings(grid=False, values=ticks(known, 7), format=",d"),
    )
    colour, dash = _series(points, by, plan)
    return alt.hconcat(*(_panel(points, field, x, (colour, dash), plan) for field in fields))


def _panel(points: list[dict[str, Any]], field: str, x: Any, look: tuple[Any, Any], plan: Plan) -> Any:
    """Return one number against items or responses, with its error, its target, the pilot and what to collect."""
    import altair as alt

    colour, dash = look
    scale, axis = settings(domain=[0, 1]) if field == "power" else settings(), settings()
    here = _here(plan)
    if field in ("n_items", "cost"):
        points = [point for point in points if not point["missed"]] or points
        known = [point[field] for point in points]
        known += [here.n_items] if here is not None and field == "n_items" else []
        scale = settings(type="log", nice=False, padding=15)
        axis = settings(values=drawing.round_ticks(min(known), max(known)), format=drawing.NUMBERS, labelOverlap=False)
    if field == "expected_pvalue" and _spans_decades(points):
        # RATINGS draws p on such an axis, too: designs that differ by a factor of a hundred would lie on the zero line.
        scale = settings(type="log", nice=False, padding=10)
        axis = settings(format="~g")
        points = [point for point in points if point[field] is not None and point[field] > 0]
    y = alt.Y(f"{field}:Q", title=PANELS[field], scale=scale, axis=axis)
    # What a search found is no design of its budget: it stands beside the budget's curve.
    found = [point for point in points if point["searched"]]
    base = rows([point for point in points if not point["searched"]] or points).properties(width=WIDTH, height=HEIGHT)
    encoded = {"x": x, "y": y, "color": colour, **({} if dash is None else {"strokeDash": dash})}
    dots = base.mark_point(filled=True, opacity=1, size=30).encode(x=x, y=y, color=colour, tooltip=drawing.tips(*TIPS))
    layers = [base.mark_line().encode(**encoded), dots]
    if field in ("power", "expected_pvalue"):
        ends = alt.Y(f"{field}_low:Q", title=PANELS[field]), alt.Y2(f"{field}_high:Q")
        layers.insert(0, base.mark_rule(opacity=0.5).encode(x=x, y=ends[0], y2=ends[1], color=colour))
    if found and len(found) < len(points):
        squares = rows(found).mark_point(shape="square", filled=False, size=60, strokeWidth=2, opacity=1)
        layers.append(squares.encode(x=x, y=y, color=colour, tooltip=drawing.tips(*TIPS)))
    aim = _aim(plan, field)
    if aim is not None:
        layers.insert(0, drawing.rule(aim, "y"))
    if here is not None:
        layers += _you_are_here(here, field, x, y)
    taken = [point for point in points if point["taken"]]
    if taken:
        layers.append(rows(taken).mark_point(size=170, color=MARK, strokeWidth=2.5, opacity=1).encode(x=x, y=y))
    return alt.layer(*layers)


def _series(points: list[dict[str, Any]], by: str, plan: Plan) -> tuple[Any, Any]:
    """Return how lines differ: budgets or responses by colour, from light to dark; metrics, ε and tests by dash."""
    import altair as alt

    kinds = list(dict.fromkeys(point["kind"] for point in points))
    field, title = ("responses", _judged(plan)) if by == "n_items" else ("budget", "budget")
    names = list(dict.fromkeys(point[field] for point in sorted(points, key=lambda point: point[f"{field}_order"])))
    scale = settings(domain=kinds, range=[list(each) for each in DASHES])
    dash = alt.StrokeDash("kind:N", title=None, scale=scale) if len(kinds) > 1 else None
    if len(names) > 3:
        return alt.Color(f"{field}:N", title=title, scale=settings(domain=names, scheme="viridis", reverse=True)), dash
    if len(names) > 1:
        return alt.Color(f"{field}:N", title=title, scale=settings(domain=names, range=list(SERIES))), dash
    if dash is None:
        return alt.ColorValue(A), dash
    return alt.Color("kind:N", title=None, scale=settings(domain=kinds, range=list(SERIES))), dash


def _you_are_here(pilot: Design, field: str, x: Any, y: Any) -> list[Any]:
    """Return where the pilot stands on the axis, and as a point where its own number is known."""
    import altair as alt

    by = str(x.to_dict()["field"])
    at = pilot.n_items if by == "n_items" else _order(pilot)[0]
    row = {by: at, "n_items": pilot.n_items, "label": "you are here"}
    line = rows([row])
    ends = x.to_dict()["axis"]["values"]
    left = at * at <= ends[0] * ends[-1]  # words stand on the side that has room
    words = line.mark_text(align="left" if left else "right", dx=4 if left else -4, fontSize=10, color=QUIET)
    point = line.mark_point(shape="diamond", filled=True, size=90, color=INK, opacity=1)
    return [
        line.mark_rule(color=QUIET, strokeDash=[2, 2]).encode(x=x),
        words.encode(x=x, y=alt.value(8), text=alt.Text("label:N")),
        *([point.encode(x=x, y=y)] if field == "n_items" else []),
    ]


def is_grid(plan: Plan) -> bool:
    """Whether every number of items meets every number of responses, three of each at least, by one metric and test."""
    cells = [cell for cell in plan.cells if not math.isnan(cell.advantage)]
    if len({(cell.metric, _kind(cell, plan)) for cell in cells}) != 1:
        return False
    items, sizes = {cell.n_items for cell in cells}, {cell.design.short for cell in cells}
    return len(items) >= 3 and len(sizes) >= 3 and len(cells) == len(items) * len(sizes)


def heat_map(plan: Plan) -> Any:
    """Return items against responses, coloured by power (or expected p).

    A line joins designs of about the same cost; a frame shows what to collect, a dashed one where the pilot stands.
    """
    import altair as alt

    points = [_record(cell, plan) for cell in plan.cells if not math.isnan(cell.advantage)]
    field, title = ("power", "power") if plan.tests else ("expected_pvalue", "expected p")
    sizes = list(dict.fromkeys(row["responses"] for row in sorted(points, key=lambda row: row["k"])))
    x = alt.X("responses:O", title=_judged(plan), sort=sizes, axis=settings(labelAngle=0))
    y = alt.Y("n_items:O", title="items", sort="descending", axis=settings(format=",d"))
    n_items = len({row["n_items"] for row in points})
    base = rows(points).properties(width=max(200, 52 * len(sizes)), height=max(120, 34 * n_items))
    scale = settings(domain=[0, 1], scheme="blues") if plan.tests else settings(scheme="blues", reverse=True)
    tiles = base.mark_rect().encode(
        x=x, y=y, color=alt.Color(f"{field}:Q", title=title, scale=scale), tooltip=drawing.tips(*TIPS)
    )
    dark = f"datum.{field} > 0.55" if plan.tests else f"datum.{field} < 0.1"
    numbers = base.mark_text(fontSize=11, dy=-7).encode(
        x=x,
        y=y,
        text=alt.Text(f"{field}:Q", format=".2f"),
        color=alt.condition(dark, alt.value(PAPER), alt.value(INK)),
    )
    layers = [tiles]
    same = _same_cost(points)
    if len(same) > 1:
        line = rows(same)
        layers += [
            line.mark_line(color=MARK, strokeWidth=2, yOffset=8).encode(x=x, y=y, order="k:Q"),
            line.mark_circle(color=MARK, size=40, opacity=1, yOffset=8).encode(x=x, y=y),
        ]
    layers.append(numbers)
    frames = [row for row in points if row["taken"]]
    if frames:
        layers.append(rows(frames).mark_rect(filled=False, stroke=MARK, strokeWidth=3).encode(x=x, y=y))
    here = [row for row in points if _here(plan) is not None and row["design"] == str(_here(plan))]
    if here:
        layers.append(rows(here).mark_rect(filled=False, stroke=INK, strokeWidth=2, strokeDash=[4, 3]).encode(x=x, y=y))
    return alt.layer(*layers, title=drawing.title(_legend(same, bool(frames), bool(here))))


def _legend(same: list[dict[str, Any]], taken: bool, here: bool) -> list[str]:
    """Return what the line and the frames are; nothing on the picture needs a mouse."""
    legend = []
    if len(same) > 1:
        costs = sorted(row["cost"] for row in same)
        each = f"{costs[0]:,g}" if costs[0] == costs[-1] else f"about {costs[len(costs) // 2]:,g}"
        legend.append(f"red line: designs that cost {each}")
    legend += ["red frame: recommended"] if taken else []
    return ["; ".join([*legend, *(["dashed frame: you are here"] if here else [])])]


def _same_cost(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return, for each number of responses, the design that costs about as much as the recommended, or a middle one."""
    costs = [row["cost"] for row in points if row["taken"]] or sorted(row["cost"] for row in points)
    middle = costs[len(costs) // 2]
    found = []
    for k in sorted({row["k"] for row in points}):
        near = min((row for row in points if row["k"] == k), key=lambda row: abs(math.log(row["cost"] / middle)))
        if abs(math.log(near["cost"] / middle)) < math.log(1.3):
            found.append(near)
    return found


def _titled(drawn: Any, plan: Plan, *, titled: bool, dashed: str = "") -> Any:
    if not titled:
        return drawn
    import altair as alt

    recommended = [answer for answer in plan.answers if answer.recommended]
    metrics = joined(dict.fromkeys(cell.metric for cell in plan.cells))
    headline = plan.verdict if recommended else f"What each design may expect, by {metrics}"
    if plan.pilot is not None and not recommended:
        headline = f"The pilot has {plan.pilot.design}; what other designs may expect"
    if len(recommended) > 1:
        headline = "The recommended design for each budget and question"
    shown = drawn if hasattr(drawn, "hconcat") or hasattr(drawn, "vconcat") else alt.hconcat(drawn)
    params = drawing.title(wrap(headline, 85 if is_grid(plan) else 105), loud=True)
    if not is_grid(plan):
        marks = ["ring: recommended"] if any(answer.recommended for answer in plan.answers) else []
        params.subtitle = "; ".join([*marks, dashed])
    return shown.properties(title=params)


def _lines(plan: Plan, fields: list[str]) -> str:
    """Return what the thin dashed lines are."""
    aims = ", ".join(f"{PANELS[field]} {_aim(plan, field):g}" for field in fields if _aim(plan, field) is not None)
    return f"thin dashed line: {aims}"


def _aim(plan: Plan, field: str) -> float | None:
    """Return what a design should reach; None for what has no such number."""
    usual = {"power": 0.8, "expected_pvalue": plan.alpha}
    return plan.target_value if TARGETS.get(plan.target) == field else usual.get(field)


def _record(cell: Cell, plan: Plan) -> dict[str, Any]:
    numbers = {name: getattr(cell, name) for name in ("n_items", "metric", "advantage", "ci_width", "cost")}
    record = numbers | {
        "kind": _kind(cell, plan),
        "k": _order(cell.design)[0],
        "responses": cell.design.short,
        "responses_order": _order(cell.design),
        "budget": "" if cell.budget is None else f"{cell.budget:,g}",
        "budget_order": cell.budget or 0.0,
        "design": str(cell.design),
        "taken": plan.recommends(cell),
        "missed": cell.reason == "misses target",
        "searched": _searched(cell, plan),
    }
    for name, error in (("expected_pvalue", cell.expected_pvalue_error), ("power", cell.power_error)):
        value = getattr(cell, name)
        known = not math.isnan(value)
        record[name] = value if known else None
        # A tenth of p at least, so that a bar of an error has an end on a logarithmic axis, too.
        record[f"{name}_low"] = max(0.1 * value, value - 2 * error) if known else None
        record[f"{name}_high"] = min(1.0, value + 2 * error) if known else None
    return record


def _searched(cell: Cell, plan: Plan) -> bool:
    """Whether a search under a budget ended here: the budget would pay for one more item."""
    if cell.budget is None or not plan.target or plan.spend:
        return False
    return cell.cost * (cell.n_items + 1) / cell.n_items <= cell.budget * (1 + 1e-9)


def _spans_decades(points: list[dict[str, Any]]) -> bool:
    """Whether expected p-values differ by more than a factor of a hundred."""
    known = [point["expected_pvalue"] for point in points if point["expected_pvalue"]]
    return bool(known) and max(known) > 100 * min(known)


def _here(plan: Plan) -> Design | None:
    return None if plan.pilot is None else plan.pilot.design


def _kind(cell: Cell, plan: Plan) -> str:
    """Return which of several questions a cell belongs to: ε, test."""
    parts = []
    if len({each.epsilon for each in plan.cells}) > 1:
        parts.append(f"ε = {cell.epsilon:g}")
    if len(plan.tests) > 1:
        parts.append(cell.test)
    return ", ".join(parts) or cell.metric


def _judged(plan: Plan) -> str:
    """Return what the numbers beside items count."""
    designs = [cell.design for cell in plan.cells if cell.design.n_raters]
    if not designs:
        models = {(cell.design.a, cell.design.b) for cell in plan.cells}
        fixed = len(models) == 1 < len({cell.design.gold for cell in plan.cells})
        return "gold responses per item" if fixed else "responses per item"
    if all(design.nested for design in designs):
        return "raters per item, each of one item only"
    each = {design.raters_per_item for design in designs}
    return f"raters ({each.pop()} per item)" if len(each) == 1 else "raters"


def _order(design: Design) -> tuple[int, ...]:
    """Return what designs are ordered by: raters, where there are any, else responses."""
    if design.n_raters:
        raters = design.raters_per_item if design.nested else design.n_raters
        return raters, design.raters_per_item, design.a
    return design.gold or design.a, design.a, design.b
