"""Which models are significantly better than which? `compare_all` tests all of them together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure import _check, _matrices, _random
from howsure.comparison import DRAWS, Procedure
from howsure.comparison.comparing import pvalue_of
from howsure.comparison.default_metric import bind, metrics_for
from howsure.comparison.moments import rounding_of
from howsure.contests import Contest
from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.inference.corrections import JOINT_CORRECTIONS
from howsure.io.reading import as_table
from howsure.leaderboards.assembly import assemble, digest_of, remarks
from howsure.leaderboards.board_tasks import AGGREGATES, Tasks, checked, friedman_note
from howsure.leaderboards.board_units import TaskSheet, Units, nothing_common, sheet_of, threads_for, weights_of
from howsure.leaderboards.joint import Ask, Pairs
from howsure.leaderboards.judging import bounded, judge
from howsure.leaderboards.leaderboards import Leaderboard
from howsure.leaderboards.rater_boards import rater_question
from howsure.metrics import Metric
from howsure.response_tables import ResponseTable
from howsure.responses import group_codes
from howsure.scales import FloatArray, IntArray
from howsure.summaries import lean

MOST = 1000
"""More models than this have too many pairs to look at; against a baseline any number will do."""
MOST_ALONE = 200
"""Up to this many pairs a metric without item scores is asked pair by pair."""


@_matrices.on_one_thread
def compare_all(
    table: ResponseTable | Any,
    *,
    gold: str | None = None,
    models: Sequence[str] | None = None,
    metric: str | Metric | None = None,
    baseline: str | None = None,
    by: str | None = None,
    aggregate: str = "mean",
    task_effect: str = "fixed",
    weights: Mapping[str, float] | None = None,
    cluster: str | None = None,
    raters: str | None = None,
    correction: str = "westfall-young",
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Leaderboard:
    """Rank all models of a table, and test which of them differ significantly.

    All models see the same resamples, and a pair gets the advantage and the p-value that `compare` gives it. Intervals
    of advantages, adjusted p-values and rank ranges hold for all pairs together.

    Parameters
    ----------
    table : ResponseTable, dataframe (pandas, Polars, Arrow) or path
    gold : str, optional
        The source that models are measured against. Default: none, for ratings of the models' own outputs.
    models : list of str, optional
        The sources to rank. Default: all but gold.
    metric : str or Metric, optional
        As in `compare`; metrics that exist between two models only (wins) have no leaderboard.
    baseline : str, optional
        Compare every model with this one only, which costs less power than all pairs.
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
    raters : {"random", "fixed"}, optional
        As in `compare`: whether the result generalises to raters like these. Default: random where raters judged
        several items.
    correction : {"westfall-young", "holm", "benjamini-hochberg", "none"}
        How p-values are adjusted for the number of pairs; ranks and groups follow from the adjusted ones.
    n_resamples : int, optional
        Number of resamples. Default: 9,999, and exact p-values of single pairs, as in `compare`, up to 200 pairs.
    confidence_level : float
    rng : int, SeedSequence, Generator or None
    workers : int, optional
    progress : callable, optional
        Called with the number of resamples done.

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
    _check.one_of("correction", correction, JOINT_CORRECTIONS)
    _check.one_of("aggregate", aggregate, AGGREGATES)
    _check.one_of("task_effect", task_effect, ("fixed", "random"))
    table = as_table(table)
    level = _check.fraction("confidence_level", confidence_level)
    n_draws = DRAWS if n_resamples is None else _check.integer("n_resamples", n_resamples, at_least=1)
    names = _names(table, gold, models, baseline)
    chosen, notes = _metric(table, gold, names, metric)
    digest, table = digest_of(table, gold, names), _lean(table, gold, names, chosen)
    random = task_effect == "random"
    n_workers = _random.n_workers(workers)
    tasks, left_out = _tasks(
        table, chosen, names, gold=gold, by=by, weights=weights, cluster=cluster, workers=n_workers
    )
    if by is not None:
        checked(tasks, aggregate, random)
    ask = Ask(
        Pairs.of(len(names), None if baseline is None else names.index(baseline)),
        level,
        n_draws,
        _random.replayable(rng),
        n_workers,
        correction,
        progress,
        # How far apart two scores may be that are equal on paper, whichever models they are of.
        max(rounding_of(chosen, _contest(table, gold, names[0], name)) for name in names[1:]),
        n_resamples is None,
    )
    variants = tasks.units(aggregate=aggregate, random=random)
    asked, about_raters = rater_question(table, tasks, chosen, gold=gold, raters=raters, cluster=cluster)
    alone: FloatArray | None = None
    about_alone: list[str] = []
    if not chosen.additive and asked is None:
        alone, about_alone = _pair_by_pair(table, tasks, chosen, ask, gold=gold, cluster=cluster)
    judged = [judge(units, ask, asked, pvalues=alone) for units in variants]
    found = judged[0] if len(judged) == 1 else bounded(judged[0], judged[1], tasks, ask)
    notes = [*table.notes, *notes, *left_out, *about_raters, *about_alone, *found.notes, *remarks(tasks, found, ask)]
    if aggregate != "mean" and by is not None:
        notes.append(friedman_note(tasks, alpha=1 - level))
    return assemble(
        digest, tasks, found, ask, metric=chosen, notes=notes, gold=gold, by=by, aggregate=aggregate,
        task_effect=task_effect, cluster=cluster,
    )  # fmt: skip


