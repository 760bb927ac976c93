"""The result: models with scores and ranks, pairs with advantages, groups and tasks; of one leaderboard or several."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

from howsure import _check
from howsure._frames import in_any_form
from howsure.documents import Document
from howsure.errors import ArgumentError
from howsure.inference import ConfidenceInterval, Estimate
from howsure.leaderboards import document
from howsure.records import Record

if TYPE_CHECKING:
    import polars


PICTURES = ("overview", "ranks", "critical-difference", "pairs", "frontier")
"""What the chart of a leaderboard may show."""


@dataclass(frozen=True, slots=True)
class RankedModel:
    """One row of a leaderboard.

    Attributes
    ----------
    name : str
    score : float
        NaN for a model that lacks a task; its interval then holds the worst and the best that it could have.
    confidence_interval : ConfidenceInterval
        Of the score, by itself.
    rank : int or None
        By score, among the models that have every task; models with equal scores share a rank. None for a model that
        lacks a task.
    rank_low, rank_high : int
        The confidence interval of the rank; those of all models hold together.
    rank_low_marginal, rank_high_marginal : int
        The same for this model by itself.
    in_confidence_set : bool
        Whether the model may be the best: no other model is significantly better, so `rank_low` is 1.
    first_place_share : float
        The share of resamples in which the model is in first place.
    n_items : int
        How many items the score rests on.
    """

    name: str
    score: float
    confidence_interval: ConfidenceInterval
    rank: int | None
    rank_low: int
    rank_high: int
    in_confidence_set: bool
    n_items: int
    rank_low_marginal: int
    rank_high_marginal: int
    first_place_share: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models.

    Attributes
    ----------
    a, b : str
    advantage : float
        How much better `a` is; NaN where one of them lacks a task.
    confidence_interval : ConfidenceInterval
        All pairs' intervals hold together; one excludes 0 exactly where the adjusted p-value is significant.
    pvalue, pvalue_adjusted : float
        By itself, as `compare` gives it, and adjusted for all pairs.
    standard_error : float
        Of the advantage.
    """

    a: str
    b: str
    advantage: float
    confidence_interval: ConfidenceInterval
    pvalue: float
    pvalue_adjusted: float
    standard_error: float = math.nan

    @property
    def as_estimate(self) -> Estimate:
        """The advantage with its interval and p-values."""
        return Estimate(
            self.advantage, self.confidence_interval, self.standard_error, self.pvalue, self.pvalue_adjusted
        )

    @property
    def turned(self) -> "Pair":
        """The same pair, the advantage being that of `b` over `a`."""
        other = self.as_estimate.turned()
        ends = other.confidence_interval
        return replace(self, a=self.b, b=self.a, advantage=other.value, confidence_interval=ends)


@dataclass(frozen=True, slots=True)
class TaskScore:
    """The score of one model on one task; NaN where it lacks the task."""

    task: str
    model: str
    score: float
    n_items: int


@dataclass(frozen=True, slots=True)
class Scope:
    """One of two answers: for exactly these raters (or tasks), and for raters (or tasks) like these.

    Attributes
    ----------
    name : str
        What the answer holds for: "For these 6 raters", "On tasks like these".
    confidence_set : tuple of str
        The models that may be the best.
    n_significant : int
        How many pairs differ significantly.
    rank_low, rank_high : tuple of int
        The rank ranges, in the order of the leaderboard's models.
    """

    name: str
    confidence_set: tuple[str, ...]
    n_significant: int
    rank_low: tuple[int, ...]
    rank_high: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CostQuality:
    """What one model costs, and what its quality is worth.

    Attributes
    ----------
    name : str
    cost : float
    dominated_by : str
        The cheapest model that is significantly better and costs no more; empty where there is none.
    at_most_worse : float
        How much worse than the leader it may be: the far end of the interval, which holds for all models together.
    """

    name: str
    cost: float
    dominated_by: str
    at_most_worse: float


