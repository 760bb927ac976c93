import numpy as np
import pytest
from scipy import stats

from howsure.errors import ArgumentError
from howsure.inference import hedges_factor
from howsure.nulls.ranks import SignedRanks
from howsure.paired import PairedScores, effect_sizes, significance_test
from tests.paired import ends
from tests.reference.scores import DEPRESSION, SLEEP


def one(scores, name, **options):
    return effect_sizes(scores, effect_size=[name], **options)[0]


def test_sleep():
    sleep = PairedScores.from_arrays(SLEEP["a"], SLEEP["b"])
    d = one(sleep, "cohen-d")
    assert d.estimate == pytest.approx(SLEEP["cohen_d"], abs=5e-7)
    t = SLEEP["cohen_d"] * np.sqrt(10)
    low, high = (end * np.sqrt(10) for end in ends(d))
    assert stats.nct.cdf(t, 9, low) == pytest.approx(0.975, abs=1e-5)
    assert stats.nct.cdf(t, 9, high) == pytest.approx(0.025, abs=1e-5)
    g = one(sleep, "hedges-g")
    assert g.estimate == pytest.approx(d.estimate * hedges_factor(9))
    assert ends(g) == pytest.approx(tuple(end * hedges_factor(9) for end in ends(d)))


def test_depression():
    found = one(PairedScores.from_arrays(DEPRESSION["a"], DEPRESSION["b"]), "hodges-lehmann")
    assert found.estimate == pytest.approx(DEPRESSION["hodges_lehmann"])
    assert ends(found) == pytest.approx(DEPRESSION["hodges_lehmann_interval"], abs=5e-4)


def test_interval_of_d_excludes_zero_exactly_when_t_rejects():
    rng = np.random.default_rng(1)
    for _ in range(30):
        scores = PairedScores.from_arrays(rng.normal(0.4, 1, 25), np.zeros(25))
        low, high = ends(one(scores, "cohen-d"))
        assert (low > 0 or high < 0) == significance_test(scores).reject


def test_wilcoxon_r_is_z_over_root_n():
    values = np.random.default_rng(2).normal(0.3, 1, 90)
    found = one(PairedScores.from_arrays(values, np.zeros(90)), "wilcoxon-r")
    z = stats.wilcoxon(values, method="asymptotic").zstatistic
    assert abs(found.estimate) == pytest.approx(abs(z) / np.sqrt(90))
    assert found.estimate > 0
    low, high = ends(found)
    assert -0.87 < low < found.estimate < high < 0.87


def test_wilcoxon_r_interval_has_the_width_of_the_bootstrap():
    values = np.random.default_rng(3).normal(0.3, 1, 400)
    low, high = ends(one(PairedScores.from_arrays(values, np.zeros(400)), "wilcoxon-r"))
    draws = SignedRanks.of(np.random.default_rng(4).choice(values, (400, 400))).z / np.sqrt(400)
    # The standard deviation of 400 draws is known to within 3.5%; four of these are allowed.
    assert (high - low) / 3.92 == pytest.approx(np.std(draws), rel=0.15)


def test_undefined_is_nan_with_a_note():
    constant = PairedScores.from_arrays([1, 2, 3], [0, 1, 2])
    for name in ("cohen-d", "hedges-g"):
        found = one(constant, name)
        assert np.isnan(found.estimate)
        assert "do not vary" in found.notes[-1]
    identical = PairedScores.from_arrays([1, 2, 3], [1, 2, 3])
    assert np.isnan(one(identical, "wilcoxon-r").estimate)
    same_sign = one(PairedScores.from_arrays([1, 2, 4], [0, 0, 0]), "wilcoxon-r")
    assert np.isnan(same_sign.confidence_interval.low)
    assert "same sign" in same_sign.notes[-1]


def test_clusters_widen_the_interval_of_d():
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(30), 10)
    values = rng.normal(size=30)[clusters] + rng.normal(0.3, 0.5, 300)
    lines = one(PairedScores.from_arrays(values, np.zeros(300)), "cohen-d")
    documents = one(PairedScores.from_arrays(values, np.zeros(300), clusters=clusters), "cohen-d", rng=0)
    assert documents.estimate == lines.estimate
    assert documents.confidence_interval.width > 1.5 * lines.confidence_interval.width


def test_unknown_effect():
    with pytest.raises(ArgumentError, match=r"`effect_size` must be one of .*Did you mean 'cohen-d'"):
        one(PairedScores.from_arrays([1, 2], [0, 0]), "cohens-d")


@pytest.mark.parametrize("n", [2, 9, 400])
def test_how_large_wilcoxon_r_can_be(n):
    a = np.arange(1.0, n + 1)
    [effect] = effect_sizes(PairedScores.from_arrays(a, np.zeros(n)), effect_size=["wilcoxon-r"])
    assert effect.estimate == pytest.approx(np.sqrt(1.5 * (n + 1) / (2 * n + 1)))
    assert (effect.estimate > 0.875) is (n < 400)
    assert "at most 0.87 with many segments, slightly more with few" in effect.meaning


@pytest.mark.parametrize(("power", "said"), [(1, False), (3, True)])
def test_hodges_lehmann_says_where_it_is_not_the_median(power, said):
    scores = PairedScores.from_arrays(np.arange(1.0, 50) ** power, np.zeros(49))
    [effect] = effect_sizes(scores, effect_size=["hodges-lehmann"])
    note = "Hodges–Lehmann estimates the median only if differences are symmetric; here the skewness is "
    assert any(words.startswith(note) for words in effect.notes) is said


def test_the_interval_of_d_counts_outliers():
    """5% outliers, d = 0.8, 100 differences: the noncentral t covers about 60%, the jackknife about 90%."""
    rng, sd = np.random.default_rng(6), np.sqrt(0.95 + 0.05 * 100)
    covered = noted = 0
    for _ in range(400):
        odd = rng.random(100) < 0.05
        values = np.where(odd, 10.0, 1.0) * rng.normal(size=100) + 0.8 * sd
        d = one(PairedScores.from_arrays(values, np.zeros(100)), "cohen-d")
        covered += 0.8 in d.confidence_interval
        noted += "outliers or heavy tails" in d.notes[0] if d.notes else False
    assert covered >= 0.84 * 400
    assert noted >= 0.9 * 400


def test_the_jackknife_of_d_leaves_out_one_difference_after_the_other():
    values = np.random.default_rng(1).lognormal(0, 1, 40)
    d = one(PairedScores.from_arrays(values, np.zeros(40)), "cohen-d")
    left_out = np.array([np.delete(values, i).mean() / np.delete(values, i).std(ddof=1) for i in range(40)])
    reach = stats.t.ppf(0.975, 39) * np.sqrt(39 / 40 * np.square(left_out - left_out.mean()).sum())
    assert ends(d) == pytest.approx((d.estimate - reach, d.estimate + reach))
    assert d.confidence_interval.method == "jackknife"
