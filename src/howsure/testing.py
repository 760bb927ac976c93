"""Contracts as tests that extensions run: give them your object, and they say which law it breaks.

Each check raises an `AssertionError` with one sentence, so it can be called from any test suite.
"""

import random
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from howsure import _json, _random
from howsure.comparison import Procedure
from howsure.comparison.comparing import gather_rows
from howsure.comparison.gathering import Shared
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import KINDS, FloatArray, Scale
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError, DataError
from howsure.inference import ALTERNATIVES
from howsure.inference.evidence import Evidence
from howsure.intervals import Interval
from howsure.io.readers.base import Glance, Header, Reader
from howsure.io.readers.known import READERS, rows_of
from howsure.metrics import AdditiveMetric, Metric, RelativeMetric, resolve
from howsure.models import ResponseModel
from howsure.nulls import Null
from howsure.resampling import Scheme, Stack, summaries_of

N_DRAWS, N_ITEMS = 4, 12
TOLERANCE = 1e-9
"""Laws hold up to rounding: the same numbers added in another order differ in their last bits."""


CHANGES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "scale": lambda values: 3.0 * values,
    "line": lambda values: 3.0 * values + 2.0,
    "magnitude": lambda values: values + values**3,
}
"""What may be done to a model's answers where a metric ignores this; each includes those before."""


def check_metric(metric: Metric, *, rng: _random.Rng = 0) -> None:
    """Check the laws that resampling and reports rely on, on every kind of scale that the metric takes.

    * leading axes are draws, and a draw's score does not depend on the draws beside it;
    * swapping A and B flips the advantage; a positive advantage means that A is better, as `better` says;
    * a model that answers exactly as gold does is not worse than another;
    * the order of the items does not matter, nor do other items to an item's advantage if the metric is additive;
    * a metric that is blind to labels does not look at which label is which, nor at labels that nobody gave;
    * item scores are the power of the distance from gold that `error_power` says, where it says one;
    * what `ignores` says is ignored, what is not said is not, and `swappable` gives the same scores as the answers;
    * data are not written to.

    Examples
    --------
    >>> from howsure.metrics import FunctionMetric
    >>> check_metric(FunctionMetric(lambda gold, model: abs(gold - model).max(), better="lower"))
    >>> check_metric(FunctionMetric(lambda gold, model: abs(gold - model).max(), better="higher"))
    Traceback (most recent call last):
    ...
    AssertionError: <lambda>: a model that answers as gold does is worse than another; is `better` right?
    """
    _check_words(metric)
    seed = _random.seed_of(rng)
    checked = 0
    for kind in (*KINDS, "binary"):
        if kind == "binary" and checked:
            continue  # only metrics that take nothing but 0 and 1 are checked on these
        contests = [_contest(kind, _random.generator(seed, "check_metric", kind, draw)) for draw in range(N_DRAWS)]
        try:
            bound = metric.on(contests[0].scale)
        except ArgumentError:
            continue
        known = kind in metric.kinds or (kind == "binary" and "ordinal" in metric.kinds)
        _require(known, metric, f"it takes a {kind} scale, which is not among its `kinds`")
        _check_draws(bound, contests)
        checked += 1
    _require(checked > 0, metric, "it takes none of the scales among its `kinds`")


def _check_words(metric: Metric) -> None:
    for name in ("name", "title"):
        text = getattr(metric, name, None)
        _require(isinstance(text, str) and bool(text), metric, f"`{name}` must be a text that is not empty")
    _require(metric.better in ("lower", "higher"), metric, "`better` must be 'lower' or 'higher'")
    _require(metric.needs in ("means", "counts", "sorted", "values"), metric, "`needs` must name a summary")
    _require(bool(metric.kinds) and set(metric.kinds) <= set(KINDS), metric, "`kinds` must name kinds of scales")
    for trait, kind in (("additive", AdditiveMetric), ("relative", RelativeMetric)):
        holds = getattr(metric, trait) == isinstance(metric, kind)
        _require(holds, metric, f"`{trait}` must be true of each {kind.__name__}, and only of those")


