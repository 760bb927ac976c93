"""Numbers are shown with the digits that their error leaves, the same digits everywhere."""

import json
import math
import re
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from howsure import Contest
from howsure.comparison import compare
from howsure.documents import Column, Document, Measured, Table, csv_tables, html, latex, markdown, text
from howsure.documents.numbers import (
    HUGE,
    PLAIN,
    decimals,
    error_of,
    interval,
    listed,
    measured,
    number,
    plainly,
    pvalue,
    rough,
    share,
    shares,
    shown,
    subtracted,
)
from howsure.examples import ratings
from howsure.gating import CLAIMS, GateRule, GateSettings, gate
from howsure.leaderboards import compare_all
from howsure.paired import PairedScores, significance_test

KNOWN = [
    (0.123456, 0.02, "0.123"),
    (0.123456, 0.0021, "0.1235"),
    (0.123456, 0.2, "0.12"),
    (0.5, 0.01, "0.500"),
    (-0.0001, 0.1, "0.00"),
    (12345.6, 1200.0, "12,300"),
    (12345.6, 12.0, "12,346"),
    (99.96, 1.0, "100.0"),
    (1.23456e-9, 2e-11, "1.235e-09"),
    (1.2e-12, 2e-9, "0"),
    (0.123456, math.nan, "0.1235"),
    (0.123456, 0.0, "0.1235"),
    (0.123456, math.inf, "0.1235"),
    (3.0, 1e-17, "3"),
    (1.23456789e20, 1e17, "1.2346e+20"),
    (1.0, 0.0001, "1.00000"),
    (math.nan, 0.1, "undefined"),
]


@pytest.mark.parametrize(("value", "error", "said"), KNOWN)
def test_known_answers(value, error, said):
    assert number(value, error) == said
    assert shown(Measured(value, error)) == said


def test_ends_have_the_decimals_of_the_width():
    assert interval(0.123456, 0.2) == "0.123 to 0.200"
    assert interval(-12.0, 13.456) == "−12.0 to 13.5"
    assert interval(0.25, 0.25) == "0.25 to 0.25"
    assert interval(-math.inf, 0.123456, error=0.02) == "at most 0.123"
    assert shown((0.123456, math.inf), "interval") == "at least 0.1235"
    assert shown(Measured((0.123456, math.inf), 0.02), "interval") == "at least 0.123"


def test_p_values_have_two_digits_and_fewer_where_draws_say_less():
    assert [pvalue(0.01234), pvalue(0.01234, 0.001), pvalue(0.01234, 0.2), pvalue(1.0, 0.0)] == [
        "0.012",
        "0.012",
        "0.01",
        "1",
    ]


def test_what_is_not_all_is_not_shown_as_all():
    assert [shown(share, "percent") for share in (1.0, 0.9996, 0.9994, 0.00012, 0.0)] == [
        "100%",
        "> 99.9%",
        "99.9%",
        "0.012%",
        "0%",
    ]


SHARES = [
    (1.0, 0.0001, "> 0.999"),  # 10,000 of 10,000 simulated studies
    (0.99991, 0.0001, "> 0.999"),
    (0.99991, math.nan, "> 0.999"),
    (1.0, math.nan, "1.000"),
    (1.0, 0.04, "1.000"),  # 20 of 20: nobody knows that it is above 0.999
    (0.0, 0.0001, "< 0.001"),
    (0.81234, 0.0001, "0.812"),
    (0.81234, 0.3, "0.81"),
    (math.nan, 0.1, "undefined"),
]


@pytest.mark.parametrize(("value", "error", "said"), SHARES)
def test_a_power_has_three_decimals_and_is_not_1_where_it_is_less(value, error, said):
    assert share(value, error) == shown(Measured(value, error), "share") == said


@given(st.floats(0, 1), st.floats(1e-9, 0.5))
@example(1.0, 1e-5)
@example(0.0, 1e-5)
@example(0.99951, 1e-5)
@example(0.0005, 1e-9)
def test_a_share_shows_no_digit_below_its_error_and_no_more_than_three(value, error):
    said = share(value, error)
    digits = said.lstrip("<> ").partition(".")[2]
    assert 1 <= len(digits) <= 3
    assert len(digits) == 1 or 10.0 ** -len(digits) >= error / 100
    bound = float(said.lstrip("<> "))
    if said[0] == ">":
        assert value > bound
    elif said[0] == "<":
        assert value < bound
    else:
        assert abs(bound - value) <= max(error / 20, 0.0005) * (1 + 1e-9)


def test_ends_of_a_share_are_told_from_0_and_1():
    assert shares(0.999631, 1.0) == shown((0.999631, 1.0), "shares") == "0.9996 to 1.0000"
    assert shares(0.0, 0.00012) == "0.0000 to 0.0001"
    assert shares(0.51, 0.91) == "0.51 to 0.91"
    assert shares(math.nan, 1.0) == "undefined"


