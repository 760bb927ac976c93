"""What a result says, apart from how it is shown: one document, and a renderer for each format."""

from howsure.documents.document import (
    Aside,
    Block,
    Caution,
    Code,
    Column,
    Definitions,
    Document,
    Figure,
    Heading,
    Measured,
    Points,
    Sentence,
    Table,
    details,
)

__all__ = [
    "Aside",
    "Block",
    "Caution",
    "Code",
    "Column",
    "Definitions",
    "Document",
    "Figure",
    "Heading",
    "Measured",
    "Points",
    "Sentence",
    "Table",
    "details",
]
