"""Leaderboards of votes, which say which of two models is better: strengths by Bradley and Terry's model.

A strength is a log-odds: two models whose strengths differ by d win against each other with the odds exp(d). Ties count
half. The errors of strengths are linearised: each item (or voter) moves them by what its votes add to the score
equations, and with that a leaderboard of votes is like any other.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, stdtr, stdtrit

from howsure import _json, _matrices, _random
from howsure.documents import Aside
from howsure.documents.numbers import listed
from howsure.errors import ArgumentError, DataError
from howsure.inference.corrections import adjust
from howsure.leaderboards.pairs import Findings, PairSettings, findings_of
from howsure.leaderboards.ranks import notes_on, ranked
from howsure.leaderboards.request import MOST, LeaderboardRequest, VotesRequest
from howsure.leaderboards.result import Leaderboard
from howsure.leaderboards.units import Tasks, TaskSheet, Units
from howsure.metrics import Metric
from howsure.metrics.base import Better
from howsure.nulls import RANDOM_EFFECTS
from howsure.scales import FloatArray, IntArray

ELO = 400 / np.log(10)
"""Points of the Elo scale for one log-odds."""
FIRST, SECOND = ("a", "model_a", "first", "1", "left"), ("b", "model_b", "second", "2", "right")
TIES = ("tie", "draw", "both", "neither", "equal", "0.5", "same")
"""What a vote may say besides the name of a model, or of its column."""
SIMULATIONS = 199
AT_ONCE = 2**20
"""Sets of votes that are simulated at once have at most so many pairs of models, unless a single one has more."""


@dataclass(frozen=True)
class Strength(Metric):
    """The Bradley–Terry strength of a model: the log-odds of winning against one of strength 0, or Elo points."""

    name: ClassVar[str] = "bradley-terry"
    title: ClassVar[str] = "Bradley–Terry strength"
    better: ClassVar[Better] = "higher"

    elo: bool = False

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Votes have no scores of responses."""
        raise ArgumentError("strengths come from votes: howsure.leaderboard(votes, winner=…).")


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Votes between two models each.

    Attributes
    ----------
    models : tuple of str
    first, second : array of int
        The two models of each vote.
    won : array of float
        1 where the first is better, 0 where the second is, ½ for a tie.
    items, voters : array of int or None
    """

    models: tuple[str, ...]
    first: IntArray
    second: IntArray
    won: FloatArray
    items: IntArray | None = None
    voters: IntArray | None = None


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
    >>> rows = [("x", "y", "model_a")] * 30 + [("x", "y", "model_b")] * 10 + [("y", "z", "tie")] * 10
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
    strengths = fit_strengths(read)
    moves = _influences(read, strengths)
    pairs = PairSettings.of(request, names, rng=rng, workers=workers, progress=progress)
    size, middle = (ELO, 1000.0) if request.elo else (1.0, 0.0)
    scores = middle + size * strengths
    by = {word: codes for word, codes in (("item", read.items), ("voter", read.voters)) if codes is not None}
    ways = [_units(names, scores, size * moves, codes, word) for word, codes in by.items()]
    if len(ways) != 1:
        ways.append(_units(names, scores, size * moves, None, "vote"))
    found = findings_of(ways[0], pairs)
    notes = []
    if len(ways) == 3:
        found = _two_way(found, pairs, *ways)
        notes.append("Items and voters are both random factors: the result holds for items and voters like these.")
    elif not by:
        notes.append(
            "Each vote counts as independent. If votes share an item or a voter, pass these columns (`item`, `rater`)."
        )
    whole = Tasks((), names, (TaskSheet(moves[:0], scores),), np.ones(1), (np.arange(read.won.size),))
    notes += [*found.notes, transitivity(read, strengths, pairs.seed), *notes_on(whole, found, pairs)]
    digest = _json.digest([names, read.first, read.second, read.won, read.items, read.voters])[:12]
    # To a leaderboard votes are like a table without gold and tasks.
    board = ranked(LeaderboardRequest(), Strength(elo=request.elo), whole, found, pairs, digest=digest, notes=notes)
    counts = np.bincount(np.concatenate([read.first, read.second]), minlength=m)
    rows = tuple(replace(row, n_items=int(counts[names.index(row.name)])) for row in board.models)
    return replace(board, models=rows, title="Elo points" if request.elo else board.title)


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

    def codes(column: str | None) -> IntArray | None:
        if column is None:
            return None
        values = [str(value) for value in sheet.ids(column).gather(kept).to_list()]
        return np.unique(values, return_inverse=True)[1].astype(np.int64)

    of_first, of_second = (np.array([number[str(side[row])] for row in kept]) for side in (left, right))
    return Votes(names, of_first, of_second, np.array(won), codes(request.item), codes(request.voter))


def _won(vote: str, a: str, b: str, request: VotesRequest, place: str) -> float:
    word = vote.strip().lower()
    if vote == a or (vote not in (a, b) and word in (*FIRST, request.first.lower())):
        return 1.0
    if vote == b or word in (*SECOND, request.second.lower()):
        return 0.0
    if word.split(" ")[0].strip("()") in TIES:
        return 0.5
    raise DataError(f"{place}: {vote!r} is neither {a!r} nor {b!r}, nor model_a, model_b or tie.")


def fit_strengths(votes: Votes) -> FloatArray:
    """Return the log-strengths by maximum likelihood (Bradley and Terry 1952), 0 on average; ties are half a win each.

    They exist only if every model has, over some chain of wins or ties, beaten every other (Ford 1957). Their
    likelihood is then concave with one maximum, so Newton's steps reach it; a step that overshoots is halved.
    """
    wins = _wins(votes)
    gap = _gap(wins > 0)
    if gap is not None:
        worse, better = (listed([votes.models[j] for j in side], 3) for side in gap)
        raise DataError(
            f"no vote prefers any of {worse} to any of {better}, so their difference in strength cannot be estimated. "
            "Leave models out, or collect more votes."
        )
    games, strengths = wins + wins.T, np.zeros(len(votes.models))
    for _ in range(MOST_STEPS):
        chance = _chances(strengths)
        step = np.linalg.pinv(_information(games, chance)) @ (wins - games * chance).sum(axis=1)
        while _log_likelihood(strengths + step, wins) < _log_likelihood(strengths, wins) - ROUNDED:
            step = step / 2
        strengths = strengths + step - (strengths + step).mean()
        if np.abs(step).max() < STEADY:
            break
    return np.asarray(strengths)


MOST_STEPS, STEADY, ROUNDED = 100, 1e-12, 1e-9
"""Newton's steps at the most, the size of the last one, and how much rounding may change a likelihood."""