def _check_draws(metric: Metric, contests: list[Contest]) -> None:
    batch = [_stack(side) for side in zip(*(summaries_of(contest, metric.needs) for contest in contests), strict=True)]
    gold, a, b = batch
    advantage = _advantage(metric, gold, a, b)
    _require(
        advantage.shape == (N_DRAWS,), metric, f"{N_DRAWS} draws must give {N_DRAWS} advantages, not {advantage.shape}"
    )

    single = np.array([float(_advantage(metric, gold[d], a[d], b[d])) for d in range(N_DRAWS)])
    _same(advantage, single, metric, "the advantage of a resample depends on the other resamples")
    _same(
        _advantage(metric, gold[0], a, b)[:1], single[:1], metric, "gold that all resamples share changes the advantage"
    )
    _same(_advantage(metric, gold, b, a), -advantage, metric, "swapping A and B does not flip the advantage")
    alike = _advantage(metric, gold, a, a)
    _same(alike, np.where(np.isnan(alike), np.nan, 0.0), metric, "identical models differ")

    of_a, of_b = metric.scores(gold, a, b)
    signed = of_a - of_b if metric.better == "higher" else of_b - of_a
    _same(advantage, signed, metric, "the advantage is not the difference of the scores, positive when A is better")

    order = np.random.default_rng(0).permutation(N_ITEMS)
    moved = [side[:, order] for side in batch]
    _same(_advantage(metric, *moved), advantage, metric, "the order of the items changes the advantage")

    if metric.label_blind:
        turned = [np.roll(np.concatenate([side, np.zeros_like(side[..., :1])], axis=-1), 2, axis=-1) for side in batch]
        _same(_advantage(metric, *turned), advantage, metric, "it is said to be blind to labels but depends on which")

    if metric.gold_free:
        _same(_advantage(metric, None, a, b), advantage, metric, "it is said to be gold-free but depends on gold")
    else:
        perfect = _advantage(metric, gold, gold, b)
        worse = bool((perfect < -TOLERANCE).any())
        _require(not worse, metric, "a model that answers as gold does is worse than another; is `better` right?")

    _check_ignored(metric, gold, a, b, advantage)

    if isinstance(metric, AdditiveMetric):
        of_items = metric.item_advantages(gold, a, b)
        _require(of_items.shape == (N_DRAWS, N_ITEMS), metric, "item advantages must have the shape (draws, items)")
        _same(of_items.mean(axis=-1), advantage, metric, "the advantage is not the mean of the item advantages")
        few = [side[:, 3:7] for side in batch]
        _same(metric.item_advantages(*few), of_items[:, 3:7], metric, "an item's advantage depends on other items")
        _require(
            bool((np.abs(of_items) <= metric.span + TOLERANCE).all()), metric, "an item's advantage exceeds `span`"
        )
        if metric.error_power:
            far, near = (np.abs(model - gold) ** metric.error_power for model in (b, a))
            _same(of_items, far - near, metric, "its item scores are not the power of the distance that it says")


def _check_ignored(metric: Metric, gold: FloatArray, a: FloatArray, b: FloatArray, advantage: FloatArray) -> None:
    """Check that exactly what `ignores` says is ignored: the p-value swaps what the metric looks at."""
    for ignored, change in CHANGES.items():
        if metric.needs == "counts" or (ignored == "magnitude" and metric.needs != "means"):
            continue
        changed = _advantage(metric, gold, a, change(b))
        if metric.ignores and [*CHANGES].index(ignored) <= [*CHANGES].index(metric.ignores):
            _same(changed, advantage, metric, f"it is said to ignore a model's {metric.ignores} but does not")
        elif not np.isnan(advantage).all():
            said = f"it ignores the {ignored} of a model's answers: say ignores = {ignored!r}"
            _require(not _close(changed, advantage), metric, said)
    seen = _advantage(metric, gold, *metric.swappable(gold, a, b))
    _same(seen, advantage, metric, "`swappable` does not give the scores of the answers")


def _contest(kind: str, rng: np.random.Generator) -> Contest:
    """Return a contest whose A is better than its B and whose items have different numbers of responses."""
    truth = rng.uniform(0.2, 0.8, size=(N_ITEMS, 1))
    sides = []
    for noise in (0.1, 0.15, 0.3):
        values = np.clip(truth + noise * rng.normal(size=(N_ITEMS, 4)), 0.0, 1.0)
        if kind != "continuous":
            values = np.round((1 if kind == "binary" else 4) * values)
        values[::3, -1] = np.nan
        sides.append(values)
    if kind != "continuous":
        for side in sides:
            side[:5, 0] = np.arange(5) % 2 if kind == "binary" else range(5)  # every contest has every level
    return Contest.from_arrays(*sides, scale="ordinal" if kind == "binary" else kind)


