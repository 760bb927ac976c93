"""MT-Bench judgments (JSON Lines): scores of single answers, or the winners of two games in both orders."""

from collections.abc import Mapping
from typing import Any

from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, json_lines

SINGLE, PAIR = {"question_id", "model", "judge", "score"}, {"question_id", "model_1", "model_2", "g1_winner"}
SHARE = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}


def recognises(glance: Glance) -> bool:
    """Take lines of single or paired judgments."""
    keys = set(glance.first)
    return not glance.is_array and (keys >= SINGLE or keys >= PAIR)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each scored turn, or two for each game: each model's share of the win.

    In the first game model_1 is shown first, in the second one second; the games are the repeats 1 and 2.
    """
    for _, entry in json_lines(glance):
        turn = entry.get("turn")
        item = str(entry["question_id"]) if turn is None else f"{entry['question_id']} turn {turn}"
        about: dict[str, Any] = {"rater": _judge(entry), "absent": "unscored"}
        if "score" in entry:
            score = entry["score"]
            valid = isinstance(score, int | float) and score >= 0
            yield answered(item, score if valid else None, "score", source=str(entry["model"]), **about)
            continue
        header.default = "preference"
        for game in (1, 2):
            share = SHARE.get(str(entry.get(f"g{game}_winner")))
            for source, value in (("model_1", share), ("model_2", None if share is None else 1 - share)):
                yield answered(item, value, "preference", source=str(entry[source]), repeat=game, **about)


def _judge(entry: Mapping[str, Any]) -> str | None:
    """Return the judge; the second entry of the list is its prompt."""
    judge = entry.get("judge")
    first = judge[0] if isinstance(judge, list) and judge else judge
    return first if isinstance(first, str) else None


READER = Reader("mt-bench", "MT-Bench judgments", recognises, rows, "a score, or a share of one game", kinds=("json",))
