"""A plan as a document: what to collect, how sure that is, what it gives, and every design that was tried."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from howsure.documents import Column, Definitions, Document, Measured, Sentence, Table, details
from howsure.documents.numbers import as_error, error_of, interval, number, plainly, pvalue, rough, share
from howsure.planning.result import Answer, Cell, FollowUp, Pilot, Plan
from howsure.raters.advantage_components import TITLES

SHARES = {**TITLES, "repeats": "repeats of the models"}
SMALL_P = 1e-4
"""Smaller p-values are shown as smaller than this."""

GRID_POWER = 0.8
"""The power that a design of a grid should have where no target was given."""

ROWS = 12
"""The most designs of a short table: what meets the target at the lowest cost, else what comes nearest to it."""


def _sentences(plan: Plan) -> list[Sentence]:
    """Return the result in a few sentences, the recommendation first; what a design may expect is a detail."""
    pilot = plan.pilot
    if pilot is not None and pilot.has_nothing_to_plan_for:
        first, *rest = _nothing_to_plan_for(plan, pilot)
        return [Sentence(first, "verdict"), *map(Sentence, [*rest, *_follow_ups(plan.follow_ups)])]
    told = _told(plan)
    several = len(told) > 1
    found = [Sentence(_asks(plan, pilot))] if pilot is not None and pilot.difference == "lower limit" else []
    found += [
        Sentence(_recommendation(answer, plan, several=several), "verdict" if place == 0 else "", detail=place >= ROWS)
        for place, answer in enumerate(told)
    ]
    first_answer = told[0] if told else None
    shown = _shown(plan, first_answer)
    if pilot is not None and pilot.needed is not None:
        found.append(Sentence(_uncertain(pilot, shown)))
    if shown is not None and not several:
        grid = [] if plan.answers else _of_grid(plan)
        found += [Sentence(said, "" if place else "verdict") for place, said in enumerate(grid)]
        said = bool(plan.answers or grid)
        found.append(Sentence(expectation(shown), "" if said else "verdict", detail=said))
        if not math.isnan(shown.detectable):
            found.append(Sentence(_detects(shown, plan)))
        if shown.shares:
            found.append(Sentence(_shares(shown), detail=True))
        if first_answer is not None and first_answer.recommended is not None:
            found += map(Sentence, _trade(plan, first_answer.recommended))
    return [*found, *map(Sentence, [*_ceilings(plan), *_follow_ups(plan.follow_ups)])]


def sentences(plan: Plan) -> list[str]:
    """Return the texts of what is said."""
    return [sentence.text for sentence in _sentences(plan)]


def _told(plan: Plan) -> list[Answer]:
    """Return the answers that are said: of several budgets with a target, the least that reaches it (else the largest).

    A larger budget reaches it with the same design.
    """
    if not plan.target or plan.spend:
        return list(plan.answers)
    groups: dict[tuple[str, float | None, str], list[Answer]] = {}
    for answer in plan.answers:
        groups.setdefault((answer.metric, answer.epsilon, answer.test), []).append(answer)
    return [next((one for one in each if one.recommended is not None), each[-1]) for each in groups.values()]


def verdict(plan: Plan) -> str:
    """Return the sentence that answers the question; empty where there is none."""
    return next((sentence.text for sentence in _sentences(plan) if sentence.role == "verdict"), "")


def _of_grid(plan: Plan) -> list[str]:
    """Return the smallest of several designs that were asked for, and what more responses bring at the same N × K."""
    cells = _grid(plan)
    if not cells:
        return []
    goal = f"{100 * GRID_POWER:g}% power" if plan.tests else f"an expected p of at most {plan.alpha:g}"

    def number_of(cell: Cell) -> str:
        return f"power {share(cell.power, most=2)}" if plan.tests else f"an expected p {_of_p(cell)}"

    least = _least(plan)
    if least is not None:
        goal += f" for {plan.difference}" if plan.difference else ""
        cheapest = f"{least.design.in_words} have {goal} at the lowest cost ({least.cost:,.10g})"
        said = [f"Of these {len(cells)} designs, {cheapest}."]
    else:
        best = max(cells, key=lambda cell: cell.power if plan.tests else -cell.expected_pvalue)
        nearest = f"The best is {best.design.in_words}, with {number_of(best)}"
        goal += f" for {plan.difference}" if plan.difference else ""
        said = [f"None of these {len(cells)} designs has {goal}. {nearest}."]
    # Designs of the same N × K that differ in K: the largest such set, and of several the one that costs least.
    same: dict[float, list[Cell]] = {}
    for cell in cells:
        same.setdefault(cell.cost, []).append(cell)
    alike = max(same.values(), key=lambda each: (len(each), -each[0].cost))
    if len(alike) > 1:
        few, many = alike[0], alike[-1]
        if few.n_items < many.n_items:
            few, many = many, few
        said.append(
            f"At the same cost of {few.cost:,.10g}, {few.design.in_words} have {number_of(few)}, and "
            f"{many.design.in_words} have {number_of(many)}."
        )
    return said


def _grid(plan: Plan) -> list[Cell]:
    """Return the designs that were asked for, if one question is asked of several."""
    cells = [cell for cell in plan.cells if not math.isnan(cell.advantage) and cell.metric == plan.cells[0].metric]
    return cells if len({(cell.test, cell.epsilon) for cell in cells}) == 1 and len(cells) > 1 else []


def _least(plan: Plan) -> Cell | None:
    """Return the cheapest design of a grid that is enough."""
    if plan.answers or (plan.pilot is not None and plan.pilot.has_nothing_to_plan_for):
        return None
    enough = [
        cell for cell in _grid(plan)
        if not cell.reason and (cell.power >= GRID_POWER if plan.tests else cell.expected_pvalue <= plan.alpha)
    ]  # fmt: skip
    return min(enough, key=lambda cell: (cell.cost, -cell.n_items), default=None)


def _shown(plan: Plan, first: Answer | None) -> Cell | None:
    if first is not None and (first.recommended or first.nearest):
        return first.recommended or first.nearest
    known = [cell for cell in plan.cells if not math.isnan(cell.advantage)]
    return known[0] if known else None


def _question(answer: Answer, plan: Plan) -> str:
    """Return which of several questions an answer is to."""
    told = _told(plan)
    parts = [answer.metric] if len({each.metric for each in told}) > 1 else []
    if len({each.epsilon for each in told}) > 1:
        parts.append(f"ε = {answer.epsilon:g}")
    if len(plan.tests) > 1:
        parts.append(answer.test)
    if len({each.budget for each in told}) > 1:
        parts.append(f"a budget of {answer.budget:,.10g}")
    return f"{', '.join(parts)}: " if parts else ""


def _recommendation(answer: Answer, plan: Plan, *, several: bool) -> str:
    start = _question(answer, plan) if several else ""
    taken = answer.recommended
    if taken is None:
        most = max((cell.n_items for cell in plan.cells), default=0)
        within = f"with up to {most:,} items" if answer.budget is None else f"within a budget of {answer.budget:,.10g}"
        goal = f"{_goal(plan, 'reaches', 'has')}{_of_what(plan)}" if plan.target else "can be recommended"
        nearest = "" if answer.nearest is None else f" The nearest is {answer.nearest.design.in_words}, with "
        return f"{start}No design {within} {goal}.{nearest}{_reached(answer.nearest, plan) + '.' if nearest else ''}"
    goal, design, cost = _goal(plan, "give", "have"), taken.design.in_words, _cost(answer, plan)
    if plan.spend:
        what = "raters" if taken.design.n_raters else "responses per item"
        return f"{start}With the whole budget, {design} {goal}{_of_what(plan)}: the fewest {what} that do ({cost})."
    if plan.target and (answer.saved or answer.budget is None):
        left = f" {answer.saved:,.10g} of the budget of {answer.budget:,.10g} are left." if answer.saved else ""
        lowest = " at the lowest cost" if _tried_several(plan, taken) else ""
        return f"{start}{design} {goal}{_of_what(plan)}{lowest} ({cost}).{left}"
    if plan.target:
        more = " or more" if plan.target == "power" else ""
        return f"{start}With the whole budget, {design} {goal}{more}{_of_what(plan)} ({cost})."
    power = f", with power {share(taken.power, most=2)}" if several and not math.isnan(taken.power) else ""
    best = "The best design" if several else f"The best design for a budget of {answer.budget:,.10g}"
    best += f" to detect {plan.difference}" if plan.difference and not start else ""
    return f"{start}{best} has {design}{power} ({cost})."


def _tried_several(plan: Plan, taken: Cell) -> bool:
    """Whether other numbers of responses, raters or items were computed: one design alone has no lowest cost."""
    asked = (taken.metric, taken.epsilon, taken.test)
    same = [cell for cell in plan.cells if (cell.metric, cell.epsilon, cell.test) == asked]
    return len({cell.design for cell in same if not math.isnan(cell.advantage)}) > 1


def _of_what(plan: Plan) -> str:
    """Return which difference is to be found."""
    if plan.target == "width":
        return ""
    if plan.difference:
        return f" for {plan.difference}"
    if plan.pilot is not None and plan.pilot.difference == "lower limit":
        return f" for a true difference of {_limit(plan.pilot)}"
    known = {cell.epsilon for cell in plan.cells}
    return f" for ε = {known.pop():.4g}" if len(known) == 1 and None not in known else ""


def _limit(pilot: Pilot) -> str:
    """Return the lower limit of the pilot's difference, which the plan is for."""
    return _of_pilot(pilot, pilot.suppositions[0].difference)


