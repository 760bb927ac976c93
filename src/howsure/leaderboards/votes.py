"""Leaderboards of votes, which say which of two models is better (`strengths` has the model behind them).

Each pair is tested by flipping the signs of what each voter (or item) adds to the difference of the two strengths if
these are equal. Intervals come from the same model: of a single pair by inverting that test, of many from each unit's
influence and share of the information.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, stdtr, stdtrit

from howsure import _check, _json, _matrices, _random
from howsure.data.scales import FloatArray, IntArray
from howsure.documents import Aside
from howsure.documents.numbers import error_of, in_words, number, pvalue
from howsure.errors import ArgumentError, DataError
from howsure.inference.corrections import adjust
from howsure.inference.estimate import ConfidenceInterval
from howsure.leaderboards.agreeing_intervals import agreeing
from howsure.leaderboards.flipped_votes import flip_test, inverted_flips
from howsure.leaderboards.pairs import Findings, PairSettings, Tested, first_place_shares_of, normal_moves
from howsure.leaderboards.ranks import notes_on, ranked
from howsure.leaderboards.request import MOST, LeaderboardRequest, VotesRequest
from howsure.leaderboards.result import Leaderboard, VoteEffect
from howsure.leaderboards.strengths import (
    ContrastErrors,
    Strengths,
    Votes,
    VoteUnits,
    contrasts_of,
    fit_strengths,
)
from howsure.leaderboards.units import Tasks, TaskSheet
from howsure.metrics import Metric
from howsure.metrics.base import Better
from howsure.nulls import RANDOM_EFFECTS, SIGN_FLIP, Null

ELO = 400 / np.log(10)
"""Points of the Elo scale for one log-odds."""
FIRST, SECOND = ("a", "model_a", "first", "1", "left"), ("b", "model_b", "second", "2", "right")
TIES = ("tie", "draw", "both", "neither", "equal", "0.5", "same")
"""What a vote may say besides the name of a model, or of its column."""
SIMULATIONS = 199
AT_ONCE = 2**20
"""Sets of votes that are simulated at once have at most so many pairs of models, unless a single one has more."""
MOST_UNITS = 8192
"""More votes than this, if they stand alone, are flipped in groups."""
FEW = 0.2
"""A unit with at least this share of the votes is worth a note: a convention."""
OFTEN_FIRST = 0.8
"""A model that is first, or second, in more of its votes than this is worth a note: a convention."""


@dataclass(frozen=True)
class Strength(Metric):
    """The Bradley–Terry strength of a model, on one of three scales."""

    name: ClassVar[str] = "bradley-terry"
    title: ClassVar[str] = "Bradley–Terry strength"
    better: ClassVar[Better] = "higher"

    scale: str = "win-rate"

    TITLES: ClassVar[dict[str, str]] = {"win-rate": "win rate", "log-odds": title, "elo": "Elo points"}

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Votes have no scores of responses."""
        raise ArgumentError("strengths come from votes: howsure.leaderboard(votes, winner=…).")

    def shown(self, strengths: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return strengths on the scale, and their derivatives by the log-strengths: (models,), (models, models)."""
        m = strengths.size
        if self.scale == "elo":
            return 1000 + ELO * strengths, ELO * np.eye(m)
        if self.scale == "log-odds":
            return strengths, np.eye(m)
        chances = expit(strengths[:, np.newaxis] - strengths)
        np.fill_diagonal(chances, 0.0)
        slopes = chances * (1 - chances)
        return chances.sum(axis=1) / (m - 1), (np.diag(slopes.sum(axis=1)) - slopes) / (m - 1)

    def difference(self, log_odds: float) -> float:
        """Return a difference of two log-strengths on the scale: of win rates, what the two have in their own votes."""
        if self.scale == "win-rate":
            return float(np.tanh(log_odds / 2))
        return float(ELO * log_odds if self.scale == "elo" else log_odds)


@_matrices.on_one_thread
def compare_votes(
    votes: Any,
    request: VotesRequest | None = None,
    *,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
    **settings: Any,
) -> Leaderboard:
    """Rank models by votes between two of them.

    Parameters
    ----------
    votes : path or dataframe
        One vote in each row.
    request : VotesRequest, optional
        What is asked, as one record.
    rng, workers, progress
        As in `compare_all`.
    **settings
        Fields of `VotesRequest`, in place of `request`.

    Examples
    --------
    >>> import polars
    >>> rows = [("x", "y", "model_a")] * 30 + [("y", "x", "model_a")] * 10 + [("y", "z", "tie")] * 10
    >>> rows += [("z", "x", "x")] * 5 + [("z", "x", "z")] * 5
    >>> board = compare_votes(polars.DataFrame(rows, ["model_a", "model_b", "winner"], orient="row"), rng=0)
    >>> [(row.name, row.rank) for row in board.models]
    [('x', 1), ('z', 2), ('y', 3)]
    """
    request = VotesRequest.of(request, settings)
    read = read_votes(votes, request)
    names, m = read.models, len(read.models)
    if m > MOST:
        raise ArgumentError(f"{m:,} models are too many for a leaderboard of votes; at most {MOST:,} are possible.")
    request.check_models(names)
    fit = fit_strengths(read)
    pairs = PairSettings.of(request, names, rng=rng, workers=workers, progress=progress)
    pairs = replace(pairs, count_all=request.n_resamples is None)
    metric = Strength(request.strength)
    ways = _ways(fit)
    found = agreeing(_findings(metric, ways, pairs), pairs)
    effects = _effects(ways, request.confidence_level)
    scores, _ = metric.shown(fit.strengths)
    whole = Tasks((), names, (TaskSheet(np.empty((0, m)), scores),), np.ones(1), (np.arange(read.won.size),))
    notes = [*_about_units(ways), *_about_place(fit, effects), *_about_controls(fit, effects), *found.notes]
    notes += [transitivity(read, fit.strengths, pairs.seed), *notes_on(whole, found, pairs)]
    digest = _json.digest([names, read.first, read.second, read.won, read.items, read.voters, read.controls])[:12]
    # To a leaderboard votes are like a table without gold and tasks.
    also = {"unordered": True if request.unordered else None, "control": ",".join(request.control) or None}
    board = ranked(LeaderboardRequest(), metric, whole, found, pairs, digest=digest, notes=notes, also=also)
    counts = np.bincount(np.concatenate([read.first, read.second]), minlength=m)
    rows = tuple(replace(row, n_items=int(counts[names.index(row.name)])) for row in board.models)

    def on_scale(ends: ConfidenceInterval) -> ConfidenceInterval:
        return replace(ends, low=metric.difference(ends.low), high=metric.difference(ends.high))

    shown = tuple(
        replace(
            pair,
            advantage=metric.difference(pair.advantage),
            confidence_interval=on_scale(pair.confidence_interval),
        )
        for pair in board.pairs
    )
    raw: tuple[float, ...] = ()
    if read.controls:
        plain, _ = metric.shown(fit_strengths(replace(read, controls=())).strengths)
        raw = tuple(float(plain[names.index(row.name)]) for row in rows)
    title = metric.TITLES[metric.scale]
    return replace(board, models=rows, pairs=shown, title=title, effects=effects, uncontrolled=raw)


def read_votes(votes: Any, request: VotesRequest) -> Votes:
    """Read votes; a vote that names neither of its models is an error with its place."""
    from howsure.io.sheets import open_sheet

    sheet = open_sheet(votes)
    left, right, said = (sheet.ids(column).to_list() for column in (request.first, request.second, request.winner))
    names = tuple(sorted({str(name) for name in (*left, *right) if name is not None}))
    if len(names) < 2:
        raise DataError(f"a leaderboard needs at least two models; {sheet.name} has {', '.join(names) or 'none'}.")
    number = {name: j for j, name in enumerate(names)}
    kept, won = [], []
    for row, (a, b, vote) in enumerate(zip(left, right, said, strict=True)):
        if a is None or b is None or vote is None:
            continue
        if a == b:
            raise DataError(f"{sheet.place(row)}: {a!r} is compared with itself; remove this row.")
        kept.append(row)
        won.append(_won(str(vote), str(a), str(b), request, sheet.place(row)))
    if not kept:
        raise DataError(f"{sheet.name} holds no vote: no row has two models and a winner.")

    of_first, of_second = (np.array([number[str(side[row])] for row in kept]) for side in (left, right))
    controls = [_control(sheet, name, kept) for name in request.control]
    units = {
        column: sheet.ids(column).gather(kept).rank("dense").cast(int).fill_null(0).to_numpy()
        for column in (request.item, request.voter)
        if column is not None
    }
    # Draws go by position: votes that are alike are interchangeable, and the order of the rows has no influence.
    order = np.lexsort((*controls, np.array(won), of_second, of_first, *units.values()))

    def codes(column: str | None) -> IntArray | None:
        if column is None:
            return None
        found = units[column][order].astype(np.int64)
        # A vote without an id shares it with no other vote.
        found[found == 0] = found.max() + 1 + np.arange((found == 0).sum())
        return np.unique(found, return_inverse=True)[1].astype(np.int64)

    return Votes(
        names,
        of_first[order],
        of_second[order],
        np.array(won)[order],
        codes(request.item),
        codes(request.voter),
        ordered=not request.unordered,
        controls=tuple((name, values[order]) for name, values in zip(request.control, controls, strict=True)),
    )


def _control(sheet: Any, name: str, kept: list[int]) -> FloatArray:
    """Return a property of the first output compared with the second, in standard deviations.

    It is a column of differences, or two columns whose difference counts in relation to their sum: twice as long is
    twice as long, whatever the length.
    """
    pair = [(f"{name}{first}", f"{name}{second}") for first, second in (("_a", "_b"), ("_1", "_2"))]
    pair += [(f"{first}{name}", f"{second}{name}") for first, second in (("a_", "b_"), ("model_a_", "model_b_"))]
    sides = next((both for both in pair if set(both) <= set(sheet.columns)), None)
    if name in sheet.columns:
        values = _numbers(sheet, name, kept)
    elif sides is not None:
        first, second = (_numbers(sheet, column, kept) for column in sides)
        if min(first.min(), second.min()) < 0:
            values = first - second
        else:
            values = np.divide(first - second, first + second, out=np.zeros_like(first), where=first + second > 0)
    else:
        hint = _check.nearest(name, sheet.columns)
        raise ArgumentError(
            f"`control` must be a column of differences, or a name with two columns ({name}_a and {name}_b); "
            f"{sheet.name} has none for {name!r}.{hint}"
        )
    spread = float(values.std())
    if not spread > 0:
        raise DataError(f"{sheet.name}: {name} is the same in every vote, so it cannot be controlled for.")
    return np.asarray(values / spread)


def _numbers(sheet: Any, column: str, kept: list[int]) -> FloatArray:
    """Return the numbers of a column; another value is an error with its place."""
    found = []
    for row, value in zip(kept, sheet.ids(column).gather(kept).to_list(), strict=True):
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            found.append(np.nan)
        if not np.isfinite(found[-1]):
            raise DataError(f"{sheet.place(row)}: {column} must be a number; got {value!r}.")
    return np.array(found)


def _won(vote: str, a: str, b: str, request: VotesRequest, place: str) -> float:
    word = vote.strip().lower()
    if vote == a or (vote not in (a, b) and word in (*FIRST, request.first.lower())):
        return 1.0
    if vote == b or word in (*SECOND, request.second.lower()):
        return 0.0
    if word.split(" ")[0].strip("()") in TIES:
        return 0.5
    raise DataError(f"{place}: {vote!r} is neither {a!r} nor {b!r}, nor model_a, model_b or tie.")


def _ways(fit: Strengths) -> list[VoteUnits]:
    """Return what is drawn: items or voters, both of them, or each vote by itself."""
    votes = fit.votes
    by = {word: codes for word, codes in (("item", votes.items), ("voter", votes.voters)) if codes is not None}
    ways = [VoteUnits(fit, word, codes) for word, codes in by.items()]
    for way in ways:
        if way.n_units < 2:
            raise DataError(f"a leaderboard needs votes of at least two {way.word}s; got {way.n_units}.")
    return ways or [_alone(fit)]


def _alone(fit: Strengths) -> VoteUnits:
    """Return single votes as units: independent votes stay independent in groups, of which there are never too many."""
    return VoteUnits(fit, "vote", np.arange(fit.votes.won.size) % MOST_UNITS)


def _errors(ways: list[VoteUnits], contrasts: Any) -> ContrastErrors:
    """Return the errors of contrasts; where items and voters are drawn variances add (Cameron et al. 2011)."""
    found = [way.errors(contrasts) for way in ways]
    if len(found) == 1:
        return found[0]
    one, other = (np.square(each.errors) for each in found)
    fit = ways[0].fit
    alone = _alone(fit).errors(contrasts)
    both = np.maximum(np.maximum(one, other), one + other - np.square(alone.errors))
    return ContrastErrors(np.sqrt(both), np.minimum(found[0].df, found[1].df))


def _findings(metric: Strength, ways: list[VoteUnits], settings: PairSettings) -> Findings:
    """Return what the votes say of all pairs: differences of log-strengths, and scores on their scale."""
    fit, pairs, alpha = ways[0].fit, settings.pairs, 1 - settings.level
    m, k = len(fit.votes.models), fit.inverse.shape[0]
    contrasts = contrasts_of(k, pairs.first, pairs.second)
    advantages = fit.strengths[pairs.first] - fit.strengths[pairs.second]
    spread = _errors(ways, contrasts)
    n_own = pairs.first.size if pairs.baseline is not None else m - 1
    arms, alone = (
        -stdtrit(spread.df, alpha / 2 / number_of) * spread.errors for number_of in (pairs.first.size, n_own)
    )
    ends = np.stack([advantages - arms, advantages + arms])
    if len(ways) == 1 and pairs.first.size == 1:
        own = np.array(inverted_flips(ways[0], settings))[:, np.newaxis]
        ends = np.where(np.isnan(own), ends, own)
    scores, slopes = metric.shown(fit.strengths)
    low, high = _score_limits(metric, scores, _errors(ways, np.vstack([slopes.T, np.zeros((k - m, m))])), alpha)
    if len(ways) == 1:
        null: Null = SIGN_FLIP
        tested, correction = flip_test(ways[0], settings), settings.correction
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            pvalues = 2 * stdtr(spread.df, -np.abs(advantages) / spread.errors)
        tested = Tested(np.where(np.isnan(pvalues), 1.0, pvalues), pvalues, False)
        null, correction = RANDOM_EFFECTS, settings.correction_without_joint_draws
    adjusted = tested.adjusted
    if correction != "westfall-young":
        adjusted = adjust(tested.pvalues, method=correction)
    causes = np.concatenate([way.influences[:, :m] for way in ways])
    moved = normal_moves(np.einsum("uj,uk->jk", causes, causes), settings)
    return Findings(
        scores=scores,
        score_low=low,
        score_high=high,
        advantages=advantages,
        low=ends[0],
        high=ends[1],
        errors=spread.errors,
        pvalues=tested.pvalues,
        adjusted=adjusted,
        marginal=np.stack([alone, alone]),
        first_place_shares=first_place_shares_of(fit.strengths + moved),
        word=ways[0].word,
        n_units=min(way.n_units for way in ways),
        null=null,
        correction=correction,
        exact=tested.exact,
    )


def _score_limits(
    metric: Strength, scores: FloatArray, spread: ContrastErrors, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the scores' intervals; win rates stay between 0 and 1, as their log-odds are symmetric."""
    arms = -stdtrit(spread.df, alpha / 2) * spread.errors
    if metric.scale != "win-rate":
        return scores - arms, scores + arms
    logits, arms = np.log(scores / (1 - scores)), arms / (scores * (1 - scores))
    return expit(logits - arms), expit(logits + arms)


def _effects(ways: list[VoteUnits], level: float) -> tuple[VoteEffect, ...]:
    """Return what is estimated besides strengths, with intervals and p-values."""
    fit = ways[0].fit
    m, k = len(fit.votes.models), fit.inverse.shape[0]
    if k == m:
        return ()
    spread = _errors(ways, np.eye(k)[:, m:])
    values = fit.coefficients[m:]
    arms = -stdtrit(spread.df, (1 - level) / 2) * spread.errors
    pvalues = 2 * stdtr(spread.df, -np.abs(values) / spread.errors)
    return tuple(
        VoteEffect(name, float(value), ConfidenceInterval(float(value - arm), float(value + arm), "t", level), float(p))
        for name, value, arm, p in zip(fit.votes.effects, values, arms, pvalues, strict=True)
    )


def _about_units(ways: list[VoteUnits]) -> list[str]:
    notes = []
    if len(ways) == 2:
        notes.append("Items and voters are both random factors: the result holds for items and voters like these.")
    elif ways[0].word == "vote":
        notes.append(
            "Each vote counts as independent. If votes share an item or a voter, pass these columns (`item`, `rater`)."
        )
    for way in ways:
        if way.word != "vote" and way.largest_share >= FEW:
            share = f"{100 * way.largest_share:.0f}% of the votes"
            few = {
                "voter": f"The busiest voter gave {share}: the leaderboard rests on few people.",
                "item": f"One item has {share}: the leaderboard rests on few items.",
            }
            notes.append(few[way.word])
    return notes


def _about_place(fit: Strengths, effects: tuple[VoteEffect, ...]) -> list[str]:
    """Return what the first place is worth, and which model had it more often, or less, than others."""
    votes = fit.votes
    if not votes.ordered:
        return []
    place, m = effects[0], len(votes.models)
    wins = f"The first of two equal models wins {100 * expit(place.value):.0f}% of the votes"
    told = f"{wins} ({_worth(place)}); strengths are corrected for it."
    first = np.bincount(votes.first, minlength=m) / np.bincount(np.concatenate([votes.first, votes.second]))
    most = int(np.argmax(np.abs(first - 0.5)))
    uneven = not 1 - OFTEN_FIRST <= first[most] <= OFTEN_FIRST
    if place.pvalue > 0.05 and not uneven:
        return [Aside(told)]
    which = "first" if first[most] > 0.5 else "second"
    share = f"{100 * max(first[most], 1 - first[most]):.0f}%"
    who = f" {votes.models[most]} was {which} in {share} of its votes." if uneven else ""
    return [f"{told}{who}{_changed(fit, replace(votes, ordered=False), 'this correction')}"]


def _about_controls(fit: Strengths, effects: tuple[VoteEffect, ...]) -> list[str]:
    """Return what each property is worth, and whether controlling for all of them changes the order of models."""
    controls = effects[-len(fit.votes.controls) :] if fit.votes.controls else ()
    notes: list[str] = [
        f"One standard deviation more {one.name} is worth {_worth(one)}; strengths are controlled for it."
        for one in controls
    ]
    if controls:
        changed = _changed(fit, replace(fit.votes, controls=()), "control")
        notes.append(changed.strip() or "The order of models is the same with and without control.")
    return notes


def _worth(effect: VoteEffect) -> str:
    worth = number(effect.value, error_of(effect.confidence_interval))
    return f"{worth} log-odds, p {in_words(pvalue(effect.pvalue))}"


def _changed(fit: Strengths, votes: Votes, what: str) -> str:
    """Return how the order of models differs where votes are taken otherwise; empty where it does not."""
    now, before = (
        np.argsort(np.argsort(-strengths, kind="stable"))
        for strengths in (fit.strengths, fit_strengths(votes).strengths)
    )
    moved = int(np.argmax(np.abs(now - before)))
    if now[moved] == before[moved]:
        return ""
    leads = int(np.argmin(before))
    if now[leads] != 0:
        return f" Without {what}, {votes.models[leads]} would be first."
    return f" Without {what}, {votes.models[moved]} would have rank {before[moved] + 1} in place of {now[moved] + 1}."


def transitivity(votes: Votes, strengths: FloatArray, seed: np.random.SeedSequence) -> str:
    """Return how many triples of models form a cycle, and how many do where Bradley and Terry's model holds."""
    m = strengths.size
    wins = votes.wins
    games = wins + wins.T
    met = (games > 0).astype(np.float64)
    circles, n_triples = int(_circles(wins)), round(float(((met @ met) * met.T).sum()) / 6)
    if not n_triples:
        return "No three models were all compared with each other, so we cannot check whether one order fits the votes."
    random = _random.generator(seed, "transitivity")
    rows, columns = np.triu_indices(m, 1)
    chances = expit(strengths[:, np.newaxis] - strengths)
    chance, counts = chances[rows, columns], games[rows, columns].astype(np.int64)
    drawn = np.empty(SIMULATIONS)
    step = max(1, AT_ONCE // m**2)
    for start in range(0, SIMULATIONS, step):
        again = np.zeros((min(step, SIMULATIONS - start), m, m))
        again[:, rows, columns] = random.binomial(counts, chance, (len(again), counts.size))
        again[:, columns, rows] = counts - again[:, rows, columns]
        drawn[start : start + step] = _circles(again)
    p = (1 + np.count_nonzero(drawn >= circles)) / (SIMULATIONS + 1)
    said = (
        f"{circles:,} of {n_triples:,} triples of models form a cycle (a beats b, b beats c, c beats a); the "
        f"Bradley–Terry model expects {drawn.mean():.3g} (p = {p:.2g})."
    )
    return f"{said} One order does not fit these votes." if p <= 0.05 else Aside(said)


def _circles(wins: FloatArray) -> FloatArray:
    """Return how many triples of models form a cycle; leading axes are sets of votes."""
    beats = (wins > wins.swapaxes(-1, -2)).astype(np.float64)
    return np.asarray(np.rint(((beats @ beats) * beats.swapaxes(-1, -2)).sum(axis=(-1, -2)) / 3))