def test_what_rounding_leaves_is_nothing():
    assert [rough(8.7e-19, beside=1.0), rough(8.7e-19), rough(1e-11, beside=1.0), rough(0.0, 1.0)] == [
        "0",
        "8.7e-19",
        "1.0e-11",
        "0",
    ]


@given(st.floats(-1e30, 1e30), st.floats(1e-30, 1e30))
@example(1 - 1e-9, 1e-3)
@example(1e-300, 1e-3)
@example(1.2345678e22, 1e19)
def test_never_more_digits_than_known_whatever_the_size(value, error):
    said = plainly(value, error)
    mantissa, _, exponent = said.replace(",", "").partition("e")
    written = mantissa.replace(".", "").lstrip("−0")
    places = 0 if "." in mantissa else len(written) - len(written.rstrip("0"))  # zeros before the point say how large
    if decimals(error, value) is None:
        assert len(written.rstrip("0")) <= 3
    elif written:
        worth = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]) + places)
        # Two digits of the value stay however large the error is, or its units.
        assert worth >= min(error / 100, max(1.0, abs(value) / 100)) * (1 - 1e-9)


def test_errors_have_two_digits():
    assert [rough(0.012345), rough(1234.5), rough(12.0), rough(0.0), rough(math.nan)] == [
        "0.012",
        "1,200",
        "12",
        "0",
        "undefined",
    ]


NUMBERS = st.floats(-1e9, 1e9)
ERRORS = st.floats(1e-9, 1e9)


@given(NUMBERS, ERRORS)
@example(0.5, 0.0999999)
@example(-1e9, 1e-9)
def test_rounding_moves_a_number_by_a_twentieth_of_its_error_and_shows_no_digit_below_it(value, error):
    places = decimals(error, value)
    if places is None:
        assert error <= 1e-13 * abs(value)
        return
    said = number(value, error)
    assert abs(float(said.replace(",", "").replace("−", "-")) - value) <= error / 20 * (1 + 1e-9) + 1e-15 * abs(value)
    assert 10.0**-places >= error / 100 * (1 - 1e-9)  # the last decimal is worth at least a hundredth of the error
    if places <= PLAIN and abs(value) < HUGE / 10:
        assert len(said.partition(".")[2]) == max(places, 0)


@given(NUMBERS, ERRORS)
def test_estimate_and_ends_have_the_same_decimals(value, error):
    low, high = value - 2 * error, value + 2 * error
    if not low < high:
        return
    first, last = interval(low, high).split(" to ")
    middle = shown(measured(value, (low, high)))
    if (decimals(error_of((low, high))) or 0) <= PLAIN and error > 1e-12 * abs(value):
        assert len({len(said.partition(".")[2]) for said in (first, last, middle)}) == 1


def test_a_one_sided_interval_has_the_error_of_its_one_side():
    assert error_of((1.0, math.inf), 2.0) == error_of((-math.inf, 3.0), 2.0) == error_of((1.0, 3.0))


def test_every_format_shows_the_same_digits_and_files_of_numbers_all_of_them():
    table = Table(
        (Column("x", "number"), Column("between", "interval")), ((Measured(0.123456, 0.02), (0.083456, 0.163456)),)
    )
    page = Document("", (table,))
    for render in (text.render, markdown.render, latex.render, html.page):
        said = render(page)
        assert "0.123" in said
        assert "0.083 to 0.163" in said
        assert "0.1235" not in said
    assert csv_tables.tables(page)["table-1"].splitlines()[1] == "0.123456,0.083456,0.163456"


def decimals_of(said):
    return {len(digits) for digits in re.findall(r"\d\.(\d+)", said)}


def test_verdict_and_table_of_a_comparison_show_the_same_digits():
    contest = ratings(40).contest(gold="human", a="model-2", b="model-1")
    found = compare(contest, metric="mae", rng=0, n_resamples=99)
    [table] = [block for block in found.document().blocks if isinstance(block, Table)]
    _, _, a, b, advantage, ends, _ = (
        shown(value, column.kind) for value, column in zip(table.rows[0], table.columns, strict=True)
    )
    verdict = found.document().verdict
    assert f"{a} vs {b}, lower by {advantage} (95% CI {ends})" in verdict
    assert decimals_of(f"{a} {b} {advantage} {ends}") == {decimals(error_of(found.confidence_interval))}
    assert json.loads(json.dumps(found.to_dict()))["advantage"] == found.advantage
    assert number(found.advantage, error_of(found.confidence_interval)) in str(found)


def written(text):
    """Return the number that a text stands for."""
    return Fraction(text.replace("−", "-").replace(",", ""))


SCORES = st.floats(-1e6, 1e6) | st.integers(0, 700).map(lambda n: n / 7) | st.integers(0, 2**53)


