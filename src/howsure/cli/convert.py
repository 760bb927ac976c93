"""`howsure convert`: write logs, exports and tables as one tidy table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from howsure._fields import Checked, like, option
from howsure.cli import _ask, _options
from howsure.questions.table_fields import TableFields

if TYPE_CHECKING:
    from howsure.response_tables import ResponseTable


@dataclass(frozen=True, kw_only=True)
class Convert(TableFields, Checked):
    """What is read, and where it is written."""

    out: str = option(help="The file to write: .csv, .tsv, .jsonl or .parquet.")
    force: bool = like(_ask.Output, "force", group="")


def command() -> click.Command:
    """Return the command."""
    said = "Write logs, exports and tables as one tidy table: one response per row.\n\n\b\nExample: "
    return _options.command_of(
        "convert", Convert, write, f"{said}howsure convert logs/*.eval ratings.json --out table.parquet"
    )


def write(asked: Convert) -> None:
    """Read the files and write the table."""
    from howsure import _files, io
    from howsure.cli._ask import say
    from howsure.io.file_names import named_files
    from howsure.io.writing import WRITERS

    inputs = [file.path for file in named_files(asked.files)]
    _files.check_outputs({"out": asked.out}, inputs=inputs, endings={"out": tuple(WRITERS)}, force=asked.force)
    table = asked.table()
    io.write(table, asked.out)
    say(f"{asked.out}: {table}")
    for note in (*table.notes, *_direction(table)):
        say(f"Note: {_options.as_options(note)}")


def _direction(table: "ResponseTable") -> list[str]:
    """Say what a tidy table cannot say: that lower values are better."""
    if table.better != "lower":
        return []
    return ["Lower values are better, as the data say. A table cannot say this: compare it with `better='lower'`."]
