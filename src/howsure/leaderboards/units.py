"""From a table to units × models: what each item, cluster or task adds to the score of each model.

Everything that a leaderboard computes is linear in these numbers: scores are column sums, advantages are differences of
columns, and a resample takes units more or less often, or turns their sign. Votes and metrics without item scores enter
as linearised units. So nothing is ever as large as pairs × resamples.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import _random
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray
from howsure.data.summaries import summarise
from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.metrics import ItemMetric, Metric
from howsure.resampling.draws import CELLS

UNNAMED = "mean rating"
"""The title of scores of which nothing else is known: the column of values may have a better name."""
FEW_ITEMS = 100
"""Up to so many items are left out one by one, to see whether the leader depends on one of them."""
MOST_LEFT_OUT = 200
"""Above this many items, a metric without item scores leaves out groups of them."""


@dataclass(frozen=True, slots=True, eq=False)
class LeaderboardData:
    """The models of a leaderboard, and what they are measured by.

    Attributes
    ----------
    table : ResponseTable
        The models and gold alone.
    models : tuple of str
    metric : Metric
    gold : str or None
    digest : str
        Twelve digits that identify the responses.
    notes : tuple of str
        On the table and the choice of the metric.
    """

    table: ResponseTable
    models: tuple[str, ...]
    metric: Metric
    gold: str | None = None
    digest: str = ""
    notes: tuple[str, ...] = ()

    def contest(self, a: str, b: str) -> Contest:
        """Return two of the models as a contest."""
        return self.table.contest(a=a, b=b, gold=self.gold)


@dataclass(frozen=True, slots=True, eq=False)
class BoardUnits:
    """What the models' scores are made of. Higher is better here, whatever the metric.

    Attributes
    ----------
    names : tuple of str
        The models.
    totals : array, (units, models)
        What each unit adds to each model's score.
    shares : array, (units,)
        What each unit weighs; they sum to one.
    starts : array of int
        Where each stratum begins: units are drawn within strata.
    scores : array, (models,)
        The scores; the column sums of `totals`, but for metrics without item scores, whose totals are pseudo-values.
    word : str
        What a unit is: item, cluster or task.
    """

    names: tuple[str, ...]
    totals: FloatArray
    shares: FloatArray
    starts: IntArray
    scores: FloatArray
    word: str = "item"

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return int(self.totals.shape[0])

    @property
    def sizes(self) -> IntArray:
        """How many units each stratum has."""
        return np.diff([*self.starts, self.n_units])

    @property
    def rests(self) -> FloatArray:
        """How far each unit's total is from what the mean of its stratum gives it."""
        stratum = np.repeat(np.arange(self.starts.size), self.sizes)
        means = np.add.reduceat(self.totals, self.starts) / np.add.reduceat(self.shares, self.starts)[:, np.newaxis]
        return self.totals - self.shares[:, np.newaxis] * means[stratum]

    @property
    def errors(self) -> FloatArray:
        """What each unit adds to the error of each score: the squares of a column sum to the variance of the score."""
        factors = np.sqrt(self.sizes / np.maximum(self.sizes - 1, 1))
        return np.asarray(self.rests * np.repeat(factors, self.sizes)[:, np.newaxis])

    def take(self, models: IntArray) -> "BoardUnits":
        """Return the units of these models only."""
        names = tuple(self.names[int(j)] for j in models)
        return BoardUnits(names, self.totals[:, models], self.shares, self.starts, self.scores[models], self.word)


@dataclass(frozen=True, slots=True, eq=False)
class TaskSheet:
    """The scores of each item by each model, and of the whole: one task of a leaderboard.

    Attributes
    ----------
    items : array, (items, models)
        Item scores, or pseudo-values of a metric without; higher is better.
    scores : array, (models,)
        NaN for a model that has no item here.
    clusters : array of int, optional
        The cluster of each item.
    """

    items: FloatArray
    scores: FloatArray
    clusters: IntArray | None = None

    @property
    def n_units(self) -> int:
        """How many items, or clusters, it has."""
        return self.items.shape[0] if self.clusters is None else np.unique(self.clusters).size


