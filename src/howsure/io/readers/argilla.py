"""Argilla records: `to_json`, or the flattened dataset with `<question>.responses` as JSON or JSON Lines."""

from collections.abc import Iterator, Mapping
from typing import Any

from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, answered, array_of, id_of, json_lines

SUBMITTED = "submitted"
FLAT, GUESS = ".responses", ".suggestion"


def recognises(glance: Glance) -> bool:
    """Take records with `responses` and `suggestions` by question, or columns such as `quality.responses.users`."""
    keys = set(glance.first)
    flat = any(key.endswith((f"{FLAT}.users", f"{GUESS}.agent")) for key in keys)
    return flat or {"fields", "responses", "suggestions"} <= keys


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each response, and for each suggestion as its agent's answer."""
    records = array_of(glance) if glance.is_array else (entry for _, entry in json_lines(glance))
    flat = not {"responses", "suggestions"} <= set(glance.first)
    if not flat:
        header.notes.append(
            f"{glance.name} does not say which responses were submitted: Argilla's to_json leaves out their status, so "
            "drafts count as responses."
        )
    for record in records:
        item = id_of(record["id"])
        yield from _flat(record, item) if flat else _nested(record, item)


def _nested(record: Mapping[str, Any], item: str) -> Iterator[Row]:
    for question, answers in (record.get("responses") or {}).items():
        for answer in answers or ():
            yield from _answer(item, question, answer.get("value"), "human", answer.get("user_id"))
    for question, guess in (record.get("suggestions") or {}).items():
        yield from _answer(item, question, guess.get("value"), str(guess.get("agent") or "suggestion"), None)


def _flat(record: Mapping[str, Any], item: str) -> Iterator[Row]:
    ends = {key: end for key in record for end in (FLAT, GUESS) if key.endswith(end)}
    for question in dict.fromkeys(key.removesuffix(end) for key, end in ends.items()):
        key = question + FLAT
        answers = record.get(key) or []
        people = record.get(f"{key}.users") or [None] * len(answers)
        states = record.get(f"{key}.status") or [None] * len(answers)
        for value, person, state in zip(answers, people, states, strict=True):
            if state in (SUBMITTED, None):
                yield from _answer(item, question, value, "human", person)
            else:
                yield Row(item, None, question, source="human", rater=_text(person), lacks=str(state))
        guess = record.get(question + GUESS)
        if guess is not None:
            agent = record.get(f"{question}{GUESS}.agent")
            yield from _answer(item, question, guess, str(agent or "suggestion"), None)


def _answer(item: str, question: str, value: Any, source: str, rater: Any) -> Iterator[Row]:
    values = value if isinstance(value, list) else [value]
    for number, given in enumerate(values):
        # a span has a label, a ranked value has a value
        entry = given.get("label", given.get("value")) if isinstance(given, Mapping) else given
        yield answered(item, entry, question, source=source, rater=_text(rater), repeat=number)
    if not values:
        yield answered(item, None, question, source=source, rater=_text(rater))


def _text(rater: Any) -> str | None:
    return None if rater is None else str(rater)


READER = Reader(
    "argilla",
    "Argilla records",
    recognises,
    rows,
    "a response of one user to one question",
    personal=True,
    kinds=("json",),
)
