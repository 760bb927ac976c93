"""A plan as a document: what to collect, how sure that is, what it gives, and every design that was looked at."""

import math
from typing import Any

from assay.documents import Column, Definitions, Document, Measured, Sentence, Table
from assay.documents.numbers import as_error, error_of, interval, number, pvalue, rough
from assay.planning.plans import Answer, Cell, FollowUp, Pilot, Plan

COMPONENTS = {
    "items": "items",
    "raters": "raters",
    "residual": "items × raters and noise",
    "repeats_a": "repeats of A",
    "repeats_b": "repeats of B",
}

TITLES = {
    "items": "items",
    "raters": "raters",
    "residual": "items × raters and noise",
    "repeats": "repeats of the models",
}

SMALL_P = "< 0.0001"


def document(plan: Plan) -> Document:
    """Return the sentences, the table of designs, what more responses bring, and what the plan rests on."""
    words = [Sentence(line, "verdict" if place == 0 else "") for place, line in enumerate(sentences(plan))]
    blocks: list[Any] = [*words, *(_matrices(plan) if plan.layout == "matrix" else [_table(plan)])]
    if plan.follow_ups:
        blocks.append(_next_table(plan.follow_ups))
    blocks.append(Definitions(tuple(_facts(plan))))
    return Document("How many items, how many responses?", tuple(blocks), plan.notes, plan.signature)


def _table(plan: Plan) -> Table:
    """Return one row for each cell; columns that say the same everywhere are left out."""
    cells = plan.cells
    with_raters = any(cell.design.n_raters for cell in cells)
    optional: list[tuple[bool, Column, Any]] = [
        (_vary(cell.metric for cell in cells), Column("metric"), lambda cell: cell.metric),
        (_vary(cell.epsilon for cell in cells), Column("ε", "number"), lambda cell: cell.epsilon),
        (_vary(cell.test for cell in cells), Column("test"), lambda cell: cell.test),
        (True, Column("items", "count"), lambda cell: cell.n_items),
        (with_raters, Column("raters", "count"), lambda cell: cell.design.n_raters),
        (
            with_raters and any(cell.design.raters_per_item != cell.design.n_raters for cell in cells),
            Column("per item", "count"), lambda cell: cell.design.raters_per_item,
        ),
        (
            not with_raters or _vary(cell.design.a for cell in cells if cell.design.gold),
            Column("repeats" if with_raters else "responses", "count"),
            lambda cell: cell.design.a if with_raters else _responses(cell),
        ),
        (True, Column("contrast", "number"), lambda cell: _with_error(cell.contrast, cell.contrast_error)),
        (with_raters, Column("standard error", "number"), lambda cell: as_error(cell.standard_error)),
        (with_raters, Column("raters’ part", "percent"), lambda cell: cell.shares.get("raters", 0.0)),
        (
            not with_raters, Column("expected p", "number"),
            lambda cell: SMALL_P if cell.expected_pvalue < 1e-4
            else _with_error(cell.expected_pvalue, cell.expected_pvalue_error, 4),
        ),
        (True, Column("width", "number"), lambda cell: _three(cell.ci_width)),
        (bool(plan.tests), Column("power", "number"), lambda cell: _with_error(cell.power, cell.power_error, 3)),
        (any(cell.power_interval for cell in cells), Column(f"{100 * plan.confidence_level:g} %"), _power_ends),
        (
            any(not math.isnan(cell.detectable) for cell in cells), Column("detects", "number"),
            lambda cell: None if math.isnan(cell.detectable) else _three(cell.detectable),
        ),
        (True, Column("cost", "number"), lambda cell: f"{cell.cost:,g}"),
        (True, Column(""), lambda cell: "collect this" if _is_taken(cell, plan) else cell.reason),
    ]  # fmt: skip
    kept = [(column, value) for shown, column, value in optional if shown]
    rows = tuple(tuple(value(cell) for _, value in kept) for cell in cells)
    marked = frozenset(place for place, cell in enumerate(cells) if _is_taken(cell, plan))
    return Table(tuple(column for column, _ in kept), rows, "", marked)


def _power_ends(cell: Cell) -> str | None:
    ends = cell.power_interval
    return None if ends is None or math.isnan(ends.low) else f"{ends.low:.2f}–{ends.high:.2f}"


def _three(value: float) -> Measured:
    """Return three digits of what is known no better than that: widths, and what can be detected."""
    return Measured(value, abs(value) / 10)


def _vary(values: Any) -> bool:
    return len(set(values)) > 1


def _is_taken(cell: Cell, plan: Plan) -> bool:
    return any(cell == answer.recommended for answer in plan.answers)


