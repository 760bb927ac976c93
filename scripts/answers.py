"""Record every answer of a tree, and say how the answers of a later tree differ from the record.

    sh scripts/answers.sh record FOLDER
    sh scripts/answers.sh compare FOLDER [PART OF A NAME]
    sh scripts/answers.sh show FOLDER NAME

What is asked stands in `answer_cases.py`. An answer is what a command prints, its JSON and its exit code. A command
that resamples is recorded with several seeds, so that the record knows its Monte-Carlo error without a formula. An
answer of a later tree is

* the *same*: every character and every bit;
* *within Monte-Carlo error*: the same words, and numbers that differ from the record by a few standard errors, which
  are shown, or in the last digits only;
* *changed*: all else. A commit that changes an answer says which and why.
"""

import contextlib
import io
import itertools
import json
import math
import multiprocessing
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

import numpy as np
from answer_cases import SHARED, Case, cases, prepare
from scipy.stats import t as student

N_SEEDS = 4
"""Seeds with which a random answer is recorded: two samples of four have six degrees of freedom."""

UNLIKELY = 1e-6
"""A number has changed if its distance from the record is less likely than this by chance; a run makes about 10,000
such comparisons."""

ROUNDING = 1e-9
"""Numbers that differ by less than this share of their size differ by the order of additions only."""

NUMBER = re.compile(r"[-−+]?\d[\d,]*\.?\d*(?:e[-−+]?\d+)?|[-−+]?\.\d+(?:e[-−+]?\d+)?", re.IGNORECASE)
FRAME = re.compile(r"[─━┄ ]+")
KEPT = (".md", ".csv", ".json", ".toml", ".txt", ".tsv", ".xml")
"""Files that a command writes are a part of its answer if they end like this."""

LARGEST = 200_000
"""Longer files are kept by their size only."""

Json = Any


# ---- asking --------------------------------------------------------------------------------------------------------


def run_command(words: list[str]) -> tuple[int, str]:
    """Run `howsure …` in this process; return its exit code and what it printed."""
    from howsure.cli import main

    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    arguments, sys.argv = sys.argv, ["howsure", *words]
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            main()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # a traceback is an answer, too: the worst one
        code = 70
        streams[1].write(traceback.format_exc(limit=-3))
    finally:
        sys.argv = arguments
    printed = "".join(stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams)
    return code, printed.replace(os.getcwd(), "HERE").replace(str(SHARED), "SHARED")


def answers_of_command(words: list[str]) -> dict[str, Json]:
    """Return the text of a command, its JSON, and, where a seed changes it, the JSON of each seed."""
    before = {path: path.stat().st_mtime_ns for path in Path().iterdir()}
    code, text = run_command(words)
    files = {
        path.name: path.read_text("utf-8", "replace") if path.stat().st_size <= LARGEST else path.stat().st_size
        for path in sorted(Path().iterdir())
        if path.is_file() and path.suffix in KEPT and before.get(path) != path.stat().st_mtime_ns
    }
    answer: dict[str, Json] = {"exit": code, "text": text, "files": files}
    if code > 1 or "--json" in words or files:
        return answer
    runs = []
    for seed in range(N_SEEDS):
        done, printed = run_command([*words, "--json", *(["--seed", str(seed)] if seed else [])])
        if done != code or not printed.startswith("{"):
            break
        runs.append(json.loads(printed))
        if seed == 1 and without_seed(runs[0]) == without_seed(runs[1]):
            del runs[1]
            break
    if runs:
        answer["runs"] = runs
    return answer


def without_seed(content: Json) -> Json:
    """Return JSON without what names the seed itself."""
    if isinstance(content, dict):
        return {name: without_seed(value) for name, value in content.items() if name not in ("seed", "signature")}
    if isinstance(content, list):
        return [without_seed(value) for value in content]
    return re.sub(r"seed=\d+", "", content) if isinstance(content, str) else content