def _of_pilot(pilot: Pilot, difference: float) -> str:
    """Return a difference with as many digits as the pilot's own has."""
    ends = pilot.advantage_interval
    return number(difference, math.nan if ends is None else error_of(ends, pilot.advantage))


def _asks(plan: Plan, pilot: Pilot) -> str:
    """Return the question that only the user can answer, and what is planned for until then."""
    metric = plan.cells[0].metric
    return (
        "What is the smallest difference that matters? Specify it with `difference`. Until then the plan is for "
        f"{_limit(pilot)}, the lower 80% limit of the pilot's {_of_pilot(pilot, abs(pilot.advantage))} in {metric}."
    )


def _supposed(plan: Plan, pilot: Pilot) -> Table:
    """Return what it takes if the true difference is the pilot's lower limit, its own, or half of it."""
    taken = plan.recommended
    design = pilot.design if taken is None else taken.design
    target = plan.target_value if plan.target == "power" else 0.8
    rows = tuple(
        (
            _of_pilot(pilot, one.difference),
            one.what,
            "no number tried is enough" if math.isinf(one.n_items) else f"{one.n_items:,.0f}",
            share(one.power, most=2),
        )
        for one in pilot.suppositions
    )
    columns = (
        Column("true difference", "number"),
        Column(""),
        Column(f"items for {100 * target:g}% power", "number"),
        Column(f"power of {design.n_items:,} items", "number"),
    )
    return Table(columns, rows, f"If the true difference is smaller or larger ({design.per_item} per item)")


