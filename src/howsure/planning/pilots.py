"""From pilot data to a plan: the pilot's own items, its raters (`rater_pilots`), or a model of gold.

If the user gives no difference, the plan is for the one that the pilot shows, if it shows one. A given advantage
changes the weights of the pilot's items; an ε moves B away from a model that is fitted to gold alone.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from howsure import _check
from howsure.contests import Contest
from howsure.errors import ArgumentError, DataError, HowsureWarning
from howsure.metrics import Metric, spelled
from howsure.models import CategoricalModel, EmpiricalModel, Fit, ResponseModel, SmoothedModel, fit
from howsure.planning import follow_ups
from howsure.planning.choices import Limits
from howsure.planning.designs import USUAL_RESPONSES, Design, Responses
from howsure.planning.differences import Effect, difference_of
from howsure.planning.drafts import Draft
from howsure.planning.engines.pilot import PilotEngine
from howsure.planning.engines.simulated_pvalues import ON_ADVANTAGES, Test
from howsure.planning.groups import cells_of
from howsure.planning.planner import GIVEN_TWICE, Compute, from_model, listed_metrics
from howsure.planning.plans import Cell, Pilot
from howsure.planning.premises import premises
from howsure.planning.rater_pilots import by_raters
from howsure.planning.rater_shapes import Numbers
from howsure.planning.targets import Target
from howsure.raters.advantage_components import FEW_CLUSTERS
from howsure.raters.design import design_of, rated
from howsure.response_tables import ResponseTable

PILOT_MODELS = ("auto", "smoothed", "fitted", "empirical")


def draft(
    contest: Contest,
    limits: Limits,
    *,
    metrics: Sequence[str | Metric] | str | Metric | None,
    epsilons: tuple[float, ...],
    epsilon_a: float,
    effect: Effect | None,
    n_responses: Sequence[Responses] | int | None,
    n_raters: Numbers,
    raters_per_item: Numbers,
    nested: bool,
    with_raters: bool,
    cluster: str | None,
    follow_up: list[int],
    response_model: str,
    progress: Callable[[int], object] | None,
    compute: Compute | None,
    options: dict[str, Any],
) -> Draft:
    """Plan from a pilot, in the way that its data and the question ask for."""
    _check.one_of("response_model", response_model, PILOT_MODELS)
    contest = contest.complete()
    if limits.target is None and not limits.n_items and not limits.budgets:
        limits = replace(limits, target=Target("power", 0.8))
    chosen = listed_metrics(metrics, contest.scale.kind, gold=contest.gold is not None)
    if effect is not None and epsilons:
        raise ArgumentError(GIVEN_TWICE)
    if with_raters or any((n_raters, raters_per_item, nested)) or contest.gold is None:
        if epsilons or epsilon_a:
            raise ArgumentError("ε moves a model of gold's responses; with raters, give `difference` instead.")
        found = by_raters(
            contest,
            limits,
            metrics=chosen,
            effect=effect,
            n_repeats=n_responses,
            n_raters=n_raters,
            raters_per_item=raters_per_item,
            nested=nested,
            cluster=cluster,
            follow_up=follow_up,
            options=options,
        )
    elif epsilons or response_model != "auto":
        if cluster is not None or follow_up:
            raise ArgumentError(
                "clusters and follow-ups need the pilot's own A and B: leave `epsilon` and `response_model` out."
            )
        found = _by_gold(
            contest,
            limits,
            metrics=chosen,
            epsilons=epsilons,
            epsilon_a=epsilon_a,
            effect=effect,
            n_responses=n_responses,
            response_model=response_model,
            progress=progress,
            compute=compute,
            options=options,
        )
    else:
        found = _by_items(
            contest,
            limits,
            metrics=chosen,
            effect=effect,
            n_responses=n_responses,
            cluster=cluster,
            follow_up=follow_up,
            progress=progress,
            options=options,
        )
    return replace(found, notes=[*found.notes, *contest.notes])


def _by_items(
    contest: Contest,
    limits: Limits,
    *,
    metrics: list[Any],
    effect: Effect | None,
    n_responses: Sequence[Responses] | int | None,
    cluster: str | None,
    follow_up: list[int],
    progress: Callable[[int], object] | None,
    options: dict[str, Any],
) -> Draft:
    """Plan from the advantages of the pilot's own items."""
    assert contest.gold is not None
    given = premises(EmpiricalModel.of(contest), metrics=metrics, **options)
    engine = PilotEngine(contest, given, effect=effect, cluster=cluster)
    per_cluster = 0.0 if engine.clusters is None else engine.clusters.per_cluster
    own = Design(contest.n_items, *engine.own, per_cluster=per_cluster)
    _refuse_clusters(engine)
    advantage, interval, pvalue = engine.own_advantage()
    settled = effect is not None or math.isnan(pvalue) or pvalue <= given.tests[0].alpha
    if not settled:
        limits = limits.without_difference(own)
    shapes = [Design(1, *sizes, per_cluster=per_cluster) for sizes in _sizes(n_responses, engine.own)]
    limits.check(shapes)
    names = [metric.name for metric in given.metrics]
    cells: list[Cell] = []
    for shape in shapes:
        wanted = limits.wanted(shape)
        if wanted.n_items or wanted.limit:
            cells += cells_of(
                engine,
                shape,
                wanted,
                metrics=names,
                tests=given.tests,
                with_power=given.with_power,
            )
        if progress is not None:
            progress(1)
    searched = [cell for cell in cells if not limits.n_items and limits.target is not None and cell.metric == names[0]]
    needed = None
    if searched and settled:
        goal = limits.target
        assert goal is not None
        reached = [cell for cell in searched if goal.kind == "power" and goal.reached(cell.power)]
        chosen = min(reached, key=lambda cell: limits.costs.of(cell.design), default=None)
        needed = None if chosen is None else engine.needed_interval(chosen.design)
    facts = Pilot(
        design=own,
        model="the pilot's own items",
        difference="as in the pilot" if effect is None else "given",
        advantage=advantage,
        advantage_interval=interval,
        settled=settled,
        needed=needed,
    )
    return Draft(
        cells=cells,
        shapes=shapes,
        metric=names[0],
        tests=given.tests,
        with_power=given.with_power,
        confidence_level=given.confidence_level,
        model=f"the pilot's {contest.n_items:,} items",
        parameters={
            "metric": ",".join(map(spelled, given.metrics)),
            "difference": difference_of(effect),
            "engine": "pilot",
            **({"cluster": cluster} if cluster else {}),
        },
        data=contest.digest,
        seed=given.seed,
        pilot=facts,
        follow_ups=follow_ups.of_items(engine, own, follow_up, test=given.tests[0], costs=limits.costs),
        notes=_item_notes(engine, shapes, contest, effect, cluster=cluster, settled=settled),
        limits=limits,
    )


