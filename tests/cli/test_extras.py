"""How a missing optional part is installed: from a clone, because the package is on no index."""

from pathlib import Path

from howsure.errors import needs_extra

ROOT = Path(__file__).parents[2]


def test_a_missing_extra_is_installed_from_a_clone():
    assert "In a clone of howsure: pip install '.[web]'" in str(needs_extra("the web page", "web"))


def test_nothing_says_that_the_package_can_be_installed_from_an_index():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/howsure/**/*.py"), ROOT / "action.yml"]
    for page in pages:
        if page.name in ("CHANGELOG.md", "RELEASING.md"):
            continue
        text = page.read_text(encoding="utf-8")
        assert "pip install howsure" not in text, page
        assert "howsure[" not in text, page
