"""What a case of the corpus is, and how its invented data are drawn and written.

A case is one file or folder as somebody exported it, the reading that it must get, and the same answers as a plain
table (`Truth`) on which today's commands give the right result. All names and numbers are invented.
"""

import csv
import io
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

KINDS_OF_ROWS = (
    "response", "item by models", "item by raters", "vote", "model", "log", "refused",
)  # fmt: skip
ROLES = (
    "item", "model", "rater", "run", "value", "kind", "gold", "judge", "first", "second", "winner", "order",
    "item group", "rater group", "facet", "count", "cost", "sampling chance", "text", "not used",
)  # fmt: skip
"""Roles of columns. In a table with a column per model (rater, run, judge), such a column has the role "model"
("rater", "run", "judge"); "gold" is a column of right answers."""

TOPICS = (
    "better", "people or models", "criterion", "facet", "tie words", "scorer", "filter", "setting", "sheet", "item",
    "gold", "judge", "scale", "missing", "decimal",
)  # fmt: skip
"""What may have to be asked."""

FILE = "FILE"
"""Stands for the path of the case in a command."""


class Answer(NamedTuple):
    """One answer: a rating of, or a mark for, one model's output, or the label that a model or a person gave."""

    item: str
    model: str
    value: Any
    rater: str = ""
    run: str = ""
    group: str = ""


@dataclass(frozen=True)
class Truth:
    """The same answers as a plain table, and what the right commands say beside its name.

    `options` go to every command. Votes are shares in `text`, and for the leaderboard the table `votes`; `ordered`
    says whether its first model was shown first.
    """

    text: str
    models: tuple[str, ...]
    options: tuple[str, ...] = ()
    votes: str = ""
    ordered: bool = True


