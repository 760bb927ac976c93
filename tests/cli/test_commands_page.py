"""The page of commands in the docs is the help of the commands."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_commands_is_up_to_date():
    made = runpy.run_path(str(ROOT / "scripts" / "commands_page.py"))["page"]()
    shown = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert shown == made, "run scripts/commands_page.py"
