"""SWE-bench: a map of instances to true and false, or a report that lists the ids of instances by outcome."""

import re
from collections.abc import Mapping
from typing import Any

from howsure.io.json_files import JsonCursor
from howsure.io.readers.base import Glance, Header, Reader, Row, Rows

INSTANCE = re.compile(r"(instance_)?[\w.-]+__[\w.-]+")
LISTS = {"resolved_ids", "submitted_ids"}


def recognises(glance: Glance) -> bool:
    """Take a report with lists of ids, or an object of instances (owner__repository-number) and outcomes."""
    first = glance.first
    if set(first) >= LISTS:
        return True
    keys = list(first.items())[:20]
    return bool(keys) and all(isinstance(value, bool) and INSTANCE.fullmatch(key) for key, value in keys)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each instance; one without a patch, or with an error, has failed."""
    header.model = glance.path.stem
    with glance.open() as file:
        whole = JsonCursor(file, glance.name).value()
    outcomes: Mapping[str, Any] = whole
    if set(whole) >= LISTS:
        resolved = set(whole["resolved_ids"])
        outcomes = {item: item in resolved for item in whole["submitted_ids"]}
        header.model = str(whole.get("model_name_or_path") or header.model)
    for item, value in outcomes.items():
        lacks = "" if isinstance(value, bool) else "unscored"
        yield Row(str(item), None if lacks else value, "resolved", lacks=lacks)


READER = Reader("swe-bench", "SWE-bench results", recognises, rows, "one instance", kinds=("json",))
