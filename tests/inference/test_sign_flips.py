"""Exact tails of Σ ±c: against enumeration, convolution, draws, the binomial, and their laws."""

import math
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure.inference import tail_pvalue
from howsure.inference.sign_flips import TiltedSum, sign_flips, sign_flips_of_rows

STATED = 1e-3
"""The relative error that is promised down to 1e-12."""


def enumerated(advantages):
    """Both tails by adding up all 2ⁿ sign patterns, with the tolerance of `tail_pvalue`."""
    signs = np.array(list(product([1.0, -1.0], repeat=len(advantages))))
    draws, observed = signs @ advantages, advantages.sum()
    return [tail_pvalue(observed, draws, alternative=side, exact=True).pvalue for side in ("less", "greater")]


def convolved(whole):
    """Both tails of whole numbers by adding one at a time; only sums, so that far tails keep their digits."""
    sizes = np.sort(np.abs(whole).astype(int))
    reach = int(sizes.sum())
    taken, filled = np.zeros(reach + 1), 1
    taken[0] = 1.0
    for size in sizes[sizes > 0].tolist():
        taken[size : size + filled] += taken[:filled].copy()
        filled += size
    taken *= 0.5 ** np.count_nonzero(sizes)
    flipped = (reach - int(whole.sum())) // 2
    return taken[flipped:].sum(), taken[: flipped + 1].sum()


def at_distance(sizes, z, rng):
    """Give the sizes random signs, then make negative ones positive until the sum is z standard deviations out."""
    signs = rng.choice([-1.0, 1.0], sizes.size)
    for i in rng.permutation(sizes.size):
        if (signs * sizes).sum() >= z * math.sqrt(np.square(sizes).sum()):
            break
        signs[i] = 1.0
    return signs * sizes


def set_lists(monkeypatch, most):
    """Let no more sets of a half be listed."""
    for name in ("FEW_SETS", "MOST_SETS"):
        monkeypatch.setattr(sys.modules["howsure.inference.sign_flips"], name, most)


KINDS = {
    "normal": lambda n, rng: np.rint(np.abs(rng.normal(size=n)) * 300),
    "finer than a grid": lambda n, rng: np.rint(np.abs(rng.normal(size=n)) * 20_000),
    "long-tailed": lambda n, rng: np.rint(rng.exponential(size=n) ** 2 * 100),
    "dominated": lambda n, rng: np.minimum(np.rint(np.abs(rng.standard_cauchy(size=n)) * 30), 3000),
    "few values": lambda n, rng: rng.integers(0, 6, n).astype(float),
    "one size": lambda n, rng: np.ones(n),
    "nearly one size": lambda n, rng: np.where(rng.random(n) < 0.9, 1000.0, np.rint(1000 * rng.random(n))),
    "large and small": lambda n, rng: np.rint(np.where(rng.random(n) < 0.1, 3000, 30) * rng.random(n)),
}


def test_the_textbook_sums():
    i = np.arange(1, 25)
    advantages = i**1.5 * np.where(i % 3 == 1, -1, 1)
    assert advantages.mean() == pytest.approx(19.83553, abs=5e-6)
    assert sign_flips(advantages).pvalue("two-sided").pvalue == pytest.approx(0.1140522, abs=5e-8)  # ORACLES


@pytest.mark.parametrize("n", [1, 2, 5, 9, 14])
@pytest.mark.parametrize("kind", ["normal", "thirds", "ties", "zeros"])
def test_few_items_are_counted(n, kind):
    rng = np.random.default_rng(n)
    for _ in range(4):
        advantages = {
            "normal": rng.normal(size=n), "thirds": rng.integers(-4, 5, n) / 3, "ties": rng.choice([-0.1, 0.1, 0.3], n),
            "zeros": rng.normal(size=n) * (rng.random(n) < 0.5),
        }[kind]  # fmt: skip
        found = sign_flips(advantages)
        assert [found.less, found.greater] == enumerated(advantages)
        assert found.relative_error == 0


