"""AlpacaEval annotations: a judge's preference between the outputs of two generators, from 1 (first) to 2 (second).

A draw is 1.5, and 0 in older files.
"""

from collections.abc import Mapping
from typing import Any

from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, array_of, id_of

KEYS = {"instruction", "generator_1", "generator_2", "preference"}


def recognises(glance: Glance) -> bool:
    """Take an array of objects with instruction, generators and preference."""
    return glance.is_array and set(glance.first) >= KEYS


def rows(glance: Glance, header: Header) -> Rows:
    """Yield two rows for each annotation: each generator's share of the preference; the shares add up to 1."""
    header.default = "preference"
    for entry in array_of(glance):
        share = _share(entry)
        judge = entry.get("annotator")
        for source, value in (("generator_1", None if share is None else 1 - share), ("generator_2", share)):
            yield answered(
                id_of(entry["instruction"]),
                value,
                "preference",
                absent="unscored",
                source=str(entry[source]),
                rater=judge if isinstance(judge, str) else None,
                check=str(entry.get("dataset", "")),
            )


def _share(entry: Mapping[str, Any]) -> float | None:
    """Return the share of the second generator; None where there is no preference, or none that it can be."""
    preference = entry.get("preference")
    if isinstance(preference, bool) or not isinstance(preference, str | int | float):
        return None
    number = float(preference) or 1.5
    return number - 1 if 1 <= number <= 2 else None


READER = Reader(
    "alpaca-eval", "AlpacaEval annotations", recognises, rows, "a generator's share of one preference", kinds=("json",)
)