def answers_of_page(path: str) -> dict[str, Json]:
    """Run the blocks of a page of the docs in order; return the answer of each command."""
    answers, names = {}, {"__name__": "docs"}
    blocks = re.findall(r"^```(python|console)\n(.*?)^```", Path(path).read_text(encoding="utf-8"), re.M | re.S)
    for kind, block in blocks:
        if kind == "python":
            code = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", block, re.M) if ">>>" in block else block.splitlines()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
                source = "\n".join(code)
                exec(compile(source, path, "exec"), names)
            continue
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command = re.match(r"(?:.*\\\n)*.*", part)[0]  # type: ignore[index]
            name = f"{len(answers):02d} {command.splitlines()[0]}"
            if re.match(r"howsure(?! serve)[^|<>;&$*`]*\Z", command, re.S):
                answers[name] = answers_of_command(shlex.split(command.replace("\\\n", " "))[1:])
            elif "serve" not in command:
                paths = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
                done = subprocess.run(
                    command, shell=True, env=os.environ | {"PATH": paths}, capture_output=True, text=True, check=False
                )
                text = (done.stdout + done.stderr).replace(os.getcwd(), "HERE")
                answers[name] = {"exit": done.returncode, "text": text, "files": {}}
    return answers


def answers_of_python(code: str) -> dict[str, Json]:
    """Return what an expression gives, as text and as JSON."""
    import howsure

    try:
        found = eval(code, {"howsure": howsure})
    except Exception as error:
        return {"exit": 1, "text": f"{type(error).__name__}: {error}".replace(os.getcwd(), "HERE"), "files": {}}
    several = found if isinstance(found, list | tuple) else [found]
    content = [each.to_dict() if hasattr(each, "to_dict") else repr(each) for each in several]
    return {"exit": 0, "text": str(found), "files": {}, "runs": [json.loads(json.dumps(content, default=str))]}


def answers_of_api(table: str, questions: list[tuple[str, dict[str, Json]]]) -> dict[str, Json]:
    """Upload a table to the JSON API, and return what it answers to each question."""
    from starlette.testclient import TestClient

    from howsure.web import Settings, create_app

    settings = Settings(folder=tempfile.mkdtemp(dir="."), workers=1)
    answers = {}
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8765") as client:
        identity = client.post("/api/v1/tables", files={"file": (table, Path(table).read_bytes())}).json()["table"]
        for place, (question, body) in enumerate(questions):
            reply = client.post(f"/api/v1/{question}?document=true", json={"table": identity, **body})
            while reply.status_code == 202:
                reply = client.get(f"/api/v1/jobs/{reply.json()['job']}/result?document=true")
            content = reply.json()
            document = content.pop("document", {})
            answers[f"{place:02d} {question}"] = {
                "exit": reply.status_code,
                "text": json.dumps(document.get("markdown", ""), ensure_ascii=False),
                "files": {},
                "runs": [json.loads(json.dumps(content).replace(identity, "TABLE"))],
            }
    return answers


def ask(case: Case) -> dict[str, dict[str, Json]]:
    """Ask a case in a folder of its own; return its answers by name."""
    start = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for path in Path(PREPARED).iterdir():
                shutil.copy(path, folder)
            if case.kind == "command":
                return {case.name: answers_of_command(shlex.split(case.content))}
            if case.kind == "python":
                return {case.name: answers_of_python(case.content)}
            several = answers_of_page(case.content) if case.kind == "page" else answers_of_api(*case.content)
            return {f"{case.name}/{name}": answer for name, answer in several.items()}
        finally:
            os.chdir(start)


PREPARED = ""


def start_worker(prepared: str) -> None:
    """Tell a process where the prepared files are, and give all texts the same width."""
    global PREPARED  # noqa: PLW0603
    PREPARED = prepared
    os.environ["COLUMNS"] = "120"


