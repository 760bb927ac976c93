"""Boards that speak of raters like these: every pair as `compare` judges it, adjusted for how many there are.

The error of a contrast from items and raters, its degrees of freedom and so its p-value and interval are `compare`'s,
pair by pair. Few raters say little about how the errors of pairs go together, and what five of them say is too sure. So
p-values are adjusted by Holm, which needs no joint law, and intervals are taken at Bonferroni's level.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from assay import _random
from assay.comparison import Comparison, compare
from assay.comparison import raters as raters_of
from assay.errors import DataError
from assay.inference.corrections import adjust
from assay.leaderboard.joint import Spread, Tested, shares_of_lead
from assay.leaderboard.tasks import Tasks
from assay.leaderboard.units import Units, sheet_of
from assay.metrics import Metric
from assay.resampling import Scheme
from assay.responses import Contest, Responses, ResponseTable
from assay.scales import FloatArray

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
) -> tuple[FloatArray, Tested, FloatArray, FloatArray, FloatArray]:
    """Return how far each contrast's interval reaches, p-values, marginal reach, that of scores, and who leads."""
    pairs, m = spread.pairs, len(units.names)
    # A mean of ratings has its error from analysis of variance: draws add nothing to it.
    n_draws = 99 if asked.metric.linear else n_resamples
    answers = [
        compare(
            asked.contest(units.names[j], units.names[k]), metric=asked.metric, raters="bootstrap",
            cluster=asked.cluster, n_resamples=n_draws, confidence_level=confidence_level, rng=seed, workers=workers,
        )
        for j, k in zip(pairs.first, pairs.second, strict=True)
    ]  # fmt: skip
    pvalues = np.where(spread.telling == 0, 1.0, np.array([answer.pvalue for answer in answers]))
    alpha = 1 - confidence_level
    arms = np.array([_arm(answer, 1 - alpha / len(answers)) for answer in answers])
    of_one = len(answers) if pairs.baseline is not None else m - 1
    marginal = np.array([_arm(answer, 1 - alpha / of_one) for answer in answers])
    causes = np.concatenate([units.errors, _rater_moves(asked, units)])
    reach = -float(stdtrit(max(1, asked.n_raters - 1), alpha / 2))
    of_scores = reach * np.sqrt(np.square(causes).sum(axis=0))
    leads = shares_of_lead(units.scores + _normal_scores(causes, n_resamples, seed))
    tested = Tested(pvalues, adjust(pvalues, method="holm"), False)
    return arms, tested, np.stack([marginal, marginal]), of_scores, leads


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
