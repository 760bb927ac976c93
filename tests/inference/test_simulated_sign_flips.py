import numpy as np
import pytest
from scipy import stats

from howsure.inference.simulated_sign_flips import simulated_sign_flips, tails_with_rest
from howsure.nulls import Hypothesis, Units, combined
from howsure.nulls.student import welch
from howsure.planning.engines.decisions import NO_RESAMPLES, ON_ADVANTAGES, Test


def rows(kind, n, count=40, seed=0):
    """Data sets whose one-sided p lies between .2 and .001, where decisions are made."""
    rng = np.random.default_rng(seed)
    draw = {
        "normal": rng.standard_normal,
        "long-tailed": lambda shape: rng.exponential(size=shape) ** 2 * rng.choice([-1, 1], shape),
        "three values": lambda shape: rng.choice([-2.0, -1, 0, 1, 2], shape) / 3,
        "Likert": lambda shape: np.rint(rng.standard_normal(shape) * 4) * 0.04,
        "many zeros": lambda shape: rng.standard_normal(shape) * (rng.random(shape) < 0.3),
    }[kind]
    found = draw((40 * count, n))
    sizes = np.sqrt(np.square(found).sum(axis=1))
    here = (found.sum(axis=1) > 1.3 * sizes) & (found.sum(axis=1) < 3 * sizes)
    assert here.sum() >= count
    return found[here][:count]


def pvalues(name, data, alternative="two-sided"):
    units = Units.independent(data)
    return ON_ADVANTAGES[name].simulated_pvalues(units, Hypothesis(alternative), NO_RESAMPLES)


def swaps(row, step):
    """Count all 2ⁿ swaps by convolving a histogram: an independent path to the exact tail."""
    step = step or np.abs(row).max() / 5_000
    whole = np.rint(np.abs(row) / step).astype(int)
    reach = whole.sum()
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for size in whole:
        moved = np.zeros_like(chances)
        moved[size:] += chances[: chances.size - size] / 2
        moved[: chances.size - size] += chances[size:] / 2
        chances = moved
    bound = int(np.rint(np.rint(row / step).sum()))
    return chances[reach + bound :].sum()


@pytest.mark.parametrize("kind", ["normal", "long-tailed", "three values", "Likert", "many zeros"])
@pytest.mark.parametrize("n", [13, 20, 50])
def test_sign_flip_agree_with_all_swaps(kind, n):
    data = rows(kind, n, count=8)
    _, greater = simulated_sign_flips(data)
    step = {"three values": 1 / 3, "Likert": 0.04}.get(kind)
    exact = np.array([swaps(row, step) for row in data])
    np.testing.assert_allclose(greater, exact, rtol=0.04, atol=2e-4)


def test_few_items_are_counted_exactly():
    data = np.random.default_rng(0).standard_normal((5, 9))
    less, greater = simulated_sign_flips(data)
    for row, low, high in zip(data, less, greater, strict=True):
        found = stats.permutation_test((row,), np.mean, permutation_type="samples", alternative="greater")
        assert high == pytest.approx(found.pvalue)
        assert low + high == pytest.approx(1 + 1 / 2**9)  # the data themselves are in both tails


def test_advantages_of_one_size_give_the_sign_test():
    data = np.array([[1.0] * 15 + [-1.0] * 5 + [0.0] * 10])
    _, greater = simulated_sign_flips(data)
    assert greater[0] == pytest.approx(stats.binom.sf(14, 20, 0.5))


def test_paired_t_and_welch_t_are_those_of_scipy():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((4, 12)) + 0.5, rng.standard_normal((4, 12)) * 2
    p = pvalues("paired-t", a - b)
    np.testing.assert_allclose(p, stats.ttest_rel(a, b, axis=1).pvalue)
    _, tails = welch(a, b)
    p = combined(tails, "greater")
    np.testing.assert_allclose(p, stats.ttest_ind(a, b, axis=1, equal_var=False, alternative="greater").pvalue)


@pytest.mark.parametrize("n", [10, 30, 200])
def test_wilcoxon_is_that_of_scipy(n):
    data = np.random.default_rng(2).standard_normal((6, n)) + 0.3
    p = pvalues("wilcoxon", data)
    method = "exact" if n <= 50 else "asymptotic"
    expected = [stats.wilcoxon(row, method=method).pvalue for row in data]
    np.testing.assert_allclose(p, expected, rtol=0.03)


@pytest.mark.parametrize("name", ["shifted-bootstrap", "item-bootstrap"])
def test_bootstrap_tails_agree_with_bootstrap_draws(name):
    rng = np.random.default_rng(3)
    data = rng.exponential(size=(4, 60)) - 0.8
    less, greater = pvalues(name, data, "less"), pvalues(name, data, "greater")
    for row, low, high in zip(data, less, greater, strict=True):
        draws = rng.choice(row, (20_000, row.size)).mean(axis=1)
        as_far = draws - row.mean() >= row.mean() if name == "shifted-bootstrap" else draws <= 0
        share = np.mean(as_far)
        assert high == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 20_000) + 0.002)
        assert low == pytest.approx(1 - high, abs=1e-9)


def test_swapping_a_and_b_swaps_the_tails():
    data = rows("normal", 30, count=5)
    for name in ON_ADVANTAGES:
        np.testing.assert_allclose(pvalues(name, data, "less"), pvalues(name, -data, "greater"), atol=1e-9)
        np.testing.assert_allclose(pvalues(name, data, "greater"), pvalues(name, -data, "less"), atol=1e-9)


def test_advantages_that_are_all_zero_are_never_significant():
    data = np.zeros((3, 20))
    for name in ON_ADVANTAGES:
        assert not (pvalues(name, data) < 1 - 1e-9).any()  # Student's is undefined


def test_signed_sums_are_sums_over_all_signs():
    """Every combination of the signs of the largest terms, and the rest by its expansion."""
    import itertools

    from scipy.special import ndtr

    rng = np.random.default_rng(0)
    largest, bound = rng.random((6, 5)), rng.normal(size=6)
    variance, kurtosis = rng.random(6), -rng.random(6) / 5
    variance[:2] = 0
    signs = np.array(list(itertools.product([-1, 1], repeat=5)))
    left = bound[:, np.newaxis] - largest @ signs.T
    with np.errstate(divide="ignore"):
        x = left / np.sqrt(variance)[:, np.newaxis]
    with np.errstate(invalid="ignore"):
        density = np.exp(-np.square(x) / 2) / np.sqrt(2 * np.pi)
        upper = ndtr(-x) + density * kurtosis[:, np.newaxis] / 24 * (x**3 - 3 * x)
    plain = np.where(variance[:, np.newaxis] > 0, np.clip(upper, 0, 1), left <= 0).mean(axis=1)
    tails = tails_with_rest(largest, variance, kurtosis, bound, np.zeros(6))
    np.testing.assert_allclose(tails, plain, atol=1e-12)


@pytest.mark.parametrize("kind", ["normal", "long-tailed", "three values", "Likert", "many zeros"])
@pytest.mark.parametrize("n", [13, 50, 200])
def test_a_decision_is_the_same_without_the_signs_that_it_does_not_take(kind, n):
    data = rows(kind, n, count=100 if n == 13 else 200, seed=5)
    for test in (Test(), Test(alpha=0.01, alternative="greater")):
        level = test.alpha * (1 + 1e-9)
        whole, quick = (
            combined(simulated_sign_flips(data, near=near), test.alternative) <= level
            for near in (None, test.alpha / test.sides)
        )
        assert quick.tolist() == whole.tolist()
        assert test.decide(data).sum() == whole.sum()
