"""`howsure demo`: from simulated ratings to a verdict, a leaderboard, a plan and a report."""

import shlex
import webbrowser
from dataclasses import dataclass
from pathlib import Path

import click

from howsure._fields import Checked, option
from howsure.cli import _commands
from howsure.cli._ask import say
from howsure.errors import ArgumentError

STEPS = (
    ("Simulated ratings: five people and two models on 200 items.", "howsure example ratings.csv"),
    ("What can be done with this file?", "howsure doctor ratings.csv"),
    (
        "Is model-2 really better than model-1?",
        "howsure compare ratings.csv --gold human --a model-2 --b model-1 --report report.html",
    ),
    ("Which model may be the best?", "howsure leaderboard ratings.csv --gold human"),
    (
        "How large must a study be to find a difference of 0.1?",
        "howsure plan ratings.csv --gold human --a model-2 --b model-1 --difference 0.1",
    ),
)
"""What is asked, and the command that answers it, as a reader would type it in the folder of the demo."""


@dataclass(frozen=True, kw_only=True)
class Demo(Checked):
    """Where the demo leaves its files."""

    folder: str = option("howsure-demo", "New folder for the files of the demo.", metavar="FOLDER", positional=True)
    browser: str = option("open", "Open the report in the browser, or only write it.", choices=("open", "none"))


def demo() -> click.Command:
    """Return the command that runs the demo."""
    said = "Run the main commands on simulated ratings; write a report."
    examples = ("howsure demo", "howsure demo tour --browser none")
    return _commands.command_of("demo", Demo, run, said, examples)


def run(asked: Demo) -> None:
    """Run each command in a new folder, as if it had been typed there, and open the report."""
    folder = Path(asked.folder)
    if folder.exists():
        raise ArgumentError(f"{folder} exists already. Give the folder of the demo another name: howsure demo NAME.")
    folder.mkdir(parents=True)
    files = {name: str(folder / name) for name in ("ratings.csv", "report.html")}
    for question, command in STEPS:
        say(f"\n# {question}")
        typed = " ".join(files.get(word, word) for word in command.split())
        say(f"$ {typed}")
        _commanded(typed)
    say(f"\nThe report is {folder / 'report.html'}. Try it on your own file: howsure doctor YOUR-FILE.csv")
    if asked.browser == "open":
        webbrowser.open((folder / "report.html").resolve().as_uri())


def _commanded(typed: str) -> None:
    from howsure.cli.app import app

    app.main(shlex.split(typed)[1:], prog_name="howsure", standalone_mode=False)
