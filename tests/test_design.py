"""The listing that opens docs/contributing/design.md is the tree, and a name tells its room."""

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "howsure"
LISTING = (
    (ROOT / "docs" / "contributing" / "design.md")
    .read_text(encoding="utf-8")
    .split("```")[1]
    .removeprefix("\nsrc/howsure/\n")
)


def test_the_listing_names_everything_at_the_top():
    top = {
        path.name + "/" * path.is_dir()
        for path in SOURCE.iterdir()
        if not path.name.startswith(("__", "py.typed")) and path.suffix != ".pyi"
    }
    named = {
        word
        for line in LISTING.splitlines()
        for word in re.findall(r"(\w+(?:\.py\b|/))", re.split(r"\s{3,}", line[2:])[0])
    }
    assert named == top


def test_rooms_that_the_listing_names_exist():
    for line in LISTING.splitlines():
        package = SOURCE / line.split()[0]
        inside = re.findall(r"\((\*\*)?(\w+)(?:\*\*)?(?:, .*)?\)", line) if package.is_dir() else []
        for _, name in inside:
            assert list(package.rglob(f"{name}.py")) or name == "the", f"{package.name} has no {name}"
        for name in re.findall(r"; (\w+)/", line):
            assert (package / name).is_dir(), f"{package.name} has no {name}/"


FACES = {"audit", "compare", "describe", "fit", "leaderboard", "plan", "replicate", "scores", "simulate", "sweep"}
FACES |= {"gate", "power", "reliability", "score"}
"""A question, its command, its chart and its account have the name of the verb."""
ACCOUNTED = {"agreement"}
"""A result that has no question of its own, and its account."""
SAME_IDEA = {
    "base",
    "document",
    "app",
    "tasks",
    "request",
    "result",
    "results",
    "comparing",
    "units",
    "raters",
    "responses",
}
SAME_IDEA |= {"bootstrap", "labels", "ranks", "comparing", "units"}
"""The same thing of several rooms. A `ratings` is a family of metrics and a paper's name."""


def test_a_module_is_told_apart_by_its_name():
    rooms = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        if path.name != "__init__.py":
            rooms[path.stem].append(path)
    assert {name for name, paths in rooms.items() if len(paths) > 1} == FACES | ACCOUNTED | SAME_IDEA | {"ratings"}


def test_a_class_is_told_apart_by_its_name():
    rooms = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for name in re.findall(r"^ *class (\w+)", path.read_text(encoding="utf-8"), re.M):
            rooms[name].append(path)
    twice = {name: paths for name, paths in rooms.items() if len(paths) > 1}
    assert set(twice) == {"Audit", "Fit", "Leaderboard", "Plan", "Reliability"}
    for paths in twice.values():  # a question and its answer
        assert [path.parent.name for path in paths].count("questions") == 1


def test_the_formatter_lays_out_nearly_everything():
    skipped = sum(path.read_text(encoding="utf-8").count("# fmt: skip") for path in SOURCE.rglob("*.py"))
    assert skipped < 40  # tables of data, which would be ten lines longer or more
