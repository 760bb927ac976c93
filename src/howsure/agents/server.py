"""The server of tools: the questions of the command line over the Model Context Protocol, by stdio or local HTTP."""

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, chdir, nullcontext
from importlib import resources
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from howsure.agents.places import AllowedFolders
from howsure.agents.tools import QUESTIONS, Desk, signature
from howsure.errors import HowsureError
from howsure.provenance import version
from howsure.questions.base import Advance, Question, Run

INSTRUCTIONS = (
    "Statistics for evaluations of AI systems. Call doctor on a file first: it names the questions that the file can "
    "answer. Quote `answer` to the user; it says exactly what the data show. Inconclusive is not equal. Do not compute "
    "p-values or intervals yourself, and do not run a test again with other options until it passes. `report` is the "
    "path of the full report."
)


def serve(folders: tuple[str, ...], *, http: bool = False, port: int = 8321, reports: bool = True) -> None:
    """Run the server until its client leaves; in an empty folder, where no name of an agent is that of a file."""
    made = create_server(folders, reports=reports)
    with TemporaryDirectory(prefix="howsure-mcp-") as empty, chdir(empty):
        if http:
            made.run("streamable-http", host="127.0.0.1", port=port)
        else:
            made.run("stdio")


def create_server(folders: tuple[str, ...] = (), *, reports: bool = True) -> MCPServer[Any]:
    """Return the server, with a tool for each question and the guide as a resource."""
    desk = Desk(AllowedFolders.of(folders), reports)
    made: MCPServer[Any] = MCPServer("howsure", version=version(), instructions=INSTRUCTIONS, log_level="WARNING")
    for name, address in QUESTIONS.items():
        question: type[Question] = resolve_name(address)
        writes = name != "doctor" and (reports or name == "gate")
        hints = ToolAnnotations(
            read_only_hint=not writes, destructive_hint=False, idempotent_hint=name != "gate", open_world_hint=False
        )
        said = inspect.cleandoc(question.__doc__ or "")
        made.add_tool(tool_of(question, desk), name=name, description=said, annotations=hints, structured_output=False)

    @made.resource("howsure://guide", mime_type="text/markdown")
    def guide() -> str:
        """When to use which tool, how to word results, and what never to claim."""
        return (resources.files("howsure.agents") / "files" / "SKILL.md").read_text(encoding="utf-8")

    return made


def tool_of(question: type[Question], desk: Desk) -> Callable[..., Any]:
    """Return the function of a tool: it answers on a thread, and tells how far it is."""

    async def call(context: Context[Any], **given: Any) -> dict[str, Any]:
        def work() -> dict[str, Any]:
            return desk.answer(desk.asked(question, given), Run(progress=_progress(context)))

        try:
            return await anyio.to_thread.run_sync(work)
        except HowsureError as error:  # only the message of a ToolError reaches an agent
            raise ToolError(str(error)) from None
        except OSError as error:
            raise ToolError(f"{error.filename or 'a file'}: {error.strerror or error}.") from None
        except Exception as error:
            raise ToolError(f"howsure failed ({type(error).__name__}: {error}). Please report this.") from error

    shown = signature(question)
    own = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=Context[Any])
    call.__signature__ = shown.replace(parameters=[own, *shown.parameters.values()])  # type: ignore[attr-defined]
    call.__annotations__ = {name: each.annotation for name, each in shown.parameters.items()} | {
        "context": Context[Any],
        "return": dict[str, Any],
    }
    call.__name__ = question.name
    return call


def _progress(context: Context[Any]) -> Callable[[str, int], AbstractContextManager[Advance]]:
    """Return what a question tells its progress to: a notification for every hundredth."""

    def begin(label: str, total: int) -> AbstractContextManager[Advance]:
        done = sent = 0

        def advance(more: int) -> None:
            nonlocal done, sent
            done += more
            if total and (100 * done // total > sent):
                sent = 100 * done // total
                try:
                    anyio.from_thread.run(context.report_progress, float(done), float(total), label)
                except RuntimeError:  # told by a thread of the computation's own, which the server does not know
                    return

        return nullcontext(advance)

    return begin
