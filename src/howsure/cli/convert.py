"""`howsure convert`: write logs, exports and tables as one tidy table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from howsure._fields import Checked, like, option
from howsure.cli import _ask, _commands, _options
from howsure.questions.table_fields import TableFields

if TYPE_CHECKING:
    from howsure.response_tables import ResponseTable


@dataclass(frozen=True, kw_only=True)
class Convert(TableFields, Checked):
    """What is read, and where it is written."""

    item: str | None = like(TableFields, "item", common=True)
    source: str | None = like(TableFields, "source", common=True)
    value: str | None = like(TableFields, "value", common=True)
    rater: str | None = like(TableFields, "rater", common=True)
    where: tuple[str, ...] = like(TableFields, "where", common=True)
    scorer: str | None = like(TableFields, "scorer", common=True)
    out: str = option(help="File to write: .csv, .tsv, .jsonl or .parquet.", metavar="FILE", common=True)
    force: bool = like(_ask.Output, "force", group="", common=True)


def command() -> click.Command:
    """Return the command."""
    said = "Convert logs, exports and tables to one tidy table.\n\nThe table has one response per row."
    examples = (
        "howsure convert ratings.csv --out ratings.parquet",
        "howsure convert ratings.csv --where topic=fiction --out fiction.jsonl",
    )
    return _commands.command_of("convert", Convert, write, said, examples)


def write(asked: Convert) -> None:
    """Read the files and write the table."""
    from howsure import _files, io
    from howsure.cli._ask import say
    from howsure.io.files import named_files
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
