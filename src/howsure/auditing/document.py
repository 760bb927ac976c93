"""An audit as a document: the verdict, the best and the worst tests, and as details all that was measured."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from howsure.auditing.advice import Advice, sizes
from howsure.auditing.estimators import EXPECTED, NO_SCHEME
from howsure.auditing.grid_point import SAME, SPLIT
from howsure.auditing.request import NOT_AUDITED
from howsure.auditing.result import Audit, IntervalRow, TestRow
from howsure.documents import Aside, Block, Column, Document, Heading, Sentence, Table, details
from howsure.documents.numbers import counted, error_of, number, rough
from howsure.inference import binomial_region

Kind = tuple[float, str]
BEST, FAILED = 4, 4
"""How many tests with nominal error rates, and how many others, stand in the ranked table."""
MARKS = '"!" marks error rates above nominal or coverage below nominal.'
SURE = 0.99
Row = TypeVar("Row", TestRow, IntervalRow)


def document(found: Audit, extra: Sequence[Block] = ()) -> Document:
    """Return the verdict and the ranked tests; as details what was measured, the extra blocks, and the reasons."""
    designs = ", ".join(sizes(n, k) for n, k in found.designs)
    about = (
        f"{counted(len(Advice(found).tests), 'p-value')} on simulated data ({found.model}). Designs: {designs}. "
        f"{found.n_simulations:,} simulations of each type, {found.n_resamples:,} resamples of each."
    )
    first = ranked(found)
    blocks: list[Block] = [Sentence(found.verdict, "verdict"), first, Sentence(MARKS, detail=len(first.marked) == 1)]
    blocks += details([Sentence(about, "aside"), *tables(found), *extra])
    blocks += details([Heading("Reasons"), *map(Sentence, found.reasons)])
    notes = tuple(Aside(note) if note.startswith(f"{NOT_AUDITED}: ") else note for note in found.notes)
    return Document("Which p-value can you trust?", tuple(blocks), notes, found.signature)


def ranked(found: Audit) -> Table:
    """Return the recommended test, the next best ones, and those that reject too often, over all designs."""
    advice = Advice(found)
    shown = advice.ranked(BEST, FAILED)
    several = len({test.metric for test in advice.tests}) > 1
    columns = [Column("test"), *([Column("metric")] if several else [])]
    columns += [Column("type I error", "percent"), Column("95% CI"), Column("power", "percent")]
    rows = []
    for test in shown:
        low, high = test.worst.rate_interval
        power = test.power if test.holds and not math.isnan(test.power) else None  # adjusting a failing test leaves 0
        names = [_test(test.worst), *([test.metric] if several else [])]
        rows.append((*names, test.worst.rate, f"{100 * low:.1f}% to {100 * high:.1f}%", power))
    failed = {(i, 1 + several) for i, test in enumerate(shown) if not test.holds}
    title = f"{len(shown)} of {len(advice.tests)} tests: worst type I error, mean size-adjusted power (←: use)"
    return Table(tuple(columns), tuple(rows), title, frozenset({0, *failed}))


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
        f"{sizes(n_items, n_responses)}: rejection rate at a nominal {100 * found.alpha:g}%, in percent (95% CI); "
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
        f"{sizes(n_items, n_responses)}: estimated p − true p ± Monte Carlo error; SD over simulations; "
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
        f"{sizes(n_items, n_responses)}: coverage of {100 * found.confidence_level:g}% intervals, in percent "
        "(95% CI); mean width",
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
    return truth if truth == SAME else f"{truth}, ε = {epsilon:g}"


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
    return f"{number(100 * share, error)} ({low} to {high})"


def _true(rows: Iterable[TestRow], metric: str, kind: Kind) -> str:
    """Return the true p of the design and, where a scheme resamples other numbers of responses, also of these."""
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
