"""NLPStatTest's files: a text with two numbers on each line, the scores of two systems."""

from howsure.errors import DataError
from howsure.io.readers.base import LONGEST_LINE, Glance, Header, Reader, Row, Rows


def recognises(glance: Glance) -> bool:
    """Take a text (.txt or without an ending) whose first lines hold two numbers each."""
    if glance.path.suffix.lower() not in ("", ".txt", ".dat"):
        return False
    lines = [line.split() for line in glance.text.splitlines()[:20] if line.strip()][:5]
    return bool(lines) and all(len(cells) == 2 and _is_number(cells[0]) and _is_number(cells[1]) for cells in lines)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield two rows for each line: system 1 and system 2; the line is the item."""
    with glance.open() as file:
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            cells = line.decode("utf-8-sig", errors="replace").split()
            if not cells:
                continue
            if len(cells) != 2 or not (_is_number(cells[0]) and _is_number(cells[1])):
                raise DataError(f"{glance.name}, line {number} does not hold two numbers.")
            for system, cell in enumerate(cells, start=1):
                yield Row(str(number), float(cell), source=f"system {system}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


READER = Reader(
    "nlpstattest", "NLPStatTest scores", recognises, rows, "a score of one line by one system", kinds=("text",)
)
