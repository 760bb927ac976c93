"""Terminal-Bench results: `results.json` with one entry for each task and trial."""

import re
from collections.abc import Mapping

from howsure.documents.numbers import counted
from howsure.io.packed import may_read
from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, array_of, at, id_of, json_beside

TRIAL = re.compile(r"\.(\d+)-of-\d+\.")


def recognises(glance: Glance) -> bool:
    """Take an object whose results have a trial name, and whether the task was resolved."""
    first = glance.first.get("results")
    entry = first[0] if isinstance(first, list) and first else None
    return isinstance(entry, Mapping) and {"trial_name", "task_id", "is_resolved"} <= set(entry)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each task and trial; null counts as failed, which is the benchmark's own rule."""
    header.model, silent = _model(glance), 0
    for entry in array_of(glance, "results"):
        resolved = entry.get("is_resolved")
        silent += resolved is None
        number = TRIAL.search(str(entry.get("trial_name", "")))
        repeat = float(number[1]) if number else None
        yield Row(id_of(entry["task_id"]), bool(resolved), "resolved", repeat=repeat)
    if silent:
        header.notes.append(
            f"{glance.name}: {counted(silent, 'trial')} without a result count{'s' * (silent == 1)} as failed, as the "
            "benchmark does."
        )


def _model(glance: Glance) -> str:
    """Return the model that the run names, else the folder of the runs."""
    beside = glance.path.with_name("run_metadata.json")
    found = at(json_beside(beside, str(beside)), "model_name") if may_read(beside) and beside.is_file() else None
    return found if isinstance(found, str) and found else glance.path.resolve().parent.parent.name or glance.path.stem


READER = Reader("terminal-bench", "Terminal-Bench results", recognises, rows, "one trial of one task", kinds=("json",))
