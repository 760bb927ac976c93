"""Every public name is documented: it has a docstring, and the page of names is up to date."""

import runpy
from pathlib import Path

import pytest

import howsure

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", howsure.__all__)
def test_public_names_have_a_docstring(name):
    assert (getattr(howsure, name).__doc__ or "").strip()


@pytest.mark.parametrize(("page", "make"), [("python.md", "page"), ("api.md", "full_page")])
def test_the_pages_of_names_are_up_to_date(page, make):
    made = runpy.run_path(str(ROOT / "scripts" / "library_page.py"))[make]()
    shown = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
    assert shown == made, "run python scripts/library_page.py"
