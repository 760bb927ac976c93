"""Label Studio exports (JSON): annotations by people, predictions by models."""

from collections.abc import Iterator, Mapping
from typing import Any

from howsure.io.json_files import JsonCursor
from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, array_of, at, digest, id_of

KEYS = ("choices", "rating", "number", "text", "labels", "taxonomy")


def recognises(glance: Glance) -> bool:
    """Take a task, or an array of tasks: `data` beside `annotations` (`completions` before 2021) or `predictions`."""
    return "data" in glance.first and bool({"annotations", "completions", "predictions"} & set(glance.first))


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each annotation and question; predictions are the models' rows."""
    for task in array_of(glance) if glance.is_array else [_whole(glance)]:
        item = id_of(task["id"]) if "id" in task else digest(task.get("data"))  # imports have no ids
        for note in task.get("annotations") or task.get("completions") or ():
            source = "ground truth" if note.get("ground_truth") else "human"
            yield from _results(note, item, source, _person(note.get("completed_by")))
        for guess in task.get("predictions") or ():
            yield from _results(guess, item, str(guess.get("model_version") or "predictions"), None)


def _results(note: Mapping[str, Any], item: str, source: str, rater: str | None) -> Iterator[Row]:
    if note.get("was_cancelled"):
        yield Row(item, None, source=source, rater=rater, lacks="cancelled")
        return
    found = False
    for result in note.get("result") or ():
        value = result.get("value")
        key = next((key for key in KEYS if isinstance(value, Mapping) and key in value), None)
        if key is None:
            continue
        entries = value[key] if isinstance(value[key], list) else [value[key]]
        for number, entry in enumerate(entries):
            found = True
            path = " / ".join(map(str, entry)) if isinstance(entry, list) else entry  # a place in a taxonomy
            yield Row(item, path, str(result.get("from_name", "")), source=source, rater=rater, repeat=number)
    if not found:
        yield Row(item, None, source=source, rater=rater, lacks="empty")


def _person(who: Any) -> str | None:
    found = (at(who, "id") or at(who, "email")) if isinstance(who, Mapping) else who
    return None if found is None else str(found)


def _whole(glance: Glance) -> dict[str, Any]:
    with glance.open() as file:
        return dict(JsonCursor(file, glance.name).value())


READER = Reader(
    "label-studio",
    "a Label Studio export",
    recognises,
    rows,
    "an answer of one annotator to one question",
    personal=True,
    kinds=("json",),
)
