"""The score of the corpus: what the first screen of `howsure doctor` leads to, case by case and by family.

`python tests/io/readings/score.py` prints the table, with `--cases` also a line for each case, and with the name of a
case its first screen, where that leads, and the right first commands.
"""

import contextlib
import io
import json
import os
import re
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.io.readings.corpus import FILE, Case

OUTCOMES = {
    "right": "the first command gives the right answer",
    "one change": "another command, or one option with its value, that the first screen offers gives it",
    "asked": "what must be asked is asked, and nothing is answered before",
    "refused": "a file that cannot be read or tested is refused with the reason",
    "guessed": "the right answer by luck: it depends on what should have been asked",
    "dead end": "no command, a command that ends in an error or does not answer, or a refusal without the reason",
    "wrong": "a confident answer that differs from the right one",
}
SELECTING = ("--a", "--b")
MOST_COMMANDS = 5
"""A first screen offers at most this many commands; the others count as not shown."""

P_DIGITS, RELATIVE = 0.003, 0.02
"""Numbers within these distances agree: resampled p-values move in the third digit with the order of rows."""


@dataclass(frozen=True)
class Outcome:
    """What the first screen of one case leads to, why, the screen itself and its first command."""

    case: Case
    outcome: str
    why: str
    screen: str
    command: str


def cases() -> list[Case]:
    """Return every case."""
    from tests.io.readings import made_logs, made_people, made_tables, made_ugly, made_votes

    return [case for part in (made_tables, made_people, made_votes, made_ugly, made_logs) for case in part.CASES]


@contextlib.contextmanager
def written(case: Case) -> Iterator[None]:
    """Write the files of a case into a new folder and go there; the plain table of its truth is one folder above."""
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder, "case")
        for name, content in case.files.items():
            path = inside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        if case.truth is not None:
            Path(folder, "truth.csv").write_text(case.truth.text, encoding="utf-8")
            Path(folder, "votes.csv").write_text(case.truth.votes, encoding="utf-8")
        with contextlib.chdir(inside):
            yield


def outcome_of(case: Case) -> Outcome:
    """Ask for the first screen of a case, follow it, and compare with the right answer."""
    with written(case):
        commands, screen, topics = first_screen(case.target)
        outcome, why = _sorted(case, commands, screen, topics)
    return Outcome(case, outcome, why, screen, commands[0] if commands else "")


def first_screen(path: str) -> tuple[list[str], str, set[str]]:
    """Return the commands of the first screen, its text, and the topics of its questions.

    Today's diagnosis has no questions; a pipeline that asks gives it `questions`, each with its topic in `about`.
    """
    from howsure import doctor
    from howsure.errors import HowsureError

    try:
        diagnosis = doctor([path])
    except HowsureError as error:
        return [], str(error), set()
    commands = [command for command in diagnosis.commands[:MOST_COMMANDS] if command.split()[1] != "convert"]
    return commands, str(diagnosis), {question.about for question in getattr(diagnosis, "questions", ())}


def _sorted(case: Case, commands: list[str], screen: str, topics: set[str]) -> tuple[str, str]:
    """Return the outcome of a first screen, and why."""
    if topics:
        needless = topics - {*case.asks, *case.may_ask}
        return ("dead end", f"asks needlessly for {', '.join(sorted(needless))}") if needless else ("asked", "")
    if not commands and case.row in ("refused", "model"):
        reason = re.search(case.refused, " ".join(screen.replace(case.target, "").split()), re.I)
        return ("refused", "") if reason else ("dead end", "refused without the reason")
    if not commands and any(choice in screen for choices in case.asks.values() for choice in choices):
        return "asked", ""
    verdict, why = judged(case, commands[0]) if commands else ("error", _last_line(screen))
    if verdict == "error":
        changed = _after_one_change(case, commands, screen)
        return ("one change", changed) if changed else ("dead end", why)
    if verdict == "right" and case.asks:
        return "guessed", f"did not ask for {', '.join(case.asks)}"
    return verdict, why


