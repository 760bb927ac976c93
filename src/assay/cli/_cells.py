"""Ready-made tasks that take the options of a command: what `assay sweep` runs under a short name."""

import math
from typing import TYPE_CHECKING

from assay.sweeps import task

if TYPE_CHECKING:
    import numpy as np

    from assay.sweeps.grid import Cell


@task(version=1)
def audit(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Audit one p-value and one interval on simulated data sets: the parameters of `assay.audit`, one of each.

    `model` (a preset's name, or a model file under [files]), `metric`, `scheme` ("bootstrap/all"), `null`, `interval`,
    `n_items`, `n_responses`, `epsilon`, and optionally `n_data_sets`, `n_resamples`, `n_simulations`, `perturbation`,
    `alpha`, `confidence_level`. At ε = 0 every rejection is an error; above, `level` is that of equally good models.
    """
    from assay.auditing import conclude, measure, plan
    from assay.auditing.cell import WORSE, read_model
    from assay.auditing.estimators import EXPECTED, SIGN_CHANGE
    from assay.cli.audit import pair
    from assay.sweeps import Grid, run

    options = {"scheme": "bootstrap/all", "null": "swapped-items", "interval": "percentile", **cell}
    options.pop("repetition", None)
    grid, _ = plan(
        read_model(options.pop("model")), metrics=[options.pop("metric")], nulls=[options.pop("null")],
        schemes=[pair("scheme", options.pop("scheme"), "/")], intervals=[options.pop("interval")], analytical=[],
        designs=[(options.pop("n_items"), options.pop("n_responses"))], epsilons=[options.pop("epsilon")], **options,
    )  # fmt: skip
    found = conclude(run(measure, Grid(list(grid)[-1:]), rng=rng))  # cells come by ε, and 0 is always the first
    rows = [row for row in found.tests if row.pvalue != EXPECTED or row.null == SIGN_CHANGE]
    rates = {"power" if row.truth == WORSE else "level": row.rate for row in rows}
    main, *_ = rows
    limits = [row for row in found.intervals if row.truth == main.truth]
    return rates | {
        "true_pvalue": main.true_pvalue,
        "bias": main.bias,
        "spread": main.spread,
        "absolute_error": main.absolute_error,
        "coverage": limits[0].coverage if limits else math.nan,
        "width": limits[0].width if limits else math.nan,
    }