def _responses(cell: Cell) -> str:
    gold, a, b = cell.design.n_responses
    if not gold:
        return f"{a}" if a == b else f"{a}/{b}"
    return f"{gold}" if gold == a == b else f"{gold}/{a}/{b}"


def _with_error(value: float, error: float, digits: int = 0) -> str | None:
    if math.isnan(value):
        return None
    finest = 10.0 ** (1 - digits) if digits else 0.0
    if error > finest / 10:  # a smaller one would not be seen beside it
        return f"{number(value, max(error, finest))} ± {rough(error)}"
    return number(value, finest) if finest else _plain(value)


def _plain(value: float) -> str:
    """Return three digits of a number without a Monte-Carlo error, and none that are only zeros: it may be exact."""
    return number(float(f"{value:.3g}"))


def _matrices(plan: Plan) -> list[Table]:
    """Return tables of items against responses: of power (or the expected p), for each metric, ε and test."""
    tables = []
    kinds = dict.fromkeys((cell.metric, cell.epsilon, cell.test) for cell in plan.cells)
    for metric, epsilon, test in kinds:
        cells = [cell for cell in plan.cells if (cell.metric, cell.epsilon, cell.test) == (metric, epsilon, test)]
        columns = list(dict.fromkeys(_column(cell) for cell in cells))
        rows = sorted({cell.n_items for cell in cells})
        known = {(cell.n_items, _column(cell)): cell for cell in cells}
        numbers = tuple(
            (n, *(_matrix_number(known.get((n, column)), test) for column in columns)) for n in rows
        )  # fmt: skip
        marked = frozenset(
            (rows.index(cell.n_items), 1 + columns.index(_column(cell))) for cell in cells if _is_taken(cell, plan)
        )
        what = f"power of {test}" if test else "expected p"
        where = "" if epsilon is None else f", ε = {epsilon:g}"
        heads = (Column("items", "count"), *(Column(column, "number") for column in columns))
        tables.append(Table(heads, numbers, f"{metric}{where}: {what}, items against {_what(plan)}", marked))
    return tables


def _column(cell: Cell) -> str:
    if cell.design.n_raters:
        return f"{cell.design.raters_per_item if cell.design.nested else cell.design.n_raters}"
    return _responses(cell)


def _what(plan: Plan) -> str:
    return "raters" if any(cell.design.n_raters for cell in plan.cells) else "responses"


def _matrix_number(cell: Cell | None, test: str) -> str | None:
    if cell is None:
        return None
    value = cell.power if test else cell.expected_pvalue
    return None if math.isnan(value) else f"{value:.3f}"


def _next_table(follow_ups: tuple[FollowUp, ...]) -> Table:
    columns = (
        Column("more responses", "count"), Column("spent on"), Column("contrast", "number"),
        Column("standard error", "number"), Column("interval width", "number"), Column("power", "number"),
    )  # fmt: skip
    rows = tuple(
        (
            way.n_more,
            way.change,
            Measured(way.cell.contrast, way.cell.standard_error),
            as_error(way.cell.standard_error),
            _three(way.cell.ci_width),
            f"{way.cell.power:.2f}",
        )
        for way in follow_ups
    )
    best = frozenset(place for place, way in enumerate(follow_ups) if way.best)
    return Table(columns, rows, "What more responses bring", best)


def _facts(plan: Plan) -> list[tuple[str, str]]:
    facts = [("Computed from", plan.model)]
    if plan.tests:
        facts.append(("Test", f"{', '.join(plan.tests)}, {plan.alternative}, level {plan.alpha:g}"))
    if plan.pilot is not None:
        for name, value in plan.pilot.components.items():
            ends = plan.pilot.component_intervals.get(name)
            between = "" if ends is None or math.isnan(ends.low) else f" ({interval(ends.low, ends.high)})"
            error = math.nan if ends is None else error_of(ends, value)
            known = "unknown" if math.isnan(value) else number(value, error)
            facts.append((f"Variance of {COMPONENTS.get(name, name)}", known + between))
        facts += [
            (f"Fit of {entry['name']}", f"largest distance {entry['distance']:.3f}, p = {entry['pvalue']:.2g}")
            for entry in plan.pilot.goodness
        ]
    return facts


