"""What visitors upload: kept in folders with names that cannot be guessed, deleted on request and after a time.

Whoever reads an upload does so from within its folder, by the names of its files. No message, command or report then
knows where that folder is, and what a visitor calls a file is only letters that no format has to escape.
"""

import json
import re
import secrets
import shlex
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from howsure._files import write_text
from howsure.errors import DataError, HowsureError, cut
from howsure.io.folders import ENDINGS as READABLE
from howsure.io.packed import plain_path
from howsure.web.folder import delete, older
from howsure.web.helper_processes import HelperProcess
from howsure.web.settings import Settings

NAME = re.compile(r"[^\w. ()+-]+")
IDENTITY = re.compile(r"[0-9a-f]{32}")
MOST_LETTERS = 80
"""Of a file's name; letters of other scripts have up to three bytes each."""
TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".xls", ".ods", ".parquet")
"""Endings of files that are never logs."""
MANY_SCORES = 2_000_000
"""Bytes from which on a text file of two columns of numbers is only read as two lists of scores."""
MOST_FILES = 2000
"""Files of a folder that goes up as one .zip."""
ROLE_OPTIONS = ("item", "source", "value", "rater", "repeat", "count")
"""What a column can be: options that name one."""
LONGEST_NAME = 1000
"""Letters of a name in a table: of a column, a model or a rater."""
MOST_RATERS = 200
"""Raters of whom one can be said to be the judge; a menu has no room for more."""
SAYS_JUDGE = re.compile(r"judge|llm|(?<![a-z])(gpt|claude|gemini|llama|mistral|qwen|deepseek|autorater)", re.IGNORECASE)
"""Names of raters that are models rather than people."""


@dataclass(frozen=True, slots=True)
class Upload:
    """One upload: its files, whose it is, and what was recognised.

    Attributes
    ----------
    identity : str
    owner : str
    files : tuple of str
        Their names, as the visitor called them or nearly so; there is nothing else in their folder.
    seen : mapping
        What was recognised: sources, scale, sizes, notes; or the response model that it is.
    reading : mapping
        What the visitor corrected: columns, scale, encoding and the like.
    called : tuple of str
        Whose responses each of several tables holds.
    kinds : mapping of str to str
        What the visitor says that a source is: "gold", "model", "judge" or "out".
    measure : str
        By what the visitor says that a model is better; empty for what fits the scale.
    said_judge : str or None
        The rater that the visitor says is a model judge; empty for none, None where the visitor says nothing.
    """

    identity: str
    owner: str
    files: tuple[str, ...]
    seen: dict[str, Any]
    reading: dict[str, Any] = field(default_factory=dict)
    called: tuple[str, ...] = ()
    kinds: dict[str, str] = field(default_factory=dict)
    measure: str = ""
    said_judge: str | None = None

    @property
    def name(self) -> str:
        """What pages call it."""
        return ", ".join(self.files[:3]) + (f" and {len(self.files) - 3} more" if len(self.files) > 3 else "")

    @property
    def gold(self) -> str:
        """The source that models are measured against: as the visitor says, else as recognised; empty for none."""
        said = [source for source, kind in self.kinds.items() if kind == "gold"]
        guessed = str(self.seen.get("roles", {}).get("gold", ""))
        return said[0] if said else "" if self.kinds.get(guessed, "gold") != "gold" else guessed

    @property
    def models(self) -> list[str]:
        """The sources that can be compared, the two that were recognised first."""
        found = self.seen.get("models") or list(self.seen.get("sources", {}))
        first = [self.seen["roles"][role] for role in ("a", "b") if self.seen.get("roles", {}).get(role) in found]
        left = [name for name in (*first, *found) if name != self.gold and self.kinds.get(name, "model") == "model"]
        return list(dict.fromkeys(left))

    @property
    def judge(self) -> str:
        """The model judge beside people: a source, or else one of the raters; empty for none."""
        return next((source for source, kind in self.kinds.items() if kind == "judge"), self.judge_rater)

    @property
    def judge_rater(self) -> str:
        """The rater that is a model judge, as the visitor says, else as guessed; empty for none, or for a source."""
        if "judge" in self.kinds.values():
            return ""
        said = self.seen.get("judge", "") if self.said_judge is None else self.said_judge
        return said if said in self.seen.get("rater_names", ()) else ""

    @property
    def left_out(self) -> bool:
        """Whether the visitor says that a source is no model: it is left out, or the judge."""
        return not {"out", "judge"}.isdisjoint(self.kinds.values())

    @property
    def specs(self) -> tuple[str, ...]:
        """The files as a question names them: one, or one for each source."""
        return specs_of(self.files, self.called)

    @property
    def is_model(self) -> bool:
        """Whether it is a file of a response model."""
        return bool(self.seen.get("model"))


