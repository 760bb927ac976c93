"""Responses, contests and tables: ragged, read-only, and honest about what was left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from howsure import ArgumentError, Contest, DataError, Responses, ResponseTable, Scale

GRIDS = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.floats(-9, 9) | st.just(np.nan))


@given(GRIDS)
def test_a_grid_becomes_its_present_cells(grid):
    made = Responses.from_grid(grid)
    assert made.n_items == len(grid)
    for item, row in enumerate(grid):
        mine = made.values[made.offsets[item] : made.offsets[item + 1]]
        assert mine.tolist() == row[~np.isnan(row)].tolist()
        assert (made.items == item).sum() == made.sizes[item]


@given(GRIDS, st.data())
def test_taking_items_is_taking_rows(grid, data):
    items = np.array(data.draw(st.lists(st.integers(0, len(grid) - 1), min_size=1, max_size=8)))
    raters = np.arange(grid.size).reshape(grid.shape)
    taken, rows = Responses.from_grid(grid, raters).take(items), Responses.from_grid(grid[items], raters[items])
    assert taken.values.tolist() == rows.values.tolist()
    assert taken.offsets.tolist() == rows.offsets.tolist()
    assert taken.raters.tolist() == rows.raters.tolist()


def test_arrays_are_read_only_and_the_callers_are_not_touched():
    mine = np.array([[1.0, 2.0], [3.0, np.nan]])
    contest = Contest.from_arrays(mine, mine, mine)
    mine[0, 0] = 9.0
    assert contest.gold.values.tolist() == [1.0, 2.0, 3.0]
    for array in (contest.gold.values, contest.gold.offsets, contest.items):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_n_responses_is_a_count_where_it_is_the_same_and_a_mean_where_not():
    contest = Contest.from_arrays([[1, 2], [3, 3]], [1, 2], [[1, None], [2, 3]])
    assert contest.n_responses == {"gold": 2, "a": 1, "b": 1.5}
    assert [type(count) for count in contest.n_responses.values()] == [int, int, float]


def test_items_without_a_response_from_every_source_are_left_out_and_said_so():
    nan = np.nan
    contest = Contest.from_arrays([1, nan, 3, 4], [1, 2, nan, 4], [1, 2, nan, nan])
    assert contest.items.tolist() == ["0"]
    assert contest.notes == (
        "3 of 4 items left out: 1 without a response from gold (first: item 1); "
        "1 without a response from A (first: item 2); 2 without a response from B (first: item 2).",
    )


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 2], [1], [1, 2]), {}, "gold, a and b must have one row for each item; got rows: gold 2, a 1, b 2."),
        (([[[1]]], [1], [1]), {},
         "`gold` must be an (items, responses) array of numbers or labels; got shape (1, 1, 1)."),
        (([1, 2], None, [1, 2]), {}, "`a` must be an (items, responses) array of numbers or labels; got shape ()."),
        (([[1, 2], [3]], [1, 2], [1, 2]), {},
         "`gold` has rows of different lengths; fill them up with NaN (None among labels)."),
        (([1, np.inf], [1, 2], [1, 2]), {}, "`gold` is infinite at item 1, response 0; leave the response out (NaN)."),
        (([1, 2], [[1, None], [np.inf, 2]], [1, 2]), {},
         "`a` is infinite at item 1, response 0; leave the response out (NaN)."),
        (([np.nan], [np.nan], [np.nan]), {}, "there is no response in these arrays."),
        (([], [], []), {}, "there is no response in these arrays."),
        (([1, 2], [np.nan, np.nan], [1, 2]), {},
         "no item has a response from every source: A has none at all. Check the item ids of each source."),
        (([1, np.nan], [np.nan, 1], [1, 2]), {},
         "no item has a response from every source: gold, A, B share no item. Check the item ids of each source."),
        (([1, 2], [1, 2], [1, 2]), {"groups": {"topic": ["x"]}},
         "group 'topic' must have one value for each of the 2 items; got (1,)."),
        ((["a"], ["b"], ["c"]), {"scale": "continuous"},
         "value 'a' is not a number, so the scale cannot be continuous."),
    ],
)  # fmt: skip
def test_what_cannot_be_a_contest_is_refused_in_one_line(arguments, options, message):
    with pytest.raises(DataError) as caught:
        Contest.from_arrays(*arguments, **options)
    assert str(caught.value) == message


def test_a_source_without_a_name_is_called_by_its_role():
    table = ResponseTable.from_arrays({"": [1, 2, np.nan], "m": [1, 2, 3]})
    contest = table.contest(a="", b="m")
    assert contest.notes == ("1 of 3 items left out: 1 without a response from A (first: item 2).",)
    assert str(contest) == "2 items; responses: a: A (2), b: m (2); scale: ordinal: 1, 2, 3 (3 distinct whole numbers)"


def test_labels_numbers_and_gaps_in_every_form():
    assert Contest.from_arrays(None, ["x", "y"], ["y", None]).scale.labels == ("x", "y")
    assert Contest.from_arrays(None, [True, False], [True, True]).scale.labels == ("False", "True")
    mixed = Contest.from_arrays(None, [[1, None], [2, 3]], np.array([[1], [2]], dtype=np.int8))
    assert mixed.scale.kind == "ordinal"
    assert mixed.a.values.tolist() == [1.0, 2.0, 3.0]


def test_gold_may_be_absent():
    contest = Contest.from_arrays(None, [1, 2], [2, 2])
    assert contest.names == ("", "A", "B")
    assert list(contest.sources) == ["a", "b"]
    assert contest.swapped().names == ("", "B", "A")


def test_slices_cover_every_item_once(likert):
    parts = dict(likert.slices("topic"))
    assert list(parts) == ["art", "law"]
    assert sorted(np.concatenate([part.items for part in parts.values()]).tolist()) == sorted(likert.items.tolist())
    assert set(parts["art"].groups["topic"].tolist()) == {"art"}
    with pytest.raises(ArgumentError, match=r"got 'topics'\. Columns: topic\. Did you mean 'topic'\?"):
        next(likert.slices("topics"))


def test_the_digest_sees_responses_roles_and_scale_but_not_names(likert):
    contests = [
        likert, likert.swapped(), likert.take(np.arange(29)), likert.take(np.arange(30)[::-1]),
        Contest.from_arrays([1, 2], [1, 2], [2, 2]), Contest.from_arrays([1, 2], [1, 2], [2, 2], scale="nominal"),
        Contest.from_arrays(None, [1, 2], [2, 2]),
    ]  # fmt: skip
    assert len({contest.digest for contest in contests}) == len(contests)
    named = Contest.from_arrays([1, 2], [1, 2], [2, 2], names=("human", "x", "y"))
    assert named.digest == contests[4].digest
    assert len(named.digest) == 12


def table():
    human = Responses(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 3, 3]), np.array([0, 1, 0]))
    model = Responses(np.array([2.0, 2.0, 1.0]), np.array([0, 1, 2, 3]))
    scale = Scale.of([1, 2, 3])
    return ResponseTable(np.array(["x", "y", "z"]), {"human": human, "m": model}, scale, raters=("ann", "bob"))


def test_a_table_makes_contests_and_names_strangers():
    contest = table().contest(gold=None, a="human", b="m")
    assert contest.items.tolist() == ["x", "y"]
    assert contest.notes[-1].startswith("1 of 3 items left out: 1 without a response from human")
    with pytest.raises(
        DataError, match=r"no source is called 'humans'; the table has human, m\. Did you mean 'human'\?"
    ):
        table().contest(gold="humans", a="m", b="human")
    with pytest.raises(ArgumentError, match="must be different sources"):
        table().contest(a="m", b="m")
    with pytest.raises(ArgumentError, match="must be different sources"):
        table().contest(gold="m", a="human", b="m")


def test_a_table_shows_itself_and_its_rows():
    assert str(table()) == ("3 items; responses: human (3), m (3); scale: ordinal: 1, 2, 3 (3 distinct whole numbers)")
    rows = table().to_frame()
    assert rows.columns == ["item", "source", "rater", "repeat", "value"]
    assert rows.rows()[:2] == [("x", "human", "ann", 1, 1), ("x", "human", "bob", 2, 2)]
