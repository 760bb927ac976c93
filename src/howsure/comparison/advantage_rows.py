"""What comparisons of many contests rest on, computed at once: `advantage_evidence`, with a row for each contest.

The contests have the same sizes and each has its own seed: simulated data sets that are audited. Every number is the
one that the contest alone would get.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from howsure import inference
from howsure.comparison.observed import moments, moments_of_mean, roundings_of, settled
from howsure.comparison.procedure_run import ProcedureRun, both_draws, scored, scored_sides
from howsure.inference.interval_rows import DrawnRows
from howsure.inference.pvalues import expected_pvalues, tail_pvalues
from howsure.metrics import Metric
from howsure.resampling import Draws, Scheme, Stack, draw_stacked, enumerate_swaps, summaries_of
from howsure.scales import FloatArray


@dataclass(frozen=True, slots=True)
class AdvantageRows:
    """The advantage of each contest by one metric, with its draws and those of a null."""

    drawn: DrawnRows
    null_draws: FloatArray
    exact: bool

    def tails(self, *alternatives: str) -> FloatArray:
        """Return the p-values of alternatives: (contests, alternatives)."""
        return tail_pvalues(self.drawn.estimates, self.null_draws, alternatives=alternatives, exact=self.exact).T

    def expected(self) -> FloatArray:
        """Return LEADER's p-values, null draws against draws."""
        return _expected(self.null_draws, self.drawn.draws)

    def bootstrap_signs(self) -> FloatArray:
        """Return LEADER's p-values where all null advantages are 0."""
        return _expected(np.zeros_like(self.drawn.draws), self.drawn.draws)

    def limits(self, method: str) -> FloatArray:
        """Return the ends of intervals: (contests, 2)."""
        return self.drawn.limits(method)


def _expected(null_draws: FloatArray, draws: FloatArray) -> FloatArray:
    told = np.isfinite(null_draws).all(axis=1) & np.isfinite(draws).all(axis=1)
    once = np.ones(draws.shape[1], dtype=np.int64)
    if told.all():  # without copies
        return expected_pvalues(null_draws, draws, once)[0]
    found = np.empty(len(draws))
    if told.any():
        found[told] = expected_pvalues(null_draws[told], draws[told], once)[0]
    for i in np.flatnonzero(~told).tolist():
        found[i] = inference.expected_pvalue(null_draws[i], draws[i]).pvalue
    return found


def rows_of(stack: Stack, metrics: Sequence[Metric], run: ProcedureRun) -> list[AdvantageRows]:
    """Draw, and return what the comparisons by each metric rest on; the contests share what `run` remembers."""
    assert run.null not in (
        "studentised",
        "bootstrap-sign",
        "random-effects",
    )  # their p are no tails of null draws
    draws, null_draws = _draw_both(stack, metrics, run)
    seen = run.once(("seen", run.scheme.responses), lambda: stack.keeping(run.scheme))
    names = tuple(metric.name for metric in metrics)
    advantages = run.once(("advantages", run.scheme, names), lambda: _advantages(seen, metrics, run))
    found = []
    for i, metric in enumerate(metrics):
        rounding = roundings_of(metric, seen.whole, np.arange(len(seen) + 1) * seen.n_items)
        observed = np.where(np.abs(advantages[i]) <= rounding, 0.0, advantages[i])
        about = observed[:, np.newaxis], rounding[:, np.newaxis]
        drawn = run.once(("rows", run.scheme, metric.name), partial(_drawn, seen, metric, run, draws.of(i), about))
        found.append(AdvantageRows(drawn, settled(null_draws.advantages[i], *about), null_draws.exact))
    return found


def _draw_both(stack: Stack, metrics: Sequence[Metric], run: ProcedureRun) -> tuple[Draws, Draws]:
    """Return the draws for the intervals and those for the p-values: (metrics, contests, draws)."""
    names, n_draws = tuple(metric.name for metric in metrics), run.procedure.n_draws

    def drawn(null: Any, scheme: Scheme) -> Draws:
        return run.once(
            ("draws", null, scheme, names),
            lambda: draw_stacked(stack, metrics, scheme=scheme, null=null, n_resamples=n_draws),
        )

    def listed() -> Draws:
        swapped = np.stack(
            [enumerate_swaps(contest, metrics, scheme=run.scheme).advantages for contest in stack.contests], axis=1
        )
        return Draws(swapped, np.full_like(swapped, np.nan), exact=True)

    return both_draws(metrics, run, stack.n_items, drawn, listed)


def _advantages(seen: Stack, metrics: Sequence[Metric], run: ProcedureRun) -> FloatArray:
    """Return the advantages of the data: (metrics, contests)."""
    if run.scheme.thins:
        own = [replace(run, seed=seen.seeds[j], shared=None) for j in range(len(seen))]
        rows = [scored(metrics, contest, each) for contest, each in zip(seen.contests, own, strict=True)]
        return np.array([[advantage for _, _, advantage in row] for row in rows]).T
    found = np.empty((len(metrics), len(seen)))
    for i, metric in enumerate(metrics):
        if metric.additive:
            found[i] = seen.item_advantages(metric).mean(axis=1)
            continue
        sides = seen.summaries(metric.needs)
        for j in range(len(seen)):
            found[i, j] = scored_sides(metric, *(None if side is None else side[j] for side in sides))[2]
    return found


def _drawn(
    seen: Stack, metric: Metric, run: ProcedureRun, draws: Draws, about: tuple[FloatArray, FloatArray]
) -> DrawnRows:
    """Return what the intervals by one metric rest on; `about` has the advantages, and what is rounding."""
    observed, rounding = about
    errors, df, left = _left_out(seen, metric, run, rounding[:, 0])
    return DrawnRows(
        draws=settled(draws.advantages, *about),
        estimates=observed[:, 0],
        jackknife=settled(left if run.resamples_items else left[:, :0], *about),
        standard_errors=draws.standard_errors,
        errors=errors,
        df=df,
        span=metric.span,
        confidence_level=run.procedure.confidence_level,
    )


def _left_out(
    seen: Stack, metric: Metric, run: ProcedureRun, rounding: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the standard error of each advantage, its degrees of freedom, and the advantages with items left out."""
    n = len(seen)
    if metric.additive:
        errors, df, left = moments_of_mean(seen.item_advantages(metric), rounding)
        return errors, np.full(n, df), left
    if run.shared is not None and not run.shared.leaves_out:
        return np.full(n, np.nan), np.full(n, np.nan), np.empty((n, 0))
    rows = [
        moments(metric, *summaries_of(contest, metric.needs), contest=contest, rounding=slack, clusters=None)
        for contest, slack in zip(seen.contests, rounding.tolist(), strict=True)
    ]
    errors, df = np.array([(row.standard_error, row.df) for row in rows]).T
    return errors, df, np.stack([row.jackknife for row in rows])