def sentences(plan: Plan) -> list[str]:
    """Return the answer in a few sentences."""
    lines = []
    pilot = plan.pilot
    if pilot is not None:
        lines.append(f"You have {pilot.design}.")
    if pilot is not None and not pilot.settled and pilot.difference == "as in the pilot":
        return [*lines, *_nothing_to_plan_for(plan, pilot), *_follow_ups(plan.follow_ups)]
    several = len(plan.answers) > 1
    lines += [_recommendation(answer, plan, several=several) for answer in plan.answers]
    first = plan.answers[0] if plan.answers else None
    shown = _shown(plan, first)
    if pilot is not None and pilot.needed is not None:
        lines += _narrowed(pilot, shown)
    if shown is not None and not several:
        lines.append(expectation(shown))
        if not math.isnan(shown.detectable):
            lines.append(_detects(shown, plan))
        if shown.shares:
            lines.append(_shares(shown))
        if first is not None and first.recommended is not None:
            lines += _trade(plan, first.recommended)
    lines += _ceilings(plan)
    return [*lines, *_follow_ups(plan.follow_ups)]


def _shown(plan: Plan, first: Answer | None) -> Cell | None:
    if first is not None and (first.recommended or first.nearest):
        return first.recommended or first.nearest
    known = [cell for cell in plan.cells if not math.isnan(cell.contrast)]
    return known[0] if known else None


def _question(answer: Answer, plan: Plan) -> str:
    """Return which of several questions an answer is to."""
    parts = []
    if len({each.epsilon for each in plan.answers}) > 1:
        parts.append(f"ε = {answer.epsilon:g}")
    if len(plan.tests) > 1:
        parts.append(answer.test)
    if len({each.budget for each in plan.answers}) > 1:
        parts.append(f"a budget of {answer.budget:,g}")
    return f"{', '.join(parts)}: " if parts else ""


def _recommendation(answer: Answer, plan: Plan, *, several: bool) -> str:
    start = _question(answer, plan) if several else ""
    goal = _goal(plan)
    taken = answer.recommended
    if taken is None:
        within = "" if answer.budget is None else f" within a budget of {answer.budget:,g}"
        line = f"{start}No design{within} {goal or 'can be recommended'}"
        if answer.nearest is not None:
            line += f"; the nearest is {answer.nearest.design}, with {_reached(answer.nearest, plan)}"
        return f"{line}."
    if plan.target:
        whole = f"with the whole budget it {goal}{' or more' if plan.target == 'power' else ''}"
        why = f"the cheapest design that {goal}" if answer.saved or answer.budget is None else whole
    else:
        why = f"the best design for a budget of {answer.budget:,g}"
    cost = f"{taken.cost:,g}"
    if plan.cost_terms and not several and not (len(plan.cost_terms) == 1 and plan.cost_terms[0].endswith("× 1")):
        cost = f"{' + '.join(plan.cost_terms)} = {taken.cost:,g}"
    line = f"{start}Collect {taken.design}: {why}, at a cost of {cost}"
    if answer.saved and plan.target:
        line += f"; {answer.saved:,g} of the budget of {answer.budget:,g} is saved"
    return f"{line}."


def _goal(plan: Plan) -> str:
    if not plan.target:
        return ""
    value = plan.target_value
    return {
        "power": f"finds the difference with power {value:g}",
        "p": f"has an expected p of at most {value:g}",
        "width": f"has an interval no wider than {value:g}",
    }[plan.target]


def _reached(cell: Cell, plan: Plan) -> str:
    return {
        "power": f"power {cell.power:.2f}",
        "p": f"an expected p of {cell.expected_pvalue:.2g}",
        "width": f"an interval {cell.ci_width:.3g} wide",
    }[plan.target]


def _narrowed(pilot: Pilot, shown: Cell | None) -> list[str]:
    assert pilot.needed is not None
    low, high = pilot.needed.low, pilot.needed.high
    given = ""
    if pilot.searched == "items" and shown is not None and shown.design.n_raters and not shown.design.nested:
        given = f" with {shown.design.per_item}"
    if math.isinf(low):
        return [f"The pilot does not tell (95 %) whether any number of {pilot.searched} suffices{given}."]
    if math.isinf(high):
        least = f"{math.ceil(low):,} {pilot.searched} or more{given}"
        return [f"The pilot narrows the number only to {least} (95 %); perhaps no number suffices."]
    ends = f"{math.ceil(low):,}–{math.ceil(high):,}"
    return [f"The pilot narrows the number of {pilot.searched} only to {ends} (95 %){given}."]


def expectation(cell: Cell) -> str:
    """Return what a design may expect, in one sentence."""
    error = "" if math.isnan(cell.standard_error) else f" with a standard error of {rough(cell.standard_error)}"
    contrast = number(cell.contrast, cell.contrast_error) if cell.contrast_error > 0 else _plain(cell.contrast)
    line = (
        f"With {cell.design} expect a contrast of {contrast}"
        f"{_about(cell.contrast_error)} in {cell.metric}{error}, an interval {cell.ci_width:.3g} wide and an expected "
        f"p of {_p(cell)}"
    )
    if math.isnan(cell.power):
        return f"{line}."
    ends = cell.power_interval
    known = (
        "" if ends is None or math.isnan(ends.low) else f"; the pilot narrows that to {ends.low:.2f}–{ends.high:.2f}"
    )
    return f"{line}, and {cell.test} finds it with power {cell.power:.2f}{_about(cell.power_error, 0.0005)}{known}."


