"""The questions that the web asks: which they are, their forms, and how what a visitor sends becomes a question."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import PurePath
from pkgutil import resolve_name
from typing import Any

from howsure import _fields
from howsure._fields import Field
from howsure.errors import ArgumentError
from howsure.questions.base import Question
from howsure.questions.typed import response_numbers, value_of
from howsure.web.settings import Settings

PLACES = ("files", "file", "config", "units", "out", "to", "state", "sequential")
"""Fields that name files on the disk. A visitor names an upload instead; none of them is taken from a request."""

COUNTS = ("n", "n_items", "n_responses", "n_raters", "raters_per_item", "next")
DRAWS = ("n_resamples", "n_simulations", "n_fresh")
CROSSED = (
    "n_items", "n_responses", "n_raters", "raters_per_item", "epsilon", "budget", "max_cost", "metric", "scheme",
    "null", "interval",
)  # fmt: skip
"""Lists of which a question takes every combination."""


@dataclass(frozen=True, slots=True)
class Page:
    """A question as the web shows it.

    Attributes
    ----------
    path : str
        Its address.
    title : str
        What a visitor wants to know.
    address : str
        Where the question is.
    place : str
        The field that takes the upload; empty where there is none.
    uploads : bool
        Whether that field takes uploads, and not only presets.
    presets : bool
        Whether a response model can stand in for an upload.
    long : bool
        Whether an answer may take minutes.
    sample : {"ratings", "raters", "judged", "scores", ""}
        What the example of the home page is about.
    example : mapping
        What the example asks.
    first : bool
        Whether it is one of the questions that most visitors have: the menu shows those, and the others under "More".
    menu : str
        What the menu calls it; empty where the menu leaves it out.
    with_judge : bool
        Whether the judge of a table is part of the question, without being named again. Views of their own name it.
    """

    path: str
    title: str
    address: str
    place: str = "files"
    uploads: bool = True
    presets: bool = False
    long: bool = False
    sample: str = ""
    example: Mapping[str, str] = dataclasses.field(default_factory=dict)
    first: bool = False
    menu: str = ""
    with_judge: bool = False

    @property
    def question(self) -> type[Question]:
        """The question."""
        found: type[Question] = resolve_name(self.address)
        return found


OF_SCORES = "howsure.questions.scores"
TWO = {"gold": "human", "a": "model-2", "b": "model-1"}
PLAN = {"preset": "likert-toxicity"}


AUDITED = {
    "preset": "likert-toxicity", "metric": "mae", "n_items": "30", "n_simulations": "40", "n_resamples": "99",
    "n_fresh": "200", "scheme": "bootstrap/all", "null": "sign-flip,shifted-bootstrap",
    "interval": "percentile,symmetric",
}  # fmt: skip
REPLICATED = {"paper": "raters", "table": "4", "n_simulations": "20"}


def _of_scores(path: str, title: str, name: str, **more: Any) -> Page:
    return Page(path, title, f"{OF_SCORES}:{name}", "file", sample="scores", **more)


SIMULATED = {"preset": "likert-toxicity", "n_items": "50", "epsilon": "0.3"}


PAGES: dict[str, Page] = {
    page.path: page
    for page in (
        Page(
            "compare", "Is A really better than B?", "howsure.questions.compare:Compare", sample="ratings", example=TWO,
            first=True, menu="Compare",
        ),
        Page(
            "leaderboard", "Which of these models may be the best?", "howsure.questions.leaderboard:Leaderboard",
            sample="ratings", example={"gold": "human"}, first=True, menu="Rank",
        ),
        Page(
            "plan", "How much data do I need?", "howsure.questions.plan:Plan", presets=True, example=PLAN,
            first=True, menu="Plan",
        ),
        _of_scores("scores", "I have two lists of scores", "ScoresAnalyse", first=True, menu="Scores"),
        Page(
            "audit", "Which p-value can I trust?", "howsure.questions.audit:Audit", presets=True, long=True,
            example=AUDITED, menu="Audit",
        ),
        Page(
            "gate", "May the candidate replace the baseline?", "howsure.questions.gate:Gate", sample="ratings",
            example={"gold": "human", "baseline": "model-1", "candidate": "model-2", "margin": "0.1"}, menu="Gate",
            with_judge=True,
        ),
        Page(
            "judge", "Is this judge good enough?", "howsure.questions.judge:Judge", sample="judged", menu="Judge",
            with_judge=True,
        ),
        Page(
            "sample", "Which items should people label?", "howsure.questions.sample:SampleItems", sample="ratings",
            example={"n": "50"}, menu="Sample",
        ),
        Page(
            "score", "How good is each model?", "howsure.questions.score:Score", sample="ratings",
            example={"gold": "human", "metric": "mae"}, menu="Score", with_judge=True,
        ),
        Page(
            "reliability", "Do runs repeat themselves?", "howsure.questions.reliability:Reliability", sample="ratings",
            example={"gold": "human"}, menu="Reliability",
        ),
        Page(
            "describe", "Who judged what, and do raters agree?", "howsure.questions.describe:Describe", sample="raters",
            menu="Describe",
        ),
        Page(
            "fit", "Which response model fits these responses?", "howsure.questions.fit:Fit", sample="ratings",
            example={"gold": "human"}, menu="Fit",
        ),
        Page(
            "simulate", "What would such responses look like?", "howsure.questions.simulate:Simulate", uploads=False,
            presets=True, example=SIMULATED, menu="Simulate",
        ),
        _of_scores("scores-describe", "Scores: summary and recommended test", "ScoresDescribe"),
        _of_scores("scores-test", "Scores: is the difference significant?", "ScoresTest"),
        _of_scores("scores-effect", "Scores: how large is the difference?", "ScoresEffect"),
        _of_scores("scores-power", "Scores: would a new study find it?", "ScoresPower"),
        Page(
            "power", "How many segments does a study need?", f"{OF_SCORES}:Power", "",
            example={"sd": "1", "effect": "0.2", "target_power": "0.8"}, menu="Power",
        ),
        Page(
            "replicate", "Can published tables be reproduced?", "howsure.questions.replicate:Replicate", "", long=True,
            example=REPLICATED, menu="Replicate",
        ),
    )
}  # fmt: skip


def shown_fields(page: Page) -> list[Field]:
    """Return the fields that a form shows: all but places on the disk."""
    return [field for field in _fields.fields_of(page.question) if field.name not in PLACES]


def stand_in(page: Page, preset: str) -> tuple[str, ...]:
    """Return what stands where files do: the name of a response model, if there is such a one."""
    from howsure import _check
    from howsure.models import PRESETS

    if not page.presets:
        raise ArgumentError(f"{page.path} needs a table; `preset` names a response model.")
    return (_check.one_of("preset", preset, PRESETS),)


def read_fields(fields: Sequence[Field], sent: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the fields that a form fills in, as the values that they stand for."""
    given: dict[str, Any] = {}
    for field in fields:
        texts = [text.strip() for text in sent.get(field.name, ()) if text.strip()]
        if texts:
            given[field.name] = field.kind is bool or value_of(field, texts if field.many else texts[-1])
    return given


