"""Leaderboards that generalise to raters like these: each pair as `compare` tests it, adjusted for all pairs.

The error of an advantage from items and raters, its degrees of freedom and so its p-value and interval are `compare`'s,
pair by pair. Few raters are too few to estimate how the errors of pairs vary together: with max-T on such an estimate
the type I error exceeded α. So p-values are adjusted by Holm, which needs no joint law, and intervals are taken at
Bonferroni's level.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from howsure import _random
from howsure.comparison import Comparison, compare
from howsure.contests import Contest
from howsure.documents.numbers import joined
from howsure.errors import DataError
from howsure.inference.corrections import adjust
from howsure.leaderboards.board_tasks import Tasks
from howsure.leaderboards.board_units import Units, sheet_of
from howsure.leaderboards.joint import Ask, Spread, Tested, first_place_shares_of
from howsure.metrics import Metric
from howsure.raters import choice as rater_choice
from howsure.raters.design import FEW_RATERS, leave_out_raters, raters_of
from howsure.resampling import Scheme
from howsure.response_tables import ResponseTable
from howsure.scales import FloatArray

SHOWN = 2
"""A leaderboard has this many notes of its pairs, which mostly say the same."""
GROUPS = 50
"""Raters are left out one by one, or in this many groups."""


@dataclass(frozen=True, slots=True)
class RaterQuestion:
    """What it takes to judge pairs with raters as a random factor.

    Attributes
    ----------
    table : ResponseTable
        The items that every model answered.
    metric : Metric
    gold, cluster : str or None
    raters : str or None
        As asked: "random", or None where each pair is judged as `compare` judges it by itself.
    n_raters : int
    """

    table: ResponseTable
    metric: Metric
    gold: str | None
    cluster: str | None
    raters: str | None
    n_raters: int


def rater_question(
    table: ResponseTable, tasks: Tasks, metric: Metric, *, gold: str | None, raters: str | None, cluster: str | None
) -> tuple[RaterQuestion | None, list[str]]:
    """Return the question, if raters are a random factor as in `compare`, and the notes that say so."""
    if raters is None and all(source.raters is None for source in table.sources.values()):
        return None, rater_choice.without_rater_ids({} if gold else dict(table.sources), table.repeats)
    kept = replace(table, notes=()).take(np.sort(np.concatenate(tasks.rows)))
    if tasks.lacking:
        return None, ["Raters are fixed, because some models lack tasks: the result holds for these raters only."]
    alone = _judged_by_one(kept, tasks.models) if gold is None else []
    if raters == "random" and len(alone) > 1:
        raise DataError(
            f"`raters='random'` requires two or more raters; {alone[0]} and {alone[1]} were judged by one rater each. "
            "Leave one of these models out, or use the default of `raters`: their comparison then holds for these "
            "raters only."
        )
    choices = [_choice(kept.contest(a=tasks.models[0], b=other, gold=gold), raters) for other in tasks.models[1:]]
    n_raters = raters_of(kept.sources.values()).size
    if not any(choice.scheme.raters == "random" for choice in choices):
        if raters == "fixed" and any(choice.n_raters for choice in choices):
            return None, [f"The result holds for these {n_raters} raters only (`raters='fixed'`)."]
        return None, list(dict.fromkeys(note for choice in choices for note in choice.notes))[:SHOWN]
    if tasks.names:
        return None, [
            "Raters are fixed: a leaderboard over tasks holds for these raters only. To generalise to other raters, "
            "rank the models on each task separately."
        ]
    notes = [f"Raters are a random factor: the result holds for raters like these {n_raters}, not only for these."]
    if n_raters < FEW_RATERS:
        notes.append(f"{n_raters} raters are too few to generalise reliably. Add raters.")
    if len(alone) > 1:
        notes.append(
            f"{joined(alone)} were judged by one rater each. The comparison of two of these models holds for their "
            "raters only: a difference between the raters looks like a difference between the models."
        )
    return RaterQuestion(kept, metric, gold, cluster, raters, n_raters), notes


def _choice(contest: Contest, raters: str | None) -> rater_choice.RaterChoice:
    """Return what `compare` does about the raters of a pair."""
    return rater_choice.choose(contest, Scheme("bootstrap", "all", raters or "fixed"), raters=raters, null=None)


def _judged_by_one(table: ResponseTable, names: Sequence[str]) -> list[str]:
    """Return the models that one rater judged."""
    known = {name: table.source(name).raters for name in names}
    return [name for name, raters in known.items() if raters is not None and np.unique(raters).size < 2]


def judge_raters(
    asked: RaterQuestion, units: Units, spread: Spread, ask: Ask
) -> tuple[FloatArray, Tested, FloatArray, FloatArray, FloatArray]:
    """Return how far each advantage's interval reaches, p-values, marginal reach, that of scores, and first places."""
    pairs, m = spread.pairs, len(units.names)
    answers = []
    for j, k in zip(pairs.first, pairs.second, strict=True):
        contest = asked.table.contest(a=units.names[j], b=units.names[k], gold=asked.gold)
        # A mean of ratings has its error from analysis of variance: draws add nothing to it.
        drawn = not asked.metric.linear or _choice(contest, asked.raters).scheme.raters == "fixed"
        answers.append(
            compare(
                contest,
                metric=asked.metric,
                raters=asked.raters,
                cluster=asked.cluster,
                rng=ask.seed,
                workers=ask.workers,
                n_resamples=ask.n_resamples if drawn else 99,
                confidence_level=ask.level,
            )
        )
    pvalues = np.where(spread.telling == 0, 1.0, np.array([answer.pvalue for answer in answers]))
    alpha = 1 - ask.level
    arms = np.array([_arm(answer, 1 - alpha / len(answers)) for answer in answers])
    of_one = len(answers) if pairs.baseline is not None else m - 1
    marginal = np.array([_arm(answer, 1 - alpha / of_one) for answer in answers])
    causes = np.concatenate([units.errors, _rater_moves(asked, units)])
    reach = -float(stdtrit(max(1, asked.n_raters - 1), alpha / 2))
    of_scores = reach * np.sqrt(np.square(causes).sum(axis=0))
    first_place_shares = first_place_shares_of(units.scores + _normal_scores(causes, ask.n_resamples, ask.seed))
    tested = Tested(pvalues, adjust(pvalues, method="holm"), False)
    return arms, tested, np.stack([marginal, marginal]), of_scores, first_place_shares