class Uploads:
    """The uploads of all visitors, in one folder."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.root = settings.root / "uploads"
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._owners: dict[str, str] = {}
        self._changing = threading.Lock()
        for folder in sorted(self.root.iterdir(), key=lambda at: at.stat().st_mtime):
            found = self.get(folder.name, None)
            for copy in temporary_of(folder).glob("*"):  # the folder itself stays, and with it the age of the upload
                delete(copy)
            if found is None:  # a server was killed before it had read these files
                delete(folder)
            else:
                self._owners[found.identity] = found.owner
        self.reader = HelperProcess(
            "howsure.web.uploads:looked_at", settings.root, seconds=60, megabytes=settings.max_memory
        )

    def add(self, owner: str, files: Sequence[tuple[str, bytes]]) -> Upload:
        """Keep files, read them once, and say what they are; nothing is kept of what cannot be read."""
        if not files or not any(content for _, content in files):
            raise DataError("the upload is empty: choose a file, or paste a table.")
        identity = secrets.token_hex(16)
        folder = files_of(self.root.parent, identity)
        folder.mkdir(parents=True, mode=0o700)
        try:
            names: list[str] = []
            for name, content in files:
                harmless = safe_name(name)
                if not (is_readable(harmless) or harmless.lower().endswith(".zip")):
                    raise DataError(f"{harmless} cannot be read: {', '.join(READABLE)} and .zip can. Leave it out.")
                names.append(f"{len(names)}-{harmless}" if harmless in names else harmless)
                (folder / names[-1]).write_bytes(content)
            if len(names) == 1 and names[0].lower().endswith(".zip"):
                names = [self.reader.ask("unpack", str(folder), names[0], 10 * self.settings.max_bytes)["folder"]]
            elif len(names) > 1:
                names = self.reader.ask("gather", str(folder), names)["files"]
            return self._looked_at(Upload(identity, owner, tuple(names), {}, {}, _called(names)))
        except BaseException:
            delete(self.root / identity)
            raise

    def correct(
        self,
        upload: Upload,
        reading: Mapping[str, Any],
        called: Sequence[str],
        *,
        kinds: Mapping[str, str],
        measure: str = "",
        said_judge: str | None = None,
    ) -> Upload:
        """Read the files again as the visitor says; what cannot be read so changes nothing."""
        changed = replace(upload, reading=dict(reading), called=tuple(called), kinds=dict(kinds))
        with self._changing:  # nobody deletes it meanwhile
            if self.get(upload.identity, None) is None:
                raise DataError("there is no such table; it may have been deleted.")
            return self._looked_at(replace(changed, measure=measure, said_judge=said_judge))

    def _looked_at(self, upload: Upload) -> Upload:
        limits = (self.settings.max_rows, self.settings.max_columns)
        folder = files_of(self.root.parent, upload.identity)
        seen = self.reader.ask("table", str(folder), upload.files, upload.called, upload.reading, limits)
        found = replace(upload, seen=seen)
        write_text(self.root / found.identity / "about.json", json.dumps(asdict(found)))
        self._owners[found.identity] = found.owner
        return found

    def read_settings(self, name: str, content: bytes) -> dict[str, Any]:
        """Return what a file of settings of `howsure scores` sets; the data file that it may name is passed over."""
        identity, harmless = secrets.token_hex(16), safe_name(name)
        folder = files_of(self.root.parent, identity)
        folder.mkdir(parents=True, mode=0o700)
        try:
            (folder / harmless).write_bytes(content)
            found: dict[str, Any] = self.reader.ask("settings", str(folder), harmless)
        finally:
            delete(self.root / identity)
        return {key: value for key, value in found.items() if key not in ("file", "columns", "clusters", "encoding")}

    def get(self, identity: str, owner: str | None) -> Upload | None:
        """Return an upload of this visitor; a visitor without a session needs no more than its identity."""
        if not IDENTITY.fullmatch(identity):
            return None
        about = self.root / identity / "about.json"
        try:
            known = json.loads(about.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if owner is not None and known["owner"] != owner:
            return None
        return Upload(**known | {name: tuple(known[name]) for name in ("files", "called")})

    def of(self, owner: str) -> list[Upload]:
        """Return the uploads of a visitor, the newest first; those of others are not looked at."""
        own = [identity for identity, whose in list(self._owners.items()) if whose == owner]
        found = (self.get(identity, owner) for identity in reversed(own))
        return [upload for upload in found if upload is not None]

    def delete(self, identity: str) -> None:
        """Delete an upload with every copy that was made of it; jobs about it must have ended."""
        with self._changing:
            delete(self.root / identity)
            self._owners.pop(identity, None)

    def sweep(self) -> None:
        """Delete what is older than it may be."""
        for folder in older(self.root, 3600 * self.settings.keep_hours):
            self.delete(folder.name)
        for folder in older(self.root, 3600):  # what a deletion has left, because somebody wrote into it
            if not (folder / "about.json").exists():
                self.delete(folder.name)


def files_of(root: Path, identity: str) -> Path:
    """Return the folder of an upload's files, in the folder of the server."""
    return root / "uploads" / identity / "files"


