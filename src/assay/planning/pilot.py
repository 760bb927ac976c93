"""From pilot data to a plan: fit, check the fit, plan, and say how sure the plan is.

Without a difference of the user's own, the plan is for the difference that the pilot shows, with A and B as they
answered; that difference is uncertain, and the interval of the number of items says how much. With a difference, gold's
responses are carried on by a fitted model (or resampled), and B is moved away from it.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay import _check, _random
from assay.errors import ArgumentError, AssayWarning
from assay.metrics import AdditiveMetric, Metric, resolve
from assay.models import CategoricalModel, EmpiricalModel, Fit, ResponseModel, SmoothedModel, fit
from assay.planning.designs import USUAL_RESPONSES, Design, Responses
from assay.planning.effects import Effect
from assay.planning.engines.item_scores import Setting
from assay.planning.engines.score_pools import Growing
from assay.planning.planner import plan
from assay.planning.results import Cell, Plan
from assay.responses import Contest, ResponseTable

PILOT_MODELS = ("auto", "smoothed", "fitted", "empirical")
RESAMPLES = 100
"""Bootstrap samples of the pilot's items."""


def plan_from_pilot(
    contest: Contest,
    *,
    metrics: Sequence[str | Metric] = ("mae",),
    epsilon: float | None = None,
    effect: Effect | None = None,
    pilot_model: str = "auto",
    n_responses: Sequence[Responses] | int | None = None,
    target_power: float | None = None,
    n_items: Sequence[int] | int | None = None,
    budget: float | None = None,
    n_resamples: int = RESAMPLES,
    rng: _random.Rng = None,
    **options: Any,
) -> Plan:
    """Plan a study from a pilot; the parameters beyond these are those of `plan`.

    Parameters
    ----------
    contest : Contest
        The pilot: gold, A and B on the same items.
    epsilon, effect
        The difference to be found; that of the pilot if both are left out.
    pilot_model : {"auto", "smoothed", "fitted", "empirical"}
        How gold's responses are carried on if a difference is given: by a fitted model bent towards the pilot's items
        (the default for labels), by the fitted model itself, or resampled.
    n_responses : sequence, optional
        One number is that of gold; A and B answer as often as in the pilot, unless three numbers say otherwise.
    target_power : float, optional
        0.8 if neither this, nor `n_items`, nor `budget` is given.
    n_resamples : int
        Bootstrap samples of the pilot's items, for the interval of the number of items.

    Examples
    --------
    >>> from assay.models import preset
    >>> table = preset("likert-toxicity").table(100, 5, epsilon=0.3, rng=0)
    >>> pilot = table.contest(gold="gold", a="A", b="B")
    >>> found = plan_from_pilot(pilot, metrics=["mae"], n_responses=[5], n_resamples=20, rng=0)
    >>> found.pilot["n_items"], found.recommended.n_responses["gold"]
    (100, 5)
    """
    _check.one_of("pilot_model", pilot_model, PILOT_MODELS)
    if contest.gold is None:
        raise ArgumentError("a pilot needs gold responses (--gold); gold-free ratings cannot be planned from yet.")
    seed = _random.replayable(rng)
    sizes = {role: max(1, round(count)) for role, count in contest.n_responses.items()}
    if target_power is None and n_items is None and budget is None:
        target_power = 0.8
    fitted: Fit | None = None
    if epsilon is None and effect is None:
        model: ResponseModel = EmpiricalModel.of(contest)
    elif pilot_model == "empirical":
        model = EmpiricalModel(contest.gold, contest.scale)
    else:
        fitted = _fitted(contest)
        if pilot_model == "auto":
            pilot_model = "smoothed" if isinstance(fitted.model, CategoricalModel) else "fitted"
        if pilot_model == "smoothed":
            fitted = replace(fitted, model=SmoothedModel.of(fitted.model, contest.gold))
        model = fitted.model
    asked = _sizes(n_responses, sizes, real=fitted is None and epsilon is None and effect is None)
    found = plan(
        model, metrics=metrics, epsilon=epsilon, effect=effect, n_responses=asked, n_items=n_items, budget=budget,
        target_power=target_power, rng=seed, **options,
    )  # fmt: skip
    chosen = found.recommended or found.cells[0]
    metric = resolve(metrics[0]).on(contest.scale)
    interval = _interval(contest, fitted, chosen, metric, n_resamples=n_resamples, seed=seed)
    facts: dict[str, Any] = {
        "n_items": contest.n_items,
        "n_responses": sizes,
        "model": "empirical" if fitted is None else pilot_model,
        "difference": "as in the pilot" if chosen.epsilon is None else "given",
        "n_items_low": interval[0],
        "n_items_high": interval[1],
        "n_resamples": n_resamples,
        "goodness": [] if fitted is None else [feature.to_dict() for feature in fitted.goodness],
    }
    sentences = [*_advice(contest.n_items, sizes["gold"], chosen, target_power, interval), *found.sentences]
    notes = [*found.notes, *contest.notes, *_caveats(found.cells, sizes, fitted, difference_given=fitted is not None)]
    return replace(found, sentences=tuple(sentences), notes=tuple(notes), pilot=facts)


