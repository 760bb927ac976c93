"""How far does a model repeat itself? What runs of the same model differ by, and how many of them are enough.

A run is one response to every item. Runs of an item vary within it; items vary between each other. With n items of r
runs each, the error of a mean score is √((between + within / r) / n), and two single runs on the same items differ by
√(2 · within / n) for no reason at all: the noise floor of that model.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from howsure import _check, _matrices
from howsure._frames import in_any_form
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses, digest_of
from howsure.data.scales import FloatArray, IntArray, Scale
from howsure.data.summaries import counts, grid, means
from howsure.documents import Block, Caution, Column, Document, Sentence, Table, details
from howsure.documents.numbers import joined, rough
from howsure.errors import ArgumentError, DataError
from howsure.inference.estimate import ConfidenceInterval
from howsure.intervals import FEW_TELLING
from howsure.metrics.labels import votes
from howsure.provenance import Provenance
from howsure.records import Signed
from howsure.wording.estimates import with_interval

if TYPE_CHECKING:
    import polars

RUNS = (1, 2, 3, 5, 10, 20)
"""For so many runs per item the error of the mean is shown."""

ENOUGH = 1.05
"""Runs are enough where the error is at most this many times that of endlessly many."""

LARGEST = 0.999
"""Correlations beyond it count as this on Fisher's scale, which has no end."""

UNEVEN = 0.5
"""The noise differs by item where its degrees of freedom are fewer than this share of those of even noise."""

MOST_ITEMS = 10
"""So many items that changed are named."""


@dataclass(frozen=True, slots=True)
class ModelReliability:
    """How far one model repeats itself.

    Attributes
    ----------
    name : str
    n_items : int
    n_runs : float
        Runs per item, on average.
    score : float
        The mean over items of the mean over runs.
    per_run : tuple of float
        The score of each run, where every item has equally many.
    always, sometimes, never : float
        The shares of items that every run, some runs and no run got right; NaN where scores are not right or wrong.
    disagreement : float
        The probability that two runs of an item differ.
    within, between : float
        The variance of runs within items, and that of items beyond it.
    consistency : ConfidenceInterval
        Of the share of the variance that lies between items (the intraclass correlation of single runs).
    consistency_estimate : float
    run_df : float
        The degrees of freedom of `within`: fewer where the noise differs by item.
    """

    name: str
    n_items: int
    n_runs: float
    score: float
    per_run: tuple[float, ...]
    always: float
    sometimes: float
    never: float
    disagreement: float
    within: float
    between: float
    consistency: ConfidenceInterval
    consistency_estimate: float
    run_df: float = math.inf

    def standard_error(self, n_runs: float = math.inf, n_items: int | None = None) -> float:
        """Return the error of the score with so many runs of each item; of these items, or as many others."""
        return math.sqrt((self.between + self.within / n_runs) / (n_items or self.n_items))

    @property
    def run_sd(self) -> float:
        """The standard deviation of the score from run to run, on the same items."""
        return math.sqrt(self.within / self.n_items)

    @property
    def noise_floor(self) -> float:
        """The difference that two single runs on these items exceed in 5% of all cases, although nothing changed.

        Student's quantile, because the variance of runs is estimated: few unstable items leave few degrees of freedom.
        Right or wrong answers add half an item, because the difference moves in such steps (Yates 1934).
        """
        from scipy.special import stdtrit

        half = 0.0 if math.isnan(self.always) else 0.5 / self.n_items
        return float(stdtrit(self.run_df, 0.975)) * math.sqrt(2) * self.run_sd + (half if self.within else 0.0)

    @property
    def enough_runs(self) -> int | None:
        """The fewest runs whose error is within 5% of that of endlessly many; None where items do not differ."""
        if self.within == 0:
            return 1
        if not self.between > 0:
            return None
        return max(1, math.ceil(self.within / self.between / (ENOUGH**2 - 1) - 1e-9))


