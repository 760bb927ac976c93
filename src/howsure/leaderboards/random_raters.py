"""Leaderboards that generalise to raters like these: each pair as `compare` tests it, adjusted for all pairs.

This is why leaderboards lie above `comparison`.

The error of an advantage from items and raters, its degrees of freedom and so its p-value and interval are `compare`'s,
pair by pair. Few raters are too few to estimate how the errors of pairs vary together: with max-T on such an estimate
the type I error exceeded α. So p-values are adjusted by Holm, which needs no joint law, and intervals are taken at
Bonferroni's level.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure.comparison import Comparison, compare
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import group_codes
from howsure.data.scales import FloatArray
from howsure.documents.numbers import joined
from howsure.errors import DataError
from howsure.inference.corrections import adjust
from howsure.leaderboards.pairs import Findings, PairSettings, Spread, first_place_shares_of, normal_moves
from howsure.leaderboards.request import LeaderboardRequest
from howsure.leaderboards.scores_with_raters import rater_moves, score_with_raters
from howsure.leaderboards.units import BoardUnits, LeaderboardData, Tasks, sheet_of
from howsure.nulls import RANDOM_EFFECTS
from howsure.raters import choice as rater_choice
from howsure.raters.advantage_error import RaterError
from howsure.raters.design import raters_of
from howsure.resampling import Scheme

SHOWN = 2
"""A leaderboard has this many notes of its pairs, which mostly say the same."""
WEIGHTED = (
    "Raters judged unequal numbers of items. Differences between models are weighted so that the busiest raters do not "
    "dominate them, so they are not exactly the differences of the mean scores."
)


@dataclass(frozen=True, slots=True)
class RandomRaters:
    """The data of a leaderboard that treats raters as a random factor.

    Attributes
    ----------
    data : LeaderboardData
        The items that every model answered.
    cluster : str or None
    raters : str or None
        As asked: "random", or None where each pair is tested as `compare` tests it by itself.
    n_raters : int
    leads : bool
        Whether the answer for raters like these is the main one; else it stands beside that for these raters.
    """

    data: LeaderboardData
    cluster: str | None
    raters: str | None
    n_raters: int
    leads: bool


def random_raters_of(
    data: LeaderboardData, tasks: Tasks, request: LeaderboardRequest
) -> tuple[RandomRaters | None, list[str]]:
    """Return the raters if they are a random factor, as in `compare`, and the notes that say so."""
    table, gold, raters = data.table, data.gold, request.raters
    if raters is None and all(source.raters is None for source in table.sources.values()):
        return None, rater_choice.without_rater_ids({} if gold else dict(table.sources), table.repeats)
    kept = replace(table, notes=()).take(np.sort(np.concatenate(tasks.rows)))
    if tasks.lacking:
        return None, ["Raters are fixed, because some models lack tasks: the result holds for these raters only."]
    by_model = {name: kept.source(name).raters for name in tasks.models if gold is None}
    alone = [name for name, of in by_model.items() if of is not None and np.unique(of).size < 2]
    if raters == "random" and len(alone) > 1:
        raise DataError(
            f"`raters='random'` requires two or more raters; {alone[0]} and {alone[1]} were judged by one rater each. "
            "Leave one of these models out, or use the default of `raters`: their comparison then holds for these "
            "raters only."
        )
    choices = choices_of(kept, tasks.models, gold, raters)
    n_raters = raters_of(kept.sources.values()).size
    random = any(choice.scheme.raters == "random" for choice in choices)
    if not random and not any(choice.n_raters for choice in choices):
        return None, list(dict.fromkeys(note for choice in choices for note in choice.notes))[:SHOWN]
    if not random and (n_raters < 2 or len(alone) > 1):  # no answer for others is possible beside that for these
        return None, [f"The result holds for {'this rater' if n_raters < 2 else f'these {n_raters} raters'} only."]
    if tasks.names:
        return None, [
            "Raters are fixed: a leaderboard over tasks holds for these raters only. To generalise to other raters, "
            "rank the models on each task separately."
        ]
    notes = []
    if len(alone) > 1:
        notes.append(
            f"{joined(alone)} were judged by one rater each. The comparison of two of these models holds for their "
            "raters only: a difference between the raters looks like a difference between the models."
        )
    asked = raters if random else "random"
    return RandomRaters(replace(data, table=kept), request.cluster, asked, n_raters, random), notes


def choices_of(
    table: ResponseTable, models: Sequence[str], gold: str | None, raters: str | None
) -> list[rater_choice.RaterChoice]:
    """Return what `compare` does about the raters of each model and the one with the most raters, which says most.

    A single model is compared with itself.
    """
    first = max(models, key=lambda name: raters_of([table.source(name)]).size)
    others = [name for name in models if name != first]
    if others:
        return [_choice(table.contest(a=first, b=other, gold=gold, complete=False), raters) for other in others]
    model, reference = table.source(first), None if gold is None else table.source(gold)
    names = (gold or "", first, first)
    return [_choice(Contest(reference, model, model, table.scale, table.items, names, raters=table.raters), raters)]


def _choice(contest: Contest, raters: str | None) -> rater_choice.RaterChoice:
    """Return what `compare` does about the raters of a pair."""
    return rater_choice.choose(contest, Scheme("bootstrap", "all", raters or "fixed"), raters=raters, null=None)


def findings_with_raters(raters: RandomRaters, units: BoardUnits, settings: PairSettings) -> Findings:
    """Return what is known of all pairs for raters like these."""
    pairs, m = settings.pairs, len(units.names)
    spread = Spread.of(units, settings)
    answers = _comparisons(raters, units, settings)
    pvalues = np.where(spread.telling == 0, 1.0, np.array([answer.pvalue for answer in answers]))
    alpha = 1 - settings.level
    low, high = _ends(answers, 1 - alpha / len(answers))
    of_one = len(answers) if pairs.baseline is not None else m - 1
    own_low, own_high = _ends(answers, 1 - alpha / of_one)
    advantages = np.where(spread.telling == 0, 0.0, [answer.advantage for answer in answers])
    scores, sign = units.scores, 1.0 if raters.data.metric.better == "higher" else -1.0
    notes: tuple[str, ...] = ()
    if (np.abs(advantages - spread.advantages(units)) > settings.rounding).any():
        notes = (WEIGHTED,)
        if m == 2:  # the scores are those of `compare`, too
            order = [int(pairs.first[0]), int(pairs.second[0])]
            plain = sign * scores[order] if advantages[0] >= 0 else sign * scores[order[::-1]]  # the better model first
            notes = (RaterError(None).note((float(plain[0]), float(plain[1]))),)
            scores = scores.copy()
            scores[order] = sign * np.array([answers[0].a_score, answers[0].b_score])
    marginal = np.where(advantages > 0, advantages - own_low, own_high - advantages)
    data = raters.data
    clusters = None if raters.cluster is None else group_codes(data.table.groups, "cluster", raters.cluster)[1]
    sheet, _ = sheet_of(data, np.arange(data.table.n_items), clusters=clusters)
    moves = rater_moves(data)
    ends = [score_with_raters(data, sheet, j, settings.level, moves=moves, score=scores[j]) for j in range(m)]
    score_low, score_high = np.array([[one.low for one in ends], [one.high for one in ends]])
    if sign < 0:
        score_low, score_high = -score_high, -score_low
    causes = np.concatenate([units.errors, moves])
    moved = normal_moves(np.einsum("cj,ck->jk", causes, causes), settings)
    correction = settings.correction_without_joint_draws
    return Findings(
        scores=scores,
        score_low=score_low,
        score_high=score_high,
        advantages=advantages,
        low=low,
        high=high,
        errors=np.array([answer.standard_error for answer in answers]),
        pvalues=pvalues,
        adjusted=adjust(pvalues, method=correction),
        marginal=np.stack([marginal, marginal]),
        first_place_shares=first_place_shares_of(units.scores + moved),
        word=units.word,
        n_units=units.n_units,
        null=RANDOM_EFFECTS,
        correction=correction,
        exact=False,
        notes=notes,
        alike=spread.telling == 0,
    )


def _comparisons(raters: RandomRaters, units: BoardUnits, settings: PairSettings) -> list[Comparison]:
    """Return what `compare` says of each pair."""
    pairs, metric = settings.pairs, raters.data.metric
    answers: list[Comparison] = []
    for j, k in zip(pairs.first, pairs.second, strict=True):
        contest = raters.data.contest(units.names[j], units.names[k])
        # A mean of ratings has its error from analysis of variance: resamples add nothing to it.
        resampled = not metric.linear or _choice(contest, raters.raters).scheme.raters == "fixed"
        answers.append(
            compare(
                contest,
                metric=metric,
                raters=raters.raters,
                cluster=raters.cluster,
                rng=settings.seed,
                workers=settings.workers,
                n_resamples=settings.n_resamples if resampled else 99,
                confidence_level=settings.level,
            )
        )
        if settings.progress is not None:  # each pair is an equal share of the work
            n = len(answers)
            before, after = (settings.n_resamples * number // pairs.first.size for number in (n - 1, n))
            settings.progress(after - before)
    return answers


def _ends(answers: Sequence[Comparison], level: float) -> FloatArray:
    """Return the lower ends of the comparisons' intervals at a level, and the upper ends."""
    found = [answer.at(confidence_level=level).confidence_interval for answer in answers]
    return np.array([[ends.low for ends in found], [ends.high for ends in found]])
