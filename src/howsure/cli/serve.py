"""`howsure serve`: the web page on this machine."""

import click

from howsure.cli import _commands
from howsure.errors import ArgumentError
from howsure.web.settings import Settings

SAID = "Start the web interface on this machine."
EXAMPLES = ("howsure serve", "howsure serve --port 9000 --folder work")


def command() -> click.Command:
    """Return the command."""

    def serve(settings: Settings) -> None:
        try:
            from howsure.web import app
        except ImportError:
            raise ArgumentError("the web page needs the extra web: pip install 'howsure[web]'.") from None
        where = f"http://{'127.0.0.1' if settings.is_local else settings.host}:{settings.port}"
        click.echo(f"howsure is at {where}; Ctrl-C stops it.")
        if not settings.is_local:
            click.echo("Visitors must give the token.")
        app.serve(settings)

    return _commands.command_of("serve", Settings, serve, SAID, EXAMPLES)
