"""From a question to a Python function: its options are keyword parameters, and the data come first."""

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from pathlib import Path
from textwrap import fill, indent, wrap
from threading import Lock
from typing import Any

from howsure import _check, _fields
from howsure._fields import Field
from howsure.errors import ArgumentError, DataError
from howsure.questions.base import Advance, Question, Run, cells_told, refuse_unknown
from howsure.questions.scores import ScoreFile

EXECUTION = {
    "workers": ("int | None", "Threads; default: one per core. The result does not depend on it."),
    "progress": (
        "Callable[[int, int], object] | None",
        "Called with the steps done and their total, as they are done.",
    ),
    "store": ("str | PathLike[str] | None", "Keep finished parts in this file, and continue from it the next time."),
}
"""Parameters that say how to compute: their types and help. They are no part of a question."""

THREADS = ("workers", "progress")
EXECUTED_WITH = {
    "compare": THREADS,
    "leaderboard": THREADS,
    "describe": THREADS,
    "scores": THREADS,
    "plan": ("workers", "store"),
    "audit": (*THREADS, "store"),
    "replicate": ("progress", "store"),
}
"""Which of them each function takes; the others take none."""

SEED = "Seed"
"""What the type of a seed is called: a whole number, None for fresh entropy, a SeedSequence or a Generator."""


def function_of(question: type[Question]) -> Callable[..., Any]:
    """Return the function that asks a question: data first, then its options by keyword."""
    execution = EXECUTED_WITH.get(question.function, ())
    keywords = [field.name for field in keyword_fields(question)]
    lists = [field.name for field in keyword_fields(question) if field.many]

    def ask(*data: Any, **options: Any) -> Any:
        refuse_unknown(question.function, options, [*keywords, *execution])
        how = {name: options.pop(name) for name in execution if name in options}
        given = {name: value for name, value in options.items() if not (value is None and name in lists)}
        asked = question.from_dict(_positional(question, data) | _seeded(given))
        return question.unpacked(asked.answer(_run(**how)), options)

    ask.__name__ = ask.__qualname__ = question.function
    ask.__module__ = "howsure"
    ask.__doc__ = _docstring(question)
    ask.__signature__ = _signature(question)  # type: ignore[attr-defined]
    return ask


def positional_field(question: type[Question]) -> Field | None:
    """Return the field that is passed without a name."""
    return next((field for field in _fields.fields_of(question) if field.option.positional), None)


def holds_data(field: Field) -> bool:
    """Whether a field that is passed without a name takes any number of files or data: it is `*data` in Python."""
    return field.many or bool(field.option.also)


def keyword_fields(question: type[Question]) -> list[Field]:
    """Return the fields that are passed by name, in the order of the command's help; required ones come first."""
    fields = [field for field in _fields.fields_of(question) if not field.option.positional]
    return sorted(fields, key=lambda field: (not field.required, bool(field.option.group)))


def annotation_of(field: Field) -> str:
    """Return the type that a field takes in Python.

    Examples
    --------
    >>> from howsure.questions import Compare
    >>> {field.name: annotation_of(field) for field in keyword_fields(Compare)}["metric"]
    'Many[str | Metric] | None'
    """
    if field.name == "seed":  # a whole number everywhere else; `_seeded` makes one of whatever Python passes
        return SEED
    option = field.option
    one = f"Literal[{', '.join(map(repr, option.allowed))}]" if option.choices else field.kind.__name__
    one += f" | {option.also}" if option.also else ""
    return (f"Many[{one}]" if field.many else one) + (" | None" if field.optional or field.many else "")


def default_of(field: Field) -> Any:
    """Return the default that Python shows: None for an empty list."""
    return None if field.default == () else field.default


def _signature(question: type[Question]) -> inspect.Signature:
    data, empty = positional_field(question), inspect.Parameter.empty
    parameters = []
    if data is not None:
        one, several = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL
        parameters = [inspect.Parameter("data", several) if holds_data(data) else inspect.Parameter(data.name, one)]
    defaults = {field.name: empty if field.required else default_of(field) for field in keyword_fields(question)}
    defaults |= dict.fromkeys(EXECUTED_WITH.get(question.function, ()))
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default) for name, default in defaults.items()
    ]
    return inspect.Signature([*parameters, *keywords])


