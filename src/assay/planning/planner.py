"""`plan`: from a response model and a difference to designs, what each may expect, and which to take."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay import _check, _json, _random
from assay.errors import ArgumentError
from assay.metrics import AdditiveMetric, Metric
from assay.models import ResponseModel
from assay.models.base import check_sizes
from assay.planning.answering import Answerer, Question, ask
from assay.planning.designs import USUAL_RESPONSES, Costs, Design, Responses, product, within
from assay.planning.effects import Effect, epsilon_for
from assay.planning.engines import simulated_power as powers
from assay.planning.engines.item_scores import Sizes
from assay.planning.results import Cell, Plan
from assay.planning.words import describe
from assay.provenance import Provenance

MOST_ITEMS = 100_000
"""Items beyond which no design is looked for."""


def plan(
    model: str | ResponseModel,
    *,
    metrics: Sequence[str | Metric] = ("mae",),
    epsilon: float | None = None,
    effect: Effect | None = None,
    n_items: Sequence[int] | int | None = None,
    n_responses: Sequence[Responses] | int | None = None,
    budget: float | None = None,
    costs: Costs | None = None,
    target_power: float | None = None,
    detectable: bool = False,
    max_items: int = MOST_ITEMS,
    progress: Callable[[int], object] | None = None,
    compute: Callable[[Question, list[Design]], list[Cell]] | None = None,
    **options: Any,
) -> Plan:
    """Say what designs may expect, and which to take.

    Parameters
    ----------
    model : str or ResponseModel
        A preset, a model file or a model.
    metrics : sequence of str or Metric
    epsilon : float, optional
        How far B is from gold; or
    effect : Effect, optional
        the difference as a contrast, in accuracy points or as a win rate, from which ε follows. Leave both out only
        where the model brings the real answers of A and B along.
    n_items : int or sequence of int, optional
    n_responses : int or sequence, optional
        Responses per item, each one number or three for gold, A and B.
    budget : float, optional
        What a study may cost; each number of responses then gets as many items as that allows.
    costs : Costs, optional
        The default counts gold responses, so that `budget` is N × K.
    target_power : float, optional
        Recommend the cheapest design that has it; without `n_items` and `budget` the number of items is looked for.
    detectable : bool
        Also say the smallest contrast that each design finds with the target power (0.8 if there is none).
    max_items : int
        Where to stop looking for a number of items.
    progress : callable, optional
        Told the number of designs done.
    compute : callable, optional
        Computes the cells of the designs elsewhere: in processes, on a cluster, or from a store (`planning.cell`).
    **options
        perturbation; test (see `power.TESTS`; None leaves power out), alpha, alternative; confidence_level; engine
        ("auto", "exact", "monte-carlo"), n_simulations, precision (of expected p-values between .01 and .2, and of what
        the simulated items add to the error of the power); resample_simulated (an item bootstrap inside every simulated
        data set, to replicate RATINGS); rng, workers.

    Returns
    -------
    Plan

    Examples
    --------
    >>> found = plan("normal", metrics=["mae"], epsilon=0.2, n_responses=[2, 10], budget=500, rng=0)
    >>> found.recommended.n_items, found.recommended.n_responses["gold"]
    (50, 10)
    """
    question = ask(model, metrics=metrics, epsilon=epsilon, costs=costs, **options)
    if target_power is not None:
        _check.fraction("target_power", target_power)
        if not question.with_power:
            raise ArgumentError("a target power needs a test; leave test=None out.")
    responses = _responses(n_responses, question.costs, budget)
    question, notes = _settle_difference(question, effect, responses)
    answerer = Answerer(question)
    designs = _designs(answerer, n_items, responses, budget, target_power=target_power, max_items=max_items)
    if compute is not None:
        cells = compute(question, designs)
    else:
        answerer.prepare(designs)
        cells = []
        for design in designs:
            cells += answerer.cells(design)
            if progress is not None:
                progress(1)
    if detectable:
        from assay.planning.detectable import with_detectable

        cells = with_detectable(question, cells, target_power or 0.8)
    recommended = _recommend(cells, question, budget, target_power)
    sentences = describe(cells, recommended, question.test.name, budget=budget, target_power=target_power)
    notes += _caveats(question, cells)
    return Plan(
        cells=tuple(cells),
        recommended=recommended,
        sentences=tuple(sentences),
        model=str(question.model),
        test=question.test.name if question.with_power else "",
        alternative=question.test.alternative,
        alpha=question.test.alpha,
        confidence_level=question.confidence_level,
        target_power=target_power,
        notes=tuple(notes),
        seed=_random.entropy_of(question.seed),
        signature=_signature(question),
        pilot={},
    )


def _responses(asked: Sequence[Responses] | int | None, costs: Costs, budget: float | None) -> list[Responses]:
    if asked is None:
        return [k for k in USUAL_RESPONSES if budget is None or costs.per_item((k, k, k)) <= budget] or [1]
    if isinstance(asked, int | np.integer):
        return [int(asked)]
    if not len(asked):
        raise ArgumentError("`n_responses` must name at least one number; got none.")
    return list(asked)


def _settle_difference(
    question: Question, effect: Effect | None, responses: Sequence[Responses]
) -> tuple[Question, list[str]]:
    """Return the question with its ε, and how it was found."""
    real = getattr(question.model, "a", None) is not None
    if real:
        if effect is not None or question.epsilon is not None:
            raise ArgumentError("this model brings real answers of A and B along: leave the difference out.")
        return question, []
    if effect is None:
        if question.epsilon is None:
            raise ArgumentError(
                "say how large the difference is: epsilon (--epsilon), or a contrast (--contrast), accuracy points "
                "(--accuracy-points) or a win rate (--win-rate)."
            )
        return question, []
    if question.epsilon is not None:
        raise ArgumentError("give the difference once: epsilon, or an effect.")
    # One difference for all designs: that which is seen with the most responses.
    sizes = max((check_sizes(each) for each in responses), key=sum)
    epsilon, error = epsilon_for(
        effect, question.model, n_responses=sizes, seed=_random.child(question.seed, "effect"),
        perturbation=question.perturbation, workers=question.workers,
    )  # fmt: skip
    shown = Design(1, *sizes)
    how = str(shown).partition(" × ")[2]
    note = (
        f"ε = {epsilon:.4g} (± {error:.1g}) gives the contrast of {effect.contrast:g} in {effect.metric.title} with "
        f"{how} per item."
    )
    return question.at(epsilon), [note]


def _designs(
    answerer: Answerer,
    n_items: Sequence[int] | int | None,
    responses: Sequence[Responses],
    budget: float | None,
    *,
    target_power: float | None,
    max_items: int,
) -> list[Design]:
    if n_items is not None:
        numbers = [int(n_items)] if isinstance(n_items, int | np.integer) else list(n_items)
        if not numbers:
            raise ArgumentError("`n_items` must name at least one number; got none.")
        designs = product(numbers, responses)
        if budget is None:
            return designs
        costs = answerer.question.costs
        kept = [design for design in designs if costs.of(design) <= budget * (1 + 1e-12)]
        if not kept:
            cheapest = min(costs.of(design) for design in designs)
            raise ArgumentError(f"no design fits {budget:g}; the cheapest asked for costs {cheapest:g}.")
        return kept
    if budget is not None:
        return within(_check.real("budget", budget, at_least=0), answerer.question.costs, responses)
    if target_power is None:
        raise ArgumentError("say which designs: n_items (--items), a budget (--budget), or a target power.")
    return _search(answerer, responses, target_power, max_items)


def _search(answerer: Answerer, responses: Sequence[Responses], target: float, max_items: int) -> list[Design]:
    """Return, for each number of responses, the smallest design that reaches the target power."""
    found, best = [], (0.0, 0)
    for each in responses:
        sizes = check_sizes(each)
        guess = _guess(answerer, sizes, target)
        tried: dict[int, float] = {}

        def power_of(n: int, sizes: Sizes = sizes, tried: dict[int, float] = tried) -> float:
            if n not in tried:
                design = Design(n, *sizes)
                answerer.prepare([design], for_power_only=True)
                tried[n] = answerer.power(design).power
            return tried[n]

        n_items = powers.smallest_n_items(power_of, target, guess=guess, most=max_items)
        if n_items is None:
            best = max(best, (max(tried.values()), sizes[0]))
        else:
            found.append(Design(n_items, *sizes))
    if not found:
        raise ArgumentError(
            f"power {target:g} cannot be reached with N ≤ {max_items:,}; the largest is {best[0]:.2f}, with "
            f"{best[1]} responses per item."
        )
    return found


def _guess(answerer: Answerer, sizes: Sizes, target: float) -> int:
    """Return about how many items it takes, by the normal formula."""
    from scipy.special import ndtri

    q = answerer.question
    if not isinstance(q.metrics[0], AdditiveMetric) or q.engine == "monte-carlo":
        return 64
    pool = answerer.engine(sizes).pools[0]
    sides = 2 if q.test.alternative == "two-sided" else 1
    z = float(ndtri(1 - q.test.alpha / sides) + ndtri(target))
    if pool.mean == 0 or pool.sd == 0:
        return 64
    return int(min(10 * MOST_ITEMS, max(2.0, (z * pool.sd / pool.mean) ** 2)))


def _recommend(cells: Sequence[Cell], question: Question, budget: float | None, target: float | None) -> Cell | None:
    """Return the cheapest cell with the target power, or the best within the budget, by the first metric."""
    ours = [cell for cell in cells if cell.metric == question.metrics[0].name]
    if target is not None:
        reached = [cell for cell in ours if cell.power >= target]
        if not reached:
            best = max(ours, key=lambda cell: cell.power)
            raise ArgumentError(
                f"power {target:g} cannot be reached with N ≤ {max(cell.n_items for cell in ours):,}; the largest is "
                f"{best.power:.2f}, with {best.design}."
            )
        return min(reached, key=lambda cell: (cell.cost, cell.expected_pvalue))
    if budget is None:
        return None
    return min(ours, key=lambda cell: (-cell.power if question.with_power else 0.0, cell.expected_pvalue))


def _caveats(question: Question, cells: Sequence[Cell]) -> list[str]:
    notes = []
    if question.resample_simulated:
        notes.append(
            "items are bootstrapped inside every simulated data set, as in the RATINGS tables: this doubles the item "
            "variance and about doubles the budgets. For replication only."
        )
    if question.with_power and question.test.name in ("pooled-responses", "dealt-responses"):
        from assay.resampling.nulls import NARROWER

        notes.append(NARROWER.format(null=question.test.name))
    short = [
        cell for cell in cells
        if 0.01 < cell.expected_pvalue < 0.2 and cell.expected_pvalue_error > 1.2 * question.precision
    ]  # fmt: skip
    if short and question.n_simulations is None:
        worst = max(cell.expected_pvalue_error for cell in short)
        notes.append(
            f"the precision of {question.precision:g} asked for expected p-values was not reached in {len(short)} of "
            f"{len(cells)} cells; the largest error is {worst:.2g}."
        )
    return notes


def _signature(question: Question) -> str:
    parameters: dict[str, object] = {
        "metric": ",".join(metric.name for metric in question.metrics),
        "epsilon": "pilot" if question.epsilon is None else question.epsilon,
        "test": question.test.name if question.with_power else "none",
        "alternative": question.test.alternative,
        "alpha": question.test.alpha,
        "engine": question.engine,
    }
    data = _json.digest(question.model.to_dict())[:12]
    return Provenance("plan", parameters, _random.entropy_of(question.seed), data).signature
