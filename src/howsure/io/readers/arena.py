"""Votes between two models (Chatbot Arena): `model_a`, `model_b` and `winner`, as an array or as lines."""

from collections.abc import Iterator
from typing import Any

from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, array_of, id_of, json_lines

SHARE = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5, "tie (bothbad)": 0.5, "both_bad": 0.5, "bothbad": 0.5}
IDS = ("question_id", "conversation_id", "id", "battle_id")


def recognises(glance: Glance) -> bool:
    """Take records with both models and the winner."""
    return {"model_a", "model_b", "winner"} <= set(glance.first)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield two rows for each vote: each model's share of it; a is shown on the left."""
    header.default = "preference"
    for number, vote in enumerate(_votes(glance)):
        item = next((id_of(vote[key]) for key in IDS if vote.get(key) is not None), str(number + 1))
        share = SHARE.get(str(vote.get("winner")).lower())
        judge = vote.get("judge", vote.get("user"))
        for source, value in (("model_a", share), ("model_b", None if share is None else 1 - share)):
            yield answered(
                item, value, "preference", absent="unscored", source=str(vote[source]),
                rater=None if judge is None else str(judge),
            )  # fmt: skip


def _votes(glance: Glance) -> Iterator[dict[str, Any]]:
    return array_of(glance) if glance.is_array else (vote for _, vote in json_lines(glance))


READER = Reader(
    "arena", "votes between two models", recognises, rows, "a model's share of one vote", kinds=("json",), personal=True
)
