"""From arrays to a leaderboard: ranks, groups, rows and the notes that the numbers call for.

Two models are significantly different if their adjusted p is at most α, as in `compare`. Rank ranges, groups and the
set of models that may be the best all follow from that.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from howsure import _random
from howsure.data.scales import BoolArray, FloatArray, IntArray
from howsure.documents import Aside
from howsure.inference.corrections import too_few_resamples
from howsure.inference.estimate import ConfidenceInterval, alpha_of
from howsure.inference.simultaneous import RankSets, groups_alike, rank_sets
from howsure.leaderboards.pairs import MOST_EXACT, Findings, Pairs, PairSettings
from howsure.leaderboards.request import LeaderboardRequest
from howsure.leaderboards.result import Leaderboard, Pair, RankedModel, Scope, TaskScore
from howsure.leaderboards.score_intervals import Part
from howsure.leaderboards.units import Tasks
from howsure.metrics import Metric, spelled
from howsure.nulls.sign_flip import is_skewed
from howsure.provenance import Provenance

ALONE, TOGETHER = "marginal", "simultaneous"
"""The methods of intervals: of scores, each by itself, and of advantages, which hold together for all pairs."""

MANY_ITEMS = 500
"""With so many items a mean is nearly normal although items are skewed; `compare` says nothing then, either."""


def skewed_pairs(parts: Sequence[Part], settings: PairSettings) -> list[str]:
    """Return the note that item differences of some pairs are markedly skewed, as `compare` says it of one pair."""
    _, items, clusters = parts[0]
    if len(parts) > 1 or clusters is not None or len(items) >= MANY_ITEMS:
        return []
    first, second = settings.pairs.first, settings.pairs.second
    n = sum(is_skewed(items[:, j] - items[:, k]) for j, k in zip(first, second, strict=True))
    if not n:
        return []
    return [
        f"Item differences are markedly skewed for {n:,} of {first.size:,} pairs, but the sign-flip test assumes "
        "symmetry if two models are equally good. howsure compare gives a pair's p-value that allows for skewness."
    ]


def notes_on(tasks: Tasks, found: Findings, settings: PairSettings) -> list[str]:
    """Return the notes that the numbers call for."""
    notes = []
    m = len(tasks.models)
    for model, missing in list(tasks.lacking.items())[:5]:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        notes.append(
            f"{model} lacks {len(missing)} of {len(tasks.names)} tasks ({shown}). Its rank range holds for any score "
            "there between the worst and the best of the other models."
        )
    if len(tasks.lacking) > 5:
        notes.append(f"{len(tasks.lacking) - 5} more models lack tasks; the task scores show which.")
    if found.n_units < m:
        notes.append(
            f"There are fewer {found.word}s ({found.n_units}) than models ({m}), so the power for each pair is low."
        )
    if settings.correction == "none":
        notes.append("p-values are not adjusted: with many pairs, some are significant by chance.")
    if settings.correction == "benjamini-hochberg":
        notes.append(
            "Benjamini–Hochberg limits the share of false positives, not the chance of any, so rank ranges may miss a "
            "true rank more often than the confidence level says."
        )
    if found.correction != settings.correction:  # Holm's stands in for Westfall and Young's
        notes.append(
            Aside(
                "p-values are adjusted by Holm's correction. Westfall and Young's correction needs more raters, to "
                "estimate how pairs vary together."
            )
        )
    n_pairs, alpha = settings.pairs.first.size, 1 - settings.level
    if not found.exact and found.null.flips:
        few = too_few_resamples(settings.n_resamples, n_pairs, alpha=alpha, method=found.correction)
        notes += [few] if few else []
    if settings.count_all and not found.exact and found.null.flips and n_pairs > MOST_EXACT:
        notes.append(
            Aside(
                f"p-values of {n_pairs:,} pairs are estimated from {settings.n_resamples:,} resamples; "
                "howsure compare computes an exact p-value of one pair."
            )
        )
    if settings.pairs.baseline is not None:
        notes.append(Aside("Rank ranges use only the comparisons with the baseline."))
    return notes


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Who is significantly better than whom, and the ranks that follow.

    Attributes
    ----------
    apart, above : array of bool, (models, models)
        Which two models differ significantly, and which is better than which.
    sets : RankSets
    order : array of int
        The models from best to worst.
    """

    apart: BoolArray
    above: BoolArray
    sets: RankSets
    order: IntArray

    @classmethod
    def of(cls, found: Findings, settings: PairSettings) -> "Standing":
        """Follow the adjusted p-values."""
        pairs, m = settings.pairs, found.scores.size
        apart, above = np.zeros((2, m, m), dtype=bool)
        significant = found.adjusted <= alpha_of(settings.level)
        first, second = pairs.first[significant], pairs.second[significant]
        apart[first, second] = apart[second, first] = True
        centre = np.where(np.isnan(found.advantages), (found.low + found.high) / 2, found.advantages)
        wins, loses = significant & (centre > 0), significant & (centre < 0)
        above[pairs.first[wins], pairs.second[wins]] = above[pairs.second[loses], pairs.first[loses]] = True
        middle = np.where(np.isnan(found.scores), (found.score_low + found.score_high) / 2, found.scores)
        return cls(apart, above, rank_sets(above), np.lexsort((np.arange(m), -middle)))

    def scope(self, name: str, models: Sequence[str], order: IntArray) -> Scope:
        """Return what it says, the models being in this order."""
        best = tuple(models[j] for j in order if self.sets.may_be_first[j])
        low, high = (tuple(ends[order].tolist()) for ends in (self.sets.low, self.sets.high))
        return Scope(name, best, int(np.triu(self.apart).sum()), low, high)


