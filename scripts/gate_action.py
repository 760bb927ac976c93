"""Run a gate for a GitHub action: job summary, outputs, and one comment on the pull request that is kept up to date.

Everything comes from the environment, which action.yml fills, so that nothing an input says is read by a shell. It
needs `howsure` on the path and nothing else. A comment that cannot be written never changes the verdict.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MARKER = "<!-- howsure-gate -->"
COULD_NOT_RUN = 3


def main() -> int:
    """Run the gate and return the exit code of the job."""
    with tempfile.TemporaryDirectory() as folder:
        comment = Path(folder) / "comment.md"
        words = ["howsure", "gate", given("BASELINE"), given("CANDIDATE"), "--margin", given("MARGIN"), "--json"]
        words += ["--metric", given("METRIC")] if given("METRIC") else []
        words += [*shlex.split(given("OPTIONS")), "--markdown", str(comment)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        verdict = json.loads(done.stdout)["verdict"] if done.returncode in (0, 1, 2) else "error"
        said = comment.read_text(encoding="utf-8") if comment.exists() else problem(done.stderr)
    code = done.returncode if verdict != "error" else COULD_NOT_RUN
    strict = given("FAIL_ON_INCONCLUSIVE").lower() == "true"
    if code == 2:
        fails = "fails" if strict else "does not fail"
        said += f"\nAn inconclusive gate {fails} this job (`fail-on-inconclusive`).\n"
    append("GITHUB_STEP_SUMMARY", said)
    append("GITHUB_OUTPUT", f"verdict={verdict}\nexit-code={code}\n")
    print(said)
    if given("COMMENT").lower() == "true":
        write_comment(said)
    return 0 if code == 0 or (code == 2 and not strict) else code


def given(name: str) -> str:
    """Return an input of the action; empty where it was not given."""
    return os.environ.get(f"GATE_{name}", "")


def problem(errors: str) -> str:
    """Return the comment of a gate that could not be run."""
    return f"{MARKER}\n### ⚠️ howsure gate: could not be run\n\n```\n{errors.strip()}\n```\n"


def append(variable: str, text: str) -> None:
    """Append to the file that a variable of the runner names, if there is one."""
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def write_comment(text: str) -> None:
    """Write the comment, or replace the one that was written before; without a token or a pull request write none."""
    token, number = given("TOKEN"), given("PULL_REQUEST")
    if not token or not number:
        print("No comment is written: there is no token, or no pull request.")
        return
    base = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    comments = f"{base}/repos/{os.environ.get('GITHUB_REPOSITORY', '')}/issues/{number}/comments"
    try:
        known = next((each for each in listed(comments, token) if MARKER in (each.get("body") or "")), None)
        if known is None:
            called("POST", comments, token, {"body": text})
        else:
            called("PATCH", known["url"], token, {"body": text})
    except (OSError, ValueError, KeyError) as error:
        print(f"The comment could not be written: {error}")


def listed(address: str, token: str) -> list[Any]:
    """Return all comments, page by page."""
    found: list[Any] = []
    for page in range(1, 31):
        more = called("GET", f"{address}?per_page=100&page={page}", token)
        found += more
        if len(more) < 100:
            break
    return found


def called(method: str, address: str, token: str, body: dict[str, str] | None = None) -> Any:
    """Call the API and return what it answers."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    request = urllib.request.Request(address, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


if __name__ == "__main__":
    sys.exit(main())
