"""Any Python function as a metric."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, get_args

import numpy as np

from howsure import _check
from howsure.data.scales import FloatArray, IntArray, Kind, Scale
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError
from howsure.metrics.base import Better, Ignored, Metric

ScoreFunction = Callable[..., float]

TOGETHER = 32_000
"""A vectorized function gets so many numbers at a time, which stay in the processor's cache."""


@dataclass(frozen=True)
class FunctionMetric(Metric):
    """A metric made from `function(gold, model) → number`.

    The function sees one data set at a time: item means (items,), counts (items, levels) or responses (items, K), as
    `needs` says. If it ignores the "scale" of a model's answers, the "line" they lie on or their "magnitude", say so
    with `ignores`. If a single item moves it little, as it moves a mean, say `regular=True`: its interval is then the
    jackknife's, which covers better than the percentiles of the draws.

    With `labels=True` it is called as scikit-learn's metrics are: with two lists, gold's votes and the model's.
    A tied vote stands there once with each tied label, and `sample_weight` then says how much each pair weighs.

    With `vectorized=True` it is called once for many resamples, as SciPy's resampling calls a statistic, which is much
    faster: the resamples are leading axes, and `axis`, a third argument, is the axis of the items, over which it
    reduces.

    Examples
    --------
    >>> import numpy as np
    >>> median_error = FunctionMetric(lambda gold, model: np.median(abs(gold - model)), better="lower")
    >>> float(median_error.score(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.5, 5.0])))
    0.5
    >>> def worst_error(gold, model, axis):
    ...     return abs(gold - model).max(axis=axis)
    >>> FunctionMetric(worst_error, better="lower", vectorized=True).score(np.zeros((2, 3)), np.array([1.0, 2.5, 5.0]))
    array([5., 5.])
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("nominal", "ordinal", "continuous")

    function: ScoreFunction
    better: Better = field(kw_only=True)  # type: ignore[misc]
    needs: Needs = field(default="means", kw_only=True)  # type: ignore[misc]
    ignores: Ignored = field(default="", kw_only=True)  # type: ignore[misc]
    labels: bool = field(default=False, kw_only=True)
    vectorized: bool = field(default=False, kw_only=True, repr=False)  # changes the time, not the answer
    regular: bool = field(default=False, kw_only=True)  # type: ignore[misc]
    name: str = field(default="", kw_only=True)  # type: ignore[misc]
    written: tuple[str, ...] = field(default=(), kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"`function` must be callable; got {_check.shown(self.function)}.")
        _check.text("name", self.name)
        for name in ("labels", "vectorized", "regular"):
            _check.flag(name, getattr(self, name))
        _check.one_of("better", self.better, get_args(Better))
        _check.one_of("needs", self.needs, get_args(Needs))
        _check.one_of("ignores", self.ignores, get_args(Ignored))
        if self.labels and self.vectorized:
            raise ArgumentError("`labels` gives lists of one data set at a time; `vectorized` does not go with it.")
        if self.vectorized and not _takes_axis(self.function):
            raise ArgumentError("`vectorized` calls the function with gold, model and `axis`; it does not take `axis`.")
        if self.labels:
            object.__setattr__(self, "needs", "counts")
        if not self.name:
            object.__setattr__(self, "name", getattr(self.function, "__name__", "function"))

    @property
    def bounds(self) -> tuple[float, float]:
        """Nothing is known of what a function may return."""
        return -math.inf, math.inf

    @property
    def title(self) -> str:  # type: ignore[override]
        """The name of the function."""
        return self.name

    def on(self, scale: Scale) -> Self:
        """Refuse summaries that the scale cannot give: a mean of names, or counts of levels that do not exist."""
        if self.needs == "means" and scale.kind == "nominal":
            raise ArgumentError(f"metric {self.name!r} asks for means, but the scale is {scale}. Say needs='counts'.")
        if self.needs == "counts" and scale.kind == "continuous":
            raise ArgumentError(
                f"metric {self.name!r} asks for counts, but the scale is {scale}. Say `scale='ordinal'` if each value "
                "is a level, or needs='sorted'."
            )
        return replace(self, written=scale.labels)

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Call the function with each resample, or with many at a time if it is vectorized."""
        width = 1 if self.needs == "means" else 2
        lead = np.broadcast_shapes(gold.shape[:-width], model.shape[:-width])
        gold, model = (
            np.broadcast_to(side, lead + side.shape[-width:]).reshape(-1, *side.shape[-width:])
            for side in (gold, model)
        )
        if self.vectorized:
            size = max(1, TOGETHER // max(math.prod(gold.shape[1:]), math.prod(model.shape[1:])))
            parts = [(gold[low : low + size], model[low : low + size]) for low in range(0, len(gold), size)]
            return np.concatenate([np.empty(0), *(self._of_all(*part) for part in parts)]).reshape(lead)
        call = self._of_votes if self.labels else self.function
        scores = [self._number(call(*pair)) for pair in zip(gold, model, strict=True)]
        return np.array(scores, dtype=np.float64).reshape(lead)

    def _number(self, found: Any) -> float:
        """Return what the function returned, if it is a number."""
        try:
            return float(found)
        except (TypeError, ValueError):
            what = f"an array of shape {found.shape}" if isinstance(found, np.ndarray) else repr(found)
            raise ArgumentError(f"metric {self.name!r} must return one number; it returned {what}.") from None

    def _of_all(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Call the vectorized function with all draws; it must give one number for each."""
        scores = np.asarray(self.function(gold, model, axis=1), dtype=np.float64)
        if scores.shape != (len(gold),):
            raise ArgumentError(
                f"metric {self.name!r} must return one number for each resample: for {len(gold)} resamples it returned "
                f"shape {scores.shape}. Reduce over `axis` alone, or leave out `vectorized`."
            )
        return scores

    def _of_votes(self, gold: FloatArray, model: FloatArray) -> float:
        """Call the function with the labels that have the votes, item by item; tied votes as weighted pairs."""
        from howsure.metrics.labels import votes

        of_gold, of_model, weights = _pairs(votes(gold), votes(model))
        written = np.array(self.written)
        tied = {} if weights.size == len(gold) else {"sample_weight": weights}
        return self.function(written[of_gold], written[of_model], **tied)


def _takes_axis(function: ScoreFunction) -> bool:
    """Whether a function can be called as a vectorized one is; those that hide their arguments are not judged."""
    import inspect

    with suppress(ValueError):
        try:
            inspect.signature(function).bind(None, None, axis=0)
        except TypeError:
            return False
    return True


def _pairs(gold: FloatArray, model: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the labels of gold and of the model that share an item, pair after pair, and how much each pair weighs."""
    items, of_gold = np.nonzero(gold)
    others, of_model = np.nonzero(model)
    sizes = np.bincount(others, minlength=len(model))
    times = sizes[items]
    first = np.repeat(np.arange(items.size), times)
    place = np.arange(first.size) - np.repeat(np.cumsum(times) - times, times)
    second = (np.cumsum(sizes) - sizes)[items][first] + place
    weights = gold[items, of_gold][first] * model[others, of_model][second]
    return of_gold[first], of_model[second], weights
