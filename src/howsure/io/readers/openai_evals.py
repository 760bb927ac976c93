"""OpenAI evals: a JSON Lines record whose first line is the specification and whose second may be the final report."""

from collections.abc import Mapping

from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, answered, at, id_of, json_lines


def recognises(glance: Glance) -> bool:
    """Take a first line with `spec.completion_fns`."""
    return isinstance(at(glance.first, "spec", "completion_fns"), list)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each match or metrics event; a sample with other events only is unscored."""
    header.model = glance.path.stem
    seen: dict[str, bool] = {}
    for _, event in json_lines(glance):
        spec = event.get("spec")
        if isinstance(spec, Mapping):
            models = spec.get("completion_fns")
            header.model = ", ".join(map(str, models)) if isinstance(models, list) and models else header.model
            header.task = str(spec.get("eval_name", ""))
            if spec.get("run_id"):
                header.run = f"{spec['run_id']} {header.task} {header.model}"
        if event.get("sample_id") is None:
            continue
        item, kind, data = id_of(event["sample_id"]), event.get("type"), event.get("data")
        seen.setdefault(item, False)
        if kind == "match":
            seen[item] = True
            right, picked = at(data, "correct"), at(data, "picked")
            yield answered(item, right, "match", absent="unscored", answer=picked)
        elif kind == "metrics" and isinstance(data, Mapping):
            for name, value in data.items():
                if isinstance(value, bool | int | float):
                    seen[item] = True
                    yield Row(item, value, str(name))
        elif kind == "error":
            seen[item] = True
            yield Row(item, None, lacks="errored")
    yield from (Row(item, None, lacks="unscored") for item, scored in seen.items() if not scored)


READER = Reader(
    "openai-evals", "a record of OpenAI evals", recognises, rows, "a match or metric of one sample", kinds=("json",)
)
