"""Which items of several logs are the same: by their id, or by what was asked where the ids have nothing in common."""

from collections.abc import Sequence

import polars as pl

from howsure.errors import DataError
from howsure.io.collecting import Collected
from howsure.io.run_settings import ALL, INPUT

MOST_IDS = 3


def same_items(collected: Collected, frame: pl.DataFrame, pool: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Return the rows with equal numbers for equal items, and what to tell.

    An id that stands for different questions in two logs with the same settings is an error, unless the user pools
    inputs. Under different settings a prompt may differ, so a note is enough. A file whose questions are all alike (a
    placeholder) tells nothing.
    """
    asked = _telling(frame)
    if frame["file"].n_unique() < 2 or not asked.height:
        return frame, []
    by_file = frame.group_by("file").agg(pl.col("item").unique()).sort("file")
    first = set(by_file["item"][0].to_list())
    apart = [file for file, items in by_file.iter_rows() if not first & set(items)]
    if apart:
        return _by_input(collected, frame, asked)
    return frame, _clashes(collected, asked, pool)


def _telling(frame: pl.DataFrame) -> pl.DataFrame:
    """Return file, task, item and input where the inputs of a file tell its items apart."""
    rows = frame.filter(pl.col("check") >= 0).select("file", "task", "item", "check").unique(maintain_order=True)
    counts = rows.group_by("file").agg(pl.col("check").n_unique().alias("inputs"), pl.col("item").n_unique())
    telling = counts.filter((pl.col("inputs") > 1) | (pl.col("item") == 1))["file"]
    return rows.filter(pl.col("file").is_in(telling.implode()))


def _by_input(collected: Collected, frame: pl.DataFrame, asked: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Match items by what was asked, where every row has it and no input is that of two items of a file."""
    once = (
        asked.select("file", "task", "check").is_unique().all()
        and asked.select("file", "task", "item").is_unique().all()
    )
    shared = asked.group_by("task", "check").agg(pl.col("file").n_unique())["file"].max()
    if not once or (frame["check"] < 0).any() or not isinstance(shared, int) or shared < 2:
        return frame, []
    names = asked.group_by("task", "check", maintain_order=True).agg(pl.col("item").first().alias("named"))
    matched = frame.join(names, on=["task", "check"], how="left", maintain_order="left")
    frame = frame.with_columns(item=matched["named"].fill_null(matched["item"]))
    return frame, ["Items are matched by what was asked, because the files give them different ids."]


def _clashes(collected: Collected, asked: pl.DataFrame, pool: Sequence[str]) -> list[str]:
    tools = [file.reader.name for file in collected.files]
    found = []
    for (item, _), rows in asked.filter(pl.col("check").n_unique().over("item", "task") > 1).group_by(
        "item", "task", maintain_order=True
    ):
        files, checks = rows["file"].to_list(), rows["check"].to_list()
        other = next(
            (n for n in range(1, len(files)) if checks[n] != checks[0] and files[n] != files[0]
             and tools[files[n]] == tools[files[0]]), None
        )  # fmt: skip
        if other is not None:
            found.append((item, files[0], files[other]))
    if not found or INPUT in pool or ALL in pool:
        return []
    one, two = (collected.files[number] for number in found[0][1:])
    ids = ", ".join(collected.items.all[item] for item, _, _ in found[:MOST_IDS])
    n = "1 item has" if len(found) == 1 else f"{len(found):,} items have"
    said = f"{n} the same id but different questions in {one.path} and {two.path} (first: {ids})"
    if one.header.settings == two.header.settings and one.called is None and two.called is None:
        raise DataError(
            f"{said}. Check that the files are of one data set; if they are, compare by id with `pool={INPUT!r}`."
        )
    return [f"{said}. Check that the files are of one data set."]
