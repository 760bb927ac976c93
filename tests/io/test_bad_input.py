"""Every bad input as a user meets it: one line that names the place and the remedy."""
# ruff: noqa: E501 (messages are shown as they are, in one line)

import os
import pickle

import pytest

from howsure import DataError
from howsure.io import read

HEADER = "item,source,value\n"
NOT_UTF8 = "{path} is not UTF-8 text: byte 24 is 0xe9. Save it as UTF-8, or name its encoding: `encoding='cp1252'` for most files that Windows wrote."

TEXT_FILES = {
    "empty": (b"", "{path} is empty."),
    "blank": (b"\n\n  \n", "{path} has columns (column 1) but no rows."),
    "header only": (HEADER.encode(), "{path} has columns (item, source, value) but no rows."),
    "NUL": (b"item,source,value\nq1,s,\0\n", "{path} is a binary file (NUL at byte 23), not text."),
    "not UTF-8": (b"item,source,value\nq1,caf\xe9,1\n", NOT_UTF8),
    "cut character": (b"item,source,value\nq1,caf\xc3", "{path} is not UTF-8 text: it ends in the middle of a character."),
    "too few cells": (
        b"item,source,value\nq1,s,1\nq2,s\n",
        "{path}, line 3 has 2 cells, but the header has 3 columns. "
        "Fix the line; a cell that contains the separator needs quotes.",
    ),
    "too many cells": (
        b"item,source,value\nq1,s,1\nq2,s,1,2\nq3,s\n",
        "{path}, line 3 has 4 cells, but the header has 3 columns. "
        "Fix the line; a cell that contains the separator needs quotes.",
    ),
    "open quote": (
        b'item,source,value\nq1,s,1\nq2,"s,1\nq3,s,1\n',
        "{path}, line 3 cannot be read: a quote is opened and not closed. Fix the quotes.",
    ),
    "text after a quote": (
        b'item,source,value\n"q1"x,s,1\n',
        "{path}, line 2 cannot be read: ',' expected after '\"'. Fix the quotes.",
    ),
    "two columns of one name": (b"item,value,value\nq1,1,2\n", "{path}, line 1 has two columns called 'value'; rename one."),
    "no item column": (
        b"name,source,value\nq1,s,1\n",
        "{path}: no item column found; pass its name with `item` (columns: name, source, value).",
    ),
    "no source column": (
        b"item,value\nq1,1\n",
        "{path}: no source column found; pass its name with `source` (columns: item, value). If all rows are of one source, name it: sources='human' (human=FILE on the command line).",
    ),
    "ambiguous value": (
        b"item,source,score,label\nq1,s,1,2\n",
        "{path}: several columns look like the value (score, label); pass the name of one with `value`.",
    ),
    "missing item": (
        b"item,source,value\nq1,s,1\n ,s,2\n",
        "{path}, line 3, column 'item': the item is missing. Fill the cell or remove the row.",
    ),
    "missing source": (
        b"item,source,value\nq1,,1\n",
        "{path}, line 2, column 'source': the source is missing. Fill the cell or remove the row.",
    ),
    "a stray word": (
        b"item,source,value\nq1,s,1\nq2,s,2\nq3,s,tree\n",
        "{path}, line 4, column 'value': 'tree' is not a number, but 2 other values are. Fix or clear the cell, "
        "or treat all values as labels with `scale='nominal'`.",
    ),
    "a stray word after quoted lines": (
        b'item,source,value\n"q\n1",s,1\n\nq2,s,2\nq3,s,tree\n',
        "{path}, line 6, column 'value': 'tree' is not a number, but 2 other values are. Fix or clear the cell, "
        "or treat all values as labels with `scale='nominal'`.",
    ),
    "infinite": (
        b"item,source,value\nq1,s,1\nq2,s,-inf\n",
        "{path}, line 3, column 'value': -inf is not finite. Fix the cell, or leave it empty if missing.",
    ),
    "too large": (
        b"item,source,value\nq1,s,1\nq2,s,1e999\n",
        "{path}, line 3, column 'value': inf is not finite. Fix the cell, or leave it empty if missing.",
    ),
    "no value at all": (
        b"item,source,value\nq1,s,\nq2,s,\n",
        "there is no value at all: every cell is empty, from {path}, line 2, column 'value' on.",
    ),
    "one source in numbers, one in words": (
        b"item,source,value\nq1,s,yes\nq1,s,no\nq2,s,no\nq1,m,0.3\nq2,m,0.4\n",
        "m answers in numbers ({path}, line 5: '0.3') but s answers in labels ({path}, line 2: 'yes'). Read only "
        "sources of one kind (`sources`, or describe --only kind=human), bring them to one scale, or treat all values as "
        "labels with `scale='nominal'`.",
    ),
    "duplicate rater": (
        b"item,source,rater,value\nq1,s,ann,1\nq2,s,ann,1\nq1,s,ann,2\n",
        "{path}, line 4 repeats line 2: item q1 of s by rater ann. Remove one, or name the column that numbers "
        "them with `repeat`.",
    ),
    "duplicate repeat": (
        b"item,source,repeat,value\nq1,s,1,1\nq1,s,2,1\nq1,s,1,2\n",
        "{path}, line 4 repeats line 2: item q1 of s, repeat 1. Remove one.",
    ),
    "duplicate rater and repeat": (
        b"item,source,rater,repeat,value\nq1,s,ann,1,1\nq1,s,bob,1,2\nq1,s,ann,1,2\n",
        "{path}, line 4 repeats line 2: item q1 of s by rater ann, repeat 1. Remove one.",
    ),
    "a rater is missing": (
        b"item,source,rater,value\nq1,s,ann,1\nq1,s,,2\n",
        "{path}, line 3: the rater is missing, though other responses of s have one. Fill the cell, or leave raters out "
        "with an empty `rater`.",
    ),
}  # fmt: skip


