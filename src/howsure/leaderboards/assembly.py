"""From arrays to a board: ranks, groups, rows and the notes that the numbers call for."""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from howsure import _random
from howsure.comparison.signing import spelled
from howsure.inference.simultaneous import groups_alike, rank_sets
from howsure.leaderboards.board_tasks import Tasks
from howsure.leaderboards.joint import MOST_EXACT, Ask, Pairs
from howsure.leaderboards.judging import Judged
from howsure.leaderboards.leaderboards import IntervalEnds, Leaderboard, Pair, RankedModel, TaskScore
from howsure.metrics import Metric
from howsure.provenance import Provenance
from howsure.response_tables import ResponseTable
from howsure.scales import FloatArray, IntArray


def remarks(tasks: Tasks, found: Judged, ask: Ask) -> list[str]:
    """Return the notes that the numbers call for."""
    notes = []
    m = len(tasks.models)
    alpha = 1 - ask.level + 1e-12
    for model, missing in list(tasks.lacking.items())[:5]:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        notes.append(
            f"{model} lacks {len(missing)} of {len(tasks.names)} tasks ({shown}): its score there is assumed to lie "
            "between the worst and the best of the others, and its ranks hold for both."
        )
    if len(tasks.lacking) > 5:
        notes.append(f"{len(tasks.lacking) - 5} more models lack tasks; the task scores show which.")
    if found.n_units < m:
        notes.append(f"There are fewer {found.word}s ({found.n_units}) than models ({m}): few pairs can be told apart.")
    apart = found.adjusted <= alpha
    across = apart & (found.low < 0) & (found.high > 0)
    if across.any() and ask.correction != "none":
        why = "test and interval are computed in different ways. Treat this as a borderline case."
        if ask.correction == "benjamini-hochberg":
            why = "all intervals hold together, and Benjamini and Hochberg's p-values ask for less."
        elif (apart & ~across).any():
            why = (
                "the test settles the clearest pairs first and then has fewer to account for, which an interval cannot."
            )
        notes.append(f"{_pairs_are(across)} told apart although the interval holds zero: {why}")
    beside = ~apart & ((found.low > 0) | (found.high < 0))
    if beside.any() and ask.correction in ("westfall-young", "holm"):
        notes.append(
            f"{_pairs_are(beside)} not told apart although the interval lies beside zero: p is above "
            f"{1 - ask.level:.2g}, so nothing is claimed."
        )
    if ask.correction == "none":
        notes.append(
            "p-values are not adjusted: with many pairs some differ by chance, and each rank holds only by itself."
        )
    if ask.correction == "benjamini-hochberg":
        notes.append(
            "Benjamini–Hochberg bounds the share of false differences, not the chance of any: the rank sets may miss a "
            "true rank more often than the level says."
        )
    if found.null == "random-effects" and ask.correction == "westfall-young":
        notes.append(
            "p-values are adjusted by Holm's correction: there are too few raters to estimate how pairs vary together, "
            "which Westfall and Young's correction needs."
        )
    if ask.count_all and not found.exact and found.null == "sign-flip" and ask.pairs.first.size > MOST_EXACT:
        notes.append(
            f"p-values of {ask.pairs.first.size:,} pairs come from {ask.n_resamples:,} draws; compare gives any of "
            "them exactly."
        )
    if ask.pairs.baseline is not None:
        notes.append("Rank sets rest on the comparisons with the baseline alone.")
    return notes


def _pairs_are(told: npt.NDArray[np.bool_]) -> str:
    n = int(told.sum())
    return f"{n:,} pair{'s are' if n > 1 else ' is'}"