def temporary_of(upload: Path) -> Path:
    """Return the folder of what is unpacked of an upload, or copied, to be read."""
    return upload / "temporary"


@contextmanager
def within(folder: Path) -> Iterator[None]:
    """Work in the folder of an upload's files; temporary files are beside it, so that they are deleted with it."""
    place, before = temporary_of(folder.parent), tempfile.tempdir
    place.mkdir(exist_ok=True, mode=0o700)
    tempfile.tempdir = str(place)
    try:
        with chdir(folder):
            yield
    finally:
        tempfile.tempdir = before


def safe_name(name: str) -> str:
    """Return a file name made of harmless letters, which keeps its ending: readers look at it.

    Examples
    --------
    >>> safe_name("../../my ratings.csv"), safe_name("<b>.csv"), safe_name("normal"), safe_name("")
    ('my ratings.csv', '_b_.csv', 'normal.txt', 'table.csv')
    """
    # Readers take names and times of runs from the names of logs, so a name is kept whole; systems allow 255 bytes.
    base = NAME.sub("_", Path(name.replace("\\", "/")).name)[-MOST_LETTERS:].strip(" ").lstrip(".- ")
    if not base:
        return "table.csv"
    return base if "." in base else f"{base}.txt"  # without an ending it might be the name of a preset


def is_readable(name: str) -> bool:
    """Return whether the ending of a file is one that a reader reads, packed or not."""
    return plain_path(name).suffix.lower() in READABLE


def looked_at(kind: str, folder: str, *arguments: Any) -> dict[str, Any]:
    """Look at files in the process that reads them, from within their folder: a table, or settings."""
    from howsure.questions.score_settings import read_settings

    how: dict[str, Any] = {"table": recognised, "unpack": unpacked, "gather": gathered, "settings": read_settings}
    with within(Path(folder)):
        found: dict[str, Any] = how[kind](*arguments)
        return found


