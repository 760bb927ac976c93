import json

import numpy as np
import pytest
from scipy import stats

from howsure.errors import ArgumentError, DataError
from howsure.paired import TESTS, PairedScores, describe, power_curve, t_power, to_units
from howsure.reports.scores import charts

rng = np.random.default_rng(1)
scores = PairedScores.from_arrays(rng.normal(0.3, 1, 80), np.zeros(80))


def sign_power(n, share):
    """Return the power of the two-sided sign test at 5% on n untied differences, a share of them positive."""
    few = np.arange(n + 1)[stats.binom.cdf(np.arange(n + 1), n, 0.5) <= 0.025].max(initial=-1)
    return stats.binom.cdf(few, n, share) + stats.binom.sf(n - few - 1, n, share)


def acceptable(curve, expected):
    """Whether each simulated power lies in the 99.9% region of its true value."""
    for power, truth in zip(curve.power, expected, strict=True):
        low, high = stats.binom.ppf([0.0005, 0.9995], curve.n_simulations, truth)
        assert low <= round(power * curve.n_simulations) <= high


def test_normal_t_is_the_noncentral_t():
    curve = power_curve(scores, method="normal", effect=0.4, sizes=[20, 50], n_simulations=2000, rng=1)
    deviation = scores.differences.std(ddof=1)
    acceptable(curve, [t_power(n, 0.4 / deviation) for n in (20, 50)])


def test_normal_sign_is_binomial():
    curve = power_curve(scores, test="sign", method="normal", effect=0.4, sizes=[25], n_simulations=2000, rng=1)
    share = stats.norm.cdf(0.4 / scores.differences.std(ddof=1))
    acceptable(curve, [sign_power(25, share)])


@pytest.mark.parametrize("test", TESTS)
def test_no_effect_gives_the_level_and_a_large_one_certainty(test):
    symmetric = PairedScores.from_arrays(np.r_[scores.differences, -scores.differences], np.zeros(160))
    options = {"test": test, "sizes": [41], "n_simulations": 400, "n_resamples": 199, "rng": 2}
    null = power_curve(symmetric, effect=0.0, **options)
    assert null.power[0] * 400 <= stats.binom.ppf(0.9995, 400, 0.08)
    assert power_curve(symmetric, effect=3.0, **options).power[0] == 1


def test_right_or_wrong_scores_stay_right_or_wrong():
    answers = np.random.default_rng(2).integers(0, 2, (2, 200))
    curve = power_curve(
        PairedScores.from_arrays(*answers), test="sign", effect=0.2, sizes=[100], n_simulations=2000, rng=1
    )
    flips = np.abs(answers[0] - answers[1]).mean()
    won = (flips + 0.2) / 2 / flips
    counts = np.arange(101)
    expected = sum(stats.binom.pmf(m, 100, flips) * sign_power(int(m), won) for m in counts[1:])
    acceptable(curve, [expected])


def test_clusters_are_drawn_whole():
    generator = np.random.default_rng(3)
    clusters = np.repeat(np.arange(40), 5)
    values = generator.normal(size=40)[clusters] + generator.normal(0, 0.1, 200)
    documents = PairedScores.from_arrays(values, np.zeros(200), clusters=clusters)
    curve = power_curve(documents, effect=0.5, sizes=[40], n_simulations=400, rng=1)
    assert curve.unit == "clusters"
    acceptable(curve, [t_power(40, 0.5 / np.std(np.bincount(clusters, values) / 5))])


def test_observed_effect_comes_with_an_honest_note():
    curve = power_curve(scores, n_simulations=100, rng=0)
    assert curve.effect == pytest.approx(scores.differences.mean())
    assert curve.effect_source == "observed"
    assert "only restates the p-value" in curve.notes[0]
    assert not power_curve(scores, effect=0.2, n_simulations=100, rng=0).notes


def test_zeros_that_a_shift_would_move_are_pointed_out():
    tied = PairedScores.from_arrays([1, 1, 2, 3, 3], [1, 1, 1, 2, 4])
    assert "overestimates" in power_curve(tied, test="sign", effect=0.1, n_simulations=10, rng=0).notes[0]


def test_sizes_seed_and_workers():
    curve = power_curve(scores, sizes=4, n_simulations=130, rng=5, workers=1)
    assert curve.sizes == (20, 40, 60, 80)
    assert curve == power_curve(scores, sizes=4, n_simulations=130, rng=5, workers=4)
    assert curve.power[1] == power_curve(scores, sizes=[40], n_simulations=130, rng=5).power[0]
    assert curve.to_frame().columns == ["n", "power", "low", "high"]
    for power, interval in zip(curve.power, curve.confidence_intervals, strict=True):
        assert power in interval


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": 0}, "`sizes`"),
        ({"sizes": [1]}, "`sizes`"),
        ({"sizes": []}, "at least one size"),
        ({"n_simulations": 0}, "`n_simulations`"),
        ({"n_resamples": 0}, "`n_resamples`"),
        ({"method": "gauss"}, "`method` must be one of bootstrap, normal"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ArgumentError, match=message):
        power_curve(scores, **options)


def test_constant_differences():
    with pytest.raises(DataError, match="do not vary"):
        power_curve(PairedScores.from_arrays([1, 2, 3], [0, 1, 2]), test="sign")


def test_what_is_to_be_found_is_said_as_it_is():
    """Ties may put the observed difference at 0 although ranks find one: no study finds a difference of 0."""
    tied = PairedScores.from_arrays(np.r_[np.ones(6), np.zeros(34)] / 5, np.r_[np.zeros(39), 1] / 5)
    seen = power_curve(tied, test="wilcoxon", sizes=[20], n_simulations=20, rng=1)
    assert seen.effect == 0
    assert "for differences like those observed (" in seen.sentence
    given = power_curve(scores, effect=0.125, sizes=[20], n_simulations=20, rng=1)
    assert "for a difference of 0.125 (" in given.sentence


def test_units_are_called_units():
    """133 units of 15 segments were "133 segments"."""
    rng = np.random.default_rng(2)
    scores = to_units(PairedScores.from_arrays(rng.normal(0.3, 1, 300), np.zeros(300)), size=15)
    found = power_curve(scores, effect=0.3, sizes=[10, 20], n_simulations=100, rng=0)
    assert found.unit == "units"
    assert " with 20 units for " in found.sentence
    assert "(units of 15 segments; bootstrap, " in found.sentence
    assert "20 segments" not in str(found)
    spec = json.dumps([drawn.to_dict() for _, drawn in charts(found).values()])
    assert '"title": "units"' in spec
    assert '"title": "segments"' not in spec
    spec = json.dumps([drawn.to_dict() for _, drawn in charts(describe(scores)).values()])
    assert '"title": "units"' in spec
    assert '"title": "segments"' not in spec
