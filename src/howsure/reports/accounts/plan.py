"""What a plan computed, what it rests on, and what to collect."""

from typing import TYPE_CHECKING, Any

from howsure.documents.numbers import rough, share
from howsure.metrics import formula_of
from howsure.planning import Plan
from howsure.reports.accounts.base import Account

if TYPE_CHECKING:
    from howsure.questions.base import Question

ENGINES = {
    "exact": "Items are independent, so the advantage of N items is a mean of N item advantages. Item advantages are "
    "simulated once for each number of responses; their N-fold convolution gives the advantage of every "
    "number of items.",
    "monte-carlo": "Whole studies are simulated for each design, once with the difference and once without.",
    "pilot": "The pilot's items and responses are resampled with replacement to make studies of each size.",
    "components": "The pilot estimates how much items, raters and the residual add to the variance of the advantage. "
    "Each component shrinks with the numbers of items and raters of a design.",
}
"""How each engine computes."""


def account(result: Plan, asked: "Question | None", data: Any) -> Account:
    """Return the account of a plan."""
    return Account(
        done=(" ".join(_done(result)),),
        limits=tuple(_limits(result)),
        next=tuple(_next(result)),
        commands=tuple(_commands(asked)),
    )


def _done(plan: Plan) -> list[str]:
    metrics = dict.fromkeys(cell.metric for cell in plan.cells)
    lines = [f"{metric}: {written}." for metric in metrics if (written := formula_of(metric))]
    lines += [ENGINES[engine] for engine in dict.fromkeys(cell.engine for cell in plan.cells) if engine in ENGINES]
    if plan.tests:
        lines.append(
            f"Power is the probability that {' or '.join(plan.tests)} gives p ≤ {plan.alpha:g} if the difference "
            "exists; expected p is the mean one-sided p-value of such a study."
        )
    return lines


def _limits(plan: Plan) -> list[str]:
    lines = []
    if plan.pilot is None:
        lines.append(f"The numbers hold for data like the model's ({plan.model}); real data may differ from it.")
    else:
        lines.append("The pilot is one sample: its advantage and its noise are uncertain, and so is the plan.")
        if plan.pilot.difference == "lower limit":
            lines.append(
                "The pilot's own difference is likely to be too large: differences that are just significant are."
            )
    if plan.tests:
        lines.append("With 80% power, 2 studies in 10 miss a difference that exists.")
    return lines


def _next(plan: Plan) -> list[str]:
    taken = [answer.recommended for answer in plan.answers if answer.recommended is not None]
    lines = [f"Collect {design}." for design in dict.fromkeys(cell.design for cell in taken[:3])]
    if not plan.answers:
        best = max((cell for cell in plan.cells if cell.power == cell.power), key=lambda cell: cell.power, default=None)
        if best is not None:
            lines.append(
                f"Of these designs {best.design} have the most power, {share(best.power, most=2)}; pass `target_power` "
                "or `budget` for a recommendation."
            )
    elif not taken:
        lines.append("No design reaches the target: allow a larger budget, or look for a larger difference.")
    solved = [cell for cell in plan.cells if cell.detectable == cell.detectable]
    if solved and not taken:
        near = min(solved, key=lambda cell: cell.detectable)
        lines.append(f"{near.design} have 80% power for a difference of {rough(near.detectable)}.")
    return lines


def _commands(asked: "Question | None") -> list[str]:
    """Return the comparison that follows the study."""
    from howsure.questions.compare import Compare
    from howsure.questions.plan import Plan as Asked

    if not isinstance(asked, Asked) or asked.a is None or asked.b is None:
        return []
    shared = ("gold", "a", "b", "metric", "threshold", "positive", "better", "preference", "tie")
    return [Compare(files=("new-study.csv",), **{name: getattr(asked, name) for name in shared}).command]
