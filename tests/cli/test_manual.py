"""Every option and page that docs/how-to/nlpstattest.md names for a field of NLPStatTest's manual is there."""

import re
from pathlib import Path

import click
import pytest

from howsure.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "nlpstattest.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| (?:`howsure (.+?)`|–) \| `(/.+?)` \|$", PAGE, re.MULTILINE)


def test_every_row_is_read():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| manual")]
    assert len(ROWS) == len(rows) > 30


@pytest.mark.parametrize(
    ("field", "words"), [row[:2] for row in ROWS if row[1]], ids=[row[0] for row in ROWS if row[1]]
)
def test_the_option_of_a_field(field, words):
    command, context = app, click.Context(app)
    names = words.split()
    while isinstance(command, click.Group):
        command = command.get_command(context, names.pop(0))
    known = {text for parameter in command.params for text in (*parameter.opts, parameter.name.upper())}
    assert set(names) <= known


def test_the_pages_of_the_fields():
    pages = pytest.importorskip("howsure.web.pages")
    assert {page for _, _, page in ROWS} <= {route.path for route in pages.router().routes}
