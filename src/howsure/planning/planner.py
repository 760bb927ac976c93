"""`plan`: from a response model or a pilot to designs, what each may expect, and which to take."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from howsure import _json, _matrices, _random
from howsure.data.contests import Contest
from howsure.errors import ArgumentError
from howsure.metrics import spelled
from howsure.models import Fit, ResponseModel
from howsure.models.base import check_sizes
from howsure.nulls import NULLS
from howsure.nulls.mixed_responses import narrower
from howsure.planning import groups
from howsure.planning.choices import Draft, Limits, plan_of
from howsure.planning.designs import USUAL_RESPONSES, Design, Responses, spelled_responses
from howsure.planning.engines.model import epsilon_for
from howsure.planning.groups import Group
from howsure.planning.request import GIVEN_TWICE, PlanRequest, Scenario
from howsure.planning.result import Cell, Plan

Compute = Callable[[Sequence[Group]], list[list[Cell]]]

ONLY_FOR_PILOTS = ("n_raters", "raters_per_item", "nested", "raters", "follow_up", "cluster")


@_matrices.on_one_thread
def plan(
    subject: str | Path | ResponseModel | Fit | Contest | Any,
    request: PlanRequest | None = None,
    *,
    a: str | None = None,
    b: str | None = None,
    gold: str | None = None,
    workers: int | None = None,
    compute: Compute | None = None,
    adjust: Callable[[ResponseModel], ResponseModel] | None = None,
    **settings: Any,
) -> Plan:
    """Say what designs may expect, and which to take.

    Parameters
    ----------
    subject : str, ResponseModel, Fit or Contest, or what a contest can be made of
        A preset, a model file, a model; or a pilot: gold, A and B (or A and B alone, or gold alone) on the same items,
        or a table, a dataframe (pandas, Polars, Arrow) or a path with the names of the sources.
    request : PlanRequest, optional
        What is asked, as one record.
    a, b, gold : str, optional
        The sources, where the pilot is no contest yet.
    workers : int, optional
        Threads; one per core by default. The result does not depend on it.
    compute : callable, optional
        Computes groups of designs elsewhere: in processes, on a cluster, or from a store (`planning.groups`).
    adjust : callable, optional
        Changes the model that is fitted to gold alone, such as the noise by which its labels are degraded.
    **settings
        Fields of `PlanRequest`, in place of `request`.

    Returns
    -------
    Plan

    Examples
    --------
    >>> found = plan("normal", metrics=["mae"], epsilon=0.2, n_responses=[2, 10], budget=500, rng=0)
    >>> print(found.recommended.design)
    250 items × 2 gold, 5 A, 5 B responses
    """
    request = PlanRequest.of(settings) if request is None else replace(request, **settings)
    if gold is not None and a is None and b is None:
        from howsure.io.reading import as_table
        from howsure.planning.gold_pilots import GoldPilot, draft_from_gold

        pilot = GoldPilot.of(as_table(subject), gold)
        return plan_of(
            draft_from_gold(pilot, request, Limits.of(request), workers=workers, compute=compute, adjust=adjust)
        )
    if (a, b, gold) != (None, None, None) or not isinstance(subject, str | Path | ResponseModel | Fit):
        from howsure.io.reading import as_contest

        subject = as_contest(subject, a=a, b=b, gold=gold)
    if isinstance(subject, Contest):
        from howsure.planning.pilots import draft_from_pilot

        return plan_of(draft_from_pilot(subject, request, workers=workers, compute=compute))
    for name in ONLY_FOR_PILOTS:
        if getattr(request, name):
            raise ArgumentError(f"`{name}` needs a pilot: a table with A and B, and raters where they are planned.")
    return plan_of(draft_from_model(subject, request, Limits.of(request), workers=workers, compute=compute))


def draft_from_model(
    model: str | Path | ResponseModel | Fit,
    request: PlanRequest,
    limits: Limits,
    *,
    workers: int | None,
    compute: Compute | None,
) -> Draft:
    """Plan from a response model."""
    base = Scenario.of(model, request, workers=workers)
    gold_free = base.metrics[0].gold_free
    if gold_free and request.reference_responses is not None:
        raise ArgumentError(
            f"`reference_responses` has no effect here: {base.metrics[0].name} needs no gold, and its difference is "
            "the same for any number of responses."
        )
    responses = _responses(base, limits, gold_free=gold_free)
    scenarios, notes = _scenarios(base)
    shapes = [_shape(each, gold_free=gold_free) for each in responses]
    limits.check(shapes)
    # Designs that differ in their number of items only share what is simulated, so they are one group.
    wanted = [
        (scenario, shape, search)
        for scenario in scenarios
        for shape in shapes
        if not (search := limits.search(shape)).is_empty
    ]
    cells = [cell for group in (compute or _on_threads)(wanted) for cell in group]
    return Draft(
        scenario=base,
        limits=limits,
        cells=cells,
        shapes=shapes,
        model=str(base.model),
        parameters={
            "metric": ",".join(map(spelled, base.metrics)),
            "epsilon": ",".join("pilot" if each.epsilon is None else f"{each.epsilon:g}" for each in scenarios),
            **({"epsilon_a": request.epsilon_a} if request.epsilon_a else {}),
            **({} if base.perturbation is None else {"perturbation": base.perturbation}),
            "engine": request.engine,
            "precision": request.precision,
            "n_simulations": request.n_simulations,
            "resample_simulated": request.resample_simulated or None,
        },
        data=_json.digest(base.model.to_dict())[:12],
        reference=base.reference if request.effect is not None and not gold_free else None,
        notes=[*notes, *_caveats(base, cells)],
    )


def _on_threads(wanted: Sequence[Group]) -> list[list[Cell]]:
    """Compute groups; of those that simulate data sets, as many at a time as there are threads.

    Each alone is too short to be shared among threads, and groups that are computed exactly are soon done.
    """
    n_threads = 1
    if all(scenario.simulates for scenario, _, _ in wanted):
        n_threads = min(len(wanted), max((scenario.workers for scenario, _, _ in wanted), default=1))

    def group(number: int, *_: int) -> list[Cell]:
        scenario, shape, search = wanted[number]
        return groups.cells_of_model(replace(scenario, workers=max(1, scenario.workers // n_threads)), shape, search)

    return _random.map_blocks(group, len(wanted), workers=n_threads, size=1)


def _shape(responses: Responses, *, gold_free: bool) -> Design:
    gold, a, b = check_sizes(responses)
    return Design(1, 0 if gold_free else gold, a, b)


def _responses(base: Scenario, limits: Limits, *, gold_free: bool) -> Sequence[Responses]:
    """Return the numbers of responses; one number is gold's, and those of A and B are the same in every design."""
    _, a, b = base.reference

    def sizes(k: Responses) -> Responses:
        return k if gold_free or isinstance(k, tuple) else (k, a, b)

    if base.request.n_responses:
        return list(dict.fromkeys(map(sizes, base.request.n_responses)))
    usual = [sizes(k) for k in USUAL_RESPONSES]
    if not limits.budgets:
        return usual
    largest = max(limits.budgets)
    return [each for each in usual if limits.costs.of(_shape(each, gold_free=gold_free)) <= largest] or usual[:1]


