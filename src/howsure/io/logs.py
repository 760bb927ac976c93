"""Read evaluation logs and annotation exports: one file per model, several runs of a model, ratings by people."""

import fnmatch
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure import _check
from howsure.documents import Aside
from howsure.errors import DataError
from howsure.io.readers.assembling import VALUES, assembled
from howsure.io.readers.base import Header, digest
from howsure.io.readers.collecting import NOTHING, Collected, LogFile
from howsure.io.readers.known import recognise, rows_of
from howsure.io.sheets import listed
from howsure.raters.design import RATER_IDS
from howsure.response_tables import ResponseTable

Named = tuple[str | None, str | Path]
Paths = str | Path | Sequence[str | Path | Named] | Mapping[str, str | Path | Sequence[str | Path]]


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
) -> ResponseTable:
    """Read evaluation logs and annotation exports; what each file is follows from its content.

    Every response is kept: each epoch, each repeat, each of several logs of one model. What has no score (an error, a
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
    2 items; responses: m-1 (2); scale: ordinal: 0, 1 (2 distinct whole numbers)
    """
    _check.one_of("value", value, VALUES)
    _check.one_of("rater_ids", rater_ids, RATER_IDS)
    collected = collect(files, Header(scorer=scorer or "", item=item or ""), coded=rater_ids == "coded")
    frame = _with_names(collected)
    notes = [_found(collected)]
    frame = _kept(collected, frame, where or {})
    frame, about = _chosen(collected, frame, scorer, filter)
    notes += about
    better = _direction(collected, frame)
    frame, names, tasks = _items(collected, frame)
    table = assembled(
        collected,
        frame,
        names,
        tasks=tasks,
        value=value,
        notes=notes,
        scale=scale,
        order=order,
        labels=labels,
    )
    return replace(table, better=better if value == "score" else "")


def collect(files: Paths, asked: Header | None = None, *, coded: bool = True) -> Collected:
    """Recognise each file and take all its rows."""
    asked = asked or Header()
    collected, runs = Collected(), dict[str, str]()
    for called, path in _paths(files):
        known = recognise(path)
        if known is None:
            raise DataError(f"{path} is not a log or export that is known. If it is a table, read it with `read`.")
        reader, glance = known
        file = LogFile(str(path), reader, replace(asked, higher_is_better={}, notes=[]), called)
        collected.files.append(file)
        before = len(collected)
        for row in rows_of(reader, glance, file.header):
            code = row.rater is not None and reader.personal and coded
            collected.add(row._replace(rater=f"r-{digest(row.rater)}") if code else row)
        if len(collected) == before:
            raise DataError(f"{path} ({reader.title}) holds no sample.")
        run = file.header.run
        if run and runs.setdefault(run, str(path)) != str(path):
            raise DataError(f"{path} and {runs[run]} are the same run ({run}); give it once.")
    return collected


def _paths(files: Paths) -> Iterator[tuple[str | None, str | Path]]:
    if isinstance(files, str | Path):
        yield None, files
    elif isinstance(files, Mapping):
        for called, own in files.items():
            yield from ((called, path) for path in ([own] if isinstance(own, str | Path) else own))
    else:
        yield from (path if isinstance(path, tuple) else (None, path) for path in files)


def _with_names(collected: Collected) -> pl.DataFrame:
    """Fill in the sources and tasks that only the headers name, or that the user names."""
    frame = collected.frame()
    source, task, file = (frame[name].to_numpy().copy() for name in ("source", "task", "file"))
    kept = np.ones(len(source), dtype=bool)
    for number, about in enumerate(collected.files):
        own = file == number
        model = about.header.model or Path(about.path).stem
        source[own & (source < 0)] = collected.sources(model)
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


def _kept(collected: Collected, frame: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """Keep the rows that `where` asks for."""
    for column, wanted in where.items():
        _check.one_of("where", column, ("task", "source", "rater", "item", "scorer", "filter"))
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
    for (number, task), group in frame.group_by("file", "task", maintain_order=True):
        own = group
        file = collected.files[number]
        tasks = frame.filter(pl.col("file") == number)["task"].n_unique()
        place = f"{file.path} ({collected.tasks.all[task]})" if tasks > 1 else file.path
        for role, asked, names in (("filter", filter, collected.filters), ("scorer", scorer, collected.scorers)):
            held = own.filter(pl.col("kind") != NOTHING)[role].unique(maintain_order=True).to_list()
            default = file.header.default if role == "scorer" else ""
            chosen = _pick(place, role, asked, [names.all[code] for code in held], default)
            codes = [names(name) for name in chosen]
            if codes:
                unnamed = (pl.col(role) == names("")) & (pl.col("kind") == NOTHING)
                own = own.filter(pl.col(role).is_in(codes) | unnamed)
            if role == "scorer" and chosen:
                taken.setdefault(", ".join(chosen), {})[place] = None
            rest = [names.all[code] for code in held if code not in codes]
            if asked is None and rest and chosen:
                notes.append(f"{place}: {role} {chosen[0]} is taken; also there: {listed(rest)} (`{role}`).")
        parts.append(own)
        notes += file.header.notes
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
