"""`assay serve`: the web page on this machine."""

import click

from assay.cli import _options
from assay.errors import ArgumentError
from assay.web.settings import Settings


def command() -> click.Command:
    """Return the command."""

    def serve(settings: Settings) -> None:
        try:
            from assay.web import app
        except ImportError:
            raise ArgumentError("the web page needs the extra web: pip install 'assay[web]'.") from None
        where = f"http://{'127.0.0.1' if settings.is_local else settings.host}:{settings.port}"
        click.echo(f"assay is at {where}; Ctrl-C stops it.")
        if not settings.is_local:
            click.echo("Visitors must give the token.")
        app.serve(settings)

    return _options.command_of("serve", Settings, serve, "Start the web page on this machine.")