def _scenarios(base: Scenario) -> tuple[list[Scenario], list[str]]:
    """Return the scenario at each ε, and how ε was found."""
    effect, epsilons = base.request.effect, base.request.epsilon
    if getattr(base.model, "a", None) is not None:
        if effect is not None or epsilons:
            raise ArgumentError("this model has real answers of A and B: leave the difference out.")
        return [base], []
    if effect is None:
        if not epsilons:
            raise ArgumentError(
                "Specify the difference to detect with one of `difference`, `accuracy_points`, `win_rate` or `epsilon`."
            )
        return [base.at(each) for each in epsilons], []
    if epsilons:
        raise ArgumentError(GIVEN_TWICE)
    # Fewer responses show a smaller difference between the same two models, so a named difference has a number of
    # responses of its own. It is not taken from the designs: none of them changes the power of another.
    epsilon, error = epsilon_for(effect, base, base.reference)
    note = (
        f"ε = {epsilon:.4g} (± {error:.1g}) gives the advantage of {effect.advantage:g} in {effect.metric.title} with "
        f"{spelled_responses(base.reference)}. Designs with fewer responses show less of it. Change these numbers "
        "with `reference_responses`."
    )
    return [base.at(epsilon)], [note]


def _caveats(scenario: Scenario, cells: Sequence[Cell]) -> list[str]:
    request, notes = scenario.request, []
    if request.resample_simulated:
        notes.append(
            "Items are bootstrapped inside every simulation, as in the RATINGS tables. This doubles the item "
            "variance and about doubles the budgets. For replication only."
        )
    if request.with_power:
        notes += [narrower(test.name) for test in request.tests if test.name in NULLS and NULLS[test.name].narrower]
    even = any(not size % 2 for cell in cells for size in cell.design.n_responses)
    if even and any(metric.name == "accuracy" for metric in scenario.metrics):
        notes.append(
            "Accuracy shares a tied vote among the labels. The papers give it to the first label, and may "
            "recommend other numbers of responses."
        )
    if scenario.perturbation in ("lower", "raise"):
        way = "lower" if scenario.perturbation == "lower" else "higher"
        notes.append(f"Without gold, ε is how much {way} B is rated on every item, as a fraction of the scale.")
    short = [
        cell
        for cell in cells
        if 0.01 < cell.expected_pvalue < 0.2 and cell.expected_pvalue_error > 1.2 * request.precision
    ]
    if short and request.n_simulations is None:
        worst = max(cell.expected_pvalue_error for cell in short)
        notes.append(
            f"The precision of {request.precision:g} of the expected p-values was not reached in {len(short)} of "
            f"{len(cells)} designs. The largest error is {worst:.2g}."
        )
    return notes
