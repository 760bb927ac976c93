import numpy as np
import pytest

from howsure.errors import DataError
from howsure.paired import TESTS, PairedScores, describe, recommend, significance_test

rng = np.random.default_rng(0)
DATA = {
    "normal": (PairedScores.from_arrays(rng.normal(size=200), np.zeros(200)), "t", "mean"),
    "heavy tails": (
        PairedScores.from_arrays(np.r_[-5:5:21j, np.linspace(-0.1, 0.1, 101)], np.zeros(122)),
        "wilcoxon",
        "mean",
    ),
    "skewed": (PairedScores.from_arrays(rng.exponential(size=200), np.zeros(200)), "sign", "median"),
    "binary": (PairedScores.from_arrays(rng.integers(0, 2, 50), rng.integers(0, 2, 50)), "sign", "mean"),
    "clusters": (
        PairedScores.from_arrays(rng.exponential(size=40), np.zeros(40), clusters=np.arange(40) // 4),
        "permutation",
        "mean",
    ),
}


@pytest.mark.parametrize(("scores", "test", "statistic"), DATA.values(), ids=DATA.keys())
def test_first_recommendation(scores, test, statistic):
    advice = recommend(scores, describe(scores))
    assert (advice.test, advice.statistic) == (test, statistic)


@pytest.mark.parametrize("scores", [entry[0] for entry in DATA.values()], ids=DATA.keys())
def test_every_test_stands_in_exactly_one_list_with_a_reason(scores):
    advice = recommend(scores, describe(scores))
    listed = [choice for choices in advice.lists.values() for choice in choices]
    assert sorted(choice.test for choice in listed) == sorted(TESTS)
    assert all(choice.reason.endswith(".") for choice in listed)


def test_few_clusters_get_a_note():
    values, clusters = rng.normal(size=20), np.repeat(np.arange(5), 4)
    scores = PairedScores.from_arrays(values, np.zeros(20), clusters=clusters)
    assert "Fewer than 6 clusters" in recommend(scores, describe(scores)).notes[0]
    assert significance_test(scores, test="permutation").pvalue >= 2 / 2**5


def test_table_of_the_manual():
    lists = {name: recommend(entry[0], describe(entry[0])).lists for name, entry in DATA.items()}
    names = {
        kind: {group: {choice.test for choice in choices} for group, choices in found.items()}
        for kind, found in lists.items()
    }
    assert names["normal"]["inappropriate"] == set()
    assert names["heavy tails"]["inappropriate"] == set()  # t is fine for 122 differences
    few = PairedScores.from_arrays(DATA["heavy tails"][0].a[::2], np.zeros(61))
    assert [choice.test for choice in recommend(few, describe(few)).inappropriate] == ["t"]
    assert names["skewed"]["non-preferred"] == {"permutation-median", "bootstrap-median"}
    assert names["skewed"]["inappropriate"] >= {"t", "wilcoxon"}


@pytest.mark.parametrize(
    ("shift", "words"), [(0.0, "identical"), (0.25, "every one of the 5 differences A − B is 0.25")]
)
def test_nothing_to_recommend_without_variation(shift, words):
    scores = PairedScores.from_arrays(np.arange(5) + shift, np.arange(5))
    with pytest.raises(DataError, match=words):
        recommend(scores, describe(scores))
