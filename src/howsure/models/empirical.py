"""Real items resampled: nothing is assumed about how responses are spread, beyond what the pilot data show.

An item is drawn from the table, and its responses with replacement from those that the item got. With few responses
per item this understates the spread within an item (by the factor (K − 1) / K) and overstates that between items.

A panel also resamples the raters and the documents. Raters are drawn with replacement for a whole data set, so that
what is peculiar to one of them shows on all items that they judge. Items are drawn with replacement, document by
document where they belong together.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from howsure import _check
from howsure._random import Rng, generator, seed_of
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Labels, Responses
from howsure.data.scales import FloatArray, IntArray, Scale
from howsure.data.summaries import counts, grid
from howsure.errors import ArgumentError, DataError
from howsure.models.answers import Answers, PoolAnswers, ShareAnswers
from howsure.models.base import Epsilon, ResponseModel, Sizes, check_sizes, perturb
from howsure.raters.design import design_of


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

    def each_item(self) -> Answers:
        """Return how gold answers every item once, in the table's order."""
        return self._answers(self.gold, np.arange(self.gold.n_items)[np.newaxis])

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


@dataclass(frozen=True, eq=False)
class PanelModel(EmpiricalModel):
    """Items, raters and documents resampled from real ones.

    A data set with K responses per item has as many raters for each rater of an item as the real table has. On an item
    answer those of them who judged it; where they are fewer than K, others answer it as one of its real raters did.

    Attributes
    ----------
    documents : array of int, optional
        The number of the document of each item. Where A and B err on different items (perturbation "split"), they err
        on whole documents.
    grouped_by : str
        What the column of documents is called.

    Examples
    --------
    >>> from howsure.data.scales import Scale
    >>> gold = Responses([1, 2, 3, 3, 5, 4], [0, 2, 4, 6], raters=[0, 1, 0, 1, 0, 1])
    >>> table = ResponseTable(np.array(["x", "y", "z"]), {"gold": gold}, Scale.of(gold.values), raters=("ann", "bob"))
    >>> found = PanelModel.of(table, "gold").table(10, 2, rng=0)
    >>> found.n_items, len(found.raters)
    (10, 2)
    """

    kind: ClassVar[str] = "panel"

    documents: IntArray | None = None
    grouped_by: str = ""

    @classmethod
    def of(cls, table: ResponseTable, source: str, cluster: str | None = None) -> "PanelModel":  # type: ignore[override]
        """Take the items of one source of a table, with their raters and documents."""
        gold = table.sources[source]
        answered = np.flatnonzero(gold.sizes)
        if not answered.size:
            raise DataError(f"{source} answered no item, so there is nothing to resample.")
        documents = None
        if cluster is not None:
            documents = np.unique(table.groups[cluster][answered], return_inverse=True)[1].astype(np.int64)
        gold = gold.take(answered)
        if design_of(gold).kind not in ("crossed", "partially crossed"):  # raters of one item only come and go with it
            gold = Responses(gold.values, gold.offsets)
        return cls(gold, table.scale, documents=documents, grouped_by=cluster or "")

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> Answers:
        """Draw items with replacement, document by document."""
        return self._answers(self.gold, self._drawn(shape, generator)[0])

    def sources(
        self,
        shape: tuple[int, int],
        generator: np.random.Generator,
        *,
        epsilon: Epsilon = 0.0,
        perturbation: str | None = None,
    ) -> tuple[Answers, Answers, Answers]:
        """Draw items and return how gold, A and B answer them."""
        return self._answered(*self._drawn(shape, generator), generator, epsilon, perturbation)

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
        """Simulate one data set; gold has the ids of its raters, and items the names of their documents."""
        k, *sizes = check_sizes(n_responses)
        n_items = _check.integer("n_items", n_items, at_least=1)
        stream = rng if isinstance(rng, np.random.Generator) else generator(seed_of(rng), "simulate")
        items, documents = self._drawn((1, n_items), stream)
        of_gold, a, b = self._answered(items, documents, stream, epsilon, perturbation)
        sides = ((a, b if null else None), (b, a if null else None))
        sources = {
            name: Responses.from_grid(side.summary("values", size, stream, other)[0])
            for name, (side, other), size in zip(("A", "B"), sides, sizes, strict=True)
        }
        gold, raters = self._judged(items[0], k, stream) if self.gold.raters is not None else (None, ())
        if gold is None:
            gold = Responses.from_grid(of_gold.summary("values", k, stream)[0])
        names = _numbered("item", n_items)
        groups = {self.grouped_by: _numbered("document", n_items)[documents[0]]} if self.grouped_by else {}
        return ResponseTable(names, {"gold": gold, **sources}, self.scale, raters=raters, groups=groups)

    def _drawn(self, shape: tuple[int, int], stream: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return items, and for each the number of the document within its data set."""
        if self.documents is None:
            return stream.integers(0, self.gold.n_items, shape), np.tile(np.arange(shape[1]), (shape[0], 1))
        members = [np.flatnonzero(self.documents == number) for number in range(int(self.documents.max()) + 1)]
        found = np.empty((2, *shape), dtype=np.int64)
        for row in range(shape[0]):
            chosen: list[IntArray] = []
            while sum(map(len, chosen)) < shape[1]:
                chosen.append(members[stream.integers(len(members))])
            found[0, row] = np.concatenate(chosen)[: shape[1]]
            found[1, row] = np.repeat(np.arange(len(chosen)), [len(each) for each in chosen])[: shape[1]]
        return found[0], found[1]

    def _answered(
        self,
        items: IntArray,
        documents: IntArray,
        stream: np.random.Generator,
        epsilon: Epsilon,
        perturbation: str | None,
    ) -> tuple[Answers, Answers, Answers]:
        gold = self._answers(self.gold, items)
        strengths = epsilon if isinstance(epsilon, tuple) else (0.0, epsilon)
        if perturbation != "split":
            return gold, *perturb(perturbation or self.own_perturbation, self, gold, strengths, stream)
        _, wrong = perturb(self.own_perturbation, self, gold, (0.0, max(strengths)), stream)
        coin = np.take_along_axis(stream.random(documents.shape) < 0.5, documents, axis=1)
        return gold, wrong.where(coin, gold), wrong.where(~coin, gold)

    def _judged(self, items: IntArray, k: int, stream: np.random.Generator) -> tuple[Responses, tuple[str, ...]]:
        """Return the responses of raters who are drawn for all items, and their names."""
        real = self._by_rater()
        per_item = (~np.isnan(real)).sum(axis=1).mean()
        seats = stream.integers(0, real.shape[1], max(k, round(k * real.shape[1] / per_item)))
        answers = real[items][:, seats]
        missing = np.isnan(answers)
        order = np.argsort(missing + stream.random(answers.shape), axis=1)[:, :k]
        others = (stream.random(answers.shape) * self.gold.sizes[items][:, np.newaxis]).astype(np.int64)
        answers[missing] = self.gold.values[self.gold.offsets[items][:, np.newaxis] + others][missing]
        chosen = np.sort(order, axis=1)
        names = tuple(_numbered("rater", len(seats)).tolist())
        return Responses.from_grid(np.take_along_axis(answers, chosen, axis=1), chosen), names

    def _by_rater(self) -> FloatArray:
        """Return the responses, items × raters; NaN where a rater did not judge an item."""
        known, codes = np.unique(np.asarray(self.gold.raters), return_inverse=True)
        found = np.full((self.gold.n_items, known.size), np.nan)
        found[self.gold.items, codes] = self.gold.values
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the responses with their raters and documents, for a model file."""
        found = super().to_dict()
        raters = {} if self.gold.raters is None else {"raters": self.gold.raters}
        gold = found["sources"]["gold"] | raters
        documents = {} if self.documents is None else {"documents": self.documents, "grouped_by": self.grouped_by}
        return {"kind": self.kind, "scale": found["scale"], "gold": gold} | documents

    def __str__(self) -> str:
        parts = [f"{self.gold.n_items:,} real items"]
        if self.documents is not None:
            parts[0] += f" in {int(self.documents.max()) + 1:,} groups by {self.grouped_by}"
        if self.gold.raters is not None:
            parts.append(f"{np.unique(self.gold.raters).size} real raters")
        return f"{' and '.join(parts)} resampled; scale: {self.scale}"


def _numbered(word: str, n: int) -> Labels:
    digits = len(str(n))
    return np.array([f"{word}-{number:0{digits}d}" for number in range(1, n + 1)])
