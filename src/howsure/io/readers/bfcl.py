"""Berkeley Function-Calling Leaderboard: a score file lists failures only; the result file has every item."""

import re

from howsure.errors import DataError
from howsure.io.packed import may_read
from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, at, id_of, json_lines

TOTALS = {"accuracy", "correct_count", "total_count"}


def recognises(glance: Glance) -> bool:
    """Take lines that begin with the totals."""
    return not glance.is_array and set(glance.first) >= TOTALS


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each item of the result file: wrong if the score file lists it, else right."""
    header.model = glance.path.parent.name
    header.task = re.sub(r"_score$", "", glance.path.stem)
    lines = [entry for _, entry in json_lines(glance)]
    failed = {id_of(at(entry, "prompt", "id") or entry.get("id")) for entry in lines[1:]}
    known = [id_of(entry["id"]) for _, entry in json_lines(_results(glance, header.task))]
    strange = failed - set(known)
    if strange:
        raise DataError(f"{glance.name}: item {sorted(strange)[0]} failed, but it is not in the result file.")
    for item in known:
        yield Row(item, item not in failed, "correct")


def _results(glance: Glance, task: str) -> Glance:
    """Return the result file of the same model and task: result/MODEL beside score/MODEL."""
    folder = glance.path.resolve().parents[1].parent / "result" / glance.path.resolve().parent.name
    found = [entry for entry in sorted(folder.glob(f"*{task}_result.json")) if may_read(entry)]
    if not found:
        raise DataError(f"{glance.name} lists failures only; {folder}/*{task}_result.json with all items is not there.")
    return Glance(found[0])


READER = Reader("bfcl", "a BFCL score file", recognises, rows, "one item", kinds=("json",))
