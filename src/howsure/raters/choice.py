"""What a comparison generalises to: whether raters are a random factor, whether items come in clusters, and the notes.

A random factor is one that a resample draws anew; results hold for other raters (or clusters) like these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure.data.contests import Contest
from howsure.data.responses import Responses, cluster_codes
from howsure.data.scales import IntArray
from howsure.documents import Aside
from howsure.documents.numbers import joined
from howsure.errors import ArgumentError, DataError
from howsure.nulls import RANDOM_EFFECTS, SIGN_FLIP, Null
from howsure.raters.design import FEW_RATERS, RatingDesign, design_of, rated, raters_of
from howsure.raters.slots import looks_like_slots, may_be_slots
from howsure.resampling import Scheme, cluster_df

LOAD = 2.0
"""Raters are a random factor where the rater of a response judged at least this many items, on average."""


@dataclass(frozen=True, slots=True)
class RaterChoice:
    """Whether raters are drawn, the null that goes with it, and the notes that say so.

    Attributes
    ----------
    scheme : Scheme
    null : Null
    notes : tuple of str
    n_raters : int
        How many raters repeat enough to matter; 0 where none do. With raters a result has two answers.
    """

    scheme: Scheme
    null: Null
    notes: tuple[str, ...]
    n_raters: int = 0


def choose(contest: Contest, scheme: Scheme, *, raters: str | None, null: Null | None) -> RaterChoice:
    """Decide whether raters are a random factor: as asked or, when left open, by the data and what else was asked.

    Raters are a random factor where they repeat: where the rater of a response judged two items or more, on average
    over responses. Below that, few responses share their rater with another item, and drawing items draws raters, too.
    """
    roles = rated(contest)
    design = design_of(*(contest.sources[role] for role in roles)) if roles else None
    repeat = design is not None and design.load >= LOAD
    n_raters = design.n_raters if design is not None and repeat else 0
    if raters == "random" and design is None:
        raise DataError("`raters='random'` needs rater ids, and two or more raters; these data have none.")
    if raters is None and n_raters and (slots := _slots(contest, roles)):
        raters, notes, n_raters = "fixed", [slots], 0
    elif raters is None:
        raters, notes = _by_the_data(contest, design, n_raters, scheme, null)
    else:
        notes = (
            [f"The result holds for these {n_raters} raters only, as asked."] if raters == "fixed" and repeat else []
        )
    if raters == "random" and design is not None and design.n_raters < FEW_RATERS:
        notes = [
            *notes,
            f"{design.n_raters} raters are too few to generalise reliably: a p-value near .05 is only a hint. "
            "Add raters.",
        ]
    chosen = replace(scheme, raters=raters)
    null = null or (RANDOM_EFFECTS if raters == "random" else SIGN_FLIP)
    return RaterChoice(chosen, null, tuple(notes), n_raters)


def _slots(contest: Contest, roles: Sequence[str]) -> str:
    """Say that the raters look like slots; empty where those of some source do not."""
    found = [_slots_of(contest, role) for role in roles]
    if not all(found):
        return ""
    return f"{found[0]}. Raters are held fixed. If they are people, use `raters='random'`."


def _slots_of(contest: Contest, role: str) -> str:
    source = contest.sources[role]
    names = [contest.raters[code] if contest.raters else str(code + 1) for code in raters_of([source]).tolist()]
    return looks_like_slots(source, names, contest.scale)


def _by_the_data(
    contest: Contest, design: RatingDesign | None, n_raters: int, scheme: Scheme, null: Null | None
) -> tuple[str, list[str]]:
    if design is None:
        return "fixed", _notes_without_raters(contest)
    if not n_raters:
        judged = "Every rater judged one item only"
        if design.load > 1:
            judged = f"The rater of a response judged {design.load:.2g} items on average, fewer than {LOAD:g}"
        return "fixed", [f"{judged}, so raters are not a random factor: resampling items resamples them too."]
    generalises = null is None or null.random_raters
    if generalises and (scheme.items, scheme.responses) == ("bootstrap", "all"):
        # A few raters say too little about others for their answer to lead; it then stands below that for these raters.
        if n_raters < FEW_RATERS and null is None:
            return "fixed", [
                f"The result holds for these {n_raters} raters: too few to generalise reliably. Add raters."
            ]
        notes = [f"The result generalises to raters like these {n_raters}."]
        gold = contest.gold
        if gold is not None and gold.raters is not None and may_be_slots(gold, contest.raters):
            ids = f"{contest.raters[0]} … {contest.raters[-1]}"
            notes.append(Aside(f"If {ids} are slots that different people filled, use `raters='fixed'`."))
        return "random", notes
    asked = str(scheme) if null is None or generalises else f"`null={null.name!r}`"
    return "fixed", [f"The result holds for these {n_raters} raters only, as {asked} asks."]


def _notes_without_raters(contest: Contest) -> list[str]:
    """Say what ratings without rater ids, or of a single rater, cannot show."""
    if contest.gold is not None:
        return []
    a, b = contest.names[1:]
    if contest.a.raters is not None and contest.b.raters is not None:
        who = np.union1d(contest.a.raters, contest.b.raters)
        if who.size < 2:
            return ["All ratings come from one rater. The result holds for that rater only."]
        return [
            f"One rater judged {a} and another judged {b}: we cannot separate a difference between the two raters from "
            "one between the models."
        ]
    return without_rater_ids({a: contest.a, b: contest.b}, contest.repeats)


def without_rater_ids(sources: Mapping[str, Responses], repeats: Sequence[str]) -> list[str]:
    """Say whose several responses have no rater ids, unless they are known to be repeats."""
    unknown = [
        name
        for name, source in sources.items()
        if source.raters is None and source.n_responses > 1 and name not in repeats
    ]
    if not unknown:
        return []
    return [
        f"The responses of {joined(unknown, 3)} have no rater ids, so they count as repeats. If people gave them, name "
        "the raters with `rater`; otherwise p is too small and the interval too narrow."
    ]


HALF = 0.5
"""Clusters count for fewer where their error has less than this share of the degrees of freedom of equal ones."""


def clusters_of(contest: Contest, cluster: str | None, scheme: Scheme, null: Null) -> tuple[IntArray | None, list[str]]:
    """Return the number of each item's cluster, and notes that say so; None when items stand alone."""
    if cluster is None:
        return None, []
    names, codes = cluster_codes(contest.groups, cluster)
    if scheme.responses != "all" or scheme.items != "bootstrap" or not null.clusters:
        raise ArgumentError(
            f"`cluster` goes with all responses and `items='bootstrap'`; got `null={null.name!r}` with {scheme}."
        )
    note = f"Items are clustered. The result generalises to values of {cluster!r} like these {names.size}."
    sizes = np.bincount(codes).astype(np.float64)
    if cluster_df(sizes) >= HALF * (sizes.size - 1):
        return codes, [note]
    share, largest = sizes.max() / sizes.sum(), str(names[int(sizes.argmax())])
    return codes, [
        note,
        f"{largest!r} holds {100 * share:.0f}% of the items: the interval rests on few values of {cluster!r}.",
    ]
