"""The questions that the web asks: which they are, their forms, and how what a visitor sends becomes a question."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from assay import _fields
from assay._fields import Field
from assay.errors import ArgumentError
from assay.questions.base import Question
from assay.questions.typed import value_of
from assay.web.settings import Settings

PLACES = ("files", "file", "config", "units", "out", "to")
"""Fields that name files on the disk. A visitor names an upload instead; none of them is taken from a request."""

DRAWS = ("n_resamples", "n_simulations", "n_fresh")


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
    presets : bool
        Whether a response model can stand in for an upload.
    long : bool
        Whether an answer may take minutes.
    sample : {"ratings", "scores", ""}
        What the example of the home page is about.
    example : mapping
        What the example asks.
    """

    path: str
    title: str
    address: str
    place: str = "files"
    presets: bool = False
    long: bool = False
    sample: str = ""
    example: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def question(self) -> type[Question]:
        """The question."""
        found: type[Question] = load(self.address)
        return found


@cache
def load(address: str) -> Any:
    """Return what "module:name" names."""
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)


OF_SCORES = "assay.questions.scores"
TWO = {"gold": "human", "a": "model-2", "b": "model-1"}
PLAN = {"preset": "likert-toxicity", "metric": "mae", "epsilon": "0.1", "budget": "2000"}


def _of_scores(path: str, title: str, name: str) -> Page:
    return Page(path, title, f"{OF_SCORES}:{name}", "file", sample="scores")


PAGES: dict[str, Page] = {
    page.path: page
    for page in (
        Page("compare", "Is A really better than B?", "assay.questions.compare:Compare", sample="ratings", example=TWO),
        Page(
            "leaderboard", "Which of these models may be best?", "assay.questions.leaderboard:Leaderboard",
            sample="ratings", example={"gold": "human"},
        ),
        Page("plan", "How much data does it take?", "assay.questions.plan:Plan", presets=True, example=PLAN),
        _of_scores("scores", "I have two lists of scores", "ScoresAnalyse"),
        _of_scores("scores-describe", "Scores: what they are like, which test fits", "ScoresDescribe"),
        _of_scores("scores-test", "Scores: is the difference significant?", "ScoresTest"),
        _of_scores("scores-effect", "Scores: how large is the difference?", "ScoresEffect"),
        _of_scores("scores-power", "Scores: would a new study find it?", "ScoresPower"),
        Page(
            "power", "How many lines does a study need?", f"{OF_SCORES}:Power", "",
            example={"sd": "1", "delta": "0.2", "power": "0.8"},
        ),
    )
}  # fmt: skip


def shown_fields(page: Page) -> list[Field]:
    """Return the fields that a form shows: all but places on the disk."""
    return [field for field in _fields.fields_of(page.question) if field.name not in PLACES]


def stand_in(page: Page, preset: str) -> tuple[str, ...]:
    """Return what stands where files do: the name of a response model, if there is such a one."""
    from assay import _check
    from assay.models import PRESETS

    if not page.presets:
        raise ArgumentError(f"{page.path} asks about a table; `preset` names a response model.")
    return (_check.one_of("preset", preset, PRESETS),)


def from_form(page: Page, sent: Mapping[str, Sequence[str]], files: Sequence[str]) -> Question:
    """Return the question that a form asks; an empty field has its default."""
    given: dict[str, Any] = {}
    for field in shown_fields(page):
        texts = [text.strip() for text in sent.get(field.name, ()) if text.strip()]
        if not texts:
            continue
        if field.kind is bool:
            given[field.name] = True
        else:
            given[field.name] = value_of(field, texts if field.many else texts[-1])
    return ask(page, given, files)


def ask(page: Page, given: Mapping[str, Any], files: Sequence[str]) -> Question:
    """Return the question with these fields about these files; places on the disk are refused."""
    for name in given:
        if name in PLACES:
            raise ArgumentError(f"`{name}` cannot be named here; upload a table and name it as `table`.")
    content = dict(given)
    if page.place and files:
        many = next(field for field in _fields.fields_of(page.question) if field.name == page.place).many
        content[page.place] = list(files) if many else files[0]
    return page.question.from_dict(content)


def check_limits(asked: Question, settings: Settings) -> None:
    """Refuse a question that asks for more than the server gives."""
    for name in DRAWS:
        number = getattr(asked, name, None)
        if isinstance(number, int) and number > settings.max_draws:
            raise ArgumentError(f"`{name}` must be at most {settings.max_draws:,} on this server; got {number:,}.")
    for name, value in asked.to_dict().items():
        if isinstance(value, list) and len(value) > 1000:
            raise ArgumentError(f"`{name}` must have at most 1,000 entries on this server; got {len(value):,}.")