def message(path, **options):
    with pytest.raises(DataError) as caught:
        read(path, **options)
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("case", TEXT_FILES)
def test_text_files(case, tmp_path):
    content, expected = TEXT_FILES[case]
    path = tmp_path / "ratings.csv"
    path.write_bytes(content)
    assert message(path) == expected.format(path=path)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"item": "itm"}, "{path} has no column 'itm'; it has item, source, value. Did you mean 'item'?"),
        ({"groups": ["slice"]}, "{path} has no column 'slice'; it has item, source, value."),
        ({"sources": {"h": "kind=human"}}, "{path} has no column 'kind'; it has item, source, value."),
        (
            {"sources": {"h": "source=hunan"}},
            "{path} has no row where source is 'hunan'; it has human, m. Did you mean 'human'?",
        ),
        (
            {"sources": {"h": "human", "one": "item=q1"}},
            "{path}, line 2 belongs to two sources, h (human) and one (item=q1); make the conditions exclude each other.",
        ),
        (
            {"scale": "continuous"},
            "{path}, line 2, column 'value': 'good' is not a number, so the scale cannot be continuous. Fix or clear "
            "the cell, or treat all values as labels with `scale='nominal'`.",
        ),
        (
            {"scale": "ordinal"},
            "{path}, line 2, column 'value': 'good' is not a number, so the scale cannot be ordinal. Labels need their "
            "order: `order='low,medium,high'`.",
        ),
        (
            {"order": ["bad", "godo"]},
            "{path}, line 2, column 'value': 'good' is not one of the labels in `order`: bad, godo. Did you mean 'godo'?",
        ),
    ],
)
def test_options_that_do_not_fit(options, expected, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(HEADER + "q1,human,good\nq2,m,bad\n")
    assert message(path, **options) == expected.format(path=path)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "{",
            "is not JSON (Expecting property name enclosed in double quotes, character 2); each line must be one object.",
        ),
        ("[1]", 'is not an object such as {"item": "q1", "value": 3}.'),
        ("[" * 100_000, "is not JSON (too deep); each line must be one object."),
    ],
)
def test_broken_json_lines(line, expected, tmp_path):
    path = tmp_path / "ratings.jsonl"
    path.write_text(f'{{"item": 1, "source": "s", "value": 1}}\n\n{line}\n')
    assert message(path) == f"{path}, line 3 {expected}"


def test_values_that_are_lists(tmp_path):
    path = tmp_path / "ratings.jsonl"
    path.write_text('{"item": 1, "source": "s", "value": 1}\n{"item": 1, "source": "s", "value": [1]}\n')
    assert message(path) == (
        f"{path}, line 2: 'value' is a list or an object, not one value. Name what is in it, such as value.label, or "
        "value.*.label for every entry of a list."
    )


def test_missing_file_directory_and_unknown_ending(tmp_path):
    (tmp_path / "ratings.csv").write_text(HEADER)
    with pytest.raises(FileNotFoundError) as caught:
        read(tmp_path / "rating.csv")
    assert str(caught.value) == f"there is no file {tmp_path}/rating.csv. Did you mean '{tmp_path}/ratings.csv'?"
    assert message(tmp_path).startswith(f"{tmp_path} holds no log and no table of responses (first: {tmp_path}/ratings")
    known = (
        "known endings: .csv, .tsv, .jsonl, .ndjson, .json, .parquet, .arrow, .feather, .ipc, .xlsx, .xlsm, .xls, "
        ".ods, each also with .gz or .zst."
    )
    for name, expected in {
        "ratings.docx": f"files that end in .docx cannot be read; {known}",
        "ratings": f"a file needs an ending that says its format; {known}",
    }.items():
        (tmp_path / name).write_text("x")
        assert message(tmp_path / name) == f"{tmp_path / name}: {expected}"


def test_unreadable_parquet_and_arrow(tmp_path):
    path = tmp_path / "ratings.parquet"
    path.write_bytes(b"")
    assert message(path) == f"{path} is not a readable Parquet file (it is empty)."
    path.write_bytes(b"item,value\n")
    assert message(path) == f"{path} is not a readable Parquet file (it starts with b'item,v')."
    path.write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
    assert message(path).startswith(f"{path} is not a readable Parquet file (")
    arrow = tmp_path / "ratings.arrow"
    for content in (b"ARROW1\0\0" + b"x" * 100, b"\xff\xff\xff\xff" + b"x" * 100):
        arrow.write_bytes(content)
        assert message(arrow).startswith(f"{arrow} is not a readable Arrow file (")


def test_a_pickle_is_never_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "trapped"),)

    for name in ("trap.csv", "trap.parquet", "trap.arrow", "trap.jsonl", "trap.pkl"):
        (tmp_path / name).write_bytes(pickle.dumps(Trap()))
        message(tmp_path / name)
    assert not (tmp_path / "trapped").exists()


def test_a_huge_line_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "ratings.csv"
    with path.open("wb") as file:
        file.write(HEADER.encode() + b"q1,s,1\n")
        for _ in range(17):
            file.write(b"7" * 2**20)
        file.write(b"\n")
    assert message(path) == f"{path}, line 3 is longer than 16 MB; a table of responses has shorter lines."


def test_an_unreadable_file(tmp_path):
    path = tmp_path / "ratings.csv"
    path.symlink_to(path)
    assert message(path) == f"{path} is a link that leads to no file."


def test_what_is_no_table_at_all():
    assert message(3) == "a table must be a path or a dataframe; got int."
    assert message(None) == "a table must be a path or a dataframe; got NoneType."
