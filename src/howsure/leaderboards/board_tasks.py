"""Several tasks on one leaderboard: their scores, how they become one, and what a missing score leaves open."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import ArgumentError, DataError
from howsure.leaderboards.board_units import TaskSheet, Units, as_units, ranks_of, stacked, units_of
from howsure.scales import FloatArray, IntArray

AGGREGATES = {
    "mean": "the mean of the scores",
    "mean-rank": "the mean rank, 1 for the best model of a task",
    "borda": "the mean number of models that it beats on a task, ties counted half",
    "win-rate": "the mean share of models that it beats on a task, ties counted half",
}
"""How the scores of several tasks become one."""


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

    def units(self, *, aggregate: str, random: bool) -> list[Units]:
        """Return the units: once or, where scores are missing, with the worst and the best in their place.

        The worst and the best are those of the models that have the task.
        """
        counted = [t for t in range(len(self.sheets)) if self.weights[t] > 0]
        weights = self.weights[counted]
        found = []
        for fill in (np.nanmin, np.nanmax) if self.lacking else (np.nanmin,):
            sheets = [_complete(self.sheets[t], fill) for t in counted]
            if random:
                scores = np.stack([sheet.scores for sheet in sheets])
                found.append(as_units(self.models, ranked(scores, aggregate), weights))
            else:
                parts = zip(sheets, weights, strict=True)
                found.append(stacked([units_of(self.models, sheet, weight=weight) for sheet, weight in parts]))
        return found


def ranked(scores: FloatArray, aggregate: str) -> FloatArray:
    """Return what each task adds to the aggregate, higher being better: scores, or functions of the ranks.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.5, 0.5]])
    >>> [ranked(scores, name).tolist() for name in ("mean-rank", "borda", "win-rate")]
    [[[-1.0, -2.5, -2.5]], [[2.0, 0.5, 0.5]], [[1.0, 0.25, 0.25]]]
    """
    if aggregate == "mean":
        return scores
    ranks, m = ranks_of(scores), scores.shape[1]
    if aggregate == "mean-rank":
        return -ranks
    return np.asarray((m - ranks) / (1 if aggregate == "borda" else m - 1))


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


def checked(tasks: Tasks, aggregate: str, random: bool) -> None:
    """Raise an error for ranks of fixed tasks, one task as a sample, and tasks with a single unit."""
    if aggregate != "mean" and not random:
        raise ArgumentError(
            f"`aggregate={aggregate!r}` requires `task_effect='random'`: with fixed tasks, ranks are not smooth "
            "functions of the data and bootstrap intervals do not cover. Use `aggregate='mean'` for these tasks, or "
            "`task_effect='random'` for tasks like these."
        )
    if random and len(tasks.names) < 2:
        raise DataError("one task is too few to generalise to other tasks; use `task_effect='fixed'`.")
    for name, sheet in zip(tasks.names, tasks.sheets, strict=True):
        length = sheet.items.shape[0] if sheet.clusters is None else np.unique(sheet.clusters).size
        if length < 2 and not random:
            raise DataError(
                f"task {name!r} has {length} item that every model answered; a standard error requires two. Leave "
                "it out (weight 0), or use `task_effect='random'`."
            )


def _complete(sheet: TaskSheet, fill: Callable[[Any], Any]) -> TaskSheet:
    """Return the sheet with the worst or the best score of the others in place of a missing one."""
    missing = np.isnan(sheet.scores)
    if not missing.any():
        return sheet
    value = float(fill(sheet.scores))
    items, scores = np.where(missing, value, sheet.items), np.where(missing, value, sheet.scores)
    return TaskSheet(items, scores, sheet.clusters)
