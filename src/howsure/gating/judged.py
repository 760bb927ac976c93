"""A gate by people's judgement: they labelled some items, a judge scored all of them."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from howsure.comparison.default_metric import bind, metrics_for
from howsure.comparison.procedure import Procedure
from howsure.gating.gate import (
    GateSettings,
    GaugedComparison,
    Prepared,
    assembled,
    left_out,
    measurement,
    refuse_missing,
    with_absent,
)
from howsure.gating.gauges import GuardedStudentGauge, JudgedGauge
from howsure.gating.limits import check_margin, range_of, required_span, span_of
from howsure.gating.result import GateResult, JudgeAlone
from howsure.gating.rule import GateRule
from howsure.judging.judged_comparison import JudgedComparison, compare_with_judge
from howsure.judging.judged_contests import JudgedContest

if TYPE_CHECKING:
    from howsure.judging.labels_to_draw import LabelChances


def judged_gate(
    judged: JudgedContest,
    rule: GateRule,
    settings: GateSettings | None = None,
    *,
    chances: "LabelChances | None" = None,
) -> GateResult:
    """Decide whether the candidate (A) may replace the baseline (B) by people's judgement.

    The advantage and its error are those of `compare` with a judge. The judge itself may miss rare large losses, so the
    labelled items must rule them out: their guards are those of every gate.

    Parameters
    ----------
    judged : JudgedContest
        Labels of people on some items, and of the judge on all.
    rule : GateRule
    settings : GateSettings, optional
        `metric`, `raters`, `max_error_rate` and `range` are used.
    chances : LabelChances, optional
        The chance with which each item was chosen to be labelled; equal by default.
    """
    settings = settings or GateSettings()
    seen = (judged.judge.a.sizes > 0) | (judged.judge.b.sizes > 0)
    whole = with_absent(judged.judge.take(np.flatnonzero(seen)))  # an answer that one of the models lacks is missing
    refuse_missing(whole, settings.max_error_rate)
    people = judged.overlapping().humans
    metric = bind(metrics_for(people, None if settings.metric is None else [settings.metric])[0][0], people)
    scale_range = range_of(people, settings.range, better=metric.better)
    check_margin(rule.margin, metric, scale_range)
    span = required_span(span_of(metric, scale_range), people)
    how = Procedure(raters=settings.raters, confidence_level=rule.interval_level)
    found = compare_with_judge(judged, metric=settings.metric, procedure=how, chances=chances)
    prepared = Prepared(whole, people, metric, found.notes, scale_range)
    gauged = GaugedComparison(found.combined, _gauge(found, span), span)
    overall = measurement(gauged, rule)
    about = {"judge": found.judge, "sampled": None if chances is None else chances.name}
    result = assembled(
        prepared,
        gauged,
        rule,
        settings,
        verdict=overall.verdict,
        overall=overall,
        missing=left_out(prepared),
        about=about,
    )
    where = replace(result.provenance, seed=None, data=found.provenance.data)
    return replace(result, judge=_alone(found, rule, span), provenance=where)


def _gauge(found: JudgedComparison, span: float) -> JudgedGauge:
    lead = found.evidence
    assert lead is not None
    labels = GuardedStudentGauge.of(lead.values - float(lead.values.mean()) + lead.estimate, span)
    return JudgedGauge(lead.estimate, lead.error, labels)


def _alone(found: JudgedComparison, rule: GateRule, span: float) -> JudgeAlone:
    """Return what a gate by the judge's scores alone would say."""
    own, n = found.judge_alone, found.n_all
    verdict = rule.verdict(GuardedStudentGauge(own.value, own.standard_error * math.sqrt(n), 0.0, n, span))
    counts = (found.n_labelled, n, found.n_raters)
    return JudgeAlone(found.judge, *counts, verdict, own.value, own.confidence_interval, found.advice)
