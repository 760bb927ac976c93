"""The data behind a result, for its report: files and digests, sizes, responses per item, scale, agreement."""

import hashlib
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.documents.numbers import listed

if TYPE_CHECKING:
    from howsure.data.contests import Contest
    from howsure.data.response_tables import ResponseTable
    from howsure.data.responses import Responses
    from howsure.questions.base import Question

BLOCK = 1 << 20
LEVELS = {"nominal": "nominal", "ordinal": "ordinal", "continuous": "interval"}
"""How differences count in Krippendorff's α, by scale."""
Facts = list[tuple[str, str]]


def facts(result: Any, asked: "Question | None", data: Any) -> Facts:
    """Return what is known of the data, as terms and their meanings."""
    from howsure.data.contests import Contest
    from howsure.data.response_tables import ResponseTable

    found = [] if asked is None else list(_files(asked))
    if isinstance(data, Contest | ResponseTable):
        found += _responses(data)
    else:
        found += _told(result)
    digest = getattr(getattr(result, "provenance", None), "data", "")
    if digest:
        found.append(("Digest of the responses", digest))
    return found


def notes(data: Any) -> tuple[str, ...]:
    """Return what was left out or decided when the data were put together."""
    return tuple(getattr(data, "notes", ()))


def _files(asked: "Question") -> Iterator[tuple[str, str]]:
    from howsure.io.files import named_files

    one = getattr(asked, "file", None)
    given = getattr(asked, "files", ()) or ((one,) if one else ())
    if not given:
        return
    for file in named_files(given):
        path = Path(file.path)
        if path.is_file():
            name = f"{file.name}: " if file.name else ""
            yield "File", f"{name}{file.path}, {path.stat().st_size:,} bytes, SHA-256 {_digest(path)}"


def _digest(path: Path) -> str:
    seen = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            seen.update(block)
    return f"{seen.hexdigest()[:16]}…"


def _told(result: Any) -> Facts:
    """Return what the result itself says, where the data are not at hand."""
    entries = getattr(result, "comparisons", None) or [result]
    first = entries[0]
    found: Facts = []
    n_items = getattr(first, "n_items", None)
    if isinstance(n_items, int):
        found.append(("Items", f"{n_items:,}"))
    each = getattr(first, "n_responses", None)
    if isinstance(each, Mapping):
        found.append(("Responses per item", ", ".join(f"{who} {count:.4g}" for who, count in each.items())))
    if isinstance(getattr(first, "scale", None), str) and first.scale:
        found.append(("Scale", first.scale))
    return found


def _responses(data: "Contest | ResponseTable") -> Facts:
    from howsure.data.contests import Contest

    named = (
        dict(zip(data.names, (data.gold, data.a, data.b), strict=True)) if isinstance(data, Contest) else data.sources
    )
    sources = {name: part for name, part in named.items() if part is not None}
    found = [("Items", f"{data.items.size:,}")]
    if len(sources) > 12:
        found.append(("Sources", listed(sources)))
    shown = list(sources.items())[:12]
    found += [(f"Responses of {name}", _sizes(part)) for name, part in shown]
    found.append(("Scale", str(data.scale)))
    found += [(f"Agreement of {name}", said) for name, part in shown if (said := _agreement(part, data.scale.kind))]
    return found


def _sizes(part: "Responses") -> str:
    sizes = part.sizes
    low, high = int(sizes.min()), int(sizes.max())
    each = f"{low} per item" if low == high else f"{low} to {high} per item, {sizes.mean():.3g} on average"
    raters = f", {np.unique(part.raters).size:,} raters" if part.raters is not None else ""
    return f"{part.values.size:,}: {each}{raters}"


def _agreement(part: "Responses", kind: str) -> str:
    """Return Krippendorff's α of a source; without rater ids each response of an item counts as another rater's."""
    from howsure.raters.agreement_coefficients import alpha, cells_from

    if part.weights is not None or int(part.sizes.max()) < 2:
        return ""
    places = np.arange(part.values.size) - np.repeat(part.offsets[:-1], part.sizes)
    cells = cells_from(part.values, part.items, places if part.raters is None else part.raters)
    # Our own, as in large tables: two digits of it do not pay for loading pandas.
    each = alpha(cells, level=LEVELS[kind])  # type: ignore[arg-type]
    found = float(each(np.ones((cells.n_items, 1)))["krippendorff_alpha"][0])
    return "" if math.isnan(found) else f"Krippendorff's alpha {found:.2f} (1 is perfect, 0 is what chance gives)"
