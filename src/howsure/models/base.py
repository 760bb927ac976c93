"""What a response model is: it draws items, then gold, A and B on them.

A model is a frozen set of parameters with a scale. A answers from gold's own distribution unless it is perturbed too;
B is perturbed by ε. `draw` gives summaries for a batch of data sets, `table` one data set with every response.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from howsure import _check
from howsure._random import Rng, generator, seed_of
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, Scale
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError
from howsure.models.answers import Answers

PERTURBATIONS = ("shift", "mixing", "noise", "guessing", "lower", "raise", "split")
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

Sizes = int | tuple[int, int, int]
Epsilon = float | tuple[float, float]


@dataclass(frozen=True)
class ResponseModel(ABC):
    """A two-stage simulator: item parameters first, then responses given them.

    Subclasses say how items are drawn; everything else follows from the `Answers` that they return.
    """

    kind: ClassVar[str]
    own_perturbation: ClassVar[str]

    @property
    @abstractmethod
    def scale(self) -> Scale:
        """The scale of the responses."""

    @abstractmethod
    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> Answers:
        """Draw the items of a batch, (data sets, items), and return how gold answers them."""

    def to_dict(self) -> dict[str, Any]:
        """Return kind and parameters (those that are not None), for a model file."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        written = {name: value.to_dict() if hasattr(value, "to_dict") else value for name, value in given.items()}
        return {"kind": self.kind} | {name: value for name, value in written.items() if value is not None}

    def described(self, errors: Mapping[str, float]) -> str:
        """Return the model in words, with the digits of its parameters that their standard errors leave."""
        del errors  # of a model without parameters there are none
        return str(self)

    @staticmethod
    def from_dict(entry: dict[str, Any]) -> "ResponseModel":
        """Make the response model that `to_dict` described."""
        from howsure.models.model_files import model_from

        return model_from(entry)

    def sources(
        self,
        shape: tuple[int, int],
        generator: np.random.Generator,
        *,
        epsilon: Epsilon = 0.0,
        perturbation: str | None = None,
    ) -> tuple[Answers, Answers, Answers]:
        """Draw items and return how gold, A and B answer them."""
        gold = self.items(shape, generator)
        strengths = epsilon if isinstance(epsilon, tuple) else (0.0, epsilon)
        a, b = perturb(perturbation or self.own_perturbation, self, gold, strengths, generator)
        return gold, a, b

    def draw(
        self,
        n_data_sets: int,
        n_items: int,
        *,
        n_responses: Sizes = 5,
        epsilon: Epsilon = 0.0,
        perturbation: str | None = None,
        null: bool = False,
        needs: Needs = "means",
        rng: Rng = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Simulate data sets and return the summaries of gold, A and B, data sets on the leading axis.

        Parameters
        ----------
        n_data_sets, n_items : int
        n_responses : int or tuple of int
            Responses per item, or one number each for gold, A and B.
        epsilon : float or tuple of float
            How far B is from gold (A is ideal), or one number each for A and B.
        perturbation : {"shift", "mixing", "noise", "guessing", "split"}, optional
            In which way; the model's own (shift of the mean, or mixing of the shares) when left out.
        null : bool
            Draw each response of A and of B from either of them by a fair coin.
        needs : {"means", "counts", "sorted", "values"}
            The summary (`howsure.data.summaries`); its cost grows with the number of responses only for the last two.
        rng : int, SeedSequence, Generator or None

        Examples
        --------
        >>> from howsure.models import preset
        >>> gold, a, b = preset("normal").draw(2, 100, n_responses=5, epsilon=0.1, rng=0)
        >>> a.shape
        (2, 100)
        """
        sizes = check_sizes(n_responses)
        shape = (_check.integer("n_data_sets", n_data_sets, at_least=1), _check.integer("n_items", n_items, at_least=1))
        stream: Any = rng if isinstance(rng, np.random.Generator) else generator(seed_of(rng), "simulate")
        gold, a, b = self.sources(shape, stream, epsilon=epsilon, perturbation=perturbation)
        if not null:
            of_gold, of_a, of_b = (
                source.summary(needs, size, stream) for source, size in zip((gold, a, b), sizes, strict=True)
            )
            return of_gold, of_a, of_b
        of_gold = gold.summary(needs, sizes[0], stream)
        of_a, of_b = (a.summary(needs, size, stream, b) for size in sizes[1:])
        return of_gold, of_a, of_b

    def table(
        self,
        n_items: int,
        n_responses: Sizes = 5,
        *,
        epsilon: Epsilon = 0.0,
        perturbation: str | None = None,
        null: bool = False,
        rng: Rng = None,
    ) -> ResponseTable:
        """Simulate one data set with every response of the sources gold, A and B.

        Examples
        --------
        >>> from howsure.models import preset
        >>> table = preset("likert-toxicity").table(100, 5, epsilon=0.1, rng=0)
        >>> print(table)  # doctest: +ELLIPSIS
        100 items; responses: gold (500), A (500), B (500); scale: ordinal: 0, 0.2, 0.4, 0.6, 0.8...
        """
        grids = self.draw(
            1,
            n_items,
            n_responses=n_responses,
            epsilon=epsilon,
            perturbation=perturbation,
            null=null,
            needs="values",
            rng=rng,
        )
        sources = {name: Responses.from_grid(grid[0]) for name, grid in zip(("gold", "A", "B"), grids, strict=True)}
        digits = len(str(n_items))
        items = np.array([f"item-{number:0{digits}d}" for number in range(1, n_items + 1)])
        return ResponseTable(items, sources, self.scale)


MOST_RESPONSES = 100_000
"""The most responses to an item of one source."""


def check_sizes(n_responses: Sizes) -> tuple[int, int, int]:
    """Return the numbers of responses of gold, A and B."""
    if not isinstance(n_responses, tuple):
        n_responses = (n_responses, n_responses, n_responses)
    if len(n_responses) != 3:
        raise ArgumentError(f"`n_responses` must be one number, or three for gold, A and B; got {n_responses!r}.")
    gold, a, b = (_check.integer("n_responses", size, at_least=1, at_most=MOST_RESPONSES) for size in n_responses)
    return gold, a, b


def perturb(
    kind: str, model: ResponseModel, gold: Answers, epsilon: tuple[float, float], generator: np.random.Generator
) -> tuple[Answers, Answers]:
    """Return how A and B answer the items that gold answers, each moved by its own ε."""
    _check.one_of("perturbation", kind, PERTURBATIONS)
    strengths = [_check.real("epsilon", strength, at_least=0, at_most=1) for strength in epsilon]
    if kind == "split":
        return _split(model, gold, max(strengths), generator)
    a, b = (_one(kind, model, gold, strength, generator) for strength in strengths)
    return a, b


def _one(kind: str, model: ResponseModel, gold: Answers, epsilon: float, generator: np.random.Generator) -> Answers:
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


def _split(
    model: ResponseModel, gold: Answers, epsilon: float, generator: np.random.Generator
) -> tuple[Answers, Answers]:
    wrong = _one(model.own_perturbation, model, gold, epsilon, generator)
    coin = generator.random(gold.shape) < 0.5
    try:
        return wrong.where(coin, gold), wrong.where(~coin, gold)
    except TypeError:
        raise ArgumentError("perturbation 'split' is not available for this model.") from None
