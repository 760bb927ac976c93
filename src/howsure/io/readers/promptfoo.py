"""promptfoo: `output.json` or `.jsonl`. Repeats are rows with the same variables and prompt; they have no number."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, array_of, at, id_of, json_lines

NO_PROVIDER = "provider"
ERROR = 2
"""promptfoo's failure reason for a call that failed, as opposed to an assertion."""


def recognises(glance: Glance) -> bool:
    """Take an object with `evalId` or `results.results`, or lines with `provider`, `vars` and `success`."""
    if {"provider", "vars", "success"} <= set(glance.first):
        return not glance.is_array
    inner = glance.first.get("results")
    if isinstance(inner, list):
        return {"version", "table"} <= set(glance.first) and {"vars", "prompt"} <= set(inner[0] if inner else ())
    if isinstance(inner, Mapping) and {"version", "results", "table"} <= set(inner):
        return True
    return "evalId" in glance.first or (isinstance(inner, Mapping) and {"results", "prompts"} <= set(inner))


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each result and score; the sources are the providers, or the prompts of a single provider."""
    prompts, providers = _seen(glance)
    by_prompt = len(providers) == 1 and len(prompts) > 1
    if by_prompt:
        header.notes.append(f"{glance.name} has one provider, {next(iter(providers))}, so its prompts are the sources.")
    runs: Counter[tuple[str, str]] = Counter()
    for result in _results(glance):
        prompt, provider = _prompt(result), _provider(result)
        item = _item(result, prompt if len(prompts) > 1 and not by_prompt else "")
        source = id_of(prompt) if by_prompt else provider
        runs[item, source] += 1
        failed = result.get("failureReason") == ERROR or (result.get("error") and not result.get("gradingResult"))
        scores = {name: result.get(name) for name in ("score", "success") if name in result or name == "success"}
        header.default = header.default or next(iter(scores))  # version 1 has no scores
        named = result.get("namedScores")
        scores |= dict(named) if isinstance(named, Mapping) else {}
        answer = at(result, "response", "output")
        about: dict[str, Any] = {"source": source, "repeat": runs[item, source]}
        about |= {"answer": answer if isinstance(answer, str) else None, "absent": "errored" if failed else "unscored"}
        for scorer, value in scores.items():
            yield answered(item, None if failed else value, scorer, **about)


def _results(glance: Glance) -> Iterator[dict[str, Any]]:
    if {"provider", "vars", "success"} <= set(glance.first):
        return (entry for _, entry in json_lines(glance))
    path = ("results", "results") if isinstance(glance.first.get("results"), Mapping) else ("results",)
    return array_of(glance, *path)


def _seen(glance: Glance) -> tuple[dict[str, None], dict[str, None]]:
    prompts, providers = dict[str, None](), dict[str, None]()
    for result in _results(glance):
        prompts[_prompt(result)] = providers[_provider(result)] = None
    return prompts, providers


def _prompt(result: Mapping[str, Any]) -> str:
    prompt = result.get("prompt")
    return str(at(prompt, "label") or result.get("promptId") or at(prompt, "display") or at(prompt, "raw") or "")


def _provider(result: Mapping[str, Any]) -> str:
    provider = result.get("provider", NO_PROVIDER)  # versions 1 and 2 name it in the configuration only
    return str(provider.get("label") or provider["id"]) if isinstance(provider, Mapping) else str(provider)


def _item(result: Mapping[str, Any], prompt: str) -> str:
    values = result.get("vars") or at(result, "testCase", "vars") or {}
    parts = [str(value) for value in values.values()] if len(values) == 1 else [f"{k}={v}" for k, v in values.items()]
    return id_of(" | ".join([", ".join(parts) or str(result.get("testIdx", "")), *([prompt] if prompt else [])]))


READER = Reader(
    "promptfoo",
    "promptfoo results",
    recognises,
    rows,
    "a score of one test by one provider and repeat",
    kinds=("json",),
)
