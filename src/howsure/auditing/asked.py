"""What an audit is asked: each setting checked, and written as the cells of a study have it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from howsure import _check, _json, models
from howsure.auditing import estimators as choices
from howsure.auditing.cell import check_model, own
from howsure.errors import ArgumentError, DataError
from howsure.metrics import Metric, entry_of, resolve
from howsure.models import ResponseModel
from howsure.nulls import NULLS
from howsure.raters.design import design_of, rated
from howsure.resampling import Scheme


def metric_entries(metrics: Sequence[str | Metric] | None, model: ResponseModel) -> list[str | dict[str, Any]]:
    """Return the metrics as a cell knows them, which is computed wherever the sweep runs."""
    if metrics is None:
        return ["accuracy", "tv"] if model.scale.kind == "nominal" else ["mae"]
    names: dict[str, str | dict[str, Any]] = {}
    for metric in some("metrics", metrics):
        found = resolve(metric)
        if found.on(model.scale).gold_free:
            raise ArgumentError(f"metric {found.name!r} looks at ratings without gold; response models simulate gold.")
        known = entry_of(found) or own(found)
        if names.setdefault(found.name, known) != known:
            raise ArgumentError(f"two of the `metrics` are called {found.name!r}; give each a name of its own.")
    return list(names.values())


def model_entry(model: ResponseModel) -> Any:
    """Return what a cell knows the model by: its parameters, or a name for one of the user's own."""
    entry = _json.plain(model.to_dict())
    try:
        again = models.from_dict(entry)
    except (ArgumentError, DataError):
        return own(model)
    return entry if type(again) is type(model) else own(model)


def has_raters(model: ResponseModel) -> bool:
    """Say whether the model's tables have raters who judge several items."""
    contest = model.table(4, 2, rng=0).contest(gold="gold", a="A", b="B")
    roles = rated(contest)
    return bool(roles) and design_of(*(contest.sources[role] for role in roles)).kind != "nested"


def check_cluster(model: ResponseModel, cluster: str) -> None:
    """Refuse a column that the model's tables do not have, before any cell is computed."""
    groups = model.table(4, 1, rng=0).contest(gold="gold", a="A", b="B").groups
    if cluster not in groups:
        has = f"they have {', '.join(groups)}" if groups else "they have no such columns"
        raise ArgumentError(f"`cluster` must be a column of the tables that the model simulates; {has}.")


NOT_AUDITED = "Not audited"
"""How notes on combinations without a meaning begin."""


def pairs_of(
    schemes: Sequence[Scheme], nulls: Sequence[str], beside: Mapping[str, Sequence[str]]
) -> tuple[list[tuple[tuple[str, ...], list[str]]], tuple[str, ...]]:
    """Return which nulls each scheme is audited with, and notes on what was not."""
    kept: dict[tuple[str, ...], list[str]] = {choices.words(scheme): [] for scheme in schemes}
    notes = []
    for scheme in schemes:
        asked = dict.fromkeys([*nulls, *beside.get(choices.write(scheme), ())])
        for _, null, reason in choices.pairs([scheme], list(asked)):
            if reason:
                notes.append(f"{NOT_AUDITED}: {null} with {choices.write(scheme)} ({reason.rstrip('.')}).")
            else:
                kept[choices.words(scheme)].append(null)
    return list(kept.items()), tuple(notes)


def of_clusters(
    pairs: Sequence[tuple[tuple[str, ...], list[str]]],
) -> tuple[list[tuple[tuple[str, ...], list[str]]], tuple[str, ...]]:
    """Return what can be computed where whole clusters are resampled, and a note on what cannot."""
    kept, gone = [], []
    for words, nulls in pairs:
        whole = [null for null in nulls if words == ("bootstrap", "all") and NULLS[null].clusters]
        gone += [f"{null} with {'/'.join(words)}" for null in nulls if null not in whole]
        if whole or words == ("bootstrap", "all"):
            kept.append((words, whole))
    return kept, ((f"Not audited, because whole clusters are resampled: {', '.join(gone)}.",) if gone else ())


def as_scheme(scheme: Scheme | tuple[str, str]) -> Scheme:
    """Return a scheme, or the one that two words name."""
    try:
        found = scheme if isinstance(scheme, Scheme) else choices.scheme_of(*scheme)
    except (TypeError, ValueError):
        raise ArgumentError(
            "`schemes` must be pairs of items (all or bootstrap) and responses (all, first, one or bootstrap); "
            f"got {scheme!r}."
        ) from None
    if found.raters != "fixed":
        raise ArgumentError(f"`schemes` must be pairs of items and responses; got {found}.")
    if found.items == "all" and choices.keeps_responses(found):
        raise ArgumentError(f"`schemes` must resample something; got {found}.")
    return found


def as_design(design: tuple[int, int]) -> tuple[int, int]:
    """Return the numbers of items and responses, checked."""
    try:
        n_items, n_responses = design
        return _check.integer("n_items", n_items, at_least=2), _check.integer("n_responses", n_responses, at_least=1)
    except (TypeError, ValueError):  # an ArgumentError is a ValueError
        raise ArgumentError(
            f"`designs` must be pairs of items (2 or more) and responses per item (1 or more); got {design!r}."
        ) from None


def strengths_of(epsilons: Sequence[float], epsilon_a: float) -> list[float]:
    """Return the ε of B in order; 0 and that of A are always among them, because type-I error is measured there."""
    _check.real("epsilon_a", epsilon_a, at_least=0, at_most=1)
    found = sorted({0.0, epsilon_a, *(_check.real("epsilons", each, at_least=0, at_most=1) for each in epsilons)})
    between = [each for each in found if 0 < each < epsilon_a]
    if between:
        raise ArgumentError(
            f"`epsilon` must be at least `epsilon_a`, {epsilon_a:g}, because B is the one that may be worse; got "
            f"{between[0]:g}."
        )
    return found


def can_split(model: ResponseModel, epsilon: float) -> tuple[bool, tuple[str, ...]]:
    """Return whether A and B can err on different items, and a note where they cannot."""
    if epsilon == 0:
        return False, (
            "Without an ε above 0 there is neither power nor the second true null, different errors; add one.",
        )
    try:
        check_model(model, epsilon, "split")
    except ArgumentError as error:
        return False, (f"The second true null, different errors, was not audited: {error}",)
    return True, ()


def about_resamples(n_resamples: int, alpha: float) -> tuple[str, ...]:
    """Return a note where resamples cannot reach the level: a two-sided p is a multiple of 2 / (resamples + 1)."""
    attainable = 2 / (n_resamples + 1) * math.floor(alpha / 2 * (n_resamples + 1) * (1 + 1e-9))
    if attainable > 0.99 * alpha:
        return ()
    between = f"{100 * attainable:.3g} and {100 * alpha:g}%"
    return (
        f"With {n_resamples:,} resamples no p-value lies between {between}: resampling tests reject less often than "
        f"nominal and lose power. Use `n_resamples` {math.ceil(20 / alpha) - 1}.",
    )


def some(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """Return the values; none at all are refused."""
    if isinstance(values, str) or not len(values):
        raise ArgumentError(f"`{name}` must be a list with at least one entry; got {values!r}.")
    return values
