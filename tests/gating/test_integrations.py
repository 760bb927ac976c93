"""Where gates run: in pytest, and in a GitHub action whose script is run here against a server of our own."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path):
    for name, lost in (("base", 0), ("good", 5), ("open", 20), ("bad", 60)):
        rows = "\n".join(f"q{i},{int(lost <= i < 300)}" for i in range(400))
        (tmp_path / f"{name}.csv").write_text(f"item,correct\n{rows}\n", encoding="utf-8")
    return tmp_path


TESTS = """
import pytest

def test_good(howsure_gate):
    assert howsure_gate("base.csv", "good.csv", margin=0.05).verdict == "pass"

def test_bad(howsure_gate):
    howsure_gate("base.csv", "bad.csv", margin=0.05)

def test_open(howsure_gate):
    howsure_gate("base.csv", "open.csv", margin=0.05)

def test_open_strict(howsure_gate):
    howsure_gate("base.csv", "open.csv", margin=0.05, fail_on_inconclusive=True)

def test_wrong(howsure_gate):
    with pytest.raises(Exception, match="Did you mean 0.02"):
        howsure_gate("base.csv", "good.csv", margin=2)
"""


def test_the_fixture_fails_skips_and_passes(folder):
    (folder / "test_gates.py").write_text(TESTS, encoding="utf-8")
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rs",
        "-p",
        "no:schemathesis",
        "-p",
        "no:cacheprovider",
        "--junitxml=j.xml",
    ]
    plugin = [] if _registered() else ["-p", "howsure.pytest_plugin"]
    done = subprocess.run([*words, *plugin, "."], cwd=folder, capture_output=True, text=True, check=False)
    assert "2 failed, 2 passed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert "Fail: candidate is worse than baseline by more than 0.05." in done.stdout
    assert '<property name="howsure_verdict" value="fail"' in (folder / "j.xml").read_text(encoding="utf-8")


def _registered():
    from importlib.metadata import entry_points

    return any(point.value == "howsure.pytest_plugin" for point in entry_points(group="pytest11"))


class Api(BaseHTTPRequestHandler):
    """The comments of one pull request."""

    comments: ClassVar[list[str]] = []
    asked: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self):
        self._answer(
            [{"url": f"{self.server.base}/comments/{i}", "body": each} for i, each in enumerate(self.comments)]
        )

    def do_POST(self):
        self.comments.append(self._body()["body"])
        self._answer({})

    def do_PATCH(self):
        self.comments[int(self.path.rpartition("/")[2])] = self._body()["body"]
        self._answer({})

    def _body(self):
        self.asked.append((self.command, self.headers["Authorization"]))
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, content):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def api():
    server = HTTPServer(("127.0.0.1", 0), Api)
    server.base = f"http://127.0.0.1:{server.server_port}"
    Api.comments, Api.asked = ["Nice work!"], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture
def action(folder, api):
    """Run the script as the action does."""

    def run(candidate="good.csv", margin="0.05", **more):
        scripts = str(Path(sys.executable).parent)
        environment = {
            "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
            "GATE_BASELINE": "base.csv",
            "GATE_CANDIDATE": candidate,
            "GATE_MARGIN": margin,
            "GATE_FAIL_ON_INCONCLUSIVE": "false",
            "GATE_COMMENT": "true",
            "GATE_TOKEN": "secret-token",
            "GATE_PULL_REQUEST": "7",
            "GITHUB_API_URL": api.base,
            "GITHUB_REPOSITORY": "a/b",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_OUTPUT": str(folder / "output.txt"),
            **more,
        }
        (folder / "output.txt").unlink(missing_ok=True)
        words = [sys.executable, str(ROOT / "scripts" / "gate_action.py")]
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        return done, (folder / "output.txt").read_text(encoding="utf-8")

    return run


@pytest.mark.parametrize(
    ("candidate", "strict", "code", "output"),
    [
        ("good.csv", "false", 0, "verdict=pass\nexit-code=0\n"),
        ("bad.csv", "false", 1, "verdict=fail\nexit-code=1\n"),
        ("open.csv", "false", 0, "verdict=inconclusive\nexit-code=2\n"),
        ("open.csv", "true", 2, "verdict=inconclusive\nexit-code=2\n"),
        ("nope.csv", "false", 3, "verdict=error\nexit-code=3\n"),
    ],
)
def test_the_action_ends_as_the_gate_says(action, candidate, strict, code, output):
    done, written = action(candidate, GATE_FAIL_ON_INCONCLUSIVE=strict)
    assert (done.returncode, written) == (code, output), done.stderr
    assert "secret-token" not in done.stdout + done.stderr


def test_the_action_keeps_one_comment(action, folder):
    action("bad.csv")
    action("good.csv")
    assert [command for command, _ in Api.asked] == ["POST", "PATCH"]
    assert len(Api.comments) == 2
    assert Api.comments[0] == "Nice work!"
    assert "howsure gate: pass" in Api.comments[1]
    assert "howsure gate: fail" in (folder / "summary.md").read_text(encoding="utf-8")


def test_no_token_no_comment_and_a_broken_api_changes_nothing(action):
    done, _ = action(GATE_TOKEN="")
    assert (done.returncode, Api.asked) == (0, [])
    done, written = action("bad.csv", GITHUB_API_URL="http://127.0.0.1:9")
    assert (done.returncode, written) == (1, "verdict=fail\nexit-code=1\n")
    assert "The comment could not be written" in done.stdout


def test_inputs_are_no_shell(action, folder):
    done, _ = action('good.csv"; touch hacked; "', GATE_OPTIONS="--by $(touch hacked)")
    assert done.returncode == 3
    assert not (folder / "hacked").exists()


def test_the_action_hands_over_every_input():
    content = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = content["runs"]["steps"]
    handed = " ".join(value for step in steps for value in step["env"].values())
    assert {name for name in content["inputs"] if f"inputs.{name} " not in handed} == set()
    for step in steps:
        assert "${{" not in step["run"]  # an input in a script would be read by the shell
    names = set(steps[1]["env"])
    script = (ROOT / "scripts" / "gate_action.py").read_text(encoding="utf-8")
    assert all(f'given("{name.removeprefix("GATE_")}")' in script for name in names)
