"""The state of a gate with several looks: a file of JSON lines.

The first line names the gate; each look adds one line with the items that it saw for the first time and their
differences. A line carries a digest of everything before it, so that a damaged file is noticed. One gate writes at a
time: the file is locked while a look is computed, and the system unlocks it whatever happens to the process. The file
is replaced as a whole, so that a full disk or a kill leaves it as it was before the look.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from howsure import _files
from howsure.data.scales import FloatArray
from howsure.errors import DataError

KIND = "howsure gate"
VERSION = 2


@dataclass(frozen=True, slots=True)
class Look:
    """What one look added.

    Attributes
    ----------
    keys : tuple of str
        Short digests of the ids of new items (or clusters).
    differences : array of float
        How much better the candidate is on each of them.
    verdict : str
    """

    keys: tuple[str, ...]
    differences: FloatArray
    verdict: str


@dataclass
class GateState:
    """The looks of one gate so far, and the file that they are in."""

    path: Path
    gate: Mapping[str, Any]
    looks: list[Look] = field(default_factory=list)
    text: str = ""
    digest: str = ""

    @property
    def seen(self) -> set[str]:
        """The items that earlier looks saw."""
        return {key for look in self.looks for key in look.keys}

    @property
    def differences(self) -> FloatArray:
        """All differences so far."""
        return np.concatenate([np.empty(0), *(look.differences for look in self.looks)])

    def refuse_decided(self) -> None:
        """Refuse a look after the verdict."""
        if self.looks and self.looks[-1].verdict in ("pass", "fail", "futile"):
            raise DataError(
                f"{self.path}: this gate was decided at look {len(self.looks)} ({self.looks[-1].verdict}). Start "
                "another one with a new state file."
            )

    def add(self, look: Look) -> None:
        """Add a look; the file holds it when this returns, and is what it was before if this fails."""
        lines = [] if self.text else [{"kind": KIND, "version": VERSION, "gate": dict(self.gate)}]
        lines.append(
            {
                "look": len(self.looks) + 1,
                "verdict": look.verdict,
                "items": list(look.keys),
                "differences": look.differences.tolist(),
            }
        )
        text, digest = self.text, self.digest
        for content in lines:
            digest = _chained(digest, content)
            text += json.dumps({**content, "digest": digest}) + "\n"
        _files.write_text(self.path, text)
        self.text, self.digest = text, digest
        self.looks.append(look)


def key_of(item: str) -> str:
    """Return the short digest under which a state file knows an item."""
    return hashlib.sha256(item.encode()).hexdigest()[:12]


def stored_range(place: str) -> tuple[float, float] | None:
    """Return the ends of the scale that the first look stored; None where there is no such look, or no such file.

    Whether the file is one of this gate, and whole, is checked where it is opened.
    """
    try:
        with Path(place).open("rb") as file:
            low, high = json.loads(file.readline())["gate"]["range"]
        return float(low), float(high)
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def opened(place: str, gate: Mapping[str, Any]) -> Iterator[GateState]:
    """Yield the state of a gate, locked, for one look; a file that is still empty at the end is deleted."""
    path = Path(place)
    if path.exists() and not path.is_file():
        raise DataError(f"{path} is not a file, so it cannot hold the state of a gate; name a file.")
    try:
        file = _locked(path)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}.") from None
    with file:
        state = _read(path, file.read(), gate)
        try:
            yield state
        finally:
            if not state.looks and not state.text:
                path.unlink(missing_ok=True)


def _locked(path: Path) -> IO[bytes]:
    """Open and lock the file of a path, or say that another gate has it."""
    while True:
        file = path.open("ab+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise DataError(
                f"{path} is in use by another gate; wait until it has ended, and run this one again."
            ) from None
        # Another gate may have replaced the file between opening and locking; its look is in the new one.
        try:
            if os.path.samestat(path.stat(), os.fstat(file.fileno())):
                file.seek(0)
                return file
        except FileNotFoundError:
            pass
        file.close()


def _read(path: Path, content: bytes, gate: Mapping[str, Any]) -> GateState:
    state = GateState(path, dict(gate))
    if not content:
        return state
    damaged = f"{path} is not a state file of a gate, or it is damaged"
    if not content.endswith(b"\n"):
        raise DataError(f"{damaged}: its last line is not complete. Nothing was changed; use a copy or a new file.")
    for number, line in enumerate(content.splitlines(), 1):
        try:
            entry = json.loads(line)
            digest = entry.pop("digest")
        except (ValueError, KeyError, AttributeError, TypeError):
            raise DataError(f"{damaged} (line {number}). Nothing was changed; use a copy or a new file.") from None
        if number == 1:
            _check_head(path, entry, gate)
        if digest != _chained(state.digest, entry):
            raise DataError(f"{damaged} (line {number}). Nothing was changed; use a copy or a new file.")
        state.digest = digest
        if number > 1:
            differences = np.array(entry["differences"], dtype=np.float64)
            state.looks.append(Look(tuple(entry["items"]), differences, entry["verdict"]))
    state.text = content.decode()
    return state


def _check_head(path: Path, head: Any, gate: Mapping[str, Any]) -> None:
    if not isinstance(head, dict) or head.get("kind") != KIND:
        raise DataError(f"{path} is not a state file of a gate; name another file.")
    if head.get("version") != VERSION:
        raise DataError(
            f"{path} is a state file of version {head.get('version')}; this version of howsure reads {VERSION}. Finish "
            "the gate with the version that began it."
        )
    begun = head.get("gate", {})
    for name in {**begun, **gate}:
        if begun.get(name) != gate.get(name):
            raise DataError(
                f"{path} belongs to another gate: `{name}` was {begun.get(name)} and is {gate.get(name)}. A gate keeps "
                "its options over all looks; use a new state file for another gate."
            )


def _chained(digest: str, content: Mapping[str, Any]) -> str:
    return hashlib.sha256((digest + json.dumps(content, sort_keys=True)).encode()).hexdigest()[:16]
