"""From pilot data to a plan: the pilot's own items, its raters (`rater_pilots`), or a model of gold.

If the user gives no difference, the plan is for the one that the pilot shows, if it shows one. A given advantage
changes the weights of the pilot's items; an ε moves B away from a model that is fitted to gold alone.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace

from howsure import _check
from howsure.contests import Contest
from howsure.errors import ArgumentError, DataError, HowsureWarning
from howsure.inference import ConfidenceInterval
from howsure.metrics import spelled
from howsure.models import CategoricalModel, EmpiricalModel, Fit, ResponseModel, SmoothedModel, fit
from howsure.planning import follow_ups
from howsure.planning.choices import Draft, Limits, Target
from howsure.planning.designs import USUAL_RESPONSES, Design, Responses
from howsure.planning.engines.pilot import PilotEngine
from howsure.planning.engines.simulated_pvalues import ON_ADVANTAGES, Test
from howsure.planning.groups import cells_of
from howsure.planning.planner import Compute, draft_from_model
from howsure.planning.rater_pilots import by_raters
from howsure.planning.request import DEFAULT_TEST, GIVEN_TWICE, PlanRequest, Scenario
from howsure.planning.result import Cell, Pilot
from howsure.raters.advantage_components import FEW_CLUSTERS
from howsure.raters.design import design_of, rated
from howsure.response_tables import ResponseTable


def draft_from_pilot(
    contest: Contest, request: PlanRequest, *, workers: int | None = None, compute: Compute | None = None
) -> Draft:
    """Plan from a pilot, in the way that its data and the question ask for."""
    contest = contest.complete()
    limits = Limits.of(request)
    if limits.target is None and not limits.n_items and not limits.budgets:
        limits = replace(limits, target=Target("power", 0.8))
    request = request.with_metrics(contest.scale.kind, gold=contest.gold is not None)
    if request.effect is not None and request.epsilon:
        raise ArgumentError(GIVEN_TWICE)
    if request.plans_raters or contest.gold is None:
        if request.epsilon or request.epsilon_a:
            raise ArgumentError("ε moves a model of gold's responses; with raters, give `difference` instead.")
        found = by_raters(contest, request, limits, workers=workers)
    elif request.epsilon or request.response_model != "auto":
        if request.cluster is not None or request.follow_up:
            raise ArgumentError(
                "clusters and follow-ups need the pilot's own A and B: leave `epsilon` and `response_model` out."
            )
        found = _by_gold(contest, request, limits, workers=workers, compute=compute)
    else:
        found = _by_items(contest, request, limits, workers=workers)
    return replace(found, notes=[*found.notes, *contest.notes])


def _by_items(contest: Contest, request: PlanRequest, limits: Limits, *, workers: int | None) -> Draft:
    """Plan from the advantages of the pilot's own items."""
    scenario = Scenario.of(EmpiricalModel.of(contest), replace(request, epsilon_a=0.0), workers=workers)
    engine = PilotEngine(contest, scenario)
    per_cluster = 0.0 if engine.clusters is None else engine.clusters.per_cluster
    own = Design(contest.n_items, *engine.own, per_cluster=per_cluster)
    _refuse_clusters(engine)
    advantage, interval, pvalue = engine.own_advantage()
    settled = request.effect is not None or math.isnan(pvalue) or pvalue <= request.alpha
    if not settled:
        limits = limits.without_difference(own)
    shapes = [Design(1, *sizes, per_cluster=per_cluster) for sizes in _sizes(request.n_responses, engine.own)]
    limits.check(shapes)
    cells: list[Cell] = []
    for shape in shapes:
        search = limits.search(shape)
        if not search.is_empty:
            cells += cells_of(engine, scenario, shape, search)
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
            difference="as in the pilot" if request.effect is None else "given",
            advantage=advantage,
            advantage_interval=interval,
            settled=settled,
            needed=_needed(engine, cells, limits) if settled else None,
        ),
        follow_ups=follow_ups.of_items(engine, own, request.follow_up, test=request.tests[0], costs=limits.costs),
        notes=_item_notes(engine, shapes, settled=settled),
    )


def _needed(engine: PilotEngine, cells: Sequence[Cell], limits: Limits) -> ConfidenceInterval | None:
    """Return how many items it takes, as far as the pilot shows, where they were searched for a target power."""
    target = limits.target
    if limits.n_items or target is None or target.kind != "power":
        return None
    first = engine.scenario.names[0]
    reached = [cell for cell in cells if cell.metric == first and target.reached(cell.power)]
    chosen = min(reached, key=lambda cell: limits.costs.of(cell.design), default=None)
    return None if chosen is None else engine.needed_interval(chosen.design)