def _stack(side: tuple[FloatArray, ...]) -> FloatArray:
    stacked = np.stack(side)
    stacked.flags.writeable = False
    return stacked


def _advantage(metric: Metric, gold: Any, a: FloatArray, b: FloatArray) -> FloatArray:
    try:
        return np.asarray(metric.advantage(gold, a, b), dtype=np.float64)
    except ValueError as error:
        if "read-only" in str(error):
            raise AssertionError(f"{metric.name}: it writes to its data") from error
        raise


def _same(found: FloatArray, expected: FloatArray, metric: Metric, broken: str) -> None:
    _require(np.shape(found) == np.shape(expected) and _close(found, expected), metric, broken)


def _close(found: FloatArray, expected: FloatArray) -> bool:
    return np.allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)


def _require(holds: bool, subject: Metric | Reader | str, broken: str) -> None:
    if not holds:
        raise AssertionError(f"{getattr(subject, 'name', subject)}: {broken}")


def check_model(model: ResponseModel, *, rng: _random.Rng = 0) -> None:
    """Check the laws that simulation, planning and audits rely on.

    * `draw` gives a summary for every data set and item, of the shape that `needs` asks for, on the model's scale;
    * the same `rng` gives the same bits, and data sets differ;
    * means, counts and single responses have the same distribution, whichever is drawn;
    * A answers as gold does; so does B without a perturbation, and with one it is further from gold;
    * null data exchange A and B;
    * `to_dict` gives what JSON can hold.

    Laws about chance are checked at six standard errors: a model that keeps them fails once in a billion.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from howsure.models import CategoricalModel, preset
    >>> check_model(preset("normal"))
    >>> @dataclass(frozen=True)
    ... class Shy(CategoricalModel):
    ...     def draw(self, n_data_sets, n_items, *, rng=None, **design):
    ...         return super().draw(n_data_sets, n_items, rng=None, **design)
    >>> check_model(Shy((1.0, 2.0)))
    Traceback (most recent call last):
    ...
    AssertionError: Shy: the same `rng` gives different data
    """
    name = type(model).__name__
    _require(isinstance(model, ResponseModel), name, "it is not a ResponseModel")
    kind = getattr(model, "kind", None)
    _require(isinstance(kind, str) and bool(kind), name, "`kind` must be a text that is not empty")
    _require(isinstance(model.scale, Scale), name, "`scale` must be a Scale")
    try:
        _json.dumps(model.to_dict())
    except (TypeError, ValueError) as error:
        raise AssertionError(f"{name}: `to_dict` gives what JSON cannot hold: {error}") from error
    seed = _random.seed_of(rng)
    needs: list[Needs] = ["values", "sorted"]
    needs += ["counts"] if model.scale.levels else []
    needs += ["means"] if model.scale.kind != "nominal" else []
    drawn = {need: _drawn(model, need, seed) for need in needs}
    _check_shapes(name, model.scale, drawn)
    for need in needs:
        for who, *both in zip(SOURCES, drawn[need], drawn["values"], strict=True):
            found, expected = (_moments(side, of, model.scale) for side, of in zip(both, (need, "values"), strict=True))
            _alike(name, found, expected, f"{need} and single responses of {who} are distributed differently")
    _check_sources(name, model, seed, drawn["values"])


SOURCES = ("gold", "A", "B")
N_SETS, N_SIMULATED, N_GIVEN = 150, 30, 4
MANY_ERRORS = 6.0


def _drawn(model: ResponseModel, needs: Needs, seed: np.random.SeedSequence, **how: Any) -> tuple[FloatArray, ...]:
    drawn, again = (
        model.draw(N_SETS, N_SIMULATED, n_responses=N_GIVEN, needs=needs, rng=stream, **how)
        for stream in (_random.generator(seed, "check_model", needs) for _ in range(2))
    )
    same = len(drawn) == 3 and all(np.array_equal(one, other) for one, other in zip(drawn, again, strict=True))
    _require(same, type(model).__name__, "the same `rng` gives different data")
    return drawn


