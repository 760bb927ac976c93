"""`assay power`: how many lines, what power, which difference could be seen."""

from typing import Annotated

import typer


def power(  # noqa: PLR0917 (each parameter is an option of the command)
    sd: Annotated[float, typer.Option(help="Standard deviation of the differences between the systems.")],
    delta: Annotated[float | None, typer.Option(help="The true mean difference.")] = None,
    power: Annotated[float | None, typer.Option(help="The power to reach.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="The number of lines.")] = None,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    alternative: Annotated[str, typer.Option(help="two-sided, greater or less.")] = "two-sided",
    design: Annotated[
        str, typer.Option(help="paired, or independent: each system on lines of its own, sd of one system's scores.")
    ] = "paired",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Plan a study of two score lists: give two of --n, --delta and --power, and get the third.

    Example: assay power --delta 0.2 --sd 1 --power 0.8
    """
    from assay.cli import _scores as show
    from assay.paired.power import plan_power

    found = plan_power(sd=sd, delta=delta, power=power, n=n, alpha=alpha, alternative=alternative, design=design)
    show.result(found, as_json)