@pytest.mark.parametrize("n", [20, 35, 50, 100])
@pytest.mark.parametrize("kind", list(KINDS))
def test_tails_agree_with_a_convolution_from_the_middle_to_far_out(kind, n):
    """Down to 1e-12 and beyond; the error is no larger than the one that is stated with each."""
    rng = np.random.default_rng(n)
    for z in (0.0, 0.5, 2.0, 4.0, 6.0, 8.0):
        advantages = at_distance(KINDS[kind](n, rng), z, rng)
        less, greater = convolved(advantages)
        found = sign_flips(advantages * math.pi)
        assert found.relative_error < STATED
        allowed = max(found.relative_error, 1e-11)
        assert found.greater == pytest.approx(greater, rel=allowed, abs=0)
        assert found.less == pytest.approx(less, rel=allowed, abs=0)


@pytest.mark.parametrize(("n", "plus"), [(200, 142), (1000, 595), (5000, 2783), (100_000, 51_265)])
def test_one_size_is_the_sign_test(n, plus):
    advantages = np.repeat([0.3, -0.3, 0.0], [plus, n - plus, 50])
    found = sign_flips(advantages)
    assert found.greater == pytest.approx(stats.binom.sf(plus - 1, n, 0.5), rel=1e-6)
    assert found.less == pytest.approx(stats.binom.cdf(plus, n, 0.5), rel=1e-6)


@pytest.mark.parametrize("n", [60, 400])
def test_draws_fall_into_the_binomial_region(n):
    rng = np.random.default_rng(n)
    advantages = at_distance(rng.exponential(size=n), 2.0, rng)
    n_draws = 40_000
    signs = rng.integers(0, 2, (n_draws, n), dtype=np.int8) * 2.0 - 1
    count = int((signs @ advantages >= advantages.sum() * (1 - 1e-12)).sum())
    low, high = stats.binom.ppf([5e-4, 1 - 5e-4], n_draws, sign_flips(advantages).greater)
    assert low <= count <= high


def test_the_planner_has_the_same_tail():
    from howsure.inference.simulated_sign_flips import simulated_sign_flips

    rng = np.random.default_rng(0)
    rows = np.stack([at_distance(rng.exponential(size=80), z, rng) for z in (1.0, 1.5, 2.0, 2.5)])
    _, greater = simulated_sign_flips(rows)
    exact = [found.greater for found in sign_flips_of_rows(rows)]
    np.testing.assert_allclose(greater, exact, rtol=0.01)  # the error of its expansion, docs/how-to/plan.md


@pytest.mark.parametrize("n", [200, 2000, 20_000, 200_000])
def test_many_items_come_close_to_the_normal_from_the_right_side(n):
    """At z = 6 the sum has a lighter tail than the normal, the more so the fewer items; at 200,000 they agree."""
    rng = np.random.default_rng(0)
    advantages = rng.normal(size=n)
    advantages += 6 / math.sqrt(n) - advantages.mean()
    z = advantages.sum() / math.sqrt(np.square(advantages).sum())
    ratio = sign_flips(advantages).greater / stats.norm.sf(z)
    # Edgeworth: log ratio ≈ κ₄ z⁴ / 24 with κ₄ = −2 Σ c⁴ / (Σ c²)²
    expected = -2 * (advantages**4).sum() / np.square(advantages).sum() ** 2 * z**4 / 24
    assert math.log(ratio) == pytest.approx(expected, rel=0.3)


def test_the_two_ways_agree_where_both_lead(monkeypatch):
    rng = np.random.default_rng(1)
    for kind in ("normal", "long-tailed", "few values"):
        advantages = at_distance(
            KINDS[kind](30, rng) + math.sqrt(2) * (kind == "normal"), 1.7, rng
        )  # two grids at once
        set_lists(monkeypatch, 2**18)
        listed = sign_flips(advantages)
        set_lists(monkeypatch, 4)
        integrated = sign_flips(advantages)
        monkeypatch.undo()
        assert (listed.relative_error, integrated.relative_error > 0) == (0, True)
        assert integrated.greater == pytest.approx(listed.greater, rel=integrated.relative_error)


