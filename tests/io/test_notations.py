"""Numbers in other notations and characters that nobody sees: read with a note, or refused with the cell."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import DataError, read
from howsure.io.notations import in_other_notation

COMMA, GROUPS = "with a decimal comma", "with thousands separators"


def table(cells, **options):
    n = len(cells)
    return read(pl.DataFrame({"item": [f"q{i}" for i in range(n)], "source": ["a"] * n, "value": cells}), **options)


@pytest.mark.parametrize(
    ("cells", "numbers", "note"),
    [
        (["3,5", "4", "2,25"], [3.5, 4, 2.25], f"{COMMA}: '3,5' is 3.5"),
        (["1.234,5", "2,5"], [1234.5, 2.5], f"{COMMA}: '1.234,5' is 1234.5"),
        (["0,500", "0,250"], [0.5, 0.25], f"{COMMA}: '0,500' is 0.5"),
        (["1,234.5", "12"], [1234.5, 12], f"{GROUPS}: '1,234.5' is 1234.5"),
        (["1 234", "12"], [1234, 12], f"{GROUPS}: '1 234' is 1234"),
        (["1\u202f234", "12"], [1234, 12], f"{GROUPS}: '1\\u202f234' is 1234"),
        (["1'000,5", "2"], [1000.5, 2], f'{COMMA}: "1\'000,5" is 1000.5'),
        (["85 %", "90%"], [0.85, 0.9], "as percentages: '85 %' is 0.85"),
        (["8,5 %", "90%"], [0.085, 0.9], f"as percentages {COMMA}: '8,5 %' is 0.085"),
        (["\u0663\u066b\u0665", "\u0664"], [3.5, 4], "in other digits: '\u0663\u066b\u0665' is 3.5"),
        (["\uff13", "4"], [3, 4], "in other digits: '\uff13' is 3"),
        (["\u22123", "4"], [-3, 4], "in other digits: '\u22123' is -3"),
        (["3,5", "", "NA"], [3.5], f"{COMMA}: '3,5' is 3.5"),
    ],
)
def test_a_notation_is_read_and_told(cells, numbers, note):
    found = table(cells)
    assert found.sources["a"].values.tolist() == pytest.approx(numbers)
    assert f"Numbers are read {note}." in found.notes


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1,234", "2,345"], "is '1,234', which may be 1234 or 1.234. Say which with `decimal='point'`"),
        (["85 %", "0.9"], "has percentages beside other numbers such as '0.9'; write all alike."),
        (["3,5", "3.5", "2"], "row 0 (counting from 0), column 'value': '3,5' is not written like the other numbers."),
        (["3,5", "n.v.", "2,1"], "row 1 (counting from 0), column 'value': 'n.v.' is not a number, but 2 other values"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_cell(cells, said):
    with pytest.raises(DataError) as caught:
        table(cells)
    assert said in str(caught.value)


def test_decimal_settles_what_the_cells_do_not():
    assert table(["1,234", "2,345"], decimal="comma").sources["a"].values.tolist() == [1.234, 2.345]
    assert table(["1,234", "2,345"], decimal="point").sources["a"].values.tolist() == [1234, 2345]


@pytest.mark.parametrize("cells", [["1.2.3", "1.2.4"], ["2024-01-02", "2024-01-03"], ["1-2", "2-3"], ["a", "b", "1"]])
def test_labels_with_digits_stay_labels(cells):
    assert table(cells).scale.kind == "nominal"
    assert table(["3,5", "4,5"], scale="nominal").scale.labels == ("3,5", "4,5")


@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 2)), min_size=2, max_size=8))
def test_any_number_survives_its_german_spelling(numbers):
    cells = [f"{x:,.2f}".translate(str.maketrans(",.", ".,")) for x in numbers]
    found = in_other_notation(pl.Series(cells), None, "here")
    assert found is not None
    assert all(math.isclose(x, y, abs_tol=1e-9) for x, y in zip(found.numbers.to_list(), numbers, strict=True))


@pytest.mark.parametrize("mark", ["\u200b", "\ufeff", "\u00ad", "\u200f", "\u2060"])
def test_a_perfect_model_stays_perfect_with_characters_that_nobody_sees(mark, tmp_path, howsure):
    rows = [
        f"q{i},gold,{'yes' if i % 2 else 'no'}\nq{i},m,{'yes' if i % 2 else 'no'}{mark}\nq{i},n,no" for i in range(8)
    ]
    (tmp_path / "t.csv").write_text("item,source,value\n" + "\n".join(rows), encoding="utf-8")
    done = howsure("compare", tmp_path / "t.csv", "--gold", "gold", "--a", "m", "--b", "n")
    assert "accuracy 1.00 vs 0.50" in done.stdout
    assert "Note: Invisible characters are removed from 8 cells (first: " in done.stdout


def test_labels_that_look_alike_are_refused_by_their_codes():
    with pytest.raises(DataError, match=r"the labels 'yes\\x1fno' and 'yes no' differ only by"):
        table(["yes no", "yes\x1fno", "no"])


def test_ids_that_look_alike_are_one_and_told():
    found = read(pl.DataFrame({"item": ["q0", "q0 ", "q1", "q1\u200b"], "source": list("abab"), "value": [1, 2, 3, 4]}))
    assert found.items.tolist() == ["q0", "q1"]
    assert any(
        "that differ only by spaces or invisible characters are one: 'q0 ' and 'q0'" in note for note in found.notes
    )


def test_free_text_is_said_to_be_free_text(tmp_path, howsure):
    def answer(i, model):
        return f"the answer to question number {i % 600} is that of {model if i % 3 else 'everyone'}"

    rows = [f"q{i},{m},{answer(i, m)}" for i in range(1500) for m in ("gold", "m", "n")]
    path = tmp_path / "t.csv"
    path.write_text("item,source,value\n" + "\n".join(rows))
    asked = ("compare", path, "--gold", "gold", "--a", "m", "--b", "n", "--labels", "exact")
    done = howsure(*asked)
    assert done.returncode == 1
    assert "this looks like free text" in done.stderr
    done = howsure(*asked, "--scale", "nominal")
    assert done.returncode == 0
    assert (
        "The values are free text: two answers are alike only if they are spelled alike." in done.stdout.split("┏")[0]
    )


def default_ignorable():
    """Return every default-ignorable code point (DerivedCoreProperties.txt of Unicode 15 and 16)."""
    ranges = (
        "00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 "
        "FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
    )
    ends = [[int(end, 16) for end in part.split("-")] for part in ranges.split()]
    return [chr(code) for each in ends for code in range(each[0], each[-1] + 1)]


def test_no_default_ignorable_code_point_makes_another_label_or_another_model():
    marks = default_ignorable()
    assert len(marks) == 4174
    items = [f"q{i}" for i in range(len(marks))]
    rows = {"item": items * 2, "source": [f"a{mark}b" for mark in marks] + ["b"] * len(marks)}
    result = read(pl.DataFrame({**rows, "value": [f"ye{mark}s" for mark in marks] + ["no"] * len(marks)}))
    assert set(result.sources) == {"ab", "b"}
    assert set(result.scale.labels) == {"yes", "no"}
    assert any(note.startswith("Invisible characters are removed from 4,174 cells") for note in result.notes)
