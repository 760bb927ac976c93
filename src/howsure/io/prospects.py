"""What can be done with data: which models can be compared, against what, and the commands that do it.

A command is proposed only if it was tried on the table in memory: the sources are there, they share items, and the
default metric fits the scale.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np

from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.documents.numbers import joined
from howsure.errors import ArgumentError, DataError
from howsure.io.collecting import Collected
from howsure.io.column_names import are_people, is_gold
from howsure.io.columns import Layout, candidates
from howsure.io.files import File, contest_from, table_from
from howsure.io.logs import assembled
from howsure.io.sheets import Sheet, open_sheet

MOST_LABELS = 30
"""A column with more different words than this is text, not labels."""

MOST_PAIRS = 200
"""How many pairs of models are tried until one can be compared."""

MOST_TRIES = 10
"""How many pairs are tried where conditions select the models, which reads the table each time."""

MOST_GROUPS, MOST_TRIED = 3, 30
"""For how many tasks of a folder commands are proposed, and among how many those are chosen that can be compared."""


@dataclass
class Prospects:
    """What data support, what they lack, the commands for them, and notes on how they were read."""

    supports: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def prospects(
    paths: Sequence[str],
    given: dict[str, Any],
    collected: Collected,
    files: Sequence[File],
    table: ResponseTable | None = None,
) -> Prospects:
    """Return what can be done with logs, task by task where they share no items; or with a table that was read."""
    if table is not None:
        return _of_table(table, paths, given, collected, files)
    groups = collected.groups()
    if len(groups) < 2:
        return _of_logs(paths, given, collected, files, {})
    whole = Prospects()
    parts = [(where, _of_logs(paths, given, collected, files, where)) for where in groups[:MOST_TRIED]]
    parts.sort(key=lambda part: not any(command.startswith("howsure compare ") for command in part[1].commands))
    for where, part in parts[:MOST_GROUPS]:
        title = " ".join(where.values())
        whole.supports += [f"{title}: {said}" for said in part.supports]
        whole.lacks += [f"{title}: {said}" for said in part.lacks]
        whole.commands += [command for command in part.commands if not command.startswith("howsure convert ")]
    if len(groups) > MOST_GROUPS:
        whole.lacks.append(f"{len(groups) - MOST_GROUPS} more tasks or tools; choose one with --where task=NAME.")
    return whole


def _of_logs(
    paths: Sequence[str], given: dict[str, Any], collected: Collected, files: Sequence[File], where: dict[str, str]
) -> Prospects:
    """Return what can be done with the logs of one task."""
    numbers = [number for number, log in enumerate(collected.files) if collected.in_group(number, where)]
    settings = dict(given) | ({"where": tuple(f"{key}={value}" for key, value in where.items())} if where else {})
    for role in ("filter", "scorer"):
        held = list(dict.fromkeys(name for number in numbers for name in collected.choices(number)[role]))
        default = [collected.files[number].header.default for number in numbers]
        if len(held) > 1 and not given.get(role) and not (role == "scorer" and set(default) & set(held)):
            settings[role] = held[0]
    layout = Layout(**{name: value for name, value in settings.items() if name != "by"})
    try:
        table = assembled(collected, layout)
    except (ArgumentError, DataError) as error:
        return Prospects(lacks=[str(error)])
    return _of_table(table, paths, settings, collected, files)


def _of_table(
    table: ResponseTable, paths: Sequence[str], settings: dict[str, Any], collected: Collected, files: Sequence[File]
) -> Prospects:
    """Return what a table supports, what it lacks, and the commands for it."""
    found = Prospects(notes=list(table.notes))
    gold = _gold(table)
    models = [name for name in table.sources if name != gold]
    flags = [word for name, value in settings.items() for word in _flag(name, value)]

    def command(verb: str, *more: str) -> str:
        return shlex.join(["howsure", verb, *paths, *flags, *more])

    against = () if gold is None else ("--gold", gold)
    pair = _pair(table, models, gold, collected)
    if pair is not None:
        a, b = pair
        better = _direction(table, pair)
        by = f"their own scores, without gold{better}" if gold is None else f"how close they are to {gold}"
        found.supports.append(f"{a} and {b} can be compared by {by}.")
        found.commands.append(command("compare", *against, "--a", a, "--b", b))
        if len(models) > 2 and _share_items(table, models):
            found.supports.append(f"All {len(models)} models can be ranked ({_few(models)}).")
            found.commands.append(command("leaderboard", *against))
    elif len(models) >= 2 and gold is None and not table.scale.is_numeric:
        found.lacks.append(
            "The models answer in labels, and nothing says which are right. Name the gold labels: --gold."
        )
    elif len(models) >= 2:
        found.lacks.append(f"No two of the models ({_few(models)}) answered the same items.")
    elif models and are_people(models[0]):
        found.lacks.append(f"The data hold human answers ({models[0]}) but no model. Add the logs of two models.")
    elif models:
        found.lacks.append(
            f"The data hold only one model, {models[0]}. Logs with the same model name count as repeats; if the models "
            "differ, name them (name=FILE)."
        )
        alone = _alone(table, models[0], gold)
        found.supports += alone.values()
        by_name, by_itself = _named(files, flags, settings), [command(verb, *against) for verb in alone]
        found.commands += [*by_name, *by_itself] if len(paths) > 1 else [*by_itself, *by_name]
    rated = [name for name, source in table.sources.items() if source.raters is not None]
    if any(_several(table.sources[name]) and np.unique(table.sources[name].raters).size > 1 for name in rated):  # type: ignore[arg-type]
        found.supports.append(f"The agreement of raters can be estimated ({_few(rated)}).")
        found.commands.append(command("describe"))
    elif not rated and (len(models) >= 2 or gold is not None) and not set(models) <= set(table.repeats):
        found.lacks.append("The data have no rater ids, so results hold for these raters or runs only.")
    single = [name for name in table.sources if not _several(table.sources[name])]
    if single:
        have = "has" if len(single) == 1 else "have"
        found.lacks.append(
            f"{_few(single)} {have} one response per item, so we cannot estimate the variance within items."
        )
    if not Path("table.parquet").exists():
        found.commands.append(command("convert", "--out", "table.parquet"))
    return found


def _several(source: Responses) -> bool:
    """Whether some item has several responses."""
    sizes = source.sizes if source.weights is None else np.minimum(source.sizes, 1)
    return bool((sizes > 1).any())


def _direction(table: ResponseTable, models: Sequence[str]) -> str:
    """Return which ratings are better; of shares and of marks of right answers, everybody knows."""
    if table.better:
        return f"; {table.better} is better"
    rated = any(bool((table.sources[name].values > 1).any()) for name in models)
    return "; higher is better unless you add --better lower" if rated else ""


def _alone(table: ResponseTable, model: str, gold: str | None) -> dict[str, str]:
    """Return the commands for one model by itself, and what they estimate."""
    if gold is None and not table.scale.is_numeric:
        return {}
    found = {"score": f"The score of {model} can be estimated, with its confidence interval."}
    if _several(table.sources[model]) and table.sources[model].raters is None:
        found["reliability"] = f"How far runs of {model} differ can be estimated."
    return found


def _pair(
    table: ResponseTable, models: Sequence[str], gold: str | None, collected: Collected
) -> tuple[str, str] | None:
    """Return two models that can be compared; under equal settings where there are such."""
    logs = {log.model: log for log in collected.files}

    def unlike(pair: tuple[str, str]) -> tuple[bool, int]:
        """Two models with equal settings come first, one model under two settings last."""
        one, two = (logs.get(name) for name in pair)
        if one is None or two is None:
            return False, 0
        keys = one.header.settings.keys() | two.header.settings.keys()
        return one.header.model == two.header.model, sum(one.setting(key) != two.setting(key) for key in keys)

    pairs = sorted(islice(combinations(models, 2), MOST_PAIRS), key=unlike)
    return next((pair for pair in pairs if _comparable(table, *pair, gold)), None)


def _comparable(table: ResponseTable, a: str, b: str, gold: str | None) -> bool:
    """Try a comparison up to its metric: the items that all of them answered, on a scale that has one."""
    if gold is None and table.scale.kind == "nominal":
        return False
    try:
        return table.contest(a=a, b=b, gold=gold).n_items > 0
    except (ArgumentError, DataError):
        return False


def _share_items(table: ResponseTable, models: Sequence[str]) -> bool:
    """Whether all models answered some items, without which they cannot be ranked together."""
    return bool(np.logical_and.reduce([table.sources[name].sizes > 0 for name in models]).any())


def _named(files: Sequence[File], flags: Sequence[str], settings: dict[str, Any]) -> list[str]:
    """Return the command that compares the first two logs of one model by names, if it works."""
    if len(files) < 2 or any(file.name is not None for file in files):
        return []
    named = [f"{Path(file.path).stem}={file.path}" for file in files[:2]]
    try:
        contest = contest_from(named, **settings)
    except (ArgumentError, DataError):
        return []
    return [shlex.join(["howsure", "compare", *named, *flags])] if contest.n_items else []


def _few(names: Sequence[str]) -> str:
    return joined(list(names), 3)


def _gold(table: ResponseTable) -> str | None:
    """Return the source that is probably gold: by its name, else the only one with raters."""
    named = [name for name in table.sources if is_gold(name)]
    rated = [name for name, source in table.sources.items() if source.raters is not None]
    found = named or (rated if len(rated) == 1 else [])
    return found[0] if found and len(table.sources) > 1 else None


def _flag(name: str, value: Any) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    values = value if isinstance(value, list | tuple) else [value]
    return [word for entry in values for word in (flag, str(entry))]


def of_conditions(
    files: Sequence[File], paths: Sequence[str], settings: dict[str, Any], table: ResponseTable | None = None
) -> Prospects | None:
    """Return how to compare the sources of one table where another column says who is human; None where none does."""
    if len(files) != 1 or files[0].name is not None or (table is not None and _gold(table) is not None):
        return None
    notes = [] if table is None else list(table.notes)
    try:
        sheet = open_sheet(files[0].path, encoding=settings.get("encoding"), sheet=settings.get("sheet"))
        source, value = candidates(sheet, "source"), candidates(sheet, "value")
    except DataError:
        return None
    if not source or not value:
        return None
    for column in sheet.columns:
        kinds = _kinds(sheet, column) if column != source[0] else []
        people = [kind for kind in kinds if is_gold(kind)]
        if len(kinds) == 1 and people:
            return _of_people(files[0].path, source[0], settings, notes)
        roles = _roles(sheet, (column, people[0]), source[0], paths, settings) if people else {}
        if roles:
            words = [word for name, spec in roles.items() for word in (f"--{name}", spec)]
            said = "Long layout: conditions on columns select gold and the models."
            return Prospects([said], [], [shlex.join(["howsure", "compare", *paths, *words])], notes)
    return None


def models_in(sheet: Sheet, source: str) -> list[str]:
    """Return the sources in a column that are no people, by their names or by another column that says who is human."""
    names = sheet.ids(source)
    for column in sheet.columns:
        kinds = _kinds(sheet, column) if column != source else []
        people = [kind for kind in kinds if is_gold(kind)]
        if people and (len(people) < len(kinds) or len(kinds) == 1):  # else it names raters
            names = names.filter(~sheet.ids(column).is_in(people).fill_null(False))
            break
    return [name for name in names.drop_nulls().unique(maintain_order=True).to_list() if not is_gold(name)]


def _kinds(sheet: Sheet, column: str) -> list[str]:
    """Return the different words of a column; none where it holds text or what is nested."""
    if column in sheet.nested or sheet.frame[column].dtype.is_nested():
        return []
    kinds = sheet.ids(column).drop_nulls().unique(maintain_order=True).to_list()
    return kinds if len(kinds) <= MOST_LABELS else []


def _roles(
    sheet: Sheet, gold: tuple[str, str], source: str, paths: Sequence[str], settings: dict[str, Any]
) -> dict[str, str]:
    """Return gold, A and B that can be compared, where a column says who is human."""
    column, people = gold
    others = (sheet.ids(column) != people).fill_null(False)
    models = sheet.ids(source).filter(others).drop_nulls().unique(maintain_order=True).to_list()
    for a, b in islice(combinations(models, 2), MOST_TRIES):
        roles = {"gold": f"{column}={people}", "a": f"{source}={a}", "b": f"{source}={b}"}
        asked: dict[str, Any] = {**roles, **settings}
        try:
            if contest_from(paths, **asked).n_items:
                return roles
        except (ArgumentError, DataError):
            continue
    return {}


def _of_people(path: str, source: str, settings: dict[str, Any], notes: list[str]) -> Prospects | None:
    """Return what can be done where every row is a person's: the column of sources names raters."""
    try:
        table = table_from([f"human={path}"], rater=source, **settings)
    except (ArgumentError, DataError):
        return None
    if not table.raters:
        return None
    return Prospects(
        [f"The agreement of raters can be estimated ({source} names them)."],
        ["The data hold human answers but no model. Add the answers of two models."],
        [shlex.join(["howsure", "describe", f"human={path}", "--rater", source])],
        notes,
    )