def units_for(
    table: ResponseTable, *, gold: str | None, metric: str | Metric | None, workers: int
) -> tuple[Units, Metric, IntArray, ResponseTable]:
    """Return what all models of a table are made of, item by item, by which metric, on which rows, and their data."""
    names = _names(table, gold, None, None)
    chosen, _ = _metric(table, gold, names, metric)
    table = _lean(table, gold, names, chosen)
    tasks, _ = _tasks(table, chosen, names, gold=gold, by=None, weights=None, cluster=None, workers=workers)
    [units] = tasks.units(aggregate="mean", random=False)
    return units, chosen, tasks.rows[0], table


def _names(
    table: ResponseTable, gold: str | None, models: Sequence[str] | None, baseline: str | None
) -> tuple[str, ...]:
    """Return the models to rank; too few, too many or unknown ones are an error."""
    if gold is not None:
        table.source(gold)
    names = tuple(name for name in table.sources if name != gold) if models is None else tuple(models)
    for name in names:
        table.source(name)
    if gold in names:
        raise ArgumentError(f"{gold!r} is gold and cannot be a model too.")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(f"model {twice!r} is named twice.")
    if len(names) < 2:
        raise DataError(f"a leaderboard needs at least two models; got {', '.join(names) or 'none'}.")
    if baseline is not None and baseline not in names:
        hint = _check.nearest(baseline, names)
        raise ArgumentError(f"`baseline` must be one of the models; got {baseline!r}.{hint}")
    if baseline is None and len(names) > MOST:
        n_pairs = len(names) * (len(names) - 1) // 2
        raise ArgumentError(
            f"{len(names):,} models are {n_pairs:,} pairs; at most {MOST:,} models can be compared pair by pair. Name "
            "a `baseline`, or select fewer models."
        )
    return names


def _contest(table: ResponseTable, gold: str | None, a: str, b: str) -> Contest:
    return table.contest(a=a, b=b, gold=gold, complete=False)


def _lean(table: ResponseTable, gold: str | None, names: tuple[str, ...], metric: Metric) -> ResponseTable:
    """Return the ranked sources and gold alone, with narrow counts where there are many labels."""
    sources = {name: table.source(name) for name in ([gold] if gold else []) + list(names)}
    return lean(replace(table, sources=sources), [metric])


def _metric(
    table: ResponseTable, gold: str | None, names: tuple[str, ...], metric: str | Metric | None
) -> tuple[Metric, list[str]]:
    contest = _contest(table, gold, names[0], names[1])
    [chosen], why = metrics_for(contest, None if metric is None else [metric])
    chosen = bind(chosen, contest)
    if chosen.relative:
        raise ArgumentError(
            f"metric {chosen.name!r} exists only between two models, so one model has no score. Use a metric with "
            "scores (mae, accuracy, rating), or votes between models (`winner`)."
        )
    return chosen, why


def _tasks(
    table: ResponseTable,
    metric: Metric,
    names: tuple[str, ...],
    *,
    gold: str | None,
    by: str | None,
    weights: Mapping[str, float] | None,
    cluster: str | None,
    workers: int,
) -> tuple[Tasks, list[str]]:
    clusters = None if cluster is None else group_codes(table.groups, "cluster", cluster)[1]
    if by is None:
        if weights is not None:
            raise ArgumentError("`weights` are weights of tasks; pass the column of tasks with `by`.")
        labels, codes = np.array([""]), np.zeros(table.n_items, dtype=np.int64)
    else:
        labels, codes = group_codes(table.groups, "by", by)
    rows_of = [np.flatnonzero(codes == t) for t in range(labels.size)]
    every = [
        (str(label), *sheet_of(table, metric, names, gold=gold, rows=rows, clusters=clusters, workers=workers))
        for label, rows in zip(labels, rows_of, strict=True)
    ]
    answered = [task for task in every if task[2].size]
    kept = _defined(table, metric, answered, names)
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
        found = Tasks(tasks, names, sheets, weights_of(tasks, weights), rows)
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
    table: ResponseTable, metric: Metric, tasks: list[tuple[str, TaskSheet, IntArray]], names: tuple[str, ...]
) -> list[tuple[str, TaskSheet, IntArray]]:
    """Return the tasks that have scores; a model that answered but has no score is an error."""
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
    return [
        f"{table.n_items - n_kept:,} of {table.n_items:,} items are left out, because all models are compared on the "
        f"same items. {most} lacks most ({lacks[most]:,}); without it more items may remain."
    ]


def _pair_by_pair(
    table: ResponseTable, tasks: Tasks, metric: Metric, ask: Ask, *, gold: str | None, cluster: str | None
) -> tuple[FloatArray | None, list[str]]:
    """Return each pair's p-value as `compare` has it; None where there are too many, or where tasks are weighed."""
    pairs = ask.pairs
    if tasks.names or pairs.first.size > MOST_ALONE:
        return None, [
            Aside(
                f"{metric.name} has no item scores, so p-values are computed from jackknife pseudo-values. "
                "howsure compare recomputes the metric for each resample of one pair."
            )
        ]
    kept = table.take(tasks.rows[0])
    names = tasks.models
    how = Procedure(raters="fixed", cluster=cluster, n_resamples=None if ask.count_all else ask.n_resamples)

    def pvalue(number: int, workers: int) -> float:
        a, b = names[pairs.first[number]], names[pairs.second[number]]
        contest = kept.contest(a=a, b=b, gold=gold).complete()
        return pvalue_of(contest, metric=metric, procedure=how, rng=ask.seed, workers=workers)

    # Threads share the pairs, and of the last few, which would leave some without one, each pair's draws.
    n_threads = threads_for(metric, ask.workers)
    n_shared = pairs.first.size // n_threads * n_threads
    found = _random.map_blocks(lambda number, *_: pvalue(number, 1), n_shared, workers=n_threads, size=1)
    return np.array(found + [pvalue(number, n_threads) for number in range(n_shared, pairs.first.size)]), []
