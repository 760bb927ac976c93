"""Questions as the tasks of a study: a cell is a question, and its row the numbers of the answer.

A cell has the options of the command of the same name, underscores for hyphens; the file `table` of a study's [files]
stands for the files of the question. A parameter `repetition` is not used: an axis of that name repeats every question
with other draws.
"""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import ArgumentError
from assay.questions.base import Run
from assay.sweeps import task

if TYPE_CHECKING:
    import numpy as np

    from assay.questions.base import Question
    from assay.records import Record
    from assay.sweeps import Grid, Sweep, Task
    from assay.sweeps.grid import Cell

TASKS = {
    "audit": "assay.questions.tasks:audit",
    "compare": "assay.questions.tasks:compare",
    "plan": "assay.planning.groups:measure",
    "replicate": "assay.replications.papers:measure",
}
"""Ready-made tasks: the short name that a study document may use, and the task's address."""

NOT_ASKED = ("table", "repetition")
"""Parameters of a cell that are no option: the file under [files], and the axis that repeats cells with other draws."""

ONE_OF_EACH = {"scheme": "bootstrap/all", "null": "swapped-items", "interval": "percentile", "test": "none"}
"""What a cell of an audit measures unless it says otherwise."""


@task(version=2)
def compare(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Compare A and B: options of `assay compare`."""
    from assay.questions.compare import Compare

    found: Any = _answer(Compare, cell, rng, Run(workers=1))
    [one] = found
    return {
        "a_score": one.a_score,
        "b_score": one.b_score,
        "contrast": one.contrast,
        "low": one.confidence_interval.low,
        "high": one.confidence_interval.high,
        "pvalue": one.pvalue,
    }


@task(version=1)
def audit(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Audit one p-value and one interval: options of `assay audit`, one of each.

    At ε = 0 every rejection is an error; above, `power` is that of the design and `level` that of equally good models.
    """
    from assay.auditing import compute
    from assay.auditing.cell import WORSE
    from assay.auditing.estimators import EXPECTED, SIGN_CHANGE
    from assay.questions.audit import Audit
    from assay.sweeps import Grid

    def last(measured: "Task", grid: "Grid", seed: int) -> "Sweep":
        return compute(Grid(list(grid)[-1:]), rng=seed)  # cells come by ε, and 0 is always the first

    found: Any = _answer(Audit, {**ONE_OF_EACH, **cell}, rng, Run(workers=1, study=last))
    rows = [row for row in found.tests if row.pvalue != EXPECTED or row.null == SIGN_CHANGE]
    if len({(row.metric, row.scheme, row.null) for row in rows}) > 1:
        raise ArgumentError("a cell audits one p-value; give one `metric`, `scheme` and `null`, and no more in `test`.")
    main, *_ = rows
    limits = [row for row in found.intervals if row.truth == main.truth]
    if len(limits) > 1:
        raise ArgumentError("a cell audits one `interval`.")
    rates = {"power" if row.truth == WORSE else "level": row.rate for row in reversed(rows)}
    return rates | {
        "true_pvalue": main.true_pvalue,
        "bias": main.bias,
        "spread": main.spread,
        "absolute_error": main.absolute_error,
        "coverage": limits[0].coverage if limits else math.nan,
        "width": limits[0].width if limits else math.nan,
    }


def _answer(kind: "type[Question]", cell: "Cell", rng: "np.random.Generator", run: Run) -> "Record":
    """Ask the question of a cell with a seed of its own."""
    import warnings

    from assay.errors import AssayWarning

    options: dict[str, Any] = {name: value for name, value in cell.items() if name not in NOT_ASKED}
    if "table" in cell:
        options = {"files": [cell["table"]["path"]], **options}
    asked = kind.from_dict(options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssayWarning)
        return replace(asked, seed=int(rng.integers(2**62))).answer(run)  # type: ignore[call-arg]
