"""What a plan says: what was asked, what to collect, what that may expect, and what limits it."""

import math

from howsure.comparison.component_tables import TITLES
from howsure.documents.numbers import error_of, interval, number, plainly, pvalue, rough, share
from howsure.planning.plans import Answer, Cell, FollowUp, Pilot, Plan

SHARES = {**TITLES, "repeats": "repeats of the models"}
SMALL_P = 1e-4
"""Smaller p-values are shown as smaller than this."""


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
    known = [cell for cell in plan.cells if not math.isnan(cell.advantage)]
    return known[0] if known else None


def _question(answer: Answer, plan: Plan) -> str:
    """Return which of several questions an answer is to."""
    parts = []
    if len({each.epsilon for each in plan.answers}) > 1:
        parts.append(f"ε = {answer.epsilon:g}")
    if len(plan.tests) > 1:
        parts.append(answer.test)
    if len({each.budget for each in plan.answers}) > 1:
        parts.append(f"a budget of {answer.budget:,.10g}")
    return f"{', '.join(parts)}: " if parts else ""


def _recommendation(answer: Answer, plan: Plan, *, several: bool) -> str:
    start = _question(answer, plan) if several else ""
    goal = _goal(plan)
    taken = answer.recommended
    if taken is None:
        most = max((cell.n_items for cell in plan.cells), default=0)
        within = f"with up to {most:,} items" if answer.budget is None else f"within a budget of {answer.budget:,.10g}"
        line = f"{start}No design {within} {goal or 'can be recommended'}"
        if answer.nearest is not None:
            line += f"; the nearest is {answer.nearest.design}, with {_reached(answer.nearest, plan)}"
        return f"{line}."
    if plan.spend:
        what = "raters" if taken.design.n_raters else "responses per item"
        why = f"the fewest {what} with which the whole budget {goal}"
    elif plan.target:
        whole = f"with the whole budget it {goal}{' or more' if plan.target == 'power' else ''}"
        why = f"the cheapest design that {goal}" if answer.saved or answer.budget is None else whole
    elif several:
        power = "" if math.isnan(taken.power) else f", with power {taken.power:.2f}"
        why = f"the best design{power}"
    else:
        why = f"the best design for a budget of {answer.budget:,.10g}"
    cost = f"{taken.cost:,.10g}"
    if plan.cost_terms and not several and not (len(plan.cost_terms) == 1 and plan.cost_terms[0].endswith("× 1")):
        cost = f"{' + '.join(plan.cost_terms)} = {taken.cost:,.10g}"
    line = f"{start}Collect {taken.design}: {why}, at a cost of {cost}"
    if answer.saved and plan.target and not plan.spend:
        line += f"; {answer.saved:,.10g} of the budget of {answer.budget:,.10g} is saved"
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
        "power": f"power {share(cell.power, most=2)}",
        "p": f"an expected p {_of_p(cell)}",
        "width": f"an interval {cell.ci_width:.3g} wide",
    }[plan.target]


def _narrowed(pilot: Pilot, shown: Cell | None) -> list[str]:
    assert pilot.needed is not None
    low, high = pilot.needed.low, pilot.needed.high
    given = ""
    if pilot.searched == "items" and shown is not None and shown.design.n_raters and not shown.design.nested:
        given = f" with {shown.design.per_item}"
    if math.isinf(low):
        return [f"The pilot does not show (95%) whether any number of {pilot.searched} is enough{given}."]
    if math.isinf(high):
        least = f"{math.ceil(low):,} {pilot.searched} or more{given}"
        return [f"The pilot narrows the number only to {least} (95%); perhaps no number is enough."]
    ends = f"{math.ceil(low):,}–{math.ceil(high):,}"
    return [f"The pilot narrows the number of {pilot.searched} only to {ends} (95%){given}."]


