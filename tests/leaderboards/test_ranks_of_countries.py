"""Rank sets against the published example of csranks."""

import numpy as np
import pytest

from howsure.leaderboards import compare_all
from tests.reference.ranks import PISA, RANKS, UNITED_KINGDOM

from .tables import table_of


def scores(n=200):
    """Make items whose means and standard errors are the published ones, and whose errors are independent."""
    mean, error = np.array(list(PISA.values())).T
    noise = np.random.default_rng(0).normal(size=(n, mean.size))
    independent, _ = np.linalg.qr(noise - noise.mean(axis=0))
    return mean + error * np.sqrt(n * (n - 1)) * independent


@pytest.fixture(scope="module")
def board():
    return compare_all(table_of(scores(), names=list(PISA)), n_resamples=999, rng=0)


def places(board, country):
    row = board.model(country)
    return set(range(row.rank_low, row.rank_high + 1))


def test_the_ranks_are_those_of_csranks(board):
    assert [board.model(country).rank for country in PISA] == RANKS


def test_the_marginal_set_of_one_country_is_that_of_csranks(board):
    row = board.model("United Kingdom")
    assert (row.rank_low_marginal, row.rank_high_marginal) == UNITED_KINGDOM
    assert row.rank_low <= row.rank_low_marginal <= row.rank_high_marginal <= row.rank_high


def test_the_sets_that_hold_together_say_what_the_vignette_says(board):
    last = {"Chile", "Mexico", "Colombia"}
    others = set.union(*(places(board, country) for country in PISA if country not in last))
    assert not others & set.union(*(places(board, country) for country in last))
    assert 7 in places(board, "Germany") & places(board, "Korea")
    lower = compare_all(table_of(scores(), names=list(PISA)), n_resamples=999, rng=0, confidence_level=0.75)
    assert not places(lower, "Germany") & places(lower, "Korea")
