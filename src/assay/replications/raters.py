"""RATERS: p by number of items and of responses, for Wins, MAE and mean EMD (tables 4–15)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.metrics import resolve
from assay.models import NormalModel, ResponseModel, preset
from assay.models.levels import LikertAnswers
from assay.replications.outcomes import Simulation
from assay.replications.results import Measured, Row, Setting, figures, lookup
from assay.scales import Scale

CONVENTION = (
    "fresh items in every simulated data set, σ ~ U(0, 0.3), responses not clipped (the text says clipped), "
    "p = P(null ≥ alternative) over all pairs; MEMD is the legacy distance of histogram counts."
)
METRICS = {"Wins": "wins", "MAE": "mae", "MEMD": "emd-histogram-legacy"}
SETTING = ("table", "items", "responses")
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


def settings(table: int | None = None) -> list[dict[str, Any]]:
    """Return what tells the cells of the tables, or of one, apart."""
    return [{name: cell[name] for name in SETTING} for cell in _published() if table in (None, cell["table"])]


def measure(setting: Setting, simulation: Simulation) -> dict[str, float]:
    """Recompute one cell of a table."""
    cell = lookup(_published(), setting, SETTING)
    model, metric, factor = preset("normal"), METRICS[cell["metric"]], MORE
    if cell["metric"] == "MEMD":
        model, factor = BinnedModel(model), 1  # type: ignore[arg-type]
    [outcome] = simulation.times(factor).outcomes(
        model, [resolve(metric).on(model.scale)], n_items=cell["items"], n_responses=cell["responses"],
        epsilon=cell["epsilon"],
    )  # fmt: skip
    return outcome.numbers("p")


def rows(measured: Sequence[Measured]) -> list[Row]:
    """Put published and recomputed numbers side by side."""
    found = []
    for setting, values in measured:
        cell = lookup(_published(), setting, SETTING)
        identity = {key: cell[key] for key in ("table", "metric", "epsilon", "items", "responses")}
        found.append(Row(identity, "p", cell["p"], values["p"], values["p_error"]))
    return found


def _published() -> list[dict[str, Any]]:
    return figures("raters_tables.json")
