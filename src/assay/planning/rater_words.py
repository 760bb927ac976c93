"""A plan with raters in sentences."""

import math
from collections.abc import Mapping, Sequence

from assay.planning.rater_designs import RaterCell, RaterDesign

TITLES = {
    "items": "items",
    "raters": "raters",
    "residual": "items × raters and noise",
    "repeats": "repeats of the models",
}


def sentences_of(
    cells: Sequence[RaterCell],
    recommended: RaterCell | None,
    pilot: RaterDesign,
    *,
    test: str,
    budget: float | None,
    target: float | None,
    interval: tuple[float, float],
    searched: str,
    out_of_reach: Mapping[str, float],
) -> list[str]:
    """Return what to take, how sure that is, what it gives, and what its error is made of."""
    lines = [f"You have {pilot}."]
    if recommended is not None and target is not None:
        why = f"the cheapest design that finds the difference with power {target:g}"
        lines[0] = f"You have {pilot}; take {recommended.design}: {why}, at a cost of {recommended.cost:,g}."
    elif recommended is not None:
        lines.append(f"Take {recommended.design}: the best design for {budget:,g}, at a cost of {recommended.cost:,g}.")
    elif target is not None:
        best = max(cells, key=lambda cell: cell.power)
        lines.append(f"No design here reaches power {target:g}; the largest is {best.power:.2f}, with {best.design}.")
    shown = recommended or max(cells, key=lambda cell: cell.power)
    lines += _open(interval, shown, searched)
    lines.append(_expectation(shown, test))
    if not math.isnan(shown.detectable):
        lines.append(f"The smallest contrast it detects with power {target or 0.8:g} is {shown.detectable:.4g}.")
    lines.append(_shares(shown))
    lines += [
        f"No number of items reaches power {target:g} with {what}: the raters alone leave at most {most:.2f}."
        for what, most in out_of_reach.items()
    ]
    return lines


def _open(interval: tuple[float, float], shown: RaterCell, searched: str) -> list[str]:
    low, high = interval
    if math.isnan(low):
        return []
    given = "" if searched == "raters" or shown.nested or not shown.n_raters else (
        f" with {str(shown.design).partition(' × ')[2]}"
    )  # fmt: skip
    if math.isinf(low):
        return [f"The pilot leaves open (95 %) whether any number of {searched} suffices{given}."]
    if math.isinf(high):
        least = f"{math.ceil(low):,} {searched} or more{given}"
        return [f"The pilot leaves open how many: {least} (95 %), and perhaps no number suffices."]
    ends = f"{math.ceil(low):,} to {math.ceil(high):,} {searched}{given}"
    return [f"The pilot leaves open how many: 95 % interval {ends}."]


def _expectation(cell: RaterCell, test: str) -> str:
    return (
        f"With {cell.design} expect a contrast of {cell.contrast:.4g} in {cell.metric} with a standard error of "
        f"{cell.standard_error:.3g} and an interval {cell.ci_width:.4g} wide, and {test} finds it with power "
        f"{cell.power:.2f}."
    )


def _shares(cell: RaterCell) -> str:
    """Return where the error comes from, and so what would not help."""
    parts = sorted(cell.shares.items(), key=lambda entry: -entry[1])
    made = ", ".join(f"{share:.0%} {TITLES[name]}" for name, share in parts if share >= 0.005)
    line = f"Its squared error is made of {made}"
    raters = 0.0 if cell.nested else cell.shares.get("raters", 0.0)
    return f"{line}; more items leave the part of raters as it is." if raters >= 0.2 else f"{line}."
