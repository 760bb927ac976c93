import numpy as np
import pytest
from scipy import stats

from howsure.errors import ArgumentError
from howsure.models.families import (
    Beta,
    Constant,
    Exponential,
    FoldedNormal,
    Normal,
    Triangular,
    TruncatedMixture,
    TruncatedNormal,
    Uniform,
    make_family,
)
from howsure.models.model_files import family_from

EXAMPLES = [
    Uniform(0.1, 0.7),
    Normal(0.2, 0.4),
    TruncatedNormal(0.5, 0.2),
    TruncatedNormal(-0.5, 1.0),
    TruncatedNormal(-0.278260, 0.181938),
    TruncatedNormal(1.124694, 0.512993),
    FoldedNormal(0.28, 0.8),
    Triangular(-0.05, 0.21, 0.45),
    Triangular(0.1, 0.1, 0.5),
    Beta(0.7, 2.0),
    TruncatedMixture(0.65, -0.43, 0.418, 1.194, 0.525),
    Constant(0.3),
    Exponential(0.2),
]


@pytest.mark.parametrize("family", EXAMPLES, ids=str)
def test_draws_follow_the_distribution_function(family):
    n = 20_000
    values = family.draw((4, n // 4), np.random.default_rng(1)).ravel()
    for x in (0.0, 0.05, 0.2, 0.31, 0.5, 0.79, 0.8, 0.99):
        count = int((values <= x).sum())
        low, high = stats.binom.ppf([5e-6, 1 - 5e-6], n, float(family.cdf(np.array([x]))[0]))
        assert low <= count <= high, x


@pytest.mark.parametrize("family", EXAMPLES, ids=str)
def test_values_stay_on_the_unit_scale(family):
    values = family.draw((2, 5000), np.random.default_rng(2))
    assert values.min() >= 0
    assert values.max() <= 1


@pytest.mark.parametrize(("mean", "sd"), [(0.5, 0.2), (-0.5, 1.0), (-0.21, 0.1), (1.12, 0.5), (-3.0, 0.3), (4.0, 0.3)])
def test_truncated_normal_agrees_with_scipy_far_into_the_tail(mean, sd):
    x = np.linspace(0, 1, 41)
    expected = stats.truncnorm(-mean / sd, (1 - mean) / sd, mean, sd).cdf(x)
    np.testing.assert_allclose(TruncatedNormal(mean, sd).cdf(x), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("family", EXAMPLES, ids=str)
def test_families_survive_the_way_to_json_and_back(family):
    assert family_from(family.to_dict()) == family


@pytest.mark.parametrize(
    ("kind", "numbers", "message"),
    [
        ("unifrom", [0, 1], "Did you mean 'uniform'"),
        ("uniform", [0], r"uniform takes 2 numbers \(low, high\); got 1"),
        ("uniform", [1, 0], "low < high"),
        ("truncated-normal", [0.5, -0.2], "above 0; got -0.2"),
        ("triangular", [0, 2, 1], "low ≤ mode ≤ high"),
        ("beta", [1, 2, 3], "got 3"),
        ("constant", [float("nan")], "finite"),
    ],
)
def test_bad_parameters_get_one_clear_line(kind, numbers, message):
    with pytest.raises(ArgumentError, match=message):
        make_family(kind, numbers)
