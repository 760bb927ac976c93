"""Tables of a document as CSV, one by one."""

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from howsure.cli.app import app
from howsure.documents import Column, Document, Table
from howsure.documents.csv_tables import tables


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