def unpacked(name: str, most: int) -> dict[str, str]:
    """Unpack a folder that was sent as one .zip, and delete that; names are made harmless, sizes are bounded."""
    folder = Path(name).stem or "folder"
    try:
        with zipfile.ZipFile(name) as archive:
            # A reader passes over every other file of a folder, so nothing else is unpacked: no program, for example.
            files = (each for each in archive.infolist() if not each.is_dir() and _is_content(each.filename))
            members = [each for each in files if is_readable(each.filename)]
            if len(members) > MOST_FILES or sum(each.file_size for each in members) > most:
                raise DataError(f"{name} unpacks to more than {MOST_FILES:,} files or {most / 1e6:,.0f} MB.")
            parts = [[safe_part(part) for part in each.filename.replace("\\", "/").split("/")] for each in members]
            while parts and all(len(each) > 1 and each[0] == parts[0][0] for each in parts):
                folder, parts = parts[0][0], [each[1:] for each in parts]
            for each, path in zip(members, parts, strict=True):
                place = Path(folder, *path[:-1], safe_name(path[-1]))
                place.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(each) as content, place.open("wb") as out:
                    shutil.copyfileobj(content, out)
    except (zipfile.BadZipFile, RuntimeError, OSError) as error:
        raise DataError(f"{name} cannot be unpacked: {error}.") from error
    Path(name).unlink()
    if not parts:
        raise DataError(f"{name} holds no file that can be read: {', '.join(READABLE)}.")
    return {"folder": folder}


