"""tau-bench trajectories (an array of trials) and tau2 results (`simulations` beside `info`)."""

from collections.abc import Iterator, Mapping
from typing import Any

from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, array_of, at, id_of
from howsure.io.run_settings import settings_of


def recognises(glance: Glance) -> bool:
    """Take an array of tasks with reward and trial, or an object with simulations of tasks."""
    if glance.is_array:
        return {"task_id", "reward", "trial"} <= set(glance.first)
    first = glance.first.get("simulations")
    return isinstance(first, list) and bool(first) and {"task_id", "reward_info"} <= set(at(first[0]) or ())


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each task and trial."""
    header.model = glance.path.stem
    for entry in _trials(glance, header):
        newer = "reward_info" in entry and "reward" not in entry
        reward = at(entry, "reward_info", "reward") if newer else entry.get("reward")
        trial = entry.get("trial")
        repeat = float(trial) if isinstance(trial, int | float) else None
        yield answered(id_of(entry["task_id"]), reward, "reward", absent="unscored", repeat=repeat)


def _trials(glance: Glance, header: Header) -> Iterator[dict[str, Any]]:
    if glance.is_array:
        yield from array_of(glance)
        return
    seen: dict[str, Any] = {}
    yield from array_of(glance, "simulations", header=seen)
    info = at(seen, "info")
    model = at(info, "agent_info", "llm")
    header.model = model if isinstance(model, str) and model else header.model
    task = at(info, "environment_info", "domain_name")
    header.task = task if isinstance(task, str) else ""
    user = at(info, "user_info")
    header.settings = settings_of(at(info, "agent_info", "llm_args"), {"user": at(user, "llm")} if user else None)
    if isinstance(user, Mapping):
        header.settings |= {f"user {key}": value for key, value in settings_of(at(user, "llm_args")).items()}


READER = Reader("tau-bench", "tau-bench trajectories", recognises, rows, "the reward of one trial", kinds=("json",))