def _cost(answer: Answer, plan: Plan) -> str:
    """Return what the recommended design costs, beside what the pilot has."""
    taken = answer.recommended
    assert taken is not None
    terms = plan.cost_terms
    if terms and not (len(terms) == 1 and terms[0].endswith("× 1")):
        whole = f"= {taken.cost:,.10g}"
        return f"cost {' + '.join(terms)} {whole}" if len(plan.answers) == 1 else f"cost {taken.cost:,.10g}"
    pilot = "" if plan.pilot is None else f"; your pilot already has {plan.pilot.design.n_ratings:,}"
    # Without gold and raters the responses may be scored runs of the models.
    people = "human " if taken.design.gold or taken.design.n_raters else ""
    return f"{taken.cost:,.10g} {people}responses{pilot}"


def _goal(plan: Plan, gives: str, has: str) -> str:
    value = plan.target_value
    return {
        "": "",
        "power": f"{gives} {100 * value:g}% power",
        "p": f"{has} an expected p of at most {value:g}",
        "width": f"{has} a confidence interval no wider than {value:g}",
    }[plan.target]


def _reached(cell: Cell | None, plan: Plan) -> str:
    if cell is None:
        return ""
    return {
        "power": f"power {share(cell.power, most=2)}",
        "p": f"an expected p {_of_p(cell)}",
        "width": f"an interval {cell.ci_width:.3g} wide",
    }[plan.target]


