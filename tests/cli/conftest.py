"""What the tests of commands share."""

import sys

import pytest

from howsure.cli.app import main


@pytest.fixture
def command(monkeypatch, capfd):
    """Call `main` as the shell does; return (exit code, stdout, stderr)."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["howsure", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return (left.value.code or 0, *capfd.readouterr())

    return call
