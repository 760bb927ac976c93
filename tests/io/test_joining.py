import polars as pl
import pytest

from howsure import ArgumentError, DataError
from howsure.io import join, read
from tests.io.same import assert_same, rater_names


def table(items, values, **options):
    columns = {"item": items, "value": values} | {key: options.pop(key) for key in ("rater", "topic") if key in options}
    return read(pl.DataFrame(columns), sources="one", **options)


def test_items_are_matched_by_id():
    human = table(["q1", "q2", "q2", "q3"], [1, 2, 3, 3], rater=["a", "a", "b", "b"])
    model = table(["q3", "q4", "q1"], [5, 4, 1])
    joined = join({"human": human, "gpt-4": model})
    assert joined.items.tolist() == ["q1", "q2", "q3", "q4"]
    assert joined.sources["human"].sizes.tolist() == [1, 2, 1, 0]
    assert joined.sources["gpt-4"].values.tolist() == [1, 5, 4]
    assert joined.sources["gpt-4"].sizes.tolist() == [1, 0, 1, 1]
    assert rater_names(joined, "human") == ["a", "a", "b", "b"]
    assert joined.scale.levels == (1, 2, 3, 4, 5)
    assert joined.notes[-1] == (
        "Joined 2 tables on the item id: 2 of 4 items are in all of them; human lacks 1 (first: q4); "
        "gpt-4 lacks 1 (first: q2)."
    )


def test_a_join_of_parts_is_the_whole():
    frame = pl.DataFrame({"item": [1, 2, 1, 2, 2], "source": list("xxyyy"), "value": [1.5, 2, 3, 4, 5]})
    whole = read(frame)
    parts = {name: read(frame, sources={name: name}) for name in "xy"}
    joined = join(parts)
    assert_same(joined, whole)
    assert joined.notes[-1] == "Joined 2 tables on the item id: all 2 items matched."


def test_the_same_rater_in_two_tables_is_one_rater():
    joined = join({"x": table([1, 2], [1, 2], rater=["a", "b"]), "y": table([1, 2], [1, 2], rater=["b", "c"])})
    assert joined.raters == ("a", "b", "c")
    assert rater_names(joined, "y") == ["b", "c"]


def test_numbers_of_different_kinds_are_unified():
    assert join({"x": table([1, 2], [1, 2]), "y": table([1, 2], [1.25, 2.5])}).scale.kind == "continuous"


def test_labels_are_unified():
    joined = join({"x": table([1, 2], ["b", "c"]), "y": table([1, 2], ["a", "c"])})
    assert joined.scale.labels == ("a", "b", "c")
    assert joined.sources["x"].values.tolist() == [1, 2]
    assert joined.sources["y"].values.tolist() == [0, 2]
    mixed = join({"x": table([1, 2], ["1", "2"], scale="nominal"), "y": table([1, 2], ["2", "z"], scale="nominal")})
    assert mixed.scale.labels == ("1", "2", "z")
    assert mixed.sources["y"].values.tolist() == [1, 2]


def test_groups_are_merged():
    left = table([1, 2], [1, 2], topic=["a", "b"], groups=["topic"])
    right = table([2, 3], [1, 2], topic=["b", "c"], groups=["topic"])
    assert join({"x": left, "y": right}).groups["topic"].tolist() == ["a", "b", "c"]
    other = table([2, 3], [1, 2], topic=["z", "c"], groups=["topic"])
    with pytest.raises(DataError, match="item 2 has topic 'z' in y, but 'b' in an earlier table"):
        join({"x": left, "y": other})


def test_numbers_against_labels_name_both_files():
    parts = {"human": table([1, 2], ["good", "bad"]), "gpt-4": table([1, 2], [1, 2])}
    with pytest.raises(DataError) as caught:
        join(parts, files={"human": "ratings.csv", "gpt-4": "a.jsonl"})
    assert str(caught.value) == (
        "human (ratings.csv) and gpt-4 (a.jsonl) are on different scales: nominal: bad, good "
        "(text labels such as 'bad') against ordinal: 1, 2 (2 distinct whole numbers). Give both the same "
        "`scale`, or the `order` of the labels."
    )


def test_no_common_item_shows_one_of_each():
    with pytest.raises(DataError) as caught:
        join({"human": table(["q-001"], [1]), "gpt-4": table(["1"], [1])})
    assert str(caught.value) == (
        "human shares no item with the other tables: its first item is 'q-001', that of gpt-4 is '1'. "
        "Check the item column of each."
    )


def test_what_cannot_be_joined():
    with pytest.raises(ArgumentError, match="at least two tables to join; got 1"):
        join({"x": table([1], [1])})
    two = read(pl.DataFrame({"item": [1, 1], "source": ["a", "b"], "value": [1, 2]}))
    with pytest.raises(DataError, match=r"x has 2 sources \(a, b\), but a table to join must have one"):
        join({"x": two, "y": table([1], [1])})
