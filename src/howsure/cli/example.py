"""`howsure example`: write simulated data, so that there is something to try the other commands on."""

from dataclasses import dataclass

import click

from howsure._fields import Checked, like, option
from howsure.cli import _ask, _commands


@dataclass(frozen=True, kw_only=True)
class Example(Checked):
    """What is written, and where."""

    out: str = option(
        "ratings.csv",
        "File to write: .csv, .tsv, .jsonl or .parquet; scores: .txt, .tsv or .csv.",
        metavar="FILE",
        positional=True,
    )
    kind: str = option(
        "ratings",
        "Human and model ratings, or scores of two systems without (h0) or with (h1) a difference.",
        choices="howsure.examples:EVERY_KIND",
    )
    force: bool = like(_ask.Output, "force", group="")


def command() -> click.Command:
    """Return the command."""
    said = "Write simulated ratings or scores to try the commands on."
    examples = ("howsure example ratings.csv", "howsure example scores.txt --kind h1-greater-beta")
    return _commands.command_of("example", Example, write, said, examples)


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
