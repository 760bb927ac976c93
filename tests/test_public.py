"""Every public name is documented: it has a docstring, and the page of names is up to date."""

import runpy
from pathlib import Path

import pytest

import howsure

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", howsure.__all__)
def test_public_names_have_a_docstring(name):
    assert (getattr(howsure, name).__doc__ or "").strip()


def test_the_page_of_names_is_up_to_date():
    made = runpy.run_path(str(ROOT / "scripts" / "library_page.py"))["page"]()
    shown = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert shown == made, "run python scripts/library_page.py"