def _log_likelihood(strengths: FloatArray, wins: FloatArray) -> float:
    return -float((wins * np.logaddexp(0.0, strengths - strengths[:, np.newaxis])).sum())


def _chances(strengths: FloatArray) -> FloatArray:
    """Return with which probability each model wins against each other one."""
    return np.asarray(expit(strengths[:, np.newaxis] - strengths))


def _wins(votes: Votes) -> FloatArray:
    """Return how often each model won against each other one, ties counted half."""
    wins = np.zeros((len(votes.models), len(votes.models)))
    np.add.at(wins, (votes.first, votes.second), votes.won)
    np.add.at(wins, (votes.second, votes.first), 1 - votes.won)
    return wins


def _gap(beaten: Any) -> tuple[list[int], list[int]] | None:
    """Return models that never won or tied against the others, and those others; None where chains of wins link all."""
    from scipy.sparse.csgraph import breadth_first_order

    for forward, links in ((True, beaten), (False, beaten.T)):
        seen = sorted(breadth_first_order(links, 0, return_predecessors=False).tolist())
        others = sorted({*range(beaten.shape[0])} - {*seen})
        if others:
            return (seen, others) if forward else (others, seen)
    return None


def _information(games: FloatArray, chance: FloatArray) -> FloatArray:
    weights = games * chance * (1 - chance)
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


def _influences(votes: Votes, strengths: FloatArray) -> FloatArray:
    """Return by how much each vote moves each strength: (votes, models)."""
    wins = _wins(votes)
    inverse = np.linalg.pinv(_information(wins + wins.T, _chances(strengths)))
    surprise = votes.won - expit(strengths[votes.first] - strengths[votes.second])
    return np.asarray(surprise[:, np.newaxis] * (inverse[votes.first] - inverse[votes.second]))


