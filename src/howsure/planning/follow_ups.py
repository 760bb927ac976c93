"""What a pilot gains from more responses: on more items, on the same items, or by more raters."""

import math
from collections.abc import Sequence
from dataclasses import replace

from howsure.planning.designs import Costs, Design
from howsure.planning.engines.base import DesignOutlook, Engine, TestPower
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.pilot import PilotEngine
from howsure.planning.engines.rater_engine import RaterEngine
from howsure.planning.groups import cell_of
from howsure.planning.result import FollowUp


def of_items(
    engine: PilotEngine, own: Design, n_more: Sequence[int], *, test: Test, costs: Costs
) -> tuple[FollowUp, ...]:
    """Return what more gold responses bring: to new items, or to the pilot's own."""
    found: list[FollowUp] = []
    for more in n_more:
        ways = []
        new = more // own.gold
        if new:
            larger = own.with_items(own.n_items + new)
            ways.append(_follow_up(engine, larger, more, f"{new:,} more items", test, costs))
        each, rest = divmod(more, own.n_items)
        before, after = replace(own, gold=own.gold + each), replace(own, gold=own.gold + each + 1)
        if not rest:
            change = f"{each} more response{'s' * (each != 1)} for each item"
            ways.append(_follow_up(engine, before, more, change, test, costs))
        else:
            ways.append(_between(engine, before, after, rest / own.n_items, more, test, costs))
        found += _marked(ways)
    return tuple(found)


def of_raters(engine: RaterEngine, n_more: Sequence[int], *, test: Test, costs: Costs) -> tuple[FollowUp, ...]:
    """Return what more ratings bring: to new items, from more raters, or of more responses of the models."""
    own = engine.pilot
    found: list[FollowUp] = []
    for more in n_more:
        ways = []
        per_item = own.n_ratings // own.n_items
        new = more // per_item
        if new:
            ways.append(_follow_up(engine, own.with_items(own.n_items + new), more, f"{new:,} more items", test, costs))
        if own.n_raters and not own.nested:
            crossed = own.raters_per_item == own.n_raters
            per_rater = max(1, own.n_ratings // own.n_raters)
            raters = more // per_rater
            if raters:
                per = own.raters_per_item + (raters if crossed else more // (own.n_items * own.per_pair))
                wider = replace(own, n_raters=own.n_raters + raters, raters_per_item=per, gold=per if own.gold else 0)
                change = f"{raters:,} more rater{'s' * (raters != 1)}, for the same items"
                ways.append(_follow_up(engine, wider, more, change, test, costs))
        elif not own.n_raters:
            each = more // (2 * own.n_items)
            if each:
                longer = replace(own, a=own.a + each, b=own.b + each)
                change = f"{each} more response{'s' * (each != 1)} of each model for each item"
                ways.append(_follow_up(engine, longer, more, change, test, costs))
        found += _marked(ways)
    return tuple(found)


def _follow_up(engine: Engine, design: Design, more: int, change: str, test: Test, costs: Costs) -> FollowUp:  # noqa: PLR0917
    found, power = engine.outlook(design, 0), engine.power(design, 0, test)
    return FollowUp(n_more=more, change=change, cell=cell_of(engine, design, found, power, test, cost=costs.of(design)))


def _between(  # noqa: PLR0917
    engine: PilotEngine, before: Design, after: Design, share: float, more: int, test: Test, costs: Costs
) -> FollowUp:
    """Return a follow-up that gives one response more to some items only: the study is a mixture of two."""
    first, second = (engine.outlook(design, 0) for design in (before, after))
    powers = [engine.power(design, 0, test) for design in (before, after)]

    def mixed(name: str) -> float:
        low, high = getattr(first, name), getattr(second, name)
        return float((1 - share) * low + share * high)

    error = math.sqrt((1 - share) * first.standard_error**2 + share * second.standard_error**2)
    outlook = DesignOutlook(
        mixed("advantage"),
        mixed("advantage_error"),
        mixed("expected_pvalue"),
        mixed("expected_pvalue_error"),
        mixed("ci_width"),
        mixed("ci_width_error"),
        error,
    )
    power = TestPower(
        *((1 - share) * getattr(powers[0], name) + share * getattr(powers[1], name) for name in ("power", "error"))
    )
    given = round(share * before.n_items)
    extra = after.gold - engine.own[0]
    change = f"{extra} more response{'s' * (extra != 1)} for {given:,} of the {before.n_items:,} items"
    if extra > 1:
        change += f", {extra - 1} more for the others"
    cost = (1 - share) * costs.of(before) + share * costs.of(after)
    return FollowUp(n_more=more, change=change, cell=cell_of(engine, before, outlook, power, test, cost=cost))


def _marked(ways: list[FollowUp]) -> list[FollowUp]:
    """Mark the way with the smallest standard error relative to the advantage."""
    if not ways:
        return []
    best = min(ways, key=lambda way: way.cell.standard_error / max(abs(way.cell.advantage), 1e-300))
    return [replace(way, best=way is best) for way in ways]
