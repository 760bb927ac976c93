"""The question what responses a model would give: a simulated table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure._fields import option
from howsure.errors import ArgumentError
from howsure.questions.base import HERE, Question, Run, Written, seed_option
from howsure.questions.simulators import SimulatorFields
from howsure.questions.typed import response_numbers

if TYPE_CHECKING:
    from howsure.models import Simulation


@dataclass(frozen=True, kw_only=True)
class Simulate(SimulatorFields, Question):
    """Simulate a table of responses of gold, A and B.

    The other commands read the table.
    """

    name: ClassVar[str] = "simulate"
    function: ClassVar[str] = "simulate"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure simulate likert-toxicity --n-items 100 --epsilon 0.3 --out simulated.csv",
        "howsure simulate --dirichlet 10,3,3 --n-responses 5/1/1",
    )
    written: ClassVar[Written] = Written(
        "out", "Write the table to this file: .csv, .tsv, .jsonl or .parquet.", (".csv", ".tsv", ".jsonl", ".parquet")
    )

    files: tuple[str, ...] = option(
        (),
        "Preset (howsure presets lists them) or model file (.json).",
        suggested="howsure.models.presets:PRESETS",
        metavar="FILE",
        positional=True,
        also="Any",
    )
    n_items: int = option(100, "Number of items.", at_least=1, at_most=100_000_000, common=True)
    n_responses: str = option(
        "5",
        "Responses per item: one number, or 5/1/1 for gold, A and B.",
        metavar="NUMBER",
        common=True,
        also="int | tuple[int, int, int]",
    )
    epsilon: float = option(
        0.0,
        "Simulated degradation of B as a fraction of the scale (0 = as good as gold).",
        at_least=0,
        at_most=1,
        common=True,
    )
    under_null: bool = option(
        False, "Simulate equally good models: a fair coin decides which of the two gives each response.", common=True
    )
    seed: int = seed_option("table")

    def answer(self, run: Run = HERE) -> "Simulation":
        """Simulate the table."""
        from howsure.models import simulate

        if len(self.files) > 1:
            raise ArgumentError(f"give one model; got {len(self.files)}: {', '.join(map(str, self.files))}.")
        sizes = response_numbers(self.n_responses)
        if len(sizes) != 1:
            raise ArgumentError(f"`n_responses` must be one number, or 5/1/1; got {self.n_responses!r}.")
        return self.call(simulate, self.simulator(self.files[0] if self.files else None), n_responses=sizes[0])

    def write(self, result: Any, path: str) -> None:
        """Write the table."""
        from howsure import io

        io.write(result.table, path, force=True)
