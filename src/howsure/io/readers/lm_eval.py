"""lm-evaluation-harness: `samples_<task>_<time>.jsonl`, `results_<time>.json` beside it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from howsure.io.packed import may_read
from howsure.io.readers.base import (
    LONGEST_GLANCE,
    Glance,
    Header,
    Reader,
    Row,
    Rows,
    at,
    id_of,
    json_beside,
    json_lines,
)
from howsure.io.run_settings import settings_of

FILE = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl")
OWN = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash",
       "prompt_hash", "target_hash", "schema_version"}  # fmt: skip
"""Keys of a sample that are not metrics; files of 2024 do not say which the metrics are."""


def recognises(glance: Glance) -> bool:
    """Take lines of samples."""
    return {"doc_id", "resps", "target"} <= set(glance.first)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each document, filter and metric; repeats of a document are scored together, per filter."""
    named = FILE.fullmatch(glance.path.name)
    task = named["task"] if named else glance.path.stem
    results = _results(glance.path, named["time"] if named else None)
    header.model = header.model or _model(results, glance.path)
    header.task = task
    better = at(results, "higher_is_better", task)
    if isinstance(better, Mapping):
        header.higher_is_better |= {name: value for name, value in better.items() if isinstance(value, bool)}
    header.settings = _settings(results, task)
    for _, sample in json_lines(glance):
        known = sample.get("metrics")
        said = [metric for metric in known if isinstance(metric, str)] if isinstance(known, list) else []
        metrics = said or [key for key in sample if key not in OWN]
        answers = sample.get("filtered_resps")
        answer = answers[0] if isinstance(answers, list) and answers else None
        for metric in metrics:
            value = sample.get(metric)
            scored = isinstance(value, int | float | str)  # perplexities are pairs: no score of one document
            yield Row(
                id_of(sample["doc_id"]),
                value if scored else None,
                metric,
                str(sample.get("filter", "")),
                task=task,
                lacks="" if scored else "unscored",
                answer=answer if isinstance(answer, str) else None,
                check=str(sample.get("doc_hash", "")),
            )


def _results(path: Path, time: str | None) -> Mapping[str, Any]:
    """Return the results that were written at the same time, else the only ones in the folder."""
    beside = [entry for entry in sorted(path.parent.glob("results_*.json")) if may_read(entry)]
    own = [entry for entry in beside if time and entry.name == f"results_{time}.json"]
    chosen = own or (beside if len(beside) == 1 else [])
    if not chosen or chosen[0].stat().st_size > 16 * LONGEST_GLANCE:
        return {}
    found = json_beside(chosen[0], f"{chosen[0]} stands beside {path.name} but")
    return found if isinstance(found, Mapping) else {}


def _settings(results: Mapping[str, Any], task: str) -> dict[str, str]:
    """Return how the model was called and how the task was put to it."""
    config, own = at(results, "config") or {}, at(results, "configs", task) or {}
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(part.split("=", 1) for part in arguments.split(",") if "=" in part)
    shots = {"num_fewshot": at(results, "n-shot", task)}
    prompt = {key: own.get(key) for key in ("generation_kwargs", "doc_to_text", "description", "output_type")}
    whole = {key: results.get(key) for key in ("chat_template_sha", "system_instruction_sha", "fewshot_as_multiturn")}
    version = {"task_version": at(results, "versions", task)}
    parts = (arguments, config.get("gen_kwargs"), shots, prompt, whole, version)
    return settings_of(*(part for part in parts if isinstance(part, Mapping)))


def _model(results: Mapping[str, Any], path: Path) -> str:
    for found in (results.get("model_name"), at(results, "config", "model_name"), at(results, "config", "model")):
        if isinstance(found, str) and found.strip():
            return found
    return path.parent.name or path.stem


READER = Reader(
    "lm-eval",
    "a samples file of lm-evaluation-harness",
    recognises,
    rows,
    "a metric of one document, by filter",
    kinds=("json",),
)
