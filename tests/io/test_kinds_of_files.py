"""Workbooks, European CSV, packed files and standard input are read as the plain CSV is."""

import gzip
import subprocess
import sys

import openpyxl
import pytest

from howsure import DataError, read
from howsure.io import packed
from howsure.io.text_files import read_whole
from tests.io.same import assert_same

ROWS = [["Ticket ID", "Bot", "Rating"], ["T1", "a", 3.5], ["T1", "b", 2], ["T2", "a", 4.5], ["T2", "b", 1]]


@pytest.fixture
def plain(tmp_path):
    (tmp_path / "plain.csv").write_text("\n".join(",".join(map(str, row)) for row in ROWS))
    return tmp_path / "plain.csv"


def test_semicolons_and_decimal_commas(tmp_path, plain):
    path = tmp_path / "european.csv"
    path.write_text("\n".join(";".join(str(cell).replace(".", ",") for cell in row) for row in ROWS))
    table = read(path)
    assert_same(table, read(plain))
    assert "The cells of european.csv are separated by ';'." in table.notes
    assert "Numbers are read with a decimal comma: '3,5' is 3.5." in table.notes


def test_utf16_of_excel(tmp_path, plain):
    path = tmp_path / "excel.csv"
    path.write_bytes("\n".join("\t".join(map(str, row)) for row in ROWS).encode("utf-16"))
    table = read(path)
    assert_same(table, read(plain))
    assert "excel.csv is read as UTF-16, as its first bytes say." in table.notes


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(tmp_path, plain, encoding):
    path = tmp_path / "excel.csv"
    path.write_bytes("\n".join("\t".join(map(str, row)) for row in ROWS).encode(encoding))
    table = read(path)
    assert_same(table, read(plain))
    note = f"excel.csv is read as {encoding}: every second byte at its beginning is zero (else name its `encoding`)."
    assert note in table.notes
    with pytest.raises(DataError, match=f"say so with `encoding='{encoding}'`"):
        read_whole(path)


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_packed_files(tmp_path, plain, ending):
    path = tmp_path / f"plain.csv{ending}"
    pack = gzip.compress if ending == ".gz" else packed._zstd().compress
    path.write_bytes(pack(plain.read_bytes()))
    assert_same(read(path), read(plain))
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(DataError, match=r"plain.csv.* cannot be unpacked \("):
        read(path)


def test_a_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"0" * (packed.SMALL + 2**20)))
    with pytest.raises(DataError, match="expands to far more than its size"):
        read(path)


def test_standard_input(plain):
    for text in (plain.read_text(), plain.read_text().replace(",", "\t")):
        done = subprocess.run(
            [sys.executable, "-m", "howsure", "compare", "-"], input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "a and b: mean rating 4.0 vs 1.5" in done.stdout


def book(path, *sheets):
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets:
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    workbook.save(path)
    return workbook


def test_a_workbook(tmp_path, plain):
    book(tmp_path / "t.xlsx", ("first", [[], *ROWS]), ("second", ROWS[:3]))
    table = read(tmp_path / "t.xlsx")
    assert_same(table, read(plain))
    assert "Sheet 'first' of t.xlsx is read; also there: second (`sheet`)." in table.notes
    assert read(tmp_path / "t.xlsx", sheet="second").n_items == 1
    with pytest.raises(DataError, match=r"t.xlsx has no sheet 'secnd'; it has first, second. Did you mean 'second'"):
        read(tmp_path / "t.xlsx", sheet="secnd")
    with pytest.raises(DataError, match="is no workbook, so it has no sheet"):
        read(plain, sheet="x")


def test_a_cell_of_a_workbook_is_named_by_its_row(tmp_path):
    book(tmp_path / "t.xlsx", ("s", [*ROWS, ["T3", "a", "n.v."]]))
    with pytest.raises(DataError, match=r"t.xlsx, row 6, column 'Rating': 'n.v.' is not a number"):
        read(tmp_path / "t.xlsx")


def test_merged_cells_have_their_value_everywhere(tmp_path):
    workbook = book(tmp_path / "t.xlsx", ("s", [ROWS[0], ["T1", "a", 3], [None, "b", 2]]))
    workbook["s"].merge_cells("A2:A3")
    workbook.save(tmp_path / "t.xlsx")
    table = read(tmp_path / "t.xlsx")
    assert table.items.tolist() == ["T1"]
    assert "1 merged ranges are filled with their value." in table.notes


def test_what_is_no_workbook(tmp_path):
    for content in (b"", b"x", b"PK\x03\x04 nonsense"):
        (tmp_path / "t.xlsx").write_bytes(content)
        with pytest.raises(DataError, match=r"t.xlsx is not a readable workbook \("):
            read(tmp_path / "t.xlsx")