def _refuse_clusters(engine: PilotEngine) -> None:
    """Refuse too few clusters, and what is simulated from a model of the pilot's items, which has no clusters."""
    if engine.clusters is None:
        return
    if not Test("sign-flip", engine.premises.tests[0].alpha).can_reject(engine.clusters.n):
        raise DataError(
            f"the pilot has {engine.clusters.n} clusters, too few to see how clusters differ, or to find anything by "
            "exchanging them: plan from a pilot with more clusters."
        )
    for metric in engine.premises.metrics:
        if not metric.additive:
            raise ArgumentError(f"clusters of items need a metric with item scores; {metric.name!r} has none.")
    for test in engine.premises.tests:
        if engine.premises.with_power and test.name not in ON_ADVANTAGES:
            raise ArgumentError(
                f"clusters of items are planned for tests on the items' advantages; {test.name!r} mixes responses. "
                "Leave `test` out."
            )


def _item_notes(
    engine: PilotEngine,
    shapes: Sequence[Design],
    contest: Contest,
    effect: Effect | None,
    *,
    cluster: str | None,
    settled: bool,
) -> list[str]:
    notes = []
    own = engine.own
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
    if any(not metric.additive for metric in engine.premises.metrics):
        notes.append("Metrics without item scores are simulated from a model of the pilot's items.")
    roles = rated(contest)
    if roles and design_of(*(contest.sources[role] for role in roles)).kind != "nested":
        notes.append(
            "The pilot's raters judged several items each, but this plan treats every response as another rater's. "
            "Plan for raters as a random factor with `n_raters`."
        )
    if cluster is not None:
        effects = engine.design_effect(0)
        assert engine.clusters is not None
        n_clusters, each = engine.clusters.n, engine.clusters.per_cluster
        notes.append(
            f"Items come in {n_clusters} clusters ({cluster}) of about {each:.3g}. This multiplies the variance of the "
            f"difference by {effects:.2f}. Planned clusters have the same size."
        )
        if n_clusters < FEW_CLUSTERS:
            notes.append(f"{n_clusters} clusters are too few to estimate reliably how much clusters differ.")
    return notes


