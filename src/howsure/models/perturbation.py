"""In which way a simulated model is worse than gold's own raters.

==========  =========================================================================================================
shift       each item's mean moves by U(−ε, ε) and stays on the scale (LEADER, RATERS, RATINGS)
mixing      each item's shares become (1 − ε) p + ε q, q ~ Dirichlet(1/M) (FOREST)
noise       every response gets extra noise: N(0, ε) on numbers, a random label with probability ε on labels
guessing    on a share ε of the items the model answers as if it saw another item
lower       every item's mean is lower by ε of the scale, and stays on it: what is rated is worse (no gold)
raise       the same upwards, where lower ratings are better
split       the model's own perturbation, but every item is wrong for A or for B by a fair coin and never for both:
            A and B are equally good and err on different items
==========  =========================================================================================================
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from howsure import _check
from howsure.errors import ArgumentError
from howsure.models.answers import Answers

PERTURBATIONS = ("shift", "mixing", "noise", "guessing", "lower", "raise", "split")


class Source(Protocol):
    """What a perturbation must know of a response model."""

    @property
    def own_perturbation(self) -> str:
        """The perturbation that belongs to the model."""

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> Answers:
        """Draw items."""


def perturb(
    kind: str, model: Source, gold: Answers, epsilon: tuple[float, float], generator: np.random.Generator
) -> tuple[Answers, Answers]:
    """Return how A and B answer the items that gold answers, each moved by its own ε."""
    _check.one_of("perturbation", kind, PERTURBATIONS)
    strengths = [_check.real("epsilon", strength, at_least=0, at_most=1) for strength in epsilon]
    if kind == "split":
        return _split(model, gold, max(strengths), generator)
    a, b = (_one(kind, model, gold, strength, generator) for strength in strengths)
    return a, b


def _one(kind: str, model: Source, gold: Answers, epsilon: float, generator: np.random.Generator) -> Answers:
    if epsilon == 0:
        return gold
    if kind == "guessing":
        guessed = generator.random(gold.shape) < epsilon
        return model.items(gold.shape, generator).where(guessed, gold)
    if kind in ("lower", "raise"):
        return gold.moved(-epsilon if kind == "lower" else epsilon)
    act: dict[str, Callable[[float, np.random.Generator], Answers]] = {
        "shift": gold.shifted,
        "mixing": gold.mixed,
        "noise": gold.noisier,
    }
    return act[kind](epsilon, generator)


def _split(model: Source, gold: Answers, epsilon: float, generator: np.random.Generator) -> tuple[Answers, Answers]:
    wrong = _one(model.own_perturbation, model, gold, epsilon, generator)
    coin = generator.random(gold.shape) < 0.5
    try:
        return wrong.where(coin, gold), wrong.where(~coin, gold)
    except TypeError:
        raise ArgumentError("perturbation 'split' is not available for this model.") from None