def sheet_of(
    data: LeaderboardData, rows: IntArray, *, clusters: IntArray | None = None, workers: int = 1
) -> tuple[TaskSheet, IntArray]:
    """Return the scores on those of these rows that gold and every model answered, and which rows these are.

    A model that answered none of the rows is left out of that condition; its scores are NaN.
    """
    table, metric, models = data.table, data.metric, data.models
    answered = {name: table.source(name).sizes[rows] > 0 for name in models}
    there = [name for name in models if answered[name].any()]
    common = np.logical_and.reduce([answered[name] for name in there])
    if data.gold is not None:
        common &= table.source(data.gold).sizes[rows] > 0
    kept = rows[common]
    m = len(models)
    if not kept.size or not there:
        return TaskSheet(np.empty((0, m)), np.full(m, np.nan)), kept
    of_gold = None if data.gold is None else _summary(data, data.gold, kept)
    sign = 1.0 if metric.better == "higher" else -1.0
    items, scores = np.full((kept.size, m), np.nan), np.full(m, np.nan)

    def one(j: int, *_: int) -> None:
        if models[j] in there:
            items[:, j], scores[j] = scored_alone(metric, of_gold, _summary(data, models[j], kept))

    width = kept.size * (1 if metric.additive else MOST_LEFT_OUT)
    _random.map_blocks(one, m, workers=threads_for(metric, workers), size=1, width=width)
    return TaskSheet(sign * items, sign * scores, None if clusters is None else clusters[kept]), kept


def threads_for(metric: Metric, workers: int) -> int:
    """Return how many threads score models: one for a function in Python, for which they would wait for each other."""
    return workers if getattr(metric, "vectorized", True) else 1


def _summary(data: LeaderboardData, name: str, rows: IntArray) -> FloatArray:
    source: Responses = data.table.source(name)
    kept = source if rows.size == source.n_items else source.take(rows)
    return summarise(kept, data.metric.needs, data.table.scale)