def ask_all(chosen: list[Case]) -> Iterator[tuple[str, dict[str, Json]]]:
    """Ask all cases on two processes, and yield the answers as they come."""
    with tempfile.TemporaryDirectory() as prepared:
        prepare(Path(prepared))
        # Fresh interpreters: a fork inherits the locks of Polars's threads.
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(2, mp_context=spawn, initializer=start_worker, initargs=(prepared,)) as pool:
            waiting = [pool.submit(ask, case) for case in chosen]
            for n, future in enumerate(as_completed(waiting), 1):
                print(f"\r{n} of {len(chosen)} cases", end="", file=sys.stderr)
                yield from future.result().items()
        print(file=sys.stderr)


# ---- comparing -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """How an answer differs from the record: "same", "random" or "changed", and the worst differences."""

    name: str
    kind: str
    lines: tuple[str, ...] = ()


def leaves(content: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """Yield every number and word of JSON with its path."""
    if isinstance(content, dict | list):
        entries = content.items() if isinstance(content, dict) else enumerate(content)
        for name, value in entries:
            yield from leaves(value, f"{path}.{name}" if path else str(name))
    else:
        yield path, content


def is_number(value: Json) -> bool:
    """Whether a leaf is a number, or stands for one that is undefined."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def words(text: str) -> str:
    """Return a text without its numbers and without what follows from their width."""
    return " ".join(FRAME.sub(" ", NUMBER.sub("#", text)).split())


def compare_runs(old: list[Json], new: list[Json]) -> tuple[str, list[str]]:
    """Compare the numbers of some seeds with those of the same seeds of another tree, number by number."""
    old_leaves, new_leaves = ([dict(leaves(without_seed(run))) for run in runs] for runs in (old, new))
    lines, kind = [], "random"
    gone, added = (
        sorted(first[0].keys() - second[0].keys())
        for first, second in ((old_leaves, new_leaves), (new_leaves, old_leaves))
    )
    if gone or added:
        kind = "changed"
        lines += [f"{sign} {', '.join(names[:6])}" for sign, names in (("−", gone), ("+", added)) if names]
    worst: list[tuple[float, str]] = []
    for path in old_leaves[0].keys() & new_leaves[0].keys():
        was, now = ([run.get(path) for run in each] for each in (old_leaves, new_leaves))
        if was == now:
            continue
        if not all(map(is_number, [*was, *now])):
            if {words(str(value)) for value in was}.isdisjoint(words(str(value)) for value in now):
                kind = "changed"
                lines.append(f"{path}: {was[0]!r} → {now[0]!r}")
            continue
        far, note = distance(np.array(was, float), np.array(now, float))
        worst.append((far, f"{path}: {was[0]:.6g} → {now[0]:.6g} ({note})"))
    worst.sort(key=lambda each: -each[0])
    if worst and worst[0][0] >= 1:
        kind = "changed"
    return kind, lines + [line for _, line in worst[:4]]


def distance(was: np.ndarray, now: np.ndarray) -> tuple[float, str]:
    """Return how far two samples of a number lie apart (1 or more: beyond chance), and the same in words."""
    size = float(np.abs(was).max())
    if was.size == now.size and np.abs(was - now).max() <= ROUNDING * max(size, 1e-300):
        return 0.0, "last digits"
    if min(was.size, now.size) < 2:
        return math.inf, "not random"
    error = math.sqrt(was.var(ddof=1) / was.size + now.var(ddof=1) / now.size)
    if not error > 0:
        return math.inf, "no Monte-Carlo error"
    far = abs(float(now.mean() - was.mean())) / error
    limit = float(student.isf(UNLIKELY / 2, was.size + now.size - 2))
    return far / limit, f"{far:.1f} standard errors"


def judge(name: str, old: dict[str, Json], new: dict[str, Json]) -> Verdict:
    """Return how an answer differs from the record."""
    if old == new:
        return Verdict(name, "same")
    if old["exit"] != new["exit"]:
        return Verdict(name, "changed", (f"exit {old['exit']} → {new['exit']}", new["text"].strip()[-300:]))
    kind, lines = "random", []
    if "runs" in old and "runs" in new:
        kind, lines = compare_runs(old["runs"], new["runs"])
    elif "runs" in old or "runs" in new:
        kind, lines = "changed", ["JSON is there in one tree only"]
    elif old["text"] != new["text"]:
        kind = "changed"
    for part in ("text", "files"):
        first, second = (words(json.dumps(each[part], ensure_ascii=False)) for each in (old, new))
        if first != second and old[part] != new[part]:
            if part == "text" and "runs" in old and kind == "random":
                lines.append("other words, as another seed may give them")
                continue
            kind = "changed"
            lines.append(f"{part}: {first_difference(first, second)}")
    return Verdict(name, kind, tuple(lines))


def first_difference(old: str, new: str) -> str:
    """Return the surroundings of the first place where two texts differ."""
    place = next((i for i, (a, b) in enumerate(itertools.zip_longest(old, new)) if a != b), 0)
    start = max(0, place - 40)
    return f"…{old[start : place + 60]}… → …{new[start : place + 60]}…"


# ---- commands ------------------------------------------------------------------------------------------------------


def file_of(folder: Path, name: str) -> Path:
    """Return the file of an answer."""
    return folder / (re.sub(r"[^\w.=+-]+", "_", name)[:150] + f"-{sum(map(ord, name)) % 9973:04d}.json")


def record(folder: Path) -> None:
    """Write every answer of this tree to a folder, which must be new."""
    folder.mkdir(parents=True)
    n = 0
    for name, answer in ask_all(cases()):
        file_of(folder, name).write_text(json.dumps({"name": name, **answer}, ensure_ascii=False), encoding="utf-8")
        n += 1
    print(f"{n} answers in {folder}")


def compare(folder: Path, part: str = "") -> int:
    """Print how the answers of this tree differ from the record; return 1 if any has changed."""
    recorded = {}
    for path in folder.glob("*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        recorded[content.pop("name")] = content
    latest = folder.with_name(folder.name + "-now")
    shutil.rmtree(latest, ignore_errors=True)
    latest.mkdir()
    verdicts, seen = [], set()
    for name, answer in ask_all([case for case in cases() if part in case.name]):
        file_of(latest, name).write_text(json.dumps({"name": name, **answer}, ensure_ascii=False), encoding="utf-8")
        seen.add(name)
        old = recorded.get(name)
        again = json.loads(json.dumps(answer))
        verdicts.append(Verdict(name, "new") if old is None else judge(name, old, again))
    verdicts += [Verdict(name, "gone") for name in recorded.keys() - seen if part in name]
    for kind in ("random", "new", "gone", "changed"):
        for verdict in sorted((each for each in verdicts if each.kind == kind), key=lambda each: each.name):
            print(f"{kind:8} {verdict.name}", *(f"           {line}" for line in verdict.lines), sep="\n")
    counts = {
        kind: sum(each.kind == kind for each in verdicts) for kind in ("same", "random", "changed", "new", "gone")
    }
    print(", ".join(f"{n} {'within Monte-Carlo error' if k == 'random' else k}" for k, n in counts.items()))
    return int(counts["changed"] + counts["gone"] > 0)


def show(folder: Path, name: str) -> None:
    """Print the difference between the texts of an answer, in the record and in the last comparison."""
    texts = []
    for place in (folder, folder.with_name(folder.name + "-now")):
        content = json.loads(file_of(place, name).read_text(encoding="utf-8"))
        pieces = [content["text"], *map(str, content["files"].values())]
        pieces += [json.dumps(run, indent=1, ensure_ascii=False) for run in content.get("runs", [])[:1]]
        texts.append("\n".join(pieces).splitlines())
    print("\n".join(unified_diff(*texts, "record", "now", lineterm="", n=1)))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", folder]:
            record(Path(folder))
        case ["compare", folder, *part]:
            sys.exit(compare(Path(folder), *part))
        case ["show", folder, name]:
            show(Path(folder), name)
        case _:
            sys.exit(__doc__)
