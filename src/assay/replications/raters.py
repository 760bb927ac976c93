"""RATERS: p by number of items and of responses, for Wins, MAE and mean EMD (tables 4–15)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.models import NormalModel, ResponseModel, preset
from assay.models.levels import LikertAnswers
from assay.replications.legacy import published_metric
from assay.replications.outcomes import Simulation
from assay.replications.published import Measured, Row, Setting, figures, matching
from assay.scales import Scale

CONVENTION = (
    "fresh items in every simulated data set, σ ~ U(0, 0.3), responses not clipped (the text says clipped), "
    "p = P(null ≥ alternative) over all pairs; MEMD is the legacy distance of histogram counts."
)
METRICS = {"Wins": "wins", "MAE": "mae", "MEMD": "emd-histogram-legacy"}
SETTING = ("epsilon", "of", "items", "responses")
MORE = 20
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
    """Return what is measured for the tables, or for one: tables of means at the same ε share their data sets."""
    found = []
    for cell in published():
        setting = {name: {**cell, "of": _kind(cell)}[name] for name in SETTING}
        if table in (None, cell["table"]) and setting not in found:
            found.append(setting)
    return found


def measure(setting: Setting, simulation: Simulation) -> dict[str, float]:
    """Measure p at one design, by all metrics that need the same summary of it."""
    cells = _cells_of(setting)
    model = preset("normal")
    if setting["of"] == "means":
        simulation = simulation.times(MORE)
    else:
        model = BinnedModel(model)  # type: ignore[arg-type]
    outcomes = simulation.outcomes(
        model, [published_metric(METRICS[cell["metric"]]).on(model.scale) for cell in cells],
        n_items=setting["items"], n_responses=setting["responses"], epsilon=setting["epsilon"],
    )  # fmt: skip
    found: dict[str, float] = {}
    for cell, outcome in zip(cells, outcomes, strict=True):
        found |= {f"{cell['metric']} {name}": number for name, number in outcome.numbers("p").items()}
    return found


def rows(measured: Sequence[Measured]) -> list[Row]:
    """Put published and recomputed numbers side by side."""
    found = []
    for setting, values in measured:
        for cell in _cells_of(setting):
            identity = {key: cell[key] for key in ("table", "metric", "epsilon", "items", "responses")}
            name = cell["metric"]
            found.append(Row(identity, "p", cell["p"], values[f"{name} p"], values[f"{name} p_error"]))
    return sorted(found, key=lambda row: row.cell["table"])


def published() -> list[dict[str, Any]]:
    """Return the printed rows."""
    return figures("raters_tables.json")


def _kind(cell: dict[str, Any]) -> str:
    return "bins" if cell["metric"] == "MEMD" else "means"


def _cells_of(setting: Setting) -> list[dict[str, Any]]:
    """Return the published cells that a setting belongs to, one for each metric."""
    return matching([{**cell, "of": _kind(cell)} for cell in published()], setting, SETTING)
