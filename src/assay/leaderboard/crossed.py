"""Boards that speak of raters like these: every pair as `compare` judges it, and how the pairs move together.

The error of a contrast from items and raters, its degrees of freedom and so its p-value and interval are `compare`'s,
pair by pair. What is left is at which level to take them: scores are drawn from a normal distribution with the
covariance that items and raters give the models, which says how far the largest of all standardised contrasts goes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from assay import _random
from assay.comparison import Comparison, compare
from assay.comparison import raters as raters_of
from assay.errors import DataError
from assay.inference.simultaneous import adjust_pairs
from assay.leaderboard.joint import Pairs, Spread, Tested
from assay.leaderboard.tasks import Tasks
from assay.leaderboard.units import Units, sheet_of
from assay.metrics import Metric
from assay.resampling import Scheme
from assay.responses import Contest, Responses, ResponseTable
from assay.scales import FloatArray

GROUPS = 50
"""Raters are left out one by one, or in this many groups."""
CHUNK = 2**22
"""Numbers that are looked at together; a bound on memory."""


@dataclass(frozen=True, slots=True)
class RaterQuestion:
    """What it takes to judge pairs with raters as a random factor.

    Attributes
    ----------
    table : ResponseTable
        The items that every model answered.
    metric : Metric
    gold, cluster : str or None
    n_raters : int
    """

    table: ResponseTable
    metric: Metric
    gold: str | None
    cluster: str | None
    n_raters: int

    def contest(self, a: str, b: str) -> Contest:
        """Put two models against each other."""
        return self.table.contest(a=a, b=b, gold=self.gold)


def rater_question(
    table: ResponseTable,
    tasks: Tasks,
    metric: Metric,
    *,
    gold: str | None,
    raters: str | None,
    cluster: str | None,
    by: str | None,
) -> tuple[RaterQuestion | None, list[str]]:
    """Return the question, if raters are a random factor as in `compare`, and the notes that say so."""
    names = ([gold] if gold else []) + list(tasks.models)
    kept = replace(table, sources={name: table.source(name) for name in names}, notes=())
    kept = kept.take(np.sort(np.concatenate(tasks.rows)))
    if tasks.lacking:
        return None, ["Raters are held fixed, because some models lack tasks: the board speaks of these raters only."]
    scheme = Scheme("bootstrap", "all", raters or "fixed")  # type: ignore[arg-type]
    first = tasks.models[0]
    choices = [
        raters_of.choose(kept.contest(a=first, b=other, gold=gold), scheme, raters=raters, null=None)
        for other in tasks.models[1:]
    ]
    notes = list(dict.fromkeys(note for choice in choices for note in choice.notes))
    if not any(choice.scheme.raters == "bootstrap" for choice in choices):
        return None, notes
    if by is not None:
        return None, [
            "Raters are held fixed: a board over tasks speaks of these raters only. For raters like these, ask for "
            "each task by itself."
        ]
    who = np.unique(np.concatenate([source.raters for source in kept.sources.values() if source.raters is not None]))
    return RaterQuestion(kept, metric, gold, cluster, who.size), notes


def judge_raters(
    asked: RaterQuestion,
    units: Units,
    spread: Spread,
    *,
    confidence_level: float,
    n_resamples: int,
    seed: np.random.SeedSequence,
    workers: int,
) -> tuple[FloatArray, Tested, FloatArray, FloatArray]:
    """Return how far each contrast's interval reaches, its p-values, its marginal reach, and that of scores."""
    pairs = spread.pairs
    # A mean of ratings has its error from analysis of variance: draws add nothing to it.
    n_draws = 99 if asked.metric.linear else n_resamples
    answers = [
        compare(
            asked.contest(units.names[j], units.names[k]), metric=asked.metric, raters="bootstrap",
            cluster=asked.cluster, n_resamples=n_draws, confidence_level=confidence_level, rng=seed, workers=workers,
        )
        for j, k in zip(pairs.first, pairs.second, strict=True)
    ]  # fmt: skip
    pvalues = np.array([answer.pvalue for answer in answers])
    pvalues = np.where(spread.telling == 0, 1.0, pvalues)
    causes = np.concatenate([units.errors, _rater_moves(asked, units)])
    own = np.square(causes).sum(axis=0)
    variances = np.square(causes[:, pairs.first] - causes[:, pairs.second]).sum(axis=0)
    with np.errstate(divide="ignore"):
        scale = np.where(variances > 0, 1 / np.sqrt(np.maximum(variances, 0)), 0.0)
    drawn = _normal_scores(causes, n_resamples, seed)
    largest = _largest(drawn, pairs, scale)
    statistics = np.where(np.isnan(pvalues), np.nan, -ndtri(np.clip(pvalues, 1e-300, 1) / 2))
    adjusted = adjust_pairs(statistics, drawn, first=pairs.first, second=pairs.second, scale=scale)
    # Beyond what the draws can tell, Bonferroni's bound holds.
    adjusted = np.minimum(np.maximum(adjusted, pvalues), np.minimum(1.0, pvalues * pvalues.size))
    levels = [_level(largest[:, j], confidence_level) for j in range(len(units.names))]
    together = _level(np.nanmax(largest, axis=1), confidence_level)
    arms = np.array([_arm(answer, together) for answer in answers])
    marginal = np.array(
        [
            [_arm(answer, levels[j]) for answer, j in zip(answers, side, strict=True)]
            for side in (pairs.first, pairs.second)
        ]
    )
    df = max(1, asked.n_raters - 1)
    of_scores = np.asarray(-stdtrit(df, (1 - confidence_level) / 2) * np.sqrt(own), dtype=np.float64)
    return arms, Tested(pvalues, adjusted, False), marginal, of_scores


