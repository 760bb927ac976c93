"""A plan in sentences."""

import math
from collections.abc import Sequence

from assay.planning.results import Cell


def describe(
    cells: Sequence[Cell], recommended: Cell | None, test: str, *, budget: float | None, target_power: float | None
) -> list[str]:
    """Return the answer in two to four sentences: what to take, what it gives, and what it is worth."""
    lines = []
    if recommended is not None:
        if target_power is not None:
            why = f"the cheapest design that finds the difference with power {target_power:g}"
        else:
            why = f"the best design for a budget of {budget:,g}"
        lines.append(f"Take {recommended.design}: {why}, at a cost of {recommended.cost:,g}.")
    shown = recommended or cells[0]
    lines.append(expectation(shown, test))
    if not math.isnan(shown.detectable):
        lines.append(
            f"The smallest contrast it detects with power {target_power or 0.8:g} is {shown.detectable:.4g} "
            f"(ε = {shown.detectable_epsilon:.3g})."
        )
    if recommended is not None and len({cell.n_responses["gold"] for cell in cells}) > 1:
        lines += _trade(cells, recommended, target_power)
    return lines


def expectation(cell: Cell, test: str) -> str:
    """Return what a design may expect, in one sentence."""
    power = ""
    if not math.isnan(cell.power):
        power = f", and {test} finds it with power {cell.power:.2f} (± {cell.power_error:.1g})"
    return (
        f"With {cell.design} expect a contrast of {cell.contrast:.4g} in {cell.metric}, an interval "
        f"{cell.ci_width:.4g} wide and an expected p of {_p(cell)}{power}."
    )


def _p(cell: Cell) -> str:
    if cell.expected_pvalue < 1e-4:
        return "< 0.0001"
    return f"{cell.expected_pvalue:.2g} (± {cell.expected_pvalue_error:.1g})"


def _trade(cells: Sequence[Cell], best: Cell, target_power: float | None) -> list[str]:
    """Return how far the most different alternative falls behind."""
    others = [cell for cell in cells if cell.metric == best.metric and cell.design != best.design]
    if target_power is not None:
        others = [cell for cell in others if cell.power >= target_power]
        if not others:
            return []
        worst = max(others, key=lambda cell: cell.cost)
        return [f"{worst.design} would do as well, at {worst.cost / best.cost:.1f} times the cost."]
    worst = max(others, key=lambda cell: (-cell.power if not math.isnan(cell.power) else 0.0, cell.expected_pvalue))
    if math.isnan(best.power):
        return [f"For the same budget {worst.design} have an expected p of {_p(worst)}."]
    return [f"For the same budget {worst.design} have power {worst.power:.2f}."]
