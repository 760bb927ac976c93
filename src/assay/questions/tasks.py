"""Questions as the tasks of a study: a cell is a question, and its row the numbers of the answer."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.questions.base import Run
from assay.sweeps import task

if TYPE_CHECKING:
    import numpy as np

    from assay.sweeps.grid import Cell

NOT_ASKED = ("table", "repetition")
"""Parameters of a cell that are no option: the file under [files], and the axis that repeats cells with other draws."""


@task(version=2)
def compare(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Compare A and B: the file `table`, and options of `assay compare` by their names, underscores for hyphens.

    A parameter `repetition` is not used: an axis of that name repeats every comparison with other draws.
    """
    import warnings

    from assay.errors import AssayWarning
    from assay.questions.compare import Compare

    options: dict[str, Any] = {name: value for name, value in cell.items() if name not in NOT_ASKED}
    asked = Compare.from_dict({"files": [cell["table"]["path"]], **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssayWarning)
        [found] = replace(asked, seed=int(rng.integers(2**62))).answer(Run(workers=1))
    return {
        "a_score": found.a_score,
        "b_score": found.b_score,
        "contrast": found.contrast,
        "low": found.confidence_interval.low,
        "high": found.confidence_interval.high,
        "pvalue": found.pvalue,
    }
