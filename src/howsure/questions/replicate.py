"""The question whether published tables and figures come out again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure._fields import option
from howsure.questions.base import HERE, Question, Run, cells_told, seed_option

if TYPE_CHECKING:
    from howsure.papers import PaperFigure, Replication, Search


@dataclass(frozen=True, kw_only=True)
class Replicate(Question):
    """Reproduce the tables, figures and design searches of papers.

    Shows how far the numbers deviate from the published ones. With a store, the same command continues after Ctrl-C.
    """

    name: ClassVar[str] = "replicate"
    function: ClassVar[str] = "replicate"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure replicate forest --table 3 --n-simulations 100",
        "howsure replicate raters --store raters.db",
    )

    paper: str = option(help="Paper to reproduce.", choices=("raters", "leader", "forest", "ratings"), positional=True)
    table: int | None = option(
        None, "Reproduce only this table, with published and new numbers side by side.", at_least=1, common=True
    )
    figure: int | None = option(
        None, "Reproduce this figure. `chart` plots it; `report` as .csv lists its points.", at_least=1, common=True
    )
    search: bool = option(
        False, "Reproduce the search of forest or ratings for the smallest N × K with p < .05.", common=True
    )
    n_simulations: int | None = option(
        None,
        "Number of simulations of each type per design. Default: 1000 (forest: 4000).",
        at_least=2,
        at_most=1_000_000,
        common=True,
    )
    seed: int = seed_option()

    @property
    def result(self) -> str:
        """Tables, a figure or a search."""
        return "PaperFigure" if self.figure is not None else "Search" if self.search else "Replication"

    def answer(self, run: Run = HERE) -> "Replication | PaperFigure | Search":
        """Recompute the tables, the figure or the search."""
        from howsure.papers import conclude, measure, plan, replicate

        part: dict[str, Any] = {"table": self.table, "figure": self.figure}
        how: dict[str, Any] = {**part, "search": self.search, "n_simulations": self.n_simulations}
        cells = plan(self.paper, **how)
        if run.study is not None:
            return conclude(run.study(measure, cells, self.seed), **part)
        with cells_told(run.progress, "replicating", len(cells)) as tell:
            return replicate(self.paper, rng=self.seed, **how, progress=tell)