def _arm(answer: Comparison, level: float) -> float:
    ends = answer.at(confidence_level=level).confidence_interval
    return (ends.high - ends.low) / 2


def _level(largest: FloatArray, confidence_level: float) -> float:
    """Return the level of one interval that makes all of them hold."""
    known = largest[~np.isnan(largest)]
    reach = float(np.quantile(known, confidence_level)) if known.size else 0.0
    return max(confidence_level, min(1 - 2 * float(ndtr(-reach)), 1 - 1e-12))


def _largest(drawn: FloatArray, pairs: Pairs, scale: FloatArray) -> FloatArray:
    """Return the largest standardised |contrast| of each model, for each draw: (draws, models)."""
    m, n_draws = drawn.shape
    out = np.zeros((n_draws, m))
    size = max(1, CHUNK // pairs.first.size)
    for start in range(0, n_draws, size):
        part = drawn[:, start : start + size]
        found = np.abs(part[pairs.first] - part[pairs.second]) * scale[:, np.newaxis]
        for side in (pairs.first, pairs.second):
            np.maximum.at(out[start : start + size].T, side, found)
    return out


def _normal_scores(causes: FloatArray, n_resamples: int, seed: np.random.SeedSequence) -> FloatArray:
    """Return normal draws of the scores, whose covariance is that of independent `causes`: (models, draws)."""
    drawn = np.empty((causes.shape[1], n_resamples))
    for number, start, stop in _random.blocks(n_resamples):
        normal = _random.generator(seed, "normal scores", number).standard_normal((stop - start, causes.shape[0]))
        drawn[:, start:stop] = np.einsum("dc,cj->jd", normal, causes)
    return drawn


def _rater_moves(asked: RaterQuestion, units: Units) -> FloatArray:
    """Return what each rater (or group of them) adds to each score: their squares sum to the jackknife variance."""
    sources = asked.table.sources
    who = np.unique(np.concatenate([source.raters for source in sources.values() if source.raters is not None]))
    groups = (
        [who[start::GROUPS] for start in range(GROUPS)] if who.size > GROUPS else [who[[r]] for r in range(who.size)]
    )
    left = []
    for group in groups:
        kept = {name: _without(source, group) for name, source in sources.items()}
        table = replace(asked.table, sources=kept)
        try:
            sheet, _ = sheet_of(
                table, asked.metric, models=units.names, gold=asked.gold, rows=np.arange(table.n_items), clusters=None
            )
        except DataError:  # nobody else judged anything
            continue
        if not np.isnan(sheet.scores).any():
            left.append(sheet.scores)
    if len(left) < 2:
        return np.zeros((1, len(units.names)))
    scores = np.array(left)
    return np.asarray(math.sqrt((len(left) - 1) / len(left)) * (scores - scores.mean(axis=0)))


def _without(source: Responses, raters: Sequence[int] | FloatArray) -> Responses:
    """Return the responses of all other raters, on the same items."""
    if source.raters is None:
        return source
    kept = ~np.isin(source.raters, raters)
    sizes = np.bincount(source.items[kept], minlength=source.n_items)
    return Responses(source.values[kept], np.concatenate([[0], np.cumsum(sizes)]), source.raters[kept])
