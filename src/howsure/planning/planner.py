"""`plan`: from a response model or a pilot to designs, what each may expect, and which to take."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from howsure import _check, _json, _matrices, _random
from howsure.contests import Contest
from howsure.errors import ArgumentError
from howsure.metrics import Metric, spelled
from howsure.models import Fit, ResponseModel
from howsure.models.base import check_sizes
from howsure.nulls import NULLS
from howsure.nulls.mixed_responses import narrower
from howsure.planning import groups
from howsure.planning.choices import Limits
from howsure.planning.designs import USUAL_RESPONSES, Costs, Design, Responses
from howsure.planning.differences import Effect, epsilon_for
from howsure.planning.drafts import Draft, finished
from howsure.planning.groups import Wanted
from howsure.planning.plans import LAYOUTS, Cell, Plan
from howsure.planning.premises import Premises, premises
from howsure.planning.rater_shapes import Numbers, numbers
from howsure.planning.targets import Target

MOST_ITEMS = 100_000
"""The most items of a design that is searched for."""

GIVEN_TWICE = "Specify the difference to detect once: `difference`, `accuracy_points`, `win_rate` or `epsilon`."

Groups = Sequence[tuple[Premises, Design, Wanted]]
Compute = Callable[[Groups], list[list[Cell]]]


@_matrices.on_one_thread
def plan(
    subject: str | ResponseModel | Contest | Any,
    *,
    a: str | None = None,
    b: str | None = None,
    gold: str | None = None,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    epsilon: float | Sequence[float] | None = None,
    epsilon_a: float = 0.0,
    effect: Effect | None = None,
    n_items: Numbers = None,
    n_responses: Sequence[Responses] | int | None = None,
    n_raters: Numbers = None,
    raters_per_item: Numbers = None,
    nested: bool = False,
    with_raters: bool = False,
    budget: float | Sequence[float] | None = None,
    costs: Costs | None = None,
    target_power: float | None = None,
    target_p: float | None = None,
    target_width: float | None = None,
    spend: bool = False,
    follow_up: Numbers = None,
    detectable: bool = False,
    max_items: int = MOST_ITEMS,
    cluster: str | None = None,
    response_model: str = "auto",
    layout: str = "list",
    progress: Callable[[int], object] | None = None,
    compute: Compute | None = None,
    **options: Any,
) -> Plan:
    """Say what designs may expect, and which to take.

    Parameters
    ----------
    subject : str, ResponseModel, Fit or Contest, or what a contest can be made of
        A preset, a model file, a model; or a pilot: gold, A and B (or A and B alone) on the same items, or a table, a
        dataframe (pandas, Polars, Arrow) or a path with the names of the sources.
    a, b, gold : str, optional
        The sources, where the pilot is no contest yet.
    metrics : str, Metric or a sequence, optional
        The first decides. By the scale if left out: accuracy for labels, rating without gold, else mae.
    epsilon : float or sequence of float, optional
        How far B is from gold; or
    effect : Effect, optional
        the difference as an advantage, in accuracy points or as a win rate. With a model, ε follows from it; the items
        of a pilot are weighted until they show it. Leave both out only with a pilot: the plan is then for its own
        difference.
    epsilon_a : float
        How far A is from gold.
    n_items : int or sequence of int, optional
    n_responses : int or sequence, optional
        Responses per item, each one number or three for gold, A and B. One number is gold's with a pilot, and that of
        each model with raters.
    n_raters, raters_per_item : int or sequence of int, optional
        Plan raters, from a pilot with rater ids: how many, and how many of them judge each item. Several are tried
        where none are given.
    nested : bool
        Every rater judges one item only; `raters_per_item` is then the number of raters.
    with_raters : bool
        Plan raters although none of these is given. Pilots without gold are always planned this way.
    budget : float or sequence of float, optional
        What a study may cost.
    costs : Costs, optional
        The default counts the responses of people, so that `budget` is N × K.
    target_power, target_p, target_width : float, optional
        Take the cheapest design that has this power, this expected p, or this interval width, within the budget if
        there is one. From a pilot, power 0.8 if nothing else is asked for.
    spend : bool
        Spend the whole budget, and take the fewest responses per item that reach the target.
    follow_up : int or sequence of int, optional
        From a pilot: what this many more responses are best spent on.
    detectable : bool
        Also say the smallest advantage that each design finds with the target power (0.8 if there is none).
    max_items : int
        The most items that a search may end with.
    cluster : str, optional
        An item column of the pilot, such as "document": items that share its value are not independent.
    response_model : {"auto", "smoothed", "fitted", "empirical"}
        How gold's responses of a pilot are modelled where `epsilon` is given.
    layout : {"list", "matrix"}
        How the plan shows its designs: one after another, or items against responses.
    progress : callable, optional
        Told the number of groups of designs done.
    compute : callable, optional
        Computes groups of designs elsewhere: in processes, on a cluster, or from a store (`planning.groups`).
    **options
        perturbation; test (one or several of `TESTS`; None leaves power out), alpha, alternative; confidence_level;
        engine ("auto", "exact", "monte-carlo"), n_simulations, precision (of expected p-values between .01 and .2, and
        of what the simulated items add to the error of the power); resample_simulated (an item bootstrap inside every
        simulated data set, to replicate RATINGS); rng, workers.

    Returns
    -------
    Plan

    Examples
    --------
    >>> found = plan("normal", metrics=["mae"], epsilon=0.2, n_responses=[2, 10], budget=500, rng=0)
    >>> print(found.recommended.design)
    50 items × 10 responses
    """
    limits = Limits(
        budgets=tuple(sorted(_reals("budget", budget, at_least=0))),
        costs=costs or Costs(),
        target=Target.of(power=target_power, pvalue=target_p, width=target_width),
        n_items=tuple(numbers("n_items", n_items, at_least=1) or ()),
        max_items=_check.integer("max_items", max_items, at_least=1),
        spend=spend,
        detect=(target_power or 0.8) if detectable else None,
    )
    if spend and (not limits.budgets or limits.target is None):
        raise ArgumentError("`spend` needs a budget and a target.")
    epsilons = _reals("epsilon", epsilon, at_least=0, at_most=1)
    if limits.target is not None and limits.target.kind == "power" and options.get("test", "") is None:
        raise ArgumentError("a target power needs a test; leave `test=none` out.")
    if (a, b, gold) != (None, None, None) or not isinstance(subject, str | Path | ResponseModel | Fit):
        from howsure.io.reading import as_contest

        subject = as_contest(subject, a=a, b=b, gold=gold)
    if isinstance(subject, Contest):
        from howsure.planning import pilots

        draft = pilots.draft(
            subject, limits, metrics=metrics, epsilons=epsilons, epsilon_a=epsilon_a, effect=effect,
            n_responses=n_responses, n_raters=n_raters, raters_per_item=raters_per_item, nested=nested,
            with_raters=with_raters, cluster=cluster,
            follow_up=numbers("follow_up", follow_up, at_least=1) or [], response_model=response_model,
            progress=progress, compute=compute, options=options,
        )  # fmt: skip
    else:
        for_pilots = {
            "n_raters": n_raters,
            "raters_per_item": raters_per_item,
            "nested": nested,
            "with_raters": with_raters,
            "follow_up": follow_up,
            "cluster": cluster,
        }
        for name, value in for_pilots.items():
            if value:
                raise ArgumentError(f"`{name}` needs a pilot: a table with A and B, and raters where they are planned.")
        draft = from_model(
            subject,
            limits,
            metrics=metrics,
            epsilons=epsilons,
            epsilon_a=epsilon_a,
            effect=effect,
            n_responses=n_responses,
            progress=progress,
            compute=compute,
            options=options,
        )
    return finished(draft, draft.limits or limits, layout=_check.one_of("layout", layout, LAYOUTS))


def from_model(
    model: str | Path | ResponseModel | Fit,
    limits: Limits,
    *,
    metrics: Sequence[str | Metric] | str | Metric | None,
    epsilons: tuple[float, ...],
    epsilon_a: float,
    effect: Effect | None,
    n_responses: Sequence[Responses] | int | None,
    progress: Callable[[int], object] | None,
    compute: Compute | None,
    options: dict[str, Any],
) -> Draft:
    """Plan from a response model."""
    from howsure.models import resolve as resolve_model

    described = resolve_model(model)
    given = premises(described, metrics=listed_metrics(metrics, described.scale.kind), epsilon_a=epsilon_a, **options)
    gold_free = given.metrics[0].gold_free
    responses = _responses(n_responses, limits, gold_free=gold_free)
    variants, notes = _differences(given, epsilons, effect, responses)
    shapes = [_shape(each, gold_free=gold_free) for each in responses]
    limits.check(shapes)
    wanted = [
        (variant, shape, found)
        for variant in variants
        for shape in shapes
        if (found := limits.wanted(shape)).n_items or found.limit
    ]
    computed = _on_threads(wanted, progress) if compute is None else compute(wanted)
    cells = [cell for group in computed for cell in group]
    return Draft(
        cells=cells,
        shapes=shapes,
        metric=given.metrics[0].name,
        tests=given.tests,
        with_power=given.with_power,
        confidence_level=given.confidence_level,
        model=str(given.model),
        parameters={
            "metric": ",".join(map(spelled, given.metrics)),
            "epsilon": ",".join("pilot" if each.epsilon is None else f"{each.epsilon:g}" for each in variants),
            **({"epsilon_a": epsilon_a} if epsilon_a else {}),
            **({} if given.perturbation is None else {"perturbation": given.perturbation}),
            "engine": given.engine,
            "precision": given.precision,
            "n_simulations": given.n_simulations,
            "resample_simulated": given.resample_simulated or None,
        },
        data=_json.digest(given.model.to_dict())[:12],
        seed=given.seed,
        notes=[*notes, *_caveats(given, cells)],
    )


def _on_threads(wanted: Groups, progress: Callable[[int], object] | None) -> list[list[Cell]]:
    """Compute groups; of those that simulate data sets, as many at a time as there are threads.

    Each alone is too short to be shared among threads, and groups that are computed exactly are soon done.
    """
    n_threads = 1
    if all(given.simulates for given, _, _ in wanted):
        n_threads = min(len(wanted), max((given.workers for given, _, _ in wanted), default=1))

    def group(number: int, *_: int) -> list[Cell]:
        given, shape, found = wanted[number]
        return groups.of_model(replace(given, workers=max(1, given.workers // n_threads)), shape, found)

    return _random.map_blocks(group, len(wanted), workers=n_threads, size=1, progress=progress)


def listed_metrics(metrics: Sequence[str | Metric] | str | Metric | None, kind: str, *, gold: bool = True) -> list[Any]:
    """Return the metrics asked for, or the usual one of the scale."""
    if metrics is None:
        return ["accuracy" if kind == "nominal" else "mae" if gold else "rating"]
    return [metrics] if isinstance(metrics, str | Metric) else list(metrics)


def _reals(name: str, asked: float | Sequence[float] | None, **bounds: float) -> tuple[float, ...]:
    """Return the numbers asked for, each once; none where none were."""
    if asked is None:
        return ()
    listed = [asked] if isinstance(asked, int | float | np.number) else list(asked)
    if not listed:
        raise ArgumentError(f"`{name}` must name at least one number; got none.")
    return tuple(dict.fromkeys(_check.real(name, each, **bounds) for each in listed))


def _shape(responses: Responses, *, gold_free: bool) -> Design:
    gold, a, b = check_sizes(responses)
    return Design(1, 0 if gold_free else gold, a, b)


def _responses(asked: Sequence[Responses] | int | None, limits: Limits, *, gold_free: bool) -> list[Responses]:
    if asked is None:
        if not limits.budgets:
            return list(USUAL_RESPONSES)
        largest = max(limits.budgets)
        return [k for k in USUAL_RESPONSES if limits.costs.of(_shape(k, gold_free=gold_free)) <= largest] or [1]
    if isinstance(asked, int | np.integer):
        return [int(asked)]
    if not len(asked):
        raise ArgumentError("`n_responses` must name at least one number; got none.")
    return list(asked)


def _differences(
    given: Premises, epsilons: tuple[float, ...], effect: Effect | None, responses: Sequence[Responses]
) -> tuple[list[Premises], list[str]]:
    """Return the premises for each ε, and how it was found."""
    if getattr(given.model, "a", None) is not None:
        if effect is not None or epsilons:
            raise ArgumentError("this model has real answers of A and B: leave the difference out.")
        return [given], []
    if effect is None:
        if not epsilons:
            raise ArgumentError(
                "Specify the difference to detect with one of `difference`, `accuracy_points`, `win_rate` or `epsilon`."
            )
        return [given.at(each) for each in epsilons], []
    if epsilons:
        raise ArgumentError(GIVEN_TWICE)
    # One difference for all designs: the one that the most responses show.
    sizes = max((check_sizes(each) for each in responses), key=sum)
    epsilon, error = epsilon_for(
        effect,
        given.model,
        n_responses=sizes,
        seed=_random.child(given.seed, "effect"),
        perturbation=given.perturbation,
        epsilon_a=given.epsilon_a,
        workers=given.workers,
    )
    note = (
        f"ε = {epsilon:.4g} (± {error:.1g}) gives the advantage of {effect.advantage:g} in {effect.metric.title} with "
        f"{Design(1, *sizes).per_item} per item."
    )
    return [given.at(epsilon)], [note]


def _caveats(given: Premises, cells: Sequence[Cell]) -> list[str]:
    notes = []
    if given.resample_simulated:
        notes.append(
            "Items are bootstrapped inside every simulation, as in the RATINGS tables. This doubles the item "
            "variance and about doubles the budgets. For replication only."
        )
    if given.with_power:
        notes += [narrower(test.name) for test in given.tests if test.name in NULLS and NULLS[test.name].narrower]
    if given.perturbation in ("lower", "raise"):
        way = "lower" if given.perturbation == "lower" else "higher"
        notes.append(f"Without gold, ε is how much {way} B is rated on every item, as a fraction of the scale.")
    short = [
        cell
        for cell in cells
        if 0.01 < cell.expected_pvalue < 0.2 and cell.expected_pvalue_error > 1.2 * given.precision
    ]
    if short and given.n_simulations is None:
        worst = max(cell.expected_pvalue_error for cell in short)
        notes.append(
            f"The precision of {given.precision:g} of the expected p-values was not reached in {len(short)} of "
            f"{len(cells)} designs. The largest error is {worst:.2g}."
        )
    return notes
