"""Every kind of result fits a terminal of 80 columns, whatever its models are called."""

import pytest

from howsure.documents import Code
from howsure.documents.text import NOTES, cell_width, render
from tests.reports.results import MADE, made


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("kind", MADE)
def test_every_line_fits_but_commands_and_the_signature(kind, width):
    document = made(kind).document()
    commands = [line for block in document.blocks if isinstance(block, Code) for line in block.text.splitlines()]
    shown = render(document, width=width, wrap=True).splitlines()
    wide = [line for line in shown if cell_width(line) > width and line != document.signature]
    assert [line for line in wide if line.strip() not in commands] == []


@pytest.mark.parametrize("kind", MADE)
def test_a_short_result_has_few_notes_and_says_no_more_than_the_whole(kind):
    document = made(kind).document()
    short, whole = (render(document, verbose=verbose) for verbose in (False, True))
    assert sum(line.startswith("Note: ") for line in short.splitlines()) <= NOTES
    assert len(short.splitlines()) <= len(whole.splitlines())