def scored_alone(metric: Metric, gold: FloatArray | None, model: FloatArray) -> tuple[FloatArray, float]:
    """Return the item scores of one model, or its pseudo-values (Tukey), and its score."""
    if isinstance(metric, ItemMetric):
        items = np.asarray(metric.item_scores(gold, model), dtype=np.float64)  # type: ignore[arg-type]
        return items, float(items.mean())
    score = float(metric.score(gold, model))  # type: ignore[arg-type]
    n = model.shape[0]
    n_groups = min(n, MOST_LEFT_OUT)
    groups = np.arange(n) % n_groups
    if n_groups < 2:
        return np.full(n, np.nan), score
    left = np.empty(n_groups)
    batch = max(1, CELLS // max(model.size, 0 if gold is None else gold.size))
    for first, last in ((0, n % n_groups), (n % n_groups, n_groups)):  # the first groups may have one item more
        for low in range(first, last, batch):
            out = np.arange(low, min(low + batch, last))
            kept = np.nonzero(groups != out[:, np.newaxis])[1].reshape(out.size, -1)
            left[out] = metric.score(None if gold is None else gold[kept], model[kept])  # type: ignore[arg-type]
    # All items of a group get its pseudo-value: their mean is that of the groups, their spread says as much as theirs.
    pseudo = n_groups * score - (n_groups - 1) * left
    spread = np.sqrt((n - 1) / (n_groups - 1)) if n > n_groups else 1.0
    return pseudo.mean() + spread * (pseudo - pseudo.mean())[groups], score


def units_of(names: tuple[str, ...], sheet: TaskSheet, *, weight: float = 1.0) -> BoardUnits:
    """Return the units of one task: its items, or its clusters."""
    n, m = sheet.items.shape
    totals, shares, word = weight * sheet.items / n, np.full(n, weight / n), "item"
    if sheet.clusters is not None:
        codes = np.unique(sheet.clusters, return_inverse=True)[1]
        summed = np.zeros((int(codes.max()) + 1, m))
        np.add.at(summed, codes, totals)
        totals, shares, word = summed, np.bincount(codes, shares), "cluster"
    return BoardUnits(names, totals, shares, np.zeros(1, dtype=np.int64), weight * sheet.scores, word)


def stacked(parts: list[BoardUnits]) -> BoardUnits:
    """Return the units of several tasks, each a stratum: these tasks, other items."""
    starts = np.concatenate([[0], np.cumsum([part.n_units for part in parts])[:-1]])
    return BoardUnits(
        parts[0].names,
        np.concatenate([part.totals for part in parts]),
        np.concatenate([part.shares for part in parts]),
        starts,
        np.sum([part.scores for part in parts], axis=0),
        parts[0].word,
    )


def as_units(names: tuple[str, ...], scores: FloatArray, weights: FloatArray) -> BoardUnits:
    """Return tasks as units: `scores` are tasks × models; other tasks like these.

    A task's score contains the noise of its items; resampling items within tasks too would count that noise twice.
    """
    totals = weights[:, np.newaxis] * scores
    return BoardUnits(names, totals, weights, np.zeros(1, dtype=np.int64), totals.sum(axis=0), "task")


def ranks_of(scores: FloatArray) -> FloatArray:
    """Return the rank of each model in each row, 1 for the highest; ties share their mean rank.

    Examples
    --------
    >>> ranks_of(np.array([[0.5, 0.9, 0.5]]))
    array([[2.5, 1. , 2.5]])
    """
    higher = (scores[:, np.newaxis, :] > scores[:, :, np.newaxis]).sum(axis=2)
    equal = (scores[:, np.newaxis, :] == scores[:, :, np.newaxis]).sum(axis=2)
    return np.asarray(higher + (equal + 1) / 2)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """How the scores of several tasks become one.

    Attributes
    ----------
    name : str
    of_ranks : callable, optional
        What a rank counts among this many models, higher being better. Scores count as they are without it.
    better : str
        Which aggregate is better; empty for that of the metric.
    """

    name: str
    of_ranks: Callable[[FloatArray, int], FloatArray] | None = None
    better: str = ""

    @property
    def by_rank(self) -> bool:
        """Whether only the ranks within each task count."""
        return self.of_ranks is not None

    def of_tasks(self, scores: FloatArray) -> FloatArray:
        """Return what each task adds to the aggregate, higher being better: (tasks, models).

        Examples
        --------
        >>> scores = np.array([[0.9, 0.5, 0.5]])
        >>> [AGGREGATES[name].of_tasks(scores).tolist() for name in ("mean-rank", "borda", "win-rate")]
        [[[-1.0, -2.5, -2.5]], [[2.0, 0.5, 0.5]], [[1.0, 0.25, 0.25]]]
        """
        return scores if self.of_ranks is None else np.asarray(self.of_ranks(ranks_of(scores), scores.shape[1]))

    def titled(self, metric: Metric, score_name: str = "") -> tuple[str, str]:
        """Return what the aggregate of a metric is called, and whether lower or higher is better."""
        of_one = score_name if score_name and metric.title == UNNAMED else metric.title
        title = f"{self.name.replace('-', ' ')} by {of_one}" if self.by_rank else of_one
        return title, self.better or metric.better


MEAN = Aggregate("mean")
AGGREGATES: Mapping[str, Aggregate] = {
    one.name: one
    for one in (
        MEAN,
        Aggregate("mean-rank", lambda ranks, m: -ranks, "lower"),  # 1 for the best model of a task
        Aggregate("borda", lambda ranks, m: m - ranks, "higher"),  # models that it beats, ties counted half
        Aggregate("win-rate", lambda ranks, m: (m - ranks) / (m - 1), "higher"),  # their share
    )
}
"""Each way by its name."""


@dataclass(frozen=True, slots=True, eq=False)
class Tasks:
    """The tasks of a leaderboard, by model.

    Attributes
    ----------
    names : tuple of str
        Of the tasks; empty where there are none.
    models : tuple of str
    sheets : tuple of TaskSheet
    weights : array, (tasks,)
    rows : tuple of array of int
        The items of the table that each sheet is made of.
    """

    names: tuple[str, ...]
    models: tuple[str, ...]
    sheets: tuple[TaskSheet, ...]
    weights: FloatArray
    rows: tuple[IntArray, ...]

    @property
    def scores(self) -> FloatArray:
        """The score of each model on each task, higher being better: (tasks, models)."""
        return np.stack([sheet.scores for sheet in self.sheets])

    @property
    def lacking(self) -> dict[str, list[str]]:
        """The tasks that each model lacks, for models that lack some."""
        missing = np.isnan(self.scores)
        return {
            model: [self.names[t] for t in np.flatnonzero(missing[:, j])]
            for j, model in enumerate(self.models)
            if missing[:, j].any()
        }

    def filled(self) -> "list[list[TaskSheet]]":
        """Return the sheets of tasks that count: once or, where scores are missing, with the worst and the best.

        The worst and the best are those of the models that have the task.
        """
        counted = [sheet for sheet, weight in zip(self.sheets, self.weights, strict=True) if weight > 0]
        return [
            [_filled(sheet, fill) for sheet in counted]
            for fill in ((np.nanmin, np.nanmax) if self.lacking else (np.nanmin,))
        ]

    def parts(self, sheets: "list[TaskSheet]", *, random: bool) -> list[tuple[float, FloatArray, IntArray | None]]:
        """Return weight, item scores and clusters of each task, for intervals of scores; random tasks are items."""
        if random:
            return [(1.0, np.stack([sheet.scores for sheet in sheets]), None)]
        weights = self.weights[self.weights > 0]
        return [(float(weight), one.items, one.clusters) for weight, one in zip(weights, sheets, strict=True)]

    def units(self, *, aggregate: Aggregate, random: bool) -> list[BoardUnits]:
        """Return the units: once or, where scores are missing, with the worst and the best in their place."""
        weights = self.weights[self.weights > 0]
        found = []
        for sheets in self.filled():
            if random:
                scores = np.stack([sheet.scores for sheet in sheets])
                found.append(as_units(self.models, aggregate.of_tasks(scores), weights))
            else:
                parts = zip(sheets, weights, strict=True)
                found.append(stacked([units_of(self.models, sheet, weight=weight) for sheet, weight in parts]))
        return found


def weights_of(tasks: tuple[str, ...], weights: Mapping[str, float] | None) -> FloatArray:
    """Return the weight of each task; they sum to one."""
    if weights is None:
        return np.full(len(tasks), 1 / len(tasks))
    unknown = [task for task in weights if task not in tasks]
    missing = [task for task in tasks if task not in weights]
    if unknown or missing:
        which = f"{unknown[0]!r} is not a task" if unknown else f"task {missing[0]!r} has none"
        raise ArgumentError(f"`weights` must give a weight to each of {', '.join(tasks)}; {which}.")
    values = np.array([float(weights[task]) for task in tasks])
    if not (np.isfinite(values) & (values >= 0)).all() or not values.sum() > 0:
        raise ArgumentError("`weights` must be numbers of at least 0, not all 0.")
    return np.asarray(values / values.sum())


def nothing_common(names: list[str]) -> DataError:
    """Return the error for models that share no item."""
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return DataError(f"no item has a response from every model ({shown}). Check the item ids, or leave out a model.")


def friedman_note(tasks: Tasks, *, alpha: float) -> str:
    """Return what Friedman's test says of the mean ranks, with Nemenyi's critical difference (Demšar 2006)."""
    from howsure.paired.systems import friedman

    scores = tasks.scores
    if np.isnan(scores).any() or scores.shape[1] < 3:
        return ""
    n, m = scores.shape
    equal = (scores[:, np.newaxis, :] == scores[:, :, np.newaxis]).sum(axis=2)
    untied = 1 - float((equal**2 - 1).sum()) / (n * (m**3 - m))
    if untied <= 0:  # all models tie on every task
        return ""
    plain = friedman(ranks_of(scores).mean(axis=0).tolist(), n, alpha=alpha)
    found = friedman(ranks_of(scores).mean(axis=0).tolist(), n, alpha=alpha, untied=untied)
    ties = "" if untied == 1 else f" (with ties taken into account {found.statistic:.3g} and {found.f_statistic:.3g})"
    return (
        f"Friedman's test of equal mean ranks: χ² = {plain.statistic:.2f}, F = {plain.f_statistic:.2f}{ties}, "
        f"p = {found.pvalue:.2g}. Nemenyi's critical difference of mean ranks is {plain.critical_difference:.2f}."
    )


def leader_without(tasks: Tasks, items: Any) -> list[str]:
    """Return whether the leader depends on one task (or on one of few items): who is first where each is left out."""
    scores, weights, names, word = tasks.scores, tasks.weights, tasks.names, "task"
    if not names:
        [sheet], [rows] = tasks.sheets, tasks.rows
        scores, names, word = sheet.items, tuple(str(item) for item in items[rows]), "item"
        weights = np.full(len(names), 1.0)
        if len(tasks.models) < 3 or len(names) > FEW_ITEMS or not np.allclose(scores.mean(axis=0), sheet.scores):
            return []
    if len(names) < 3 or np.isnan(scores).any():
        return []
    parts = weights[:, np.newaxis] * scores
    whole = parts.sum(axis=0)
    left = (whole - parts) / (weights.sum() - weights)[:, np.newaxis]
    leader = int(np.argmax(whole))
    ahead = left - left[:, [leader]] > 1e-12 * np.abs(whole).max()
    lost = [t for t in np.flatnonzero(ahead.any(axis=1)) if weights[t] > 0]
    if not lost:
        return [Aside(f"{tasks.models[leader]} stays first whichever {word} is left out.")]
    first = tasks.models[int(np.argmax(left[lost[0]]))]
    others = f" Leaving out any of {len(lost)} of the {len(names)} {word}s changes the leader." if len(lost) > 1 else ""
    return [f"{tasks.models[leader]} is first only with {names[lost[0]]}: without it, {first} is first.{others}"]


def check_tasks(tasks: Tasks, aggregate: Aggregate, *, random: bool) -> None:
    """Raise an error for ranks of fixed tasks, one task as a sample, and tasks with a single unit."""
    if aggregate.by_rank and not random:
        raise ArgumentError(
            f"`aggregate={aggregate.name!r}` requires `task_effect='random'`: with fixed tasks, ranks are not smooth "
            "functions of the data and bootstrap intervals do not cover. Use `aggregate='mean'` for these tasks, or "
            "`task_effect='random'` for tasks like these."
        )
    if random and len(tasks.names) < 2:
        raise DataError("one task is too few to generalise to other tasks; use `task_effect='fixed'`.")
    for name, sheet in zip(tasks.names, tasks.sheets, strict=True):
        if sheet.n_units < 2 and not random:
            raise DataError(
                f"task {name!r} has {sheet.n_units} item that every model answered; a standard error requires two. "
                "Leave it out (weight 0), or use `task_effect='random'`."
            )


def _filled(sheet: TaskSheet, fill: Callable[[Any], Any]) -> TaskSheet:
    """Return the sheet with the worst or the best score of the others in place of a missing one."""
    missing = np.isnan(sheet.scores)
    if not missing.any():
        return sheet
    value = float(fill(sheet.scores))
    items, scores = np.where(missing, value, sheet.items), np.where(missing, value, sheet.scores)
    return TaskSheet(items, scores, sheet.clusters)
