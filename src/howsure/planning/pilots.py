"""From pilot data to a plan: the pilot's own items, its raters (`rater_pilots`), or gold alone (`gold_pilots`).

A pilot overstates the difference that made it significant, so the smallest difference that matters should be given. If
it is not, the plan is for the lower 80% limit of the pilot's own, with that and half of it beside; a pilot without a
significant difference recommends nothing. A given difference exchanges A and B on a share of the pilot's items; an ε
moves B away from a model that is fitted to gold alone. The planned test is the one that `compare` would run.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from howsure import _check
from howsure.data.contests import Contest
from howsure.errors import ArgumentError, DataError
from howsure.inference import ConfidenceInterval
from howsure.metrics import AdditiveMetric, resolve, spelled
from howsure.models import EmpiricalModel
from howsure.planning import follow_ups
from howsure.planning.choices import Draft, Limits
from howsure.planning.designs import Design, Responses
from howsure.planning.engines.decisions import ON_ADVANTAGES, Test
from howsure.planning.engines.pilot import PilotEngine
from howsure.planning.gold_pilots import GoldPilot, draft_from_gold, usual_responses
from howsure.planning.groups import cells_of
from howsure.planning.planner import Compute
from howsure.planning.rater_pilots import by_raters
from howsure.planning.request import DEFAULT_TEST, GIVEN_TWICE, Effect, PlanRequest, Scenario
from howsure.planning.result import Cell, Pilot, Supposition
from howsure.planning.suppositions import suppositions
from howsure.raters.advantage_components import FEW_CLUSTERS
from howsure.raters.choice import choose
from howsure.raters.design import design_of, rated
from howsure.resampling import Scheme

RATERS_HELD_FIXED = (
    "Raters judged several items each, and this plan holds them fixed: the power is for these raters. Plan for other "
    "raters like them with `raters='random'`."
)


def draft_from_pilot(
    contest: Contest, request: PlanRequest, *, workers: int | None = None, compute: Compute | None = None
) -> Draft:
    """Plan from a pilot, in the way that its data and the question ask for."""
    contest = contest.complete()
    if contest.n_items < 2:
        raise DataError(
            f"a pilot needs two or more items with responses of all sources; this one has {contest.n_items}."
        )
    of_gold = bool(request.epsilon) or request.response_model != "auto"
    if request.reference_responses is not None and not of_gold:
        raise ArgumentError(
            "`reference_responses` has no effect here: a pilot with A and B measures the difference with its own "
            "numbers of responses. Leave it out."
        )
    limits = Limits.of(request)
    request = request.with_metrics(contest.scale.kind, gold=contest.gold is not None)
    if request.effect is not None and request.epsilon:
        raise ArgumentError(GIVEN_TWICE)
    if _plans_raters(contest, request):
        if request.epsilon or request.epsilon_a:
            raise ArgumentError("ε moves a model of gold's responses; with raters, give `difference` instead.")
        found = by_raters(contest, request, limits, workers=workers)
    elif of_gold:
        if request.cluster is not None or request.follow_up:
            raise ArgumentError(
                "clusters and follow-ups need the pilot's own A and B: leave `epsilon` and `response_model` out."
            )
        found = draft_from_gold(GoldPilot.of(contest), request, limits, workers=workers, compute=compute)
    else:
        found = _by_items(contest, request, limits, workers=workers)
    return replace(found, notes=[*found.notes, *contest.notes])


def _plans_raters(contest: Contest, request: PlanRequest) -> bool:
    """Whether raters are part of the designs: as asked, or as `compare` would treat such data by default."""
    if contest.gold is None or request.plans_raters:
        return True
    # Numbers of responses, a model of gold and other tests are about responses of people who come and go.
    others = request.epsilon or request.n_responses or request.response_model != "auto"
    if request.raters == "fixed" or others or request.test not in ((DEFAULT_TEST,), None):
        return False
    metrics = [resolve(metric).on(contest.scale) for metric in request.metrics]
    one_of_items = len(metrics) == 1 and isinstance(metrics[0], AdditiveMetric)
    return one_of_items and choose(contest, Scheme(), raters=None, null=None).scheme.raters == "random"


def _by_items(contest: Contest, request: PlanRequest, limits: Limits, *, workers: int | None) -> Draft:
    """Plan from the advantages of the pilot's own items."""
    scenario = Scenario.of(EmpiricalModel.of(contest), replace(request, epsilon_a=0.0), workers=workers)
    engine = PilotEngine(contest, scenario)
    per_cluster = 0.0 if engine.units.alone else engine.units.per_unit
    own = Design(contest.n_items, *engine.own, per_cluster=per_cluster)
    _refuse_clusters(engine)
    if not engine.differs:
        raise DataError(
            f"A and B score the same on all {contest.n_items:,} items, so the pilot does not show how much they "
            "differ: plan from a larger pilot, or from gold alone with `epsilon`."
        )
    shown = engine.own_advantage()
    significant = shown.pvalue <= request.alpha and shown.least > 0

    def with_difference(difference: float) -> PilotEngine:
        effect = Effect(scenario.metrics[0], math.copysign(difference, shown.advantage))
        return PilotEngine(contest, replace(scenario, request=replace(scenario.request, effect=effect)))

    if request.effect is not None:
        kind = "given"
    elif limits.of_width:
        kind = "own"
    elif significant:
        kind = "lower limit"
        engine = with_difference(shown.least)
    else:
        kind = "none"
        limits = limits.without_difference(own)
    shapes = [Design(1, *sizes, per_cluster=per_cluster) for sizes in _sizes(request.n_responses, engine.own)]
    limits.check(shapes)
    cells: list[Cell] = []
    for shape in shapes:
        search = limits.search(shape)
        if not search.is_empty:
            cells += cells_of(engine, scenario, shape, search)
    chosen = _cheapest([cell for cell in cells if cell.metric == scenario.names[0]], limits)
    supposed: tuple[Supposition, ...] = ()
    if kind in ("lower limit", "none"):
        design = own if chosen is None or not significant else chosen.design
        supposed = suppositions(with_difference, shown, design, limits, request.tests[0])
    return Draft(
        scenario=scenario,
        limits=limits,
        cells=cells,
        shapes=shapes,
        model=f"the pilot's {contest.n_items:,} items",
        parameters={
            "metric": ",".join(map(spelled, scenario.metrics)),
            "difference": request.difference,
            "engine": "pilot",
            **({"cluster": request.cluster} if request.cluster else {}),
        },
        data=contest.digest,
        pilot=Pilot(
            design=own,
            model="the pilot's own items",
            difference=kind,
            advantage=shown.advantage,
            advantage_interval=shown.interval,
            suppositions=supposed,
            needed=_needed(engine, chosen, limits) if request.effect is not None else None,
        ),
        reference=engine.own if request.effect is not None and contest.gold is not None else None,
        follow_ups=follow_ups.of_items(engine, own, request.follow_up, test=request.tests[0], costs=limits.costs),
        notes=_item_notes(engine, shapes, given=request.effect is not None),
    )