def ask(
    page: Page, given: Mapping[str, Any], files: Sequence[str], reading: Mapping[str, Any] | None = None
) -> Question:
    """Return the question with these fields about these files; places on the disk are refused.

    How the visitor corrected an upload (`reading`) holds where the question does not say otherwise.
    """
    for name in given:
        if name in PLACES:
            raise ArgumentError(f"`{name}` cannot be named here; upload a table and name it as `table`.")
    refuse_paths(given)
    fields = {field.name for field in _fields.fields_of(page.question)}
    content = {name: value for name, value in (reading or {}).items() if name in fields} | dict(given)
    if page.place and files:
        many = next(field for field in _fields.fields_of(page.question) if field.name == page.place).many
        content[page.place] = list(files) if many else files[0]
    return page.question.from_dict(content)


def refuse_paths(given: Mapping[str, Any]) -> None:
    """Refuse names that lead to files of this machine: on the command line, gold may be a file of its own."""
    for name, value in given.items():
        for text in value if isinstance(value, list | tuple) else [value]:
            if isinstance(text, str) and (PurePath(text).is_absolute() or ".." in PurePath(text).parts):
                raise ArgumentError(f"`{name}` must name a part of the table; got {text!r}.")


def check_limits(asked: Question, settings: Settings) -> None:
    """Refuse a question that asks for more than the server gives."""
    for name, value in asked.to_dict().items():
        if isinstance(value, list) and len(value) > 1000:
            raise ArgumentError(f"`{name}` must have at most 1,000 entries on this server; got {len(value):,}.")
    numbers = {name: _numbers(getattr(asked, name, None)) for name in (*COUNTS, *DRAWS)}
    largest = {name: max(found) for name, found in numbers.items() if found}
    for name, number in largest.items():
        most = settings.max_draws if name in DRAWS else settings.max_rows
        if number > most:
            raise ArgumentError(f"`{name}` must be at most {most:,} on this server; got {number:,}.")
    responses = largest.get("n_items", 1) * largest.get("n_responses", 1)
    if responses > settings.max_rows:
        raise ArgumentError(
            f"a design has at most {settings.max_rows:,} responses on this server; got {responses:,}: "
            "reduce `n_items` or `n_responses`."
        )
    lists: dict[str, Sequence[Any]]
    lists = {name: value for name in CROSSED if isinstance(value := getattr(asked, name, None), tuple) and value}
    lists |= {name: numbers[name] for name in lists if name in COUNTS}
    designs = prod(map(len, lists.values()))
    if designs > settings.max_designs:
        raise ArgumentError(f"a request has at most {settings.max_designs:,} designs on this server; got {designs:,}.")


def _numbers(value: Any) -> list[int]:
    """Return the numbers of a field: one or several; ranges may be among them, and numbers for gold, A and B."""
    entries = value if isinstance(value, tuple) else () if value is None else (value,)
    if entries and isinstance(entries[0], str):
        entries = tuple(response_numbers(",".join(entries)))
    return [max(entry) if isinstance(entry, tuple) else entry for entry in entries]
