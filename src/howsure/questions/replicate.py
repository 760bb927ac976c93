"""The question whether published tables and figures come out again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure._fields import option
from howsure.questions.base import HERE, Question, Run, cells_told, seed_option

if TYPE_CHECKING:
    from howsure.replications import PaperFigure, Replication, Search


@dataclass(frozen=True, kw_only=True)
class Replicate(Question):
    """Recompute a published paper: its tables with difference and standard error, a figure, or its search."""

    name: ClassVar[str] = "replicate"
    function: ClassVar[str] = "replicate"
    example: ClassVar[str] = "howsure replicate raters --store raters.db (after Ctrl-C the same command continues)"

    paper: str = option(help="The paper.", choices=("raters", "leader", "forest", "ratings"), positional=True)
    table: int | None = option(None, "Only this table, with every number side by side.", at_least=1)
    figure: int | None = option(
        None,
        "Recompute this figure instead of the tables. A chart draws it; a report as .csv holds its points.",
        at_least=1,
    )
    search: bool = option(
        False, "The search behind the tables of forest and ratings: the smallest N × K with p below .05."
    )
    n_simulations: int | None = option(
        None,
        "Simulated data sets of each kind, per design; 1000 (forest: 4000) if left out.",
        at_least=2,
        at_most=1_000_000,
    )
    seed: int = seed_option()

    @property
    def result(self) -> str:
        """Tables, a figure or a search."""
        return "PaperFigure" if self.figure is not None else "Search" if self.search else "Replication"

    def answer(self, run: Run = HERE) -> "Replication | PaperFigure | Search":
        """Recompute the tables, the figure or the search."""
        from howsure.replications import conclude, measure, plan, replicate

        part: dict[str, Any] = {"table": self.table, "figure": self.figure}
        how: dict[str, Any] = {**part, "search": self.search, "n_simulations": self.n_simulations}
        cells = plan(self.paper, **how)
        if run.study is not None:
            return conclude(run.study(measure, cells, self.seed), **part)
        with cells_told(run.progress, "replicating", len(cells)) as tell:
            return replicate(self.paper, rng=self.seed, **how, progress=tell)