def _uncertain(pilot: Pilot, shown: Cell | None) -> str:
    assert pilot.needed is not None
    low, high = pilot.needed.low, pilot.needed.high
    given = ""
    if pilot.searched == "items" and shown is not None and shown.design.n_raters and not shown.design.nested:
        given = f" with {shown.design.per_item}"
    level = f"{100 * pilot.needed.confidence_level:g}%"
    if math.isinf(low):
        return f"The pilot does not show whether any number of {pilot.searched}{given} is enough ({level})."
    start = f"The required number of {pilot.searched}{given} is uncertain: {level} interval {math.ceil(low):,}"
    return f"{start} or more; perhaps no number is enough." if math.isinf(high) else f"{start} to {math.ceil(high):,}."


def expectation(cell: Cell) -> str:
    """Return what a design may expect, in one sentence."""
    error = "" if math.isnan(cell.standard_error) else f" (standard error {rough(cell.standard_error)})"
    advantage = plainly(abs(cell.advantage), cell.advantage_error)
    line = (
        f"{cell.design.in_words}: expected difference {advantage}{_about(cell.advantage_error)} in {cell.metric}"
        f"{error}, interval width {cell.ci_width:.3g}, expected p {_of_p(cell).removeprefix('of ')}"
    )
    if math.isnan(cell.power):
        return f"{line}."
    ends = cell.power_interval
    known = ""
    if ends is not None and not math.isnan(ends.low):
        level = f"{100 * ends.confidence_level:g}%"
        known = f" ({level} interval {ends.low:.2f} to {ends.high:.2f} given the pilot)"
    power = f"{share(cell.power, most=2)}{_about(cell.power_error, 0.0005)}"
    return f"{line}; power of the {cell.test} test {power}{known}."


def _about(error: float, least: float = 0.0) -> str:
    return f" (± {rough(error)})" if error > least else ""


def _p_bound(cell: Cell) -> float | None:
    """Return the bound that is shown in place of a very small expected p-value; None where its digits are shown."""
    if cell.expected_pvalue_is_bound:
        return cell.expected_pvalue
    return SMALL_P if cell.expected_pvalue < SMALL_P else None


def _of_p(cell: Cell) -> str:
    bound = _p_bound(cell)
    if bound is not None:
        return f"below {_rounded_up(bound)}"
    return f"of {pvalue(cell.expected_pvalue, cell.expected_pvalue_error)}{_about(cell.expected_pvalue_error)}"


def _rounded_up(bound: float) -> str:
    """Return one digit of a bound, rounded so that it stays one.

    Examples
    --------
    >>> _rounded_up(1 / 1001), _rounded_up(1 / 5001), _rounded_up(1e-4)
    ('0.001', '0.0002', '0.0001')
    """
    places = -math.floor(math.log10(bound))
    return f"{math.ceil(round(bound * 10**places, 9)) / 10**places:g}"


def _detects(cell: Cell, plan: Plan) -> str:
    power = plan.target_value if plan.target == "power" else 0.8
    epsilon = "" if math.isnan(cell.detectable_epsilon) else f" (ε = {cell.detectable_epsilon:.3g})"
    return f"The smallest difference it detects with {100 * power:g}% power is {cell.detectable:.4g}{epsilon}."


def _shares(cell: Cell) -> str:
    """Return where the error comes from, and whether more items reduce it."""
    parts = sorted(cell.shares.items(), key=lambda entry: -entry[1])
    made = ", ".join(f"{SHARES[name]} {100 * share:.0f}%" for name, share in parts if share >= 0.005)
    line = f"Share of the error variance: {made}"
    raters = 0.0 if cell.design.nested else cell.shares.get("raters", 0.0)
    return f"{line}. More items do not reduce the part of raters." if raters >= 0.2 else f"{line}."


