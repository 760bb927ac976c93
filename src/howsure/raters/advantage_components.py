"""Where the uncertainty of an advantage comes from, and what it would shrink to with more items, raters or repeats."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from howsure import _check, _matrices
from howsure.data.contests import Contest
from howsure.data.responses import Responses, cluster_codes
from howsure.data.scales import FloatArray, IntArray
from howsure.data.summaries import lean
from howsure.documents import Block, Column, Document, Heading, Sentence, Table, details
from howsure.documents.numbers import as_error, measured, number, rough
from howsure.errors import ArgumentError, DataError
from howsure.inference import ConfidenceInterval
from howsure.inference.combined_error import CombinedError
from howsure.metrics import AdditiveMetric, Metric, resolve
from howsure.raters.advantage_error import curved_error, curved_parts, largest
from howsure.raters.components import OneWay, TwoWay, components_of, one_way
from howsure.raters.design import rated
from howsure.records import Record
from howsure.resampling import cell_table, cluster_sums, summaries_of
from howsure.wording.estimates import ci_column

FEW_CLUSTERS = 10

TITLES = {
    "clusters": "clusters",
    "items": "items",
    "raters": "raters",
    "residual": "items × raters and noise",
    "repeats_a": "repeats of A",
    "repeats_b": "repeats of B",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvantageComponents(Record):
    """Variance components of an advantage: what one item, one rater, one response more or less would change.

    Attributes
    ----------
    metric : str
    advantage : float
    components : mapping of str to float
        "items", "raters", "residual" (what a rater says about one item beyond both), "repeats_a" and "repeats_b" (one
        response of a model without raters), and "clusters" where items come in clusters: "items" are then those of one
        cluster. A negative estimate means "near zero"; NaN where the data cannot tell it from another component.
    intervals : mapping of str to ConfidenceInterval
    n_items, n_raters : int
    raters_per_item : float
    n_repeats : mapping of str to float
        Responses per item of A and of B, where they have no raters.
    dfs : mapping of str to float
        The degrees of freedom of each component's estimate.
    largest : float
        The largest advantage that these A and B could have with any gold; infinite for metrics without a maximum.
    counts : bool
        Whether the metric counts items: its residual comes from items that change sides.
    curved : bool
        Whether the metric is not a mean of responses.
    notes : tuple of str
    names : tuple of str
        What gold, A and B are called.
    n_clusters : int
        0 where items stand alone.
    items_per_cluster : float
        Items of the cluster that an item is in, on average over items: large clusters weigh more in the error.
    """

    derived: ClassVar[tuple[str, ...]] = ("decision_study",)

    metric: str
    advantage: float
    components: Mapping[str, float]
    intervals: Mapping[str, ConfidenceInterval]
    n_items: int
    n_raters: int
    raters_per_item: float
    n_repeats: Mapping[str, float]
    dfs: Mapping[str, float]
    largest: float = math.inf
    counts: bool = False
    curved: bool = False
    notes: tuple[str, ...] = ()
    names: tuple[str, str, str] = ("", "A", "B")
    n_clusters: int = 0
    items_per_cluster: float = math.nan

    @property
    def sides(self) -> float:
        """The data's raters per item where items that change sides are the residual, else 0; see `judgements`."""
        return self.raters_per_item if self.counts else 0.0

    def variances(
        self,
        *,
        n_items: int | None = None,
        n_raters: int | None = None,
        raters_per_item: int | None = None,
        n_repeats: int | None = None,
        n_clusters: int | None = None,
    ) -> dict[str, float]:
        """Return what each component adds to the squared standard error of another design; what is left out stays.

        Each item is judged by `raters_per_item` of `n_raters` raters. When only `n_raters` is given, items keep their
        number of raters, or all judge every item if that is how the data are. Other items come in clusters like these,
        unless `n_clusters` says in how many.
        """
        n = n_items or self.n_items
        r = n_raters or self.n_raters
        crossed = math.isclose(self.raters_per_item, self.n_raters)
        per = raters_per_item or (r if crossed else self.raters_per_item)
        if self.n_raters and per > r:
            raise ArgumentError(f"`raters_per_item` must not exceed the number of raters, {r}; got {per:g}.")
        known = {name: max(0.0, part) for name, part in self.components.items() if not math.isnan(part)}
        found = {"items": known.get("items", 0.0) / n}
        if self.n_clusters:
            grown = n / self.n_items if n_clusters is None else n_clusters / self.n_clusters
            effective = self.n_items / self.items_per_cluster * grown  # clusters of equal size with the same error
            found = {"clusters": known.get("clusters", 0.0) / effective, **found}
        if self.n_raters:
            found |= {
                "raters": known.get("raters", 0.0) / r,
                "residual": known.get("residual", 0.0) / (n * judgements(per, self.sides)),
            }
        for role, k in self.n_repeats.items():
            found[f"repeats_{role}"] = known.get(f"repeats_{role}", 0.0) / (n * (n_repeats or k))
        return found

    def standard_error(self, **design: int | None) -> float:
        """Return the standard error that another design would have (a decision study); see `variances`."""
        return math.sqrt(sum(self.variances(**design).values()))

    @property
    def decision_study(self) -> list[dict[str, Any]]:
        """What the standard error would be with more items, raters or repeats, and which parts it has.

        One entry for the data as they are and one for each change: `change`, `standard_error`, and `shares`, the part
        of each component in its square.
        """
        changes: dict[str, dict[str, int | None]] = {"present design": {}}
        for factor, word in ((2, "twice"), (10, "ten times")):
            if self.n_clusters:
                changes[f"{word} the clusters"] = {"n_items": factor * self.n_items}
                changes[f"{word} the items of each cluster"] = {
                    "n_items": factor * self.n_items,
                    "n_clusters": self.n_clusters,
                }
            else:
                changes[f"{word} the items"] = {"n_items": factor * self.n_items}
            if self.n_raters:
                changes[f"{word} the raters"] = {"n_raters": factor * self.n_raters}
            if self.n_repeats:
                changes[f"{word} the repeats"] = {"n_repeats": round(factor * max(self.n_repeats.values()))}
        found = []
        for change, design in changes.items():
            parts = self.variances(**design)
            total = sum(parts.values())
            shares = {name: part / total if total > 0 else math.nan for name, part in parts.items()}
            found.append({"change": change, **design, "standard_error": math.sqrt(total), "shares": shares})
        return found

    def document(self) -> Document:
        """Return the parts of the error, each component with its interval, and what more of each would bring."""
        return Document("Sources of error of the difference", blocks(self), self.notes)


