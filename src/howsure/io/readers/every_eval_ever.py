"""Every Eval Ever samples (JSON Lines): one evaluation of one sample by one model in each line."""

from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, at, id_of, json_lines

KEYS = {"evaluation_id", "model_id", "sample_id", "evaluation"}


def recognises(glance: Glance) -> bool:
    """Take lines with evaluation, model and sample."""
    return not glance.is_array and set(glance.first) >= KEYS


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each sample."""
    for _, entry in json_lines(glance):
        header.model = header.model or str(entry["model_id"])
        header.task = header.task or str(entry.get("evaluation_name") or "")
        header.run = header.run or f"{glance.path.name} {entry['evaluation_id']}"
        failed = bool(entry.get("error"))
        yield answered(
            id_of(entry["sample_id"]),
            None if failed else at(entry, "evaluation", "score"),
            "score",
            absent="errored" if failed else "unscored",
            source=str(entry["model_id"]),
            check=str(entry.get("sample_hash") or ""),
        )


READER = Reader("every-eval-ever", "Every Eval Ever samples", recognises, rows, "one sample", kinds=("json",))
