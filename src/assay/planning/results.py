"""What a plan says: one cell for each design and metric, a recommendation, and what the reader must know."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.planning.designs import Design

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class Cell:
    """What a design may expect by one metric; each number is followed by its numerical error.

    Attributes
    ----------
    n_items : int
    n_responses : dict
        Responses per item of gold, a and b.
    epsilon : float or None
        How far B is from gold; None where the difference is that of pilot data.
    metric : str
    contrast : float
        Expected contrast.
    expected_pvalue : float
        The p-value that such a study gives on average.
    ci_width : float
        Width of the interval of the contrast.
    power : float
        Probability that the test finds the difference; NaN where it was not asked for.
    cost : float
    engine : {"exact", "monte-carlo"}
    detectable : float
        Smallest contrast that is found with the target power; NaN where it was not asked for.
    """

    n_items: int
    n_responses: Mapping[str, int]
    epsilon: float | None
    metric: str
    contrast: float
    contrast_error: float
    expected_pvalue: float
    expected_pvalue_error: float
    ci_width: float
    ci_width_error: float
    power: float
    power_error: float
    cost: float
    engine: str
    detectable: float = math.nan
    detectable_epsilon: float = math.nan

    @property
    def design(self) -> Design:
        """The design of the cell."""
        return Design(self.n_items, self.n_responses["gold"], self.n_responses["a"], self.n_responses["b"])

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name; `Cell(**fields)` gives the same cell again."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer to "how many items, how many responses"; `print` it for the sentences.

    Attributes
    ----------
    cells : tuple of Cell
    recommended : Cell or None
        The best design within the budget, or the cheapest that reaches the target power.
    sentences : tuple of str
        The answer in English.
    model : str
        The response model, in words.
    test, alternative : str
    alpha, confidence_level : float
    target_power : float or None
    notes : tuple of str
        What the reader must know.
    seed : int
        Passed as `rng`, it gives this plan again.
    signature : str
    pilot : mapping
        Where the plan starts from pilot data: how sure it is. Empty otherwise.
    """

    cells: tuple[Cell, ...]
    recommended: Cell | None
    sentences: tuple[str, ...]
    model: str
    test: str
    alternative: str
    alpha: float
    confidence_level: float
    target_power: float | None
    notes: tuple[str, ...]
    seed: int
    signature: str
    pilot: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return everything by name; `Plan.from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Plan":
        """Make a plan from `to_dict` or from its JSON (where null is NaN)."""
        known = dict(content)
        known["cells"] = tuple(_cell(entry) for entry in content["cells"])
        known["recommended"] = None if content["recommended"] is None else _cell(content["recommended"])
        known["sentences"], known["notes"] = tuple(content["sentences"]), tuple(content["notes"])
        return cls(**known)

    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each cell."""
        import polars

        rows = []
        for cell in self.cells:
            row = cell.to_dict()
            sizes = row.pop("n_responses")
            rows.append({"n_items": row.pop("n_items"), **{f"n_responses_{who}": k for who, k in sizes.items()}, **row})
        return polars.DataFrame(rows)

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *(f"Note: {note}" for note in self.notes), self.signature])


def _cell(entry: Mapping[str, Any]) -> Cell:
    known: dict[str, Any] = {
        name: math.nan if value is None and name != "epsilon" else value for name, value in entry.items()
    }
    if "n_raters" in entry:
        from assay.planning.rater_designs import RaterCell

        return RaterCell(**known)
    return Cell(**known)