def judged(case: Case, command: str) -> tuple[str, str]:
    """Return whether a command is right, wrong or an error (or true and beside the point), and why."""
    verb, *words = shlex.split(command)[1:]
    code, text = run(verb, *words, "--json")
    if code:
        return "error", _last_line(text)
    if case.truth is None:
        return "wrong", f"answers `{command}` where nothing can be tested"
    result = json.loads(text)
    expected, why = right_result(case, verb, result)
    why = why or difference(facts(verb, result), facts(verb, expected))
    if why:
        return "wrong", why
    verbs = {first[0] for first in case.first}
    verbs |= {"compare", "leaderboard"} if verbs & {"compare", "leaderboard"} else set()
    return ("right", "") if verb in verbs else ("error", f"{verb} is true, and does not answer what is asked first")


def right_result(case: Case, verb: str, result: Any) -> tuple[Any, str]:
    """Return the result of the same command on the plain table, for the models that a result names; or why none."""
    truth = case.truth
    assert truth is not None
    words: list[str] = ["../truth.csv", *truth.options]
    if verb == "compare":
        names = {_plain(name): name for name in truth.models}
        shown = _comparison(result)["names"][1:]
        if strangers := [name for name in shown if _plain(name) not in names]:
            return None, f"compares {' and '.join(strangers)}: no model here"
        words += ["--a", names[_plain(shown[0])], "--b", names[_plain(shown[1])]]
    elif verb == "leaderboard" and truth.votes:
        words = ["../votes.csv", "--winner", "winner", "--first", "first", "--second", "second", "--item", "item"]
        words += ["--rater", "rater"] if any(line.split(",")[-1] for line in truth.votes.splitlines()[1:]) else []
        words += [] if truth.ordered else ["--unordered"]
    elif verb in ("reliability", "describe"):
        words = words[:1]
    elif verb == "judge" and "--better" in words:
        del words[words.index("--better") : words.index("--better") + 2]
    code, text = run(verb, *words, "--json")
    return (None, f"{verb} has no answer here: {_last_line(text)}") if code else (json.loads(text), "")


def _after_one_change(case: Case, commands: Sequence[str], screen: str) -> str:
    """Return the command that is right and that a screen offers: a later one, or one with an option that it names."""
    offered = _offered(screen)
    changed = [list(first) for first in case.first if len(set(_options(first)) & offered) == len(_options(first)) == 1]
    others = [shlex.join(["howsure", *(case.target if word == FILE else word for word in words)]) for words in changed]
    return next((command for command in [*commands[1:], *others] if judged(case, command)[0] == "right"), "")


def _options(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.startswith("--") and word not in SELECTING]


def _offered(screen: str) -> set[str]:
    """Return the options that a screen offers so that they can be followed: with a value, or taken by doctor itself."""
    from howsure._fields import fields_of
    from howsure.questions.doctor import Doctor

    named = set(re.findall(r"--[a-z][a-z-]*", screen))
    with_value = set(re.findall(r"(--[a-z][a-z-]*) (?!to |and |or |of |is )[^\s(]*[^\s(,.;]", screen))
    return with_value | named & {field.flag for field in fields_of(Doctor)}


