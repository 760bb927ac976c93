"""Variance components as a document: the sources of error, and the standard error of other designs."""

import math
from typing import TYPE_CHECKING

from howsure.documents import Block, Column, Document, Heading, Sentence, Table, details
from howsure.documents.numbers import as_error, measured, number, rough

if TYPE_CHECKING:
    from howsure.raters.advantage_components import AdvantageComponents

TITLES = {
    "clusters": "clusters",
    "items": "items",
    "raters": "raters",
    "residual": "items × raters and noise",
    "repeats_a": "repeats of A",
    "repeats_b": "repeats of B",
}


def document(found: "AdvantageComponents") -> Document:
    """Return the components as a document of their own."""
    return Document("Sources of error of the difference", blocks(found), found.notes)


def blocks(found: "AdvantageComponents") -> tuple[Block, ...]:
    """Return who scores better and the components; what more data would bring is a detail."""
    _, a, b = found.names
    error = float(found.decision_study[0]["standard_error"])
    first, second = (a, b) if found.advantage >= 0 else (b, a)
    gap = number(abs(found.advantage), error)
    by = f"{first} scores better than {second} by {gap} ({found.metric})."
    if not gap.strip("0.,"):
        by = f"{a} and {b} have about the same score ({found.metric})."
    more = (_study(found), Sentence("howsure plan estimates power and cost of other designs.", "aside"))
    head = Heading(f"Difference between {a} and {b}")
    return (head, Sentence(by), Sentence(sentence(found)), _components(found), *details(more))


def sentence(found: "AdvantageComponents") -> str:
    """Return which part of the error is the largest, and which change brings most."""
    now, *more = found.decision_study
    known = {name: share for name, share in now["shares"].items() if not math.isnan(share)}
    if not known:
        return "Nothing varies in these data, so the standard error is 0."
    shares = ", ".join(
        f"{TITLES[name]} {100 * share:.0f}%" for name, share in sorted(known.items(), key=lambda part: -part[1])
    )
    twice = [(float(entry["standard_error"]), entry["change"]) for entry in more if entry["change"].startswith("twice")]
    (error, change), *others = sorted(twice)
    beats = ", more than doubling anything else" if others and others[0][0] > 1.01 * error else ""
    return (
        f"Share of the error variance: {shares}. The standard error is {rough(now['standard_error'])}; {change} would "
        f"reduce it to {rough(error)}{beats}."
    )


def _components(found: "AdvantageComponents") -> Table:
    level = next(iter(found.intervals.values())).confidence_level
    counts = {
        "clusters": found.n_clusters,
        "items": found.n_items,
        "raters": found.n_raters,
        "residual": found.n_items * found.raters_per_item,
        **{f"repeats_{role}": found.n_items * k for role, k in found.n_repeats.items()},
    }
    columns = (
        Column("component"),
        Column("share", "percent"),
        Column("variance", "number"),
        Column(f"{100 * level:g}% CI", "interval"),
        Column("number", "count"),
    )
    order = [name for name in TITLES if name in found.components]
    shares = found.decision_study[0]["shares"]
    rows = tuple(
        (
            TITLES[name],
            _share(shares.get(name, math.nan)),
            measured(found.components[name], ends),
            ends,
            round(counts[name]),
        )
        for name, ends in ((name, found.intervals[name]) for name in order)
    )
    return Table(columns, rows, "Components of the error variance")


def _study(found: "AdvantageComponents") -> Table:
    study = found.decision_study
    names = list(study[0]["shares"])
    columns = (
        Column("design"),
        Column("standard error", "number"),
        *(Column(TITLES[name], "percent") for name in names),
    )
    rows = tuple(
        (entry["change"], as_error(entry["standard_error"]), *(_share(entry["shares"][name]) for name in names))
        for entry in study
    )
    return Table(columns, rows, "Other designs: standard error, and shares of the error variance")


def _share(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 2)
