import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import ArgumentError, DataError, Responses, ResponseTable, Scale
from howsure.io import binary_files, read, write
from howsure.io.notations import without_invisible
from tests.io.same import assert_same

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=6
)


def visible(text):
    """Return a text without the characters that nobody sees, as reading returns it."""
    return without_invisible(pl.Series([text.strip()]))[0] or ""


IDS = NAMES.map(lambda name: visible(name).strip()).filter(bool)
MISSING = {"na", "n/a", "nan", "null", "none", "inf", "infinity"}  # alone in a column, these are missing or no numbers
LABELS = (
    NAMES.filter(str.strip)
    .filter(lambda text: visible(text) == text.strip())
    .filter(
        lambda text: not any(letter.isdigit() for letter in text) and text.strip().lower().lstrip("+-") not in MISSING
    )
)
NUMBERS = st.integers(-3, 9) | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def tables(draw):
    items = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    names = draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
    raters = tuple(draw(st.lists(IDS, min_size=1, max_size=3, unique=True)))
    sizes = [draw(st.lists(st.integers(0, 3), min_size=len(items), max_size=len(items))) for _ in names]
    sizes[0][0] = max(1, sizes[0][0])
    total = int(np.sum(sizes))
    words = draw(st.booleans())
    written = draw(st.lists(LABELS if words else NUMBERS, min_size=total, max_size=total))
    scale = Scale.of(written)
    values = np.split(scale.encode(written), np.cumsum([sum(own) for own in sizes])[:-1])
    sources = {}
    for name, own, answers in zip(names, sizes, values, strict=True):
        codes = draw(st.none() | st.lists(st.integers(0, len(raters) - 1), min_size=sum(own), max_size=sum(own)))
        rated = None if codes is None or not codes else np.array(codes)
        sources[name] = Responses(answers, np.concatenate([[0], np.cumsum(own)]), rated)
    groups = {"topic": np.array(draw(st.lists(st.just("") | IDS, min_size=len(items), max_size=len(items))))}
    groups = groups if draw(st.booleans()) else {}
    has_raters = any(source.raters is not None for source in sources.values())
    return ResponseTable(np.array(items), sources, scale, groups, raters if has_raters else ())


@pytest.fixture(scope="module", autouse=True)
def trusted():
    """Files that are written here are sound: they are not tried in a process of their own first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binary_files, "_trial", lambda *_: (None, 0, 0))
        yield


@given(table=tables())
def test_what_is_written_is_read_back(table):
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("csv", "tsv", "jsonl", "parquet"):
            path = Path(folder) / f"table.{ending}"
            write(table, path)
            assert_same(read(path, groups=list(table.groups), labels="exact"), table)


def test_parquet_keeps_the_order_of_labels(tmp_path):
    scale = Scale.of(["low", "high"], order=["low", "mid", "high"])
    table = ResponseTable(np.array(["q1"]), {"s": Responses([2.0, 0.0], [0, 2])}, scale)
    write(table, tmp_path / "t.parquet")
    assert_same(read(tmp_path / "t.parquet"), table)
    write(table, tmp_path / "t.csv")
    assert_same(read(tmp_path / "t.csv", order=["low", "mid", "high"]), table)


def test_an_unknown_ending_a_missing_folder_and_a_blank_label_are_refused(tmp_path):
    table = ResponseTable(np.array(["q1"]), {"s": Responses([0.0], [0, 1])}, Scale("nominal", (0.0,), ("a",)))
    with pytest.raises(DataError, match=r"the ending '\.xlsx' is not one that can be written \(\.csv, "):
        write(table, "t.xlsx")
    with pytest.raises(DataError, match=r"t\.csv cannot be written: there is no folder"):
        write(table, tmp_path / "nowhere" / "t.csv")
    blank = ResponseTable(table.items, table.sources, Scale("nominal", (0.0,), (" ",)))
    with pytest.raises(DataError, match="a label is blank"):
        write(blank, tmp_path / "t.csv")


def test_a_group_with_the_name_of_a_column_is_refused():
    table = ResponseTable(
        np.array(["q1"]), {"s": Responses([0.0], [0, 1])}, Scale("nominal", (0.0,), ("a",)), {"value": np.array(["x"])}
    )
    with pytest.raises(DataError, match="a group cannot be called 'value'"):
        table.to_frame()


def test_a_file_is_replaced_only_by_force(tmp_path):
    """The table that is written has no columns but those that howsure uses: the file that was read is worth more."""
    path = tmp_path / "own.csv"
    path.write_text("item,model,score,comment\nq1,x,1,good\nq2,x,2,bad\n")
    before = path.read_bytes()
    table = read(path)
    with pytest.raises(ArgumentError, match=r"own.csv exists already; name another file, or add `force=True`"):
        write(table, path)
    assert path.read_bytes() == before
    write(table, path, force=True)
    assert path.read_text().splitlines()[0] == "item,source,repeat,value"
