"""A plan as a document: what to collect, how sure that is, what it gives, and every design that was tried."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from howsure.documents import Column, Definitions, Document, Measured, Sentence, Table, details
from howsure.documents.numbers import as_error, error_of, interval, number, plainly, rough, share
from howsure.planning.plans import Cell, FollowUp, Plan
from howsure.planning.sentences import p_bound, said, upward
from howsure.raters.component_tables import TITLES

ROWS = 12
"""The most designs of a short table: what meets the target at the lowest cost, else what comes nearest to it."""


def document(plan: Plan) -> Document:
    """Return the sentences, the table of designs, what more responses bring, and what the plan is based on."""
    blocks: list[Any] = [*said(plan)]
    if plan.layout == "matrix":
        blocks += _matrices(plan)
    else:
        best = _best(plan)
        blocks.append(_table(plan, best))
        if len(best) < len(plan.cells):
            left = len(plan.cells) - len(best)
            blocks.append(Sentence(f"{left} more designs are in the whole table (`verbose`, or a report)."))
            blocks += details([replace(_table(plan, plan.cells), title="Every design")])
    if plan.follow_ups:
        blocks.append(_next_table(plan.follow_ups))
    blocks += details([Definitions(tuple(_facts(plan)))])
    return Document("How many items, how many responses?", tuple(blocks), plan.notes, plan.signature)


def _best(plan: Plan) -> Sequence[Cell]:
    """Return the designs of a short table, in their order."""

    def rank(cell: Cell) -> tuple[bool, bool, float, float]:
        misses = bool(cell.reason)
        reached = cell.expected_pvalue if math.isnan(cell.power) else 1 - cell.power
        unknown = math.isnan(reached)
        return not _is_taken(cell, plan), misses or unknown, math.inf if unknown else reached * misses, cell.cost

    if len(plan.cells) <= ROWS:
        return plan.cells
    best = sorted(range(len(plan.cells)), key=lambda place: rank(plan.cells[place]))[:ROWS]
    return [plan.cells[place] for place in sorted(best)]


def _table(plan: Plan, cells: Sequence[Cell]) -> Table:
    """Return one row for each design; columns that are the same in all rows are left out."""
    with_raters = any(cell.design.n_raters for cell in cells)
    tested = bool(plan.tests)
    optional: list[tuple[bool, Column, Any]] = [
        (_vary(cell.metric for cell in cells), Column("metric"), lambda cell: cell.metric),
        (_vary(cell.epsilon for cell in cells), Column("ε", "number"), lambda cell: cell.epsilon),
        (_vary(cell.test for cell in cells), Column("test"), lambda cell: cell.test),
        (True, Column("items", "count"), lambda cell: cell.n_items),
        (with_raters, Column("raters", "count"), lambda cell: cell.design.n_raters),
        (
            with_raters and any(cell.design.raters_per_item != cell.design.n_raters for cell in cells),
            Column("per item", "count"),
            lambda cell: cell.design.raters_per_item,
        ),
        (
            not with_raters or _vary(cell.design.a for cell in cells if cell.design.gold),
            Column("repeats" if with_raters else "responses", "count"),
            lambda cell: cell.design.a if with_raters else _responses(cell),
        ),
        (
            True,
            Column("advantage", "number", detail=tested),
            lambda cell: _with_error(cell.advantage, cell.advantage_error),
        ),
        (with_raters, Column("standard error", "number", detail=True), lambda cell: as_error(cell.standard_error)),
        (with_raters, Column("raters’ part", "percent", detail=True), lambda cell: cell.shares.get("raters", 0.0)),
        (
            not with_raters,
            Column("expected p", "number", detail=tested),
            lambda cell: _bounded(cell) or _with_error(cell.expected_pvalue, cell.expected_pvalue_error, 4),
        ),
        (True, Column("CI width", "number"), lambda cell: _three(cell.ci_width)),
        (tested, Column("power", "number"), lambda cell: None if math.isnan(cell.power) else share(cell.power, most=2)),
        (tested, Column("error of power", "number", detail=True), lambda cell: as_error(cell.power_error)),
        (
            any(cell.power_interval for cell in cells),
            Column(f"{100 * plan.confidence_level:g}% interval of power", "number"),
            _power_ends,
        ),
        (
            any(not math.isnan(cell.detectable) for cell in cells),
            Column("detects", "number"),
            lambda cell: None if math.isnan(cell.detectable) else _three(cell.detectable),
        ),
        (True, Column("cost", "number"), lambda cell: f"{cell.cost:,.10g}"),
        (True, Column(""), lambda cell: "best" if _is_taken(cell, plan) else cell.reason),
    ]
    kept = [(column, value) for shown, column, value in optional if shown]
    rows = tuple(tuple(value(cell) for _, value in kept) for cell in cells)
    marked = frozenset(place for place, cell in enumerate(cells) if _is_taken(cell, plan))
    return Table(tuple(column for column, _ in kept), rows, "", marked)


def _bounded(cell: Cell) -> str:
    bound = p_bound(cell)
    return "" if bound is None else f"< {upward(bound)}"


def _power_ends(cell: Cell) -> str | None:
    ends = cell.power_interval
    return None if ends is None or math.isnan(ends.low) else f"{ends.low:.2f} to {ends.high:.2f}"


def _three(value: float) -> Measured:
    """Return three digits, for widths and detectable advantages, which are not known better."""
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
    if error > finest / 10:  # a smaller one would not be visible
        return f"{number(value, max(error, finest))} ± {rough(error)}"
    return number(value, finest) if finest else plainly(value)


def _matrices(plan: Plan) -> list[Table]:
    """Return tables of items against responses: of power (or the expected p), for each metric, ε and test."""
    tables = []
    kinds = dict.fromkeys((cell.metric, cell.epsilon, cell.test) for cell in plan.cells)
    for metric, epsilon, test in kinds:
        cells = [cell for cell in plan.cells if (cell.metric, cell.epsilon, cell.test) == (metric, epsilon, test)]
        columns = list(dict.fromkeys(_column(cell) for cell in cells))
        rows = sorted({cell.n_items for cell in cells})
        known = {(cell.n_items, _column(cell)): cell for cell in cells}
        numbers = tuple((n, *(_matrix_number(known.get((n, column)), test) for column in columns)) for n in rows)
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
    if math.isnan(value):
        return None
    return share(value) if test else _bounded(cell) or number(value, 0.001)


def _next_table(follow_ups: tuple[FollowUp, ...]) -> Table:
    columns = (
        Column("more responses", "count"),
        Column("spent on"),
        Column("advantage", "number"),
        Column("standard error", "number"),
        Column("interval width", "number"),
        Column("power", "number"),
    )
    rows = tuple(
        (
            way.n_more,
            way.change,
            Measured(way.cell.advantage, way.cell.standard_error),
            as_error(way.cell.standard_error),
            _three(way.cell.ci_width),
            share(way.cell.power, most=2),
        )
        for way in follow_ups
    )
    best = frozenset(place for place, way in enumerate(follow_ups) if way.best)
    return Table(columns, rows, "What more responses bring", best)


def _facts(plan: Plan) -> list[tuple[str, str]]:
    facts = [("Computed from", plan.model)]
    if plan.tests:
        facts.append(("Test", f"{', '.join(plan.tests)}, {plan.alternative}, significance level {plan.alpha:g}"))
    if plan.pilot is not None:
        facts.append(("Pilot", str(plan.pilot.design)))
        for name, value in plan.pilot.components.items():
            ends = plan.pilot.component_intervals.get(name)
            between = "" if ends is None or math.isnan(ends.low) else f" ({interval(ends.low, ends.high)})"
            error = math.nan if ends is None else error_of(ends, value)
            known = "unknown" if math.isnan(value) else number(value, error)
            facts.append((f"Variance of {TITLES.get(name, name)}", known + between))
        facts += [
            (f"Fit of {entry['name']}", f"largest distance {entry['distance']:.3f}, p = {entry['pvalue']:.2g}")
            for entry in plan.pilot.goodness
        ]
    return facts
