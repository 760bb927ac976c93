"""Ready-made tasks that take the options of a command: what `assay sweep` runs under a short name."""

from typing import TYPE_CHECKING

from assay.sweeps import task

if TYPE_CHECKING:
    import numpy as np

    from assay.sweeps.grid import Cell

COLUMNS = ("a", "b", "gold", "item", "source", "value", "rater", "repeat", "by", "scale", "order")
"""The parameters that say how to read the table; the others say how to compare."""


@task(version=1)
def compare(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Compare A and B: the file `table`, and options of `assay compare` by their names, underscores for hyphens.

    A parameter `repetition` is not used: an axis of that name repeats every comparison with other draws.
    """
    import warnings

    from assay import comparison
    from assay.cli._tables import contest_from
    from assay.errors import AssayWarning

    options = {name: value for name, value in cell.items() if name not in {"table", "repetition"}}
    columns = {name: options.pop(name) for name in COLUMNS if name in options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssayWarning)
        contest = contest_from([cell["table"]["path"]], **columns)
        found = comparison.compare(contest, rng=rng, workers=1, **options)
    return {
        "a_score": found.a_score,
        "b_score": found.b_score,
        "contrast": found.contrast,
        "low": found.confidence_interval.low,
        "high": found.confidence_interval.high,
        "pvalue": found.pvalue,
    }
