"""Run the examples of README and docs and write down what they print: scripts/refresh_docs.py [--whole] [PAGE ...].

Expected output that already matches is left as it is, and so is output with an ellipsis: the page shows a part of it on
purpose, so a person has to choose the part again, or have all of it with --whole. Read the diff before committing it.
"""

import doctest
import os
import sys
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHOLE = "--whole" in sys.argv
sys.path.insert(0, str(ROOT))

from tests.test_docs import BLOCK, CHECK, FLAGS, PAGES, commands, in_a_shell  # noqa: E402


def refresh(page: Path) -> None:
    """Rewrite the examples of one page."""
    names: dict[str, object] = {"__name__": "docs"}
    text = page.read_text(encoding="utf-8")
    for kind, block in BLOCK.findall(text):
        new = _python(block, names) if kind == "python" else _console(block, page)
        text = text.replace(f"```{kind}\n{block}```", f"```{kind}\n{new}```")
    page.write_text(text, encoding="utf-8")


def _console(block: str, page: Path) -> str:
    for command, expected in commands(block):
        shown = in_a_shell(command)[1]
        if not expected or CHECK.check_output(expected, shown, FLAGS):
            continue
        if "..." in expected and not WHOLE:
            print(f"{page.name}: choose again what to show of: {command}")
            continue
        block = block.replace(expected, "\n".join(line.rstrip() for line in shown.splitlines()), 1)
    return block


def _python(block: str, names: dict[str, object]) -> str:
    if ">>>" not in block:
        exec(compile(block, "docs", "exec"), names)
        return block
    for example in doctest.DocTestParser().get_examples(block):
        said = StringIO()
        with redirect_stdout(said):
            exec(compile(example.source, "docs", "single"), names)
        if not CHECK.check_output(example.want, said.getvalue(), FLAGS) and "..." not in example.want:
            block = block.replace(example.want, said.getvalue(), 1)
    return block


if __name__ == "__main__":
    os.environ["COLUMNS"] = "120"
    for page in [Path(name).resolve() for name in sys.argv[1:] if name != "--whole"] or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            refresh(page)
            os.chdir(ROOT)