def gathered(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the files of an upload; evaluation logs become one folder, whose readers know which files belong together.

    A table names its source by its file, but a log says itself which model it is of.
    """
    if any(Path(name).suffix.lower() in TABLES for name in names) or not any(map(_is_log, names)):
        return {"files": list(names)}
    Path("logs").mkdir()
    for name in names:
        Path(name).rename(Path("logs", name))
    return {"files": ["logs"]}


def _is_content(name: str) -> bool:
    """Whether a member of a .zip is a file of the visitor's, and not what systems add."""
    return not any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def safe_part(name: str) -> str:
    """Return the name of a folder made of harmless letters."""
    return NAME.sub("_", name)[-MOST_LETTERS:].strip(" ").lstrip(".- ") or "folder"


def recognised(
    paths: Sequence[str], called: Sequence[str], reading: Mapping[str, Any], limits: tuple[int, int]
) -> dict[str, Any]:
    """Return what the files are: sources with their sizes, scale, notes, what they support and lack; or why nothing.

    It runs in a process of its own, which may be killed.
    """
    from howsure.io.diagnosis import doctor
    from howsure.io.files import table_from

    max_rows, max_columns = limits
    seen: dict[str, Any] = {name: [] for name in ("columns", "notes", "supports", "lacks", "first", "models")}
    seen |= {"sources": {}, "roles": {}, "column_roles": {}, "problem": "", "lines": 0, "model": "", "rows": 0}
    seen |= {"rater_names": [], "judge": ""}
    if _says_model(paths):
        from howsure.models import load

        return seen | {"model": str(load(paths[0])), "kinds": [(paths[0], "response model", "its parameters")]}
    if len(paths) == 1 and Path(paths[0]).suffix in ("", ".txt") and Path(paths[0]).stat().st_size > MANY_SCORES:
        seen["kinds"] = [(paths[0], "text", "")]
        _as_scores(seen, paths, reading)
        if seen["lines"]:  # hundreds of thousands of segments are read once, as what they are
            return seen
    specs = specs_of(paths, called)
    try:
        for path in paths:
            _refuse_wide(path, max_columns)
        _as_sheet(seen, paths, reading, max_columns)
        table = table_from(specs, **reading)
        if sum(source.values.size for source in table.sources.values()) > max_rows:
            raise TooManyError(f"the table has more than {max_rows:,} responses, the most this server takes.")
        _refuse_long_names([*table.sources, *table.raters])
        seen["sources"] = {name: int(source.values.size) for name, source in table.sources.items()}
        seen["n_items"], seen["scale"], seen["kind"] = int(table.n_items), cut(str(table.scale)), table.scale.kind
        seen["groups"], seen["raters"] = list(table.groups), len(table.raters)
        seen["rater_names"] = list(table.raters) if 1 < len(table.raters) <= MOST_RATERS else []
        guess = judge_among(seen["rater_names"], table.sources)
        seen["judge"] = guess if guess and _beside_people(table, guess) else ""
        seen["notes"], seen["better"] = list(table.notes), table.better or ""
    except TooManyError as error:
        raise DataError(str(error)) from None
    except HowsureError as error:
        seen["problem"] = str(error)
    found = doctor(specs, **reading)
    seen["kinds"] = [(report.path, report.kind, report.holds) for report in found.files]
    seen["supports"], seen["lacks"] = list(found.supports), list(found.lacks)
    seen["roles"] = _roles(found.commands)
    seen["models"] = _conditions(seen, paths, reading)
    seen["guessed"] = [command.split()[1] for command in found.commands]
    _as_scores(seen, paths, reading)
    # A log that was read but leaves a choice open is kept: the page offers the choice.
    open_log = (Path(paths[0]).is_dir() or _is_log(paths[0])) and any(report.n_items for report in found.files)
    if not seen["sources"] and not seen["columns"] and not seen["lines"] and not open_log:
        raise DataError(seen["problem"] or "no table was found in this file.")
    return seen


def judge_among(raters: Sequence[str], sources: Collection[str] = ()) -> str:
    """Return the rater whose name says that it is a model judge, if exactly one does; a source is no judge of others.

    Examples
    --------
    >>> judge_among(["ann", "bob", "gpt-judge"]), judge_among(["gpt-4o", "claude-3"]), judge_among(["ann", "Egpty"])
    ('gpt-judge', '', '')
    """
    found = [name for name in raters if SAYS_JUDGE.search(name)]
    return found[0] if len(found) == 1 < len(raters) and found[0] not in sources else ""


def _beside_people(table: Any, rater: str) -> bool:
    """Whether others, too, rated whatever this rater did: a judge is no use where nobody can check it."""
    code = table.raters.index(rater)
    known = [set(source.raters.tolist()) for source in table.sources.values() if source.raters is not None]
    return all(len(raters) > 1 for raters in known if code in raters)


class TooManyError(Exception):
    """A table that is larger than the server takes."""


def _says_model(paths: Sequence[str]) -> bool:
    """Whether a file says in its first line that it is a response model."""
    if len(paths) != 1 or not paths[0].endswith(".json"):
        return False
    with Path(paths[0]).open("rb") as file:
        return b'"howsure_model"' in file.read(200)


def _refuse_wide(path: str, max_columns: int) -> None:
    """Refuse a text file with too many columns by its first line, before anything else is read of it."""
    if Path(path).is_dir():
        return
    if Path(path).suffix.lower() not in ("", ".csv", ".tsv", ".txt"):
        return
    with Path(path).open("rb") as file:
        first = file.readline(2**24)
    if max(first.count(mark) for mark in (b",", b"\t", b";")) >= max_columns:
        raise TooManyError(f"{path} has more than {max_columns:,} columns, the most this server takes.")


def _refuse_long_names(names: Iterable[str]) -> None:
    """Refuse names so long that a page, which repeats each of them many times, would be megabytes."""
    longest = max(map(len, names), default=0)
    if longest > LONGEST_NAME:
        raise TooManyError(
            f"a column, model or rater has a name of {longest:,} letters; this server takes {LONGEST_NAME:,}. "
            "Shorten it, or use the command line."
        )


def _as_sheet(seen: dict[str, Any], paths: Sequence[str], reading: Mapping[str, Any], max_columns: int) -> None:
    """Add the columns of the first file and its first rows; logs have none."""
    from howsure.io.sheets import open_sheet

    if Path(paths[0]).is_dir() or _is_log(paths[0]):
        return
    with suppress(DataError):
        sheet = open_sheet(paths[0], encoding=reading.get("encoding"), sheet=reading.get("sheet"))
        if len(sheet.columns) > max_columns:
            raise TooManyError(f"the table has more than {max_columns:,} columns, the most this server takes.")
        _refuse_long_names(sheet.columns)
        seen["columns"] = list(sheet.columns)[:200]
        seen["rows"], seen["column_roles"] = sheet.frame.height, _column_roles(sheet, reading)
        roles = seen["column_roles"]
        order = sorted(seen["columns"], key=lambda name: name not in roles)  # what has a role comes first
        seen["columns"] = order
        shown = sheet.frame.head(5).select(order[:12])
        seen["first"] = [["" if cell is None else str(cell)[:60] for cell in row] for row in shown.iter_rows()]


def _column_roles(sheet: Any, reading: Mapping[str, Any]) -> dict[str, str]:
    """Return what each column is: as the visitor says, else as its name says; columns of a wide table are sources."""
    from howsure.io.columns import Layout, candidates
    from howsure.io.wide import wide_sources

    found = {reading[role]: role for role in ROLE_OPTIONS if reading.get(role)}
    for role in ("item", "source", "value", "rater", "repeat"):
        if reading.get(role) is None:
            alike = [name for name in candidates(sheet, role) if name not in found]
            found |= {alike[0]: role} if len(alike) == 1 else {}
    if "source" not in found.values():
        with suppress(DataError):
            named: Any = {role: reading.get(role) for role in ROLE_OPTIONS}
            found |= {name: "answers" for name in wide_sources(sheet, Layout(**named)) if name in sheet.columns}
            found = {name: role for name, role in found.items() if role != "value" or "answers" not in found.values()}
    return found


def _conditions(seen: Mapping[str, Any], paths: Sequence[str], reading: Mapping[str, Any]) -> list[str]:
    """Return the models as conditions on a column, where gold is one ("kind=human"); else nothing."""
    from howsure.io.sheets import open_sheet

    column, equals, value = seen["roles"].get("gold", "").partition("=")
    of_models = seen["roles"].get("a", "").partition("=")[0]
    if not equals or not seen["columns"] or of_models not in seen["columns"]:
        return []
    sheet = open_sheet(paths[0], encoding=reading.get("encoding"), sheet=reading.get("sheet"))
    names = sheet.ids(of_models).filter(sheet.ids(column) != value).drop_nulls().unique(maintain_order=True)
    return [f"{of_models}={name}" for name in names.to_list()[:200]]


def _is_log(path: str) -> bool:
    from howsure.io.reading import is_log

    try:
        return not Path(path).is_dir() and is_log(path)
    except HowsureError:
        return False


def _as_scores(seen: dict[str, Any], paths: Sequence[str], reading: Mapping[str, Any]) -> None:
    """Add how many lines of scores the file has, if it can be read as a list of scores for each system."""
    from howsure.paired import read_table

    if Path(paths[0]).is_dir() or "source" in seen["column_roles"].values():
        return  # a folder; or a table that names its sources in a column, of which nobody wants two columns as scores
    try:
        table = read_table(paths[0], encoding=reading.get("encoding"))
    except HowsureError as error:
        if Path(paths[0]).suffix in ("", ".txt") and not seen["sources"]:
            seen["problem"] = str(error)
        return
    seen["lines"], names = len(table.values), list(table.names)
    seen["score_columns"] = names[:200]
    if not seen["sources"]:
        seen["supports"] = [f"{names[0]} and {names[1]} can be compared as lists of {seen['lines']:,} scores."]
        seen["lacks"] = []
    if not seen["columns"]:
        seen["columns"] = names
        seen["kinds"] = [(seen["kinds"][0][0], "lists of scores", f"{seen['lines']:,} segments")]


def _roles(commands: Sequence[str]) -> dict[str, str]:
    """Return gold, A and B as the doctor's first command names them."""
    words = shlex.split(commands[0]) if commands else []
    if words[:2] != ["howsure", "compare"]:
        return {}
    flags = {"--gold": "gold", "--a": "a", "--b": "b"}
    return {flags[word]: words[place + 1] for place, word in enumerate(words[:-1]) if word in flags}


def specs_of(paths: Sequence[str], called: Sequence[str]) -> tuple[str, ...]:
    """Return files as a question names them: one by its path, several each with its source."""
    if len(paths) == 1:
        return tuple(paths)
    return tuple(f"{name}={path}" for name, path in zip(called, paths, strict=True))


def _called(names: Sequence[str]) -> tuple[str, ...]:
    """Return what the sources of several files are called at first: as the files, without their endings."""
    stems = [Path(name).stem.replace("=", "-") or "table" for name in names]
    return tuple(stem if stems.count(stem) == 1 else f"{stem}-{place + 1}" for place, stem in enumerate(stems))
