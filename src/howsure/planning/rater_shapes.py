"""Which designs with raters a pilot allows: numbers of raters, how many judge an item, repeats of the models."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from howsure import _check
from howsure.errors import ArgumentError, DataError
from howsure.planning.designs import USUAL_RATERS, Design
from howsure.planning.engines.rater_engine import RaterEngine
from howsure.planning.request import PlanRequest

TRIED_RESPONSES = (1, 2, 3, 5)
"""Responses of each model that are tried beside the pilot's own, unless raters are planned or a number is given."""


def shapes_of(engine: RaterEngine, request: PlanRequest, *, several: bool = False) -> Iterator[Design]:
    """Yield the designs that are asked for, all but their numbers of items.

    With `several`, scored responses are tried in other numbers than the pilot's, too.
    """
    pilot, found = engine.pilot, engine.found
    raters, per_item, nested = request.n_raters, request.raters_per_item, request.nested
    repeats = [_check.integer("n_responses", k, at_least=1) for k in request.n_responses]
    if not pilot.n_raters and (raters or per_item or nested):
        raise DataError("the pilot has no rater ids, so raters cannot be planned: name their column (`rater`).")
    if (nested or pilot.nested) and raters:
        raise ArgumentError(
            "where every rater judges one item only, give `raters_per_item` and no number of raters"
            + ("." if nested else ": the pilot's raters judged one item each, so it does not show how raters differ.")
        )
    if repeats and pilot.n_raters and not pilot.gold:
        raise ArgumentError(
            "raters judge the models' own outputs here, so there are no repeats to plan; leave `n_responses` out."
        )
    known = {role: found.n_repeats.get(role) for role in ("a", "b")}
    may_vary = several and not pilot.n_raters and pilot.a == pilot.b and all(known.values())
    choices: list[int | None] = [*repeats, *(sorted({*TRIED_RESPONSES, pilot.a}) if may_vary and not repeats else [])]
    for k in choices or [None]:
        if k is not None and k > 1 and not all(known.values()):
            raise DataError(
                f"the pilot has one response of A or B per item, so what {k} do cannot be told; leave `n_responses` "
                "out."
            )
        of_models = (pilot.a, pilot.b) if k is None else (k, k)
        if not pilot.n_raters:
            yield replace(pilot, n_items=2, a=of_models[0], b=of_models[1])
        elif nested or pilot.nested:
            for per in per_item or (pilot.raters_per_item,):
                yield shape(pilot, of_models, 0, per, nested=True)
        else:
            for r in raters or USUAL_RATERS:
                crossed = engine.judged.kind == "crossed"
                for per in per_item or (r if crossed else min(r, pilot.raters_per_item),):
                    if per <= r:
                        yield shape(pilot, of_models, r, per, nested=False)


def shape(pilot: Design, of_models: tuple[int, int], r: int, per: int, *, nested: bool) -> Design:
    """Return a design of two items with r raters, `per` of them for each item, otherwise as in the pilot."""
    if pilot.gold:
        return Design(2, per, *of_models, r or 2 * per, per, nested, pilot.per_pair, pilot.per_cluster)
    each = max(1, round(per * pilot.per_pair / 2)) if pilot.per_pair > 1 else per
    return Design(2, 0, each, each, r or 2 * per, per, nested, pilot.per_pair, pilot.per_cluster)


def without_raters(shapes: Sequence[Design]) -> list[Design]:
    """Return one of the shapes for each kind of design that differs by more than its number of raters."""
    crossed = all(one.raters_per_item == one.n_raters for one in shapes)
    kinds: dict[object, Design] = {}
    for one in shapes:
        of_models = (one.a, one.b) if one.gold else None  # else they follow from the raters
        kinds.setdefault((of_models, None if crossed else one.raters_per_item), one)
    return list(kinds.values())


def having_raters(engine: RaterEngine, kind: Design, n_items: int, r: int, *, crossed: bool) -> Design:
    """Return the design of this kind with these numbers of items and raters."""
    per = r if crossed else min(r, kind.raters_per_item)
    return replace(shape(engine.pilot, (kind.a, kind.b), r, per, nested=False), n_items=n_items)
