"""Agreement of labels: accuracy of plurality votes, precision, recall, F1 and the area under the ROC curve.

A tied plurality vote is shared: each of n tied labels has it with weight 1/n, which is what breaking the tie at random
gives on average. So no renaming of the labels changes a score.

On a numeric scale an item is positive when its mean response reaches a threshold. On a nominal scale the label of an
item is its plurality vote, each label is taken against the rest, and the mean over labels is reported ("macro"); a
label for which the score is undefined is left out of that mean.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from howsure.data.scales import FloatArray, Kind, Scale
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError
from howsure.metrics.base import ROUNDING, Better, Ignored, ItemMetric, Metric, SummedMetric
from howsure.metrics.distribution import LABELS, label_sums, shares
from howsure.metrics.ranking import joined_ties, largest_tie, ranks, tied_places

FEW_POSITIVES = 10
"""With fewer positive (or negative) items than this, a note says that the area under the curve rests on few."""


NOTHING = 1e-9
"""A smaller sum of votes than this is zero: sums of shared votes carry rounding errors."""


def votes(counts: FloatArray) -> FloatArray:
    """Return the plurality vote of each item as weights of the labels: 1 for the winner, 1/n for each of n tied ones.

    Examples
    --------
    >>> votes(np.array([[3.0, 1.0, 0.0], [1.0, 1.0, 0.0]]))
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ]])
    """
    return shares(_first(counts))


def _first(counts: FloatArray) -> FloatArray:
    """Return 1 for the labels with the most responses, else 0."""
    return np.asarray(counts >= counts.max(axis=-1, keepdims=True) * (1 - ROUNDING), dtype=np.float64)


@dataclass(frozen=True)
class Accuracy(ItemMetric):
    """Share of items where the model's plurality vote is gold's; tied votes are shared.

    An item where gold and the model have each several tied labels scores the chance that they agree when every tie is
    broken at random.
    """

    name: ClassVar[str] = "accuracy"
    title: ClassVar[str] = "accuracy"
    formula: ClassVar[str] = (
        "share of items on which the plurality votes of model and gold agree; tied votes are shared"
    )
    label_blind: ClassVar[bool] = True
    smooth: ClassVar[bool] = False
    distance: ClassVar[bool] = True
    better: ClassVar[Better] = "higher"
    needs: ClassVar[Needs] = "counts"
    kinds: ClassVar[tuple[Kind, ...]] = LABELS
    counts_items: ClassVar[bool] = True
    span: ClassVar[float] = 1.0
    per_run: ClassVar[str] = "accuracy-responses"

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the chance that the votes agree: 1 or 0 where no vote is tied."""
        of_gold, of_model = _first(gold), _first(model)
        both = np.einsum("...l,...l->...", of_gold, of_model)
        return np.asarray(both / (label_sums(of_gold) * label_sums(of_model)))

    def titled(self, n_runs: set[int]) -> str:
        """Return "majority-vote accuracy of 3 runs" where responses vote; that is more than one run achieves."""
        if n_runs <= {1}:
            return self.title
        runs = f" of {min(n_runs)} runs" if len(n_runs) == 1 else ""
        return f"majority-vote {self.title}{runs}"


