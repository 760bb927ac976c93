"""Plans from a pilot with raters: items, raters and repeats of the models, by the pilot's variance components."""

import math
from collections.abc import Callable
from dataclasses import replace

from howsure.data.contests import Contest
from howsure.errors import ArgumentError
from howsure.inference import ConfidenceInterval
from howsure.inference.solving import fewest
from howsure.metrics import Metric, spelled
from howsure.models import EmpiricalModel
from howsure.planning import follow_ups
from howsure.planning.choices import Draft, ItemSearch, Limits
from howsure.planning.designs import USUAL_RATERS, Design
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.rater_engine import MOST_RATERS, RaterEngine, called
from howsure.planning.groups import cells_of
from howsure.planning.rater_shapes import having_raters, shapes_of, without_raters
from howsure.planning.request import DEFAULT_TEST, Effect, PlanRequest, Scenario
from howsure.planning.result import Cell, Pilot, Supposition
from howsure.planning.suppositions import suppositions
from howsure.raters import variance_components
from howsure.raters.advantage_components import FEW_CLUSTERS


def by_raters(contest: Contest, request: PlanRequest, limits: Limits, *, workers: int | None) -> Draft:
    """Plan items, raters and repeats of the models by the pilot's variance components."""
    if len(request.metrics) > 1:
        raise ArgumentError(f"a plan with raters is for one metric; got {', '.join(map(str, request.metrics))}.")
    # The test is that of `compare` with random raters, whichever is asked for.
    request = replace(request, test=(DEFAULT_TEST,))
    scenario = Scenario.of(EmpiricalModel(contest.a, contest.scale), request, workers=workers)
    effect, cluster = request.effect, request.cluster
    metric = scenario.metrics[0]
    advantage = None if effect is None else _in_units_of(metric, effect)
    found = variance_components(
        contest,
        metric=metric,
        cluster=cluster,
        whole_clusters=True,
        confidence_level=request.confidence_level,
    )
    engine = RaterEngine.of(
        contest, found, metric=metric, advantage=advantage, level=request.confidence_level, seed=scenario.seed
    )
    shown = engine.own_advantage(request.alpha)
    significant = shown.pvalue <= request.alpha and shown.least > 0

    def with_difference(difference: float) -> RaterEngine:
        return replace(engine, advantage=math.copysign(difference, found.advantage))

    if advantage is not None:
        kind = "given"
    elif limits.of_width:
        kind = "own"
    elif significant:
        kind = "lower limit"
        engine = with_difference(shown.least)
    else:
        kind = "none"
        limits = limits.without_difference(engine.pilot)
    shapes = list(shapes_of(engine, request, several=not limits.n_items))
    if not shapes:
        raise ArgumentError("`raters_per_item` must not exceed the number of raters, `n_raters`.")
    limits = replace(limits, fewest=2)
    if cluster is not None and request.nested:
        raise ArgumentError("raters of one item each do not judge whole clusters: leave `nested` or `cluster` out.")
    limits.check(shapes)
    test = request.tests[0]
    for_raters = _looks_for_raters(engine, limits, request)
    groups = (
        _rater_groups(engine, shapes, limits, test) if for_raters else [(each, limits.search(each)) for each in shapes]
    )
    cells = [
        cell for each, search in groups if not search.is_empty for cell in cells_of(engine, scenario, each, search)
    ]
    searched = "raters" if for_raters else "items"
    supposed: tuple[Supposition, ...] = ()
    if kind in ("lower limit", "none"):
        design = _chosen(cells, limits) if significant else engine.pilot
        supposed = suppositions(with_difference, shown, design or engine.pilot, limits, test)
    return Draft(
        scenario=scenario,
        limits=limits,
        cells=cells,
        shapes=[] if for_raters else shapes,
        model="the pilot's variance components",
        parameters={
            "metric": spelled(metric),
            "difference": request.difference,
            "engine": "components",
            **({"cluster": cluster} if cluster else {}),
        },
        data=contest.digest,
        pilot=Pilot(
            design=engine.pilot,
            raters=engine.judged.kind if engine.pilot.n_raters else "",
            model="variance components",
            difference=kind,
            advantage=found.advantage,
            advantage_interval=shown.interval,
            suppositions=supposed,
            searched=searched,
            needed=None if advantage is None else _needed(engine, cells, limits, test=test, searched=searched),
            components={called(name, engine.pilot): part for name, part in found.components.items()},
            component_intervals={called(name, engine.pilot): ends for name, ends in found.intervals.items()},
        ),
        follow_ups=follow_ups.of_raters(engine, request.follow_up, test=test, costs=limits.costs),
        notes=[
            *found.notes,
            *engine.caveats([cell.design for cell in cells], [cell.detectable for cell in cells]),
            *_about_clusters(engine, cluster),
            *_most_tried(request, cells, limits),
            *_too_few(engine, cells, limits, test),
            *_of_few_raters(engine, cells, limits),
        ],
    )


def _in_units_of(metric: Metric, effect: Effect) -> float:
    """Return the difference in units of the metric that is planned with."""
    if effect.metric.name == metric.name or (
        effect.metric.name == "wins" and metric.name in ("win-rate", "superiority")
    ):
        return effect.advantage
    raise ArgumentError(
        f"with raters, the difference must be one of the plan's own metric, {metric.name}; it is given in "
        f"{effect.metric.name}."
    )