def _trade(plan: Plan, best: Cell) -> list[str]:
    """Return how far the most different alternative falls behind."""
    if plan.spend:
        return []
    others = [
        cell
        for cell in plan.cells
        if (cell.metric, cell.test, cell.epsilon) == (best.metric, best.test, best.epsilon)
        and cell.design != best.design
        and not math.isnan(cell.advantage)
        and cell.engine != "components"
    ]
    if plan.target == "power":
        others = [cell for cell in others if not cell.reason and cell.power >= plan.target_value]
        if not others:
            return []
        worst = max(others, key=lambda cell: cell.cost)
        return [f"{worst.design.in_words} reach it too, at {worst.cost / best.cost:.1f} times the cost."]
    if plan.target or not others:
        return []
    if math.isnan(best.power):
        worst = max(others, key=lambda cell: cell.expected_pvalue)
        return [f"For the same budget, {worst.design.in_words} have an expected p {_of_p(worst)}."]
    worst = min(others, key=lambda cell: cell.power)
    return [f"For the same budget, {worst.design.in_words} have power {share(worst.power, most=2)}."]


def _ceilings(plan: Plan) -> list[str]:
    """Return with which raters no number of items reaches the target: of many, the most that do not."""
    if plan.target != "power":
        return []
    limited = [
        cell
        for cell in plan.cells
        if cell.engine == "components"
        and cell.reason == "misses target"
        and cell.design.n_raters
        and cell.budget is None
        and not cell.design.nested
        and plan.pilot is not None
        and plan.pilot.searched == "items"
        and cell.n_items >= 100_000
    ]
    if not limited:
        return []
    most = max(limited, key=lambda cell: (cell.design.n_raters or 0, cell.power))
    up_to = "up to " if len(limited) > 1 else ""
    return [
        f"With {up_to}{most.design.per_item}, no number of items gives {100 * plan.target_value:g}% power: raters "
        f"limit it to {most.power:.2f}."
    ]


def _nothing_to_plan_for(plan: Plan, pilot: Pilot) -> list[str]:
    between, error = "", math.nan
    if pilot.advantage_interval is not None:
        ends = pilot.advantage_interval
        error = error_of(ends, pilot.advantage)
        low, high = (-ends.high, -ends.low) if pilot.advantage < 0 else (ends.low, ends.high)
        between = f", {100 * ends.confidence_level:g}% CI {interval(low, high)}"
    metric = plan.cells[0].metric if plan.cells else "the metric"
    lines = [
        f"The pilot shows no clear difference (difference {number(abs(pilot.advantage), error)} in {metric}{between}), "
        "so there is none to plan for. Specify the smallest difference that matters with `difference`."
    ]
    solved = [cell for cell in plan.cells if not math.isnan(cell.detectable) and cell.metric == metric]
    if solved:
        best = min(solved, key=lambda cell: cell.detectable)
        lines.append(
            f"{best.design.in_words} have 80% power for a difference of {best.detectable:.3g}, the smallest of the "
            "designs in the table."
        )
    return lines


def _follow_ups(follow_ups: tuple[FollowUp, ...]) -> list[str]:
    return [
        f"Spend the next {way.n_more:,} responses on {way.change}: standard error {rough(way.cell.standard_error)}, "
        f"power {share(way.cell.power, most=2)}."
        for way in follow_ups
        if way.best
    ]


def document(plan: Plan) -> Document:
    """Return the sentences, the table of designs, what more responses bring, and what the plan is based on."""
    blocks: list[Any] = [*_sentences(plan)]
    if plan.layout == "matrix":
        blocks += _matrices(plan)
    else:
        best = _for_short_table(plan)
        blocks.append(_table(plan, best))
        if len(best) < len(plan.cells):
            left = len(plan.cells) - len(best)
            blocks.append(Sentence(f"{left} more designs are in the whole table (`verbose`, or a report)."))
            blocks += details([replace(_table(plan, plan.cells), title="Every design")])
    if plan.pilot is not None and plan.pilot.suppositions:
        blocks.append(_supposed(plan, plan.pilot))
    if plan.follow_ups:
        blocks.append(_follow_up_table(plan.follow_ups))
    blocks += details([Definitions(tuple(_facts(plan)))])
    return Document("How many items, how many responses?", tuple(blocks), plan.notes, plan.signature)


