"""Which designs with raters: those asked for, those within a budget, or the smallest that reach a target power."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assay import _check
from assay.errors import ArgumentError, DataError
from assay.planning.engines import components as noises
from assay.planning.engines.simulated_power import smallest_n_items
from assay.planning.rater_designs import USUAL_RATERS, RaterCell, RaterDesign
from assay.planning.rater_study import MOST_RATERS, Study

Numbers = Sequence[int] | int | None


def numbers(name: str, asked: Numbers, *, at_least: int) -> list[int] | None:
    """Return the numbers asked for, each once; None where none were."""
    if asked is None:
        return None
    numbers = [asked] if isinstance(asked, int | np.integer) else list(asked)
    if not numbers:
        raise ArgumentError(f"`{name}` must name at least one number; got none.")
    return list(dict.fromkeys(_check.integer(name, number, at_least=at_least) for number in numbers))


def shapes_of(
    study: Study, n_raters: Numbers, raters_per_item: Numbers, n_repeats: Numbers, *, nested: bool
) -> Iterator[RaterDesign]:
    """Yield the designs that are asked for, all but their numbers of items."""
    pilot, found = study.pilot, study.found
    raters = numbers("n_raters", n_raters, at_least=2)
    per_item = numbers("raters_per_item", raters_per_item, at_least=1)
    repeats = numbers("n_repeats", n_repeats, at_least=1)
    if not pilot.n_raters and (raters or per_item or nested):
        raise DataError("the pilot has no rater ids, so raters cannot be planned: name their column (--rater).")
    if (nested or pilot.nested) and raters:
        raise ArgumentError(
            "where every rater judges one item only, give raters_per_item (--raters-per-item) and no number of raters"
            + ("." if nested else ": the pilot's raters judged one item each, so what raters add cannot be told apart.")
        )
    if repeats is not None and pilot.n_raters and not pilot.gold:
        raise ArgumentError(
            "raters judge the models' own outputs here, so there are no repeats to plan; leave them out."
        )
    known = {role: found.n_repeats.get(role) for role in ("a", "b")}
    choices: list[int | None] = [*repeats] if repeats else [None]
    for k in choices:
        if k is not None and k > 1 and not all(known.values()):
            raise DataError(
                f"the pilot has one response of A or B per item, so what {k} do cannot be told; leave repeats out."
            )
        of_models = (pilot.a, pilot.b) if k is None else (k, k)
        if not pilot.n_raters:
            yield replace(pilot, a=of_models[0], b=of_models[1])
        elif nested or pilot.nested:
            for per in per_item or [pilot.raters_per_item]:
                yield _shape(pilot, of_models, 0, per, nested=True)
        else:
            for r in raters or list(USUAL_RATERS):
                crossed = study.judged.kind == "crossed"
                yields = [per for per in per_item or [r if crossed else min(r, pilot.raters_per_item)] if per <= r]
                for per in yields:
                    yield _shape(pilot, of_models, r, per, nested=False)


def _shape(pilot: RaterDesign, of_models: tuple[int, int], r: int, per: int, *, nested: bool) -> RaterDesign:
    if pilot.gold:
        return RaterDesign(2, per, *of_models, r or 2 * per, per, nested, pilot.per_pair)
    each = max(1, round(per * pilot.per_pair / 2)) if pilot.per_pair > 1 else per
    return RaterDesign(2, 0, each, each, r or 2 * per, per, nested, pilot.per_pair)


def looks_for_raters(study: Study, n_items: Numbers, n_raters: Numbers, target: float | None, *, nested: bool) -> bool:
    """Whether the number of raters is what a target power and given items leave to be found."""
    known = not study.pilot.n_raters or nested or study.pilot.nested
    return n_items is not None and n_raters is None and target is not None and not known


def designs_of(
    study: Study,
    shapes: Sequence[RaterDesign],
    n_items: list[int] | None,
    *,
    budget: float | None,
    target: float | None,
    max_items: int,
    searched: str,
) -> tuple[list[RaterDesign], dict[str, float]]:
    """Return the designs, and the shapes that reach the target with no number of items: the most that they reach."""
    if not shapes:
        raise ArgumentError("`raters_per_item` must not exceed the number of raters (--raters-per-item, --raters).")
    if n_items is not None and searched == "raters":
        return _with_raters(study, shapes, n_items, target or 0.8), {}
    if n_items is not None:
        designs = [study.design(n, shape) for shape in shapes for n in n_items]
        if budget is None:
            return designs, {}
        kept = [design for design in designs if study.costs.of(design) <= budget * (1 + 1e-12)]
        if not kept:
            cheapest = min(study.costs.of(design) for design in designs)
            raise ArgumentError(f"no design fits {budget:g}; the cheapest asked for costs {cheapest:g}.")
        return kept, {}
    if budget is not None:
        return _within(study, shapes, budget), {}
    assert target is not None
    designs, out_of_reach = [], {}
    for shape in shapes:
        n = smallest_n_items(
            lambda n, shape=shape: study.power(study.design(n, shape)), target,  # type: ignore[misc]
            guess=noises.guess(study.noise, shape, abs(study.contrast), study.rule, target), most=max_items,
        )  # fmt: skip
        if n is None:
            out_of_reach[str(shape).partition(" × ")[2]] = study.power(study.design(max_items, shape))
        else:
            designs.append(study.design(n, shape))
    if not designs:
        raise ArgumentError(_unreachable(study, shapes, target, max_items, out_of_reach))
    return designs, out_of_reach


def _unreachable(
    study: Study, shapes: Sequence[RaterDesign], target: float, max_items: int, out_of_reach: dict[str, float]
) -> str:
    """Say that no number of items helps, and how many raters would."""
    what, most = max(out_of_reach.items(), key=lambda entry: entry[1])
    line = f"no number of items up to {max_items:,} reaches power {target:g} with {what}; the largest is {most:.2f}"
    shape = shapes[-1]
    if shape.nested or not shape.n_raters:
        return f"{line}."

    def with_raters(r: int) -> float:
        return study.power(replace(shape, n_items=max_items, n_raters=r, raters_per_item=min(r, shape.raters_per_item)))

    r = noises.fewest_raters(with_raters, target, MOST_RATERS)
    enough = f"at least {r} are needed" if r else f"nor do {MOST_RATERS:,}"
    return f"{line}. What differs between raters stays however many items they judge; {enough}."


def _with_raters(
    study: Study, shapes: Sequence[RaterDesign], n_items: Sequence[int], target: float
) -> list[RaterDesign]:
    """Return, for each number of items, the design with the fewest raters that reaches the target."""
    crossed = all(shape.raters_per_item == shape.n_raters for shape in shapes)
    kinds: dict[object, RaterDesign] = {}
    for shape in shapes:
        of_models = (shape.a, shape.b) if shape.gold else None  # else they follow from the raters
        kinds.setdefault((of_models, None if crossed else shape.raters_per_item), shape)
    designs, best = [], (0.0, "")
    for kind in kinds.values():
        for n in n_items:

            def design(r: int, n: int = n, kind: RaterDesign = kind) -> RaterDesign:
                per = r if crossed else min(r, kind.raters_per_item)
                shape = _shape(study.pilot, (kind.a, kind.b), r, per, nested=False)
                return replace(shape, n_items=n)

            r = noises.fewest_raters(lambda r, design=design: study.power(design(r)), target, MOST_RATERS)  # type: ignore[misc]
            if r is None:
                most = design(MOST_RATERS)
                best = max(best, (study.power(most), str(most)))
            else:
                designs.append(design(r))
    if not designs:
        raise ArgumentError(f"power {target:g} cannot be reached; the largest is {best[0]:.2f}, with {best[1]}.")
    return designs


def _within(study: Study, shapes: Sequence[RaterDesign], budget: float) -> list[RaterDesign]:
    """Return each shape with as many items as the budget allows."""
    designs, least = [], math.inf
    for shape in shapes:
        two, three = (study.costs.of(study.design(n, shape)) for n in (2, 3))
        least = min(least, two)
        # The cost is a straight line in the number of items; its rounding must not cost one.
        n = int(2 + (budget - two) / (three - two) * (1 + 1e-12) + 1e-9)
        if n >= 2:
            designs.append(study.design(n, shape))
    if not designs:
        raise ArgumentError(f"{budget:g} does not pay for two items; the cheapest design asked for costs {least:g}.")
    return designs


def recommend(cells: Sequence[RaterCell], *, budget: float | None, target: float | None) -> RaterCell | None:
    """Return the cheapest cell with the target power, or the one with the most power within the budget."""
    if target is not None:
        reached = [cell for cell in cells if cell.power >= target]
        return min(reached, key=lambda cell: (cell.cost, -cell.power)) if reached else None
    return None if budget is None else max(cells, key=lambda cell: (cell.power, -cell.cost))
