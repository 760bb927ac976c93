"""What a result says, apart from how it is shown: one document, and a renderer for each format."""

from assay.documents.document import Block, Column, Definitions, Document, Figure, Heading, Sentence, Table

__all__ = ["Block", "Column", "Definitions", "Document", "Figure", "Heading", "Sentence", "Table"]
