"""What a metric is: how far a model is from gold, and which direction is better.

A metric sees summaries (`data/summaries.py`), never files or resampling. Leading axes are draws: a metric that gets
arrays of shape (draws, items) returns one number for each draw. `advantage` is positive when A is better, whatever the
metric.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Self

import numpy as np

from howsure import _json
from howsure.data.scales import KINDS, FloatArray, Kind, Scale
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError

Better = Literal["lower", "higher"]
Ignored = Literal["", "scale", "line", "magnitude"]

ROUNDING = 1e-12
"""Numbers that differ by less than this share of the largest value are equal: means of the same responses in another
order differ in their last bits, and such a difference is no win, no rank and no threshold passed."""


@dataclass(frozen=True)
class Metric(ABC):
    """One model against gold. Subclasses say what they need and how they score.

    Attributes
    ----------
    name : str
        What the metric is called on the command line.
    title : str
        What it is called in a sentence.
    formula : str
        What it computes, in words and signs, for reports; empty says nothing.
    better : {"lower", "higher"}
    needs : {"means", "counts", "sorted", "values"}
        The summary of each item's responses on which the metric works.
    kinds : tuple of str
        The kinds of scale on which it is defined.
    additive : bool
        Whether it is a mean of item scores.
    linear : bool
        Whether it is a mean of responses, to which every (item, rater) pair adds its own share.
    counts_items : bool
        Whether it counts items: an item's advantage is all or nothing (−1, 0 or 1, shared where votes are tied), so
        that a few responses make the item change sides.
    span : float
        The largest advantage that a single item can have; infinite where there is no such limit.
    regular : bool
        Whether a single item moves it little and evenly, as it moves a mean, so that the jackknife gives its standard
        error: true of correlations and roots of means, not of medians and maxima. Additive metrics need not say.
    uneven : bool
        Whether it depends on a few items that are far worse than the others, which a small sample may lack.
    per_response : bool
        Whether each response of a model counts equally, so that more of them bring the model no closer to gold.
    per_run : str
        The name of the metric of single responses that takes its place where A and B have unequally many; empty where
        there is none.
    ignores : {"", "scale", "line", "magnitude"}
        What it ignores of a model's answers: their "scale" (all multiplied by the same positive number), the "line"
        that they lie on (the same number added, too), or their "magnitude" altogether, so that only their order counts.
        Null draws then swap what it uses of them (`swappable`), so that the p-value ignores the same.
    error_power : int
        1 or 2 where an item's score is this power of the distance between the model's mean and gold's, whose
        expectation for normal responses has a closed form; 0 for all others.
    relative : bool
        Whether it exists only between two models: one model alone has no score.
    label_blind : bool
        Whether it counts how often each label was given to an item, and neither which label it is nor how many others
        there are: labels may be renamed item by item, and a label that nobody gave adds nothing.
    gold_free : bool
        Whether it looks at the models' own ratings instead of gold.
    smooth : bool
        Whether its advantage changes little when a few responses do. It does not where items are won, lost, counted or
        compared with a threshold.
    distance : bool
        Whether gold cannot be closer to A than to B by more than A and B are apart (the triangle inequality), so that
        A and B give the advantage a maximum.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    formula: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    needs: ClassVar[Needs] = "means"
    kinds: ClassVar[tuple[Kind, ...]] = ("ordinal", "continuous")

    additive: ClassVar[bool] = False
    linear: ClassVar[bool] = False
    counts_items: ClassVar[bool] = False
    span: ClassVar[float] = math.inf
    regular: ClassVar[bool] = False
    uneven: ClassVar[bool] = False
    per_response: ClassVar[bool] = False
    per_run: ClassVar[str] = ""
    ignores: ClassVar[Ignored] = ""
    error_power: ClassVar[int] = 0
    relative: ClassVar[bool] = False
    label_blind: ClassVar[bool] = False
    gold_free: ClassVar[bool] = False
    smooth: ClassVar[bool] = True
    distance: ClassVar[bool] = False

    @abstractmethod
    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the model's score, one for each draw."""

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B."""
        return self.score(gold, a), self.score(gold, b)

    def advantage(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return how much better A is than B, one number for each draw."""
        of_a, of_b = self.scores(gold, a, b)
        return of_b - of_a if self.better == "lower" else of_a - of_b

    def seen(self, model: FloatArray) -> FloatArray:
        """Return what the metric uses of a model's answers; it scores this as it scores the answers.

        Where it ignores their scale, these are the answers divided by their root mean square; where it ignores their
        line, their mean is subtracted first; where it ignores their magnitude, these are ranks.
        """
        if self.ignores == "magnitude":
            from howsure.metrics.ranking import ranks

            return ranks(model)
        axes = (-1,) if self.needs == "means" else (-2, -1)
        if self.ignores == "line":
            model = model - np.nanmean(model, axis=axes, keepdims=True)
        return _unit(model, axes) if self.ignores else model

    def swappable(self, gold: FloatArray | None, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what is swapped between A and B in place of their answers: what the metric uses of them."""
        a, b = self.seen(a), self.seen(b)
        if self.ignores == "magnitude" and self.needs == "means" and gold is not None:
            from howsure.metrics.ranking import swapped_ranks

            return swapped_ranks(gold, a, b)
        return a, b

    def error(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[float, float] | None:
        """Return the standard error of the advantage and its degrees of freedom by a formula; None if there is none."""
        return None

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of a model's score, within which its interval stays: errors are not negative, for example."""
        if self.better == "lower":
            return 0.0, self.span
        if self.span == 1.0:
            return 0.0, 1.0
        return (-1.0, 1.0) if self.ignores else (-math.inf, math.inf)

    def titled(self, n_runs: set[int]) -> str:
        """Return the title for models with these numbers of responses per item; some scores change their meaning."""
        return self.title

    def notes(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> list[str]:
        """Return what the reader of a comparison on these data must know about the metric."""
        return []

    def on(self, scale: Scale) -> Self:
        """Return the metric for a scale (its levels, its thresholds); a scale that it is not made for is an error."""
        if scale.kind not in self.kinds:
            raise ArgumentError(f"metric {self.name!r} {_remedy(self.kinds, scale)}")
        return self


@dataclass(frozen=True)
class SummedMetric(Metric):
    """A function of sums over items, such as a root of a mean of squares: a resample needs only these sums."""

    regular: ClassVar[bool] = True

    @abstractmethod
    def item_sums(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return what each item adds to the sums, (…, items, sums)."""

    @abstractmethod
    def advantage_of_sums(self, sums: FloatArray) -> FloatArray:
        """Return how much better A is, from sums of `item_sums`."""


@dataclass(frozen=True)
class AdditiveMetric(Metric):
    """A metric whose advantage is the mean over items of an item advantage, which makes resampling cheap."""

    additive: ClassVar[bool] = True

    @abstractmethod
    def item_advantages(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return how much better A is than B on each item; the last axis is items."""

    def scores_by_item(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, ...]:
        """Return the scores of A and of B on each item; none where one model alone has no score."""
        return ()

    def advantage(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the mean of the item advantages."""
        return np.asarray(self.item_advantages(gold, a, b).mean(axis=-1))


@dataclass(frozen=True)
class ItemMetric(AdditiveMetric):
    """A metric that is the mean over items of an item score."""

    @abstractmethod
    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the score of each item; the last axis is items."""

    def scores_by_item(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, ...]:
        """Return the scores of A and of B on each item."""
        return self.item_scores(gold, a), self.item_scores(gold, b)

    def item_advantages(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return how much better A is than B on each item."""
        of_a, of_b = self.scores_by_item(gold, a, b)
        return of_b - of_a if self.better == "lower" else of_a - of_b

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the mean of the item scores."""
        return np.asarray(self.item_scores(gold, model).mean(axis=-1))


@dataclass(frozen=True)
class RelativeMetric(AdditiveMetric):
    """A metric that exists only between two models, item by item."""

    relative: ClassVar[bool] = True
    smooth: ClassVar[bool] = False

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Refuse: one model alone has no score."""
        raise ArgumentError(f"metric {self.name!r} compares two models; a single model has no score.")

    @abstractmethod
    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B against each other."""


def _unit(values: FloatArray, axes: tuple[int, ...]) -> FloatArray:
    """Divide by the root mean square over these axes; absent responses do not count, and zeros stay zeros."""
    with np.errstate(invalid="ignore", divide="ignore"):
        length = np.sqrt(np.nanmean(np.square(values), axis=axes, keepdims=True))
        return np.asarray(np.where(length > 0, values / length, values))


def _remedy(kinds: tuple[Kind, ...], scale: Scale) -> str:
    wanted = {
        ("ordinal", "continuous"): "needs numbers or ordered labels",
        ("nominal", "ordinal"): "needs labels",
        ("nominal",): "needs labels without an order",
    }[tuple(kind for kind in KINDS if kind in kinds) if "continuous" not in kinds else ("ordinal", "continuous")]
    if scale.kind == "nominal":
        return (
            f"{wanted}, but the scale is {scale}. Give the order of the labels (`order`) if they have one, "
            "or use a metric for labels: accuracy, tv, js, kl, cross-entropy, f1."
        )
    return (
        f"{wanted}, but the scale is {scale}. Say `scale='ordinal'` if each value is a level, "
        "or use a metric for numbers: mae, rmse, emd, spearman."
    )


NAMING = ("name", "title", "better")
"""Fields that name a function of the user, and are not parameters of it."""


def parameters_of(metric: Metric) -> dict[str, Any]:
    """Return the parameters of a metric that are not at their default, such as the threshold that a scale gave it."""
    found = {}
    metric = getattr(metric, "averaged", metric)  # one that is averaged over subsets of runs has its parameters
    for field in fields(metric):
        value = getattr(metric, field.name)
        if field.repr and field.name not in NAMING and isinstance(value, str | int | float) and value != field.default:
            found[field.name] = value
    return found


def spelled(metric: Metric) -> str:
    """Return a metric's name with its parameters, for a signature: f1(threshold=2.0)."""
    parameters = parameters_of(metric)
    inside = ",".join(f"{name}={_json.dumps(value)}" for name, value in parameters.items())
    return f"{metric.name}({inside})" if inside else metric.name
