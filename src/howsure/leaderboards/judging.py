"""Scores, advantages and p-values from units, with random or fixed raters and with missing scores."""

from dataclasses import dataclass, replace

import numpy as np

from howsure.documents import Aside
from howsure.errors import DataError
from howsure.inference.corrections import adjust
from howsure.leaderboards.board_tasks import Tasks
from howsure.leaderboards.board_units import Units
from howsure.leaderboards.joint import Ask, Spread, reach_of, swap_test
from howsure.leaderboards.rater_boards import RaterQuestion, judge_raters
from howsure.scales import FloatArray


@dataclass(frozen=True, slots=True)
class Judged:
    """What the units say: scores, pairs and ranks, as arrays in the order of the models and pairs."""

    scores: FloatArray
    score_low: FloatArray
    score_high: FloatArray
    advantages: FloatArray
    low: FloatArray
    high: FloatArray
    pvalues: FloatArray
    adjusted: FloatArray
    marginal: FloatArray
    first_place_shares: FloatArray
    word: str
    n_units: int
    null: str
    correction: str
    exact: bool
    notes: tuple[str, ...]


def judge(units: Units, ask: Ask, asked: RaterQuestion | None = None, *, pvalues: FloatArray | None = None) -> Judged:
    """Return what these units say; with a question about raters, of raters like these.

    `pvalues` are those of the pairs by themselves, where units do not give them: for metrics without item scores.
    """
    if units.n_units < 2:
        raise DataError(
            f"a leaderboard needs at least two {units.word}s that every model answered; got {units.n_units}."
        )
    pairs = ask.pairs
    spread = Spread.of(units, ask)
    reach = reach_of(units, spread, ask)
    advantages = np.where(spread.telling == 0, 0.0, units.scores[pairs.first] - units.scores[pairs.second])
    if asked is not None:
        arms, tested, marginal, own, first_place_shares = judge_raters(asked, units, spread, ask)
    else:
        tested = swap_test(units, spread, ask)
        if pvalues is not None:
            tested = replace(tested, pvalues=pvalues, adjusted=np.fmax(tested.adjusted, pvalues))
        arms = spread.arms(reach.pairs)
        # How far a pair's interval reaches when only the rank of its first, or second, model matters.
        own_reach = (np.where(np.isinf(spread.least), 1.0, reach.by_model[of]) for of in (pairs.first, pairs.second))
        marginal = np.stack([spread.arms(1.0) * reaches for reaches in own_reach])
        first_place_shares = reach.first_place_shares
        errors = np.sqrt(np.square(units.errors).sum(axis=0))
        own = reach.scores * np.where(errors > ask.rounding, errors, np.nan)
    correction, adjusted = ask.correction, tested.adjusted
    if correction != "westfall-young":
        adjusted = adjust(tested.pvalues, method=correction)
    elif asked is not None:
        correction = "holm"
    notes = (
        Aside(
            f"With this many pairs, the width of the intervals of pairs is estimated from {reach.n_draws:,} of the "
            f"{ask.n_resamples:,} resamples."
        ),
    )
    return Judged(
        scores=units.scores,
        score_low=units.scores - own,
        score_high=units.scores + own,
        advantages=advantages,
        low=advantages - arms,
        high=advantages + arms,
        pvalues=tested.pvalues,
        adjusted=adjusted,
        marginal=marginal,
        first_place_shares=first_place_shares,
        word=units.word,
        n_units=units.n_units,
        null="sign-flip" if asked is None else "random-effects",
        correction=correction,
        exact=tested.exact,
        notes=notes if reach.n_draws < ask.n_resamples else (),
    )


def bounded(worst: Judged, best: Judged, tasks: Tasks, ask: Ask) -> Judged:
    """Return what holds whatever the missing scores are: between all of them at their worst and at their best."""
    lacks = np.array([name in tasks.lacking for name in tasks.models])
    first, second = ask.pairs.first, ask.pairs.second
    open_pair, both = lacks[first] | lacks[second], lacks[first] & lacks[second]
    same = np.sign(worst.advantages) == np.sign(best.advantages)
    pvalues, adjusted = (
        np.where(open_pair & ~same, 1.0, np.maximum(a, b))
        for a, b in ((worst.pvalues, best.pvalues), (worst.adjusted, best.adjusted))
    )
    undefined = np.where(both, np.nan, 0.0)
    return replace(
        worst,
        scores=np.where(lacks, np.nan, worst.scores),
        score_low=np.fmin(worst.score_low, best.score_low),
        score_high=np.fmax(worst.score_high, best.score_high),
        advantages=np.where(open_pair, np.nan, worst.advantages),
        low=np.fmin(worst.low, best.low) + undefined,
        high=np.fmax(worst.high, best.high) + undefined,
        pvalues=pvalues + undefined,
        adjusted=adjusted + undefined,
        marginal=np.maximum(worst.marginal, best.marginal) + np.where(open_pair, np.inf, 0.0),
        first_place_shares=np.where(lacks, np.nan, worst.first_place_shares),
    )
