"""Very large, very small and endless input: a result with its note, or one line that says what to change."""

import os
import threading
import warnings

import numpy as np
import pytest

from howsure.errors import ArgumentError, DataError
from howsure.paired import (
    TESTS,
    PairedScores,
    ScoreTable,
    analyse,
    effect_sizes,
    plan_power,
    power_curve,
    read_scores,
    significance_test,
)

rng = np.random.default_rng(8)
scores = PairedScores.from_arrays(rng.normal(0.2, 1, 60), np.zeros(60))


@pytest.mark.parametrize("size", [1e155, 1e308, 1e-155, 5e-324])
@pytest.mark.parametrize("make", [PairedScores.from_arrays, PairedScores, "table"])
def test_sizes_that_cannot_be_squared_are_refused(size, make):
    a, b = np.array([size, 1.0, 2.0]), np.zeros(3)
    with pytest.raises(DataError, match="Rescale the scores"):
        ScoreTable(np.c_[a, b], ("A", "B")).pair("A", "B") if make == "table" else make(a, b)


@pytest.mark.parametrize("scale", [1e99, 1e-95])
def test_sizes_that_can_be_squared_change_nothing_but_the_scale(scale):
    scaled = PairedScores.from_arrays(scores.a * scale, scores.b)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, plain = (analyse(each, n_simulations=20, tolerance=0, rng=0) for each in (scaled, scores))
    assert found.significance.pvalue == pytest.approx(plain.significance.pvalue)
    assert found.description.skewness == pytest.approx(plain.description.skewness)
    assert [effect.estimate for effect in found.effects[:2]] == pytest.approx(
        [effect.estimate for effect in plain.effects[:2]]
    )


@pytest.mark.parametrize("option", ["delta", "effect"])
@pytest.mark.parametrize("value", [1e200, -1e308])
def test_a_difference_beyond_all_scores_is_refused(option, value):
    with pytest.raises(ArgumentError, match=f"`{option}` must be between"):
        power_curve(scores, n_simulations=10, **{option: value})


@pytest.mark.parametrize("test", TESTS)
def test_a_large_shift_is_no_warning(test):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert significance_test(scores, test=test, delta=1e10, n_resamples=99, rng=0).reject
        assert significance_test(scores, test=test, delta=1e90, n_resamples=99, rng=0).side == -1


@pytest.mark.parametrize(
    "options",
    [
        {"sizes": [99_999_999_999_999]},
        {"sizes": 10**9},
        {"sizes": list(range(2, 2000))},
        {"n_simulations": 10**12},
        {"n_resamples": 10**12},
    ],
    ids=str,
)
def test_endless_work_is_refused(options):
    with pytest.raises(ArgumentError, match="must"):
        power_curve(scores, **options)


def test_endless_resampling_is_refused():
    with pytest.raises(ArgumentError, match="`n_resamples` must be a whole number of at most 10,000,000"):
        significance_test(scores, test="bootstrap", n_resamples=10**9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"effect": 1e-10, "sd": 1, "target_power": 0.8}, "would take more than 1e\\+12 segments"),
        ({"effect": 1e-200, "sd": 1, "target_power": 0.8}, "would take more than 1e\\+12 segments"),
        ({"effect": 0.1, "sd": 1e-320, "target_power": 0.8}, "`sd`"),
        ({"effect": 1e300, "sd": 1, "target_power": 0.8}, "`effect`"),
        (
            {"effect": 0.1, "sd": 1, "target_power": 0.8, "alpha": 5e-324},
            "`alpha` must not be nearer to 0 or 1 than 1e-12",
        ),
        ({"effect": 0.1, "sd": 1, "target_power": 1 - 1e-16}, "`target_power` must not be nearer to 0 or 1 than 1e-12"),
        ({"n_items": 10**30, "sd": 1, "target_power": 0.8}, "`n_items`"),
    ],
    ids=str,
)
def test_plans_beyond_computing_are_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        plan_power(**options)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("design", ["paired", "independent"])
@pytest.mark.parametrize("alpha", [0.05, 1e-12])
@pytest.mark.parametrize("effect", [2e-5, 1e-3, 0.1, 3.0, 1e5, 1e90])
def test_plans_at_the_border_are_computed(effect, alpha, design, alternative):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan = plan_power(effect=effect, sd=1, target_power=0.8, alpha=alpha, design=design, alternative=alternative)
        back = plan_power(
            n_items=plan.n_items, sd=1, target_power=0.8, alpha=alpha, design=design, alternative=alternative
        )
    assert plan.power >= 0.8 - 1e-6
    if plan.n_items > 10:
        assert back.effect == pytest.approx(effect, rel=0.06)


@pytest.mark.parametrize("column", ["²", "٣", "1.0", "0", "3", "1" * 5000, "-1"])
def test_columns_that_are_no_columns(tmp_path, column):
    (tmp_path / "scores.txt").write_text("1 2\n3 4\n")
    with pytest.raises(ArgumentError, match="`columns` must name columns of"):
        read_scores(tmp_path / "scores.txt", columns=[column, "1"])


def test_no_effects():
    with pytest.raises(ArgumentError, match="`effect_size` must name at least one of cohen-d"):
        effect_sizes(scores, effect_size=[])


def test_devices_are_refused():
    for device in ("/dev/zero", "/dev/null"):
        with pytest.raises(DataError, match="is a device and not a file"):
            read_scores(device)


def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("0.1 0.2\n0.4 0.3\n0.5 0.1\n",))
    writer.start()
    assert read_scores(pipe).n == 3
    writer.join()


def test_a_pipe_of_zeros_ends_at_the_first(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write():
        with pipe.open("wb") as file:
            try:
                while True:
                    file.write(bytes(2**20))
            except BrokenPipeError:
                return

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(DataError, match="is a binary file"):
        read_scores(pipe)
    writer.join()
