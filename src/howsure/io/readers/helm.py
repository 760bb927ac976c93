"""HELM run folders: `per_instance_stats.json` beside `run_spec.json`."""

import re
from collections.abc import Mapping

from howsure.io.packed import may_read
from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, array_of, at, id_of, json_beside
from howsure.io.run_settings import settings_of

SPEC = "run_spec.json"
BOOKKEEPING = re.compile(
    r"num_.*|training_.*|inference_.*|batch_size|finish_reason_.*|logprob.*|max_prob|predicted_index|prompt_truncated"
    r"|.*_runtime|.*_cost|perplexity|bits_per_byte"
)
"""Statistics that describe the request, not how good the answer is."""


def recognises(glance: Glance) -> bool:
    """Take an array of statistics by instance."""
    return glance.is_array and {"instance_id", "stats"} <= set(glance.first)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each instance, trial and statistic; perturbed copies of an instance are left out."""
    _fill(header, glance)
    perturbed = 0
    for entry in array_of(glance):
        item, trial = id_of(entry["instance_id"]), entry.get("train_trial_index", 0)
        for stat in entry["stats"]:
            name = at(stat, "name", "name")
            if not isinstance(name, str) or BOOKKEEPING.fullmatch(name):
                continue
            if at(stat, "name", "perturbation"):
                perturbed += 1
                continue
            lacks = "" if stat.get("count") and stat.get("mean") is not None else "unscored"
            yield Row(item, None if lacks else stat["mean"], name, repeat=float(trial), lacks=lacks)
    if perturbed:
        header.notes.append(f"{glance.name}: {perturbed:,} statistics of perturbed copies of items are passed over.")


def _fill(header: Header, file: Glance) -> None:
    path = file.path.parent / SPEC
    header.model = file.path.parent.name
    if not (may_read(path) and path.is_file()):
        return
    spec = json_beside(path, str(path))
    model = at(spec, "adapter_spec", "model") or at(spec, "adapter_spec", "model_deployment")
    header.model = model if isinstance(model, str) and model else header.model
    adapter = at(spec, "adapter_spec")
    if isinstance(adapter, Mapping):
        others = {key: value for key, value in adapter.items() if key not in ("model", "model_deployment")}
        header.settings = settings_of({key: value for key, value in others.items() if not key.startswith("max_eval")})
    name = spec.get("name") if isinstance(spec, Mapping) else None
    header.task = re.sub(r",?model(_deployment)?=[^,]*", "", name) if isinstance(name, str) else ""


READER = Reader("helm", "a HELM run", recognises, rows, "a statistic of one instance in one trial", kinds=("json",))