def _cheapest(cells: Sequence[Cell], limits: Limits) -> Cell | None:
    """Return the cheapest design that reaches the target; None where there is no target, or none reaches it."""
    target = limits.target
    reached = [cell for cell in cells if target is not None and target.reached(target.of_cell(cell))]
    return min(reached, key=lambda cell: limits.costs.of(cell.design), default=None)


def _needed(engine: PilotEngine, chosen: Cell | None, limits: Limits) -> ConfidenceInterval | None:
    """Return how many items it takes, as far as the pilot shows, where they were searched for a target power."""
    if limits.n_items or chosen is None or limits.target is None or limits.target.kind != "power":
        return None
    return engine.needed_interval(chosen.design)


def _refuse_clusters(engine: PilotEngine) -> None:
    """Refuse too few clusters, and what is simulated from a model of the pilot's items, which has no clusters."""
    if engine.units.alone:
        return
    request = engine.scenario.request
    if not Test(DEFAULT_TEST, request.alpha).can_reject(engine.units.n):
        raise DataError(
            f"the pilot has {engine.units.n} clusters, too few to see how clusters differ, or to find anything by "
            "exchanging them: plan from a pilot with more clusters."
        )
    for metric in engine.scenario.metrics:
        if not metric.additive:
            raise ArgumentError(f"clusters of items need a metric with item scores; {metric.name!r} has none.")
    for test in request.tests:
        if request.with_power and test.name not in ON_ADVANTAGES:
            raise ArgumentError(
                f"clusters of items are planned for tests on the items' advantages; {test.name!r} mixes responses. "
                "Leave `test` out."
            )


