"""How tables and contests show themselves: one line, or a small HTML table in notebooks."""

from collections.abc import Mapping
from html import escape

from howsure.data.responses import Responses
from howsure.data.scales import Scale

MOST_SOURCES = 10
"""How many sources are listed; a table may have thousands."""


def line(n_items: int, sources: Mapping[str, Responses], scale: Scale) -> str:
    """Return items, sources with their numbers of responses, and scale, in one line."""
    shown = [f"{name} ({source.values.size})" for name, source in list(sources.items())[:MOST_SOURCES]]
    return f"{_items(n_items)}; responses: {', '.join(shown)}{_more(sources, ' and ')}; scale: {scale}"


def table(kind: str, n_items: int, sources: Mapping[str, Responses], scale: Scale) -> str:
    """Return the same as an HTML table with one row for each source."""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{source.values.size:,}</td><td>{float(source.n_responses):.3g}</td></tr>"
        for name, source in list(sources.items())[:MOST_SOURCES]
    )
    more = _more(sources)
    rows += f'<tr><td colspan="3">{more}</td></tr>' if more else ""
    caption = f"{kind}: {_items(n_items)}; scale: {escape(str(scale))}"
    head = "<tr><th>source</th><th>responses</th><th>per item</th></tr>"
    return f"<table><caption>{caption}</caption><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _items(n_items: int) -> str:
    return f"{n_items} item{'s' * (n_items != 1)}"


def _more(sources: Mapping[str, Responses], before: str = "") -> str:
    return f"{before}{len(sources) - MOST_SOURCES:,} more" if len(sources) > MOST_SOURCES else ""