def expectation(cell: Cell) -> str:
    """Return what a design may expect, in one sentence."""
    error = "" if math.isnan(cell.standard_error) else f" with a standard error of {rough(cell.standard_error)}"
    advantage = plainly(cell.advantage, cell.advantage_error)
    line = (
        f"With {cell.design} expect an advantage of {advantage}"
        f"{_about(cell.advantage_error)} in {cell.metric}{error}, an interval {cell.ci_width:.3g} wide and an expected "
        f"p {_of_p(cell)}"
    )
    if math.isnan(cell.power):
        return f"{line}."
    ends = cell.power_interval
    known = (
        "" if ends is None or math.isnan(ends.low) else f"; the pilot narrows that to {ends.low:.2f}–{ends.high:.2f}"
    )
    power = f"{share(cell.power, most=2)}{_about(cell.power_error, 0.0005)}"
    return f"{line}, and {cell.test} finds it with power {power}{known}."


def _about(error: float, least: float = 0.0) -> str:
    return f" (± {rough(error)})" if error > least else ""


def p_bound(cell: Cell) -> float | None:
    """Return the bound that is shown in place of a very small expected p-value; None where its digits are shown."""
    if cell.expected_pvalue_is_bound:
        return cell.expected_pvalue
    return SMALL_P if cell.expected_pvalue < SMALL_P else None


def _of_p(cell: Cell) -> str:
    bound = p_bound(cell)
    if bound is not None:
        return f"below {upward(bound)}"
    return f"of {pvalue(cell.expected_pvalue, cell.expected_pvalue_error)}{_about(cell.expected_pvalue_error)}"


def upward(bound: float) -> str:
    """Return one digit of a bound, rounded so that it stays one.

    Examples
    --------
    >>> upward(1 / 1001), upward(1 / 5001), upward(1e-4)
    ('0.001', '0.0002', '0.0001')
    """
    places = -math.floor(math.log10(bound))
    return f"{math.ceil(round(bound * 10**places, 9)) / 10**places:g}"


def _detects(cell: Cell, plan: Plan) -> str:
    power = plan.target_value if plan.target == "power" else 0.8
    epsilon = "" if math.isnan(cell.detectable_epsilon) else f" (ε = {cell.detectable_epsilon:.3g})"
    return f"The smallest advantage it detects with power {power:g} is {cell.detectable:.4g}{epsilon}."


def _shares(cell: Cell) -> str:
    """Return where the error comes from, and whether more items reduce it."""
    parts = sorted(cell.shares.items(), key=lambda entry: -entry[1])
    made = ", ".join(f"{SHARES[name]} {100 * share:.0f}%" for name, share in parts if share >= 0.005)
    line = f"Share of the error variance: {made}"
    raters = 0.0 if cell.design.nested else cell.shares.get("raters", 0.0)
    return f"{line}; more items do not reduce the part of raters." if raters >= 0.2 else f"{line}."


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
        return [f"{worst.design} would do equally well, at {worst.cost / best.cost:.1f} times the cost."]
    if plan.target or not others:
        return []
    if math.isnan(best.power):
        worst = max(others, key=lambda cell: cell.expected_pvalue)
        return [f"For the same budget {worst.design} have an expected p {_of_p(worst)}."]
    worst = min(others, key=lambda cell: cell.power)
    return [f"For the same budget {worst.design} have power {share(worst.power, most=2)}."]


def _ceilings(plan: Plan) -> list[str]:
    """Return with which raters no number of items reaches the target."""
    if plan.target != "power":
        return []
    return [
        f"No number of items reaches power {plan.target_value:g} with {cell.design.per_item}: the raters alone leave "
        f"at most {cell.power:.2f}."
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


def _nothing_to_plan_for(plan: Plan, pilot: Pilot) -> list[str]:
    between, error = "", math.nan
    if pilot.advantage_interval is not None:
        ends = pilot.advantage_interval
        error = error_of(ends, pilot.advantage)
        between = f" ({100 * ends.confidence_level:g}% interval {interval(ends.low, ends.high)})"
    metric = plan.cells[0].metric if plan.cells else "the metric"
    lines = [
        f"The pilot's advantage of {number(pilot.advantage, error)} in {metric}{between} cannot be told "
        f"from zero: there "
        "is no difference to plan for. Give the difference that matters to you (`difference`)."
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
        f"{rough(way.cell.standard_error)}, power {share(way.cell.power, most=2)}."
        for way in follow_ups
        if way.best
    ]
