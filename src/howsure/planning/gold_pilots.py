"""Plans from the gold responses of a pilot alone: B is moved away from a model of them by ε.

The case of RATINGS and FOREST, where there is no A or B yet; and of pilots with A and B where an ε is asked for.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from howsure import _random
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.errors import ArgumentError, HowsureWarning
from howsure.models import CategoricalModel, EmpiricalModel, Fit, ResponseModel, SmoothedModel, fit
from howsure.models.base import perturb
from howsure.planning.choices import Draft, Limits
from howsure.planning.designs import USUAL_RESPONSES, Design
from howsure.planning.engines.item_scores import Setting, Sizes
from howsure.planning.engines.model import epsilon_for, expected_advantage
from howsure.planning.planner import Compute, draft_from_model
from howsure.planning.rater_pilots import by_raters
from howsure.planning.request import Effect, PlanRequest, Scenario
from howsure.planning.result import Pilot
from howsure.raters.choice import LOAD
from howsure.raters.design import RatingDesign, design_of

Adjust = Callable[[ResponseModel], ResponseModel]


@dataclass(frozen=True, eq=False)
class GoldPilot:
    """The gold responses of a pilot.

    Attributes
    ----------
    table : ResponseTable
        With gold as its only source, on the items that it answered.
    sizes : tuple of int
        Responses per item of gold, A and B; where there are no A and B, they answer as often as gold.
    """

    table: ResponseTable
    sizes: Sizes

    @classmethod
    def of(cls, pilot: ResponseTable | Contest, gold: str = "gold") -> "GoldPilot":
        """Take the gold responses of a table, or of a contest that has them."""
        if isinstance(pilot, Contest):
            assert pilot.gold is not None
            table = ResponseTable(pilot.items, {"gold": pilot.gold}, pilot.scale, raters=pilot.raters)
            count = {role: max(1, round(n)) for role, n in pilot.n_responses.items()}
            return cls(table, (count["gold"], count["a"], count["b"]))
        responses = pilot.single(gold)
        answered = np.flatnonzero(responses.sizes)
        table = ResponseTable(pilot.items[answered], {gold: responses.take(answered)}, pilot.scale, raters=pilot.raters)
        k = max(1, round(responses.n_responses))
        return cls(table, (k, k, k))

    @property
    def name(self) -> str:
        """What gold is called."""
        return next(iter(self.table.sources))

    @property
    def gold(self) -> Responses:
        """Its responses."""
        return self.table.sources[self.name]

    @property
    def judged(self) -> RatingDesign:
        """Which raters judged which items."""
        return design_of(self.gold)

    def empirical(self) -> EmpiricalModel:
        """Return the model that resamples the pilot's items."""
        return EmpiricalModel(self.gold, self.table.scale)


def draft_from_gold(  # the door of this module: what a plan is made from, and how
    pilot: GoldPilot,
    request: PlanRequest,
    limits: Limits,
    *,
    workers: int | None = None,
    compute: Compute | None = None,
    adjust: Adjust | None = None,
) -> Draft:
    """Plan from a model of gold; B is moved away from it."""
    if not request.epsilon and request.effect is None:
        raise ArgumentError(
            "Specify the difference to detect with one of `difference`, `accuracy_points`, `win_rate` or `epsilon`: "
            "gold alone shows none."
        )
    request = request.with_metrics(pilot.table.scale.kind)
    if request.plans_raters:
        if request.reference_responses is not None:
            raise ArgumentError("`reference_responses` has no effect with raters: A and B answer as often as gold.")
        return _with_raters(pilot, request, limits, workers=workers)
    fitted, kind, model = _model(pilot, request.response_model)
    model = model if adjust is None else adjust(model)
    asked = replace(
        request,
        n_responses=request.n_responses or tuple(usual_responses(pilot.sizes[0])),
        reference_responses=request.reference_responses or pilot.sizes,
    )
    found = draft_from_model(model, asked, limits, workers=workers, compute=compute)
    goodness = () if fitted is None else fitted.goodness
    facts = Pilot(
        design=Design(pilot.table.n_items, *pilot.sizes),
        model=kind,
        difference="given",
        goodness=tuple({"name": one.name, "distance": one.distance, "pvalue": one.pvalue} for one in goodness),
    )
    notes = [f"ε degrades a model of {pilot.name}: {_CALLED[kind]}. No responses of A and B are used."]
    most = max(cell.n_responses["gold"] for cell in found.cells)
    if most > 2 * pilot.sizes[0]:
        notes.append(
            f"Designs with {most} responses per item are extrapolated far beyond the pilot's {pilot.sizes[0]}."
        )
    notes = [*found.notes, *notes, *_misfit(fitted, kind), *_about_raters(pilot.judged)]
    said = str(model) if fitted is None else model.described(fitted.errors)
    return replace(found, pilot=facts, model=said, notes=notes)