def _docstring(question: type[Question]) -> str:
    """Return the docstring: the question's own, and the type and help of every parameter."""
    described = []
    if (data := positional_field(question)) is not None:
        kind = "paths, or data in memory" if data.option.also else _kind_in_words(data)
        described = [(f"{'*data' if holds_data(data) else data.name} : {kind}", data.option.help)]
    described += [(f"{field.name} : {_kind_in_words(field)}", field.option.help) for field in keyword_fields(question)]
    execution = EXECUTED_WITH.get(question.function, ())
    described += [
        (f"{name} : {EXECUTION[name][0].replace(' | None', '')}, optional", EXECUTION[name][1]) for name in execution
    ]
    lines = [inspect.cleandoc(question.__doc__ or ""), "", "Parameters", "----------"]
    for head, said in described:
        lines += [*wrap(head, 96, subsequent_indent="    ", break_on_hyphens=False), indent(fill(said, 92), "    ")]
    return "\n".join([*lines, "", f"On the command line: {question.examples[0]}", ""])


def _kind_in_words(field: Field) -> str:
    """Return the type of a field as docstrings write it: {'mean', 'median'}, default 'mean'."""
    if field.name == "seed":
        return "int, SeedSequence, Generator or None, default 0"
    option = field.option
    one = f"{{{', '.join(map(repr, option.allowed))}}}" if option.choices else field.kind.__name__
    one += f" or {option.also.replace(' | ', ' or ')}" if option.also else ""
    several = ", or a list of them" if field.many else ""
    default = default_of(field)
    ending = "" if field.required else ", optional" if default is None else f", default {default!r}"
    return one + several + ending


def _positional(question: type[Question], data: tuple[Any, ...]) -> dict[str, Any]:
    """Return the field that holds the data, whatever form they were passed in."""
    field = positional_field(question)
    if issubclass(question, ScoreFile):
        return {"file": _scores(data)}
    if field is not None and field.many:
        files = [file for entry in data for file in _files(entry)]
        if not field.option.also and not all(isinstance(file, str) for file in files):
            raise ArgumentError(f"{question.function} takes paths of files; got {type(data[0]).__name__}.")
        return {field.name: files}
    if len(data) > (field is not None):
        raise ArgumentError(f"{question.function} takes {'one' if field else 'no'} argument without a name.")
    return {field.name: data[0]} if field is not None and data else {}


def _files(data: Any) -> list[Any]:
    """Return paths as text, and data in memory as readers of files take them."""
    entries = data if isinstance(data, list | tuple) else [data]
    if entries and all(isinstance(entry, str | Path) for entry in entries):
        return [str(entry) for entry in entries]
    import numpy as np

    if isinstance(data, list | tuple | Mapping | np.ndarray):
        from howsure.io.reading import as_files

        return as_files(data)
    return [data]


def _scores(data: tuple[Any, ...]) -> Any:
    """Return a path, paired scores as they are, or the paired scores of two lists."""
    from howsure.paired import PairedScores

    if len(data) == 2:
        return PairedScores.from_arrays(*data)
    if len(data) != 1 or not isinstance(data[0], str | Path | PairedScores):
        got = ", ".join(type(entry).__name__ for entry in data) or "nothing"
        raise ArgumentError(f"scores takes a file, or two lists of scores; got {got}.")
    return str(data[0]) if isinstance(data[0], Path) else data[0]


def _seeded(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with a whole number as the seed: the one that replays what was passed."""
    seed = options.get("seed", 0)
    if seed is None or hasattr(seed, "generate_state") or hasattr(seed, "bit_generator"):
        from howsure._random import entropy_of, seed_of

        return options | {"seed": entropy_of(seed_of(seed))}
    return options


def _run(workers: int | None = None, progress: Callable[[int, int], object] | None = None, store: Any = None) -> Run:
    """Return how to compute: here, on threads, and with a store of finished parts if there is one."""
    _check.callback("progress", progress)
    if store is not None and not isinstance(store, str | PathLike):
        raise ArgumentError(f"`store` must be a path; got {type(store).__name__}.")

    def shown(label: str, total: int) -> AbstractContextManager[Advance]:
        done, lock = 0, Lock()

        def advance(more: int) -> None:
            nonlocal done
            with lock:
                done += more
                if progress is not None:
                    progress(done, total)

        return nullcontext(advance)

    def study(task: Any, grid: Any, seed: int) -> Any:
        from howsure._random import n_workers
        from howsure.sweeps import run

        with cells_told(shown, "computing", len(grid)) as tell:
            sweep = run(task.on(n_workers(workers)), grid, store=store, rng=seed, progress=tell)
        if sweep.failures:
            raise DataError(f"{len(sweep.failures)} of {len(sweep.rows)} parts failed: {sweep.failures[0].error}")
        return sweep

    return Run(workers, shown, None if store is None else study, store is not None)