def assemble(
    digest: str,
    tasks: Tasks,
    found: Judged,
    ask: Ask,
    *,
    metric: Metric,
    notes: Sequence[str],
    gold: str | None = None,
    by: str | None = None,
    aggregate: str = "mean",
    task_effect: str = "",
    cluster: str | None = None,
) -> Leaderboard:
    """Return the board of what was judged."""
    names, pairs = tasks.models, ask.pairs
    m, baseline = len(names), "" if pairs.baseline is None else names[pairs.baseline]
    title, better = metric.title, metric.better
    if aggregate != "mean":
        title, better = f"{aggregate.replace('-', ' ')} by {title}", "lower" if aggregate == "mean-rank" else "higher"
    sign, shown_sign = (1.0 if which == "higher" else -1.0 for which in (metric.better, better))
    apart, above = np.zeros((2, m, m), dtype=bool)
    told = found.adjusted <= 1 - ask.level + 1e-12
    apart[pairs.first[told], pairs.second[told]] = apart[pairs.second[told], pairs.first[told]] = True
    centre = np.where(np.isnan(found.advantages), (found.low + found.high) / 2, found.advantages)
    wins, loses = told & (centre > 0), told & (centre < 0)
    above[pairs.first[wins], pairs.second[wins]] = above[pairs.second[loses], pairs.first[loses]] = True
    sets = rank_sets(above)
    alone = _alone(found, pairs, m)
    middle = np.where(np.isnan(found.scores), (found.score_low + found.score_high) / 2, found.scores)
    order = np.lexsort((np.arange(m), -middle))
    ranks = _ranks(found.scores, ask.rounding)
    groups, complete = ([], True) if baseline else groups_alike(apart, order=order)
    about = [*notes, *_shared_ranks(names, ranks, found, pairs)]
    if not complete:
        about.append(f"There are more than {len(groups):,} groups that nothing tells apart; these are some of them.")
    scores, sizes = tasks.scores, np.array([rows.size for rows in tasks.rows])
    on_task = np.where(np.isnan(scores), 0, sizes[:, np.newaxis])  # items of each task that each model answered
    n_items = on_task.sum(axis=0)

    def limits(low: float, high: float, by_sign: float) -> IntervalEnds:
        ends = (float(by_sign * low), float(by_sign * high))
        return IntervalEnds(*(ends if by_sign > 0 else ends[::-1]))

    rows = tuple(
        RankedModel(
            name=names[j],
            score=float(shown_sign * found.scores[j]),
            confidence_interval=limits(found.score_low[j], found.score_high[j], shown_sign),
            rank=None if ranks[j] == 0 else int(ranks[j]),
            rank_low=int(sets.low[j]),
            rank_high=int(sets.high[j]),
            may_be_best=bool(sets.may_be_best[j]),
            n_items=int(n_items[j]),
            rank_low_marginal=int(alone[0][j]),
            rank_high_marginal=int(alone[1][j]),
            leads=float(found.leads[j]),
        )
        for j in order
    )
    place = np.empty(m, dtype=np.int64)
    place[order] = np.arange(m)
    places = np.stack([place[pairs.first], place[pairs.second]])
    turn = np.where(places[0] > places[1], -1.0, 1.0)  # the better model of a pair is its first
    upper, lower = np.sort(places, axis=0)
    of_pairs = tuple(
        Pair(
            names[order[upper[q]]],
            names[order[lower[q]]],
            float(turn[q] * found.advantages[q]) + 0.0,
            limits(found.low[q], found.high[q], turn[q]),
            float(found.pvalues[q]),
            float(found.adjusted[q]),
        )
        for q in np.lexsort((lower, upper))
    )
    cells = tuple(
        TaskScore(task, names[j], float(sign * scores[t, j]), int(on_task[t, j]))
        for t, task in enumerate(tasks.names)
        for j in order
    )
    parameters = {
        "metric": spelled(metric),
        "null": found.null,
        "correction": found.correction,
        "level": ask.level,
        **({"baseline": baseline} if baseline else {}),
        **({"by": by, "aggregate": aggregate, "tasks": task_effect} if by else {}),
        **({"cluster": cluster} if cluster else {}),
        "weights": ",".join(f"{weight:.15g}" for weight in tasks.weights) if np.ptp(tasks.weights) else None,
        "models": m,
        "draws": ask.n_resamples,
    }
    seed = _random.entropy_of(ask.seed)
    return Leaderboard(
        models=rows,
        pairs=of_pairs,
        groups=tuple(tuple(names[j] for j in group) for group in groups),
        tasks=cells,
        metric=metric.name,
        title=title,
        better=better,
        gold=gold or "",
        baseline=baseline,
        by=by or "",
        aggregate=aggregate if by else "",
        task_effect=task_effect if by else "",
        null=found.null,
        correction=found.correction,
        confidence_level=ask.level,
        n_resamples=ask.n_resamples,
        exact=found.exact,
        seed=seed,
        notes=tuple(dict.fromkeys(note for note in about if note)),
        signature=Provenance("compare_all", parameters, seed, digest).signature,
    )


def _alone(found: Judged, pairs: Pairs, m: int) -> tuple[IntArray, IntArray]:
    """Return the marginal rank sets: each model's advantages as far as its own rank needs them."""
    better, worse = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    for side, sign, models in ((0, 1.0, pairs.first), (1, -1.0, pairs.second)):
        advantage = sign * np.nan_to_num(found.advantages, nan=0.0)
        arm = np.nan_to_num(found.marginal[side], nan=np.inf)
        np.add.at(better, models[advantage > arm], 1)
        np.add.at(worse, models[advantage < -arm], 1)
    return 1 + worse, m - better


def _ranks(scores: FloatArray, rounding: float) -> IntArray:
    """Return competition ranks, 1 for the highest; scores that are equal on paper share one; 0 where there is none."""
    known = np.sort(scores[~np.isnan(scores)])
    higher = known.size - np.searchsorted(known, scores + rounding, side="right")
    return np.where(np.isnan(scores), 0, 1 + higher).astype(np.int64)


def _shared_ranks(names: tuple[str, ...], ranks: IntArray, found: Judged, pairs: Pairs) -> list[str]:
    """Say which models share a rank, and which answer alike on every unit."""
    notes = []
    same = np.isnan(found.low) & (found.advantages == 0) & (found.pvalues == 1)
    alike = [(names[j], names[k]) for j, k in zip(pairs.first[same], pairs.second[same], strict=True)]
    if alike and len(alike) == pairs.first.size:
        notes.append(f"All models score alike on every {found.word}: they share a rank, and nothing tells them apart.")
    else:
        shown = [f"{a} and {b}" for a, b in alike[:3]] + ([f"and {len(alike) - 3} more"] if len(alike) > 3 else [])
        notes += [f"These score alike on every {found.word} and share a rank: {'; '.join(shown)}."] if alike else []
    shared = [rank for rank in np.unique(ranks[ranks > 0]) if np.count_nonzero(ranks == rank) > 1]
    if shared and not alike:
        who = [name for name, rank in zip(names, ranks, strict=True) if rank == shared[0]]
        notes.append(
            f"{', '.join(who[:5])}{' …' if len(who) > 5 else ''} have the same score and share rank {shared[0]}."
        )
    return notes


def digest_of(table: ResponseTable, gold: str | None, names: tuple[str, ...]) -> str:
    """Return twelve digits that identify gold and the models' responses, in whatever order and by whatever names."""
    seen = hashlib.sha256(repr((table.scale.kind, table.scale.levels, table.scale.labels)).encode())
    for name in sorted(names, key=lambda name: table.source(name).values.tobytes()) + ([gold] if gold else []):
        source = table.source(name)
        for array in (source.values, source.offsets, source.raters):
            seen.update(b"" if array is None else array.tobytes())
    return seen.hexdigest()[:12]
