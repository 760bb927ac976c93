"""What a comparison by one metric rests on, before it is put into words: the advantage, its draws and its errors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure import inference
from howsure.comparison.drawn_answers import DrawnAnswer
from howsure.comparison.observed import flips_of, settled
from howsure.comparison.procedure_run import ProcedureRun, draw_both, left_out, rater_errors, rounding_in, scored
from howsure.contests import Contest
from howsure.inference import PValue, SignFlips
from howsure.metrics import Metric
from howsure.raters.combined_error import CombinedError
from howsure.resampling import summaries_of
from howsure.responses import frozen
from howsure.scales import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class AdvantageEvidence(DrawnAnswer):
    """The numbers of a comparison by one metric; `weighted` says how raters were, where that moved the advantage."""

    null: str
    alternative: str
    a_score: float
    b_score: float
    advantage: float
    draws: FloatArray
    null_draws: FloatArray
    standard_errors: FloatArray
    item_error: float
    jackknife: FloatArray
    df: float
    span: float
    error: CombinedError | None
    flips: SignFlips | None
    exact: bool
    weighted: list[str]

    @property
    def pvalue(self) -> float:
        """The p-value of the alternative that was asked for."""
        return self.tail(self.alternative).pvalue

    @property
    def expected_pvalue(self) -> float:
        """LEADER's p-value."""
        return self.expected().pvalue

    def expected(self) -> PValue:
        """Return LEADER's p-value, null draws against draws."""
        # LEADER pools all responses, which gives A and B the same pool: every null advantage is 0.
        nulls = np.zeros_like(self.draws) if self.null == "bootstrap-sign" else self.null_draws
        return inference.expected_pvalue(nulls, self.draws)


def evidence_of(
    data: Contest, seen: Contest, metrics: Sequence[Metric], run: ProcedureRun, clusters: IntArray | None
) -> list[AdvantageEvidence]:
    """Draw, and return what the comparison by each metric rests on; `seen` has the responses that the scheme keeps."""
    draws, null_draws = draw_both(data, metrics, run, clusters)
    weighed = rater_errors(data, metrics, run, draws, clusters)
    scores = scored(metrics, seen, run)
    assert run.null is not None
    found = []
    for i, metric in enumerate(metrics):
        a_score, b_score, advantage = scores[i]
        rounding = rounding_in(metric, seen, run)
        advantage = 0.0 if abs(advantage) <= rounding else advantage
        kept, kept_null = (settled(drawn.advantages[i], advantage, rounding) for drawn in (draws, null_draws))
        advantage, kept, loads = weighed[i].applied(advantage, kept, rounding)
        error, df, left = left_out(metric, seen, run, rounding=rounding, clusters=clusters)
        left = settled(left if run.resamples_items else left[:0], advantage, rounding)
        errors = frozen(draws.standard_errors[i])
        if run.null == "studentised":
            kept_null = frozen(
                inference.studentised_draws(kept, advantage, standard_errors=errors, standard_error=error)
            )
        flips = None
        if run.needs_no_draws:
            flips = flips_of(metric, *summaries_of(seen, metric.needs), rounding=rounding, clusters=clusters)
        found.append(
            AdvantageEvidence(
                null=run.null,
                alternative=run.procedure.alternative,
                a_score=a_score,
                b_score=b_score,
                advantage=advantage,
                draws=kept,
                null_draws=kept_null,
                standard_errors=errors,
                item_error=error,
                jackknife=left,
                df=df,
                span=metric.span,
                error=weighed[i].error,
                flips=flips,
                exact=null_draws.exact,
                weighted=loads,
            )
        )
    return found
