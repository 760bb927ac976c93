"""The listing that opens docs/design.md is the tree, and a name tells its room."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "assay"
LISTING = (ROOT / "docs" / "design.md").read_text(encoding="utf-8").split("```")[1].removeprefix("\nsrc/assay/\n")


def test_the_listing_names_everything_at_the_top():
    top = {path.name + "/" * path.is_dir() for path in SOURCE.iterdir() if not path.name.startswith(("__", "py.typed"))}
    named = {word for line in LISTING.splitlines() for word in re.findall(r"(\w+(?:\.py\b|/))", re.split(r"\s{3,}", line[2:])[0])}
    assert named == top


def test_rooms_that_the_listing_names_exist():
    for line in LISTING.splitlines():
        package = SOURCE / line.split()[0]
        inside = re.findall(r"\((\*\*)?(\w+)(?:\*\*)?(?:, .*)?\)", line) if package.is_dir() else []
        for _, name in inside:
            assert list(package.rglob(f"{name}.py")) or name == "the", f"{package.name} has no {name}"
        for name in re.findall(r"; (\w+)/", line):
            assert (package / name).is_dir(), f"{package.name} has no {name}/"
