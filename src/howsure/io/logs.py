"""Read evaluation logs and annotation exports: one file per model, several runs of a model, ratings by people."""

import fnmatch
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from howsure import _check
from howsure.data.response_tables import ResponseTable
from howsure.data.scales import OUTCOMES
from howsure.data.scales import SHARES as SHARE_SCALE
from howsure.documents import Aside
from howsure.errors import DataError
from howsure.io.coded_rows import CodedRows, labels, spread_amounts
from howsure.io.collecting import NOTHING, NUMBER, SHARES, TEXT, Collected, Paths, collect
from howsure.io.column_names import RIGHT_SCORERS, are_people, plain
from howsure.io.columns import Layout
from howsure.io.folders import short_names
from howsure.io.joining import join_note, refuse_strangers
from howsure.io.readers.base import Header, text_of
from howsure.io.run_settings import ALL, INPUT
from howsure.io.same_items import same_items
from howsure.io.sheets import listed
from howsure.io.values import Encoded, Factor, encode

VALUES = ("score", "answer")


MARKS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's marks for correct, incorrect, partly correct and no answer (or a refusal), as its metrics count them."""


NO_ANSWER = "without an answer"


def read_logs(
    files: Paths,
    *,
    scorer: str | None = None,
    filter: str | None = None,
    where: Mapping[str, str] | None = None,
    value: str = "score",
    item: str | None = None,
    scale: str | None = None,
    order: Sequence[Any] | None = None,
    rater_ids: str = "coded",
    labels: str = "stripped",
    pool: Sequence[str] = (),
) -> ResponseTable:
    """Read evaluation logs and annotation exports; what each file is follows from its content.

    Every response is kept: each epoch, each repeat, each of several logs of one model. Logs of one model under
    different settings are separate models. What has no score (an error, a
    refusal, a cancelled sample) is left out, and a note counts it by reason.

    Parameters
    ----------
    files : path, sequence of paths, or mapping of source to path or paths
        A log names its model itself. A mapping gives the names instead: ``{"gpt-4": ["run1.eval", "run2.eval"]}``.
    scorer : str, optional
        Which scorer, metric or question to take; needed where a file has several. A glob such as "q*" takes several
        and makes each an item of its own.
    filter : str, optional
        Which filter of lm-evaluation-harness to take; needed where a file has several.
    where : mapping of str to str, optional
        Keep only the rows with this task, source, rater, item, scorer or filter: ``{"task": "arc_easy"}``.
    value : {"score", "answer"}
        Take the scores, or what the models answered.
    item : str, optional
        The column of a Mechanical Turk batch that is the item; the HIT by default.
    scale, order, labels
        As for `read`.
    rater_ids : {"coded", "as written"}
        Replace the ids of people by short codes, the same in all files, or keep them.
    pool : sequence of str
        Settings to ignore, so that runs of a model that differ in them are repeats; "all" ignores every setting, and
        "input" that one id stands for different questions.

    Returns
    -------
    ResponseTable
        `notes` says what was found, what was chosen and what was left out.

    Examples
    --------
    >>> import json, tempfile
    >>> def sample(item, value):
    ...     return {"id": item, "epoch": 1, "input": item, "scores": {"match": {"value": value}}}
    >>> log = {"eval": {"task": "qa", "model": "m-1"}, "status": "success"}
    >>> log["samples"] = [sample("x", "C"), sample("y", "I")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = open(f"{folder}/log.json", "w").write(json.dumps(log))
    ...     print(read_logs(f"{folder}/log.json"))
    2 items; responses: m-1 (2); scale: ordinal: 0, 1 (right or wrong)
    """
    if isinstance(files, Mapping):
        files = {name: _given(own) for name, own in _check.mapping("files", files).items()}
    else:
        files = _given(files)
    about: dict[str, Any] = {
        "scorer": scorer,
        "filter": filter,
        "where": where,
        "value": value,
        "item": item,
        "pool": pool,
    }
    return table_of_logs(files, Layout(scale=scale, order=order, rater_ids=rater_ids, labels=labels, **about))


