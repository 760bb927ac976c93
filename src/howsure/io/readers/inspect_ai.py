"""Inspect logs: `.eval` archives (deflate or zstandard) and `.json`."""

import fnmatch
from collections.abc import Iterator, Mapping
from typing import Any

from howsure.errors import DataError
from howsure.io.json_files import JsonCursor
from howsure.io.readers.base import Archive, Glance, Header, Reader, Row, Rows, array_of, at, digest, id_of
from howsure.io.run_settings import settings_of

NO_MODEL = "none/none"
"""What Inspect writes where an agent behind a URL answered."""


def recognises(glance: Glance) -> bool:
    """Take a zip with a header or a journal, or a JSON object with `eval.task` and `eval.model`."""
    if glance.start.startswith(b"PK\x03\x04"):
        return glance.path.suffix == ".eval" or b"_journal/start.json" in glance.start or b"header.json" in glance.start
    return not glance.is_array and {"task", "model"} <= set(at(glance.first, "eval") or ())


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each sample, epoch and scorer (and for each entry of a score that is a dictionary)."""
    if glance.start.startswith(b"PK\x03\x04"):
        yield from _from_archive(glance, header)
        return
    seen: dict[str, Any] = {}
    for sample in array_of(glance, "samples", header=seen):
        yield from _sample(sample)
    _fill(header, seen, glance)


def _from_archive(glance: Glance, header: Header) -> Rows:
    with Archive(glance.file) as archive:
        first = [name for name in ("header.json", "_journal/start.json") if name in archive.members]
        if not first:
            raise DataError(f"{glance.name} has no header.json, so it is not an Inspect log.")
        with archive.open(first[0]) as member:
            seen = JsonCursor(member, f"{glance.name} ({first[0]})").value()
        _fill(header, seen, glance)
        for name in _with_scores(archive.members):
            with archive.open(name) as member:
                cursor = JsonCursor(member, f"{glance.name} ({name})")
                if cursor.peek() == "{":
                    yield from _sample(cursor.value())
                else:
                    for _ in cursor.elements():
                        yield from _sample(cursor.value())


def _with_scores(members: list[str]) -> list[str]:
    """Return the members that hold scores: the summaries, else the journal's, else the samples themselves."""
    for pattern in ("summaries.json", "_journal/summaries/*.json", "samples/*.json"):
        found = fnmatch.filter(members, pattern)
        if found:
            return found
    return []


def _fill(header: Header, seen: Mapping[str, Any], glance: Glance) -> None:
    about = at(seen, "eval")
    if not isinstance(about, Mapping):
        raise DataError(f"{glance.name} has no `eval` part that names task and model, so it is not an Inspect log.")
    model = about.get("model")
    header.model = model if isinstance(model, str) and model != NO_MODEL else glance.path.stem
    if model == NO_MODEL:
        header.notes.append(f"{glance.name} names no model ({NO_MODEL}), so it is called by its file, {header.model}.")
    header.task = str(about.get("task") or "")
    if about.get("eval_id") or about.get("run_id"):  # copied settings may repeat one of the ids in several runs
        keys = ("eval_id", "run_id", "task_id", "created", "task", "model")
        header.run = " ".join(str(about.get(key) or "") for key in keys)
    header.grades = True
    status = seen.get("status", "started")
    if status != "success":
        header.notes.append(f"{glance.name} has the status {status!r}: the run did not finish.")
    header.settings = _settings(about, at(seen, "plan", "steps"))
    if model == NO_MODEL and header.settings.get("agent_url"):
        header.model = header.settings["agent_url"]
    ids, epochs = at(about, "dataset", "sample_ids"), at(about, "config", "epochs")
    if isinstance(ids, list):
        header.expected = len(ids) * (epochs if isinstance(epochs, int) and epochs > 0 else 1)


def _settings(about: Mapping[str, Any], steps: Any) -> dict[str, str]:
    """Return task arguments, how answers were generated, the solver's steps, scorers and data set of a run."""
    solver = [step for step in steps if isinstance(step, Mapping)] if isinstance(steps, list) else []
    scorers = [entry for entry in about.get("scorers") or () if isinstance(entry, Mapping)]
    roles = {f"role {role}": at(entry, "model") for role, entry in (about.get("model_roles") or {}).items()}
    named = {
        "solver": ", ".join(str(step.get("solver")) for step in solver),
        "scorers": ", ".join(str(entry.get("name")) for entry in scorers),
        "dataset": at(about, "dataset", "name"),
        "task_version": about.get("task_version"),
    }
    config = {key: value for key, value in (about.get("config") or {}).items() if key.endswith("_limit")}
    return settings_of(
        about.get("task_args"), about.get("model_generate_config"), about.get("model_args"), roles, config, named,
        *(step.get("params") for step in solver), *(entry.get("options") for entry in scorers),
    )  # fmt: skip


def _sample(sample: Mapping[str, Any]) -> Iterator[Row]:
    item, epoch = id_of(sample["id"]), float(sample.get("epoch", 1))
    about: dict[str, Any] = {"item": item, "repeat": epoch, "check": digest(sample.get("input"))}
    scores = sample.get("scores") or {}
    reason = _reason(sample)
    if reason or not scores:
        names = list(scores) or [""]
        yield from (Row(value=None, scorer=name, lacks=reason or "unscored", **about) for name in names)
        return
    for scorer, score in scores.items():
        value, answer = at(score, "value"), at(score, "answer")
        parts = value if isinstance(value, Mapping) else {"": value}
        for part, entry in parts.items():
            name = f"{scorer}.{part}" if part else scorer
            if entry is None or isinstance(entry, list) or entry == "NaN":
                yield Row(value=None, scorer=name, lacks="unscored", answer=answer, **about)
            else:
                yield Row(value=entry, scorer=name, answer=answer, **about)


def _reason(sample: Mapping[str, Any]) -> str:
    if sample.get("error"):
        return "errored"
    if sample.get("invalidation"):
        return "invalidated"
    if sample.get("completed") is False:
        return "cancelled"
    return ""


READER = Reader(
    "inspect",
    "an Inspect log",
    recognises,
    rows,
    "a score of one sample in one epoch, by scorer",
    kinds=("zip", "json"),
)