@_matrices.on_one_thread
def variance_components(
    contest: Contest | Any,
    *,
    a: str | None = None,
    b: str | None = None,
    gold: str | None = None,
    metric: str | Metric = "rating",
    cluster: str | None = None,
    whole_clusters: bool = False,
    confidence_level: float = 0.95,
) -> AdvantageComponents:
    """Split the uncertainty of an advantage into its parts: items, raters, repeats of the models, and the rest.

    Parameters
    ----------
    contest : Contest, or what one can be made of
        With rater ids in gold or in A and B, or with several responses of A or B, for more than one component; or a
        table, a dataframe (pandas, Polars, Arrow) or a path, with the names of the sources.
    a, b, gold : str, optional
        The sources, where `contest` is no contest yet.
    metric : str or Metric
        With item scores. The mean rating is split exactly; another metric by the pseudo-responses of its raters.
    cluster : str, optional
        A column that groups items, such as their document: what items of one group share is then a component of its
        own.
    whole_clusters : bool
        Take clusters in place of items, as `compare` does: "items" is then the variance of whole clusters.
    confidence_level : float

    Returns
    -------
    AdvantageComponents

    Examples
    --------
    >>> from howsure import Contest, Responses, Scale
    >>> raters = np.tile([0, 1], (3, 1))
    >>> a = Responses.from_grid(np.array([[5.0, 4.0], [6.0, 6.0], [7.0, 5.0]]), raters)
    >>> b = Responses.from_grid(np.array([[4.0, 4.0], [4.0, 6.0], [5.0, 4.0]]), raters)
    >>> found = variance_components(Contest(None, a, b, Scale("continuous"), np.array(["x", "y", "z"])))
    >>> round(found.components["raters"], 3), round(found.components["residual"], 3)
    (0.833, 0.167)
    """
    from howsure.io.reading import as_contest

    _check.flag("whole_clusters", whole_clusters)
    contest = as_contest(contest, a=a, b=b, gold=gold)
    chosen = resolve(metric).on(contest.scale)
    if not isinstance(chosen, AdditiveMetric):
        raise ArgumentError(f"variance components need a metric with item scores; {chosen.name!r} has none.")
    if contest.gold is None and not chosen.gold_free:
        raise ArgumentError(f"metric {chosen.name!r} needs gold: name its source with `gold`, or use 'rating'.")
    level = _check.fraction("confidence_level", confidence_level)
    if contest.n_items < 2:
        raise DataError("variance components need at least 2 items; there is 1.")
    contest = lean(contest, [chosen])
    advantages = chosen.item_advantages(*summaries_of(contest, chosen.needs))
    units = _units(contest, advantages, cluster if whole_clusters else None)
    advantages, n_units = units.advantages, units.advantages.size
    if whole_clusters:
        cluster = None
    roles = rated(contest)
    table, notes = _table(contest, chosen, units, roles)
    counts = bool(roles) and chosen.counts_items and not chosen.linear
    repeats = {
        role: _repeats(contest, chosen, role, level, units.per_unit)
        for role in ("a", "b")
        if role not in roles and _several(contest, role)
    }
    of_repeats = [(found.variance / found.n_repeats, float(found.df)) for found in repeats.values()]
    components = {"items": table.items - sum(part for part, _ in of_repeats)}
    intervals = table.intervals(confidence_level=level, within=of_repeats)
    dfs = {"items": max(1.0, n_units - 1.0)}
    grouped = None if cluster is None else _by_cluster(contest, advantages, cluster)
    if roles:
        components |= {"raters": table.raters, "residual": table.residual}
        *of_raters, of_items = table.error.dfs  # a single rater is no part of its own
        free = float(max(table.n_cells - table.n_items - table.n_raters + 1, 1))
        dfs = {"items": of_items, "raters": of_raters[0] if of_raters else 1.0, "residual": free}
    for role, found in repeats.items():
        components[f"repeats_{role}"] = found.variance
        intervals[f"repeats_{role}"] = found.interval
        dfs[f"repeats_{role}"] = float(found.df)
    if grouped is not None:
        noise = [(max(0.0, float(advantages.var(ddof=1)) - table.items), dfs["residual"])] if roles else []
        within = [*of_repeats, *noise]
        components |= {"clusters": grouped.groups, "items": grouped.within - sum(part for part, _ in within)}
        intervals |= grouped.intervals(confidence_level=level, within=within)
        dfs |= {"clusters": grouped.n_groups - 1.0, "items": float(max(1, grouped.n - grouped.n_groups))}
        if grouped.n_groups < FEW_CLUSTERS:
            notes = (*notes, f"{grouped.n_groups} clusters say little about how clusters differ.")
    elif cluster is not None:
        notes = (*notes, f"Every item is a cluster of its own ({cluster}), so clusters are not a separate component.")
    return AdvantageComponents(
        metric=chosen.name,
        advantage=float(advantages.mean()),
        components=components,
        intervals=intervals,
        n_items=n_units,
        n_raters=table.n_raters,
        raters_per_item=table.n_cells / n_units,
        n_repeats={role: found.n_repeats for role, found in repeats.items()},
        dfs=dfs,
        largest=largest(contest, chosen) if contest.gold is not None else math.inf,
        counts=counts,
        curved=not chosen.linear,
        notes=notes,
        names=contest.names,
        n_clusters=0 if grouped is None else grouped.n_groups,
        items_per_cluster=math.nan if grouped is None else grouped.per_group,
    )