def run(*words: str) -> tuple[int, str]:
    """Run a command within this process; return its exit code, and what it wrote or its error."""
    from howsure.cli import main

    out, error, before, code = io.StringIO(), io.StringIO(), sys.argv, 0
    sys.argv = ["howsure", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            main()
    except SystemExit as end:
        code = int(end.code or 0)
    except Exception as end:  # a defect of the program is a dead end, too
        return 1, f"{type(end).__name__}: {end}"
    finally:
        sys.argv = before
    return code, error.getvalue() if code else out.getvalue()


def facts(verb: str, result: Any) -> dict[str, Any]:
    """Return what must agree in two answers: the judge, models, who leads, items, scores and p-values."""
    judge = {"judge": result.get("judge") or "none"} if verb in ("compare", "leaderboard", "score") else {}
    if verb == "compare":
        one = _comparison(result)
        a, b = map(_plain, one["names"][1:])
        advantage = one["advantage"] if a <= b or one["advantage"] is None else -one["advantage"]
        winner = None if advantage is None else (advantage > 1e-9) - (advantage < -1e-9)
        shown = {"n items": one["n_items"], "p": one["pvalue"], "advantage": advantage}
        return {**judge, "models": sorted((a, b)), "winner": winner, **shown}
    if verb in ("leaderboard", "score") and not result.get("judge"):
        short = _short_names([model["name"] for model in result["models"]])
        scores = {**judge, "models": sorted(short.values())}
        scores |= {"winner": short[result["models"][0]["name"]]} if verb == "leaderboard" else {}
        for model in result["models"]:
            scores[f"n items of {short[model['name']]}"] = model["n_items"]
            scores[f"score of {short[model['name']]}"] = model["score"]
        for pair in result.get("pairs", ()):
            scores[f"p of {' and '.join(sorted(short[pair[side]] for side in 'ab'))}"] = pair["pvalue"]
        return scores
    if verb == "describe":
        short = _short_names([source["name"] for source in result["sources"]])
        counts = {"n items": result["n_items"], "models": sorted(short.values())}
        for source in result["sources"]:
            counts[f"raters of {short[source['name']]}"] = (source.get("design") or {}).get("n_raters")
            counts[f"responses of {short[source['name']]}"] = source["n_responses"]
        return counts
    shown = {"n_items", "n_raters", "score", "verdict", "advantage", "pvalue"}
    return {**judge, **{path: value for path, value in _leaves(result) if path.rsplit(".", 1)[-1] in shown}}


def _comparison(result: Any) -> Any:
    """Return the comparison of a result; with a judge, that by people and judge together."""
    return result["comparisons"][0] if "comparisons" in result else result["combined"]


def _short_names(names: Sequence[str]) -> dict[str, str]:
    """Return how models are compared; a single one may have any name, since many logs do not say it."""
    return {name: _plain(name) if len(names) > 1 else "the model" for name in names}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _leaves(node: Any, path: str = "") -> list[tuple[str, Any]]:
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else None
    if entries is None:
        return [(path, node)]
    return [leaf for key, value in entries for leaf in _leaves(value, f"{path}.{key}")]


def difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Return how two answers differ, the worst first; "" if they agree."""
    worst = ("judge", "models", "winner")
    for key in sorted(one.keys() | other.keys(), key=lambda key: (key not in worst, key)):
        a, b = one.get(key), other.get(key)
        if isinstance(a, float) and isinstance(b, float):
            if abs(a - b) > max(P_DIGITS, RELATIVE * abs(b)):
                return f"{key}: {a:.4g} instead of {b:.4g}"
        elif a != b:
            return f"{key}: {_few(a)} instead of {_few(b)}"
    return ""


def _few(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    return f"{', '.join(map(str, value[:4]))}{f' and {len(value) - 4} more' if len(value) > 4 else ''}"


def _last_line(text: str) -> str:
    """Return the error of a command, or the first problem that a screen lists."""
    listed = [line.strip() for line in text.splitlines() if line.strip()]
    problem = next((line for line in listed if line.startswith("* ")), listed[-1] if listed else "")
    return " ".join(problem.split())[:300]


def table_of(outcomes: Sequence[Outcome]) -> str:
    """Return the number of cases by family and outcome."""
    rows = [f"{'family':12}" + "".join(f"{name:>12}" for name in (*OUTCOMES, "all"))]
    for family in (*dict.fromkeys(each.case.family for each in outcomes), "ugly ones", "all"):
        chosen = [o for o in outcomes if family in (o.case.family, "all") or (family == "ugly ones" and o.case.ugly)]
        counts = Counter(each.outcome for each in chosen)
        rows.append(f"{family:12}" + "".join(f"{counts[name]:12}" for name in OUTCOMES) + f"{len(chosen):12}")
    return "\n".join(rows)


def main(words: Sequence[str]) -> None:
    """Print the table, or the cases that are named."""
    names = [word for word in words if not word.startswith("--")]
    chosen = [case for case in cases() if not names or case.name in names]
    outcomes = [outcome_of(case) for case in chosen]
    for each in outcomes:
        if names:
            right = "\n".join(shlex.join(["howsure", *first]) for first in each.case.first)
            print(f"{each.case.name}: {each.case.story}\n\n{each.screen}\n\nRight first:\n{right}\n")
        if names or "--cases" in words:
            print(f"{each.outcome:10}  {each.case.family:8}  {each.case.name:36}  {each.why}")
    print(f"\n{table_of(outcomes)}")


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main(sys.argv[1:])
