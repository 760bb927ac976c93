"""Tables of a document as CSV, one by one."""

import csv
import io
from pathlib import Path

import polars
import pytest
from click.testing import CliRunner

from howsure.cli.app import app
from howsure.documents import Column, Document, Table
from howsure.documents.csv_tables import from_frame, tables
from howsure.questions import Compare
from howsure.reports.output import write_report
from howsure.web.shown import frozen


def test_every_table_keeps_its_values_and_intervals_become_two_columns():
    columns = (Column("test"), Column("p", "pvalue"), Column("interval", "interval"))
    first = Table(columns, (("t, paired", 0.123456789, (0.1, 0.3)), ("sign", None, None)), "Tests")
    second = Table((Column("n", "count"),), ((12345,),), "Tests")
    found = tables(Document("Scores", (first, second)))
    assert [*found] == ["tests", "tests-2"]
    rows = [*csv.reader(found["tests"].splitlines())]
    assert rows == [["test", "p", "interval low", "interval high"], ["t, paired", "0.123456789", "0.1", "0.3"],
                    ["sign", "", "", ""]]  # fmt: skip
    assert found["tests-2"] == "n\n12345\n"


@pytest.mark.parametrize("step", ["describe", "test", "effect"])
def test_steps_of_scores_write_their_tables_one_by_one(tmp_path, step):
    (tmp_path / "scores.txt").write_text("".join(f"{i % 5} {i % 3 + 0.5}\n" for i in range(15)))
    asked = ["scores", step, str(tmp_path / "scores.txt"), "--report", str(tmp_path / "out.csv")]
    said = CliRunner().invoke(app, asked, catch_exceptions=False).stdout
    files = said.splitlines()[-1].removeprefix("Report: ").split(", ")
    assert files
    for file in files:
        rows = [*csv.reader(Path(file).read_text(encoding="utf-8").splitlines())]
        assert len(rows) > 1
        assert len({len(row) for row in rows}) == 1


EVIL = ("=HYPERLINK(1)", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\t1", "\r=1", "\r\n=1")
INSIDE = "a\r=1+1"
"""A carriage return inside a cell must not begin a row."""


def test_no_cell_is_a_formula_and_numbers_stay_numbers():
    titles = tuple(Column(name) for name in ("=title", "number", "typed"))
    page = Document("Models", (Table(titles, tuple((name, -0.5, "-0.5") for name in (*EVIL, INSIDE))),))
    [text] = tables(page).values()
    frame = polars.DataFrame({"=title": (*EVIL, INSIDE), "number": -0.5, "typed": "-0.5"}).with_columns(lists=[1])
    for written in (text, from_frame(frame)):
        first, *rows = csv.reader(io.StringIO(written, newline=""))
        assert first == ["'=title", "number", "typed"]
        shown = [*("'" + name.replace("\r\n", "\n").replace("\r", "\n") for name in EVIL), "a\n=1+1"]
        assert rows == [[name, "-0.5", "-0.5"] for name in shown]


def test_reports_and_downloads_of_hostile_names_have_no_formulas(tmp_path):
    names = ("=1+1", "@b", "+c")
    rows = [f"i{i},{name},{(i * (k + 1)) % 5}" for i in range(20) for k, name in enumerate(("human", *names))]
    (tmp_path / "r.csv").write_text("\n".join(["item,source,value", *rows]), encoding="utf-8")
    asked = Compare(files=(str(tmp_path / "r.csv"),), gold="human", a=names[0], b=names[1], metric=("mae",))
    found = asked.answer()
    write_report(found, str(tmp_path / "out.csv"), asked)
    written = (tmp_path / "out.csv").read_text(encoding="utf-8")
    tables = frozen(found, asked, "compare")["tables"]
    assert set(tables) == {"table", "items"}
    for text in (written, *tables.values()):
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert any("=1+1" in cell for cell in cells)
        assert not [cell for cell in cells if cell.startswith(("=", "@", "+"))]