_CALLED = {
    "fitted": "the family that fits best",
    "smoothed": "the family that fits best, bent towards the pilot's items",
    "empirical": "the pilot's items themselves",
}


def usual_responses(own: int) -> list[int]:
    """Return the numbers of gold responses that are tried where the user names none."""
    return sorted({*(k for k in USUAL_RESPONSES if k <= max(10, 2 * own)), own})


def _model(pilot: GoldPilot, kind: str) -> tuple[Fit | None, str, ResponseModel]:
    """Return the fit (None where nothing is fitted), the kind of model that `auto` stands for, and the model."""
    if kind == "empirical":
        return None, kind, pilot.empirical()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowsureWarning)  # the same words are among the fit's notes
        fitted = fit(pilot.table, source=pilot.name, rng=0)
    # A Dirichlet has one precision for all labels and real labels do not, so it is adapted to the observed items.
    if kind == "auto":
        kind = "smoothed" if isinstance(fitted.model, CategoricalModel) else "fitted"
    return fitted, kind, SmoothedModel.of(fitted.model, pilot.gold) if kind == "smoothed" else fitted.model


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


def _about_raters(judged: RatingDesign) -> list[str]:
    """Say that a plan for responses leaves out how much raters differ, where the pilot's raters judged many items."""
    if judged.n_raters < 2 or judged.load < LOAD:
        return []
    return [
        f"{judged.n_raters} raters judged {judged.load:.3g} items each on average, but this plan takes every response "
        "from another rater. If few raters judge many items, power is lower: plan them with `n_raters`."
    ]


def _with_raters(pilot: GoldPilot, request: PlanRequest, limits: Limits, *, workers: int | None) -> Draft:
    """Plan raters: A and B are simulated on the pilot's own items, beside gold's real responses and raters."""
    if len(request.epsilon) > 1:
        raise ArgumentError("a plan with raters is for one difference: give one `epsilon`.")
    if pilot.judged.n_raters < 2:
        raise ArgumentError(f"{pilot.name} has no rater ids (or one rater): name their column (`rater`).")
    model, sizes = pilot.empirical(), pilot.sizes
    scenario = Scenario.of(model, replace(request, n_raters=(), raters_per_item=()), workers=workers)
    metric, effect = scenario.metrics[0], request.effect
    epsilon = request.epsilon[0] if effect is None else epsilon_for(effect, scenario, sizes)[0]
    strengths = (request.epsilon_a, epsilon)
    if effect is None:
        setting = Setting(model, sizes, strengths, scenario.perturbation)
        advantage, _ = expected_advantage(metric, setting, seed=scenario.seed, workers=scenario.workers)
        effect = Effect(metric, advantage, f"ε = {epsilon:g}")
    stream = _random.generator(scenario.seed, "models on the pilot's items")
    answered = model.each_item()
    a, b = (
        Responses.from_grid(side.summary("values", sizes[1], stream)[0])
        for side in perturb(scenario.perturbation or model.own_perturbation, model, answered, strengths, stream)
    )
    contest = Contest(pilot.gold, a, b, pilot.table.scale, pilot.table.items, raters=pilot.table.raters)
    request = replace(request, epsilon=(), epsilon_a=0.0, effect=effect, perturbation=None)
    found = by_raters(contest, request, limits, workers=workers)
    note = (
        f"A and B are simulated on the pilot's {pilot.table.n_items:,} items with {sizes[1]} responses each, B with "
        f"ε = {epsilon:.3g}. {pilot.name}'s responses and raters are the pilot's own."
    )
    return replace(found, notes=[note, *found.notes])
