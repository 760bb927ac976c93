"""Make docs/reference/python.md, every public name with the first line of its docstring, and api.md, functions in full.

python scripts/library_page.py
"""

import inspect
from pathlib import Path

import howsure

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "python.md"
HEAD = """# Python library

Made by `python scripts/library_page.py` from the docstrings; `help(howsure.compare)` lists every option.
"""


FULL = PAGE.with_name("api.md")
FULL_HEAD = """# Python functions in full

Made by `python scripts/library_page.py`; Sphinx fills in the docstrings. `help(howsure.compare)` prints the same.
"""


def kind_of(thing: object) -> str:
    """Return under which heading a public name stands."""
    if inspect.ismodule(thing):
        return "Modules"
    if inspect.isclass(thing):
        return "Errors and warnings" if issubclass(thing, Exception) else "Types"
    return "Functions"


def page() -> str:
    """Return the page."""
    groups: dict[str, list[str]] = {"Functions": [], "Types": [], "Modules": [], "Errors and warnings": []}
    for name in howsure.__all__:
        thing = getattr(howsure, name)
        first = (inspect.getdoc(thing) or "").split("\n")[0].replace("|", "\\|")
        groups[kind_of(thing)].append(f"| `howsure.{name}` | {first} |")
    tables = (f"\n## {group}\n\n| name | what it is |\n|---|---|\n" + "\n".join(rows) for group, rows in groups.items())
    return HEAD + "\n".join(tables) + "\n"


def full_page() -> str:
    """Return the page on which Sphinx writes each function with all its options."""
    functions = [name for name in howsure.__all__ if kind_of(getattr(howsure, name)) == "Functions"]
    blocks = (f"\n```{{eval-rst}}\n.. autofunction:: howsure.{name}\n```\n" for name in functions)
    return FULL_HEAD + "".join(blocks)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    FULL.write_text(full_page(), encoding="utf-8")
