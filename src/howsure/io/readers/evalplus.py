"""EvalPlus results: `eval` maps each task to its samples, scored by the base tests and by more of them (plus)."""

from collections.abc import Mapping

from howsure.io.json_files import JsonCursor
from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, at

PASSED = ("pass", "success", "passed")


def recognises(glance: Glance) -> bool:
    """Take an object whose `eval` holds base and plus results by task."""
    tasks = glance.first.get("eval")
    first = next(iter(tasks.values()), None) if isinstance(tasks, Mapping) else None
    entry = first[0] if isinstance(first, list) and first else first
    return isinstance(entry, Mapping) and bool({"base", "plus", "base_status", "plus_status"} & set(entry))


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each task, sample and set of tests; a sample that timed out has failed."""
    header.model, header.default = glance.path.stem, "plus"
    with glance.open() as file:
        whole = JsonCursor(file, glance.name).value()
    for task, entry in at(whole, "eval").items():
        for scorer in ("base", "plus"):
            for number, status in enumerate(_statuses(entry, scorer)):
                lacks = "" if isinstance(status, str) else "unscored"
                yield Row(str(task), None if lacks else status in PASSED, scorer, repeat=number, lacks=lacks)


def _statuses(entry: object, scorer: str) -> list[object]:
    """Return the outcome of each sample: older files have lists of [status, details], newer ones a key for each."""
    if isinstance(entry, list):
        return [at(sample, f"{scorer}_status") for sample in entry]
    listed = at(entry, scorer)
    return [part[0] if isinstance(part, list) and part else part for part in listed] if isinstance(listed, list) else []


READER = Reader("evalplus", "EvalPlus results", recognises, rows, "one sample of one task, by tests", kinds=("json",))