def _looks_for_raters(engine: RaterEngine, limits: Limits, request: PlanRequest) -> bool:
    """Whether the number of raters is searched for: items and a target are given, and raters are not."""
    known = not engine.pilot.n_raters or request.nested or engine.pilot.nested
    return bool(limits.n_items) and not request.n_raters and limits.target is not None and not known


def _rater_groups(
    engine: RaterEngine, shapes: list[Design], limits: Limits, test: Test
) -> list[tuple[Design, ItemSearch]]:
    """Return, for each number of items, the design with the fewest raters that reaches the target."""
    target = limits.target
    assert target is not None
    crossed = all(shape.raters_per_item == shape.n_raters for shape in shapes)
    found = []
    for kind in without_raters(shapes):
        for n in limits.n_items:

            def design(r: int, n: int = n, kind: Design = kind) -> Design:
                return having_raters(engine, kind, n, r, crossed=crossed)

            def reached(r: int, design: Callable[[int], Design] = design) -> bool:
                return target.reached(target.measure(engine, design(r), test))

            r = fewest(reached, most=MOST_RATERS)
            found.append((design(r or MOST_RATERS), ItemSearch(n_items=(n,), detect=limits.detect)))
    return found


def _chosen(cells: list[Cell], limits: Limits) -> Design | None:
    """Return the cheapest design that reaches the target, else the cheapest; None where there is no target."""
    target = limits.target
    if target is None or not cells:
        return None
    reached = [cell for cell in cells if target.reached(target.of_cell(cell))] or cells
    return min(reached, key=lambda cell: limits.costs.of(cell.design)).design


def _needed(
    engine: RaterEngine, cells: list[Cell], limits: Limits, *, test: Test, searched: str
) -> ConfidenceInterval | None:
    target, chosen = limits.target, _chosen(cells, limits)
    if target is None or target.kind != "power" or chosen is None:
        return None
    return engine.needed_interval(chosen, test, target.value, max_items=limits.max_items, of=searched)


def _too_few(engine: RaterEngine, cells: list[Cell], limits: Limits, test: Test) -> list[str]:
    """Say how many raters it takes where no number of items does."""
    target = limits.target
    if (
        target is None
        or limits.budgets
        or limits.n_items
        or any(target.reached(target.of_cell(cell)) for cell in cells)
    ):
        return []
    most = cells[-1].design
    if most.nested or not most.n_raters:
        return []
    crossed = most.raters_per_item == most.n_raters

    def reached(r: int) -> bool:
        design = having_raters(engine, most, limits.max_items, r, crossed=crossed)
        return target.reached(target.measure(engine, design, test))

    r = fewest(reached, most=MOST_RATERS)
    enough = f"at least {r} raters are needed" if r else f"even {MOST_RATERS:,} raters are not enough"
    return [f"Differences between raters remain however many items they judge: {enough}."]


FEW_IN_PILOT, LARGE_SHARE = 10, 0.25
"""Raters of a pilot, and their share of a study's error variance, at which plans came out too optimistic."""


def _of_few_raters(engine: RaterEngine, cells: list[Cell], limits: Limits) -> list[str]:
    """Say that power is overestimated where it rests on a variance between raters that few raters show.

    Half of all χ² with five degrees of freedom lie below .87 of their mean, and pilots that overestimate the variance
    find no design, so those that recommend one underestimate it (`benchmarks/raters_plan_ceiling.py`).
    """
    design = _chosen(cells, limits)
    if limits.target is None or limits.target.kind != "power" or design is None or not design.n_raters:
        return []
    [cell] = [cell for cell in cells if cell.design == design][:1]
    share = cell.shares.get("raters", 0.0)
    if design.nested or engine.pilot.n_raters > FEW_IN_PILOT or share < LARGE_SHARE:
        return []
    return [
        f"Raters make {100 * share:.0f}% of the error variance, and the pilot shows with only {engine.pilot.n_raters} "
        "raters how much they differ. Such plans are too optimistic: simulated studies planned for 80% power had 67 to "
        "79%. Plan more raters than recommended."
    ]


def _about_clusters(engine: RaterEngine, cluster: str | None) -> list[str]:
    per, n_clusters = engine.pilot.per_cluster, engine.found.n_items
    if not per:
        return []
    who = ", and raters judge whole clusters" if engine.pilot.n_raters else ""
    notes = [
        f"Items come in {n_clusters} clusters ({cluster}) of about {per:.3g}. Planned clusters have the same size{who}."
    ]
    if n_clusters < FEW_CLUSTERS:
        notes.append(f"{n_clusters} clusters are too few to estimate reliably how much clusters differ.")
    return notes


def _most_tried(request: PlanRequest, cells: list[Cell], limits: Limits) -> list[str]:
    if request.n_raters or limits.target is None or not cells:
        return []
    reached = [cell for cell in cells if limits.target.kind == "power" and limits.target.reached(cell.power)]
    if not reached or min(reached, key=lambda cell: limits.costs.of(cell.design)).design.n_raters != USUAL_RATERS[-1]:
        return []
    return [
        f"{USUAL_RATERS[-1]} raters are the most that were tried. Specify the cost of a rater (`cost_rater`) or the "
        "numbers of raters to consider (`n_raters`)."
    ]