def _given(files: Any) -> list[str]:
    """Return the paths of a source, or of sources that name themselves."""
    alone = isinstance(files, str | PathLike)
    return [_check.path("files", path) for path in ([files] if alone else _check.entries("files", files))]


def table_of_logs(files: Paths, layout: Layout) -> ResponseTable:
    """Read logs and exports as `read_logs` does, from the options in one record."""
    value = _check.one_of("value", layout.value or "score", VALUES)
    asked = Header(scorer=layout.scorer or "", item=layout.item or "")
    collected = collect(files, asked, coded=layout.rater_ids == "coded")
    return assembled(collected, layout, value)


def assembled(collected: Collected, layout: Layout, value: str = "score") -> ResponseTable:
    """Make one table of all rows: choose settings, scorer and filter, name sources and items, and join the files."""
    where = layout.conditions
    by_setting = {key: wanted for key, wanted in where.items() if key in collected.settings and key not in OWN_COLUMNS}
    kept = collected.settle(by_setting, layout.pool)
    frame = _with_names(collected).filter(pl.col("file").is_in(kept))
    notes = [_found(collected), *_skipped(collected), *_told_settings(collected, kept, layout.pool)]
    frame = _kept(collected, frame, {key: wanted for key, wanted in where.items() if key not in by_setting})
    frame, about = _chosen(collected, frame, layout.scorer, layout.filter)
    notes += about
    better = _direction(collected, frame)
    frame, matched = same_items(collected, frame, layout.pool)
    notes += matched
    frame, names, tasks = _items(collected, frame)
    frame = _answers(collected, frame) if value == "answer" else frame
    table = _assembled(collected, frame, names, tasks, layout, notes=notes)
    return replace(table, better=better if value == "score" else "")


def _with_names(collected: Collected) -> pl.DataFrame:
    """Fill in the sources and tasks that only the headers name, or that the user names."""
    frame = collected.frame()
    source, task, file = (frame[name].to_numpy().copy() for name in ("source", "task", "file"))
    kept = np.ones(len(source), dtype=bool)
    known = collected.sources.all
    unnamed = (source < 0) | (source == (known.index("") if "" in known else -1))
    for number, about in enumerate(collected.files):
        own = file == number
        source[own & unnamed] = collected.sources(about.model)
        task[own & (task < 0)] = collected.tasks(about.header.task)
        if about.called is None:
            continue
        held = np.unique(source[own])
        if collected.sources(about.called) in held:
            kept &= ~own | (source == collected.sources(about.called))
        elif held.size == 1:
            source[own] = collected.sources(about.called)
        else:
            names = [collected.sources.all[code] for code in held]
            raise DataError(f"{about.path} holds {held.size} sources ({listed(names)}); none is {about.called!r}.")
    return frame.with_columns(source=pl.Series(source), task=pl.Series(task)).filter(pl.Series(kept))


def _found(collected: Collected) -> str:
    kinds = Counter(file.reader.title for file in collected.files)
    parts = [title if count == 1 else f"{count} × {title}" for title, count in kinds.items()]
    return Aside(f"Read {', '.join(parts)}: {', '.join(file.path for file in collected.files)}.")


def _skipped(collected: Collected) -> list[str]:
    if not collected.skipped:
        return []
    n_files = len(collected.files) + len(collected.skipped)
    was = "was" if len(collected.skipped) == 1 else "were"
    first = collected.skipped[0]
    return [f"{len(collected.skipped)} of {n_files} files {was} skipped (first: {first.reason})"]


def _told_settings(collected: Collected, kept: Sequence[int], pool: Sequence[str]) -> list[str]:
    """Say which settings set runs of one model apart, and which were pooled."""
    files = [collected.files[number] for number in kept]
    apart = dict.fromkeys(part.partition("=")[0] for file in files for part in file.condition.split(" ") if part)
    notes = []
    if apart:
        keys = ", ".join(apart)
        notes.append(
            f"Runs of one model under different settings count as separate models ({keys}). Select with `where`, or "
            f"pool them with `pool={next(iter(apart))!r}`."
        )
    pooled = [key for key in pool if key != INPUT]
    if pooled:
        notes.append(
            f"Runs that differ in {', '.join('any setting' if key == ALL else key for key in pooled)} are pooled."
        )
    return notes