def _check_shapes(name: str, scale: Scale, drawn: dict[Needs, tuple[FloatArray, ...]]) -> None:
    wide = {"means": (), "counts": (len(scale.levels),)}
    for needs, sources in drawn.items():
        shape = (N_SETS, N_SIMULATED, *wide.get(needs, (N_GIVEN,)))
        for who, found in zip(SOURCES, sources, strict=True):
            _require(found.shape == shape, name, f"{needs} of {who} must have the shape {shape}, not {found.shape}")
            _require(bool(np.isfinite(found).all()), name, f"{needs} of {who} must be finite")
            _require(np.unique(found, axis=0).shape[0] > 1, name, f"all data sets of {who} are the same")
            if needs == "counts":
                _require(
                    bool((found.sum(axis=-1) == N_GIVEN).all()), name, f"counts of {who} must add up to the responses"
                )
            elif needs in ("values", "sorted") and scale.levels:
                _require(bool(np.isin(found, scale.levels).all()), name, f"{who} answers beside the scale")
            if needs == "sorted":
                _require(bool((np.diff(found, axis=-1) >= 0).all()), name, f"sorted responses of {who} must ascend")


def _moments(found: FloatArray, needs: Needs, scale: Scale) -> FloatArray:
    """Return, for each data set, the mean over items of each response and of the squared item mean."""
    if scale.kind == "nominal":
        shares = (
            found / N_GIVEN if needs == "counts" else np.stack([(found == x).mean(axis=-1) for x in scale.levels], -1)
        )
        return np.concatenate([shares.mean(axis=1), np.square(shares).mean(axis=1)], axis=-1)
    if needs == "counts":
        found = found @ np.array(scale.levels) / N_GIVEN
    means = found if found.ndim == 2 else found.mean(axis=-1)
    return np.stack([means.mean(axis=1), np.square(means).mean(axis=1)], axis=-1)


def _alike(name: str, one: FloatArray, other: FloatArray, broken: str) -> None:
    """Require that the data sets have the same means, within many standard errors."""
    apart = np.abs(one.mean(axis=0) - other.mean(axis=0))
    error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / N_SETS)
    _require(bool((apart <= MANY_ERRORS * error + TOLERANCE).all()), name, broken)


def _check_sources(
    name: str, model: ResponseModel, seed: np.random.SeedSequence, drawn: tuple[FloatArray, ...]
) -> None:
    """Check how A and B stand to gold, and to each other in null data."""
    try:
        worse = _drawn(model, "values", seed, epsilon=0.5)
    except ArgumentError:
        return  # real answers of A and B: nothing is perturbed
    gold, a, b = (_moments(source, "values", model.scale) for source in drawn)
    _alike(name, a, gold, "A does not answer as gold does")
    _alike(name, b, gold, "B does not answer as gold does, though nothing is perturbed")
    far = _distance(worse[2], worse[0], model.scale) - _distance(worse[1], worse[0], model.scale)
    _require(far.mean() > 0, name, "B is not further from gold than A where it is perturbed")
    null = _drawn(model, "values", seed, epsilon=0.5, null=True)
    null_a, null_b = (_moments(source, "values", model.scale) for source in null[1:])
    _alike(name, null_a, null_b, "null data do not exchange A and B")


def _distance(model: FloatArray, gold: FloatArray, scale: Scale) -> FloatArray:
    """Return how far the item's answers are from gold's, on average over the items of each data set."""
    if scale.levels:
        apart = [np.abs((model == x).mean(axis=-1) - (gold == x).mean(axis=-1)) for x in scale.levels]
        return np.asarray(np.sum(apart, axis=0).mean(axis=1))
    return np.asarray(np.abs(model.mean(axis=-1) - gold.mean(axis=-1)).mean(axis=1))


