"""The commands for agents: `howsure mcp`, a server of tools, and `howsure agent-files`, what agents read."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import click

from howsure import _files
from howsure._fields import Checked, like, option
from howsure.cli import _ask, _commands
from howsure.errors import DataError, needs_extra

PLACES = {
    "llms.txt": "llms.txt",
    "SKILL.md": "skills/howsure/SKILL.md",
    "plugin.json": ".claude-plugin/plugin.json",
}
"""The files that agents read, and where they look for them."""


@dataclass(frozen=True, kw_only=True)
class Server(Checked):
    """Which folders agents may use, and how they connect."""

    folder: tuple[str, ...] = option(
        (), "Folders below which files may be used. Default: the current one.", positional=True, metavar="FOLDER"
    )
    http: bool = option(False, "Serve HTTP on this machine instead of standard input and output.")
    port: int = option(8321, "Port of the HTTP server.", at_least=1, at_most=65535)
    no_reports: bool = option(False, "Write no full reports; answers are then all that agents get.")


@dataclass(frozen=True, kw_only=True)
class AgentFiles(Checked):
    """Where the files are written."""

    folder: str = option(".", "Folder to write to.", positional=True, metavar="FOLDER")
    force: bool = like(_ask.Output, "force", group="")


def mcp() -> click.Command:
    """Return the command that starts the server of tools."""

    def start(asked: Server) -> None:
        try:
            from howsure.agents import server
        except ImportError:
            raise needs_extra("the server for agents", "mcp") from None
        if asked.http:
            click.echo(f"howsure is at http://127.0.0.1:{asked.port}/mcp; Ctrl-C stops it.", err=True)
        server.serve(asked.folder, http=asked.http, port=asked.port, reports=not asked.no_reports)

    said = "Start a server of tools for agents (MCP).\n\nIt reads files below the given folders only."
    examples = ("howsure mcp results", "howsure mcp results --http --port 8321")
    return _commands.command_of("mcp", Server, start, said, examples)


def agent_files() -> click.Command:
    """Return the command that writes what agents read."""
    said = "Write llms.txt and a skill for coding agents."
    examples = ("howsure agent-files", "howsure agent-files . --force")
    return _commands.command_of("agent-files", AgentFiles, write_files, said, examples)


def write_files(asked: AgentFiles) -> None:
    """Write the files; those that exist are kept unless they are forced."""
    folder = Path(asked.folder)
    if not folder.is_dir():
        raise DataError(f"there is no folder {folder}; make it first.")
    places = {name: folder / place for name, place in PLACES.items()}
    for path in places.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    _files.check_outputs({name: str(path) for name, path in places.items()}, force=asked.force)
    for name, path in places.items():
        text = (resources.files("howsure.agents") / "files" / name).read_text(encoding="utf-8")
        _files.write_text(path, text)
        _ask.say(str(path))