def _refuse_clusters(engine: PilotEngine) -> None:
    """Refuse too few clusters, and what is simulated from a model of the pilot's items, which has no clusters."""
    if engine.clusters is None:
        return
    request = engine.scenario.request
    if not Test(DEFAULT_TEST, request.alpha).can_reject(engine.clusters.n):
        raise DataError(
            f"the pilot has {engine.clusters.n} clusters, too few to see how clusters differ, or to find anything by "
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


def _item_notes(engine: PilotEngine, shapes: Sequence[Design], *, settled: bool) -> list[str]:
    notes = []
    contest, own = engine.contest, engine.own
    effect = engine.scenario.request.effect
    if effect is not None:
        shown = Design(1, *own).per_item
        notes.append(
            f"The pilot's items are reweighted to a difference of {effect.advantage:g} in {effect.metric.name} with "
            f"{shown}. Items on which A and B agree keep their share."
        )
    elif settled:
        notes.append("The difference is the pilot's own estimate. Estimates of small pilots tend to be too large.")
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
            "extrapolated by a model of its items."
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
        notes.append(
            "The pilot's raters judged several items each, but this plan treats every response as another rater's. "
            "Plan for raters as a random factor with `n_raters`."
        )
    if engine.clusters is not None:
        n_clusters, each = engine.clusters.n, engine.clusters.per_cluster
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
        for each in asked or _usual(own[0])
    ]
    return list(dict.fromkeys(sizes))


def _usual(own: int) -> list[int]:
    """Return the numbers of gold responses that are tried where the user names none."""
    return sorted({*(k for k in USUAL_RESPONSES if k <= max(10, 2 * own)), own})


def _by_gold(
    contest: Contest, request: PlanRequest, limits: Limits, *, workers: int | None, compute: Compute | None
) -> Draft:
    """Plan from a model of gold alone; B is moved away from it."""
    assert contest.gold is not None
    if not request.epsilon and request.effect is None:
        raise ArgumentError("`response_model` is for a difference that is given: add `epsilon` or `difference`.")
    kind = request.response_model
    fitted: Fit | None = None
    if kind == "empirical":
        model: ResponseModel = EmpiricalModel(contest.gold, contest.scale)
    else:
        fitted = _fitted(contest)
        # A Dirichlet has one precision for all labels and real labels do not, so it is adapted to the observed items.
        if kind == "auto":
            kind = "smoothed" if isinstance(fitted.model, CategoricalModel) else "fitted"
        model = SmoothedModel.of(fitted.model, contest.gold) if kind == "smoothed" else fitted.model
    sizes = {role: max(1, round(count)) for role, count in contest.n_responses.items()}
    responses = request.n_responses or tuple(_usual(sizes["gold"]))
    found = draft_from_model(model, replace(request, n_responses=responses), limits, workers=workers, compute=compute)
    facts = Pilot(
        design=Design(contest.n_items, sizes["gold"], sizes["a"], sizes["b"]),
        model=kind,
        difference="given",
        goodness=()
        if fitted is None
        else tuple({"name": one.name, "distance": one.distance, "pvalue": one.pvalue} for one in fitted.goodness),
    )
    notes = ["ε degrades a model of gold. The pilot's responses of A and B are not used."]
    most = max(cell.n_responses["gold"] for cell in found.cells)
    if most > 2 * sizes["gold"]:
        notes.append(f"Designs with {most} responses per item are extrapolated far beyond the pilot's {sizes['gold']}.")
    notes = [*found.notes, *notes, *_misfit(fitted, kind)]
    said = str(model) if fitted is None else model.described(fitted.errors)
    return replace(found, pilot=facts, model=said, notes=notes)


def _fitted(contest: Contest) -> Fit:
    assert contest.gold is not None
    table = ResponseTable(contest.items, {"gold": contest.gold}, contest.scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowsureWarning)  # the same words are among the fit's notes
        return fit(table, source="gold", rng=0)


def _misfit(fitted: Fit | None, kind: str) -> list[str]:
    if fitted is None:
        return []
    notes = list(fitted.notes)
    bad = [feature for feature in fitted.goodness if feature.pvalue < 0.05]
    if bad:
        what = ", ".join(f"{feature.name} (p = {feature.pvalue:.2g})" for feature in bad)
        remedy = "compare with `response_model='empirical'`"
        if kind == "smoothed":
            remedy = "the plan adjusts it towards the pilot's items"
        notes.append(f"The fitted model does not reproduce the pilot's {what}: {remedy}.")
    return notes
