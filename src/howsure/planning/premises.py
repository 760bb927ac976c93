"""What is asked of every design: who answers, how far apart A and B are, by which metrics, tests and how precisely."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure import _check, _random
from howsure.errors import ArgumentError
from howsure.metrics import Metric, resolve
from howsure.models import ResponseModel
from howsure.models import resolve as resolve_model
from howsure.planning.engines.simulated_pvalues import ON_ADVANTAGES, Test

ENGINES = ("auto", "exact", "monte-carlo")


@dataclass(frozen=True, kw_only=True)
class Premises:
    """What all designs of a plan from a response model share.

    Attributes
    ----------
    model : ResponseModel
    metrics : tuple of Metric
        On the model's scale; the first decides.
    epsilon : float or None
        How far B is from gold; None where the model has real answers of A and B.
    epsilon_a : float
        How far A is.
    perturbation : str or None
    tests : tuple of Test
    with_power : bool
    confidence_level : float
    engine : {"auto", "exact", "monte-carlo"}
    n_simulations : int or None
    precision : float
    resample_simulated : bool
    seed : SeedSequence
    workers : int
    """

    model: ResponseModel
    metrics: tuple[Metric, ...]
    epsilon: float | None
    epsilon_a: float
    perturbation: str | None
    tests: tuple[Test, ...]
    with_power: bool
    confidence_level: float
    engine: str
    n_simulations: int | None
    precision: float
    resample_simulated: bool
    seed: np.random.SeedSequence
    workers: int

    def at(self, epsilon: float | None) -> "Premises":
        """Return the same for another difference."""
        return replace(self, epsilon=epsilon)

    @property
    def simulates(self) -> bool:
        """Whether data sets are simulated and scored by NumPy or compiled loops: threads then share them."""
        exact = self.engine != "monte-carlo" and all(metric.additive for metric in self.metrics)
        if exact and not (self.with_power and any(test.name not in ON_ADVANTAGES for test in self.tests)):
            return False
        return all(getattr(metric, "vectorized", True) for metric in self.metrics)

    @property
    def strengths(self) -> tuple[float, float]:
        """How far A and B are from gold."""
        return self.epsilon_a, self.epsilon or 0.0


def premises(
    model: str | ResponseModel,
    *,
    metrics: Sequence[str | Metric] = ("mae",),
    epsilon: float | None = None,
    epsilon_a: float = 0.0,
    perturbation: str | None = None,
    test: str | Sequence[str] | None = "sign-flip",
    alpha: float = 0.05,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    engine: str = "auto",
    n_simulations: int | None = None,
    precision: float = 0.005,
    resample_simulated: bool = False,
    rng: _random.Rng = None,
    workers: int | None = None,
) -> Premises:
    """Check what all designs share, and put it together.

    Examples
    --------
    >>> premises("normal", metrics=["mae"], epsilon=0.3, rng=0).strengths
    (0.0, 0.3)
    """
    described = resolve_model(model)
    _check.one_of("engine", engine, ENGINES)
    if resample_simulated and engine == "exact":
        raise ArgumentError("`resample_simulated` needs `engine='monte-carlo'`; got 'exact'.")
    if epsilon is not None:
        _check.real("epsilon", epsilon, at_least=0, at_most=1)
    chosen = tuple(resolve(metric).on(described.scale) for metric in metrics)
    if not chosen:
        raise ArgumentError("`metrics` must name at least one metric; got none.")
    if n_simulations is not None:
        _check.integer("n_simulations", n_simulations, at_least=2)
    return Premises(
        model=described,
        metrics=chosen,
        epsilon=epsilon,
        epsilon_a=_check.real("epsilon_a", epsilon_a, at_least=0, at_most=1),
        perturbation=perturbation or _own_direction(described, chosen),
        tests=tests_of(test, alpha, alternative),
        with_power=test is not None,
        confidence_level=_check.fraction("confidence_level", confidence_level),
        engine=engine,
        n_simulations=n_simulations,
        precision=_check.fraction("precision", precision),
        resample_simulated=resample_simulated,
        seed=_random.replayable(rng),
        workers=_random.n_workers(workers),
    )


def tests_of(names: str | Sequence[str] | None, alpha: float, alternative: str) -> tuple[Test, ...]:
    """Return the tests asked for; the default of `compare` where none is."""
    listed = [names or "sign-flip"] if names is None or isinstance(names, str) else list(dict.fromkeys(names))
    if not listed:
        raise ArgumentError("`test` must name at least one test, or be None; got none.")
    return tuple(Test(name, alpha, alternative) for name in listed)


def _own_direction(model: ResponseModel, metrics: Sequence[Metric]) -> str | None:
    """Return how B is worse where no gold says what is right: its ratings are lower, or higher if those are better."""
    if not any(metric.gold_free for metric in metrics):
        return None
    if not all(metric.gold_free for metric in metrics):
        raise ArgumentError("plan metrics with gold and without it separately: B is worse in different ways.")
    if model.scale.kind == "nominal":
        raise ArgumentError(
            f"metric {metrics[0].name!r} needs ratings, and on a nominal scale nothing is higher or lower."
        )
    return "lower" if metrics[0].better == "higher" else "raise"