def _item_notes(engine: PilotEngine, shapes: Sequence[Design], *, given: bool) -> list[str]:
    notes = []
    contest, own = engine.contest, engine.own
    effect = engine.scenario.request.effect
    if effect is not None and given:
        notes.append(
            f"{effect.in_words[0].upper()}{effect.in_words[1:]} is made by exchanging A and B on some of the pilot's "
            f"items. This keeps how often and how far they differ with {Design(1, *own).per_item}."
        )
        more = engine.scores(own, 0).stretch if isinstance(engine.scenario.metrics[0], AdditiveMetric) else 1.0
        if more > 1:
            notes.append(
                f"The lower 80% limit of the pilot's own difference is {100 * (1 - engine.unseen):.0f}% of this one. "
                "The rest may need a model that is worse than those of the pilot, and the scores of a worse model vary "
                f"more. The plan therefore multiplies the variance of the item differences by {more:.2f}."
            )
    beyond = [
        role
        for place, role in enumerate(("gold", "A", "B"))
        if any(shape.n_responses[place] > own[place] for shape in shapes)
    ]
    single = [
        role
        for role, side in zip(("gold", "A", "B"), (contest.gold, contest.a, contest.b), strict=True)
        if side is not None and int(side.sizes.max()) < 2
    ]
    noisy = [role for role in beyond if role not in single]
    if noisy:
        notes.append(
            f"Designs with more {' and '.join(noisy)} responses than the pilot ({'/'.join(map(str, own))}) are "
            "extrapolated by a model of its items. Their power is rather too low, and its interval leaves this out."
        )
    alone = [role for role in beyond if role in single]
    if alone:
        notes.append(
            f"The pilot has one {' and '.join(alone)} response per item, so within-item variance cannot be estimated. "
            f"Plans with more {' and '.join(alone)} responses assume they would all be identical. Collect 2 or "
            "more for some items."
        )
    if any(not metric.additive for metric in engine.scenario.metrics):
        notes.append("Metrics without item scores are simulated from a model of the pilot's items.")
    roles = rated(contest)
    if roles and design_of(*(contest.sources[role] for role in roles)).kind != "nested":
        notes.append(RATERS_HELD_FIXED)
    if not engine.units.alone:
        n_clusters, each = engine.units.n, engine.units.per_unit
        notes.append(
            f"Items come in {n_clusters} clusters ({engine.scenario.request.cluster}) of about {each:.3g}. "
            f"This multiplies the variance of the difference by {engine.design_effect(0):.2f}. Planned clusters have "
            "the same size."
        )
        if n_clusters < FEW_CLUSTERS:
            notes.append(f"{n_clusters} clusters are too few to estimate reliably how much clusters differ.")
    return notes


def _sizes(asked: Sequence[Responses], own: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """Return the numbers of responses; one number is gold's, and A and B answer as often as in the pilot."""
    sizes = [
        (_check.integer("n_responses", each, at_least=1), own[1], own[2]) if not isinstance(each, tuple) else each
        for each in asked or usual_responses(own[0])
    ]
    return list(dict.fromkeys(sizes))
