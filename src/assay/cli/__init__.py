"""The command line: one file per command, each parses, calls the library and renders."""

from assay.cli.app import main

__all__ = ["main"]