def _units(names: tuple[str, ...], scores: FloatArray, moves: FloatArray, codes: IntArray | None, word: str) -> Units:
    if codes is not None:
        summed = np.zeros((int(codes.max()) + 1, moves.shape[1]))
        np.add.at(summed, codes, moves)
        moves = summed
    n = moves.shape[0]
    totals = moves - moves.mean(axis=0) + scores / n
    return Units(names, totals, np.full(n, 1 / n), np.zeros(1, dtype=np.int64), scores, word)


def _two_way(found: Findings, settings: PairSettings, items: Units, voters: Units, single: Units) -> Findings:
    """Return what is known where items and voters are both drawn: variances add (Cameron, Gelbach and Miller 2011)."""
    pairs = settings.pairs

    def variances(units: Units) -> tuple[FloatArray, FloatArray]:
        errors = units.errors
        apart = np.square(errors[:, pairs.first] - errors[:, pairs.second]).sum(axis=0)
        return apart, np.square(errors).sum(axis=0)

    of_items, of_voters, of_votes = variances(items), variances(voters), variances(single)
    both, own = (
        np.maximum(np.maximum(one, other), one + other - votes)
        for one, other, votes in zip(of_items, of_voters, of_votes, strict=True)
    )
    df, alpha = max(1, min(items.n_units, voters.n_units) - 1), 1 - settings.level
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(both > 0, np.abs(found.advantages) / np.sqrt(both), 0.0)
    pvalues = np.minimum(1.0, 2 * stdtr(df, -ratios))
    arms = -stdtrit(df, alpha / 2 / pairs.first.size) * np.sqrt(both)
    n_own = pairs.first.size if pairs.baseline is not None else len(items.names) - 1
    alone = -stdtrit(df, alpha / 2 / n_own) * np.sqrt(both)
    score_arms = -stdtrit(df, alpha / 2) * np.sqrt(own)
    correction = settings.correction_without_joint_draws
    return replace(
        found,
        score_low=found.scores - score_arms,
        score_high=found.scores + score_arms,
        low=found.advantages - arms,
        high=found.advantages + arms,
        pvalues=pvalues,
        adjusted=adjust(pvalues, method=correction),
        correction=correction,
        marginal=np.stack([alone, alone]),
        null=RANDOM_EFFECTS,
        exact=False,
    )


def transitivity(votes: Votes, strengths: FloatArray, seed: np.random.SeedSequence) -> str:
    """Return how many triples of models form a cycle, and how many do where Bradley and Terry's model holds."""
    m = strengths.size
    wins = _wins(votes)
    games = wins + wins.T
    circles, n_triples = int(_circles(wins)), _triples(games)
    if not n_triples:
        return "No three models were all compared with each other, so we cannot check whether one order fits the votes."
    random = _random.generator(seed, "transitivity")
    rows, columns = np.triu_indices(m, 1)
    chance, counts = _chances(strengths)[rows, columns], games[rows, columns].astype(np.int64)
    drawn = np.empty(SIMULATIONS)
    step = max(1, AT_ONCE // m**2)
    for start in range(0, SIMULATIONS, step):
        again = np.zeros((min(step, SIMULATIONS - start), m, m))
        again[:, rows, columns] = random.binomial(counts, chance, (len(again), counts.size))
        again[:, columns, rows] = counts - again[:, rows, columns]
        drawn[start : start + step] = _circles(again)
    pvalue = (1 + np.count_nonzero(drawn >= circles)) / (SIMULATIONS + 1)
    said = (
        f"{circles:,} of {n_triples:,} triples of models form a cycle (a beats b, b beats c, c beats a); the "
        f"Bradley–Terry model expects {drawn.mean():.3g} (p = {pvalue:.2g})."
    )
    return f"{said} One order does not fit these votes." if pvalue <= 0.05 else Aside(said)


def _circles(wins: FloatArray) -> FloatArray:
    """Return how many triples of models form a cycle; leading axes are sets of votes."""
    beats = (wins > wins.swapaxes(-1, -2)).astype(np.float64)
    return np.asarray(np.rint(((beats @ beats) * beats.swapaxes(-1, -2)).sum(axis=(-1, -2)) / 3))


def _triples(games: FloatArray) -> int:
    met = (games > 0).astype(np.float64)
    return round(float(((met @ met) * met.T).sum()) / 6)
