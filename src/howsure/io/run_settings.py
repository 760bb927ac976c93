"""Settings of runs: what was asked of a model, apart from the items; and what two runs of one model differ in.

A reader gives what its log says (`settings_of`). What differs between runs of one model on one task makes conditions:
they are separate models, unless the user pools them. A seed is a run and no setting.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from howsure.io.readers.base import digest, text_of

ABSENT = "–"
"""A setting that a log does not have; equal to nothing else."""

ALL = "all"
INPUT = "input"
"""What `pool` takes beside names of settings: every setting, and questions that differ under one id."""

LONGEST = 24
"""Longer values are shown by their digest."""

BOOKKEEPING = re.compile(
    r"(.*[_-])?(seed|seeds|id|ids|uuid|dir|path|file|folder|time|date|created|batch_size|batch_sizes|device|devices"
    r"|use_cache|cache|limit|samples|sample_ids|log|url|port|host|api_key|key|token|tokens_per_minute|retries|timeout_ms"
    r"|connections|workers|threads|revision|version_hash|bootstrap_iters|verbosity|pretrained|num_concurrent"
    r"|max_retries|max_connections|eos_string|tokenizer_backend|tokenized_requests|parallelize|trust_remote_code)"
    r"|log_.*|max_samples|epochs|epochs_reducer|fail_on_error|continue_on_fail|sandbox_cleanup|score_display|model"
)
"""Keys that say where, when and by which machine a run was made, not what was asked."""

KEPT = re.compile(r"agent_url|(message|token|time|working|cost)_limit|timeout")
"""Keys that look like bookkeeping and are settings."""


def settings_of(*parts: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the settings in parts of a log, each by its last key; a later part does not change an earlier one.

    Examples
    --------
    >>> settings_of({"temperature": 0.0, "seed": 3}, {"solver": {"steps": 2, "log_dir": "/x"}})
    {'temperature': '0', 'steps': '2'}
    """
    found: dict[str, str] = {}
    for part in parts:
        for key, value in _leaves(part or {}):
            known = KEPT.fullmatch(key) or not BOOKKEEPING.fullmatch(key)
            if known and value is not None and not (isinstance(value, str) and value.startswith(("/", "~"))):
                found.setdefault(key, _shown(value))
    return found


def _leaves(part: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for key, value in part.items():
        if isinstance(value, Mapping):
            yield from _leaves(value)
        else:
            yield str(key), value


def _shown(value: Any) -> str:
    text = text_of(value)
    return text if len(text) <= LONGEST and "\n" not in text else digest(value)


def differing(runs: Sequence[Mapping[str, str]], pool: Sequence[str] = ()) -> list[str]:
    """Return the keys in which runs differ, apart from those that are pooled.

    Of keys that always differ together the first is enough: a temperature that both the task and the solver name.
    """
    if ALL in pool:
        return []
    keys = dict.fromkeys(key for run in runs for key in run)
    columns: dict[tuple[str, ...], str] = {}
    for key in keys:
        values = tuple(run.get(key, ABSENT) for run in runs)
        if len(set(values)) > 1 and key not in pool:
            columns.setdefault(values, key)
    return list(columns.values())


def condition(run: Mapping[str, str], keys: Sequence[str]) -> str:
    """Return the settings of a run in these keys: "with_background=true temperature=–"."""
    return " ".join(f"{key}={run.get(key, ABSENT)}" for key in keys)