def check_interval(kind: Interval, *, rng: _random.Rng = 0) -> None:
    """Check what comparisons, audits and reports rely on, on ordinary rows of evidence and on odd ones.

    * it has a name and words, and says what it needs where it needs something;
    * a row's interval does not depend on the rows beside it;
    * exchanging A and B mirrors the interval, and other units only stretch it;
    * a higher level gives an interval that holds the lower one's;
    * what is undefined is NaN at both ends, and a note says why.

    Examples
    --------
    >>> from howsure.intervals import INTERVALS
    >>> check_interval(INTERVALS["symmetric"])
    """
    needs = kind.items_alone or kind.item_scores
    _require(bool(kind.name and kind.says), kind.name, "`name` and `says` must be given")
    _require(bool(kind.needs) or not needs, kind.name, "`needs` must say in words what it needs")
    stream = np.random.default_rng(_random.seed_of(rng))
    items = np.concatenate([stream.normal(0.3, 1, (3, 24)), stream.choice([-1.0, 0.0, 1.0], (2, 24))])
    odd = np.stack([np.zeros(24), np.full(24, 0.5), np.where(np.arange(24) == 3, np.nan, 1.0)])
    known = _resampled(np.concatenate([items, odd]), stream)
    for side in ALTERNATIVES:
        asked = {"two-sided": (0, 1), "greater": (0,), "less": (1,)}[side]
        low, high, notes = kind.ends(known, 0.95, side)
        for i in range(len(known)):
            alone = kind.ends(known.row(i), 0.95, side)
            ends = (low[i : i + 1], high[i : i + 1]), (alone.low, alone.high)
            same = all(_close(ends[0][end], ends[1][end]) for end in asked) and alone.notes[0] == notes[i]
            _require(same, kind.name, "a row's interval depends on the rows beside it")
            undefined = bool(np.isnan((low, high)[asked[0]][i]))
            _require(bool(notes[i]) or not undefined, kind.name, "an undefined interval needs a note that says why")
        other = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[side]
        mirrored = kind.ends(_stretched(known, -1.0), 0.95, other)[:2]
        larger = kind.ends(_stretched(known, 3.0), 0.95, side)[:2]
        wider = kind.ends(known, 0.99, side)[:2]
        for end in asked:
            own = (low, high)[end]
            _require(_close(-own, mirrored[1 - end]), kind.name, "exchanging A and B must mirror the interval")
            _require(_close(3.0 * own, larger[end]), kind.name, "other units must only stretch the interval")
            outside = wider[end] <= own + TOLERANCE if end == 0 else wider[end] >= own - TOLERANCE
            _require(bool((outside | np.isnan(own)).all()), kind.name, "a higher level must give a wider interval")


def check_null(null: Null, *, rng: _random.Rng = 0) -> None:
    """Check what comparisons, audits, plans and reports rely on, on simulated data sets.

    * it has a name and words, and some scheme that it does not refuse;
    * p-values lie between 0 and 1, and the two-sided one is no smaller than the smaller one-sided one;
    * a row's p-value does not depend on the rows beside it;
    * exchanging A and B exchanges the two sides.

    Examples
    --------
    >>> from howsure.nulls import NULLS
    >>> check_null(NULLS["sign-flip"])
    """
    _require(bool(null.name and null.says and null.account), null.name, "`name`, `says` and `account` must be given")
    schemes = [
        Scheme(responses=responses, raters=raters)
        for raters in ("fixed", "random")
        for responses in ("all", "bootstrap")
    ]
    fine = [scheme for scheme in schemes if not any(rule[0] == "refuse" for rule in null.judge(scheme, (3.0, 3.0)))]
    _require(bool(fine), null.name, "it refuses every scheme")
    scheme, seed = fine[0], _random.replayable(rng)
    grids = np.random.default_rng(seed).normal(size=(3, 4, 14, 3))
    grids[1] += 0.4 * (np.arange(4) - 1)[:, np.newaxis, np.newaxis]
    if scheme.raters == "random":
        ids = np.tile(np.arange(3), (14, 1))
        items, scale = np.arange(14).astype(str), Scale("continuous")
        sides = [[Responses.from_grid(grid, ids) for grid in side] for side in grids]
        contests = [Contest(gold, a, b, scale, items) for gold, a, b in zip(*sides, strict=True)]
        stacks = [Stack(contest) for contest in contests]
    else:
        stacks = [Stack.of_grids(*grids, scale=Scale("continuous"))]
    how = Procedure(responses=scheme.responses, raters=scheme.raters, n_resamples=199, interval="percentile")

    def found(stack: Stack, side: str) -> FloatArray:
        [one] = gather_rows(stack, metrics=[resolve("mae")], procedure=how, shared=Shared(), rng=seed, null=null)
        return null.pvalues(one.evidence, side).values

    for stack in stacks:
        both, greater, less = (found(stack, side) for side in ALTERNATIVES)
        for values in (both, greater, less):
            told = bool(((values >= 0) & (values <= 1)).all())
            _require(told, null.name, "p-values of ordinary data must lie between 0 and 1")
        least = np.minimum(greater, less)
        _require(bool((both >= least - TOLERANCE).all()), null.name, "a two-sided p is below both one-sided ones")
        # A row by itself has draws of its own: five standard errors of 199 of them.
        alone = np.concatenate([found(Stack(one), "greater") for one in stack.contests])
        slack = 5 * np.sqrt(0.25 / 199) if null.counts_resamples else TOLERANCE
        _require(bool((np.abs(greater - alone) <= slack).all()), null.name, "a row's p depends on the rows beside it")
        turned = replace(stack, whole=stack.whole.having({"a": stack.whole.b, "b": stack.whole.a}))
        # Mixed responses are drawn anew; the others exchange or draw the same items.
        alike = null.narrower or _close(found(turned, "less"), greater)
        _require(alike, null.name, "exchanging A and B must exchange the sides")


