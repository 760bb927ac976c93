"""RATERS: p by number of items and of responses, for Wins, MAE and mean EMD (tables 4–15)."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay.metrics import Metric, resolve
from assay.models import NormalModel, ResponseModel, preset
from assay.models.levels import LikertAnswers
from assay.replications.outcomes import Simulation
from assay.replications.results import Row, error_of_difference, figures, groups
from assay.scales import Scale

CONVENTION = (
    "fresh items in every simulated data set, σ ~ U(0, 0.3), responses not clipped (the text says clipped), "
    "p = P(null ≥ alternative) over all pairs; MEMD is the legacy distance of histogram counts."
)
METRICS = {"Wins": "wins", "MAE": "mae"}
MORE = 10
"""Item means are cheap to draw, so the metrics that need no more get this many times as many data sets."""


@dataclass(frozen=True)
class BinnedModel(ResponseModel):
    """Normal items whose responses are only seen through bins, which is all that the legacy distance looks at.

    The counts of bins are one multinomial draw per item, so their cost does not grow with the number of responses.
    Responses below 0 and above 1 have a level of their own, outside [0, 1], and the distance drops them.
    """

    kind: ClassVar[str] = "binned"
    own_perturbation: ClassVar[str] = "shift"

    model: NormalModel
    bins: int = 5

    @property
    def levels(self) -> tuple[float, ...]:
        """One level inside each bin, and one on either side."""
        return (-1.0, *(float(middle) for middle in (np.arange(self.bins) + 0.5) / self.bins), 2.0)

    @property
    def scale(self) -> Scale:
        """An ordinal scale of bins."""
        return Scale.of(np.array(self.levels), kind="ordinal")

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> LikertAnswers:
        """Draw the items of the normal model."""
        items = self.model.items(shape, generator)
        return LikertAnswers(items.mean, items.sd, np.array(self.levels), np.arange(self.bins + 1) / self.bins)

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters."""
        return {"kind": self.kind, "model": self.model.to_dict(), "bins": self.bins}


def rows(simulation: Simulation, table: int | None = None) -> list[Row]:
    """Recompute the tables, or one of them."""
    published = [row for row in figures("raters_tables.json") if table in (None, row["table"])]
    normal = preset("normal")
    binned = BinnedModel(normal)  # type: ignore[arg-type]
    found = []
    for (epsilon, n_items, n_responses), cells in groups(published, "epsilon", "items", "responses"):
        asked: list[tuple[ResponseModel, dict[str, Metric]]] = [
            (normal, {name: resolve(METRICS[name]).on(normal.scale) for name in METRICS}),
            (binned, {"MEMD": resolve("emd-histogram-legacy").on(binned.scale)}),
        ]
        for model, metrics in asked:
            wanted = [cell for cell in cells if cell["metric"] in metrics]
            if not wanted:
                continue
            larger = replace(simulation, n_simulations=simulation.n_simulations * (1 if model is binned else MORE))
            outcomes = larger.outcomes(
                model, list(metrics.values()), n_items=n_items, n_responses=n_responses, epsilon=epsilon
            )
            by_name = dict(zip(metrics, outcomes, strict=True))
            for cell in wanted:
                outcome = by_name[cell["metric"]]
                error = error_of_difference(outcome.p_error, larger.n_simulations)
                identity = {key: cell[key] for key in ("table", "metric", "epsilon", "items", "responses")}
                found.append(Row(identity, "p", cell["p"], outcome.p, error))
    return sorted(found, key=lambda row: row.cell["table"])


def work(n_simulations: int, table: int | None = None) -> int:
    """Return how many data sets are simulated in all."""
    published = [row for row in figures("raters_tables.json") if table in (None, row["table"])]
    kinds = {(row["epsilon"], row["items"], row["responses"], row["metric"] == "MEMD") for row in published}
    return 2 * n_simulations * sum(1 if binned else MORE for *_, binned in kinds)
