"""Read evaluation logs and annotation exports: one file per model, several runs of a model, ratings by people."""

import fnmatch
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure import _check
from howsure.documents import Aside
from howsure.errors import DataError
from howsure.io.coded_rows import CodedRows, labels, spread_amounts
from howsure.io.columns import Layout, are_people
from howsure.io.joining import join_note, refuse_strangers
from howsure.io.readers.base import Header, Reader, Row, digest, text_of
from howsure.io.readers.known import recognise, rows_of
from howsure.io.sheets import listed
from howsure.io.values import Encoded, Factor, encode
from howsure.raters.design import RATER_IDS
from howsure.response_tables import ResponseTable

NOTHING, NUMBER, TEXT, SHARES = range(4)
"""What a value is."""


class Names:
    """Texts as numbers, in the order of first appearance; None is -1."""

    def __init__(self) -> None:
        self._code: dict[str, int] = {}

    def __call__(self, name: str | None) -> int:
        """Return the number of a name."""
        return -1 if name is None else self._code.setdefault(name, len(self._code))

    def __len__(self) -> int:
        return len(self._code)

    @property
    def all(self) -> list[str]:
        """The names by number."""
        return list(self._code)


@dataclass
class LogFile:
    """One log that was read: where it is, what it is, what it says about itself."""

    path: str
    reader: Reader
    header: Header
    called: str | None = None
    """The name that the user gives its source."""


@dataclass
class Collected:
    """Every row of every file."""

    files: list[LogFile] = field(default_factory=list)
    shares: list[Mapping[str, float]] = field(default_factory=list)
    checks: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    clashes: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.items, self.sources, self.raters, self.tasks = Names(), Names(), Names(), Names()
        self.scorers, self.filters, self.reasons, self.texts = Names(), Names(), Names(), Names()
        self._codes = {name: array("q") for name in ("file", "item", "source", "rater", "task", "scorer", "filter")}
        self._codes |= {name: array("q") for name in ("lacks", "kind", "label", "answer")}
        self._numbers, self._repeats = array("d"), array("d")

    def add(self, row: Row) -> None:
        """Take a row of the file that was opened last."""
        file = len(self.files) - 1
        kind, number, label = self._value(row)
        item = self.items(_clean(row.item))
        codes = {
            "file": file,
            "item": item,
            "source": self.sources(_cleaned(row.source)),
            "rater": self.raters(_cleaned(row.rater)),
            "task": self.tasks(_cleaned(row.task)),
            "scorer": self.scorers(_clean(row.scorer)),
            "filter": self.filters(_clean(row.filter)),
            "lacks": self.reasons(row.lacks or ("empty" if kind == NOTHING else None)),
            "kind": kind,
            "label": label,
            "answer": -1 if row.answer is None else self.texts(_clean(text_of(row.answer))),
        }
        for name, code in codes.items():
            self._codes[name].append(code)
        self._numbers.append(number)
        self._repeats.append(float("nan") if row.repeat is None else float(row.repeat))
        if row.check:
            self._compare(item, file, row)

    def frame(self) -> pl.DataFrame:
        """Return the rows as a dataframe of codes."""
        columns: dict[str, Any] = {name: np.frombuffer(codes, dtype=np.int64) for name, codes in self._codes.items()}
        columns["number"] = np.frombuffer(self._numbers, dtype=np.float64)
        columns["repeat"] = np.frombuffer(self._repeats, dtype=np.float64)
        return pl.DataFrame(columns)

    def __len__(self) -> int:
        return len(self._numbers)

    def _value(self, row: Row) -> tuple[int, float, int]:
        value = None if row.lacks else row.value
        if value is None:
            return NOTHING, 0.0, -1
        if isinstance(value, bool | int | float):
            if value != value:  # noqa: PLR0124 (NaN)
                return NOTHING, 0.0, -1
            return NUMBER, float(value), -1
        if isinstance(value, Mapping):
            self.shares.append({_clean(str(name)): _share(share, row) for name, share in value.items()})
            return SHARES, 0.0, len(self.shares) - 1
        text = _clean(text_of(value)).strip()
        return (TEXT, 0.0, self.texts(text)) if text else (NOTHING, 0.0, -1)

    def _compare(self, item: int, file: int, row: Row) -> None:
        """Notice an id that stands for different questions in two files."""
        key = item, self.tasks(_cleaned(row.task))
        check, first = self.checks.setdefault(key, (row.check, file))
        if check != row.check and first != file and self.files[first].reader is self.files[file].reader:
            self.clashes.setdefault(key, file)


def _share(share: Any, row: Row) -> float:
    try:
        number = float(share)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise DataError(f"item {row.item}: {share!r} is not a share of a label.")
    return number


def _cleaned(text: str | None) -> str | None:
    return None if text is None else _clean(text)


def _clean(text: str) -> str:
    """Return a text that can be written; half of a surrogate pair becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


VALUES = ("score", "answer")


MARKS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's marks for correct, incorrect, partly correct and no answer (or a refusal), as its metrics count them."""


NO_ANSWER = "without an answer"


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
    about: dict[str, Any] = {"scorer": scorer, "filter": filter, "where": where, "value": value, "item": item}
    return table_of_logs(files, Layout(scale=scale, order=order, rater_ids=rater_ids, labels=labels, **about))


def table_of_logs(files: Paths, layout: Layout) -> ResponseTable:
    """Read logs and exports as `read_logs` does, from the options in one record."""
    value = _check.one_of("value", layout.value or "score", VALUES)
    coded = _check.one_of("rater_ids", layout.rater_ids, RATER_IDS) == "coded"
    collected = collect(files, Header(scorer=layout.scorer or "", item=layout.item or ""), coded=coded)
    frame = _with_names(collected)
    notes = [_found(collected)]
    frame = _kept(collected, frame, layout.conditions)
    frame, about = _chosen(collected, frame, layout.scorer, layout.filter)
    notes += about
    better = _direction(collected, frame)
    frame, names, tasks = _items(collected, frame)
    frame = _answers(collected, frame) if value == "answer" else frame
    table = _assembled(collected, frame, names, tasks, layout, notes=notes)
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
    told = [*notes, *_completeness(collected, frame, sources, names), *_clashes(collected)]
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
        told.append(join_note(holds, names, "sources"))
    repeats = tuple(name for name, source in table.sources.items() if source.raters is None and not are_people(name))
    return replace(table, notes=tuple(told), repeats=repeats)


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
    if graded and len(held) and held.is_in([*MARKS]).all() and (held.is_in(["C", "I"]).any() or set(held) == {"N"}):
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
    return replace(encode(cells, layout, rows.place), note=None), notes


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


def _clashes(collected: Collected) -> list[str]:
    if not collected.clashes:
        return []
    key, file = next(iter(collected.clashes.items()))
    item, first = key[0], collected.checks[key][1]
    return [
        f"{len(collected.clashes):,} items have the same id but different questions in {collected.files[first].path} "
        f"and {collected.files[file].path} (first: item {collected.items.all[item]}). Check that the files are of one "
        "data set."
    ]


def _parts(collected: Collected, frame: pl.DataFrame) -> list[Mapping[str, float]]:
    """Return each row's shares of labels; a label of its own has the whole share."""
    texts, parts = collected.texts.all, list[Mapping[str, float]]()
    for kind, number, label in frame.select("kind", "number", "label").iter_rows():
        if kind == SHARES:
            parts.append(collected.shares[label])
        else:
            parts.append({} if kind == NOTHING else {texts[label] if kind == TEXT else text_of(number): 1.0})
    return parts
