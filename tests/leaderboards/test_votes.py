"""Boards of votes: strengths, their errors, ranks, and whether one order fits."""

import evalica
import numpy as np
import polars
import pytest

from howsure.errors import ArgumentError, DataError
from howsure.inference import binomial_region
from howsure.leaderboards import compare_votes
from howsure.leaderboards.votes import Votes, fit_strengths, transitivity


def votes_of(strengths, n, *, seed=0, ties=0.0, voters=0, taste=0.0):
    """Make n votes between random pairs; voters have a taste of their own."""
    rng = np.random.default_rng(seed)
    m = len(strengths)
    first = rng.integers(m, size=n)
    second = (first + rng.integers(1, m, size=n)) % m
    voter = rng.integers(max(voters, 1), size=n)
    own = taste * rng.normal(size=(max(voters, 1), m))
    logit = strengths[first] - strengths[second] + own[voter, first] - own[voter, second]
    won = np.where(rng.random(n) < 1 / (1 + np.exp(-logit)), "model_a", "model_b")
    won = np.where(rng.random(n) < ties, "tie (bothbad)", won)
    return polars.DataFrame(
        {
            "model_a": [f"m{j}" for j in first], "model_b": [f"m{j}" for j in second], "winner": won,
            "item": rng.integers(n // 2, size=n), "judge": voter,
        }
    )  # fmt: skip


def test_two_models_have_the_log_odds_of_their_votes():
    rows = [("x", "y", "x")] * 30 + [("y", "x", "x")] * 15 + [("x", "y", "y")] * 15
    frame = polars.DataFrame(rows, ["model_a", "model_b", "winner"], orient="row")
    board = compare_votes(frame, rng=0)
    [pair] = board.pairs
    assert pair.advantage == pytest.approx(np.log(45 / 15))
    assert (pair.a, board.model("x").n_items) == ("x", 60)
    half = (pair.confidence_interval.high - pair.confidence_interval.low) / 2
    assert half == pytest.approx(1.96 * np.sqrt(1 / 45 + 1 / 15), rel=0.12)  # Wald's, for the log-odds
    points = compare_votes(frame, rng=0, elo=True)
    assert points.pairs[0].advantage == pytest.approx(400 * np.log10(3))
    assert np.mean([row.score for row in points.models]) == pytest.approx(1000)
    assert points.title == "Elo points"


@pytest.mark.parametrize("seed", range(5))
def test_strengths_are_those_of_evalica(seed):
    """Another implementation of Bradley and Terry's model; a few models are far stronger than others."""
    rng = np.random.default_rng(seed)
    true = rng.normal(0, 2, 6)
    first = rng.integers(6, size=900)
    second = (first + rng.integers(1, 6, size=900)) % 6
    chance = 1 / (1 + np.exp(true[second] - true[first]))
    won = np.where(rng.random(900) < 0.1, 0.5, (rng.random(900) < chance).astype(float))
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    named = [[f"m{j}" for j in side] for side in (first, second)]
    theirs = evalica.bradley_terry(*named, [winner[one] for one in won.tolist()], tie_weight=0.5, tolerance=1e-12)
    logs = np.log([float(theirs.scores[f"m{j}"]) for j in range(6)])
    votes = Votes(tuple(f"m{j}" for j in range(6)), first, second, won)
    np.testing.assert_allclose(fit_strengths(votes), logs - logs.mean(), atol=1e-6)


def test_strengths_solve_the_score_equations():
    rng = np.random.default_rng(1)
    first = rng.integers(6, size=400)
    second = (first + rng.integers(1, 6, size=400)) % 6
    won = rng.choice([0.0, 0.5, 1.0], size=400)
    strengths = fit_strengths(Votes(tuple("abcdef"), first, second, won))
    expected = 1 / (1 + np.exp(-(strengths[first] - strengths[second])))
    surplus = np.bincount(first, won - expected, 6) - np.bincount(second, won - expected, 6)
    assert np.abs(surplus).max() < 1e-9
    assert strengths.sum() == pytest.approx(0)


def test_the_sides_of_a_vote_and_the_words_for_it_do_not_matter():
    frame = votes_of(np.array([0.0, 0.5, 1.0]), 200, ties=0.1)
    swapped = frame.rename({"model_a": "model_b", "model_b": "model_a"}).with_columns(
        winner=polars.col("winner").replace({"model_a": "model_b", "model_b": "model_a"})
    )
    named = frame.with_columns(
        winner=polars.when(polars.col("winner") == "model_a")
        .then(polars.col("model_a"))
        .when(polars.col("winner") == "model_b")
        .then(polars.col("model_b"))
        .otherwise(polars.lit("Tie"))
    )
    boards = [compare_votes(each, rng=0, n_resamples=299) for each in (frame, swapped, named)]
    for other in boards[1:]:
        for row in boards[0].models:
            assert other.model(row.name).score == pytest.approx(row.score)
        assert [p.pvalue_adjusted for p in other.pairs] == pytest.approx([p.pvalue_adjusted for p in boards[0].pairs])


def test_ranks_hold_together_where_models_are_equal():
    """Six models, four of them equal, 80 sets of 400 votes."""
    strengths = np.array([0.0, 0.0, 0.0, 0.0, 0.8, 1.6])
    ranks = {f"m{j}": rank for j, rank in enumerate([3, 3, 3, 3, 2, 1])}
    n_sets, missed = 80, 0
    for seed in range(n_sets):
        board = compare_votes(votes_of(strengths, 400, seed=seed), rng=seed, n_resamples=199, workers=1)
        missed += not all(row.rank_low <= ranks[row.name] <= row.rank_high for row in board.models)
    assert missed <= binomial_region(n_sets, 0.05).high


def test_voters_with_tastes_of_their_own_are_drawn():
    """Equal models, 12 voters with tastes: votes taken for independent err, voters drawn do not. 60 data sets."""
    n_sets, naive, drawn = 60, 0, 0
    most = binomial_region(n_sets, 0.05).high
    for seed in range(n_sets):
        frame = votes_of(np.zeros(4), 600, seed=seed, voters=12, taste=0.7)
        how = {"rng": seed, "n_resamples": 199, "workers": 1}
        if naive <= most:  # once there are more, the remaining sets can change nothing
            naive += compare_votes(frame, **how).n_significant > 0
        drawn += compare_votes(frame, voter="judge", item="item", **how).n_significant > 0
    assert drawn <= most < naive


def test_items_and_voters_together_are_said():
    frame = votes_of(np.array([0.0, 0.4, 1.0]), 300, voters=10)
    board = compare_votes(frame, voter="judge", item="item", rng=0, n_resamples=199)
    assert (board.null, board.correction) == ("random-effects", "holm")
    assert any("items and voters like these" in note for note in board.notes)
    alone = compare_votes(frame, rng=0, n_resamples=199)
    assert any("Each vote counts as independent" in note for note in alone.notes)


def test_votes_simulated_in_turn_are_those_simulated_at_once(monkeypatch):
    from howsure.leaderboards import votes

    frame = votes_of(np.array([0.0, 0.1, 0.2, 0.3, 0.4]), 60)
    together = compare_votes(frame, rng=0, n_resamples=99)
    [said] = [note for note in together.notes if "form a cycle" in note]
    assert "expects 0 " not in said
    monkeypatch.setattr(votes, "AT_ONCE", 75)
    assert said in compare_votes(frame, rng=0, n_resamples=99).notes


def test_a_circle_is_counted_and_does_not_fit():
    rows = [pair for pair in (("a", "b"), ("b", "c"), ("c", "a")) for _ in range(40)]
    frame = polars.DataFrame(
        {
            "model_a": [a for a, _ in rows],
            "model_b": [b for _, b in rows],
            "winner": (["model_a"] * 30 + ["model_b"] * 10) * 3,
        }
    )
    board = compare_votes(frame, rng=0, n_resamples=199)
    [note] = [note for note in board.notes if "cycle" in note]
    assert note.startswith("1 of 1 triples of models form a cycle")
    straight = votes_of(np.array([0.0, 1.0, 2.0]), 300)
    assert any(note.startswith("0 of 1 triples") for note in compare_votes(straight, rng=0, n_resamples=99).notes)


def test_many_circles_reject_one_order():
    """Rock, paper, scissors among nine models: each beats the four that follow it."""
    first, second = np.triu_indices(9, 1)
    wins = np.where((second - first) % 9 <= 4, 1.0, 0.0)
    votes = Votes(tuple("abcdefghi"), np.repeat(first, 20), np.repeat(second, 20), np.tile([1.0] * 3 + [0.0], 5 * 36))
    votes = Votes(votes.models, votes.first, votes.second, np.where(np.repeat(wins, 20) > 0, votes.won, 1 - votes.won))
    said = transitivity(votes, fit_strengths(votes), np.random.SeedSequence(0))
    assert said.startswith("30 of 84 triples")
    assert said.endswith("One order does not fit these votes.")


def frame_of(rows):
    return polars.DataFrame(rows, ["model_a", "model_b", "winner"], orient="row")


BAD = {
    "never beaten": (
        [("x", "y", "x")] * 5 + [("y", "z", "y"), ("y", "z", "z")],
        {},
        DataError,
        "no vote prefers any of y, z to any of x",
    ),
    "itself": ([("x", "y", "x"), ("x", "x", "x")], {}, DataError, "'x' is compared with itself"),
    "another": ([("x", "y", "z")], {}, DataError, "'z' is neither 'x' nor 'y'"),
    "none": ([("x", "y", None)], {}, DataError, "holds no vote"),
    "no column": ([("x", "y", "x")], {"winner": "vote"}, DataError, "no column 'vote'"),
    "baseline": ([("x", "y", "x"), ("x", "y", "y")], {"baseline": "q"}, ArgumentError, "`baseline` must be one of"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_votes_get_one_clear_line(name):
    rows, how, error, message = BAD[name]
    with pytest.raises(error, match=message):
        compare_votes(frame_of(rows), rng=0, **how)