@given(SCORES, SCORES, st.floats(1e-4, 1e4) | st.just(0.0) | st.just(math.nan))
@example(3.3571, 2.9522, 0.2)
@example(50.95, 1.4, 5900.0)
@example(2.0**52 + 20, 2.0**52 + 19, 0.08)
@example(0.7004, 0.6996, 0.01)
def test_written_scores_subtract_to_the_written_difference(first, second, half):
    size = abs(first - second)
    one, other, by, ends = subtracted(first, second, first - second, (size - half, size + half))
    assert abs(written(one) - written(other)) == written(by)
    assert by == by.lstrip("−")
    if size > 1e-3 * half and size > 1e-3 * max(abs(first), abs(second)):
        assert written(by) > 0
    tolerance = max(half / 10, 1e-3 * max(abs(first), abs(second))) if half > 0 else 1e-3 * max(abs(first), abs(second))
    assert abs(float(written(by)) - size) <= tolerance + 1e-9
    if half > 0:
        assert ends == interval(size - half, size + half)


@given(st.floats(-1e5, 1e5), st.floats(1e-3, 1e5))
@example(0.4, 997.6)
@example(-998.0, 1996.0)
def test_no_end_of_an_interval_is_written_as_0_or_beyond_the_next_whole_number(low, width):
    shown_low, shown_high = map(written, interval(low, low + width).split(" to "))
    for end, near in ((low, shown_low), (low + width, shown_high)):
        assert abs(float(near) - end) <= 0.5 + 1e-9
        if abs(end) > 1e-4 * width:
            assert (near > 0) == (end > 0)


def test_scores_of_other_items_are_written_as_they_are():
    assert subtracted(0.8, 0.7, 0.3, (0.1, 0.5)) == ("0.80", "0.70", "0.30", "0.10 to 0.50")
    assert subtracted(math.nan, math.nan, 0.3, (0.1, 0.5))[:3] == ("undefined", "undefined", "0.30")


IN_A_SENTENCE = re.compile(
    r"(−?[\d.,]+(?:e[+-]\d+)?) vs (−?[\d.,]+(?:e[+-]\d+)?),? \(?(?:higher by|lower by|difference) ([\d.,]+)"
)


def assert_subtracts(sentence):
    """Both scores of a sentence subtract to the difference in it."""
    found = IN_A_SENTENCE.search(sentence)
    assert found is not None, sentence
    one, other, by = (written(text.rstrip(",.")) for text in found.groups())
    assert abs(one - other) == by, sentence


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.filterwarnings("ignore::howsure.HowsureWarning")
def test_scores_in_every_sentence_subtract(seed):
    rng = np.random.default_rng(seed)
    n, scale = int(rng.integers(6, 60)), 10.0 ** rng.integers(-2, 4)
    kind = seed % 4
    if kind == 0:
        a, b = rng.integers(1, 6, (2, n)).astype(float)
    elif kind == 1:
        a, b = scale * rng.normal(3, 1, (2, n))
    elif kind == 2:
        a, b = rng.integers(0, 2, (2, n)).astype(float)
    else:
        a, b = scale * np.exp(rng.normal(0, 1.5, (2, n)))
    contest = Contest.from_arrays(None, a, b, names=("", "new", "old"))
    found = compare(contest, rng=0)
    assert_subtracts(found.verdict)
    frame = pl.DataFrame({"item": [*map(str, range(n))] * 2, "source": ["a"] * n + ["b"] * n, "value": [*a, *b]})
    assert_subtracts(compare_all(frame, metric="rating", rng=0, n_resamples=99).verdict)
    if a.mean() != b.mean():
        settings = GateSettings(range=(-np.inf, np.inf))
        assert_subtracts(gate(contest, GateRule(CLAIMS["non-inferior"], 0.1), settings).sentence)
    if np.ptp(a - b) > 0:
        for test in ("t", "wilcoxon", "sign"):
            assert_subtracts(significance_test(PairedScores.from_arrays(a, b), test=test, rng=0).sentence)


def test_verdict_and_table_of_a_leaderboard_show_the_same_interval_and_one_difference():
    """The table has a rounded difference; the verdict may have a digit more, so that its scores subtract to it."""
    board = compare_all(ratings(30), gold="human", metric="mae", n_resamples=99, rng=0)
    tables = [block for block in board.document().blocks if isinstance(block, Table)]
    [pairs] = [table for table in tables if table.title.startswith("All pairs")]
    by, ends = (shown(pairs.rows[0][i], pairs.columns[i].kind) for i in (1, 2))
    said = re.search(rf"lower by ([\d.]+) \(95% CI {ends}\)", board.verdict)
    assert said is not None
    assert f"{float(said[1]):.{len(by.partition('.')[2])}f}" == by


def test_what_is_left_out_of_a_list_is_counted():
    assert listed("abc", most=3) == "a, b, c"
    assert listed(range(12_345), most=2) == "0, 1 and 12,343 more"
