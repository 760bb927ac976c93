"""The server of tools, asked by the SDK's own client over stdio."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import pytest

pytest.importorskip("mcp")
from mcp import Client, StdioServerParameters, stdio_client

from howsure import examples, io
from howsure.agents.tools import BUDGET, QUESTIONS


def run(session):
    """Run a session in a thread of its own: browser tests of the same process keep an event loop in the main one."""
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(anyio.run, session).result()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with ratings, two versions of a model with right and wrong answers, and a secret beside it."""
    root = tmp_path_factory.mktemp("agents")
    work = root / "work"
    work.mkdir()
    io.write(examples.ratings(), str(work / "ratings.csv"))
    for name, lost in (("old", 0), ("new", 60)):
        rows = "\n".join(f"q{i},{int(i >= lost and i < 300)}" for i in range(400))
        (work / f"{name}.csv").write_text(f"item,correct\n{rows}\n", encoding="utf-8")
    (root / "secret.csv").write_text("item,score\nq1,1\nq2,0\n", encoding="utf-8")
    (work / "link.csv").symlink_to(root / "secret.csv")
    return work


@pytest.fixture(scope="module")
def asked(folder):
    """Everything that is asked of one server, in one session: the answers by a name."""
    two = {"gold": "human", "a": "model-2", "b": "model-1"}
    calls = {
        "doctor": ("doctor", {"files": ["ratings.csv"]}),
        "compare": ("compare", {"files": ["ratings.csv"], **two, "metric": "mae"}),
        "sliced": ("compare", {"files": "ratings.csv", **two, "by": "topic", "options": {"n-resamples": 99}}),
        "leaderboard": ("leaderboard", {"files": ["ratings.csv"], "gold": "human"}),
        "plan": ("plan", {"files": ["ratings.csv"], **two, "options": {"difference": 0.1}}),
        "score": ("score", {"files": ["ratings.csv"], "gold": "human"}),
        "reliability": ("reliability", {"files": ["ratings.csv"], "gold": "human"}),
        "gate": ("gate", {"files": ["old.csv", "new.csv"], "margin": 0.05}),
        "state": ("gate", {"files": ["old.csv", "old.csv"], "margin": 0.05, "options": {"sequential": "s.jsonl"}}),
        "outside": ("doctor", {"files": ["../secret.csv"]}),
        "absolute": ("score", {"files": [str(folder.parent / "secret.csv")]}),
        "linked": ("score", {"files": ["link.csv"]}),
        "a pattern of a link": ("score", {"files": ["li*.csv"]}),
        "folder with a link": ("doctor", {"files": ["."]}),
        "gold outside": ("score", {"files": ["ratings.csv"], "gold": str(folder.parent / "secret.csv")}),
        "gold below /": ("leaderboard", {"files": ["ratings.csv"], "gold": "etc/passwd"}),
        "gold nowhere": ("leaderboard", {"files": ["ratings.csv"], "gold": "etc/passwt"}),
        "state outside": (
            "gate",
            {"files": ["old.csv", "new.csv"], "margin": 0.05, "options": {"sequential": "../s.jsonl"}},
        ),
        "missing": ("compare", {"files": ["nope.csv"]}),
        "unknown": ("compare", {"files": ["ratings.csv"], **two, "options": {"metrc": "mae"}}),
        "margin": ("gate", {"files": ["old.csv", "new.csv"], "margin": 2}),
        "wrong source": ("compare", {"files": ["ratings.csv"], "gold": "human", "a": "model-9", "b": "model-1"}),
    }
    environment = {"PATH": os.environ["PATH"], "OPENBLAS_NUM_THREADS": "1"}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "howsure", "mcp", str(folder)], env=environment, cwd="/"
    )
    found, progress = {}, []

    async def told(done, total, message):
        progress.append((done, total, message))

    async def session():
        with anyio.fail_after(240):
            async with Client(stdio_client(server)) as client:
                found["tools"] = (await client.list_tools()).tools
                found["guide"] = (await client.read_resource("howsure://guide")).contents[0].text
                for name, (tool, given) in calls.items():
                    found[name] = await client.call_tool(tool, given, progress_callback=told)

    run(session)
    found["progress"] = progress
    return found


def content(answer):
    assert not answer.is_error, answer.content[0].text
    return json.loads(answer.content[0].text)


def test_the_tools_are_the_questions(asked):
    tools = {tool.name: tool for tool in asked["tools"]}
    assert set(tools) == set(QUESTIONS)
    schema = tools["gate"].input_schema
    assert "margin" in schema["properties"]
    assert "context" not in schema["properties"]
    assert tools["doctor"].annotations.read_only_hint
    assert not tools["gate"].annotations.destructive_hint
    assert len(json.dumps([tool.model_dump(mode="json") for tool in asked["tools"]])) < 20_000


