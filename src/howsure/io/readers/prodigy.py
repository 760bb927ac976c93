"""Prodigy annotations: JSON Lines with `_input_hash` and `answer`."""

from typing import Any

from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, id_of, json_lines


def recognises(glance: Glance) -> bool:
    """Take lines with `_input_hash` and `answer`."""
    return {"_input_hash", "answer"} <= set(glance.first)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each annotation: the choices that were accepted, else accept or reject of the label shown."""
    spans = 0
    for _, task in json_lines(glance):
        # Accepting or rejecting spans that are shown is a question about those spans: one text may have several.
        shown = isinstance(task.get("spans"), list) and "accept" not in task and "_task_hash" in task
        spans += shown
        item, rater = (
            id_of(task["_task_hash" if shown else "_input_hash"]),
            task.get("_annotator_id") or task.get("_session_id"),
        )
        about: dict[str, Any] = {
            "item": item,
            "source": "human",
            "rater": None if rater is None else str(rater),
            "check": id_of(task.get("text", task.get("html", task.get("image", "")))),
        }
        answer, choices = task.get("answer"), task.get("accept")
        if answer == "ignore" or answer is None:
            yield Row(value=None, scorer=str(task.get("label", "")), lacks="ignored", **about)
        elif isinstance(choices, list) and answer == "accept":
            if not choices:
                yield Row(value=None, lacks="empty", **about)
            for number, choice in enumerate(choices):
                yield Row(value=choice, repeat=number, **about)
        elif isinstance(choices, list):
            yield Row(value=None, lacks="rejected", **about)
        else:
            yield Row(value=str(answer), scorer=str(task.get("label", "")), **about)
    if spans:
        header.notes.append(f"{glance.name}: the spans of {spans:,} tasks are left out; only their answer is compared.")


READER = Reader(
    "prodigy", "Prodigy annotations", recognises, rows, "an annotation by one annotator", personal=True, kinds=("json",)
)
