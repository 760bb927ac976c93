"""Real items resampled: nothing is assumed about how responses are spread, beyond what the pilot data show.

An item is drawn from the table, and its responses with replacement from those that the item got. With few responses
per item this understates the spread within an item (by the factor (K − 1) / K) and overstates that between items.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from howsure.contests import Contest
from howsure.errors import ArgumentError, DataError
from howsure.models.answers import Answers, PoolAnswers
from howsure.models.base import Epsilon, ResponseModel
from howsure.models.levels import ShareAnswers
from howsure.responses import Responses
from howsure.scales import IntArray, Scale
from howsure.summaries import counts, grid


@dataclass(frozen=True, eq=False)
class EmpiricalModel(ResponseModel):
    """Items and responses resampled from real ones.

    Attributes
    ----------
    gold : Responses
        What gold answers; A too, and B after perturbation, unless `a` and `b` are given.
    responses_scale : Scale
    a, b : Responses, optional
        What the two models of a pilot study answered on the same items; then there is nothing left to perturb.

    Examples
    --------
    >>> contest = Contest.from_arrays([[1, 2], [3, 3]], [[1, 1], [3, 4]], [[5, 4], [1, 2]])
    >>> EmpiricalModel.of(contest).table(10, 3, rng=0).n_items
    10
    """

    kind: ClassVar[str] = "empirical"

    gold: Responses
    responses_scale: Scale
    a: Responses | None = None
    b: Responses | None = None

    def __post_init__(self) -> None:
        if (self.gold.sizes == 0).any():
            raise DataError("every item must have a response; leave out the items that have none.")

    @classmethod
    def of(cls, contest: Contest) -> "EmpiricalModel":
        """Make the model that resamples the items of a contest."""
        if contest.gold is None:
            raise ArgumentError("an empirical model needs gold responses; this contest has none.")
        return cls(contest.gold, contest.scale, contest.a, contest.b)

    @property
    def own_perturbation(self) -> str:  # type: ignore[override]
        """Mixing where the scale has levels, else shift."""
        return "mixing" if self.scale.levels else "shift"

    @property
    def scale(self) -> Scale:
        """The scale of the table."""
        return self.responses_scale

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> Answers:
        """Draw items with replacement."""
        return self._answers(self.gold, generator.integers(0, self.gold.n_items, shape))

    def sources(
        self,
        shape: tuple[int, int],
        generator: np.random.Generator,
        *,
        epsilon: Epsilon = 0.0,
        perturbation: str | None = None,
    ) -> tuple[Answers, Answers, Answers]:
        """Draw items and return how gold, A and B answer them."""
        if self.a is None or self.b is None:
            return super().sources(shape, generator, epsilon=epsilon, perturbation=perturbation)
        if perturbation is not None or epsilon not in (0, (0, 0)):
            raise ArgumentError("this model resamples real answers of A and B: leave `epsilon` and `perturbation` out.")
        items = generator.integers(0, self.gold.n_items, shape)
        gold, a, b = (self._answers(source, items) for source in (self.gold, self.a, self.b))
        return gold, a, b

    def _answers(self, source: Responses, items: IntArray) -> Answers:
        if self.scale.levels:
            table = counts(source, self.scale)
            return ShareAnswers((table / table.sum(axis=-1, keepdims=True))[items], np.array(self.scale.levels))
        values = source.values
        return PoolAnswers(grid(source), source.sizes, items, float(values.min()), float(values.max()))

    def to_dict(self) -> dict[str, Any]:
        """Return values and sizes of every source, for a model file."""
        return {"kind": self.kind, **written(self.scale, gold=self.gold, a=self.a, b=self.b)}

    def __str__(self) -> str:
        return f"{self.gold.n_items} real items resampled; scale: {self.scale}"


def written(scale: Scale, **sources: Responses | None) -> dict[str, Any]:
    """Return the scale, and the values and sizes of every source that there is, for a model file."""
    held = {name: {"values": part.values, "sizes": part.sizes} for name, part in sources.items() if part is not None}
    return {"scale": {"kind": scale.kind, "levels": scale.levels, "labels": scale.labels}, "sources": held}