@dataclass(frozen=True, slots=True)
class ItemFlips:
    """What changed from one model (or version) to another, item by item.

    Attributes
    ----------
    a, b : str
    harmful, beneficial : float
        The share of items that a run of `a` gets right and one of `b` wrong, and the reverse.
    by_chance : float
        The share that would flip in either direction between two runs of the same model, averaged over both.
    items : tuple of (item, score of a, score of b)
        Those that changed most, harm first.
    """

    a: str
    b: str
    harmful: float
    beneficial: float
    by_chance: float
    items: tuple[tuple[str, float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability(Signed):
    """How far models repeat themselves, and what changed between two of them.

    Attributes
    ----------
    models : tuple of ModelReliability
    flips : ItemFlips or None
    right_or_wrong : bool
        Whether scores are right or wrong, so that runs can flip.
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    models: tuple[ModelReliability, ...]
    flips: ItemFlips | None
    right_or_wrong: bool
    notes: tuple[str, ...]
    provenance: Provenance

    def document(self) -> Document:
        """Return what runs differ by, what that means for single runs, and how many runs are enough."""
        blocks: list[Block] = []
        for one in self.models[:SENTENCES]:
            blocks += [Sentence(line, "verdict") for line in _sentences(one, right_or_wrong=self.right_or_wrong)]
        if self.models:
            blocks += [_stability(self.models, right_or_wrong=self.right_or_wrong), _errors(self.models)]
        blocks += _flipped(self.flips)
        return Document("How far do runs repeat themselves?", tuple(blocks), self.notes, self.signature)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each model."""
        import polars

        return polars.DataFrame([{name: getattr(one, name) for name in SHOWN} for one in self.models])


SHOWN = (
    *("name", "n_items", "n_runs", "score", "always", "sometimes", "never", "disagreement"),
    *("within", "between", "consistency_estimate", "run_sd", "noise_floor", "enough_runs"),
)
"""The columns of the frame."""

SENTENCES = 3
"""So many models have their sentences; the tables have all."""


def _sentences(one: ModelReliability, *, right_or_wrong: bool) -> list[str]:
    """Return what a reader should take away about one model."""
    if one.within == 0:
        return [f"{one.name}: the runs of an item never differ. One run per item is enough."]
    lines = []
    if right_or_wrong:
        lines.append(
            f"{one.name}: {_percent(one.sometimes)} of the items are unstable, right in some runs and wrong in others. "
            f"Consistency of single runs: {_icc_in_words(one)}."
        )
    else:
        lines.append(
            f"{one.name}: {_percent(max(one.consistency_estimate, 0.0))} of the variance of scores lies between items, "
            f"the rest between runs of the same item: {_icc_in_words(one)}."
        )
    lines.append(
        f"Two single runs of {one.name} on these items differ by up to {rough(one.noise_floor)} by chance alone (95%)."
    )
    runs = one.enough_runs
    if runs is None:
        lines.append("Items hardly differ beyond the noise of runs: more runs are worth as much as more items.")
        return lines
    now, doubled = one.standard_error(one.n_runs), one.standard_error(2 * one.n_runs)
    more = one.standard_error(one.n_runs, 2 * one.n_items)
    more_runs = "is" if runs == 1 else "are"
    lines.append(
        f"For these {one.n_items:,} items, {runs} run{'s' * (runs > 1)} per item {more_runs} enough: further runs "
        f"would reduce the standard error of the score by less than {100 * (ENOUGH - 1):.0f}%. Twice as many runs as "
        f"here would reduce it from {rough(now)} to {rough(doubled)}, twice as many items to {rough(more)}. Where "
        "items can be added, howsure plan says whether more items or more runs cost less."
    )
    return lines


def _icc_in_words(one: ModelReliability) -> str:
    """Return the intraclass correlation with its interval."""
    if math.isnan(one.consistency.low):
        return "ICC undefined"
    return f"ICC {with_interval(one.consistency_estimate, one.consistency)}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _stability(models: Sequence[ModelReliability], *, right_or_wrong: bool) -> Table:
    shares = ("always right", "sometimes", "never") if right_or_wrong else ()
    columns = [Column("model"), Column("items", "count"), Column("runs", "number")]
    # An average of several runs may be closer to gold than a run: `score` and `compare` have the average.
    columns += [Column("score" if right_or_wrong else "score of one run", "number")]
    columns += [Column(name, "number") for name in shares]
    columns += [Column("two runs differ", "number"), Column("consistency (ICC)", "number", detail=right_or_wrong)]
    rows = []
    for one in models:
        row: list[Any] = [one.name, one.n_items, f"{one.n_runs:.3g}", f"{one.score:.3f}"]
        row += [_percent(share) for share in (one.always, one.sometimes, one.never)] if right_or_wrong else []
        rows.append((*row, _percent(one.disagreement), one.consistency_estimate))
    return Table(tuple(columns), tuple(rows))


def _errors(models: Sequence[ModelReliability]) -> Table:
    columns = [Column("model"), *(Column(f"{runs}") for runs in (*RUNS, "∞"))]
    columns.append(Column("enough runs"))
    rows = [
        (
            one.name,
            *(f"{one.standard_error(runs):.3f}" for runs in (*RUNS, math.inf)),
            "–" if one.enough_runs is None else str(one.enough_runs),
        )
        for one in models
    ]
    return Table(tuple(columns), tuple(rows), "Standard error of the score by runs per item")


def _flipped(flips: ItemFlips | None) -> list[Block]:
    if flips is None:
        return []
    net = flips.beneficial - flips.harmful
    said = (
        f"From {flips.a} to {flips.b}: {_percent(flips.harmful)} of the items flip from right to wrong, "
        f"{_percent(flips.beneficial)} from wrong to right."
    )
    if not math.isnan(flips.by_chance):
        said += f" Two runs of one model flip {_percent(flips.by_chance)} of the items by chance."
    ending = f"The net change is {'+' if net >= 0 else '−'}{abs(100 * net):.1f} points; howsure compare tests it."
    columns = (Column("item"), Column(flips.a, "number"), Column(flips.b, "number"))
    table = Table(columns, tuple(flips.items), "Items that changed most, harm first")
    return [Sentence(said, "verdict"), Sentence(ending), *(details([table]) if flips.items else [])]


@_matrices.on_one_thread
def reliability_of(
    table: ResponseTable,
    *,
    gold: str | None = None,
    models: Sequence[str] = (),
    confidence_level: float = 0.95,
) -> Reliability:
    """Return how far models with repeated runs repeat themselves.

    Parameters
    ----------
    table : ResponseTable
    gold : str, optional
        Reference labels: a run is right where it equals their plurality vote; of numbers, its score is the distance.
    models : sequence of str
        Which sources; all but gold by default. Two of them are also held against each other, item by item.
    confidence_level : float
    """
    level = _check.fraction("confidence_level", confidence_level)
    names = list(dict.fromkeys(models)) or [name for name in table.sources if name != gold]
    if not names:
        raise DataError("there is no model: the data hold gold only.")
    if gold in names:
        raise ArgumentError(f"{gold!r} is gold and cannot be a model too.")
    runs = {name: _scored_runs(table, name, gold) for name in names}
    few = [name for name, (rows, _) in runs.items() if rows.shape[0] < 2]
    if few:
        raise DataError(f"reliability needs at least two items; {joined(few, 3)} has one.")
    repeated = [name for name, (rows, _) in runs.items() if (_n_runs(rows) > 1).any()]
    notes = [*table.notes]
    if not repeated and len(names) < 2:
        raise DataError(
            "reliability needs repeated runs: several responses per item, or several logs of one model with equal "
            f"settings; {joined(names, 3)} has one run. `howsure score` gives its score."
        )
    single = [name for name in names if name not in repeated]
    if single and repeated:
        notes.append(f"One run per item, so that nothing is known of their noise: {joined(single, 5)}.")
    distances = gold is not None and _are_numbers(table.scale)
    if distances:
        notes.append(f"The score of a run is its mean distance from the mean label of {gold}: lower is better.")
    known = [rows[~np.isnan(rows)] for rows, _ in runs.values()]
    right = not distances and all(bool(np.isin(values, (0.0, 1.0)).all()) for values in known)
    flips = _flips(table, names, runs) if len(names) == 2 and right else None
    if not repeated and flips is None:
        raise DataError("reliability needs repeated runs, or two models whose runs are right or wrong.")
    digest = digest_of(table.scale, {name: table.sources[name] for name in names})
    found = tuple(_reliability(name, runs[name][0], level, right) for name in repeated)
    uneven = [one.name for one in found if not right and one.run_df < UNEVEN * one.n_items * (one.n_runs - 1)]
    if uneven:
        notes.append(
            Caution(
                f"The noise of runs differs by item: {joined(uneven, 3)}. The 95% interval of consistency (ICC) then "
                "covers 90% to 93% instead of 95%."
            )
        )
    return Reliability(
        models=found,
        flips=flips,
        right_or_wrong=right,
        notes=tuple(dict.fromkeys(notes)),
        provenance=Provenance("reliability", {"gold": gold, "confidence_level": level}, None, digest),
    )


def _n_runs(rows: FloatArray) -> FloatArray:
    return np.asarray(np.count_nonzero(~np.isnan(rows), axis=1), dtype=np.float64)


def _scored_runs(table: ResponseTable, name: str, gold: str | None) -> tuple[FloatArray, IntArray]:
    """Return the score of each run of each item (NaN where there is none), and the numbers of these items."""
    source = table.source(name)
    there = source.sizes > 0
    if gold is not None:
        there &= table.source(gold).sizes > 0
    items = np.flatnonzero(there)
    if not items.size:
        raise DataError(f"{name} has no item with a response" + (" and a gold label." if gold else "."))
    rows = grid(source.take(items))
    if gold is None:
        if table.scale.kind == "nominal":
            raise ArgumentError(f"the responses are labels ({table.scale}): name the right ones with `gold`.")
        return rows, items
    reference: Responses = table.sources[gold].take(items)
    known = ~np.isnan(rows)
    if _are_numbers(table.scale):
        return np.where(known, np.abs(rows - means(reference)[:, np.newaxis]), np.nan), items
    weights = votes(counts(reference, table.scale))
    codes = table.scale.codes(np.where(known, rows, table.scale.levels[0]))
    return np.where(known, np.take_along_axis(weights, codes, axis=1), np.nan), items


def _are_numbers(scale: Scale) -> bool:
    """Whether responses have distances; of two categories, such as 0 and 1, one is right and the other wrong."""
    return scale.kind == "continuous" or (scale.kind == "ordinal" and scale.is_numeric and len(scale.levels) > 2)


def _reliability(name: str, rows: FloatArray, level: float, right_or_wrong: bool) -> ModelReliability:
    """Split the variance of the scores of runs: within items, and between items beyond that (one-way)."""
    k = _n_runs(rows)
    item_means = np.nansum(np.nan_to_num(rows), axis=1) / k
    several = k > 1
    squares = np.nansum(np.square(rows - item_means[:, np.newaxis]), axis=1)
    n, df = rows.shape[0], float((k[several] - 1).sum())
    within = float(squares[several].sum() / df)
    # The mean over items of within / k is in the variance of item means.
    seen = float(item_means.var(ddof=1))
    between = max(0.0, seen - within * float((1 / k).mean()))
    shares = [math.nan] * 3
    if right_or_wrong:
        always, never = item_means == 1, item_means == 0
        shares = [float(one.mean()) for one in (always, ~always & ~never, never)]
    per_run = tuple(rows.mean(axis=0).tolist()) if (k == rows.shape[1]).all() else ()
    estimate, ends = _icc(item_means, squares, k, level)
    if right_or_wrong:
        ends = _icc_of_shares(item_means, squares, k, estimate, level)
    return ModelReliability(
        name=name,
        n_items=n,
        n_runs=float(k.mean()),
        score=float(item_means.mean()),
        per_run=per_run,
        always=shares[0],
        sometimes=shares[1],
        never=shares[2],
        disagreement=_disagreement(rows, k),
        within=within,
        between=between,
        consistency=ends,
        consistency_estimate=estimate,
        run_df=_run_df(squares[several] / (k[several] - 1), k[several]),
    )


def _disagreement(rows: FloatArray, k: FloatArray) -> float:
    """Return how often two runs of an item differ in score, averaged over items with several runs."""
    item, run = np.nonzero(~np.isnan(rows))
    score = np.unique(rows[item, run], return_inverse=True)[1]
    pairs, alike = np.unique(item * rows.size + score, return_counts=True)
    agreeing = np.bincount(pairs // rows.size, alike * (alike - 1.0), minlength=k.size)
    several = k > 1
    return float((1 - agreeing[several] / (k * (k - 1))[several]).mean())


def _run_df(variances: FloatArray, k: FloatArray) -> float:
    """Return the degrees of freedom of the mean of the items' variances (Satterthwaite 1946, eq. 17).

    A mean with the relative variance c has 2 / c of them. Normal noise that is alike on all items has that of the
    runs, which is the most.
    """
    mean, most = float(variances.mean()), float((k - 1).sum())
    if variances.size < 2 or not mean > 0:
        return most
    relative = float(variances.var(ddof=1)) / variances.size / mean**2
    return min(most, max(1.0, 2 / relative)) if relative > 0 else most


def _icc(item_means: FloatArray, squares: FloatArray, k: FloatArray, level: float) -> tuple[float, ConfidenceInterval]:
    """Return the intraclass correlation of single runs, with the interval of a jackknife over items.

    Runs count with their harmonic mean. The jackknife is on Fisher's scale, with t on n − 1 degrees of freedom (Tukey
    1958; Arvesen 1969 for variance components). F limits assume normal scores: they cover 56% to 70% where a tenth of
    the items is hard, or noise differs by item (docs/evidence/runs.md).
    """
    from scipy.special import stdtrit

    n = k.size
    of_items = np.stack([item_means, np.square(item_means), squares, 1 / k, k])
    sums = of_items.sum(axis=1)
    undefined = ConfidenceInterval(math.nan, math.nan, "jackknife", level, ("Undefined: runs or items do not differ.",))
    if not squares.sum() > 0:
        return (1.0 if item_means.var() > 0 else math.nan), undefined
    estimate = float(_correlations(sums, n))
    left_out = _correlations(sums[:, np.newaxis] - of_items, n - 1)
    scale = np.arctanh(np.clip(left_out, -LARGEST, LARGEST))
    error = math.sqrt((n - 1) / n * float(np.square(scale - scale.mean()).sum()))
    if not (math.isfinite(error) and n > 2 and abs(estimate) < 1):
        return estimate, undefined
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error
    low, high = np.tanh(math.atanh(estimate) + np.array([-reach, reach])).tolist()
    return estimate, ConfidenceInterval(low, high, "jackknife", level)


HARD, UNSTABLE = 0.5, 0.25
"""So many items that always pass and that never pass, and so many that pass every other run, are added to the items."""


def _icc_of_shares(
    shares: FloatArray, squares: FloatArray, k: FloatArray, estimate: float, level: float
) -> ConfidenceInterval:
    """Return the interval of the intraclass correlation of runs that pass or fail; shares of passed runs by item.

    The correlation is 1 − D / M, where D is how often two runs of an item differ, and M how often two runs of different
    items do. Both are means over items, so the error on Fisher's scale follows from each item's influence. A sample may
    lack the rare item that is hard, or unstable. As in Wilson's interval of a share, half an item is added that always
    passes and half an item that never does, and a quarter of one that passes every other run. Where fewer than ten
    items are unstable, D may be as small as Clopper and Pearson's (1934) limit of their number allows. Coverage, with
    these numbers of added items: docs/evidence/runs.md.
    """
    from scipy.special import betaincinv, stdtrit

    n, mean = k.size, float(shares.mean())
    tail = (1 - level) / 2
    if n < 3 or not 0 < mean < 1:
        why = "Undefined: there are fewer than three items." if n < 3 else "Undefined: runs or items do not differ."
        return ConfidenceInterval(math.nan, math.nan, "shares", level, (why,))
    free, runs = k - 1, float(n / (1 / k).sum())
    typical = free.sum() / n
    differ = 2 * squares / typical  # an item with more runs says more about D
    added = runs / (2 * (runs - 1)) if runs > 1 else 1.0  # how often two of so many runs differ, half of which pass
    x, d = np.concatenate([shares, [0.0, 1.0, 0.5]]), np.concatenate([differ, [0.0, 0.0, added]])
    v = np.concatenate([free / typical, np.ones(3)])
    w = np.concatenate([np.ones(n), [HARD, HARD, UNSTABLE]])
    total = w.sum()
    mu, big_d = float(w @ x) / total, float(w @ d) / float(w @ v)
    m = 2 * mu * (1 - mu)
    centre = 1 - big_d / m
    influence = (2 * big_d * (1 - 2 * mu) / m * (x - mu) - (d - v * big_d)) / m
    error = math.sqrt(float(w @ np.square(influence)) / (total * (total - 1))) / (1 - min(centre**2, LARGEST**2))
    reach = float(stdtrit(n - 1, 1 - tail)) * error
    z = math.atanh(max(min(centre, LARGEST), -LARGEST))
    low, high = math.tanh(z - reach), math.tanh(z + reach)
    unstable = int(np.count_nonzero(squares))
    if unstable < FEW_TELLING:
        least = float(betaincinv(unstable, n - unstable + 1, tail)) * n / unstable if unstable else 0.0
        high = max(high, 1 - least * float(squares.sum() / free.sum()) / (mean * (1 - mean)))
    low, high = max(min(low, estimate), -1 / max(1.0, runs - 1)), max(high, estimate)
    return ConfidenceInterval(low, high, "shares", level)


def _correlations(sums: FloatArray, n: int) -> FloatArray:
    """Return the one-way intraclass correlation ICC(1) from sums over n items (Shrout and Fleiss 1979).

    The first axis of `sums`: item means, their squares, squares of runs within items, 1 / runs, and runs.
    """
    total, total_squares, squares, inverse, runs = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        within = squares / (runs - n)
        seen = (total_squares - total**2 / n) / (n - 1)
        k = n / inverse
        return np.asarray((k * seen - within) / (k * seen + (k - 1) * within))


def _flips(table: ResponseTable, names: Sequence[str], runs: dict[str, tuple[FloatArray, IntArray]]) -> ItemFlips:
    """Return what changed from the first model to the second on the items that both have."""
    (rows_a, items_a), (rows_b, items_b) = (runs[name] for name in names)
    common, of_a, of_b = np.intersect1d(items_a, items_b, return_indices=True)
    if not common.size:
        raise DataError(f"{names[0]} and {names[1]} have no item in common.")
    rights = []
    noise = []
    for rows in (rows_a[of_a], rows_b[of_b]):
        k = _n_runs(rows)
        share = np.nansum(np.nan_to_num(rows), axis=1) / k
        rights.append(share)
        unbiased = share * (1 - share) * np.divide(k, k - 1, out=np.full_like(k, np.nan), where=k > 1)
        noise.append(2 * float(np.nanmean(unbiased)) if (k > 1).any() else math.nan)
    a, b = rights
    change = b - a
    order = np.argsort(change, kind="stable")
    order = np.concatenate([order[change[order] < 0], order[::-1][change[order[::-1]] > 0]])[:MOST_ITEMS]
    chance = float(np.nanmean(noise)) if not all(map(math.isnan, noise)) else math.nan
    return ItemFlips(
        a=names[0],
        b=names[1],
        harmful=float((a * (1 - b)).mean()),
        beneficial=float(((1 - a) * b).mean()),
        by_chance=chance,
        items=tuple((str(table.items[common[i]]), float(a[i]), float(b[i])) for i in order.tolist()),
    )
