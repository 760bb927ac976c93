"""Which models are significantly better than which? `compare_all` tests all of them together."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from howsure import _matrices, _random
from howsure.comparison import Procedure
from howsure.comparison.agreeing_interval import largest_difference
from howsure.comparison.comparing import Swaps, swaps_of
from howsure.comparison.moments import rounding_of
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import group_codes
from howsure.data.scales import IntArray
from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.inference.simultaneous import adjust_smallest, tails_among
from howsure.io.reading import as_table
from howsure.leaderboards.agreeing_intervals import agreeing, of_two_models
from howsure.leaderboards.pairs import Findings, PairSettings, Tested, bounded_by_missing, findings_of
from howsure.leaderboards.random_raters import findings_with_raters, random_raters_of
from howsure.leaderboards.ranks import notes_on, ranked, scopes_of, skewed_pairs
from howsure.leaderboards.request import LeaderboardRequest
from howsure.leaderboards.result import Leaderboard, Leaderboards
from howsure.leaderboards.score_intervals import is_share, score_bounds, with_score_intervals
from howsure.leaderboards.units import (
    LeaderboardData,
    Tasks,
    TaskSheet,
    check_tasks,
    friedman_note,
    leader_without,
    nothing_common,
    sheet_of,
    threads_for,
    weights_of,
)
from howsure.wording.sentences import which_line, whose_raters

MOST_ALONE = 200
"""Up to this many pairs a metric without item scores is asked pair by pair."""


@_matrices.on_one_thread
def compare_all(
    table: ResponseTable | Any,
    request: LeaderboardRequest | None = None,
    *,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
    **settings: Any,
) -> Leaderboard:
    """Rank all models of a table, and test which of them differ significantly.

    All models see the same resamples, and a pair gets the advantage and the p-value that `compare` gives it. Intervals
    of advantages, adjusted p-values and rank ranges hold for all pairs together.

    Parameters
    ----------
    table : ResponseTable, dataframe (pandas, Polars, Arrow) or path
    request : LeaderboardRequest, optional
        What is asked, as one record.
    rng : int, SeedSequence, Generator or None
    workers : int, optional
    progress : callable, optional
        Called with the number of resamples done.
    **settings
        Fields of `LeaderboardRequest`, in place of `request`.

    Returns
    -------
    Leaderboard

    Examples
    --------
    >>> from howsure.examples import ratings
    >>> board = compare_all(ratings(), gold="human", rng=0)
    >>> [(model.name, model.rank, model.in_confidence_set) for model in board.models]
    [('model-2', 1, True), ('model-1', 2, False)]
    """
    request = LeaderboardRequest.of(request, settings)
    data = request.data(as_table(table))
    pairs = PairSettings.of(request, data.models, rng=rng, workers=workers, progress=progress)
    tasks, notes = tasks_of(data, request, workers=pairs.workers)
    if request.by is not None:
        check_tasks(tasks, request.aggregation, random=request.random_tasks)
    # How far apart two scores may be that are equal on paper, whichever models they are of.
    first, *others = data.models
    for name in data.models:
        data.table.sources[name].check_magnitudes(name, data.table.items)
    against_first = [data.table.contest(a=first, b=name, gold=data.gold, complete=False) for name in others]
    rounding = max(rounding_of(data.metric, contest) for contest in against_first)
    pairs = replace(pairs, rounding=rounding, count_all=request.n_resamples is None)
    variants = tasks.units(aggregate=request.aggregation, random=request.random_tasks)
    raters, about_raters = random_raters_of(data, tasks, request)
    notes = [*data.notes, *notes, *about_raters]
    scopes: dict[str, Findings] = {}
    advice = ""
    of_two = len(data.models) == 2 and request.by is None
    swapped, about_pairs = (None, []) if of_two else _pair_by_pair(data, tasks, pairs, cluster=request.cluster)
    notes += about_pairs
    judged = [findings_of(units, pairs, tested=swapped) for units in variants]
    bounds = score_bounds(data.metric, data.table.scale)
    share = is_share(data.metric, bounds) and not request.aggregation.by_rank
    of_parts = [tasks.parts(sheets, random=request.random_tasks) for sheets in tasks.filled()]
    if not request.aggregation.by_rank and not (request.random_tasks and np.ptp(tasks.weights)):
        of_items = share and not request.random_tasks
        with_notes = [
            with_score_intervals(*each, data.models, pairs, metric=data.metric, bounds=bounds, share=of_items)
            for each in zip(judged, of_parts, strict=True)
        ]
        judged = [one for one, _ in with_notes]
        notes += with_notes[0][1]
    if of_two:
        common = replace(data, table=data.table.take(tasks.rows[0]))
        judged[0], about_pair = of_two_models(judged[0], common, pairs, cluster=request.cluster)
        notes += about_pair
    if raters is not None:
        like = findings_with_raters(raters, variants[0], pairs)
        scopes = dict(zip(whose_raters(raters.n_raters), (judged[0], like), strict=True))
        judged = [like] if raters.leads else judged
        advice = which_line(raters.n_raters)
    elif request.by is not None:
        scopes, advice = _both_for_tasks(tasks, request, judged, pairs)
    notes += leader_without(tasks, data.table.items)
    if data.metric.additive and raters is None and not of_two:
        notes += skewed_pairs(of_parts[0], pairs)
    found = judged[0] if len(judged) == 1 else bounded_by_missing(judged[0], judged[1], tasks, pairs.pairs)
    notes += [*found.notes, *notes_on(tasks, found, pairs)]
    if request.aggregation.by_rank and request.by is not None:
        notes.append(friedman_note(tasks, alpha=1 - request.confidence_level))
    found = agreeing(found, pairs, largest=_largest_difference(data, request))
    board = ranked(request, data.metric, tasks, found, pairs, digest=data.digest, notes=notes)
    both = scopes_of(scopes, found, data.models, pairs)
    return replace(board, scopes=both, advice=advice)


@_matrices.on_one_thread
def compare_all_by(
    table: ResponseTable | Any,
    by: str,
    request: LeaderboardRequest | None = None,
    *,
    rng: _random.Rng = None,
    workers: int | None = None,
    **settings: Any,
) -> Leaderboards:
    """Rank the models on each slice of the items, with correction across all slices and pairs.

    The leaderboards share the probability of an error evenly: each has the confidence level 1 − (1 − level) / slices
    for all its pairs and ranks, so all of them hold together with `confidence_level`.

    Parameters
    ----------
    table : ResponseTable, dataframe or path
    by : str
        An item column; each of its values is a slice.
    request, rng, workers, **settings
        As in `compare_all`; `confidence_level` is that of all leaderboards together.

    Examples
    --------
    >>> from howsure.examples import ratings
    >>> boards = compare_all_by(ratings(), "topic", gold="human", rng=0).leaderboards
    >>> [(board.slice, board.leaders[0].name, board.confidence_level) for board in boards]
    [('topic = fiction', 'model-2', 0.975), ('topic = news', 'model-2', 0.975)]
    """
    request = LeaderboardRequest.of(request, settings)
    table = as_table(table)
    values, codes = group_codes(table.groups, "by", by)
    seed = _random.replayable(rng)
    of_one = replace(request, confidence_level=1 - (1 - request.confidence_level) / values.size)
    boards = tuple(
        replace(
            compare_all(table.take(np.flatnonzero(codes == number)), of_one, rng=seed, workers=workers),
            slice=f"{by} = {value}",
        )
        for number, value in enumerate(values)
    )
    return Leaderboards(leaderboards=boards, by=by, confidence_level=request.confidence_level)


def _largest_difference(data: LeaderboardData, request: LeaderboardRequest) -> float:
    """Return the largest difference that two models can have: of scores, or of what their ranks count."""
    if request.aggregation.of_ranks is None:
        share = is_share(data.metric, score_bounds(data.metric, data.table.scale))
        return 1.0 if share else largest_difference(data.metric, data.table.scale)
    m = len(data.models)
    return float(np.ptp(request.aggregation.of_ranks(np.array([1.0, m]), m)))


def _both_for_tasks(
    tasks: Tasks, request: LeaderboardRequest, judged: list[Findings], pairs: PairSettings
) -> tuple[dict[str, Findings], str]:
    """Return the answers for these tasks and for tasks like these, and which of them to report.

    There is one answer only where ranks are combined, or where models lack tasks, and with a single task. Tasks of a
    single item have no answer by themselves.
    """
    counted = [sheet for sheet, weight in zip(tasks.sheets, tasks.weights, strict=True) if weight > 0]
    n, single = len(counted), any(sheet.n_units < 2 for sheet in counted)
    if request.aggregation.by_rank or len(judged) > 1 or n < 2 or single:
        return {}, ""
    [units] = tasks.units(aggregate=request.aggregation, random=not request.random_tasks)
    beside = findings_of(units, replace(pairs, progress=None))
    these, like = (beside, judged[0]) if request.random_tasks else (judged[0], beside)
    advice = "Report the first line for exactly these tasks, the second to generalise to other tasks."
    if 2 * 0.5**n > 1 - pairs.level:
        advice = f"{n} tasks are too few to generalise to others: the second line cannot be significant."
    return {f"On these {n} tasks": these, "On tasks like these": like}, advice


def tasks_of(data: LeaderboardData, request: LeaderboardRequest, *, workers: int) -> tuple[Tasks, list[str]]:
    """Return the tasks (one without a name where there is no column of tasks), and notes on those left out."""
    table, metric, names, by = data.table, data.metric, data.models, request.by
    clusters = None if request.cluster is None else group_codes(table.groups, "cluster", request.cluster)[1]
    if by is None:
        if request.weights is not None:
            raise ArgumentError("`weights` are weights of tasks; pass the column of tasks with `by`.")
        if request.aggregation.by_rank:
            raise ArgumentError(
                f"`aggregate={request.aggregate!r}` combines the ranks of several tasks: pass `by`, the column of "
                "tasks, and `task_effect='random'`, or use `aggregate='mean'`."
            )
        labels, codes = np.array([""]), np.zeros(table.n_items, dtype=np.int64)
    else:
        labels, codes = group_codes(table.groups, "by", by)
    rows_of = [np.flatnonzero(codes == t) for t in range(labels.size)]
    every = [
        (str(label), *sheet_of(data, rows, clusters=clusters, workers=workers))
        for label, rows in zip(labels, rows_of, strict=True)
    ]
    answered = [task for task in every if task[2].size]
    kept = _defined(data, answered)
    if by is None:
        empty = [name for name in names if not (table.source(name).sizes > 0).any()]
        if empty:
            raise DataError(f"model {empty[0]!r} has no item in common with the others. Leave it out.")
    if not kept:
        raise nothing_common(list(names))
    tasks, sheets, rows = zip(*kept, strict=True)
    if by is None:
        found = Tasks((), names, sheets, np.ones(1), rows)
    else:
        found = Tasks(tasks, names, sheets, weights_of(tasks, request.weights), rows)
    flat = [task for task, _, _ in answered if task not in tasks]
    undefined = (
        f"{len(flat)} of {labels.size} tasks are left out, because the {metric.title} of every model is undefined "
        f"there: {', '.join(flat[:5])}{' …' if len(flat) > 5 else ''}."
    )
    gone = [task for task, _, there in every if not there.size]
    left_out = (
        f"{len(gone)} of {labels.size} tasks are left out, because no item has a response from every model that "
        f"has the task: {', '.join(gone[:5])}{' …' if len(gone) > 5 else ''}."
    )
    return found, [*([left_out] if gone else []), *([undefined] if flat else []), *_left_out(table, found)]


def _defined(
    data: LeaderboardData, tasks: list[tuple[str, TaskSheet, IntArray]]
) -> list[tuple[str, TaskSheet, IntArray]]:
    """Return the tasks that have scores; a model that answered but has no score is an error."""
    table, metric, names = data.table, data.metric, data.models
    kept = []
    for task, sheet, rows in tasks:
        there = [j for j, name in enumerate(names) if (table.source(name).sizes[rows] > 0).any()]
        flat = [names[j] for j in there if np.isnan(sheet.scores[j])]
        if flat and len(flat) < len(there):
            where, or_task = (f" on task {task!r}", " or the task") if task else ("", "")
            raise DataError(
                f"the {metric.title} of model {flat[0]!r} is undefined{where}, for example because all "
                f"answers are the same. Leave the model{or_task} out, or choose another metric."
            )
        if not flat:
            kept.append((task, sheet, rows))
    if tasks and not kept:
        raise DataError(
            f"the {metric.title} is undefined for every model, for example because all gold labels or all answers "
            "are the same, or there are too few items. Choose another metric."
        )
    return kept


def _left_out(table: ResponseTable, tasks: Tasks) -> list[str]:
    """Return how many items are left out, and which model lacks most."""
    n_kept = sum(rows.size for rows in tasks.rows)
    if n_kept == table.n_items:
        return []
    lacks = {name: int((source.sizes == 0).sum()) for name, source in table.sources.items()}
    most = max(lacks, key=lambda name: lacks[name])
    n_out = table.n_items - n_kept
    return [
        f"{n_out:,} of {table.n_items:,} items {'is' if n_out == 1 else 'are'} left out, because all models are "
        f"compared on the same items. {most} lacks most ({lacks[most]:,}); without it more items may remain."
    ]


def _pair_by_pair(
    data: LeaderboardData, tasks: Tasks, settings: PairSettings, *, cluster: str | None
) -> tuple[Tested | None, list[str]]:
    """Return each pair's p-value as `compare` has it, by a metric without item scores.

    None where items have scores, where there are too many pairs, or where tasks are weighed.

    All pairs are swapped by the same coins, so the draws that give the p-values adjust them, too (min-p).
    """
    pairs, metric, names = settings.pairs, data.metric, data.models
    if metric.additive:
        return None, []
    if tasks.names or pairs.first.size > MOST_ALONE:
        return None, [
            Aside(
                f"{metric.name} has no item scores, so p-values are computed from jackknife pseudo-values. "
                "howsure compare recomputes the metric for each resample of one pair."
            )
        ]
    common = replace(data, table=data.table.take(tasks.rows[0]))
    how = Procedure(raters="fixed", cluster=cluster, n_resamples=None if settings.count_all else settings.n_resamples)

    def one(number: int, workers: int) -> Swaps:
        contest = common.contest(names[pairs.first[number]], names[pairs.second[number]])
        return swaps_of(contest, metric=metric, procedure=how, rng=settings.seed, workers=workers)

    # Threads share the pairs; the last few, too few for all threads, are computed one by one on all of them.
    n_threads = threads_for(metric, settings.workers)
    n_shared = pairs.first.size // n_threads * n_threads
    found = _random.map_blocks(lambda number, *_: one(number, 1), n_shared, workers=n_threads, size=1)
    found += [one(number, n_threads) for number in range(n_shared, pairs.first.size)]
    pvalues, exact = np.array([swaps.pvalue for swaps in found]), all(swaps.exact for swaps in found)
    tails = [tails_among(swaps.null_draws, math.nan if exact else swaps.advantage) for swaps in found]
    return Tested(pvalues, adjust_smallest(pvalues, np.stack(tails), exact=exact), exact), []