def _for_short_table(plan: Plan) -> Sequence[Cell]:
    """Return the designs of a short table, in their order."""

    def rank(cell: Cell) -> tuple[bool, bool, float, float]:
        misses = bool(cell.reason)
        reached = cell.expected_pvalue if math.isnan(cell.power) else 1 - cell.power
        unknown = math.isnan(reached)
        return not plan.recommends(cell), misses or unknown, math.inf if unknown else reached * misses, cell.cost

    if len(plan.cells) <= ROWS:
        return plan.cells
    best = sorted(range(len(plan.cells)), key=lambda place: rank(plan.cells[place]))[:ROWS]
    return [plan.cells[place] for place in sorted(best)]


def _table(plan: Plan, cells: Sequence[Cell]) -> Table:
    """Return one row for each design; columns that are the same in all rows are left out."""
    with_raters = any(cell.design.n_raters for cell in cells)
    tested, least = bool(plan.tests), _least(plan)

    def best(cell: Cell) -> bool:
        return plan.recommends(cell) or cell == least

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
            lambda cell: cell.design.a if with_raters else cell.design.short,
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
        (True, Column("CI width", "number"), lambda cell: _three_digits(cell.ci_width)),
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
            lambda cell: None if math.isnan(cell.detectable) else _three_digits(cell.detectable),
        ),
        (True, Column("cost", "number"), lambda cell: f"{cell.cost:,.10g}"),
        (any(best(cell) or cell.reason for cell in cells), Column(""), lambda c: "best" if best(c) else c.reason),
    ]
    kept = [(column, value) for shown, column, value in optional if shown]
    rows = tuple(tuple(value(cell) for _, value in kept) for cell in cells)
    marked = frozenset(place for place, cell in enumerate(cells) if best(cell))
    return Table(tuple(column for column, _ in kept), rows, "", marked)


def _bounded(cell: Cell) -> str:
    bound = _p_bound(cell)
    return "" if bound is None else f"< {_rounded_up(bound)}"


def _power_ends(cell: Cell) -> str | None:
    ends = cell.power_interval
    return None if ends is None or math.isnan(ends.low) else f"{ends.low:.2f} to {ends.high:.2f}"


def _three_digits(value: float) -> Measured:
    """Return three digits, for widths and detectable advantages, which are not known better."""
    return Measured(value, abs(value) / 10)


def _vary(values: Any) -> bool:
    return len(set(values)) > 1


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
        columns = list(dict.fromkeys(cell.design.short for cell in cells))
        rows = sorted({cell.n_items for cell in cells})
        known = {(cell.n_items, cell.design.short): cell for cell in cells}
        numbers = tuple((n, *(_matrix_number(known.get((n, column)), test) for column in columns)) for n in rows)
        marked = frozenset(
            (rows.index(cell.n_items), 1 + columns.index(cell.design.short)) for cell in cells if plan.recommends(cell)
        )
        what = f"power of {test}" if test else "expected p"
        where = "" if epsilon is None else f", ε = {epsilon:g}"
        heads = (Column("items", "count"), *(Column(column, "number") for column in columns))
        tables.append(Table(heads, numbers, f"{metric}{where}: {what}, items against {_what(plan)}", marked))
    return tables


def _what(plan: Plan) -> str:
    return "raters" if any(cell.design.n_raters for cell in plan.cells) else "responses"


def _matrix_number(cell: Cell | None, test: str) -> str | None:
    if cell is None:
        return None
    value = cell.power if test else cell.expected_pvalue
    if math.isnan(value):
        return None
    return share(value) if test else _bounded(cell) or number(value, 0.001)


def _follow_up_table(follow_ups: tuple[FollowUp, ...]) -> Table:
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
            _three_digits(way.cell.ci_width),
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