def _fitted(contest: Contest) -> Fit:
    assert contest.gold is not None
    table = ResponseTable(contest.items, {"gold": contest.gold}, contest.scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssayWarning)  # the same words are among the fit's notes
        return fit(table, source="gold", rng=0)


def _sizes(asked: Sequence[Responses] | int | None, sizes: dict[str, int], *, real: bool) -> list[Responses]:
    """Return the numbers of responses; with real answers, A and B answer as often as in the pilot."""
    if asked is None:
        usual = [k for k in USUAL_RESPONSES if k <= max(10, 2 * sizes["gold"])]
        numbers: list[Responses] = sorted({*usual, sizes["gold"]})
    else:
        numbers = [asked] if isinstance(asked, int) else list(asked)
    if not real:
        return numbers
    return [(k, sizes["a"], sizes["b"]) if isinstance(k, int) else k for k in numbers]


def _interval(
    contest: Contest,
    fitted: Fit | None,
    chosen: Cell,
    metric: Metric,
    *,
    n_resamples: int,
    seed: np.random.SeedSequence,
) -> tuple[float, float]:
    """Return a 95 % interval for the number of items, from bootstrap samples of the pilot's items.

    The number of items goes with (sd / mean)² of the item contrast, so each sample scales the plan's number by its
    own ratio. Samples in which A is not better have no number: it is infinite.
    """
    if not isinstance(metric, AdditiveMetric):
        return math.nan, math.nan
    own = _ratio(contest, fitted, chosen, metric, seed)
    stream = _random.generator(seed, "pilot items")
    ratios = []
    for _ in range(n_resamples):
        drawn = contest.take(stream.integers(0, contest.n_items, contest.n_items))
        sample = None
        if fitted is not None:
            try:
                sample = _refitted(drawn, fitted)
            except (ArgumentError, ValueError):
                continue
        ratios.append(_ratio(drawn, sample, chosen, metric, seed))
    if not ratios or not math.isfinite(own):
        return math.nan, math.inf
    scaled = chosen.n_items * np.array(ratios) / own
    low, high = np.quantile(scaled, [0.025, 0.975], method="inverted_cdf")
    return float(low), float(high)


def _refitted(contest: Contest, fitted: Fit) -> Fit:
    from assay.models import LikertModel, NormalModel

    assert contest.gold is not None
    table = ResponseTable(contest.items, {"gold": contest.gold}, contest.scale)
    families: dict[str, Any] = {}
    smoothed = isinstance(fitted.model, SmoothedModel)
    family = fitted.model.fitted if isinstance(fitted.model, SmoothedModel) else fitted.model
    if isinstance(family, LikertModel | NormalModel) and fitted.candidates:
        families = {"mean": fitted.candidates[0].mean, "sd": fitted.candidates[0].sd}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssayWarning)
        again = fit(table, source="gold", rng=0, **families)
    return replace(again, model=SmoothedModel.of(again.model, contest.gold)) if smoothed else again