def _sizes(asked: Sequence[Responses] | int | None, own: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """Return the numbers of responses; one number is gold's, and A and B answer as often as in the pilot."""
    if asked is None:
        listed: list[Responses] = [*_usual(own[0])]
    else:
        listed = [asked] if isinstance(asked, int) else list(asked)
        if not listed:
            raise ArgumentError("`n_responses` must name at least one number; got none.")
    sizes = [
        (_check.integer("n_responses", each, at_least=1), own[1], own[2]) if not isinstance(each, tuple) else each
        for each in listed
    ]
    return list(dict.fromkeys(sizes))


def _usual(own: int) -> list[int]:
    """Return the numbers of gold responses that are tried where the user names none."""
    return sorted({*(k for k in USUAL_RESPONSES if k <= max(10, 2 * own)), own})


def _by_gold(
    contest: Contest,
    limits: Limits,
    *,
    metrics: list[Any],
    epsilons: tuple[float, ...],
    epsilon_a: float,
    effect: Effect | None,
    n_responses: Sequence[Responses] | int | None,
    response_model: str,
    progress: Callable[[int], object] | None,
    compute: Compute | None,
    options: dict[str, Any],
) -> Draft:
    """Plan from a model of gold alone; B is moved away from it."""
    assert contest.gold is not None
    if not epsilons and effect is None:
        raise ArgumentError("`response_model` is for a difference that is given: add `epsilon` or `difference`.")
    fitted: Fit | None = None
    if response_model == "empirical":
        model: ResponseModel = EmpiricalModel(contest.gold, contest.scale)
    else:
        fitted = _fitted(contest)
        if response_model == "auto":
            response_model = "smoothed" if isinstance(fitted.model, CategoricalModel) else "fitted"
        model = SmoothedModel.of(fitted.model, contest.gold) if response_model == "smoothed" else fitted.model
    sizes = {role: max(1, round(count)) for role, count in contest.n_responses.items()}
    found = from_model(
        model,
        limits,
        metrics=metrics,
        epsilons=epsilons,
        epsilon_a=epsilon_a,
        effect=effect,
        n_responses=_usual(sizes["gold"]) if n_responses is None else n_responses,
        progress=progress,
        compute=compute,
        options=options,
    )
    facts = Pilot(
        design=Design(contest.n_items, sizes["gold"], sizes["a"], sizes["b"]),
        model=response_model,
        difference="given",
        goodness=()
        if fitted is None
        else tuple({"name": one.name, "distance": one.distance, "pvalue": one.pvalue} for one in fitted.goodness),
    )
    notes = ["ε degrades a model of gold. The pilot's responses of A and B are not used."]
    most = max(cell.n_responses["gold"] for cell in found.cells)
    if most > 2 * sizes["gold"]:
        notes.append(f"Designs with {most} responses per item are extrapolated far beyond the pilot's {sizes['gold']}.")
    notes = [*found.notes, *notes, *_misfit(fitted, response_model)]
    said = str(model) if fitted is None else model.described(fitted.errors)
    return replace(found, pilot=facts, model=said, notes=notes, limits=limits)


def _fitted(contest: Contest) -> Fit:
    assert contest.gold is not None
    table = ResponseTable(contest.items, {"gold": contest.gold}, contest.scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowsureWarning)  # the same words are among the fit's notes
        return fit(table, source="gold", rng=0)


def _misfit(fitted: Fit | None, response_model: str) -> list[str]:
    if fitted is None:
        return []
    notes = list(fitted.notes)
    bad = [feature for feature in fitted.goodness if feature.pvalue < 0.05]
    if bad:
        what = ", ".join(f"{feature.name} (p = {feature.pvalue:.2g})" for feature in bad)
        remedy = "compare with `response_model='empirical'`"
        if response_model == "smoothed":
            remedy = "the plan adjusts it towards the pilot's items"
        notes.append(f"The fitted model does not reproduce the pilot's {what}: {remedy}.")
    return notes