@dataclass(frozen=True, slots=True)
class _AdvantageUnits:
    """What is independent: items, or whole clusters (`codes`); and how far each moves the mean over all items."""

    advantages: FloatArray
    codes: IntArray | None = None
    per_unit: float = 1.0


def _units(contest: Contest, advantages: FloatArray, cluster: str | None) -> _AdvantageUnits:
    if cluster is None:
        return _AdvantageUnits(advantages)
    _, codes = cluster_codes(contest.groups, cluster)
    sums, sizes = cluster_sums(advantages, codes)
    mean, per_unit = float(advantages.mean()), float(sizes.mean())
    return _AdvantageUnits(mean + (sums - mean * sizes) / per_unit, codes, per_unit)


def _table(
    contest: Contest, metric: AdditiveMetric, units: _AdvantageUnits, roles: Sequence[str]
) -> tuple[TwoWay, tuple[str, ...]]:
    """Return the components of items, raters and residual, and what the reader must know about them."""
    if roles:
        curved = ("The metric is not a mean of responses, so the components hold only for designs close to this one.",)
        return _two_way(contest, metric, units.codes), () if metric.linear else curved
    each = units.advantages
    variance = float(each.var(ddof=1)) if each.size > 1 else math.nan
    table = TwoWay(float(each.mean()), variance, math.nan, 0.0, each.size, 0, 0, CombinedError((), ()))
    if set(contest.names[1:]) <= set(contest.repeats):
        return table, ()
    return table, ("There are no rater ids: the variance of raters is part of the items component.",)