def _about(error: float, least: float = 0.0) -> str:
    return f" (± {rough(error)})" if error > least else ""


def _p(cell: Cell) -> str:
    if cell.expected_pvalue < 1e-4:
        return SMALL_P
    return f"{pvalue(cell.expected_pvalue, cell.expected_pvalue_error)}{_about(cell.expected_pvalue_error)}"


def _detects(cell: Cell, plan: Plan) -> str:
    power = plan.target_value if plan.target == "power" else 0.8
    epsilon = "" if math.isnan(cell.detectable_epsilon) else f" (ε = {cell.detectable_epsilon:.3g})"
    return f"The smallest contrast it detects with power {power:g} is {cell.detectable:.4g}{epsilon}."


def _shares(cell: Cell) -> str:
    """Return where the error comes from, and so what would not help."""
    parts = sorted(cell.shares.items(), key=lambda entry: -entry[1])
    made = ", ".join(f"{TITLES[name]} {100 * share:.0f} %" for name, share in parts if share >= 0.005)
    line = f"Share of the error variance: {made}"
    raters = 0.0 if cell.design.nested else cell.shares.get("raters", 0.0)
    return f"{line}; more items do not reduce the part of raters." if raters >= 0.2 else f"{line}."


def _trade(plan: Plan, best: Cell) -> list[str]:
    """Return how far the most different alternative falls behind."""
    others = [
        cell for cell in plan.cells
        if (cell.metric, cell.test, cell.epsilon) == (best.metric, best.test, best.epsilon)
        and cell.design != best.design and not math.isnan(cell.contrast) and cell.engine != "components"
    ]  # fmt: skip
    if plan.target == "power":
        others = [cell for cell in others if not cell.reason and cell.power >= plan.target_value]
        if not others:
            return []
        worst = max(others, key=lambda cell: cell.cost)
        return [f"{worst.design} would do equally well, at {worst.cost / best.cost:.1f} times the cost."]
    if plan.target or not others:
        return []
    if math.isnan(best.power):
        worst = max(others, key=lambda cell: cell.expected_pvalue)
        return [f"For the same budget {worst.design} have an expected p of {_p(worst)}."]
    worst = min(others, key=lambda cell: cell.power)
    return [f"For the same budget {worst.design} have power {worst.power:.2f}."]


def _ceilings(plan: Plan) -> list[str]:
    """Return which raters no number of items makes up for."""
    if plan.target != "power":
        return []
    return [
        f"No number of items reaches power {plan.target_value:g} with {cell.design.per_item}: the raters alone leave "
        f"at most {cell.power:.2f}."
        for cell in plan.cells
        if cell.engine == "components" and cell.reason == "below target" and cell.design.n_raters
        and cell.budget is None and not cell.design.nested and plan.pilot is not None
        and plan.pilot.searched == "items" and cell.n_items >= 100_000
    ]  # fmt: skip


def _nothing_to_plan_for(plan: Plan, pilot: Pilot) -> list[str]:
    between, error = "", math.nan
    if pilot.contrast_interval is not None:
        ends = pilot.contrast_interval
        error = error_of(ends, pilot.contrast)
        between = f" ({100 * ends.confidence_level:g} % interval {interval(ends.low, ends.high)})"
    metric = plan.cells[0].metric if plan.cells else "the metric"
    lines = [
        f"The pilot's contrast of {number(pilot.contrast, error)} in {metric}{between} cannot be told from none: there "
        "is no difference to plan for. Give the difference that matters to you (`contrast`)."
    ]
    solved = [cell for cell in plan.cells if not math.isnan(cell.detectable) and cell.metric == metric]
    if solved:
        best = min(solved, key=lambda cell: cell.detectable)
        lines.append(
            f"The smallest difference that a design here finds with power 0.8 is {best.detectable:.3g}, with "
            f"{best.design}; the table has it for each design."
        )
    return lines


def _follow_ups(follow_ups: tuple[FollowUp, ...]) -> list[str]:
    return [
        f"The next {way.n_more:,} responses are best spent on {way.change}: standard error "
        f"{rough(way.cell.standard_error)}, power {way.cell.power:.2f}."
        for way in follow_ups
        if way.best
    ]