def test_no_more_sets_are_listed_than_may_be(monkeypatch):
    """Of 60 terms two may be negative: the sets of the smallest are few, those of a half are 466."""
    rng = np.random.default_rng(4)
    advantages = rng.uniform(1.0, 1.1, size=60)
    advantages[:2] = -1.1, -1.1000001
    listed = sign_flips(advantages)
    assert (listed.relative_error, listed.greater) == (0, (1 + 60 + 1770) * 0.5**60)
    set_lists(monkeypatch, 256)
    found = sign_flips(advantages)
    assert found is None or found.relative_error > 0


def test_a_dominant_item_has_its_signs_taken_apart(monkeypatch):
    set_lists(monkeypatch, 4)
    rng = np.random.default_rng(2)
    rest = rng.integers(1, 40, 60).astype(float)
    for dominant in (1000.0, 30_000.0):
        for z in (0.5, 2.0):
            advantages = np.append(at_distance(rest, z, rng), dominant)
            less, greater = convolved(advantages)
            found = sign_flips(advantages)
            assert found.greater == pytest.approx(greater, rel=STATED)
            assert found.less == pytest.approx(less, rel=STATED)


def test_almost_a_grid_is_left_to_draws():
    rng = np.random.default_rng(3)
    advantages = rng.choice([-1.0, 1.0, 2.0], 200) + 1e-8 * rng.normal(size=200)
    assert sign_flips(advantages) is None
    assert sign_flips(np.rint(advantages)) is not None


@pytest.mark.parametrize(("n", "k"), [(59, 19), (111, 28), (257, 14)])
@pytest.mark.parametrize("end", ["smallest", "largest"])
def test_almost_a_grid_is_not_taken_for_one_that_ends(n, k, end):
    """Here the last nodes of the integral are few, and so their sum is small: tails were off by up to 29%."""
    sizes = np.sort(1 + 1e-6 * np.random.default_rng(0).normal(size=n))
    signs = np.where(np.arange(n) < k, -1, 1) if end == "smallest" else np.where(np.arange(n) < n - k, 1, -1)
    found = sign_flips(sizes * signs)
    of_this_size = 1 if end == "smallest" else math.comb(n, k)  # sets of k terms whose sum is at most this one's
    expected = (sum(math.comb(n, j) for j in range(k)) + of_this_size) / 2**n
    assert found is None or found.greater == pytest.approx(expected, rel=found.relative_error, abs=0)


def test_an_integral_that_cannot_end_is_not_begun(monkeypatch):
    """Four of 300 nearly equal terms are negative: that none is has a probability that no node can get below."""
    advantages = 1 + 0.01 * np.random.default_rng(0).normal(size=300)
    advantages[:4] *= -1
    begun = []
    monkeypatch.setattr(TiltedSum, "transform", lambda *_: begun.append(True))
    assert (sign_flips(advantages), begun) == (None, [])


@pytest.mark.parametrize("spread", [0.0, 1e-6, 1e-2, 0.5])
@pytest.mark.parametrize("n_negative", [2, 4, 8])
def test_no_transform_dies_out(spread, n_negative):
    rng = np.random.default_rng(5)
    sizes = np.sort(rng.uniform(1 - spread, 1 + spread, 100))
    tilted = TiltedSum(sizes, np.ones(100), float(sizes.sum()) - 2 * n_negative)
    nodes = tilted.tilt * rng.uniform(2000, 4000, 5000)
    found = np.abs(tilted.transform(nodes))
    error = np.log(found).std() / math.sqrt(nodes.size)
    assert np.log(found).mean() == pytest.approx(math.log(tilted.floor), abs=stats.norm.isf(5e-4) * error)
    assert found.mean() > tilted.floor


