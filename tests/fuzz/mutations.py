"""Seeded mutations of files: bytes that flip, go, come twice or come from a list of trouble; entries that change."""

import copy
import json
from pathlib import Path

import numpy as np

TROUBLE = [
    b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\r", b"\n\n\n", b'"', b"'", b",", b",,,,", b"\t", b"nan", b"NaN",
    b"inf", b"-inf", b"1e308", b"-1e308", b"5e-324", b"1e999", b"9" * 5000, b"-0", b"1_000", b"0x10", b"TRUE", b"null",
    b"None", b"=1+1", b"{", b"}", b"[" * 50, b"</script>", b"<!--", b"\x1b[31m", b"[/x]", "ﬀ".encode(), "é".encode(),
    b"e\xcc\x81", "\u202e".encode(), b"   ", b"a" * 10_000, b"../..", b"%s%n", b"\\N", b"item", b"value",
    b"source", b"rater",
]  # fmt: skip
NONSENSE = [
    None, True, False, 0, -1, 1, 2.5, 1e308, -1e308, 5e-324, 10**400, "", "a", " ", "nan", [], [[]], [1, "a"], {},
    {"a": 1}, "\x00", "a" * 10_000, [0] * 1000,
]  # fmt: skip


def write_over(path: Path, content: bytes) -> None:
    """Write a file again without emptying it first, after which ext4 would wait for the disk: thousands are written."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(content)
        file.truncate()


def of_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    """Return the content with one to four changes."""
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(len(changed) + 1))
        to = min(len(changed), at + int(rng.integers(1, 40)))
        match int(rng.integers(6)):
            case 0 if at < len(changed):
                changed[at] ^= 1 << int(rng.integers(8))
            case 1:
                del changed[at:to]
            case 2:
                changed[at:at] = changed[at:to]
            case 3:
                changed[at:to] = TROUBLE[int(rng.integers(len(TROUBLE)))]
            case 4:
                changed[at:at] = TROUBLE[int(rng.integers(len(TROUBLE)))]
            case 5:
                del changed[at:]
    return bytes(changed)


def of_cells(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a table in which some cells, rows or columns are others."""
    rows = [line.split(b",") for line in content.splitlines()]
    for _ in range(int(rng.integers(1, 6))):
        row = rows[int(rng.integers(len(rows)))]
        match int(rng.integers(4)):
            case 0 | 1 if row:
                row[int(rng.integers(len(row)))] = TROUBLE[int(rng.integers(len(TROUBLE)))]
            case 2:
                rows[int(rng.integers(len(rows)))] = list(row)
            case 3 if len(rows) > 1:
                del rows[int(rng.integers(1, len(rows)))]
    return b"\n".join(b",".join(row) for row in rows) + b"\n"


def of_json(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a JSON document in which some entries are nonsense."""
    document = copy.deepcopy(json.loads(content))
    for _ in range(int(rng.integers(1, 4))):
        part = document
        while isinstance(part, dict | list) and part:
            names = list(part) if isinstance(part, dict) else list(range(len(part)))
            name = names[int(rng.integers(len(names)))]
            inner = part[name]
            if not isinstance(inner, dict | list) or not inner or rng.random() < 0.3:
                part[name] = copy.deepcopy(NONSENSE[int(rng.integers(len(NONSENSE)))])
                break
            part = inner
    return json.dumps(document).encode()