def _by_cluster(contest: Contest, advantages: FloatArray, cluster: str) -> OneWay | None:
    """Return what clusters share and what is left within them; None where every item is a cluster of its own."""
    names, codes = cluster_codes(contest.groups, cluster)
    return one_way(advantages, groups=codes) if names.size < advantages.size else None


def judgements(per_item: Any, sides: float) -> Any:
    """Return by how many judgements of an item the residual is divided.

    That is all of them, unless the residual comes from items that change sides. Those are the items near the border,
    and their number falls with the error of gold, so with the root of the number of judgements; `sides` is the number
    at which the residual was measured.
    """
    return np.sqrt(per_item * sides) if sides else per_item


def _two_way(contest: Contest, metric: AdditiveMetric, clusters: IntArray | None) -> TwoWay:
    """Return the components of items (or clusters), raters and residual: of the table, or of its pseudo-responses."""
    if metric.linear:
        table = cell_table(contest, metric)
        return components_of(table if clusters is None else table.by_cluster(clusters))
    parts = curved_parts(contest, metric, clusters)
    found = parts.table
    return replace(
        found,
        items=parts.n * parts.items,
        residual=found.n_cells * parts.noise,
        error=curved_error(contest, metric, clusters),
    )


def _several(contest: Contest, role: str) -> bool:
    return int(contest.sources[role].sizes.min()) > 1


@dataclass(frozen=True, slots=True)
class _Repeats:
    """The variance that one response of a model adds to its item, and how precise it is."""

    variance: float
    n_repeats: float
    df: int
    interval: ConfidenceInterval


def _repeats(contest: Contest, metric: AdditiveMetric, role: str, level: float, per_unit: float) -> _Repeats:
    """Measure what one response of a model adds to its item, or to a whole cluster of `per_unit` items."""
    from scipy.special import chdtri

    bare = {name: Responses(source.values, source.offsets) for name, source in contest.sources.items()}
    source = bare[role]
    # Every response is its own rater here, so a cell's pseudo-response is what that response says.
    bare[role] = Responses(source.values, source.offsets, np.arange(source.values.size))
    table = cell_table(replace(contest, gold=bare.get("gold"), a=bare["a"], b=bare["b"]), metric)
    means = np.bincount(table.items, table.values) / source.sizes
    rest = float(np.square(table.values - means[table.items]).sum()) / per_unit
    df = int((source.sizes - 1).sum())
    tail = (1 - level) / 2
    low, high = (rest / float(chdtri(df, p)) for p in (tail, 1 - tail))
    return _Repeats(rest / df, float(source.n_responses), df, ConfidenceInterval(low, high, "mean squares", level))


def blocks(found: AdvantageComponents) -> tuple[Block, ...]:
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


def sentence(found: AdvantageComponents) -> str:
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


def _components(found: AdvantageComponents) -> Table:
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
        ci_column(next(iter(found.intervals.values())).confidence_level),
        Column("number", "count"),
    )
    order = [name for name in TITLES if name in found.components]
    shares = found.decision_study[0]["shares"]
    rows = tuple(
        (
            TITLES[name],
            _share(shares.get(name, math.nan)),
            measured(max(found.components[name], 0.0), ends),  # a variance that is estimated below zero is near zero
            ends,
            round(counts[name]),
        )
        for name, ends in ((name, found.intervals[name]) for name in order)
    )
    return Table(columns, rows, "Components of the error variance")


def _study(found: AdvantageComponents) -> Table:
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
