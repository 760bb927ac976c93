"""From a difference that people can name to ε: an advantage in a metric's units, accuracy points, a win rate."""

from dataclasses import dataclass

import numpy as np

from howsure import _check
from howsure.errors import ArgumentError
from howsure.metrics import AdditiveMetric, Metric, resolve
from howsure.models import ResponseModel, simulate_advantages
from howsure.planning.engines.item_scores import Setting, Sizes
from howsure.planning.engines.score_pools import Growing

BLOCKS = 128
"""Blocks of items behind each expected advantage; all ε use the same items, so that the curve is smooth."""


NO_DIFFERENCE = "No study can detect a difference of 0. Specify the difference to detect with `difference`."


@dataclass(frozen=True)
class Effect:
    """A difference between A and B, as an advantage of some metric (not necessarily the plan's).

    An advantage above 0 means that A is better. Below 0 it can only be planned for from a pilot.

    Examples
    --------
    >>> Effect.win_rate(0.55).advantage
    0.1
    >>> Effect.accuracy_points(2).advantage
    0.02
    """

    metric: Metric
    advantage: float

    def __post_init__(self) -> None:
        if _check.real("difference", self.advantage) == 0:
            raise ArgumentError(NO_DIFFERENCE)

    @classmethod
    def win_rate(cls, share: float) -> "Effect":
        """Return the effect that A is better on this share of the items, ties counted half."""
        share = _check.real("win_rate", share, at_least=0.5, at_most=1)
        return cls(resolve("wins"), round(2 * share - 1, 12))

    @classmethod
    def accuracy_points(cls, points: float) -> "Effect":
        """Return the effect that A's accuracy is this many percentage points higher."""
        return cls(resolve("accuracy"), round(_check.real("accuracy_points", points, at_most=100) / 100, 12))


def difference_of(effect: Effect | None) -> str:
    """Return the name of the difference behind a plan from a pilot: the pilot's own, if none is given."""
    return "pilot" if effect is None else f"{effect.metric.name} {effect.advantage:g}"


def epsilon_for(
    effect: Effect,
    model: ResponseModel,
    *,
    n_responses: Sizes,
    seed: np.random.SeedSequence,
    perturbation: str | None = None,
    epsilon_a: float = 0.0,
    workers: int = 1,
) -> tuple[float, float]:
    """Return the ε that gives the effect's advantage with this many responses, and the numerical error of ε."""
    metric = effect.metric.on(model.scale)

    def advantage(epsilon: float) -> tuple[float, float]:
        setting = Setting(model, n_responses, (epsilon_a, epsilon), perturbation)
        return expected_advantage(metric, setting, seed=seed, workers=workers)

    least, error = advantage(0.0)
    most, _ = advantage(1.0)
    if not least < effect.advantage <= most:
        bound = f"the largest is {most:.4g}" if effect.advantage > most else f"with ε = 0 it is {least:.4g}"
        gold, a, b = n_responses
        raise ArgumentError(
            f"an advantage of {effect.advantage:g} in {metric.name} is not possible with {gold} gold, {a} A and {b} B "
            f"responses per item: {bound}."
        )
    low, high = 0.0, 1.0
    at_low, at_high = least, most
    for _ in range(40):
        middle = (low + high) / 2
        value, error = advantage(middle)
        if value < effect.advantage:
            low, at_low = middle, value
        else:
            high, at_high = middle, value
        if high - low < 1e-4 or at_high - at_low < error / 10:
            break
    slope = (at_high - at_low) / (high - low)
    return (low + high) / 2, float(error / slope) if slope > 0 else float("inf")


def expected_advantage(
    metric: Metric, setting: Setting, *, seed: np.random.SeedSequence, workers: int = 1
) -> tuple[float, float]:
    """Return the mean advantage at ε and its numerical error; a metric without item scores is taken on 1,000 items."""
    if isinstance(metric, AdditiveMetric):
        scores = Growing(setting, [metric], seed, workers=workers)
        grow = scores.grow_means if scores.has_means[0] else scores.grow
        grow([BLOCKS])
        [pool] = scores.pools()
        return pool.mean, pool.standard_error
    draws = simulate_advantages(
        setting.model,
        [metric],
        n_items=1000,
        n_responses=setting.n_responses,
        epsilon=setting.epsilon,
        perturbation=setting.perturbation,
        n_simulations=400,
        rng=seed,
        workers=workers,
    )
    return float(np.nanmean(draws)), float(np.nanstd(draws) / 20)
