"""What every question is: a frozen record of options that can be written, read back, and answered."""

import inspect
import math
import shlex
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from howsure import _check, _fields
from howsure.errors import ArgumentError

if TYPE_CHECKING:
    from howsure.records import Record
    from howsure.sweeps import Counts, Grid, Sweep, Task

Advance = Callable[[int], object]
Progress = Callable[[str, int], AbstractContextManager[Advance]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Run:
    """How a question is computed, which does not change its answer.

    Attributes
    ----------
    workers : int, optional
        Threads; one per core if left out.
    progress : callable
        `progress(label, total)` is a context that gives a function to be told how much more is done.
    study : callable, optional
        `study(task, grid, seed)` computes many cells: in a store, on processes, on a cluster. Here and now if left out.
    study_asked : bool
        Whether the user asked for a store or a cluster, so that a question that cannot use one says so.
    """

    workers: int | None = None
    progress: Progress = lambda label, total: nullcontext(lambda n: None)
    study: "Callable[[Task, Grid, int], Sweep] | None" = None
    study_asked: bool = False


@contextmanager
def cells_told(run_progress: Progress, label: str, n_cells: int) -> "Iterator[Callable[[Counts], None]]":
    """Give what a sweep is to tell its counts: progress moves by hundredths of cells, which may take minutes each."""
    known = 0
    with run_progress(label, 100 * n_cells) as advance:

        def tell(counts: "Counts") -> None:
            nonlocal known
            now = math.floor(100 * (counts.done + counts.failed + counts.begun) + 1e-6)
            if now > known:
                advance(now - known)
                known = now

        yield tell


HERE = Run()
"""Here and now: all cores, no progress, no store."""


def seed_option(answer: str = "result") -> Any:
    """Return the field of a seed, which every question with dice has."""
    return _fields.option(0, f"Random seed. The same seed gives the same {answer}.", at_least=0)


@dataclass(frozen=True, slots=True)
class Written:
    """A file that an answer can be written to, beside its chart and report: a model, a table.

    It is no field of the question, because it does not change the answer; the web offers it as a download.

    Attributes
    ----------
    name : str
        What the option is called.
    help : str
    endings : tuple of str
        What the file may end in; the first is what the web offers.
    """

    name: str
    help: str
    endings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Question(_fields.Checked):
    """A question: what is asked of which data, and everything else that decides the answer.

    Attributes
    ----------
    name : str
        What the command line and the web call it.
    function : str
        The name of its function in `howsure`; empty where there is none.
    examples : tuple of str
        Two commands that run, for the end of the help.
    written : Written or None
        A file that `write` makes of the answer.
    reads_settings : bool
        Whether its command reads options from a file of settings of scores (`--config`).
    """

    name: ClassVar[str]
    function: ClassVar[str] = ""
    examples: ClassVar[tuple[str, ...]] = ()
    written: ClassVar[Written | None] = None
    reads_settings: ClassVar[bool] = False

    @property
    def result(self) -> str:
        """The name of the answer's type, as `answer` declares it; where that names several types, which of them."""
        return str(type(self).answer.__annotations__["return"]).rpartition(".")[2]

    @abstractmethod
    def answer(self, run: Run = HERE) -> "Record":
        """Compute the result."""

    def call(self, function: Callable[..., T], *data: Any, **other: Any) -> T:
        """Call a function with every field that it takes by the same name, and the seed as `rng`; `other` wins."""
        fields = {field.name: getattr(self, field.name) for field in _fields.fields_of(type(self))}
        fields["rng"] = fields.get("seed")
        taken = inspect.signature(function).parameters
        return function(*data, **{name: value for name, value in fields.items() if name in taken} | other)

    @staticmethod
    def unpacked(found: Any, options: Mapping[str, Any]) -> Any:
        """Return what the Python function returns for these options: the answer, or the only entry of a list."""
        return found

    def data(self) -> Any:
        """Read the responses that the question is about, for its report; None where there are none."""
        return None

    def write(self, result: Any, path: str) -> None:
        """Write the file that `written` names."""
        raise ArgumentError(f"{self.name} writes no file.")

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make the question from its fields by name; what is left out has its default, and unknown names are errors."""
        known = {field.name: field for field in _fields.fields_of(cls)}
        refuse_unknown(cls.name, content, known)
        missing = [name for name, field in known.items() if field.required and name not in content]
        if missing:
            raise ArgumentError(f"{cls.name} needs {', '.join(f'`{name}`' for name in missing)}.")
        return cls(**content)

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name."""
        return {field.name: _plain(getattr(self, field.name)) for field in _fields.fields_of(type(self))}

    @property
    def given(self) -> dict[str, Any]:
        """The fields that are not at their default."""
        return {
            field.name: getattr(self, field.name)
            for field in _fields.fields_of(type(self))
            if field.required or getattr(self, field.name) != field.default
        }

    @property
    def command(self) -> str:
        """The same question on the command line."""
        words, fields = ["howsure", *self.name.split()], _fields.fields_of(type(self))
        given = self.given
        positional = [given[field.name] for field in fields if field.option.positional and field.name in given]
        for value in positional:
            words += value if isinstance(value, tuple) else [value]
        for field in fields:
            if field.option.positional or field.name not in given:
                continue
            value = given[field.name]
            if field.kind is bool:
                words.append(field.flag)
                continue
            for entry in value if field.many else [value]:
                words += [field.flag, f"{entry:g}" if isinstance(entry, float) else str(entry)]
        return shlex.join(map(str, words))

    @property
    def python(self) -> str:
        """The same question in Python."""
        given = self.given
        if not self.function:
            options = ", ".join(f"{name}={value!r}" for name, value in given.items())
            return f"howsure.questions.{type(self).__name__}({options}).answer()"
        words: list[str] = []
        for field in sorted(_fields.fields_of(type(self)), key=lambda field: not field.option.positional):
            if field.name in given:
                value = given[field.name]
                shown = list(value) if field.many else [value]
                value = shown if len(shown) != 1 else shown[0]
                words += map(repr, shown) if field.option.positional else [f"{field.name}={value!r}"]
        return f"howsure.{self.function}({', '.join(words)})"


def refuse_unknown(command: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error for the first name that is no option, with the option that was probably meant."""
    known = list(known)
    for name in given:
        if name not in known:
            hint = _check.nearest(str(name), known).replace("'", "`")
            raise ArgumentError(f"`{name}` is not an option of {command}.{hint}")


def _plain(value: Any) -> Any:
    """Return a field's value as JSON writes it; an object in memory is replaced by its name or its type."""
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return getattr(value, "name", f"<{type(value).__name__}>")


def schema_of(question: type[Question]) -> dict[str, Any]:
    """Return the JSON schema of a question: what the web and sweep documents may say."""
    properties = {}
    for field in _fields.fields_of(question):
        said = field.option
        one: dict[str, Any] = {"type": {str: "string", int: "integer", float: "number", bool: "boolean"}[field.kind]}
        if said.choices:
            one["enum"] = list(said.allowed)
        if said.fraction:
            one |= {"exclusiveMinimum": 0, "exclusiveMaximum": 1}
        one |= {} if said.at_least is None else {"minimum": said.at_least}
        one |= {} if said.at_most is None else {"maximum": said.at_most}
        if field.many:
            one = {"type": "array", "items": one}
        if field.optional:
            one = {"anyOf": [one, {"type": "null"}]}
        one["description"] = said.help
        if not field.required:
            one["default"] = list(field.default) if isinstance(field.default, tuple) else field.default
        properties[field.name] = one
    required = [field.name for field in _fields.fields_of(question) if field.required]
    return {
        "type": "object",
        "title": question.name,
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