def scopes_of(
    named: Mapping[str, Findings], main: Findings, models: Sequence[str], settings: PairSettings
) -> tuple[Scope, ...]:
    """Return several answers to the same question, each by what it holds for."""
    order = Standing.of(main, settings).order
    return tuple(Standing.of(found, settings).scope(name, models, order) for name, found in named.items())


def ranked(
    request: LeaderboardRequest,
    metric: Metric,
    tasks: Tasks,
    found: Findings,
    settings: PairSettings,
    *,
    digest: str,
    notes: Sequence[str],
    also: Mapping[str, object] = MappingProxyType({}),
) -> Leaderboard:
    """Return the leaderboard; ranks, groups and who may be the best follow from the adjusted p-values.

    `also` are settings that the signature names besides those of the request.
    """
    names, pairs, by = tasks.models, settings.pairs, request.by
    m, baseline = len(names), "" if pairs.baseline is None else names[pairs.baseline]
    title, better = request.aggregation.titled(metric, request.score_name)
    sign, shown_sign = (1.0 if which == "higher" else -1.0 for which in (metric.better, better))
    standing = Standing.of(found, settings)
    sets, order = standing.sets, standing.order
    marginal = _marginal_ranks(found, pairs, m)
    ranks = _ranks(found.scores, settings.rounding)
    groups, complete = ([], True) if baseline else groups_alike(standing.apart, order=order)
    about = [*notes, *_shared_ranks(names, ranks, found, pairs)]
    if not complete:
        about.append(
            Aside(f"There are more than {len(groups):,} groups without significant differences; some are listed.")
        )
    scores, sizes = tasks.scores, np.array([rows.size for rows in tasks.rows])
    on_task = np.where(np.isnan(scores), 0, sizes[:, np.newaxis])  # items of each task that each model answered
    n_items = on_task.sum(axis=0)

    def limits(low: float, high: float, by_sign: float, method: str) -> ConfidenceInterval:
        ends = ConfidenceInterval(float(low), float(high), method, settings.level)
        return ends if by_sign > 0 else ends.turned()

    # Scores of one kind stay within their range; ranks and sums over tasks have another.
    least, most = metric.bounds if title == metric.title else (-math.inf, math.inf)

    def within(ends: ConfidenceInterval) -> ConfidenceInterval:
        low, high = np.clip([ends.low, ends.high], least, most).tolist()
        return replace(ends, low=low, high=high)

    rows = tuple(
        RankedModel(
            name=names[j],
            score=float(shown_sign * found.scores[j]),
            confidence_interval=within(limits(found.score_low[j], found.score_high[j], shown_sign, ALONE)),
            rank=None if ranks[j] == 0 else int(ranks[j]),
            rank_low=int(sets.low[j]),
            rank_high=int(sets.high[j]),
            in_confidence_set=bool(sets.may_be_first[j]),
            n_items=int(n_items[j]),
            rank_low_marginal=int(marginal[0][j]),
            rank_high_marginal=int(marginal[1][j]),
            first_place_share=float(found.first_place_shares[j]),
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
            limits(found.low[q], found.high[q], turn[q], TOGETHER),
            float(found.pvalues[q]),
            float(found.adjusted[q]),
            float(found.errors[q]),
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
        "null": found.null.name,
        "correction": found.correction,
        "confidence_level": settings.level,
        **({"baseline": baseline} if baseline else {}),
        **({"by": by, "aggregate": request.aggregate, "tasks": request.task_effect} if by else {}),
        **({"cluster": request.cluster} if request.cluster else {}),
        **also,
        "weights": ",".join(f"{weight:.15g}" for weight in tasks.weights) if np.ptp(tasks.weights) else None,
        "models": m,
        "n_resamples": settings.n_resamples,
    }
    seed = _random.entropy_of(settings.seed)
    return Leaderboard(
        models=rows,
        pairs=of_pairs,
        groups=tuple(tuple(names[j] for j in group) for group in groups),
        tasks=cells,
        metric=metric.name,
        title=title,
        better=better,
        gold=request.gold or "",
        baseline=baseline,
        by=by or "",
        aggregate=request.aggregate if by else "",
        task_effect=request.task_effect if by else "",
        null=found.null.name,
        correction=found.correction,
        confidence_level=settings.level,
        n_resamples=settings.n_resamples,
        exact=found.exact,
        seed=seed,
        notes=tuple(dict.fromkeys(note for note in about if note)),
        signature=Provenance("leaderboard", parameters, seed, digest).signature,
    )


def _marginal_ranks(found: Findings, pairs: Pairs, m: int) -> tuple[IntArray, IntArray]:
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


def _shared_ranks(names: tuple[str, ...], ranks: IntArray, found: Findings, pairs: Pairs) -> list[str]:
    """Return notes on models that share a rank, and on those with the same score on every unit."""
    notes = []
    undefined = np.isnan(found.low) & (found.advantages == 0) & (found.pvalues == 1)
    same = undefined if found.alike is None else found.alike
    same_scores = [(names[j], names[k]) for j, k in zip(pairs.first[same], pairs.second[same], strict=True)]
    if same_scores and len(same_scores) == pairs.first.size:
        notes.append(f"All models have the same score on every {found.word}, so all share rank 1.")
    else:
        shown = [f"{a} and {b}" for a, b in same_scores[:3]] + (
            [f"and {len(same_scores) - 3} more"] if len(same_scores) > 3 else []
        )
        notes += (
            [f"These have the same score on every {found.word} and share a rank: {'; '.join(shown)}."]
            if same_scores
            else []
        )
    shared = [rank for rank in np.unique(ranks[ranks > 0]) if np.count_nonzero(ranks == rank) > 1]
    if shared and not same_scores:
        who = [name for name, rank in zip(names, ranks, strict=True) if rank == shared[0]]
        notes.append(
            f"{', '.join(who[:5])}{' …' if len(who) > 5 else ''} have the same score and share rank {shared[0]}."
        )
    return notes
