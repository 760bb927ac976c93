"""Contracts as tests that extensions run: give them your object, and they say which law it breaks.

Each check raises an `AssertionError` with one sentence, so it can be called from any test suite.
"""

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from assay import _random
from assay.errors import ArgumentError, DataError
from assay.io.readers.base import Glance, Header, Reader
from assay.io.readers.known import READERS, rows_of
from assay.metrics import AdditiveMetric, Metric, RelativeMetric
from assay.resampling import summaries_of
from assay.responses import Contest
from assay.scales import KINDS, FloatArray

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
    * swapping A and B flips the contrast; a positive contrast means that A is better, as `better` says;
    * a model that answers exactly as gold does is not worse than another;
    * the order of the items does not matter, nor do other items to an item's contrast if the metric is additive;
    * what `ignores` says is ignored, what is not said is not, and `seen` gives the same scores as the answers;
    * data are not written to.

    Examples
    --------
    >>> from assay.metrics import FunctionMetric
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
    contrast = _contrast(metric, gold, a, b)
    _require(
        contrast.shape == (N_DRAWS,), metric, f"{N_DRAWS} draws must give {N_DRAWS} contrasts, not {contrast.shape}"
    )

    single = np.array([float(_contrast(metric, gold[d], a[d], b[d])) for d in range(N_DRAWS)])
    _same(contrast, single, metric, "the contrast of a draw depends on the draws beside it")
    _same(_contrast(metric, gold[0], a, b)[:1], single[:1], metric, "gold that all draws share changes the contrast")
    _same(_contrast(metric, gold, b, a), -contrast, metric, "swapping A and B does not flip the contrast")
    alike = _contrast(metric, gold, a, a)
    _same(alike, np.where(np.isnan(alike), np.nan, 0.0), metric, "identical models differ")

    of_a, of_b = metric.scores(gold, a, b)
    signed = of_a - of_b if metric.better == "higher" else of_b - of_a
    _same(contrast, signed, metric, "the contrast is not the difference of the scores, positive when A is better")

    order = np.random.default_rng(0).permutation(N_ITEMS)
    moved = [side[:, order] for side in batch]
    _same(_contrast(metric, *moved), contrast, metric, "the order of the items changes the contrast")

    if metric.gold_free:
        _same(_contrast(metric, None, a, b), contrast, metric, "it is said to be gold-free but depends on gold")
    else:
        perfect = _contrast(metric, gold, gold, b)
        worse = bool((perfect < -TOLERANCE).any())
        _require(not worse, metric, "a model that answers as gold does is worse than another; is `better` right?")

    _check_ignored(metric, gold, a, b, contrast)

    if isinstance(metric, AdditiveMetric):
        of_items = metric.item_contrasts(gold, a, b)
        _require(of_items.shape == (N_DRAWS, N_ITEMS), metric, "item contrasts must have the shape (draws, items)")
        _same(of_items.mean(axis=-1), contrast, metric, "the contrast is not the mean of the item contrasts")
        few = [side[:, 3:7] for side in batch]
        _same(metric.item_contrasts(*few), of_items[:, 3:7], metric, "an item's contrast depends on other items")
        _require(bool((np.abs(of_items) <= metric.span + TOLERANCE).all()), metric, "an item's contrast exceeds `span`")


def _check_ignored(metric: Metric, gold: FloatArray, a: FloatArray, b: FloatArray, contrast: FloatArray) -> None:
    """Check that exactly what `ignores` says is ignored: the p-value swaps what the metric looks at."""
    for ignored, change in CHANGES.items():
        if metric.needs == "counts" or (ignored == "magnitude" and metric.needs != "means"):
            continue
        changed = _contrast(metric, gold, a, change(b))
        if metric.ignores and [*CHANGES].index(ignored) <= [*CHANGES].index(metric.ignores):
            _same(changed, contrast, metric, f"it is said to ignore a model's {metric.ignores} but does not")
        elif not np.isnan(contrast).all():
            differs = not np.allclose(changed, contrast, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
            _require(differs, metric, f"it ignores the {ignored} of a model's answers: say ignores = {ignored!r}")
    seen = _contrast(metric, gold, metric.seen(a), metric.seen(b))
    _same(seen, contrast, metric, "`seen` does not give the scores of the answers")


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


def _contrast(metric: Metric, gold: Any, a: FloatArray, b: FloatArray) -> FloatArray:
    try:
        return np.asarray(metric.contrast(gold, a, b), dtype=np.float64)
    except ValueError as error:
        if "read-only" in str(error):
            raise AssertionError(f"{metric.name}: it writes to its data") from error
        raise


def _same(found: FloatArray, expected: FloatArray, metric: Metric, broken: str) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    alike = found.shape == expected.shape and np.allclose(
        found, expected, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True
    )
    _require(alike, metric, broken)


def _require(holds: bool, metric: Metric | Reader, broken: str) -> None:
    if not holds:
        raise AssertionError(f"{getattr(metric, 'name', metric)}: {broken}")


def check_reader(reader: Reader, path: str | Path, *, n_mutations: int = 200, rng: int = 0) -> None:
    r"""Check what `read_logs` relies on, on a file of the reader's format.

    * the file is recognised, and by no other reader;
    * every row has an item, and either a value or the reason why there is none;
    * reading twice gives the same rows;
    * a damaged file gives rows or a `DataError`, never another exception.

    Examples
    --------
    >>> import tempfile
    >>> from assay.io.readers.known import READERS
    >>> reader = next(reader for reader in READERS if reader.name == "nlpstattest")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = open(f"{folder}/scores.txt", "w").write("0.1 0.2\n0.3 0.4\n")
    ...     check_reader(reader, f"{folder}/scores.txt", n_mutations=20)
    """
    glance = Glance(Path(path))
    _require(reader.recognises(glance), reader, f"it does not recognise {path}")
    others = [other.name for other in READERS if other is not reader and other.recognises(glance)]
    _require(not others, reader, f"{path} is recognised by {', '.join(others)} as well")
    rows = list(reader.rows(glance, Header()))
    _require(bool(rows), reader, f"it finds no row in {path}")
    for row in rows:
        _require(isinstance(row.item, str) and bool(row.item), reader, f"a row has the item {row.item!r}")
        told = (row.value is None) == bool(row.lacks)
        _require(told, reader, f"item {row.item} needs a value or a reason why there is none, and not both")
    _require(list(reader.rows(Glance(Path(path)), Header())) == rows, reader, "reading twice gives different rows")
    if not glance.is_folder:
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
