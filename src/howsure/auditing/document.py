"""An audit as a document: the verdict, rejections, estimated p, coverage, the reasons."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from howsure.auditing.audits import Audit, IntervalRow, TestRow
from howsure.auditing.cell import SAME, SPLIT
from howsure.auditing.estimators import EXPECTED, NO_SCHEME
from howsure.documents import Block, Column, Document, Heading, Sentence, Table
from howsure.documents.numbers import error_of, number, rough
from howsure.inference import binomial_region

Kind = tuple[float, str]
SURE = 0.99
Row = TypeVar("Row", TestRow, IntervalRow)


def document(found: Audit, extra: Sequence[Block] = ()) -> Document:
    """Return what an audit says: the verdict first, then what was measured, what is said besides, and the reasons."""
    designs = ", ".join(f"{n}×{k}" for n, k in found.designs)
    n_tests = len(dict.fromkeys((row.metric, row.scheme, row.null, row.pvalue) for row in found.tests))
    about = (
        f"{n_tests} p-values on simulated data ({found.model}), items×responses {designs}: "
        f"{found.n_simulations:,} data sets of each kind, {found.n_resamples:,} draws on each. A mark (!) stands "
        "at rates that miss their promise."
    )
    blocks: list[Block] = [Sentence(found.verdict, "verdict"), Sentence(about, "aside"), *tables(found), *extra]
    blocks += [Heading("Reasons"), *map(Sentence, found.reasons)]
    return Document("Which p-value can you trust?", tuple(blocks), found.notes, found.signature)


def tables(found: Audit) -> list[Table]:
    """Return what was measured at each design: rejections, errors of estimated p, and coverage where there is any."""
    of_tests = [table for design in found.designs for table in (rejections(found, *design), errors(found, *design))]
    of_intervals = [coverage(found, *design) for design in found.designs]
    return [*of_tests, *(table for table in of_intervals if table.rows)]


def rejections(found: Audit, n_items: int, n_responses: int) -> Table:
    """Rejections by test and kind of data."""
    rows = _at(found.tests, n_items, n_responses)
    kinds, cells = _kinds(rows), _cells(rows, _test)
    lines = [[*key, *(_rejected(by_kind.get(kind)) for kind in kinds)] for key, by_kind in cells.items()]
    missed = {
        (i, 2 + j)
        for i, by_kind in enumerate(cells.values())
        for j, kind in enumerate(kinds)
        if _rejects_too_often(by_kind.get(kind), found.alpha)
    }
    return plain_table(
        f"{_size(n_items, n_responses)}: rejected at a nominal {100 * found.alpha:g}%, in percent [95% interval]; "
        "power where B is worse",
        ["metric", "p-value", *map(_kind, kinds)],
        lines,
        missed,
    )


def errors(found: Audit, n_items: int, n_responses: int) -> Table:
    """How far estimated p is from true p, by test and kind of data."""
    rows = _at(found.tests, n_items, n_responses)
    kinds = [kind for kind in _kinds(rows) if kind[1] != SPLIT]
    metrics = dict.fromkeys(row.metric for row in rows)
    lines = [[metric, "true p", *(_true(rows, metric, kind) for kind in kinds)] for metric in metrics]
    lines += [[*key, *(_error(by_kind.get(kind)) for kind in kinds)] for key, by_kind in _cells(rows, _test).items()]
    return plain_table(
        f"{_size(n_items, n_responses)}: estimated p − true p ± Monte-Carlo error; spread over data sets; "
        "mean absolute error",
        ["metric", "p-value", *(f"ε = {epsilon:g}" for epsilon, _ in kinds)],
        lines,
    )


def coverage(found: Audit, n_items: int, n_responses: int) -> Table:
    """Coverage and mean width by interval and kind of data; no rows where no interval was asked for."""
    rows = _at(found.intervals, n_items, n_responses)
    kinds, cells = _kinds(rows), _cells(rows, lambda row: f"{row.interval} ({row.scheme})")
    lines = [[*key, *(_covered(by_kind.get(kind)) for kind in kinds)] for key, by_kind in cells.items()]
    missed = {
        (i, 2 + j)
        for i, by_kind in enumerate(cells.values())
        for j, kind in enumerate(kinds)
        if _covers_too_seldom(by_kind.get(kind), found.confidence_level)
    }
    return plain_table(
        f"{_size(n_items, n_responses)}: coverage of {100 * found.confidence_level:g}% intervals, in percent "
        "[95% interval]; mean width",
        ["metric", "interval", *map(_kind, kinds)],
        lines,
        missed,
    )


def _at(rows: Iterable[Row], n_items: int, n_responses: int) -> list[Row]:
    """Return the rows of one design."""
    return [row for row in rows if (row.n_items, row.n_responses) == (n_items, n_responses)]


def _cells(rows: Sequence[Row], name: Callable[[Row], str]) -> dict[tuple[str, str], dict[Kind, Row]]:
    """Return rows by (metric, name), metric by metric, and by the kind of data."""
    metrics = list(dict.fromkeys(row.metric for row in rows))
    found: dict[tuple[str, str], dict[Kind, Row]] = {}
    for row in sorted(rows, key=lambda row: metrics.index(row.metric)):
        found.setdefault((row.metric, name(row)), {})[row.epsilon, row.truth] = row
    return found


def plain_table(
    title: str, head: Sequence[str], lines: Iterable[Sequence[str]], missed: Iterable[tuple[int, int]] = ()
) -> Table:
    """Return a table of ready words."""
    columns = tuple(Column(name) for name in head)
    return Table(columns, tuple(tuple(line) for line in lines), title, frozenset(missed))


def _size(n_items: int, n_responses: int) -> str:
    return f"{n_items:,} items × {n_responses} responses"


def _rejects_too_often(row: TestRow | None, alpha: float) -> bool:
    if row is None or not row.is_null or not row.n_data_sets:
        return False
    return row.rejected > binomial_region(row.n_data_sets, alpha, confidence_level=SURE).high


def _covers_too_seldom(row: IntervalRow | None, level: float) -> bool:
    if row is None or not row.n_data_sets:
        return False
    return row.covered < binomial_region(row.n_data_sets, level, confidence_level=SURE).low


def _kinds(rows: Iterable[TestRow | IntervalRow]) -> list[Kind]:
    return list(dict.fromkeys((row.epsilon, row.truth) for row in rows))


def _kind(kind: Kind) -> str:
    epsilon, truth = kind
    return truth if truth == SAME else f"{truth} {epsilon:g}"


def _test(row: TestRow) -> str:
    if row.scheme == NO_SCHEME:
        return row.null
    return f"{row.null} ({row.scheme}{', expected' if row.pvalue == EXPECTED else ''})"


def _rejected(row: TestRow | None) -> str:
    if row is None:  # a preset measures some estimators on some kinds of data only
        return ""
    return _share(row.rate, row.rate_interval) if row.n_data_sets else "undefined"


def _covered(row: IntervalRow | None) -> str:
    if row is None:
        return ""
    return f"{_share(row.coverage, row.coverage_interval)}; {row.width:.3g}" if row.n_data_sets else "undefined"


def _error(row: TestRow | None) -> str:
    if row is None or not row.n_data_sets:
        return "" if row is None else "undefined"
    error = max(row.bias_se, 0.01)  # three decimals at most
    sign = "+" if row.bias >= 0 else ""
    monte_carlo, spread, apart = (rough(value, beside=1) for value in (row.bias_se, row.spread, row.absolute_error))
    return f"{sign}{number(row.bias, error)} ± {monte_carlo}; {spread}; {apart}"


def _share(share: float, ends: tuple[float, float]) -> str:
    error = max(1.0, 100 * error_of(ends))
    low = min(round(100 * ends[0]), math.floor(100 * ends[0]) if ends[0] > 0.99 else 100)  # not all is not 100
    high = max(round(100 * ends[1]), math.ceil(100 * ends[1]) if ends[1] < 0.01 else 0)  # and something is not 0
    return f"{number(100 * share, error)} [{low}, {high}]"


def _true(rows: Iterable[TestRow], metric: str, kind: Kind) -> str:
    """Return the true p of the design and, where draws of a scheme have other numbers of responses, those of theirs."""
    here = [row for row in rows if row.metric == metric and (row.epsilon, row.truth) == kind]
    found = {row.n_kept: _true_pvalue(row) for row in here}
    design = found.pop(here[0].n_responses, None) if here else None
    others = [f"K = {size}: {said}" for size, said in sorted(found.items())]
    return ", ".join([*([] if design is None else [design]), *others])


def _true_pvalue(row: TestRow) -> str:
    """Write a true p with its error; a bound has none."""
    if row.true_pvalue_is_bound:
        return f"< {row.true_pvalue:.2g}"
    return f"{number(row.true_pvalue, row.true_pvalue_se)} ± {rough(row.true_pvalue_se)}"
