"""HumanEval results: JSON Lines with `task_id` and `passed`; rows of one task are further samples of the model."""

from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, id_of, json_lines


def recognises(glance: Glance) -> bool:
    """Take lines with a task, a completion or result, and whether it passed."""
    keys = set(glance.first)
    return not glance.is_array and {"task_id", "passed"} <= keys and bool({"completion", "result"} & keys)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each sample."""
    header.model, header.task = glance.path.stem, "HumanEval"
    for _, sample in json_lines(glance):
        yield answered(id_of(sample["task_id"]), sample.get("passed"), "passed", absent="unscored")


READER = Reader("human-eval", "HumanEval results", recognises, rows, "one sample of one task", kinds=("json",))