def _ratio(
    contest: Contest, fitted: Fit | None, chosen: Cell, metric: AdditiveMetric, seed: np.random.SeedSequence
) -> float:
    """Return (sd / mean)² of the item contrast under the pilot's model; infinite where A is not better."""
    assert contest.gold is not None
    if fitted is not None:
        model: ResponseModel = fitted.model
    else:
        model = EmpiricalModel.of(contest) if chosen.epsilon is None else EmpiricalModel(contest.gold, contest.scale)
    setting = Setting(model, chosen.design.n_responses, chosen.epsilon or 0.0)
    scores = Growing(setting, [metric], _random.child(seed, "ratio"))
    scores.grow([8])
    [pool] = scores.pools()
    return (pool.sd / pool.mean) ** 2 if pool.mean > 0 else math.inf


def _advice(n_items: int, n_gold: int, chosen: Cell, target: float | None, interval: tuple[float, float]) -> list[str]:
    """Return what to do next, and how sure that is."""
    if target is None:
        return [f"You have {Design(n_items, n_gold, n_gold, n_gold)}."]
    have = f"You have {n_items:,} items × {n_gold} gold responses"
    more, wanted = chosen.n_items - n_items, chosen.n_responses["gold"]
    each = f"{wanted} response{'s' * (wanted != 1)} each"
    if more <= 0 and wanted <= n_gold:
        first = f"{have}, as many as a difference of this size needs: {chosen.design} would do."
    elif more <= 0:
        first = f"{have}; collect {wanted - n_gold} more responses for each of {chosen.n_items:,} of these items."
    else:
        also = f", and {wanted - n_gold} more for each item you have" if wanted > n_gold else ""
        first = f"{have}; collect {more:,} more items with {each}{also}."
    low, high = interval
    if math.isnan(low):
        return [first]
    ends = f"{math.ceil(low):,} to {math.ceil(high):,}" if math.isfinite(high) else f"{math.ceil(low):,} or more"
    unsure = "" if math.isfinite(high) else " (the pilot does not settle which model is better)"
    return [first, f"The pilot leaves open how many: 95 % interval {ends} items{unsure}."]


def _caveats(cells: Sequence[Cell], sizes: dict[str, int], fitted: Fit | None, *, difference_given: bool) -> list[str]:
    notes = []
    most = max(cell.n_responses["gold"] for cell in cells)
    if most > 2 * sizes["gold"]:
        notes.append(
            f"designs with {most} responses per item go far beyond the pilot's {sizes['gold']}: they rest on the model."
        )
    if fitted is None:
        notes.append(
            "real responses are resampled: with few per item this understates the noise within items by the factor "
            f"(K − 1) / K, here {max(sizes['gold'] - 1, 0)}/{sizes['gold']}, so power for few responses is too high."
        )
    else:
        notes += fitted.notes
        bad = [feature for feature in fitted.goodness if feature.pvalue < 0.01]
        if bad:
            what = ", ".join(f"{feature.name} (p = {feature.pvalue:.2g})" for feature in bad)
            bent = isinstance(fitted.model, SmoothedModel)
            remedy = "the plan bends it towards the items seen" if bent else "compare with --pilot-model empirical"
            notes.append(f"the fitted model misses the pilot's {what}; {remedy}.")
        else:
            notes.append("the fitted model reproduces the pilot's item features (no misfit at p < .01).")
    if not difference_given and cells[0].epsilon is None:
        notes.append("the difference is the pilot's own estimate, and such estimates tend to be too large.")
    return notes
