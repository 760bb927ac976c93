"""README and docs are executed: python blocks run in order, console blocks must print what the page shows."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.M | re.S)
CHECK = doctest.OutputChecker()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(block):
    """Split a console block into (command, expected output)."""
    parts = re.split(r"^\$ ", block, flags=re.M)[1:]
    for part in parts:
        lines = part.splitlines()
        command = [lines.pop(0)]
        while command[-1].endswith("\\"):
            command.append(lines.pop(0))
        yield "\n".join(command), "\n".join(lines).strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_runs(page, tmp_path, monkeypatch):
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    if not blocks:
        pytest.skip("no example on this page")
    monkeypatch.chdir(tmp_path)
    scripts = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120"}
    names = {"__name__": "docs"}
    for kind, block in blocks:
        if kind == "python" and ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            runner = doctest.DocTestRunner(optionflags=FLAGS)
            said = []
            runner.run(test, out=said.append, clear_globs=False)
            names = test.globs
            assert not runner.failures, "".join(said)
        elif kind == "python":
            exec(compile(block, str(page), "exec"), names)
        else:
            for command, expected in commands(block):
                done = subprocess.run(
                    command, shell=True, env=environment, capture_output=True, text=True, timeout=300, check=False
                )
                shown = (done.stdout + done.stderr).strip()
                assert "Traceback" not in shown
                assert done.returncode == 0 or expected.startswith("assay:"), f"$ {command}\n{shown}"
                if expected:
                    assert CHECK.check_output(expected, shown, FLAGS), f"$ {command}\n{shown}"
