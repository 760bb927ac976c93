"""What is in a table of ratings: who judged what, how far they agree, and what can and cannot be concluded."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from howsure import _matrices, _random
from howsure._frames import in_any_form
from howsure.comparison.default_metric import metrics_for
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import cluster_codes
from howsure.describing.strata import Stratum, strata_of
from howsure.documents import Caution, Document
from howsure.errors import ArgumentError
from howsure.io.reading import as_table
from howsure.metrics import Metric, spelled
from howsure.provenance import Provenance
from howsure.raters import AdvantageComponents, variance_components
from howsure.raters.agreement import Agreement, measure_agreement
from howsure.raters.choice import LOAD
from howsure.raters.design import FEW_RATERS, RatingDesign, design_of, overlap
from howsure.records import Signed
from howsure.wording.estimates import with_interval

if TYPE_CHECKING:
    import polars


MANY = 10
"""From so many items on, a rater judged many items; fewer are several."""


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """One source of a table.

    Attributes
    ----------
    name : str
    n_items, n_responses : int
    design : RatingDesign
    agreement : Agreement or None
        None without two or more identified raters.
    """

    name: str
    n_items: int
    n_responses: int
    design: RatingDesign
    agreement: Agreement | None


@dataclass(frozen=True, slots=True)
class SharedRaters:
    """How far two sources, `a` and `b`, were judged by the same raters.

    Attributes
    ----------
    a, b : str
    raters, cells : float
        The share of all their raters, and of all (item, rater) pairs, that both have.
    """

    a: str
    b: str
    raters: float
    cells: float


@dataclass(frozen=True, slots=True)
class ItemClusters:
    """How items are grouped.

    Attributes
    ----------
    column : str
    n_clusters : int
    items_per_cluster : tuple of int
        Fewest, median and most.
    """

    column: str
    n_clusters: int
    items_per_cluster: tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDescription(Signed):
    """What is in a table, and what that means for comparisons.

    Attributes
    ----------
    n_items : int
    scale : str
    sources : tuple of SourceDescription
    overlaps : tuple of SharedRaters
        For each two sources with several raters.
    clusters : ItemClusters or None
    components : AdvantageComponents or None
        The parts of the error of an advantage, if one was asked for.
    strata : tuple of Stratum
        The advantage by how far gold's raters agree.
    conclusions : tuple of str
        What the raters and items mean for comparisons.
    notes : tuple of str
    provenance : Provenance
    top : int
        How many raters the document shows.
    table : ResponseTable or None
        The responses, for pictures; not written.
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    n_items: int
    scale: str
    sources: tuple[SourceDescription, ...]
    overlaps: tuple[SharedRaters, ...]
    clusters: ItemClusters | None = None
    components: AdvantageComponents | None = None
    strata: tuple[Stratum, ...] = ()
    conclusions: tuple[str, ...]
    notes: tuple[str, ...]
    provenance: Provenance
    top: int = 10
    table: ResponseTable | None = field(default=None, repr=False, compare=False)

    def document(self) -> Document:
        """Return what is in the table: sources, agreement, raters, and the parts of an advantage."""
        from howsure.describing import document

        return document.of_table(self)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each rater of each source."""
        import polars

        rated = [part.agreement for part in self.sources if part.agreement is not None]
        return polars.DataFrame([{"source": one.source} | asdict(rater) for one in rated for rater in one.raters])


@_matrices.on_one_thread
def describe(
    table: ResponseTable | Any,
    *,
    measurement_level: str | None = None,
    cluster: str | None = None,
    contest: Contest | None = None,
    metric: str | Metric | None = None,
    n_resamples: int = 499,
    confidence_level: float = 0.95,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> TableDescription:
    """Summarise a table: responses, raters and their agreement.

    Parameters
    ----------
    table : ResponseTable, dataframe or path
    measurement_level, cluster, n_resamples, confidence_level, rng, workers
        As in `measure_agreement`.
    contest : Contest, optional
        Two models of the table: also estimate how much of the error of their difference each source of error adds.
    metric : str or Metric, optional
        The metric of the difference. Default: depends on the scale.
    progress : callable, optional
        Called with the number of resamples done, as they are done: twice `n_resamples` for each source.

    Examples
    --------
    >>> import polars
    >>> from howsure import read
    >>> frame = polars.DataFrame(
    ...     {"item": [1, 1, 2, 2], "source": ["human"] * 4, "rater": ["ann", "bob"] * 2, "value": [3, 4, 1, 1]}
    ... )
    >>> found = describe(read(frame), n_resamples=9, rng=0)
    >>> found.sources[0].design.kind
    'crossed'
    """
    if metric is not None and contest is None:
        raise ArgumentError("`metric` applies to the difference of two models; pass their `contest` too.")
    table = as_table(table)
    seed = _random.replayable(rng)
    how = {
        "measurement_level": measurement_level,
        "cluster": cluster,
        "n_resamples": n_resamples,
        "confidence_level": confidence_level,
        "workers": workers,
        "progress": progress,
    }
    clusters = None if cluster is None else _clusters(table, cluster)
    sources = tuple(_describe_source(table, name, seed, how) for name in table.sources)
    if measurement_level is not None and all(part.agreement is None for part in sources):
        raise ArgumentError(
            "`measurement_level` applies to agreement, and no source has items with two identified raters."
        )
    rated = [part.name for part in sources if part.design.n_raters > 1]
    overlaps = tuple(
        SharedRaters(a, b, *astuple(overlap(table.sources[a], table.sources[b]))) for a, b in combinations(rated, 2)
    )
    components, why, signed = None, list[str](), None
    strata: tuple[Stratum, ...] = ()
    if contest is not None:
        [chosen], why = metrics_for(contest, None if metric is None else [metric])
        signed = spelled(chosen)
        components = variance_components(contest, metric=chosen, cluster=cluster, confidence_level=confidence_level)
        strata = strata_of(contest, chosen, cluster=cluster, confidence_level=confidence_level)
    gold, a, b = (None, None, None) if contest is None else contest.names
    parameters = {
        "measurement_level": measurement_level,
        "cluster": cluster,
        "gold": gold or None,
        "a": a,
        "b": b,
        "metric": signed,
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
    }
    return TableDescription(
        n_items=table.n_items,
        scale=str(table.scale),
        sources=sources,
        overlaps=overlaps,
        clusters=clusters,
        components=components,
        strata=strata,
        conclusions=(
            # The runs of a model are repeats: sentences about raters do not apply to them.
            *(line for part in sources if part.name not in table.repeats for line in _conclusions(part)),
            *_pairing(overlaps),
            *([] if clusters is None else [_about_clusters(clusters)]),
        ),
        notes=(*table.notes, *_notes(sources), *why, *([] if components is None else components.notes)),
        provenance=Provenance("describe", parameters, _random.entropy_of(seed), table.digest),
        table=table,
    )


def _describe_source(
    table: ResponseTable, name: str, seed: np.random.SeedSequence, how: dict[str, Any]
) -> SourceDescription:
    responses = table.sources[name]
    design = design_of(responses)
    found = None
    if design.n_raters > 1 and design.raters_per_item[2] > 1:
        found = measure_agreement(table, source=name, rng=_random.child(seed, name), **how)
    elif how["progress"] is not None:
        how["progress"](2 * how["n_resamples"])
    return SourceDescription(name, int((responses.sizes > 0).sum()), int(np.sum(responses.sizes)), design, found)


def _clusters(table: ResponseTable, cluster: str) -> ItemClusters:
    names, codes = cluster_codes(table.groups, cluster)
    sizes = np.bincount(codes)
    return ItemClusters(cluster, names.size, (int(sizes.min()), int(np.median(sizes)), int(sizes.max())))


def _conclusions(part: SourceDescription) -> list[str]:
    """Return how many raters judged how many items, and what that means for comparisons."""
    design, name = part.design, part.name
    if design.kind == "unknown":
        if design.raters_per_item[2] == 1:
            return []
        return [
            f"{name}: several responses per item, but no rater ids. Each response counts as another rater's, so "
            "results are too certain if raters judged many items."
        ]
    if design.n_raters == 1:
        return [f"{name}: one rater. Results hold for this rater only."]
    if design.kind == "nested":
        return [f"{name}: {design.n_raters:,} raters judged one item each, so resampling items resamples raters too."]
    if design.load < LOAD:
        return [
            f"{name}: {design.n_raters:,} raters judged hardly more than one item each; compare resamples items only."
        ]
    much = "many" if design.items_per_rater[1] >= MANY else "several"
    how = (
        "compare treats them as a random factor."
        if design.n_raters >= FEW_RATERS
        else "the verdict of compare holds for these raters, because so few say little about others."
    )
    line = f"{name}: {design.n_raters:,} raters judged {much} items each; {how}"
    if part.agreement is None:
        return [line]
    alpha = part.agreement["krippendorff_alpha"]
    return [f"{line} {alpha.title} {with_interval(alpha.value, alpha.confidence_interval)}."]


def _pairing(overlaps: Sequence[SharedRaters]) -> list[str]:
    if not overlaps:
        return []
    least = min(overlaps, key=lambda found: found.cells)
    if least.cells > 0.999:
        return ["The same raters judged the same items of all these sources, so comparisons are paired by rater."]
    return [f"Any two of the sources share at least {100 * least.cells:.0f}% of their (item, rater) pairs."]


def _about_clusters(clusters: ItemClusters) -> str:
    few, median, most = clusters.items_per_cluster
    each = f"{median}" if few == most else f"{few} to {most}"
    return (
        f"{clusters.n_clusters} clusters ({clusters.column}) of {each} items each; compare with the same `cluster` "
        "resamples whole clusters."
    )


def _notes(sources: Sequence[SourceDescription]) -> list[str]:
    """Return the notes on agreement, with the source where several have some."""
    rated = [part.agreement for part in sources if part.agreement is not None]
    if len(rated) < 2:
        return [note for one in rated for note in one.notes]
    named = [(note, f"{one.source}: {note}") for one in rated for note in one.notes]
    return [Caution(text) if isinstance(note, Caution) else text for note, text in named]
