"""The question whether published tables come out again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from assay._fields import option
from assay.questions.base import HERE, Question, Run

if TYPE_CHECKING:
    from assay.replications import Replication


@dataclass(frozen=True, kw_only=True)
class Replicate(Question):
    """Recompute the tables of a published paper: published, reproduced, difference and its standard error."""

    name: ClassVar[str] = "replicate"
    example: ClassVar[str] = "assay replicate raters --store raters.db (Ctrl-C, and the same command goes on)"

    paper: str = option(help="Whose tables.", choices=("raters", "leader", "forest", "ratings"), positional=True)
    table: int | None = option(None, "Only this table, with every number side by side.", at_least=1)
    n_simulations: int | None = option(
        None, "Simulated data sets of each kind, per design; 1000 (forest: 4000) if left out.", at_least=2
    )
    seed: int = option(0, "Another seed gives another Monte-Carlo error.", at_least=0)

    def answer(self, run: Run = HERE) -> "Replication":
        """Recompute the tables."""
        from assay.replications import conclude, measure, plan, replicate

        if run.study is None:
            return replicate(self.paper, table=self.table, n_simulations=self.n_simulations, rng=self.seed)
        cells = plan(self.paper, table=self.table, n_simulations=self.n_simulations)
        return conclude(run.study(measure, cells, self.seed), self.table)
