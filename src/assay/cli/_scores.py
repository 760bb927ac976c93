"""How `assay scores` and `assay power` show their results."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from assay.records import Record


def result(found: "Record", as_json: bool) -> None:
    """Print a result as text or as one JSON object."""
    from assay import _json

    typer.echo(_json.dumps(found.to_dict(), indent=2) if as_json else str(found))