@dataclass(frozen=True, slots=True)
class VoteEffect:
    """What moves votes besides the strengths of the models, in log-odds.

    Attributes
    ----------
    name : str
        "the first place", or the column.
    value : float
        Of the first place; or of one standard deviation more of the column.
    confidence_interval : ConfidenceInterval
    pvalue : float
    """

    name: str
    value: float
    confidence_interval: ConfidenceInterval
    pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard(Record):
    """What is known of the order of many models. `print` it for the result in English.

    Attributes
    ----------
    models : tuple of RankedModel
        From best to worst.
    pairs : tuple of Pair
        All pairs, or those with the baseline; the better model is `a`.
    groups : tuple of tuple of str
        The largest groups in which no two models differ significantly; they may overlap.
    tasks : tuple of TaskScore
        The score of each model on each task, where there are several.
    metric, title, better : str
    gold, baseline : str
        Empty where there is none.
    by, aggregate, task_effect : str
        Over which column, how ("mean", "mean-rank", "borda", "win-rate"), and whether tasks are "fixed" or "random".
    null, correction : str
    confidence_level : float
    n_resamples : int
    exact : bool
        Whether p-values count all arrangements.
    seed : int
    notes : tuple of str
    signature : str
    scopes : tuple of Scope
        Both answers where raters, or tasks, are a random factor: for these, and for others like these. The leaderboard
        itself is one of them.
    advice : str
        Which of the two to report.
    effects : tuple of VoteEffect
        Of votes: what the first place, and what properties of the outputs are worth.
    uncontrolled : tuple of float
        Of votes with controls: the scores without them, in the order of the models.
    costs : tuple of CostQuality
        What each model costs and gives up, in the order of the models; empty where costs are not known.
    cost_name : str
        What the costs are called.
    slice : str
        Which slice of the items this is; empty for all of them.
    top : int or None
        How many models the document shows. By default it shows the first 20, and the others as a detail.
    picture : str
        What the chart shows, one of `PICTURES`.
    """

    derived: ClassVar[tuple[str, ...]] = ("verdict",)

    models: tuple[RankedModel, ...]
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    tasks: tuple[TaskScore, ...]
    metric: str
    title: str
    better: str
    gold: str
    baseline: str
    by: str
    aggregate: str
    task_effect: str
    null: str
    correction: str
    confidence_level: float
    n_resamples: int
    exact: bool
    seed: int
    notes: tuple[str, ...]
    signature: str
    scopes: tuple[Scope, ...] = ()
    advice: str = ""
    effects: tuple[VoteEffect, ...] = ()
    uncontrolled: tuple[float, ...] = ()
    costs: tuple[CostQuality, ...] = ()
    cost_name: str = ""
    slice: str = ""
    top: int | None = None
    picture: str = "overview"

    @property
    def leaders(self) -> tuple[RankedModel, ...]:
        """The models with the best score: one, or several that share it."""
        return tuple(model for model in self.models if model.rank == 1)

    @property
    def confidence_set(self) -> tuple[str, ...]:
        """The models that may be the best: no other model is significantly better."""
        return tuple(model.name for model in self.models if model.in_confidence_set)

    @property
    def n_significant(self) -> int:
        """How many pairs differ significantly."""
        return len(self.significant)

    @property
    def significant(self) -> tuple[Pair, ...]:
        """The pairs that differ significantly."""
        return tuple(pair for pair in self.pairs if pair.as_estimate.is_significant)

    def model(self, name: str) -> RankedModel:
        """Return the row of one model."""
        for model in self.models:
            if model.name == name:
                return model
        hint = _check.nearest(name, [model.name for model in self.models])
        raise ArgumentError(f"no model is called {name!r} on this leaderboard.{hint}")

    def pair(self, a: str, b: str) -> Pair:
        """Return what is known of two models, the advantage being that of `a` over `b`."""
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                return pair.turned
        raise ArgumentError(f"{a!r} and {b!r} are not a pair on this leaderboard.")

    @property
    def verdict(self) -> str:
        """The first sentences: who may be the best, and how many pairs differ significantly."""
        return document.verdict(self)

    def document(self) -> Document:
        """Return the leaderboard as a document: the verdict, the models, pairs, groups and tasks."""
        return document.document(self)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each model, ready for a site: rank, rank_low, rank_high, in_confidence_set and others."""
        same = ["rank_low", "rank_high", "in_confidence_set", "rank_low_marginal", "rank_high_marginal"]
        same += ["first_place_share", "n_items"]
        ends = {"score_low": "confidence_interval.low", "score_high": "confidence_interval.high"}
        columns = {"rank": "rank", "model": "name", "score": "score", **ends, **{name: name for name in same}}
        return _frame(self.models, columns)

    @in_any_form
    def pairs_to_frame(self) -> "polars.DataFrame":
        """Return one row for each pair."""
        ends = {"interval_low": "confidence_interval.low", "interval_high": "confidence_interval.high"}
        columns = {"a": "a", "b": "b", "advantage": "advantage", **ends, "pvalue": "pvalue"}
        return _frame(self.pairs, {**columns, "pvalue_adjusted": "pvalue_adjusted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboards(Record):
    """Leaderboards of several slices.

    Attributes
    ----------
    leaderboards : tuple of Leaderboard
        Each at the confidence level that makes all of them hold together.
    by : str
        The column whose values are the slices.
    confidence_level : float
        Of all leaderboards together.
    """

    leaderboards: tuple[Leaderboard, ...]
    by: str
    confidence_level: float

    @property
    def signature(self) -> str:
        """Those of all leaderboards."""
        return "; ".join(board.signature for board in self.leaderboards)

    def document(self) -> Document:
        """Return one row for each slice, and the verdict of each."""
        return document.of_slices(self)


def _frame(rows: Sequence[object], columns: Mapping[str, str]) -> "polars.DataFrame":
    """Return a dataframe whose columns are these attributes of the rows."""
    import polars

    return polars.DataFrame({name: [attrgetter(place)(row) for row in rows] for name, place in columns.items()})
