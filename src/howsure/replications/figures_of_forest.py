"""FOREST, figures 3 to 6: p and width of the interval against K, and what the responses of an item leave open."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from howsure._random import child
from howsure.metrics import AdditiveMetric, ItemMetric
from howsure.models import preset, simulate_advantages
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.score_sums import Summands
from howsure.replications.expected_outcomes import SimulationSize
from howsure.replications.figures import Plot, Point, point_of
from howsure.replications.forest import METRICS
from howsure.replications.legacy import published_metric
from howsure.replications.published import Measured, Setting

NAMES = {"accuracy": "accuracy", "tv": "total variation", "wins": "wins", "kl": "KL divergence"}
BUDGETS = (100, 250, 500, 1000, 2500, 5000)
RESPONSES = (*range(1, 11), *range(20, 101, 20), 140, 200, 300, 400, 500)
PRECISION = 0.1
FEW_ITEMS = 10
"""Repeated sets of responses of one item, from which its own variance is estimated."""


def _measure(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Return p and width of every metric and budget at one K: one pool of item scores serves every budget."""
    model, responses = preset("categorical-d3code"), setting["responses"]
    metrics = [published_metric(METRICS.get(name, name)).on(model.scale) for name in NAMES]
    additive = [metric for metric in metrics if isinstance(metric, AdditiveMetric)]
    engine = ExactEngine(model, additive, (responses,) * 3, epsilon=0.3, seed=child(simulation.seed, "pool"))
    sizes = {budget: budget // responses for budget in BUDGETS if budget >= responses}
    engine.sharpen([*sizes.values()], max(0.003, min(0.05, PRECISION / math.sqrt(simulation.n_simulations))))
    found: dict[str, float] = {}
    for number, (name, pool) in enumerate(zip(NAMES, engine.pools, strict=True)):
        sums = Summands(pool.grid)
        labels = len(model.scale.levels) if name == "tv" else 1
        for budget, n_items in sizes.items():
            outlook = engine.outlook(number, n_items)
            total = sums.times(n_items)
            width = (total.quantile(0.975) - total.quantile(0.025)) * pool.step / n_items / labels
            found |= {
                f"{name} {budget} p": outlook.expected_pvalue,
                f"{name} {budget} p_error": outlook.expected_pvalue_error,
                f"{name} {budget} width": float(width),
                f"{name} {budget} width_error": float(width) * pool.variance_error / 2,
            }
    return found


def _points(quantity: str) -> Any:
    def points(measured: Sequence[Measured]) -> list[Point]:
        found = []
        for name, panel in NAMES.items():
            for budget in BUDGETS:
                known = f"{name} {budget} {quantity}"
                found += [
                    point_of(panel, f"{budget:,}", setting["responses"], values, known)
                    for setting, values in measured
                    if known in values
                ]
        return found

    return points


def _settings(figure: int, several: Sequence[int]) -> Callable[[], list[dict[str, Any]]]:
    return lambda: [{"figure": figure, "responses": responses} for responses in several]


def _within(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Return how much the score of one item varies between sets of K responses: quantiles over items, for A and B."""
    model, responses = preset("categorical-jobsq3"), setting["responses"]
    metric = published_metric("tv-sum-legacy").on(model.scale)
    assert isinstance(metric, ItemMetric)
    n_items = max(20, simulation.n_simulations // 2)
    stream = np.random.default_rng(child(simulation.seed, "items"))
    sources = model.sources((1, n_items), stream, epsilon=0.3)
    gold, a, b = (
        np.stack([source.summary("counts", responses, stream)[0] for _ in range(FEW_ITEMS)]) for source in sources
    )
    found: dict[str, float] = {}
    for side, counts in (("A", a), ("B", b)):
        variances = metric.item_scores(gold, counts).var(axis=0, ddof=1)
        found |= {f"{side} mean": float(variances.mean())}
        found |= {f"{side} {share}": float(np.quantile(variances, share)) for share in (0.05, 0.95)}
    return found


def _within_points(measured: Sequence[Measured]) -> list[Point]:
    found = []
    for side in ("A", "B"):
        for setting, values in measured:
            y, low, high = (values[f"{side} {name}"] for name in ("mean", "0.05", "0.95"))
            found.append(Point("JobsQ3", f"machine {side}", setting["responses"], y, low, high))
    return found


SHARES = tuple(round(share, 2) for share in np.arange(0.01, 1, 0.02))


def _differences_settings() -> list[dict[str, Any]]:
    return [{"figure": 6, "epsilon": epsilon, "responses": k} for epsilon in (0.01, 0.3) for k in (1, 10, 100)]


def _differences(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Return the quantiles of the advantages of simulated data sets, by accuracy and by wins."""
    model = preset("categorical-toxicity")
    metrics = [published_metric(METRICS.get(name, name)).on(model.scale) for name in ("accuracy", "wins")]
    draws = simulate_advantages(
        model,
        metrics,
        n_items=2500 // setting["responses"],
        n_responses=setting["responses"],
        epsilon=setting["epsilon"],
        n_simulations=simulation.n_simulations,
        rng=simulation.seed,
        workers=1,
    )
    return {
        f"{name} {share}": float(np.quantile(values, share))
        for name, values in zip(("accuracy", "wins"), draws, strict=True)
        for share in SHARES
    }


def _differences_points(measured: Sequence[Measured]) -> list[Point]:
    return [
        Point(f"{name}, ε = {setting['epsilon']:g}", f"K = {setting['responses']}", values[f"{name} {share}"], share)
        for epsilon in (0.01, 0.3)
        for name in ("accuracy", "wins")
        for setting, values in measured
        if setting["epsilon"] == epsilon
        for share in SHARES
    ]


FIGURES = {
    3: Plot(
        title="p against K on D3code, ε = .3", x="responses per item, K", y="expected p", series="N × K",
        settings=_settings(3, RESPONSES), measure=_measure, points=_points("p"), log_x=True,
        notes=("The paper's figure runs over K up to 500 in steps of 20; here some of them are skipped.",),
    ),
    4: Plot(
        title="width of the 95% interval against K on D3code, ε = .3", x="responses per item, K",
        y="width of the interval", series="N × K", settings=_settings(3, RESPONSES), measure=_measure,
        points=_points("width"), log_x=True,
        notes=("The width of total variation is divided by the number of labels, as the paper's is.",),
    ),
    5: Plot(
        title="how much the score of one item varies between sets of K responses, JobsQ3",
        x="responses per item, K", y="variance within items", series="scores of",
        settings=_settings(5, (1, 2, 3, 5, 10, 20, 50, 100)), measure=_within, points=_within_points, log_x=True,
        notes=(
            "Read as: the variance of an item's total variation from gold over repeated sets of K responses of gold "
            "and machine, ε = .3; the band holds 5 to 95% of the items.",
        ),
    ),
    6: Plot(
        title="advantages of simulated data sets by K on Toxicity, N × K = 2,500",
        x="advantage (above 0: A is better)", y="share of data sets up to here", series="responses per item",
        settings=_differences_settings, measure=_differences, points=_differences_points, mark="step",
        notes=(
            "The caption says ε = .01. There the advantages of wins spread to both sides alike, while the text says "
            "that they grow almost only in the positive direction, as they do at ε = .3.",
        ),
    ),
}  # fmt: skip
WITHOUT_NUMBERS = {1: "a diagram of how models are assessed", 2: "a diagram of the simulator"}