@dataclass(frozen=True)
class Case:
    """A file or a folder, who made it, the reading it must get, and the commands that are right first.

    Attributes
    ----------
    name, family : str
    story : str
        Who exported it, and what a careful analyst does with it.
    files : mapping of path to text or bytes
    row : str
        What a row is, one of `KINDS_OF_ROWS`.
    first : tuple of commands
        Each a tuple of the words after `howsure`. Where something must be asked, there is one for each choice, and
        the one that is right in truth comes first.
    roles : mapping of column to role
        Every column of a table; empty for a known log.
    better : "higher", "lower" or "unknown"
    judges, groups : tuple of str
        Names of judges; columns (or fields of a log) that say which items belong together.
    asks : mapping of topic to choices
        What must be asked before there is an answer; at most three choices each.
    may_ask : tuple of topics
        What may be asked although a careful analyst would know it.
    refused : str
        A pattern of words, one of which the reason of the refusal must have.
    path : str
        What is handed to the program; empty means the only file.
    """

    name: str
    family: str
    story: str
    files: Mapping[str, str | bytes]
    row: str
    first: tuple[tuple[str, ...], ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    better: str = "higher"
    judges: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    asks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    may_ask: tuple[str, ...] = ()
    refused: str = ""
    truth: Truth | None = None
    path: str = ""
    ugly: bool = False

    @property
    def target(self) -> str:
        """The path that is handed to the program."""
        return self.path or next(iter(self.files))


LEVELS = {
    "1-5": (3.0, 1.1, 1, 5, 0), "1-7": (4.2, 1.5, 1, 7, 0), "0-3": (1.2, 0.9, 0, 3, 0),
    "0-100": (68.0, 14.0, 0, 100, 0),
    "0-1": (0.55, 0.2, 0, 1, 3), "real": (24.0, 9.0, None, None, 2), "penalty": (-2.0, 5.0, 0, None, 0),
    "log": (6.4, 0.8, None, None, 4), "seconds": (2.4, 0.7, 0.05, None, 3),
}  # fmt: skip
"""Mean, spread between items, lowest, highest and decimals of each kind of invented value."""


def answers(
    n: int,
    models: Mapping[str, float],
    kind: str = "1-5",
    *,
    raters: Sequence[str] = (),
    runs: int = 0,
    groups: Mapping[str, int] | None = None,
    item: Callable[[int], str] = lambda i: f"q{i + 1:02d}",
    each: int = 0,
) -> list[Answer]:
    """Return invented answers: items differ, models differ by the given number of spreads, raters by a little.

    `groups` says how many items each group has; `each` is how many raters judge one item, in turn (0 means all).
    """
    draw = random.Random(f"{n} {sorted(models)} {kind} {runs} {each}")
    names = [group for group, size in (groups or {}).items() for _ in range(size)]
    shift = {(group, model): draw.gauss(0, 0.7) for group in groups or {} for model in models}
    strict = {rater: draw.gauss(0, 0.25) for rater in raters}
    drawn = []
    for i in range(n):
        group = names[i % len(names)] if names else ""
        hard = draw.gauss(0, 0.8)
        local = {model: draw.gauss(0, 0.35) for model in models}
        who = [raters[(i + k) % len(raters)] for k in range(each or len(raters))] if raters else [""]
        for model, skill in models.items():
            for rater in who:
                for run in range(runs or 1):
                    z = hard + skill + local[model] + strict.get(rater, 0) + draw.gauss(0, 0.5)
                    z += shift.get((group, model), 0)
                    drawn.append(Answer(item(i), model, value_of(z, kind), rater, str(run + 1) if runs else "", group))
    return drawn


def value_of(z: float, kind: str) -> Any:
    """Return a value of a kind for a standardised one; "0/1" is right or wrong."""
    if kind == "0/1":
        return int(z > 0)
    mean, spread, low, high, decimals = LEVELS[kind]
    value = mean + spread * z
    value = value if low is None else max(low, value)
    value = value if high is None else min(high, value)
    return round(value, decimals) if decimals else round(value)


def text_of(header: Sequence[Any], rows: Iterable[Sequence[Any]], separator: str = ",", end: str = "\n") -> str:
    """Return a text file of cells; None is an empty cell."""
    cells = io.StringIO()
    writer = csv.writer(cells, delimiter=separator, lineterminator=end)
    writer.writerow(header)
    writer.writerows(rows)
    return cells.getvalue()


def tidy(rows: Sequence[Answer], columns: Mapping[str, Any], **how: Any) -> str:
    """Return a table with a row per answer; a column is a function of the answer and its number, or one cell."""
    return text_of(
        list(columns),
        [[make(row, i) if callable(make) else make for make in columns.values()] for i, row in enumerate(rows)],
        **how,
    )


def pivot(rows: Sequence[Answer], key: Callable[[Answer], str]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Return the columns that `key` makes, and the values of each item by column."""
    table: dict[str, dict[str, Any]] = {}
    for row in rows:
        table.setdefault(row.item, {})[key(row)] = row.value
    return list(dict.fromkeys(map(key, rows))), table


def wide(
    rows: Sequence[Answer],
    key: Callable[[Answer], str],
    before: Mapping[str, Callable[[str, int], Any]],
    after: Mapping[str, Callable[[str, int], Any]] | None = None,
    **how: Any,
) -> str:
    """Return a table with a row per item and a column for each `key`; other columns are functions of item and row."""
    columns, table = pivot(rows, key)
    after = after or {}
    cells = [
        [
            *(make(item, i) for make in before.values()),
            *(values.get(c, "") for c in columns),
            *(make(item, i) for make in after.values()),
        ]
        for i, (item, values) in enumerate(table.items())
    ]
    return text_of([*before, *columns, *after], cells, **how)


def plain(rows: Iterable[Answer], *options: str) -> Truth:
    """Return answers as the plain table that today's commands read without doubt."""
    rows = list(rows)
    columns = {"item": "item", "model": "source", "rater": "rater", "run": "repeat", "value": "value", "group": "group"}
    used = [name for name in columns if name in ("item", "model", "value") or any(getattr(row, name) for row in rows)]
    text = text_of([columns[name] for name in used], [[getattr(row, name) for name in used] for row in rows])
    groups = ("--cluster", "group") if "group" in used else ()
    apart = {word for flag, word in pairwise(options) if flag in ("--gold", "--judge")}
    models = tuple(dict.fromkeys(row.model for row in rows if row.model not in apart))
    better = () if {"--gold", "--better"} & set(options) else ("--better", "higher")  # nothing is left to a guess
    return Truth(text, models, (*options, *better, *groups))


class Vote(NamedTuple):
    """One vote: which of two models was preferred (a name, or "tie"), by whom."""

    item: str
    first: str
    second: str
    winner: str
    rater: str = ""


def votes(n: int, models: Mapping[str, float], *, raters: Sequence[str] = (), ties: float = 0.15) -> list[Vote]:
    """Return invented votes between models drawn two at a time, in either order."""
    draw = random.Random(f"{n} {sorted(models)} {ties}")
    drawn = []
    for i in range(n):
        a, b = draw.sample(list(models), 2)
        gap = models[a] - models[b] + draw.gauss(0, 1)
        winner = "tie" if draw.random() < ties else a if gap > 0 else b
        drawn.append(Vote(f"c{i + 1:03d}", a, b, winner, draw.choice(raters) if raters else ""))
    return drawn


def of_votes(rows: Sequence[Vote], *, once: bool = False, ordered: bool = True) -> Truth:
    """Return votes as shares of two models, and as a table for the leaderboard of votes.

    With `once`, several votes on one item are repeats of one comparison.
    """
    shares, n = [], dict[str, int]()
    for row in rows:
        n[row.item] = n.get(row.item, 0) + 1
        for model in (row.first, row.second):
            share = 0.5 if row.winner == "tie" else float(row.winner == model)
            shares.append(Answer(row.item, model, share, row.rater, str(n[row.item]) if once else ""))
    made = plain(shares)
    return Truth(made.text, made.models, (), text_of(Vote._fields, rows), ordered)


def roles(text: str) -> dict[str, str]:
    """Return column → role from "column=role; column=role"; a column may hold "=" but not ";"."""
    return {name.strip(): role.strip() for name, _, role in (part.rpartition("=") for part in text.split(";"))}


def ranked(*options: str) -> tuple[tuple[str, ...], ...]:
    """Return the first proposal for three models or more."""
    return (("leaderboard", FILE, *options),)


def compared(a: str, b: str, *options: str) -> tuple[tuple[str, ...], ...]:
    """Return the first proposal for two models."""
    return (("compare", FILE, *options, "--a", a, "--b", b),)


def lines(entries: Iterable[Any]) -> str:
    """Return JSON Lines."""
    return "".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in entries)


BETTER = {"better": ("--better higher", "--better lower")}
"""The question that is asked most."""

TOTALS = "one (number|value|score) (per|for each) model|nothing per item|no items|totals|aggregate"
"""What the refusal of a table of totals says."""
