"""RATERS: p by number of items and of responses, for Wins, MAE and mean EMD (tables 1, 2, 4–15); scores (table 3)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from howsure._random import child
from howsure.data.scales import Scale
from howsure.metrics import ItemMetric
from howsure.models import NormalModel, ResponseModel, preset
from howsure.models.answers import LikertAnswers
from howsure.papers.expected_outcomes import SimulationSize
from howsure.papers.figures import Plot
from howsure.papers.legacy import published_metric
from howsure.papers.published import Measured, PublishedNumber, Setting, figures, matching

CONVENTION = (
    "fresh items in every simulated data set, σ ~ U(0, 0.3), responses not clipped (the text says clipped), "
    "p = P(null ≥ alternative) over all pairs; MEMD is the legacy distance of histogram counts."
)
METRICS = {"Wins": "wins", "MAE": "mae", "MEMD": "emd-histogram-legacy"}
SETTING = ("epsilon", "of", "items", "responses")
GRID = (1, 5, 10, 25, 50, 100)
SCORES, SCORED_ITEMS = 3, 100
"""The table of mean scores; their mean does not depend on the number of items."""
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
    if table in (None, SCORES):
        found += [{"table": SCORES, "responses": responses} for responses in GRID]
    return found


def measure(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Measure p at one design, by all metrics that need the same summary of it; or scores at one K."""
    if setting.get("table") == SCORES:
        return _scores(simulation, setting["responses"])
    cells = {cell["metric"]: cell for cell in _cells_of(setting)}
    model = preset("normal")
    if setting["of"] == "means":
        simulation = simulation.times(MORE)
    else:
        model = BinnedModel(model)  # type: ignore[arg-type]
    outcomes = simulation.outcomes(
        model,
        [published_metric(METRICS[name]).on(model.scale) for name in cells],
        n_items=setting["items"],
        n_responses=setting["responses"],
        epsilon=setting["epsilon"],
    )
    found: dict[str, float] = {}
    for metric, outcome in zip(cells, outcomes, strict=True):
        found |= {f"{metric} {name}": number for name, number in outcome.numbers("p").items()}
    return found


def rows(measured: Sequence[Measured]) -> list[PublishedNumber]:
    """Put published and recomputed numbers side by side."""
    found = []
    scores: dict[int, Mapping[str, float]] = {}
    for setting, values in measured:
        if setting.get("table") == SCORES:
            scores[setting["responses"]] = values
            continue
        for cell in _cells_of(setting):
            identity = {key: cell[key] for key in ("table", "metric", "epsilon", "items", "responses")}
            p, error, is_bound = (values[f"{cell['metric']} {name}"] for name in ("p", "p_error", "p_is_bound"))
            found.append(PublishedNumber(identity, "p", cell["p"], p, error, is_bound=bool(is_bound)))
    if scores:
        found += [row for cell in figures("raters_table3.json") for row in _score_rows(cell, scores)]
    return sorted(found, key=lambda row: row.cell["table"])


def notes(tables: Collection[int]) -> tuple[str, ...]:
    """Return what a reader of these tables must know."""
    said = []
    if {1, 2} & {*tables}:
        said.append("Tables 1 and 2 repeat numbers of tables 4 to 11, with four digits.")
    if SCORES in tables:
        said.append(
            "Table 3 does not say for how many responses its scores are. Reproduced are the scores at the K of the "
            "grid (1, 5, 10, 25, 50, 100) whose A and B are nearest to the printed ones. No K of the grid gives the "
            "printed MAE of A and B at ε = .1 (.0677 and .0920): K = 5 gives .0757 and .0929, K = 10 gives .0535 and "
            ".0745. No one K gives the printed scores of A at ε = .005: MAE .0677 lies between K = 6 and 7, Wins .5073 "
            "is that of K = 8, and MEMD 1.209 lies between K = 30 and 35. The printed Δ has no sign (MEMD at ε = .005: "
            "B is better), and that of Wins compares "
            "B with the A of ε = .005 at every ε."
        )
    if {1, 2, *range(4, 16)} & {*tables}:
        said.append("B's mean is clamped to [0, 1], which the paper does not state but its tables require.")
    return tuple(said)


def published() -> list[dict[str, Any]]:
    """Return the printed rows of p."""
    return [*figures("raters_tables_1_2.json"), *figures("raters_tables.json")]


def tables() -> set[int]:
    """Return the numbers of the tables."""
    return {SCORES, *(cell["table"] for cell in published())}


def _kind(cell: dict[str, Any]) -> str:
    return "bins" if cell["metric"] == "MEMD" else "means"


def _cells_of(setting: Setting) -> list[dict[str, Any]]:
    """Return the published cells that a setting belongs to, one for each metric and table."""
    return matching([{**cell, "of": _kind(cell)} for cell in published()], setting, SETTING)


def _scores(simulation: SimulationSize, n_responses: int) -> dict[str, float]:
    """Return the mean scores of A and of B by each metric and ε, at one number of responses."""
    found: dict[str, float] = {}
    normal = preset("normal")
    binned = BinnedModel(normal)  # type: ignore[arg-type]
    for cell in figures("raters_table3.json"):
        metric, epsilon = cell["metric"], cell["epsilon"]
        model: ResponseModel = binned if metric == "MEMD" else normal
        gold, a, b = model.draw(
            simulation.n_simulations,
            SCORED_ITEMS,
            n_responses=(n_responses,) * 3,
            epsilon=epsilon,
            needs="counts" if metric == "MEMD" else "means",
            rng=child(simulation.seed, metric, str(epsilon)),
        )
        if metric == "Wins":
            of_a, of_b = ((np.abs(x - gold) < np.abs(y - gold)).astype(np.float64) for x, y in ((a, b), (b, a)))
        else:
            base = published_metric(METRICS[metric]).on(model.scale)
            assert isinstance(base, ItemMetric)
            of_a, of_b = base.item_scores(gold, a), base.item_scores(gold, b)
        by_set = {"a": of_a.mean(axis=-1), "b": of_b.mean(axis=-1)}
        by_set["difference"] = (by_set["a"] - by_set["b"]) * (1 if metric == "Wins" else -1)
        for side, values in by_set.items():
            name = f"{metric} {epsilon} {side}"
            found[name] = float(values.mean())
            found[f"{name}_error"] = float(values.std(ddof=1) / np.sqrt(values.size))
    return found


def _score_rows(cell: dict[str, Any], scores: Mapping[int, Mapping[str, float]]) -> list[PublishedNumber]:
    """Return printed scores beside those at the grid's K that fits the pair of A and B best."""
    start = f"{cell['metric']} {cell['epsilon']}"

    def apart(responses: int) -> float:
        return max(float(abs(scores[responses][f"{start} {side}"] / cell[side] - 1)) for side in ("a", "b"))

    nearest = min(scores, key=apart)
    identity = {"table": SCORES, "metric": cell["metric"], "epsilon": cell["epsilon"], "nearest_K": nearest}
    found = []
    for side in ("a", "b", "difference"):
        name = f"{start} {side}"
        beside = {f"K={responses}": scores[responses][name] for responses in sorted(scores)}
        value, error = scores[nearest][name], scores[nearest][f"{name}_error"]
        found.append(PublishedNumber(identity, f"score_{side}", cell[side], value, error, beside))
    return found


FIGURES: dict[int, Plot] = {}
WITHOUT_NUMBERS: dict[int, str] = {}
