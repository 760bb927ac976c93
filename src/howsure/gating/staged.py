"""Gates with several looks: what is new in the files is added to a state file, and all looks together decide."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from howsure import _matrices
from howsure.data.contests import Contest
from howsure.data.responses import cluster_codes
from howsure.data.scales import FloatArray
from howsure.documents.numbers import counted
from howsure.errors import ArgumentError, DataError
from howsure.gating import sequential, state
from howsure.gating.gate import (
    GateSettings,
    GaugedComparison,
    Prepared,
    assembled,
    least_error,
    left_out,
    measure,
    measurement,
    prepare,
    verdict_items,
)
from howsure.gating.gauges import p_of
from howsure.gating.limits import required_span
from howsure.gating.looks import LookEvidence, spending_looks, two_looks
from howsure.gating.more_data import TARGET, MoreData
from howsure.gating.result import GateResult, Looks
from howsure.gating.rule import GateRule, Verdict
from howsure.metrics import spelled

LEAST = 2
"""A look needs this many new items."""


@dataclass(frozen=True, slots=True)
class LookPlan:
    """How a gate may be looked at before its end.

    Attributes
    ----------
    state : str
        The file that remembers earlier looks.
    looks : int
        How many looks are planned; 0 for an open end.
    max_items : int
        Units (items or clusters) planned in all; 0 where that is open.
    """

    state: str
    looks: int = 0
    max_items: int = 0

    def __post_init__(self) -> None:
        if self.looks == 1 or self.looks < 0:
            raise ArgumentError("`looks` must be at least 2; one look needs no plan.")
        if self.looks > 2 and not self.max_items:
            raise ArgumentError(f"{self.looks} looks need `max_items`: how many items there will be in all.")

    @property
    def kind(self) -> str:
        """By which rule looks are joined; open ends bet."""
        return {0: "betting", 2: "inverse-normal"}.get(self.looks, "obrien-fleming")


@_matrices.on_one_thread
def staged_gate(contest: Contest, rule: GateRule, plan: LookPlan, settings: GateSettings | None = None) -> GateResult:
    """Look at a gate once more: add what is new to the state file, and decide by all looks so far."""
    settings = settings or GateSettings()
    if settings.by is not None:
        raise ArgumentError("`by` goes with a single look: slices would need plans of their own.")
    if settings.raters == "random":
        raise ArgumentError("`raters='random'` goes with a single look: several looks speak of these raters only.")
    settings = replace(settings, raters="fixed")
    stored = ""
    if settings.range is None:  # the first look fixed the scale; a later one need not declare it again
        settings, stored = replace(settings, range=state.stored_range(plan.state)), plan.state
    prepared = prepare(contest, rule, settings, stored=stored)
    if not prepared.metric.additive:
        raise ArgumentError(f"looks need a metric with item scores; {prepared.metric.name!r} has none.")
    required_span(prepared.span, prepared.complete)
    found = measure(prepared.complete, prepared, settings)
    keys, differences = units(prepared, found, settings)
    with state.opened(plan.state, _identity(prepared, rule, plan, settings)) as known:
        known.refuse_decided()
        number = len(known.looks) + 1
        if plan.looks and number > plan.looks:
            raise DataError(f"{plan.state}: all {plan.looks} planned looks are used; run a new gate on new items.")
        seen = known.seen
        new = np.array([key not in seen for key in keys], dtype=bool)
        if new.sum() < LEAST:
            raise DataError(
                f"{plan.state}: these files hold no new items: all {len(keys):,} were seen before. Add new items."
            )
        parts = [*(each.differences for each in known.looks), differences[new]]
        look = _looked(parts, rule, plan, found.span)
        known.add(state.Look(tuple(np.array(keys)[new].tolist()), differences[new], look.verdict))
    old = int((~new).sum())
    return _result(prepared, found, rule, settings, look=look, old=old, plan=plan)


class _Looked(NamedTuple):
    """What a look found: its evidence and verdict, by which rule, its number and that of all units so far."""

    evidence: LookEvidence
    verdict: Verdict
    kind: str
    number: int
    n: int


def _looked(parts: list[FloatArray], rule: GateRule, plan: LookPlan, span: float) -> _Looked:
    evidence, kind = _evidence(parts, rule, plan, span)
    verdict = rule.decided(evidence.passing, evidence.failing, evidence.critical)
    n = sum(part.size for part in parts)
    if verdict == "inconclusive" and not plan.looks and plan.max_items:
        chance = sequential.chance_of_pass(evidence.estimate, evidence.error, n, plan.max_items, rule)
        verdict = "futile" if chance < sequential.FUTILE else verdict
    return _Looked(evidence, verdict, kind, len(parts), n)


def units(prepared: Prepared, found: GaugedComparison, settings: GateSettings) -> tuple[list[str], FloatArray]:
    """Return the units of a look, under which names they are remembered: items, or clusters by their mean."""
    known = found.comparison.evidence
    assert known is not None
    items = known.items[0]
    if settings.cluster is None:
        return [state.key_of(str(item)) for item in prepared.complete.items], items
    names, codes = cluster_codes(prepared.complete.groups, settings.cluster)
    means = np.bincount(codes, items) / np.bincount(codes)
    return [state.key_of(str(name)) for name in names], means


def _identity(prepared: Prepared, rule: GateRule, plan: LookPlan, settings: GateSettings) -> dict[str, Any]:
    """Return what must stay the same over all looks, the scale among it where the gate depends on its ends."""
    of_scale = prepared.scale_range is not None and not np.isfinite(prepared.metric.span)
    return {
        "claim": rule.claim.name,
        "margin": rule.margin,
        "confidence_level": rule.confidence_level,
        "metric": spelled(prepared.metric),
        "cluster": settings.cluster,
        "looks": plan.looks,
        "max_items": plan.max_items,
        "baseline": prepared.complete.names[2],
        "candidate": prepared.complete.names[1],
        "range": [str(float(end)) for end in prepared.scale_range or ()] if of_scale else None,
    }


def _evidence(parts: list[FloatArray], rule: GateRule, plan: LookPlan, span: float) -> tuple[LookEvidence, str]:
    if plan.kind == "inverse-normal":
        return two_looks(parts, rule, span), plan.kind
    if plan.kind == "obrien-fleming":
        return spending_looks(parts, rule, span, planned=plan.looks, max_units=plan.max_items), plan.kind
    everything = np.concatenate(parts)
    if np.isfinite(span):
        return sequential.betting(everything, rule, span), "betting"
    return sequential.asymptotic(everything, rule), "asymptotic"


def _result(
    prepared: Prepared,
    found: GaugedComparison,
    rule: GateRule,
    settings: GateSettings,
    *,
    look: _Looked,
    old: int,
    plan: LookPlan,
) -> GateResult:
    evidence, verdict, kind, number, n = look
    overall = replace(
        measurement(found, rule),
        verdict=verdict,
        advantage=evidence.estimate,
        standard_error=evidence.error,
        confidence_interval=evidence.interval,
        pvalue_pass=_pvalue(evidence.passing, kind),
        pvalue_fail=_pvalue(evidence.failing, kind),
        n_items=n,
    )
    first = verdict == "inconclusive" and kind == "inverse-normal" and number == 1
    about = Looks(
        kind=kind,
        look=number,
        planned=plan.looks,
        n_items=n,
        max_items=plan.max_items,
        passing=evidence.passing,
        failing=evidence.failing,
        critical=evidence.critical,
    )
    result = assembled(
        prepared,
        found,
        rule,
        settings,
        verdict=verdict,
        more=_second_look(evidence, rule, n, found.span) if first else None,
        missing=left_out(prepared),
        looks=about,
        overall=overall,
        about={"looks": plan.looks or None, "look": number, "rule": kind},
    )
    return replace(result, notes=(*_notes(look, old, settings), *result.notes))


def _second_look(evidence: LookEvidence, rule: GateRule, n: int, span: float) -> MoreData | None:
    """Return how many new items decide at the second look, given what the first one adds to it."""
    needed = evidence.critical * np.sqrt(2)
    critical = (float(needed - evidence.passing), float(needed - evidence.failing))
    error = max(evidence.error, least_error(span, n, rule))
    items = verdict_items(evidence.estimate, error, n, rule, critical)
    return None if items is None else MoreData(items, None, TARGET, 2 * rule.alpha)


def _pvalue(evidence: float, kind: str) -> float:
    """Return the p-value of this look alone, or of a bet the p-value that holds at any time."""
    if kind == "betting":
        return float(min(1.0, np.exp(-evidence)))
    return float("nan") if kind == "asymptotic" else p_of(evidence)


def _notes(look: _Looked, old: int, settings: GateSettings) -> list[str]:
    unit = "item" if settings.cluster is None else "cluster"
    notes = []
    if old:
        notes.append(f"{counted(old, unit)} of these files had been seen at an earlier look and counted there.")
    if look.kind == "asymptotic" and look.n < sequential.FIRST:
        notes.append(f"Differences without a limit are not decided before {sequential.FIRST} items.")
    if settings.cluster is not None:
        notes.append("Clusters are the units: each counts with the mean of its items.")
    return notes