def _arm(answer: Comparison, level: float) -> float:
    ends = answer.at(confidence_level=level).confidence_interval
    return (ends.high - ends.low) / 2


def _normal_scores(causes: FloatArray, n_resamples: int, seed: np.random.SeedSequence) -> FloatArray:
    """Return normal draws of the scores, whose covariance is that of independent `causes`: (draws, models)."""
    drawn = np.empty((n_resamples, causes.shape[1]))
    for number, start, stop in _random.blocks(n_resamples):
        normal = _random.generator(seed, "normal scores", number).standard_normal((stop - start, causes.shape[0]))
        drawn[start:stop] = np.einsum("dc,cj->dj", normal, causes)
    return drawn


def _rater_moves(asked: RaterQuestion, units: Units) -> FloatArray:
    """Return what each rater (or group of them) adds to each score: their squares sum to the jackknife variance."""
    sources = asked.table.sources
    who = raters_of(sources.values())
    left = []
    for start in range(min(GROUPS, who.size)):
        group = who[start::GROUPS]
        kept = {name: leave_out_raters(source, group) for name, source in sources.items()}
        table = replace(asked.table, sources=kept)
        try:
            everything = np.arange(table.n_items)
            sheet, _ = sheet_of(table, asked.metric, units.names, gold=asked.gold, rows=everything, clusters=None)
        except DataError:  # nobody else judged anything
            continue
        if not np.isnan(sheet.scores).any():
            left.append(sheet.scores)
    if len(left) < 2:
        return np.zeros((1, len(units.names)))
    scores = np.array(left)
    return np.asarray(math.sqrt((len(left) - 1) / len(left)) * (scores - scores.mean(axis=0)))
