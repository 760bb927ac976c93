"""From the rows of logs to a `ResponseTable`, with an account of what has no value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from howsure.errors import DataError
from howsure.io._assemble import Rows, labels
from howsure.io._factor import Factor
from howsure.io._responders import are_people
from howsure.io._shares import spread
from howsure.io._values import Encoded, encode
from howsure.io.joining import join_note, refuse_strangers
from howsure.io.readers.base import text_of
from howsure.io.readers.collecting import NOTHING, NUMBER, SHARES, TEXT, Collected
from howsure.response_tables import ResponseTable

VALUES = ("score", "answer")
MARKS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's marks for correct, incorrect, partly correct and no answer (or a refusal), as its metrics count them."""

NO_ANSWER = "without an answer"


def assembled(
    collected: Collected,
    frame: pl.DataFrame,
    items: Sequence[str],
    *,
    tasks: Sequence[str],
    value: str,
    notes: Sequence[str],
    **how: Any,
) -> ResponseTable:
    """Put the chosen rows on a scale and cut them into sources; `notes` goes on with what was left out.

    `tasks` has the task of each item; `how` goes to `encode`.
    """
    if value == "answer":
        frame = frame.with_columns(
            kind=pl.when(pl.col("answer") >= 0).then(TEXT).otherwise(NOTHING),
            label=pl.col("answer"),
            lacks=pl.when(pl.col("answer") >= 0).then(-1).otherwise(collected.reasons(NO_ANSWER)),
        )
    frame, names = _compact(frame, items)
    sources, raters = Factor.of_codes(frame["source"], collected.sources.all), _raters(collected, frame)
    rows = Rows(
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
        several, cells, about = spread(rows, _parts(collected, frame))
        table = several.assemble(encode(cells, place=several.place, **how), groups, [])
    else:
        encoded, about = _encoded(collected, frame, rows, how)
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


def _encoded(
    collected: Collected, frame: pl.DataFrame, rows: Rows, how: Mapping[str, Any]
) -> tuple[Encoded, list[str]]:
    kind, numbers = frame["kind"].to_numpy(), frame["number"].to_numpy().copy()
    texts, notes = pl.Series(collected.texts.all, dtype=pl.String), list[str]()
    held = texts.gather(frame["label"].filter(frame["kind"] == TEXT).unique())
    graded = any(file.header.grades for file in collected.files) and how["order"] is None and how["scale"] != "nominal"
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
    return replace(encode(cells, place=rows.place, **how), note=None), notes


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
