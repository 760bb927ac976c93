"""What is asked of a leaderboard: one record for tables and one for votes, and the models that a table has."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from howsure import _check
from howsure.comparison import DRAWS
from howsure.comparison.default_metric import bind, metrics_for
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.summaries import lean
from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.inference.corrections import JOINT_CORRECTIONS
from howsure.leaderboards.units import AGGREGATES, Aggregate, LeaderboardData
from howsure.metrics import Metric, resolve
from howsure.resampling.responses_kept import with_equal_runs

STRENGTHS = ("win-rate", "log-odds", "elo")
"""The scales of strengths from votes."""
MOST = 1000
"""More models than this have too many pairs to look at; against a baseline any number will do."""


@dataclass(frozen=True, kw_only=True)
class PairsRequest:
    """How the pairs of a leaderboard are tested, whatever its scores come from.

    Attributes
    ----------
    baseline : str, optional
        Compare every model with this one only, which costs less power than all pairs.
    correction : {"westfall-young", "holm", "benjamini-hochberg", "none"}
        How p-values are adjusted for the number of pairs; ranks and groups follow from the adjusted ones.
    n_resamples : int, optional
        Number of resamples. Default: 9,999, and exact p-values of single pairs, as in `compare`, up to 200 pairs.
    confidence_level : float
    """

    baseline: str | None = None
    correction: str = "westfall-young"
    n_resamples: int | None = None
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        _check.one_of("correction", self.correction, JOINT_CORRECTIONS)
        _check.fraction("confidence_level", self.confidence_level)
        if self.n_resamples is not None:
            _check.integer("n_resamples", self.n_resamples, at_least=1)

    @classmethod
    def of(cls, request: Self | None, settings: Mapping[str, Any]) -> Self:
        """Return the request with these fields changed; an unknown name is an error."""
        known = [part.name for part in fields(cls)]
        for name in settings:
            if name not in known:
                raise ArgumentError(f"`{name}` is not a setting of a leaderboard.{_check.nearest(name, known)}")
        return replace(cls() if request is None else request, **settings)

    @property
    def n_draws(self) -> int:
        """As many resamples as asked for, else `DRAWS`."""
        return DRAWS if self.n_resamples is None else self.n_resamples

    def check_models(self, names: Sequence[str]) -> None:
        """Raise an error for too many models, and for a baseline that is none of them."""
        if self.baseline is not None and self.baseline not in names:
            hint = _check.nearest(self.baseline, names)
            raise ArgumentError(f"`baseline` must be one of the models; got {self.baseline!r}.{hint}")
        if self.baseline is None and len(names) > MOST:
            n_pairs = len(names) * (len(names) - 1) // 2
            raise ArgumentError(
                f"{len(names):,} models are {n_pairs:,} pairs; at most {MOST:,} models can be compared pair by pair. "
                "Name a `baseline`, or select fewer models."
            )


@dataclass(frozen=True, kw_only=True)
class LeaderboardRequest(PairsRequest):
    """Everything that decides a leaderboard, apart from its table.

    Attributes
    ----------
    gold : str, optional
        The source that models are measured against. Default: none, for ratings of the models' own outputs.
    models : list of str, optional
        The sources to rank. Default: all but gold.
    metric : str or Metric, optional
        As in `compare`; metrics that exist between two models only (wins) have no leaderboard.
    by : str, optional
        An item column whose values are tasks (languages, dimensions): each counts alike, or by `weights`.
    aggregate : {"mean", "mean-rank", "borda", "win-rate"}
        How the scores of the tasks are combined. All but the mean treat tasks as a random sample.
    task_effect : {"fixed", "random"}
        Whether the result holds for these tasks, with other items, or generalises to tasks like these.
    weights : mapping of str to float, optional
        The weight of each task.
    cluster : str, optional
        An item column: items that share its value are resampled together.
    score_name : str
        What the scores are called. Default: the title of the metric.
    raters : {"random", "fixed"}, optional
        As in `compare`: whether the result generalises to raters like these. Default: random where raters judged
        several items.
    baseline, correction, n_resamples, confidence_level
        As in `PairsRequest`.
    """

    gold: str | None = None
    models: Sequence[str] | None = None
    metric: str | Metric | None = None
    by: str | None = None
    aggregate: str = "mean"
    task_effect: str = "fixed"
    weights: Mapping[str, float] | None = None
    cluster: str | None = None
    raters: str | None = None
    score_name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check.one_of("aggregate", self.aggregate, AGGREGATES)
        _check.one_of("task_effect", self.task_effect, ("fixed", "random"))

    @property
    def aggregation(self) -> Aggregate:
        """How the scores of the tasks are combined."""
        return AGGREGATES[self.aggregate]

    @property
    def random_tasks(self) -> bool:
        """Whether the result generalises to tasks like these."""
        return self.task_effect == "random"

    def data(self, table: ResponseTable) -> LeaderboardData:
        """Return the models of a table, measured by the metric; too few, too many or unknown ones are an error.

        Draws go by position, so items are put in the order of their ids, and models too unless `models` orders them:
        the order of the rows in a file has no influence.
        """
        table = table.in_order()
        names, gold = self._names(table), self.gold
        contest = table.contest(a=names[0], b=names[1], gold=gold, complete=False)
        [metric], why = metrics_for(contest, None if self.metric is None else [self.metric])
        metric = bind(metric, contest)
        if metric.relative:
            raise ArgumentError(
                f"metric {metric.name!r} exists only between two models, so one model has no score. Use a metric with "
                "scores (mae, accuracy, rating), or votes between models (`winner`)."
            )
        sources = {name: table.source(name) for name in ([gold] if gold else []) + list(names)}
        metric, fair, about_runs = _with_equal_runs(metric, {name: sources[name] for name in names}, table)
        narrow = lean(replace(table, sources=sources | fair), [metric])
        notes = (*narrow.notes, *why, *about_runs)
        return LeaderboardData(narrow, names, metric, gold, _digest(table, gold, names), notes)

    def _names(self, table: ResponseTable) -> tuple[str, ...]:
        if self.gold is not None:
            table.source(self.gold)
        every = sorted(name for name in table.sources if name != self.gold)
        names = tuple(every if self.models is None else self.models)
        for name in names:
            table.source(name)
        if self.gold in names:
            raise ArgumentError(f"{self.gold!r} is gold and cannot be a model too.")
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ArgumentError(f"model {twice!r} is named twice.")
        if len(names) < 2:
            raise DataError(f"a leaderboard needs at least two models; got {', '.join(names) or 'none'}.")
        self.check_models(names)
        return names


def _with_equal_runs(
    metric: Metric, models: Mapping[str, Responses], table: ResponseTable
) -> tuple[Metric, dict[str, Responses], list[str]]:
    """Return metric and models such that more runs bring no model closer to gold, and the note that says so.

    Every run counts by itself where the metric has such a form; else models are scored with the fewest runs of all.
    """
    soft = any(source.weights is not None for source in models.values())
    if metric.per_response or metric.gold_free or soft:
        return metric, {}, []
    sizes = np.stack([source.sizes for source in models.values()]).astype(np.float64)
    sizes[sizes == 0] = np.nan
    answered = ~np.isnan(sizes).all(axis=0)
    if not (np.nanmax(sizes[:, answered], axis=0) > np.nanmin(sizes[:, answered], axis=0)).any():
        return metric, {}, []
    typical = np.nanmedian(sizes[:, answered], axis=1)
    low, high = int(typical.min()), int(typical.max())
    models_have = f"Models have {low} to {high} runs per item"
    if metric.per_run and high > low:
        return resolve(metric.per_run).on(table.scale), {}, [f"{models_have}: each run counts by itself."]
    cut = dict(zip(models, with_equal_runs([*models.values()], table.items), strict=True))
    if high == low:
        return metric, cut, [Aside("Where models have unequally many runs, as many of each are scored.")]
    said = f"{models_have}: {low} of each are scored, chosen at random, so that more runs are no advantage."
    return metric, cut, [said]


@dataclass(frozen=True, kw_only=True)
class VotesRequest(PairsRequest):
    """Everything that decides a leaderboard of votes, apart from the votes.

    Attributes
    ----------
    first, second, winner : str
        The columns of the two models and of the vote: the name of a model, "model_a", "model_b" or "tie".
    item, voter : str, optional
        Columns of what was voted on and of who voted. Votes that share an item, or a voter, are resampled together:
        with one of the two columns the result generalises to others like them, with both columns to both.
    unordered : bool
        The columns do not say which model was shown first, so the place has no effect to estimate.
    control : tuple of str
        Properties whose effect on the votes is estimated along with the strengths: a column of differences (first minus
        second), or `length` for the columns `length_a` and `length_b`.
    strength : {"win-rate", "log-odds", "elo"}
        The scale of strengths.
    baseline, correction, n_resamples, confidence_level
        As in `PairsRequest`.
    """

    first: str = "model_a"
    second: str = "model_b"
    winner: str = "winner"
    item: str | None = None
    voter: str | None = None
    unordered: bool = False
    control: tuple[str, ...] = ()
    strength: str = "win-rate"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check.one_of("strength", self.strength, STRENGTHS)


def _digest(table: ResponseTable, gold: str | None, names: tuple[str, ...]) -> str:
    """Return twelve digits that identify gold and the models' responses, in whatever order and by whatever names."""
    seen = hashlib.sha256(repr((table.scale.kind, table.scale.levels, table.scale.labels)).encode())
    for name in sorted(names, key=lambda name: table.source(name).values.tobytes()) + ([gold] if gold else []):
        source = table.source(name)
        for array in (source.values, source.offsets, source.raters):
            seen.update(b"" if array is None else array.tobytes())
    return seen.hexdigest()[:12]