@dataclass(frozen=True)
class AccuracyResponses(ItemMetric):
    """Mean over items of the share of the model's responses that are gold's plurality vote; tied votes are shared."""

    name: ClassVar[str] = "accuracy-responses"
    title: ClassVar[str] = "accuracy of single runs"
    formula: ClassVar[str] = "share of the model's responses that equal gold's plurality vote; tied votes are shared"
    label_blind: ClassVar[bool] = True
    per_response: ClassVar[bool] = True
    better: ClassVar[Better] = "higher"
    needs: ClassVar[Needs] = "counts"
    kinds: ClassVar[tuple[Kind, ...]] = LABELS
    smooth: ClassVar[bool] = False
    span: ClassVar[float] = 1.0

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the model's share of gold's vote."""
        return label_sums(votes(gold) * shares(model))

    def titled(self, n_runs: set[int]) -> str:
        """Return "accuracy", which is what a single run achieves."""
        return "accuracy"

    def notes(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> list[str]:
        """Say that runs do not vote where one model has more of them."""
        of_a, of_b = (round(float(np.median(side.sum(axis=-1)))) for side in (a, b))
        if of_a == of_b:
            return []
        said = f"A has {of_a} run{'s' * (of_a > 1)} per item, B {of_b}: each run counts by itself"
        return [f"{said}. A majority vote of more runs is right more often even if models are equally good."]


@dataclass(frozen=True)
class OneAgainstRest(Metric):
    """What precision, recall, F1 and AUC share: which items are positive in gold and in the model.

    Attributes
    ----------
    threshold : float, optional
        The mean response from which an item is positive; the middle of an ordinal scale when left out.
    positive : str, optional
        On a nominal scale: the one label that counts as positive, instead of the mean over all labels.
    column, nominal, origin
        Set by `on`: where the positive label stands, whether the scale is nominal, and where the threshold comes from.
    """

    smooth: ClassVar[bool] = False
    better: ClassVar[Better] = "higher"
    kinds: ClassVar[tuple[Kind, ...]] = ("nominal", "ordinal", "continuous")
    regular: ClassVar[bool] = True

    threshold: float | None = None
    positive: str | None = None
    column: int | None = None
    nominal: bool = False
    origin: str = ""

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """Counts on a nominal scale, else means."""
        return "counts" if self.nominal else "means"

    def on(self, scale: Scale) -> Self:
        """Take threshold or labels from the scale."""
        if scale.kind == "nominal":
            if self.threshold is not None:
                raise ArgumentError(
                    f"`threshold` is for numbers, but the scale is {scale}. Give the `positive` label instead."
                )
            if self.positive is not None and self.positive not in scale.labels:
                raise ArgumentError(f"`positive` must be one of {', '.join(scale.labels)}; got {self.positive!r}.")
            column = None if self.positive is None else scale.labels.index(self.positive)
            return replace(self, nominal=True, column=column)
        if self.positive is not None:
            raise ArgumentError(
                f"`positive` is for nominal scales, but the scale is {scale}. Give a `threshold` instead."
            )
        if self.threshold is not None:
            return self
        if scale.kind == "continuous":
            raise ArgumentError(
                f"metric {self.name!r} on a continuous scale needs the value from which an item counts as positive: "
                f"give a `threshold`, such as 0.5."
            )
        middle = (scale.levels[0] + scale.levels[-1]) / 2
        return replace(self, threshold=middle, origin=_origin(middle, scale))

    def notes(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> list[str]:
        """Say from which value an item counts as positive, where the user did not."""
        return [f"{self.title} counts an item as positive from {self.origin}"] if self.origin else []

    def _positive(self, side: FloatArray) -> FloatArray:
        """Return, on a last axis of labels, with what weight each item is positive: 1, 0, or a share of a tied vote."""
        if not self.nominal:
            assert self.threshold is not None, "`on` sets the threshold"
            reached = self.threshold - ROUNDING * abs(self.threshold)
            return (side >= reached).astype(np.float64)[..., np.newaxis]
        return self._column(votes(side))

    def _column(self, by_label: FloatArray) -> FloatArray:
        return by_label if self.column is None else by_label[..., [self.column]]


@dataclass(frozen=True)
class OfHits(OneAgainstRest, SummedMetric):
    """Hits / (hits + missed · misses + false · false alarms), averaged over the labels for which it is defined."""

    missed: ClassVar[float]
    false: ClassVar[float]

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the share of hits."""
        of_gold, of_model = self._positive(gold), self._positive(model)
        hits = (of_gold * of_model).sum(axis=-2)
        return self._of_sums(hits, of_gold.sum(axis=-2), of_model.sum(axis=-2))

    def item_sums(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return what each item adds: to gold's positives, to A's and to B's, and to the hits of A and of B."""
        of_gold, of_a, of_b = (self._positive(side) for side in (gold, a, b))
        return np.concatenate([of_gold, of_a, of_b, of_gold * of_a, of_gold * of_b], axis=-1)

    def advantage_of_sums(self, sums: FloatArray) -> FloatArray:
        """Return how much better A is, from sums of `item_sums`."""
        of_gold, of_a, of_b, hits_a, hits_b = np.split(sums, 5, axis=-1)
        return self._of_sums(hits_a, of_gold, of_a) - self._of_sums(hits_b, of_gold, of_b)

    def _of_sums(self, hits: FloatArray, of_gold: FloatArray, of_model: FloatArray) -> FloatArray:
        counted = hits + self.missed * (of_gold - hits) + self.false * (of_model - hits)
        with np.errstate(invalid="ignore", divide="ignore"):
            return _mean_defined(np.where(counted > NOTHING, hits / counted, np.nan))


@dataclass(frozen=True)
class Precision(OfHits):
    """Share of the items that the model calls positive which gold calls positive too."""

    name: ClassVar[str] = "precision"
    title: ClassVar[str] = "precision"
    formula: ClassVar[str] = "share of the items that the model calls positive that gold calls positive"
    missed: ClassVar[float] = 0.0
    false: ClassVar[float] = 1.0


@dataclass(frozen=True)
class Recall(OfHits):
    """Share of gold's positive items that the model finds."""

    name: ClassVar[str] = "recall"
    title: ClassVar[str] = "recall"
    formula: ClassVar[str] = "share of the items that gold calls positive that the model calls positive"
    missed: ClassVar[float] = 1.0
    false: ClassVar[float] = 0.0


@dataclass(frozen=True)
class F1(OfHits):
    """Harmonic mean of precision and recall."""

    name: ClassVar[str] = "f1"
    title: ClassVar[str] = "F1"
    formula: ClassVar[str] = "harmonic mean of precision and recall"
    missed: ClassVar[float] = 0.5
    false: ClassVar[float] = 0.5


@dataclass(frozen=True)
class RocAuc(OneAgainstRest):
    """Probability that the model ranks a random positive item of gold above a random negative one; ties count half.

    The model's score of an item is its mean response, or on a nominal scale the share of the label.
    """

    name: ClassVar[str] = "auc"
    title: ClassVar[str] = "area under the ROC curve"
    formula: ClassVar[str] = "probability that the model ranks a positive item above a negative one, ties half"
    ignores: ClassVar[Ignored] = "magnitude"

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the Mann–Whitney form of the area, averaged over the labels that have both kinds of items."""
        if not self.nominal:
            return areas(self._positive(gold)[..., 0], model)
        scored = self._column(shares(model)[..., : gold.shape[-1]])
        positive, scored = (np.moveaxis(side, -1, -2) for side in (self._positive(gold), scored))
        return _mean_defined(areas(positive, scored))

    def error(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[float, float] | None:
        """Return DeLong's standard error of the advantage (DeLong, DeLong and Clarke-Pearson 1988).

        Its degrees of freedom are Satterthwaite's, from the numbers of positive and of negative items. There is none on
        a nominal scale, where votes are shared and labels averaged.
        """
        if self.nominal:
            return None
        positive = self._positive(gold)[..., 0] > 0
        if min(positive.sum(), (~positive).sum()) < 2:
            return math.nan, math.nan
        of_a, of_b = (_placements(side[positive], side[~positive]) for side in (a, b))
        variances = [np.var(one - other, ddof=1) / one.size for one, other in zip(of_a, of_b, strict=True)]
        squares = sum(variance**2 / (one.size - 1) for variance, one in zip(variances, of_a, strict=True))
        df = sum(variances) ** 2 / squares if squares > 0 else math.nan
        return math.sqrt(sum(variances)), float(df)

    def notes(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> list[str]:
        """Say that few items are positive, or negative: the area rests on them."""
        found = super().notes(gold, a, b)
        if self.nominal:
            return found
        positives = int(self._positive(gold).sum())
        fewer, which = min((positives, "positive"), (len(gold) - positives, "negative"))
        if 0 < fewer < FEW_POSITIVES:
            found.append(
                f"Gold calls only {fewer} of {len(gold):,} items {which}: the area under the curve rests on "
                f"{'it' if fewer == 1 else 'them'}, and the interval is rough."
            )
        return found

    def seen(self, model: FloatArray) -> FloatArray:
        """Return ranks of the items' means or, label by label, of its shares; one more column keeps their sum equal."""
        if not self.nominal:
            return super().seen(model)
        return self._with_rest(ranks(np.moveaxis(shares(model), -1, -2)))

    def swappable(self, gold: FloatArray | None, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ranks of A and of B, in which tied items of both have one rank, label by label."""
        if not self.nominal:
            return super().swappable(gold, a, b)
        n = a.shape[-2]
        of_a, of_b = (ranks(np.moveaxis(shares(side), -1, -2)) for side in (a, b))
        joined = joined_ties(of_a.reshape(-1, n), of_b.reshape(-1, n))
        return self._with_rest(joined[0].reshape(of_a.shape)), self._with_rest(joined[1].reshape(of_b.shape))

    def _with_rest(self, by_label: FloatArray) -> FloatArray:
        """Return ranks, (…, labels, items), by item, with a column that keeps the sum of each item's equal."""
        by_item = np.moveaxis(by_label, -2, -1)
        rest = by_item.shape[-1] * by_item.shape[-2] - by_item.sum(axis=-1, keepdims=True)
        return np.concatenate([by_item, rest], axis=-1)


def _origin(middle: float, scale: Scale) -> str:
    """Say what the middle of a scale is, and that another sample may have another if nobody declared the levels."""
    if scale.is_numeric:
        ends = f"{scale.labels[0]} to {scale.labels[-1]}"
        value = f"a mean response of {middle:g}"
    else:
        ends = f"{scale.labels[0]!r} to {scale.labels[-1]!r}"
        value = "the middle of the order on"
    if scale.declared:
        return f"{value}, the middle of the scale ({ends})." if scale.is_numeric else f"{value} ({ends})."
    return (
        f"{value}, the middle of the levels that these data have ({ends}); other data may have others. Declare the "
        "levels (`order`), or give a `threshold`."
    )


def areas(positive: FloatArray, scored: FloatArray) -> FloatArray:
    """Return the area under the ROC curve of each row, given with what weight each item is positive; NaN if all are.

    It is the share of pairs of a positive and a negative item of which the positive one has the higher score, ties half
    (Mann and Whitney 1947). An item of weight w is positive with probability w, else negative: never both, so that it
    makes no pair with itself.

    Examples
    --------
    >>> areas(np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.1, 0.4, 0.4, 0.8]))
    array(0.875)
    """
    positive, scored = np.broadcast_arrays(positive, scored)
    order = np.argsort(scored, axis=-1)
    positive, scored = (np.take_along_axis(side, order, axis=-1) for side in (positive, scored))
    first, last = tied_places(scored, largest_tie(scored))
    below = np.cumsum(1 - positive, axis=-1)
    before = np.take_along_axis(below, first, axis=-1) - np.take_along_axis(1 - positive, first, axis=-1)
    upto = np.take_along_axis(below, last, axis=-1)
    above = np.einsum("...i,...i->...", positive, before + upto) / 2
    with_itself = np.einsum("...i,...i->...", positive, 1 - positive)
    n_pairs = positive.sum(axis=-1) * below[..., -1] - with_itself
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n_pairs > positive.shape[-1] ** 2 * ROUNDING, (above - with_itself / 2) / n_pairs, np.nan)


def _placements(positive: FloatArray, negative: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of negative items that each positive one is above, and of positive ones above each negative."""
    both = ranks(np.concatenate([positive, negative]))
    above = (both[: positive.size] - ranks(positive)) / negative.size
    below = 1 - (both[positive.size :] - ranks(negative)) / positive.size
    return above, below


def _mean_defined(scores: FloatArray) -> FloatArray:
    """Return the mean over the last axis of what is defined; NaN where nothing is."""
    defined = ~np.isnan(scores)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(defined, scores, 0.0).sum(axis=-1) / defined.sum(axis=-1))
