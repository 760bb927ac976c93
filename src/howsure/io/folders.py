"""What a folder holds: the logs in it, or its tables, and every other file with the reason why it is left out."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from howsure._files import WATCH
from howsure.errors import DataError
from howsure.io.packed import plain_path

ENDINGS = (".eval", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".arrow", ".feather", ".ipc", ".xlsx",
           ".xlsm", ".xls", ".ods", ".txt", ".dat")  # fmt: skip
AGGREGATES = {
    "results_*.json": "per-item scores are in samples_*.jsonl beside it",
    "stats.json": "per-item scores are in per_instance_stats.json beside it",
}
"""Files that hold totals only, and where the items are."""

MOST_ENTRIES = 20_000
"""Files and folders that a walk looks at; a second or two. Twice the largest folder of logs that people have sent."""

AGGREGATE = "an aggregate without items"
NOT_DATA = "neither a log nor a table of responses"


@dataclass(frozen=True)
class Skipped:
    """A file that is left out, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Contents:
    """The files of a folder that are read, and those that are not."""

    paths: list[str]
    skipped: list[Skipped]


def contents(folder: str | Path) -> Contents:
    """Walk through a folder; links to folders are not followed, and hidden files are no data.

    Where there are logs, tables are left out: what they have to do with the logs is for the user to say.
    """
    from howsure.io.readers.known import recognise

    logs, tables, skipped = list[str](), list[str](), list[Skipped]()
    paths = readable_files(Path(folder), skipped)
    with WATCH.get()("looking at files", len(paths)) as advance:
        for path in paths:
            name = str(path)
            try:
                if path.stat().st_size == 0:
                    skipped.append(Skipped(name, "it is empty"))
                elif recognise(path) is not None:
                    logs.append(name)
                elif (reason := _why_no_data(path)) is not None:
                    skipped.append(Skipped(name, reason))
                else:
                    tables.append(name)
            except (DataError, OSError) as error:
                skipped.append(Skipped(name, getattr(error, "strerror", None) or str(error)))
            advance(1)
    if logs:
        skipped += [Skipped(name, "a table beside logs; give it by its name to use it") for name in tables]
        return Contents(logs, skipped)
    reasons = {name: _why_no_table(name) for name in tables}
    kept = [name for name, reason in reasons.items() if reason is None]
    skipped += [Skipped(name, reason) for name, reason in reasons.items() if reason is not None]
    if not kept:
        first = f" (first: {skipped[0].path}: {skipped[0].reason})" if skipped else ""
        raise DataError(f"{folder} holds no log and no table of responses{first}.")
    return Contents(kept, skipped)


def readable_files(folder: Path, skipped: list[Skipped] | None = None) -> list[Path]:
    """Return the files of a folder whose endings readers know, without hidden ones and links to folders.

    A folder of more than `MOST_ENTRIES`, such as /, is refused at once. Places that cannot be opened go to `skipped`.
    """
    skipped = [] if skipped is None else skipped

    def denied(error: OSError) -> None:
        skipped.append(Skipped(str(error.filename), error.strerror or "it cannot be opened"))

    paths, n_entries, disk = list[Path](), 0, folder.stat().st_dev
    for place, folders, names in os.walk(folder, onerror=denied):
        if os.stat(place).st_dev != disk:
            skipped.append(Skipped(place, "a folder on another disk or file system; give it by its name to use it"))
            folders.clear()
            continue
        n_entries += 1 + len(names)
        if n_entries > MOST_ENTRIES:
            raise DataError(
                f"{folder} holds more than {MOST_ENTRIES:,} files and folders, which is the limit. Name a folder "
                "within it, or the files themselves."
            )
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        named = [Path(place, name) for name in sorted(names) if not name.startswith(".")]
        paths += [path for path in named if plain_path(path).suffix.lower() in ENDINGS]
    return paths


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Return the name of each file without its folder; files of the same name keep the last folder.

    Examples
    --------
    >>> short_names(["logs/a/run.json", "logs/b/run.json", "logs/b/x.csv"])
    {'logs/a/run.json': 'a/run.json', 'logs/b/run.json': 'b/run.json', 'logs/b/x.csv': 'x.csv'}
    """
    times = Counter(Path(path).name or path for path in paths)
    return {
        path: (Path(path).name or path) if times[Path(path).name or path] == 1 else "/".join(Path(path).parts[-2:])
        for path in paths
    }


def aggregate(path: str | Path) -> str | None:
    """Return where the items are, if the name of a file says that it holds totals only."""
    plain = plain_path(Path(path))
    found = (where for pattern, where in AGGREGATES.items() if plain.match(pattern))
    return next((f"{AGGREGATE}; {where}" for where in found), None)


def _why_no_data(path: Path) -> str | None:
    if reason := aggregate(path):
        return reason
    plain = plain_path(path)
    return NOT_DATA if plain.suffix.lower() in (".json", ".txt", ".dat") and not _is_list(path) else None


def _is_list(path: Path) -> bool:
    from howsure.io.readers.base import Glance

    return Glance.of(path).is_array


def _why_no_table(path: str) -> str | None:
    """Return why a file cannot be read as a table that names its sources, or None."""
    from howsure.io.columns import Layout, candidates
    from howsure.io.sheets import open_sheet
    from howsure.io.wide import wide_sources

    try:
        sheet = open_sheet(path)
    except DataError as error:
        return str(error)
    tidy = all(candidates(sheet, role) for role in ("item", "source", "value"))
    return None if tidy or wide_sources(sheet, Layout()) else "a table whose columns have no clear role"
