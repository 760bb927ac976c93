"""README and docs are executed: python blocks run in order, console blocks must print what the page shows."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from howsure.cli.app import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.M | re.S)
CHECK = doctest.OutputChecker()
PLAIN = re.compile(r"howsure(?! serve)(?!.*--(dask|workers))[^|<>;&$*`]*\Z", re.S)
"""Commands that need no shell; those that start processes of their own get one."""
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


def here(command, capfd):
    """Run a plain command of ours in this process; return its exit code and what it printed."""
    capfd.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", shlex.split(command.replace("\\\n", " ")))
        with pytest.raises(SystemExit) as left:
            main()
    return left.value.code or 0, "".join(capfd.readouterr()).strip()


def in_a_shell(command):
    """Run a command as a reader would; return its exit code and what it printed."""
    scripts = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, shell=True, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, (done.stdout + done.stderr).strip()


def test_every_test_that_the_page_on_security_names_exists():
    """A promise whose test was renamed or deleted is held by nothing."""
    page = (ROOT / "docs/contributing/security.md").read_text(encoding="utf-8")
    tests = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    known = {name for text in tests.values() for name in re.findall(r"^def (test_\w+)", text, re.M)}
    paths = set(re.findall(r"tests/[\w/]+\.py", page))
    named = set(re.findall(r"(?<!/)\btest_\w+(?!\.py)\b", page))
    assert len(named) > 40
    assert named - known == set()
    assert paths - {str(path.relative_to(ROOT)) for path in tests} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_runs(page, tmp_path, monkeypatch, capfd):
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    if not blocks:
        pytest.skip("no example on this page")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
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
                code, shown = here(command, capfd) if PLAIN.match(command) else in_a_shell(command)
                assert "Traceback" not in shown
                assert code == 0 or expected.startswith("howsure:"), f"$ {command}\n{shown}"
                if expected:
                    assert CHECK.check_output(expected, shown, FLAGS), f"$ {command}\n{shown}"