def test_what_is_equal_on_paper_is_equal():
    exact = sign_flips([0.1, 0.2, 0.3, -0.3, -0.1, 0.2])
    blurred = sign_flips(
        np.array([0.1, 0.2, 0.3, -0.3, -0.1, 0.2]) + 1e-13 * np.array([1, -1, 1, 1, -1, 1]), rounding=1e-12
    )
    assert (exact.less, exact.greater) == (blurred.less, blurred.greater)
    many = np.tile([0.1, 0.2, 0.3, -0.3, -0.1, 0.2], 40)
    blur = 1e-13 * np.random.default_rng(0).uniform(-1, 1, many.size)
    assert sign_flips(many + blur, rounding=1e-12).greater == pytest.approx(sign_flips(many).greater, rel=1e-6)


@pytest.mark.parametrize("advantages", [[], [math.nan, 1.0], [math.inf, 1.0]])
def test_undefined_advantages_have_no_tails(advantages):
    assert sign_flips(advantages) is None


def test_no_difference_is_no_evidence():
    found = sign_flips(np.zeros(7))
    assert (found.less, found.greater, found.pvalue("two-sided").pvalue) == (1.0, 1.0, 1.0)
    assert sign_flips([1.0, -1.0, 2.0, -2.0]).pvalue("two-sided").pvalue == 1.0


def test_a_p_value_beyond_all_doubt_is_a_bound():
    tail = sign_flips(np.ones(5000)).pvalue("two-sided")
    assert tail.is_bound
    assert str(tail) == "p < 1e-100 (exact)"
    assert sign_flips(np.ones(300)).pvalue("greater").pvalue == 0.5**300


sizes_strategy = st.lists(st.integers(-50, 50), min_size=1, max_size=60)


@given(sizes_strategy, st.floats(1e-6, 1e6), st.randoms(use_true_random=False), st.integers(0, 30))
def test_laws(whole, scale, random, n_zeros):
    """Scale, order, zeros and the exchange of A and B do not matter; the tails share the observed sum."""
    advantages = np.array(whole, dtype=float)
    found = sign_flips(advantages)
    near = {"rel": 1e-4, "abs": 0}
    assert sign_flips(advantages * scale).greater == pytest.approx(found.greater, **near)
    shuffled = list(whole)
    random.shuffle(shuffled)
    assert sign_flips(np.array(shuffled, dtype=float)).greater == pytest.approx(found.greater, **near)
    with_zeros = sign_flips(np.append(advantages, np.zeros(n_zeros)))
    assert (with_zeros.less, with_zeros.greater) == (found.less, found.greater)
    turned = sign_flips(-advantages)
    assert (turned.less, turned.greater) == (found.greater, found.less)
    assert found.less + found.greater >= 1 - 1e-12
    both = found.pvalue("two-sided")
    assert both.pvalue == min(1.0, 2 * min(found.less, found.greater))
    assert both.exact
    assert both.standard_error == 0


def test_rows_with_an_undefined_advantage_have_no_p():
    assert sign_flips_of_rows(np.array([[1.0, math.nan], [1.0, 2.0]])) == [None, sign_flips([1.0, 2.0])]


@pytest.mark.parametrize("n", [1000, 3000, 10_000])
@pytest.mark.parametrize("shift", [0.5, 1.0, 2.0, 4.0])
def test_a_difference_beyond_doubt_needs_no_draws(n, shift):
    """Digits of such a tail would need millions of nodes; that it is below the bound is known at once."""
    advantages = np.random.default_rng(n).normal(shift, 1, n)
    found = sign_flips(advantages, rounding=1e-12)
    z = advantages.sum() / np.sqrt(np.square(advantages).sum())
    assert found.pvalue("less").pvalue == 1.0
    tail = found.pvalue("two-sided")
    assert tail.is_bound == (tail.pvalue <= 1e-100)
    assert tail.is_bound or z < 25  # P(N(0, 1) > 25) is 3e-138
