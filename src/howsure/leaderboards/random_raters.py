"""Leaderboards that generalise to raters like these: each pair as `compare` tests it, adjusted for all pairs.

This is why leaderboards lie above `comparison`.

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

from howsure.comparison import Comparison, compare
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.scales import FloatArray
from howsure.documents.numbers import joined
from howsure.errors import DataError
from howsure.inference.corrections import adjust
from howsure.inference.proportions import effective_wilson
from howsure.leaderboards.pairs import Findings, PairSettings, Spread, first_place_shares_of, normal_moves
from howsure.leaderboards.request import LeaderboardRequest
from howsure.leaderboards.score_intervals import is_share, score_bounds
from howsure.leaderboards.units import LeaderboardData, Tasks, Units, sheet_of
from howsure.nulls import RANDOM_EFFECTS
from howsure.raters import choice as rater_choice
from howsure.raters.design import FEW_RATERS, leave_out_raters, raters_of
from howsure.resampling import Scheme

SHOWN = 2
"""A leaderboard has this many notes of its pairs, which mostly say the same."""
GROUPS = 50
"""Raters are left out one by one, or in this many groups."""


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

    @property
    def names(self) -> tuple[str, str]:
        """What the two answers hold for."""
        return f"For these {self.n_raters} raters", "For raters like these"

    @property
    def advice(self) -> str:
        """Which of the two answers to report."""
        if self.n_raters < FEW_RATERS:
            few = f"{self.n_raters} raters are too few to generalise reliably"
            return f"Report the first line. The second is only a hint: {few}. Add raters."
        return "Report the second line unless exactly these raters are the standard."


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
    alone = _judged_by_one(kept, tasks.models) if gold is None else []
    if raters == "random" and len(alone) > 1:
        raise DataError(
            f"`raters='random'` requires two or more raters; {alone[0]} and {alone[1]} were judged by one rater each. "
            "Leave one of these models out, or use the default of `raters`: their comparison then holds for these "
            "raters only."
        )
    # Whichever model comes first by its name: the one with the most raters says most about raters.
    first = max(tasks.models, key=lambda name: raters_of([table.source(name)]).size)
    others = [name for name in tasks.models if name != first]
    choices = [_choice(kept.contest(a=first, b=other, gold=gold), raters) for other in others]
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


def _choice(contest: Contest, raters: str | None) -> rater_choice.RaterChoice:
    """Return what `compare` does about the raters of a pair."""
    return rater_choice.choose(contest, Scheme("bootstrap", "all", raters or "fixed"), raters=raters, null=None)


def _judged_by_one(table: ResponseTable, names: Sequence[str]) -> list[str]:
    """Return the models that one rater judged."""
    known = {name: table.source(name).raters for name in names}
    return [name for name, raters in known.items() if raters is not None and np.unique(raters).size < 2]


def findings_with_raters(raters: RandomRaters, units: Units, settings: PairSettings) -> Findings:
    """Return what is known of all pairs for raters like these."""
    pairs, m = settings.pairs, len(units.names)
    spread = Spread.of(units, settings)
    answers = _comparisons(raters, units, settings)
    pvalues = np.where(spread.telling == 0, 1.0, np.array([answer.pvalue for answer in answers]))
    alpha = 1 - settings.level
    advantages = spread.advantages(units)
    arms = np.array([_arm(answer, 1 - alpha / len(answers)) for answer in answers])
    of_one = len(answers) if pairs.baseline is not None else m - 1
    marginal = np.array([_arm(answer, 1 - alpha / of_one) for answer in answers])
    causes = np.concatenate([units.errors, _rater_moves(raters, units)])
    reach = -float(stdtrit(max(1, raters.n_raters - 1), alpha / 2))
    score_arms = reach * np.sqrt(np.square(causes).sum(axis=0))
    moved = normal_moves(np.einsum("cj,ck->jk", causes, causes), settings)
    correction = settings.correction_without_joint_draws
    low, high = units.scores - score_arms, units.scores + score_arms
    metric = raters.data.metric
    bounds = score_bounds(metric, raters.data.table.scale)
    share = is_share(metric, bounds)
    if share:
        variances, df = np.square(causes).sum(axis=0), max(1, raters.n_raters - 1)
        sign = 1.0 if metric.better == "higher" else -1.0
        ends = effective_wilson(
            sign * units.scores, variances, units.n_units, df=float(df), confidence_level=settings.level
        )
        low, high = ends if sign > 0 else (-ends[1], -ends[0])
    furthest = 1.0 if share else math.inf  # two shares differ by at most 1
    return Findings(
        scores=units.scores,
        score_low=low,
        score_high=high,
        advantages=advantages,
        low=np.maximum(advantages - arms, -furthest),
        high=np.minimum(advantages + arms, furthest),
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
        alike=spread.telling == 0,
    )


def _comparisons(raters: RandomRaters, units: Units, settings: PairSettings) -> list[Comparison]:
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


def _arm(answer: Comparison, level: float) -> float:
    ends = answer.at(confidence_level=level).confidence_interval
    return (ends.high - ends.low) / 2


def _rater_moves(raters: RandomRaters, units: Units) -> FloatArray:
    """Return what each rater (or group of them) adds to each score: their squares sum to the jackknife variance."""
    sources = raters.data.table.sources
    who = raters_of(sources.values())
    left = []
    for start in range(min(GROUPS, who.size)):
        group = who[start::GROUPS]
        kept = {name: leave_out_raters(source, group) for name, source in sources.items()}
        without = replace(raters.data, table=replace(raters.data.table, sources=kept))
        try:
            sheet, _ = sheet_of(without, np.arange(without.table.n_items))
        except DataError:  # nobody else judged anything
            continue
        if not np.isnan(sheet.scores).any():
            left.append(sheet.scores)
    if len(left) < 2:
        return np.zeros((1, len(units.names)))
    scores = np.array(left)
    return np.asarray(math.sqrt((len(left) - 1) / len(left)) * (scores - scores.mean(axis=0)))
