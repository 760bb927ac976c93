"""`howsure example`: write simulated data, so that there is something to try the other commands on."""

from dataclasses import dataclass

import click

from howsure._fields import Checked, like, option
from howsure.cli import _ask, _options


@dataclass(frozen=True, kw_only=True)
class Example(Checked):
    """What is written, and where."""

    out: str = option(
        "ratings.csv",
        "The file to write: .csv, .tsv, .jsonl or .parquet; lists of scores: .txt, .tsv or .csv.",
        positional=True,
    )
    kind: str = option(
        "ratings",
        "A table of human and model ratings, or two lists of scores without (h0) or with (h1) a difference.",
        choices="howsure.examples:EVERY_KIND",
    )
    force: bool = like(_ask.Output, "force", group="")


def command() -> click.Command:
    """Return the command."""
    said = (
        "Write a small simulated table of ratings, or two lists of scores.\n\n\b\nExample: howsure example scores.txt "
    )
    return _options.command_of("example", Example, write, f"{said}--kind h1-greater-beta")


def write(asked: Example) -> None:
    """Write the example."""
    from howsure import _files, examples, io
    from howsure.cli._ask import say
    from howsure.paired import write_scores

    table = asked.kind == "ratings"
    endings = (".csv", ".tsv", ".jsonl", ".parquet") if table else (".txt", ".tsv", ".csv")
    _files.check_outputs({"out": asked.out}, endings={"out": endings}, force=asked.force)
    if table:
        ratings = examples.ratings()
        io.write(ratings, asked.out)
        say(f"{asked.out}: {ratings}")
        return
    scores = examples.scores(asked.kind)
    write_scores(scores, asked.out)
    say(f"{asked.out}: {scores}; {examples.KINDS[asked.kind]}")