OWN_COLUMNS = ("task", "source", "rater", "item", "scorer", "filter")


def _kept(collected: Collected, frame: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """Keep the rows that `where` asks for."""
    for column, wanted in where.items():
        if column not in OWN_COLUMNS:
            known = [*OWN_COLUMNS, *collected.settings]
            raise DataError(
                f"the logs have no {column!r} to select by; there is {listed(known)}.{_check.nearest(column, known)}"
            )
        known = getattr(collected, f"{column}s").all
        if wanted not in known:
            hint = _check.nearest(wanted, known)
            raise DataError(f"no row of the logs has the {column} {wanted!r}; there is {listed(known)}.{hint}")
        frame = frame.filter(pl.col(column) == known.index(wanted))
    if not frame.height:
        raise DataError("no row of the logs has all that `where` asks for.")
    return frame


def _chosen(
    collected: Collected, frame: pl.DataFrame, scorer: str | None, filter: str | None
) -> tuple[pl.DataFrame, list[str]]:
    """Keep one scorer and one filter of each file and task (or those that a glob names); ambiguity is an error."""
    parts, notes, taken = [], list[str](), dict[str, dict[str, None]]()
    names_of = short_names([file.path for file in collected.files])  # for notes; errors name whole paths
    for (number, task), group in frame.group_by("file", "task", maintain_order=True):
        own = group
        file = collected.files[number]
        tasks = frame.filter(pl.col("file") == number)["task"].n_unique()
        name = names_of[file.path]
        place, short = (f"{at} ({collected.tasks.all[task]})" if tasks > 1 else at for at in (file.path, name))
        for role, asked, names in (("filter", filter, collected.filters), ("scorer", scorer, collected.scorers)):
            held = own.filter(pl.col("kind") != NOTHING)[role].unique(maintain_order=True).to_list()
            default = file.header.default if role == "scorer" else ""
            chosen = _pick(place, role, asked, [names.all[code] for code in held], default)
            codes = [names(name) for name in chosen]
            if codes:
                unnamed = (pl.col(role) == names("")) & (pl.col("kind") == NOTHING)
                own = own.filter(pl.col(role).is_in(codes) | unnamed)
            if role == "scorer" and chosen:
                taken.setdefault(", ".join(chosen), {})[short] = None
            rest = [names.all[code] for code in held if code not in codes]
            if asked is None and rest and chosen:
                notes.append(f"{short}: {role} {chosen[0]} is taken; also there: {listed(rest)} (`{role}`).")
        parts.append(own)
        notes += [type(note)(note.replace(file.path, name)) for note in file.header.notes]
    if len(taken) > 1:
        told = "; ".join(f"{name or 'scores without a name'} in {listed(list(paths))}" for name, paths in taken.items())
        notes.append(f"The files are scored by different things: {told}.")
    return pl.concat(parts), list(dict.fromkeys(notes))


def _pick(place: str, role: str, asked: str | None, held: list[str], default: str) -> list[str]:
    if asked is not None:
        alike = [name for name in held if name == asked] or [name for name in held if fnmatch.fnmatchcase(name, asked)]
        if alike or len(held) <= 1:
            return alike or held
        hint = _check.nearest(asked, held)
        raise DataError(f"{place} has no {role} {asked!r}; it has {listed(held)}.{hint}")
    if len(held) <= 1:
        return held
    if default in held:
        return [default]
    raise DataError(
        f"{place} has {len(held)} {role}s: {listed(held)}. Say which to take, for example `{role}={held[0]!r}`."
    )


def _direction(collected: Collected, frame: pl.DataFrame) -> str:
    """Return which scores are better, where every file says the same of its scorer."""
    said = set()
    for file, scorer in frame.filter(pl.col("kind") != NOTHING).select("file", "scorer").unique().iter_rows():
        said.add(collected.files[file].header.higher_is_better.get(collected.scorers.all[scorer]))
    return "" if len(said) != 1 else {True: "higher", False: "lower", None: ""}[said.pop()]


def _items(collected: Collected, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Name the items: with the task where there are several, with the scorer where a glob took several."""
    tasks = [code for code in frame["task"].unique(maintain_order=True).to_list() if collected.tasks.all[code]]
    scorers = frame.filter(pl.col("kind") != NOTHING)["scorer"].n_unique()
    n_chosen = frame.filter(pl.col("kind") != NOTHING).group_by("file").agg(pl.col("scorer").n_unique())["scorer"].max()
    several = isinstance(n_chosen, int) and n_chosen > 1 and scorers > 1
    if len(tasks) < 2 and not several:
        return frame, collected.items.all, [""] * len(collected.items)
    keys = frame.select("item", "task", "scorer" if several else pl.lit(-1).alias("scorer"))
    distinct = keys.unique(maintain_order=True)
    names, of_task = [], []
    for item, task, scorer in distinct.iter_rows():
        part = collected.tasks.all[task] if len(tasks) > 1 else ""
        parts = [part, collected.items.all[item], collected.scorers.all[scorer] if several else ""]
        names.append(":".join(filter(None, parts)))
        of_task.append(part)
    joined = keys.join(distinct.with_row_index("named"), on=keys.columns, how="left", maintain_order="left")
    return frame.with_columns(item=joined["named"].cast(pl.Int64)), names, of_task


def _answers(collected: Collected, frame: pl.DataFrame) -> pl.DataFrame:
    """Take what the models answered in place of their scores."""
    answered = pl.col("answer") >= 0
    return frame.with_columns(
        kind=pl.when(answered).then(TEXT).otherwise(NOTHING),
        label=pl.col("answer"),
        lacks=pl.when(answered).then(-1).otherwise(collected.reasons(NO_ANSWER)),
    )


def _assembled(
    collected: Collected,
    frame: pl.DataFrame,
    items: Sequence[str],
    tasks: Sequence[str],
    layout: Layout,
    *,
    notes: Sequence[str],
) -> ResponseTable:
    """Put the chosen rows on a scale and cut them into sources; `notes` goes on with what was left out.

    `tasks` has the task of each item.
    """
    frame, names = _compact(frame, items)
    sources, raters = Factor.of_codes(frame["source"], collected.sources.all), _raters(collected, frame)
    rows = CodedRows(
        Factor(names, frame["item"].to_numpy()),
        sources,
        raters,
        _repeats(collected, frame, names),
        _Items([collected.files[code].path for code in frame["file"]], [names[code] for code in frame["item"]]),
        np.arange(frame.height),
    )
    told = [*notes, *_completeness(collected, frame, sources, names)]
    of_item = dict(zip(items, tasks, strict=True))
    groups = {"task": labels([of_item[name] for name in names])} if any(tasks) else {}
    if (frame["kind"] == SHARES).any():
        several, cells, about = spread_amounts(rows, _parts(collected, frame))
        table = several.assemble(encode(cells, layout, several.place), groups, [])
    else:
        encoded, about = _encoded(collected, frame, rows, layout)
        table = rows.assemble(encoded, groups, [])
    told += about
    holds = {name: (source.sizes > 0) for name, source in table.sources.items()}
    held = {name: table.items[has].tolist() for name, has in holds.items()}
    if len(holds) > 1 and all(held.values()):
        refuse_strangers(held, holds, {name: name for name in holds})
        _refuse_apart(collected, holds)
        told.append(join_note(holds, names, "sources"))
    repeats = tuple(name for name, source in table.sources.items() if source.raters is None and not are_people(name))
    return replace(table, notes=(*told, *_other_names(list(table.sources)), *_constant(table)), repeats=repeats)


def _other_names(sources: Sequence[str]) -> list[str]:
    """Point out sources that are probably one model under two names: openai/gpt-4o and gpt-4o."""
    seen: dict[str, str] = {}
    notes = []
    for name in sources:
        short = plain(name.rsplit("/", 1)[-1])
        if seen.setdefault(short, name) != name:
            notes.append(
                f"{seen[short]} and {name} may be one model under two names. Name the files alike to pool them."
            )
    return notes


def _constant(table: ResponseTable) -> list[str]:
    """Say so where every response is the same: more often a broken run than a result."""
    values = np.concatenate([source.values for source in table.sources.values()])
    if values.size < 2 or (values != values[0]).any() or table.scale.kind == "nominal":
        return []
    return [f"Every response has the same value, {values[0]:g}. Check that the runs worked."]


def _refuse_apart(collected: Collected, holds: Mapping[str, Any]) -> None:
    """Refuse logs of several tasks or tools whose models have no items in common, and say how to choose among them."""
    groups = collected.groups()
    if len(groups) < 2:
        return
    reached, rest = next(iter(holds.values())).copy(), list(holds.values())
    while near := [has for has in rest if (has & reached).any()]:
        reached = np.logical_or.reduce([reached, *near])
        rest = [has for has in rest if not (has & reached).any()]
    if rest:
        ways = [" ".join(f"`where='{key}={value}'`" for key, value in where.items()) for where in groups[:3]]
        raise DataError(
            f"the logs are of {len(groups)} tasks or tools whose models share no items; choose one: {', '.join(ways)}."
        )


@dataclass(frozen=True, slots=True)
class _Items:
    """Where a row is: its file and item."""

    files: Sequence[str]
    items: Sequence[str]

    def place(self, row: int) -> str:
        return f"{self.files[row]}, item {self.items[row]}"

    def short_place(self, row: int) -> str:
        return f"item {self.items[row]} of {self.files[row]}"


def _compact(frame: pl.DataFrame, items: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Give numbers to the items that are left, in the order of first appearance."""
    seen = frame["item"].unique(maintain_order=True)
    codes = frame["item"].replace_strict(seen, pl.int_range(len(seen), eager=True), return_dtype=pl.Int64)
    return frame.with_columns(item=codes), [items[code] for code in seen]


def _raters(collected: Collected, frame: pl.DataFrame) -> Factor | None:
    """Return who rated; a single judge of all rows tells nothing and is left out, unless it is a person."""
    people = [code for code, file in enumerate(collected.files) if file.reader.personal]
    codes = frame["rater"].to_numpy().copy()
    for number in range(len(collected.files)):
        own = (frame["file"] == number).to_numpy()
        if number not in people and np.unique(codes[own & (codes >= 0)]).size == 1:
            codes[own] = -1
    return None if (codes < 0).all() else Factor.of_codes(pl.Series(codes), collected.raters.all)


def _repeats(collected: Collected, frame: pl.DataFrame, names: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Give numbers to the responses of an item, source and rater: by file, then by epoch, else as they come."""
    keys = ["item", "source", "rater"]
    numbered = frame.select(*keys, "file", "repeat", "kind").with_row_index("row")
    told = numbered.filter(pl.col("repeat").is_not_nan() & (pl.col("kind") != NOTHING))
    again = told.select(*keys, "file", "repeat").is_duplicated()
    if again.any():
        first = told.row(int(again.arg_max() or 0), named=True)
        who, where = collected.sources.all[first["source"]], collected.files[first["file"]].path
        raise DataError(
            f"{where}: item {names[first['item']]} of {who} is there twice with the same repeat "
            f"({text_of(first['repeat'])}). Remove one."
        )
    ordered = numbered.sort("file", pl.col("repeat").fill_nan(None), "row", nulls_last=True, maintain_order=True)
    counted = ordered.with_columns(pl.int_range(1, pl.len() + 1).over(keys).alias("number")).sort("row")
    return counted["number"].cast(pl.Float64).to_numpy()


def _encoded(collected: Collected, frame: pl.DataFrame, rows: CodedRows, layout: Layout) -> tuple[Encoded, list[str]]:
    kind, numbers = frame["kind"].to_numpy(), frame["number"].to_numpy().copy()
    texts, notes = pl.Series(collected.texts.all, dtype=pl.String), list[str]()
    held = texts.gather(frame["label"].filter(frame["kind"] == TEXT).unique())
    graded = any(file.header.grades for file in collected.files) and layout.order is None and layout.scale != "nominal"
    of_marks = len(held) and held.is_in([*MARKS]).all() and (held.is_in(["C", "I"]).any() or set(held) == {"N"})
    marked = bool(graded and of_marks)
    if marked:
        is_text = kind == TEXT
        marks = texts.gather(frame["label"].filter(pl.Series(is_text)))
        numbers[is_text] = [MARKS[mark] for mark in marks]
        kind = np.where(is_text, NUMBER, kind)
        shown = ", ".join(f"{mark} = {MARKS[mark]:g}" for mark in MARKS if mark in set(held))
        notes.append(f"Marks count as numbers: {shown}.")
        silent = int((marks == "N").sum())
        if silent:
            has = "response is" if silent == 1 else "responses are"
            notes.append(f"{silent:,} {has} marked N (no answer, or a refusal), which Inspect counts as 0.")
    if not (kind == TEXT).any():
        cells = pl.Series(np.where(kind == NUMBER, numbers, np.nan))
    else:
        labelled = texts.gather(frame["label"].replace(-1, None))
        written = pl.Series([text_of(number) for number in numbers.tolist()], dtype=pl.String)
        cells = labelled.zip_with(pl.Series(kind == TEXT), written.set(pl.Series(kind != NUMBER), None))
    if not (kind != NOTHING).any():
        raise DataError(f"no sample has a score: {'; '.join(_completeness(collected, frame, rows.source, ()))}")
    encoded = encode(cells, layout, rows.place)
    notes += encoded.notes
    encoded = replace(encoded, missing=None, notes=())
    scorers = {plain(collected.scorers.all[code]) for code in frame["scorer"].filter(frame["kind"] != NOTHING).unique()}
    levels = set(encoded.scale.levels)
    if levels and levels <= {0.0, 1.0} and encoded.scale.is_numeric and (marked or scorers <= RIGHT_SCORERS):
        encoded = replace(encoded, scale=replace(encoded.scale, reason=OUTCOMES))
    elif scorers == {"preference"} and encoded.scale.is_numeric:
        encoded = replace(encoded, scale=replace(encoded.scale, reason=SHARE_SCALE))
    return encoded, notes


def _completeness(collected: Collected, frame: pl.DataFrame, sources: Factor, names: Sequence[str]) -> list[str]:
    """Say for each source how many of its responses have a value, and why the others have none."""
    notes = []
    for number, source in enumerate(sources.names):
        own = frame.filter(pl.Series(sources.codes == number))
        absent = own.filter(pl.col("kind") == NOTHING)
        not_run = _not_run(collected, own)
        if not absent.height and not not_run:
            continue
        reasons = []
        for code in absent["lacks"].unique(maintain_order=True):
            alike = absent.filter(pl.col("lacks") == code)
            first = f" (first: item {names[alike['item'][0]]})" if names else ""
            reasons.append(f"{alike.height:,} {collected.reasons.all[code]}{first}")
        if not_run:
            reasons.append(f"{not_run:,} not run")
        total = own.height + not_run
        scored = f"{source}: {own.height - absent.height:,} of {total:,} responses have a value"
        notes.append(f"{scored}; left out: {', '.join(reasons)}.")
    return notes


def _not_run(collected: Collected, own: pl.DataFrame) -> int:
    """Return how many samples the files announce but do not hold."""
    lacking = 0
    for number in own["file"].unique():
        expected = collected.files[number].header.expected
        if expected is not None:
            held = own.filter(pl.col("file") == number).select("item", "repeat").n_unique()
            lacking += max(0, expected - held)
    return lacking


def _parts(collected: Collected, frame: pl.DataFrame) -> list[Mapping[str, float]]:
    """Return each row's shares of labels; a label of its own has the whole share."""
    texts, parts = collected.texts.all, list[Mapping[str, float]]()
    for kind, number, label in frame.select("kind", "number", "label").iter_rows():
        if kind == SHARES:
            parts.append(collected.shares[label])
        else:
            parts.append({} if kind == NOTHING else {texts[label] if kind == TEXT else text_of(number): 1.0})
    return parts
