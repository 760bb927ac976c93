"""Boards of votes: strengths, their errors, ranks, and whether one order fits."""

import re

import evalica
import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.inference import binomial_region
from howsure.leaderboards import VotesRequest, compare_votes
from howsure.leaderboards.flipped_votes import LinearParts
from howsure.leaderboards.pairs import Pairs
from howsure.leaderboards.strengths import VoteKinds, Votes, VoteUnits, contrasts_of, fit_strengths
from howsure.leaderboards.votes import read_votes, transitivity
from howsure.reports.accounts import account_of


def votes_of(strengths, n, *, seed=0, ties=0.0, voters=0, taste=0.0, zipf=0.0, place=0.0, ahead=0.5):
    """Make n votes between random pairs; voters have a taste of their own, and may be as busy as 1/rank^zipf.

    The first place is worth `place`; m0 has it in the share `ahead` of its votes.
    """
    rng = np.random.default_rng(seed)
    m = len(strengths)
    first = rng.integers(m, size=n)
    second = (first + rng.integers(1, m, size=n)) % m
    if ahead != 0.5:
        has, other, up = (first == 0) | (second == 0), np.where(first == 0, second, first), rng.random(n) < ahead
        first, second = np.where(has, np.where(up, 0, other), first), np.where(has, np.where(up, other, 0), second)
    loads = np.arange(1, max(voters, 1) + 1) ** -zipf
    voter = rng.choice(loads.size, n, p=loads / loads.sum())
    own = taste * rng.normal(size=(max(voters, 1), m))
    logit = strengths[first] - strengths[second] + own[voter, first] - own[voter, second] + place
    won = np.where(rng.random(n) < 1 / (1 + np.exp(-logit)), "model_a", "model_b")
    won = np.where(rng.random(n) < ties, "tie (bothbad)", won)
    return polars.DataFrame(
        {
            "model_a": [f"m{j}" for j in first], "model_b": [f"m{j}" for j in second], "winner": won,
            "item": rng.integers(n // 2, size=n), "judge": voter,
        }
    )  # fmt: skip


def test_two_models_have_the_log_odds_of_their_votes():
    rows = [("x", "y", "x")] * 30 + [("x", "y", "y")] * 10 + [("y", "x", "x")] * 15 + [("y", "x", "y")] * 5
    frame = polars.DataFrame(rows, ["model_a", "model_b", "winner"], orient="row")
    board = compare_votes(frame, rng=0, strength="log-odds", unordered=True)
    [pair] = board.pairs
    assert pair.advantage == pytest.approx(np.log(45 / 15))
    assert (pair.a, board.model("x").n_items) == ("x", 60)
    half = (pair.confidence_interval.high - pair.confidence_interval.low) / 2
    assert half == pytest.approx(2.0 * np.sqrt(1 / 45 + 1 / 15), rel=0.02)  # Wald's, for the log-odds
    points = compare_votes(frame, rng=0, strength="elo")
    assert points.pairs[0].advantage == pytest.approx(400 * np.log10(3))
    assert np.mean([row.score for row in points.models]) == pytest.approx(1000)
    assert points.title == "Elo points"
    rates = compare_votes(frame, rng=0)
    assert [row.score for row in rates.models] == pytest.approx([0.75, 0.25])
    assert rates.pairs[0].advantage == pytest.approx(0.5)
    assert rates.verdict.startswith("x is better than y: win rate 0.75 vs 0.25, higher by 0.50 (95% CI ")


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
    np.testing.assert_allclose(fit_strengths(votes).strengths, logs - logs.mean(), atol=1e-6)


def test_strengths_solve_the_score_equations():
    rng = np.random.default_rng(1)
    first = rng.integers(6, size=400)
    second = (first + rng.integers(1, 6, size=400)) % 6
    won = rng.choice([0.0, 0.5, 1.0], size=400)
    strengths = fit_strengths(Votes(tuple("abcdef"), first, second, won)).strengths
    expected = 1 / (1 + np.exp(-(strengths[first] - strengths[second])))
    surplus = np.bincount(first, won - expected, 6) - np.bincount(second, won - expected, 6)
    assert np.abs(surplus).max() < 1e-9
    assert strengths.sum() == pytest.approx(0)


def test_the_sides_of_a_vote_and_the_words_for_it_do_not_matter():
    frame = votes_of(np.array([0.0, 0.5, 1.0]), 200, ties=0.1, voters=40)
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
    boards = [compare_votes(each, rng=0, n_resamples=299, voter="judge") for each in (frame, swapped, named)]
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


BUSY = {
    "4 models, 25 voters": {"strengths": np.zeros(4), "n": 400, "voters": 25, "zipf": 1.0},
    "4 models, a third ties": {"strengths": np.zeros(4), "n": 400, "voters": 25, "zipf": 0.7, "ties": 1 / 3},
    "2 models": {"strengths": np.zeros(2), "n": 400, "voters": 25, "zipf": 1.0},
    "22 models, beyond one fit for each pair": {"strengths": np.zeros(22), "n": 1500, "voters": 25, "zipf": 1.0},
}


@pytest.mark.parametrize("name", BUSY)
def test_busy_voters_make_no_differences(name):
    """Equal models: with equal shares of voters 14 to 21% of such data sets had a false difference."""
    n_sets, wrong = 150, 0
    for seed in range(n_sets):
        frame = votes_of(**BUSY[name], taste=0.8, seed=seed)
        how = {"voter": "judge", "n_resamples": 199, "workers": 1}
        wrong += compare_votes(frame, rng=seed, **how).n_significant > 0
    assert wrong <= binomial_region(n_sets, 0.05).high


def test_items_with_unequal_numbers_of_votes_make_no_differences():
    n_sets, wrong = 150, 0
    for seed in range(n_sets):
        frame = votes_of(np.zeros(3), 300, seed=seed, voters=20, zipf=1.0, taste=0.8)
        wrong += compare_votes(frame, item="judge", rng=seed, n_resamples=199, workers=1).n_significant > 0
    assert wrong <= binomial_region(n_sets, 0.05).high


def test_votes_without_a_voter_share_none():
    frame = votes_of(np.zeros(3), 200, voters=10)
    unknown = frame.with_columns(judge=polars.when(polars.int_range(200) < 100).then(polars.col("judge")))
    read = read_votes(unknown, VotesRequest(voter="judge"))
    assert np.bincount(read.voters).max() < 30
    assert np.unique(read.voters).size == 100 + frame["judge"][:100].n_unique()


def test_a_busy_voter_or_item_is_named():
    frame = votes_of(np.zeros(3), 400, voters=25, zipf=1.0)
    share = frame["judge"].value_counts()["count"].max() / 400
    board = compare_votes(frame, voter="judge", rng=0, n_resamples=199)
    said = f"The busiest voter gave {100 * share:.0f}% of the votes: the leaderboard rests on few people."
    assert said in board.notes
    assert (
        f"One item has {100 * share:.0f}% of the votes: the leaderboard rests on few items."
        in compare_votes(frame, item="judge", rng=0, n_resamples=199).notes
    )
    even = compare_votes(votes_of(np.zeros(3), 400, voters=25), voter="judge", rng=0, n_resamples=199)
    assert not any("busiest" in note for note in even.notes)


def some_votes(seed, m=4, n=120, voters=9, *, ordered=True):
    rng = np.random.default_rng(seed)
    first = np.concatenate([np.arange(m), rng.integers(m, size=n)])
    second = (first + 1 + rng.integers(m - 1, size=first.size)) % m
    won = rng.choice([0.0, 0.5, 1.0], size=first.size)
    codes = np.concatenate([np.arange(voters), rng.integers(voters, size=first.size - voters)])
    return Votes(tuple("abcdefgh"[:m]), first, second, won, None, codes, ordered)


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_influences_sum_to_nothing_and_shares_to_one(seed):
    votes = some_votes(seed)
    units = VoteUnits(fit_strengths(votes), "voter", votes.voters)
    first, second = np.triu_indices(4, 1)
    [(_, influences, shares)] = units.blocks(contrasts_of(5, first, second))
    np.testing.assert_allclose(influences.sum(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(shares.sum(axis=0), 1)
    assert (shares >= 0).all()
    two = some_votes(seed, m=2, ordered=False)
    [(_, _, of_two)] = VoteUnits(fit_strengths(two), "voter", two.voters).blocks(
        contrasts_of(2, np.array([0]), np.array([1]))
    )
    np.testing.assert_allclose(of_two[:, 0], np.bincount(two.voters) / two.won.size)


def test_errors_of_equal_shares_are_those_of_a_mean():
    """Two models and equally many votes of each voter: CR2 is the standard error of a mean, with n − 1 degrees."""
    rng = np.random.default_rng(3)
    won = (rng.random(120) < 0.6).astype(float)
    votes = Votes(("a", "b"), np.zeros(120, int), np.ones(120, int), won, None, np.repeat(np.arange(12), 10))
    units = VoteUnits(fit_strengths(votes), "voter", votes.voters)
    found = units.errors(contrasts_of(2, np.array([0]), np.array([1])))
    p = won.mean()
    of_mean = won.reshape(12, 10).mean(axis=1).std(ddof=1) / np.sqrt(12)
    assert found.errors[0] == pytest.approx(of_mean / (p * (1 - p)))  # the delta method of the log-odds
    assert found.df[0] == pytest.approx(11)


def test_flips_of_many_pairs_are_those_of_their_units():
    """Sums of influences and quadratic forms are what flipping each unit's part in each pair gives."""
    votes = some_votes(5)
    units = VoteUnits(fit_strengths(votes), "voter", votes.voters)
    pairs = Pairs.of(4)
    linear = LinearParts.of(units, pairs)
    [(_, influences, shares)] = units.blocks(contrasts_of(5, pairs.first, pairs.second))
    parts = influences + shares * linear.observed
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(20, 9))
    np.testing.assert_allclose(linear.sums(signs), (signs @ parts).T, atol=1e-9)
    np.testing.assert_allclose(linear.squares, np.square(parts).sum(axis=0))
    np.testing.assert_allclose(linear.observed, parts.sum(axis=0), atol=1e-9)


def test_merged_models_have_one_strength():
    """The parts of a merged pair are those of a fit in which one name stands for both models."""
    votes = some_votes(6)
    fit = fit_strengths(votes)
    kinds = fit.kinds
    added = fit.merged(0, 2)
    names = np.array([0, 1, 0, 2])
    both = Votes(tuple("abd"), names[votes.first], names[votes.second], votes.won, ordered=True)
    merged = fit_strengths_of_any(both)
    theta = np.append(merged[names], merged[3])
    chances = 1 / (1 + np.exp(-(kinds.design @ theta)))
    lever = kinds.design @ np.linalg.solve(kinds.information(chances, kinds.design), [1.0, 0.0, -1.0, 0.0, 0.0])
    np.testing.assert_allclose(added, lever * (kinds.won - chances), atol=1e-9)


def fit_strengths_of_any(votes):
    """Fit also where a model meets itself, by plain gradient steps on the likelihood."""
    kinds = VoteKinds.of(votes)
    at = np.zeros(kinds.design.shape[1])
    for _ in range(20_000):
        at += 0.01 * (kinds.design.T @ (kinds.counts * (kinds.won - 1 / (1 + np.exp(-(kinds.design @ at))))))
    return at


def test_the_first_place_is_not_taken_for_strength():
    """Equal models, the first place worth 0.4, m0 in it in 90% of its votes."""
    n_sets, found, ignored, worth = 100, 0, 0, []
    for seed in range(n_sets):
        frame = votes_of(np.zeros(4), 600, seed=seed, place=0.4, ahead=0.9)
        how = {"rng": seed, "n_resamples": 199, "workers": 1}
        board = compare_votes(frame, **how)
        found += board.n_significant > 0
        ignored += compare_votes(frame, unordered=True, **how).n_significant > 0
        worth.append(board.effects[0].value)
    most = binomial_region(n_sets, 0.05).high
    assert found <= most < ignored
    assert np.mean(worth) == pytest.approx(0.4, abs=4 * np.std(worth) / np.sqrt(n_sets))


def test_the_first_place_is_said_where_it_matters():
    board = compare_votes(votes_of(np.zeros(4), 3000, seed=1, place=0.4, ahead=0.9), rng=0, n_resamples=199)
    [place] = board.effects
    [said] = [note for note in board.notes if "first of two equal models" in note]
    assert re.fullmatch(
        r"The first of two equal models wins \d\d% of the votes \(0\.\d\d\d? log-odds, p = [\de.-]+\); strengths are "
        r"corrected for it\. m0 was first in (89|90|91)% of its votes\. Without this correction, m0 would be first\.",
        said,
    )
    assert place.confidence_interval.low < 0.4 < place.confidence_interval.high
    fair = compare_votes(votes_of(np.zeros(4), 600, seed=3), rng=0, n_resamples=199)
    [said] = [note for note in fair.notes if "first of two equal models" in note]
    assert isinstance(said, Aside)


def test_the_test_of_the_first_place_keeps_its_level():
    n_sets = 300
    wrong = sum(
        compare_votes(
            votes_of(np.zeros(3), 300, seed=seed, voters=25, zipf=1.0, taste=0.6),
            voter="judge", rng=0, n_resamples=19, workers=1,
        ).effects[0].pvalue <= 0.05
        for seed in range(n_sets)
    )  # fmt: skip
    assert wrong <= binomial_region(n_sets, 0.05).high


def longer(seed, n=500, worth=1.0):
    """Votes between four equal models that prefer the longer output; m0 writes long ones."""
    rng = np.random.default_rng(seed)
    first = rng.integers(4, size=n)
    second = (first + rng.integers(1, 4, size=n)) % 4
    a, b = (np.round(rng.gamma(5, 40, n) * np.where(side == 0, 1.6, 1.0)) for side in (first, second))
    won = rng.random(n) < 1 / (1 + np.exp(-worth * 3 * (a - b) / (a + b)))
    return polars.DataFrame({
        "model_a": [f"m{j}" for j in first], "model_b": [f"m{j}" for j in second],
        "winner": np.where(won, "model_a", "model_b"), "length_a": a, "length_b": b, "gap": a - b,
    })  # fmt: skip


def test_length_is_not_taken_for_strength():
    n_sets, raw, controlled = 80, 0, 0
    for seed in range(n_sets):
        how = {"rng": seed, "n_resamples": 199, "workers": 1}
        raw += compare_votes(longer(seed), **how).n_significant > 0
        controlled += compare_votes(longer(seed), control=("length",), **how).n_significant > 0
    most = binomial_region(n_sets, 0.05).high
    assert controlled <= most < raw


def test_control_is_said_and_shown_beside_the_raw_strengths():
    frame = longer(1, 2000)
    raw, board = (compare_votes(frame, rng=0, n_resamples=199, control=control) for control in ((), ("length",)))
    assert raw.models[0].name == "m0"
    assert board.uncontrolled == pytest.approx([raw.model(row.name).score for row in board.models])
    place, length = board.effects
    assert (place.name, length.name) == ("the first place", "length")
    assert length.pvalue < 0.001
    [said] = [note for note in board.notes if "more length" in note]
    assert said.startswith("One standard deviation more length is worth 1.021 log-odds, p = ")
    if board.models[0].name != "m0":
        assert "Without control, m0 would be first." in board.notes
    assert " uncontrolled " in str(board)
    gap = compare_votes(frame, rng=0, n_resamples=199, control=("gap",))
    assert gap.effects[1].name == "gap"


def test_what_control_would_change_is_true():
    """The sentence about the order is what two leaderboards say."""
    for seed in range(6):
        frame = longer(seed, 300, worth=0.4)
        raw, board = (compare_votes(frame, rng=0, n_resamples=99, control=control) for control in ((), ("length",)))
        orders = [[row.name for row in one.models] for one in (raw, board)]
        same = "The order of models is the same with and without control." in board.notes
        assert same == (orders[0] == orders[1])
        first = f"Without control, {orders[0][0]} would be first." in board.notes
        assert first == (orders[0][0] != orders[1][0])


def test_one_pair_has_the_interval_of_its_test():
    """The ends of halves: at a difference beyond them the flips reject."""
    frame = votes_of(np.array([0.3, 0.0]), 300, seed=4, voters=20, zipf=1.0, taste=0.5)
    how = {"voter": "judge", "rng": 0, "strength": "log-odds", "unordered": True}
    [pair] = compare_votes(frame, **how).pairs
    ends = pair.confidence_interval
    assert (pair.pvalue <= 0.05) == (not ends.low < 0 < ends.high)
    assert ends.low < pair.advantage < ends.high


def test_the_same_bits_on_any_number_of_threads():
    frame = votes_of(np.linspace(0, 1, 22), 900, voters=40, zipf=0.7)
    boards = [compare_votes(frame, voter="judge", rng=0, n_resamples=999, workers=n) for n in (1, 3)]
    assert boards[0] == boards[1]


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
    board = compare_votes(frame, rng=0, n_resamples=199, unordered=True)
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
    said = transitivity(votes, fit_strengths(votes).strengths, np.random.SeedSequence(0))
    assert said.startswith("30 of 84 triples")
    assert said.endswith("One order does not fit these votes.")


def test_a_report_says_how_votes_were_tested():
    frame = votes_of(np.array([0.0, 0.2, 0.4]), 300, voters=20)
    voters = account_of(compare_votes(frame, voter="judge", rng=0, n_resamples=199))
    assert "flipped, the two models being taken to be equal" in voters.done[0]
    assert "The effect of the first place is estimated along with the strengths" in voters.done[0]
    assert re.match(r"About [\d,]+ votes would separate m\d and m\d ", voters.next[0])
    both = account_of(compare_votes(frame, voter="judge", item="item", rng=0, n_resamples=199))
    assert "The variances that items and voters add are summed" in both.done[0]
    assert re.match(r"More voters, and more items, are required to separate m\d and m\d\.", both.next[0])


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
    "always first": (
        [("x", "y", "x")] * 5 + [("x", "y", "y")] * 3,
        {},
        DataError,
        "x was first in every vote, so being better and being shown first cannot be separated",
    ),
    "no control": (
        [("x", "y", "x"), ("x", "y", "y"), ("y", "x", "x"), ("y", "x", "y")],
        {"control": ("length",)},
        ArgumentError,
        "`control` must be a column of differences, or a name with two columns .length_a and length_b.",
    ),
    "control that is no number": (
        [("x", "y", "x"), ("x", "y", "y"), ("y", "x", "x"), ("y", "x", "y")],
        {"control": ("model_a",)},
        DataError,
        "model_a must be a number; got 'x'",
    ),
    "baseline": ([("x", "y", "x"), ("x", "y", "y")], {"baseline": "q"}, ArgumentError, "`baseline` must be one of"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_votes_get_one_clear_line(name):
    rows, how, error, message = BAD[name]
    with pytest.raises(error, match=message):
        compare_votes(frame_of(rows), rng=0, **how)
