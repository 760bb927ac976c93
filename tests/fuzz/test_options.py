"""Hostile values of every option of every command: an answer, or one line that says what is wrong.

`HOWSURE_FUZZ=20` tries as many values on each option, and a large number all of them.
"""

import os
import random
import signal
import sys
import warnings

import click
import pytest

from howsure.cli.app import app, main
from howsure.errors import HowsureWarning

N = int(os.environ.get("HOWSURE_FUZZ", "2"))
"""Values tried on each option."""
SECONDS = 60
VALUES = (
    "", " ", "-1", "0", "1", "2", "-0.0", "0.5", "1e-10", "5e-324", "1e308", "1e400", "nan", "inf", "-inf", "²",
    "1_000", "99999999999999999999", "1" * 5000, "true", "none", "x", "a,b", ",", "1,,2", "1:2:3", "=", "a=", "=b",
    "a=b=c", "*", "[/x]", "{0}", "%s", "\x1b[31m", "\u202eabc", "\udcff", "é", "e\u0301", "../../etc/passwd",
    "/dev/null/x", "/nonexistent/x.json", "x.html", "x.svg", "mae", "accuracy", "wins:mae", "human", "model-1", "item",
    "1-5", "1e3", "sign-flip", "0.999999999999", "100", "3.5", "-5,5", "low,high", "'", '"', "\\", "None", "[]",
    "{}", "0x10",
)  # fmt: skip
SAFE = ("--help", "--json", "--dask", "--store", "--workers")
"""Options that start processes or files of their own have tests of their own."""
BASES = {
    "compare": "ratings.csv --gold human --a model-1 --b model-2 --n-resamples 39",
    "leaderboard": "ratings.csv --gold human --n-resamples 39",
    "describe": "ratings.csv --n-resamples 39",
    "fit": "ratings.csv --gold human --mean beta --sd beta",
    "simulate": "normal --n-items 5 --n-responses 2",
    "plan": "normal --n-items 20,40 --n-responses 2 --n-simulations 200",
    "audit": "normal --n-items 5 --n-responses 2 --n-simulations 2 --n-resamples 9 --n-fresh 10",
    "replicate": "forest --table 3 --n-simulations 2",
    "power": "--n 20 --effect-size 0.5",
    "doctor": "ratings.csv",
    "convert": "ratings.csv",
    "example": "out.csv",
    "scores describe": "scores.txt", "scores test": "scores.txt", "scores analyse": "scores.txt",
    "scores effect": "scores.txt", "scores power": "scores.txt",
}  # fmt: skip


def options():
    """Return (command, option, whether it is a flag) of every command."""
    found = []
    for name in BASES:
        command, *below = name.split()
        of = app.get_command(click.Context(app), command)
        for word in below:
            of = of.get_command(click.Context(of), word) if of else None
        if of is None:
            continue
        found += [
            (name, parameter.opts[0], parameter.is_flag)
            for parameter in of.params
            if isinstance(parameter, click.Option) and parameter.opts[0] not in SAFE
        ]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a small table and a file of scores."""
    place = tmp_path_factory.mktemp("options")
    rng = random.Random(0)
    rows = ["item,source,response"]
    rows += [
        f"i{item},{source},{rng.randint(1, 5)}"
        for item in range(12)
        for source in ("human", "human", "model-1", "model-2")
    ]
    (place / "ratings.csv").write_text("\n".join(rows) + "\n")
    (place / "scores.txt").write_text("".join(f"{rng.random():.3f} {rng.random():.3f}\n" for _ in range(30)))
    return place


@pytest.mark.parametrize("name", BASES)
def test_hostile_options_get_an_answer_or_one_line(name, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    tried, broken = [option for option in options() if option[0] == name], []
    assert tried
    for number, (_, option, is_flag) in enumerate(tried):
        rng = random.Random(number)
        for value in [None] if is_flag else rng.sample(VALUES, min(N, len(VALUES))):
            words = [*name.split(), *BASES[name].split()]
            if option in words:
                at = words.index(option)
                del words[at : at + 2]
            words += [option] if value is None else [option, value]
            said = called(words, monkeypatch, capfd)
            if said:
                broken.append(f"{' '.join(words)[:150]!r}: {said}")
    assert not broken, "\n".join([f"{len(broken)} of {len(tried)} options", *broken])


def called(words, monkeypatch, capfd):
    """Return what is wrong with a command's answer, or ""."""

    def late(number, frame):
        raise TimeoutError(f"more than {SECONDS} s")

    monkeypatch.setattr(sys, "argv", ["howsure", *words])
    capfd.readouterr()
    handler = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", HowsureWarning)
            main()
        return "it came back"
    except SystemExit as end:
        out, err = capfd.readouterr()
        if "Traceback" in out + err:
            return "a traceback"
        if end.code in (0, None):
            return ""
        lines = [line for line in err.splitlines() if line.strip()]
        if end.code in (1, 2) and lines and lines[-1].startswith("howsure: ") and "\x1b" not in err:
            return ""
        return f"exit {end.code}, {lines[-1:]!r}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {str(error)[:200]!r}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
