"""What is asked of every design, and who answers it for one design after another."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from assay import _check, _random
from assay.errors import ArgumentError
from assay.metrics import AdditiveMetric, Metric, resolve
from assay.models import ResponseModel
from assay.models import resolve as resolve_model
from assay.planning.designs import Costs, Design
from assay.planning.engines import simulated_power as powers
from assay.planning.engines.exact import ExactEngine, Outlook
from assay.planning.engines.item_scores import Setting, Sizes
from assay.planning.engines.monte_carlo import MonteCarloEngine
from assay.planning.engines.simulated_pvalues import ON_CONTRASTS
from assay.planning.results import Cell

ENGINES = ("auto", "exact", "monte-carlo")


@dataclass(frozen=True)
class Question:
    """What is asked of every design: model, difference, metrics, test and how precisely."""

    model: ResponseModel
    metrics: tuple[Metric, ...]
    epsilon: float | None
    perturbation: str | None
    test: powers.Test
    with_power: bool
    confidence_level: float
    engine: str
    n_simulations: int | None
    precision: float
    resample_simulated: bool
    costs: Costs
    seed: np.random.SeedSequence
    workers: int

    def at(self, epsilon: float) -> "Question":
        """Return the question for another difference."""
        return replace(self, epsilon=epsilon)


class Answerer:
    """Answers a question for one design after another; what was simulated for one serves the next.

    Examples
    --------
    >>> answerer = Answerer(ask("normal", metrics=["mae"], epsilon=0.3, rng=0))
    >>> [cell] = answerer.cells(Design(100, 5, 5, 5))
    >>> cell.engine, cell.power > 0.9
    ('exact', True)
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self._exact: dict[Sizes, ExactEngine] = {}

    @cached_property
    def _routes(self) -> tuple[list[int], list[int]]:
        """Which metrics go to the exact engine, and which are simulated."""
        asked = self.question.engine
        exact = []
        for number, metric in enumerate(self.question.metrics):
            if asked == "exact" and not isinstance(metric, AdditiveMetric):
                raise ArgumentError(
                    f"engine='exact' needs item scores, which metric {metric.name!r} has not; take 'monte-carlo'."
                )
            if asked != "monte-carlo" and isinstance(metric, AdditiveMetric) and not self.question.resample_simulated:
                exact.append(number)
        return exact, [number for number in range(len(self.question.metrics)) if number not in exact]

    def engine(self, n_responses: Sizes) -> ExactEngine:
        """Return the exact engine for these numbers of responses."""
        if n_responses not in self._exact:
            q = self.question
            metrics = [q.metrics[i] for i in self._routes[0]]
            self._exact[n_responses] = ExactEngine(
                q.model, metrics, n_responses, epsilon=q.epsilon or 0.0, seed=q.seed,  # type: ignore[arg-type]
                perturbation=q.perturbation, workers=q.workers,
            )  # fmt: skip
        return self._exact[n_responses]

    def prepare(self, designs: Sequence[Design], *, for_power_only: bool = False) -> None:
        """Make the pools as precise as these designs need them."""
        exact, _ = self._routes
        if not exact:
            return
        q = self.question
        for sizes in dict.fromkeys(design.n_responses for design in designs):
            n_items = [design.n_items for design in designs if design.n_responses == sizes]
            engine = self.engine(sizes)
            if not for_power_only:
                engine.sharpen(n_items, q.precision)
            if q.with_power and q.test.name in ON_CONTRASTS:
                engine.sharpen_power(n_items, q.precision, alpha=q.test.alpha)

    def cells(self, design: Design) -> list[Cell]:
        """Return what the design may expect, by each metric."""
        q = self.question
        exact, drawn = self._routes
        found: dict[int, Cell] = {}
        if exact:
            outlooks = self.engine(design.n_responses).outlooks(design.n_items, confidence_level=q.confidence_level)
            found |= {i: self._cell(i, design, outlook, "exact") for i, outlook in zip(exact, outlooks, strict=True)}
        if drawn:
            engine = MonteCarloEngine(
                q.model, [q.metrics[i] for i in drawn], design.n_responses, q.epsilon or 0.0,
                _random.child(q.seed, "studies", *design.n_responses, design.n_items), q.perturbation, q.n_simulations,
                q.precision, q.resample_simulated, q.workers,
            )  # fmt: skip
            outlooks = engine.outlooks(design.n_items, confidence_level=q.confidence_level)
            found |= {
                i: self._cell(i, design, outlook, "monte-carlo") for i, outlook in zip(drawn, outlooks, strict=True)
            }
        return [found[i] for i in range(len(q.metrics))]

    def power(self, design: Design, metric: int = 0) -> powers.Power:
        """Return the power of the test for a design, by one metric."""
        q = self.question
        if metric in self._routes[0] and q.test.name in ON_CONTRASTS:
            pool = self.engine(design.n_responses).pools[self._routes[0].index(metric)]
            return powers.from_pool(pool, design.n_items, q.test, seed=_random.child(q.seed, *design.n_responses))
        setting = Setting(q.model, design.n_responses, q.epsilon or 0.0, q.perturbation)
        seed = _random.child(q.seed, *design.n_responses)
        return powers.simulated(setting, q.metrics[metric], design.n_items, q.test, seed=seed)

    def _cell(self, metric: int, design: Design, outlook: Outlook, engine: str) -> Cell:
        q = self.question
        power = self.power(design, metric) if q.with_power else powers.Power(math.nan, math.nan)
        return Cell(
            design.n_items, dict(zip(("gold", "a", "b"), design.n_responses, strict=True)), q.epsilon,
            q.metrics[metric].name, outlook.contrast, outlook.contrast_error, outlook.expected_pvalue,
            outlook.expected_pvalue_error, outlook.ci_width, outlook.ci_width_error, power.power, power.error,
            q.costs.of(design), engine,
        )  # fmt: skip


def ask(
    model: str | ResponseModel,
    *,
    metrics: Sequence[str | Metric] = ("mae",),
    epsilon: float | None = None,
    perturbation: str | None = None,
    test: str | None = "swapped-items",
    alpha: float = 0.05,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    engine: str = "auto",
    n_simulations: int | None = None,
    precision: float = 0.005,
    resample_simulated: bool = False,
    costs: Costs | None = None,
    rng: _random.Rng = None,
    workers: int | None = None,
) -> Question:
    """Check the parts of a question that all designs share, and put them together."""
    described = resolve_model(model)
    _check.one_of("engine", engine, ENGINES)
    if resample_simulated and engine == "exact":
        raise ArgumentError("`resample_simulated` needs engine='monte-carlo'; got 'exact'.")
    if epsilon is not None:
        _check.real("epsilon", epsilon, at_least=0, at_most=1)
    chosen = tuple(resolve(metric).on(described.scale) for metric in metrics)
    if not chosen:
        raise ArgumentError("`metrics` must name at least one metric; got none.")
    if n_simulations is not None:
        _check.integer("n_simulations", n_simulations, at_least=2)
    return Question(
        described, chosen, epsilon, perturbation, powers.Test(test or "swapped-items", alpha, alternative),
        test is not None, _check.fraction("confidence_level", confidence_level), engine, n_simulations,
        _check.fraction("precision", precision), resample_simulated, costs or Costs(), _random.replayable(rng),
        _random.n_workers(workers),
    )  # fmt: skip