def _resampled(items: FloatArray, stream: np.random.Generator) -> Evidence:
    """Return what is known of means of rows of items: 199 resamples, their errors, and the means without each item."""
    n = items.shape[1]
    drawn = items[:, stream.integers(0, n, (199, n))]
    root = np.sqrt(n)
    return Evidence(
        items.mean(axis=1),
        draws=drawn.mean(axis=2),
        standard_errors=drawn.std(axis=2, ddof=1) / root,
        errors=items.std(axis=1, ddof=1) / root,
        df=np.full(len(items), n - 1.0),
        jackknife=(items.sum(axis=1, keepdims=True) - items) / (n - 1),
        span=1.0,
        items=items,
        n_units=n,
    )


def _stretched(known: Evidence, factor: float) -> Evidence:
    size = abs(factor)
    return replace(
        known,
        estimates=factor * known.estimates,
        draws=factor * known.draws,
        standard_errors=size * known.standard_errors,
        errors=size * known.errors,
        jackknife=factor * known.jackknife,
        items=factor * known.items,
        span=size * known.span,
    )


def check_reader(reader: Reader, path: str | Path, *, n_mutations: int = 200, rng: int = 0) -> None:
    r"""Check what `read_logs` relies on, on a file of the reader's format.

    * the file is recognised, and by no other reader;
    * every row has an item, and either a value or the reason why there is none;
    * reading twice gives the same rows;
    * a damaged file gives rows or a `DataError`, never another exception.

    Examples
    --------
    >>> import tempfile
    >>> from howsure.io.readers.known import READERS
    >>> reader = next(reader for reader in READERS if reader.name == "nlpstattest")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = open(f"{folder}/scores.txt", "w").write("0.1 0.2\n0.3 0.4\n")
    ...     check_reader(reader, f"{folder}/scores.txt", n_mutations=20)
    """
    glance = Glance(Path(path))
    _require(glance.kind in reader.kinds, reader, f"its `kinds` must have {glance.kind!r}, which {path} is")
    _require(reader.recognises(glance), reader, f"it does not recognise {path}")
    others = [
        other.name
        for other in READERS
        if other is not reader and glance.kind in other.kinds and other.recognises(glance)
    ]
    _require(not others, reader, f"{path} is recognised by {', '.join(others)} as well")
    rows = list(reader.rows(glance, Header()))
    _require(bool(rows), reader, f"it finds no row in {path}")
    for row in rows:
        _require(isinstance(row.item, str) and bool(row.item), reader, f"a row has the item {row.item!r}")
        told = (row.value is None) == bool(row.lacks)
        _require(told, reader, f"item {row.item} needs a value or a reason why there is none, and not both")
    _require(list(reader.rows(Glance(Path(path)), Header())) == rows, reader, "reading twice gives different rows")
    _check_damage(reader, Path(path), n_mutations, random.Random(rng))


def _check_damage(reader: Reader, path: Path, n_mutations: int, dice: random.Random) -> None:
    whole = path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        for _ in range(n_mutations):
            start = dice.randrange(len(whole))
            stop = start + dice.choice((0, 1, 4, len(whole)))
            copy.write_bytes(whole[:start] + dice.choice((b"", b"null", b"[", b'"', b"\xff", b"-1")) + whole[stop:])
            try:
                list(rows_of(reader, Glance(copy), Header()))
            except DataError:
                continue
            except Exception as error:
                raise AssertionError(f"{reader.name}: a damaged file raises {type(error).__name__}: {error}") from error
