"""Write docs/schemas: the JSON schema of every question and of every result.

python scripts/schemas.py
"""

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path

import howsure
from howsure import records
from howsure.cli.app import QUESTIONS
from howsure.provenance import version
from howsure.questions.base import schema_of
from howsure.questions.scores import SCORES

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"
FACES = ("howsure.__main__", "howsure.cli", "howsure.web", "howsure.agents")


def results() -> Iterator[type[records.Record]]:
    """Yield every kind of result that the package has."""
    for module in pkgutil.walk_packages(howsure.__path__, "howsure."):
        if not module.name.startswith(FACES):
            importlib.import_module(module.name)
    kinds = list(records.Record.__subclasses__())
    for kind in kinds:
        kinds += kind.__subclasses__()
        if is_dataclass(kind) and kind.__module__.startswith(
            "howsure."
        ):  # no base class, and none that a test declares
            yield kind


def dashed(name: str) -> str:
    """Return a class's or a question's name as files are called: table-description, scores-test."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])| ", "-", name).lower()


def schemas() -> dict[str, str]:
    """Return each file's name and text."""
    questions = [pkgutil.resolve_name(address) for address, _ in QUESTIONS.values()]
    found = {f"question-{dashed(question.name)}": schema_of(question) for question in [*questions, *SCORES]}
    found |= {f"result-{dashed(kind.__name__)}": records.schema_of(kind) for kind in results()}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    named = {name: head | {"$id": f"urn:howsure:{version()}:{name}"} | schema for name, schema in found.items()}
    return {f"{name}.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n" for name, schema in named.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, text in schemas().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
