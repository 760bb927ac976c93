"""What a comparison by one metric rests on, before it is put into words: the contrast, its draws and its errors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay import inference
from assay.comparison.drawn_answers import DrawnAnswer
from assay.comparison.observed import flips_of, settled
from assay.comparison.procedure_run import ProcedureRun, draw_both, left_out, rater_errors, rounding_in, scored
from assay.contests import Contest
from assay.inference import CombinedError, PValue, SignFlips
from assay.metrics import Metric
from assay.resampling import summaries_of
from assay.responses import frozen
from assay.scales import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ContrastEvidence(DrawnAnswer):
    """The numbers of a comparison by one metric; `weighted` says how raters were, where that moved the contrast."""

    null: str
    alternative: str
    a_score: float
    b_score: float
    contrast: float
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
        # LEADER pools all responses, which gives A and B the same pool: every null contrast is 0.
        nulls = np.zeros_like(self.draws) if self.null == "sign-change" else self.null_draws
        return inference.expected_pvalue(nulls, self.draws)


def evidence_of(
    data: Contest, seen: Contest, metrics: Sequence[Metric], run: ProcedureRun, clusters: IntArray | None
) -> list[ContrastEvidence]:
    """Draw, and return what the comparison by each metric rests on; `seen` has the responses that the scheme keeps."""
    draws, null_draws = draw_both(data, metrics, run, clusters)
    weighed = rater_errors(data, metrics, run, draws, clusters)
    scores = scored(metrics, seen, run)
    assert run.null is not None
    found = []
    for i, metric in enumerate(metrics):
        a_score, b_score, contrast = scores[i]
        rounding = rounding_in(metric, seen, run)
        contrast = 0.0 if abs(contrast) <= rounding else contrast
        kept, kept_null = (settled(drawn.contrasts[i], contrast, rounding) for drawn in (draws, null_draws))
        contrast, kept, loads = weighed[i].applied(contrast, kept, rounding)
        error, df, left = left_out(metric, seen, run, rounding=rounding, clusters=clusters)
        left = settled(left if run.resamples_items else left[:0], contrast, rounding)
        errors = frozen(draws.standard_errors[i])
        if run.null == "studentised":
            kept_null = frozen(
                inference.studentised_draws(kept, contrast, standard_errors=errors, standard_error=error)
            )
        flips = None
        if run.needs_no_draws:
            flips = flips_of(metric, *summaries_of(seen, metric.needs), rounding=rounding, clusters=clusters)
        found.append(
            ContrastEvidence(
                null=run.null,
                alternative=run.procedure.alternative,
                a_score=a_score,
                b_score=b_score,
                contrast=contrast,
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
