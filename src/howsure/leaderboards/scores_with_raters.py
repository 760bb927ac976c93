"""The score of one model for raters like these: the same for `score` and for leaderboards."""

import math
from dataclasses import replace

import numpy as np

from howsure.data.contests import Contest
from howsure.data.scales import FloatArray
from howsure.errors import DataError
from howsure.inference.combined_error import CombinedError
from howsure.inference.estimate import ConfidenceInterval
from howsure.inference.proportions import effective_wilson
from howsure.judging.combined_advantage import LabelDesign, Labelled, combine
from howsure.judging.judged_scores import ScoreOfA
from howsure.leaderboards.score_intervals import is_share, moments, score_bounds, score_interval
from howsure.leaderboards.units import LeaderboardData, TaskSheet, sheet_of
from howsure.metrics import ItemMetric
from howsure.raters.design import leave_out_raters, rated, raters_of
from howsure.resampling import cell_table

GROUPS = 50
"""Raters are left out one by one, or in this many groups."""


def score_with_raters(
    data: LeaderboardData,
    sheet: TaskSheet,
    j: int,
    level: float,
    *,
    moves: FloatArray | None = None,
    score: float | None = None,
) -> ConfidenceInterval:
    """Return the interval of the score of model j, on items and for raters like these.

    The error of a mean of item scores is that of labels without a judge (`judging/combined_advantage.py`): raters with
    the noise of single ratings, and items beyond it. The error of other metrics, and of clusters of items, is the sum
    of two jackknives, of items and of raters, both of which count that noise: it is on the safe side.

    Parameters
    ----------
    data : LeaderboardData
        The items of `sheet`.
    sheet : TaskSheet
        Higher is better in it.
    j : int
    level : float
    moves : array, optional
        What `rater_moves` returns, where it was computed before.
    score : float, optional
        The score in `sheet`, if it is not the mean of its items.
    """
    metric, name = data.metric, data.models[j]
    sign = 1.0 if metric.better == "higher" else -1.0
    items, mean = sign * sheet.items[:, j], sign * float(sheet.scores[j] if score is None else score)
    bounds = score_bounds(metric, data.table.scale)
    fixed = score_interval([(1.0, items, sheet.clusters)], mean, level, bounds, share=is_share(metric, bounds))
    if items.size < 2 or np.isnan(items).any():
        return fixed
    [variance], [n], [df] = moments([(1.0, items[:, np.newaxis], sheet.clusters)])
    if isinstance(metric, ItemMetric) and sheet.clusters is None:
        model, gold = data.table.source(name), None if data.gold is None else data.table.source(data.gold)
        alone = Contest(gold, model, model, data.table.scale, data.table.items)
        cells = cell_table(alone, ScoreOfA(metric)) if rated(alone) else None  # a single rater is no sample of raters
        every = Labelled(items, items, np.arange(items.size), LabelDesign.simple(items.size), cells=cells)
        error = combine(every, slope=0.0).error
    else:
        moves = rater_moves(data) if moves is None else moves
        of_raters = float(np.square(moves[:, j]).sum())
        n_raters = raters_of(data.table.sources.values()).size
        error = CombinedError((of_raters, float(variance)), (max(1.0, n_raters - 1.0), float(df)))
    if is_share(metric, bounds):
        ends = effective_wilson(np.array(mean), np.array(error.variance), n, df=error.df, confidence_level=level)
        found = ConfidenceInterval(float(ends[0]), float(ends[1]), "wilson", level)
    else:
        found = error.interval(mean, confidence_level=level)
    if math.isnan(found.low) or math.isnan(fixed.low):
        return found
    # As in `compare`, the answer for raters like these is never surer than the one for these raters.
    low, high = min(found.low, fixed.low), max(found.high, fixed.high)
    return replace(found, low=max(low, bounds[0]), high=min(high, bounds[1]), notes=(*found.notes, *fixed.notes))


def rater_moves(data: LeaderboardData) -> FloatArray:
    """Return what each rater (or group of them) adds to each score: their squares sum to the jackknife variance."""
    sources = data.table.sources
    who = raters_of(sources.values())
    left = []
    for start in range(min(GROUPS, who.size)):
        group = who[start::GROUPS]
        kept = {name: leave_out_raters(source, group) for name, source in sources.items()}
        without = replace(data, table=replace(data.table, sources=kept))
        try:
            sheet, _ = sheet_of(without, np.arange(without.table.n_items))
        except DataError:  # nobody else judged anything
            continue
        if not np.isnan(sheet.scores).any():
            left.append(sheet.scores)
    if len(left) < 2:
        return np.zeros((1, len(data.models)))
    scores = np.array(left)
    return np.asarray(math.sqrt((len(left) - 1) / len(left)) * (scores - scores.mean(axis=0)))
