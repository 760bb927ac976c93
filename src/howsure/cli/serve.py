"""`howsure serve`: the web page on this machine."""

import click

from howsure.cli import _options
from howsure.errors import ArgumentError
from howsure.web.settings import Settings


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

    return _options.command_of("serve", Settings, serve, "Start the web page on this machine.")