@pytest.mark.parametrize("name", [*QUESTIONS, "sliced"])
def test_every_tool_answers_within_its_budget(asked, folder, name):
    found = content(asked[name])
    assert found["answer"]
    assert len(json.dumps(found, ensure_ascii=False)) <= BUDGET
    assert found["command"].startswith("howsure ")
    if name != "doctor":
        report = folder / found["report"]
        assert report.read_text(encoding="utf-8").startswith("# ")
        assert json.loads(report.with_suffix(".json").read_text(encoding="utf-8"))["schema_version"] == 1


def test_answers_are_those_of_the_command_line(asked):
    assert content(asked["compare"])["answer"].startswith("model-2 is better than model-1: mean absolute error 0.438")
    gate = content(asked["gate"])
    assert gate["answer"].startswith("Fail: candidate is worse than baseline by more than 0.05.")
    assert gate["exit_code"] == 1
    assert content(asked["doctor"])["next"][0].startswith("howsure compare")


def test_a_state_file_stays_in_the_folder(asked, folder):
    assert content(asked["state"])["exit_code"] == 0
    assert (folder / "s.jsonl").is_file()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("outside", "there is no file ../secret.csv below work. Files here: "),
        ("absolute", "secret.csv below work"),
        ("linked", "there is no file link.csv below work"),
        ("a pattern of a link", "there is no file link.csv below work"),
        ("folder with a link", "there is no file link.csv below work"),
        ("gold outside", "secret.csv below work"),
        ("state outside", "there is no file ../s.jsonl below work"),
        ("missing", "there is no file nope.csv below work. Files here: howsure-reports, link.csv, new.csv, old.csv, r"),
        ("unknown", "`metrc` is not an option of compare. Did you mean `metric`?"),
        ("margin", "Did you mean 0.02?"),
        ("wrong source", "model-9"),
    ],
)
def test_errors_reach_the_agent_with_their_remedy(asked, name, message):
    assert asked[name].is_error
    assert message in asked[name].content[0].text
    assert "Traceback" not in asked[name].content[0].text


def test_a_name_is_no_file_of_the_folder_in_which_the_server_was_started(asked):
    there, absent = (asked[name].content[0].text for name in ("gold below /", "gold nowhere"))
    assert asked["gold below /"].is_error
    assert there == absent.replace("passwt", "passwd")


def test_long_work_tells_its_progress(asked):
    assert asked["progress"]
    assert all(done <= total for done, total, _ in asked["progress"])


def test_the_guide_is_the_skill(asked):
    assert "What never to claim" in asked["guide"]


def test_agent_files_are_written_and_not_overwritten(tmp_path, howsure, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = howsure("agent-files", ".")
    assert said.returncode == 0
    skill = Path("skills/howsure/SKILL.md").read_text(encoding="utf-8")
    assert skill.startswith("---\nname: howsure\ndescription: ")
    assert Path("llms.txt").read_text(encoding="utf-8").startswith("# howsure\n\n> ")
    assert json.loads(Path(".claude-plugin/plugin.json").read_text(encoding="utf-8"))["name"] == "howsure"
    Path("llms.txt").write_text("mine", encoding="utf-8")
    again = howsure("agent-files", ".")
    assert again.returncode == 2
    assert "add --force" in again.stderr
    assert Path("llms.txt").read_text(encoding="utf-8") == "mine"
    assert howsure("agent-files", "nowhere").returncode == 1
    assert howsure("agent-files", ".", "--force").returncode == 0


def test_commands_that_the_files_name_exist():
    import re
    from importlib import resources

    from howsure.cli.app import SOURCES

    for name in ("llms.txt", "SKILL.md"):
        text = (resources.files("howsure.agents") / "files" / name).read_text(encoding="utf-8")
        named = set(re.findall(r"`howsure ([a-z-]+)", text))
        assert named
        assert named <= set(SOURCES)


def test_links_of_the_files_lead_somewhere():
    import re
    from importlib import resources

    text = (resources.files("howsure.agents") / "files" / "llms.txt").read_text(encoding="utf-8")
    root = Path(__file__).parents[2]
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert (root / target).exists(), target


def test_local_http(folder):
    """The same tools over HTTP, on this machine only."""
    import socket
    import subprocess
    import time

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "howsure", "mcp", str(folder), "--http", "--port", str(port)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)

        async def session():
            with anyio.fail_after(60):
                async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                    return await client.call_tool("score", {"files": ["old.csv=x"]}), (await client.list_tools()).tools

        answer, tools = run(session)
        assert {tool.name for tool in tools} == set(QUESTIONS)
        assert answer.is_error
    finally:
        server.terminate()
        server.wait(20)


def test_without_the_extra_the_command_says_what_to_install(howsure, monkeypatch):
    for name in [*sys.modules]:
        if name == "mcp" or name.startswith(("mcp.", "howsure.agents.server")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("howsure.agents.server", raising=False)  # imported by another test, it would be taken as it is
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    said = howsure("mcp")
    assert said.returncode == 2
    assert "In a clone of howsure: pip install '.[mcp]'" in said.stderr
