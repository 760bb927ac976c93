"""An audit as a document: the verdict, rejections, estimated p, coverage, the reasons; and LEADER's smallest errors."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from assay.auditing.cell import SAME, SPLIT
from assay.auditing.estimators import EXPECTED, NO_SCHEME, SIGN_CHANGE
from assay.auditing.results import Audit, IntervalRow, SmallestRow, TestRow
from assay.documents import Block, Column, Document, Heading, Sentence, Table
from assay.inference import binomial_region

Kind = tuple[float, str]
SURE = 0.99
ONE_RESPONSE = ("/one", "/first")
"""How schemes end that keep one response per item."""
Row = TypeVar("Row", TestRow, IntervalRow)


def document(found: Audit, *, leader: bool = False) -> Document:
    """Return what an audit says: the verdict first, then what was measured, then the reasons.

    With `leader` the tables and findings of the LEADER paper follow.
    """
    designs = ", ".join(f"{n}×{k}" for n, k in found.designs)
    n_tests = len(dict.fromkeys((row.metric, row.scheme, row.null, row.pvalue) for row in found.tests))
    about = (
        f"{n_tests} p-values on simulated data ({found.model}), items×responses {designs}: {found.n_data_sets:,} data "
        f"sets of each kind, {found.n_resamples:,} draws on each. A mark (!) stands at rates that miss their promise."
    )
    blocks: list[Block] = [Sentence(found.verdict, "verdict"), Sentence(about, "aside"), *tables(found)]
    if leader:
        blocks += [*(smallest(found, by) for by in ("scheme", "metric")), Heading("LEADER's findings")]
        blocks += [Sentence(line) for line in findings(found).splitlines()]
    blocks += [Heading("Reasons"), *map(Sentence, found.reasons)]
    return Document("Which p-value can you trust?", tuple(blocks), found.notes, found.signature)


def tables(found: Audit) -> list[Table]:
    """Return what was measured at each design: rejections, errors of estimated p, and coverage where there is any."""
    of_tests = [table for design in found.designs for table in (rejections(found, *design), errors(found, *design))]
    of_intervals = [coverage(found, *design) for design in found.designs]
    return [*of_tests, *(table for table in of_intervals if table.rows)]


def rejections(found: Audit, n_items: int, n_responses: int) -> Table:
    """Rejections by test and kind of data."""
    rows = [row for row in found.tests if (row.n_items, row.n_responses) == (n_items, n_responses)]
    kinds, cells = _kinds(rows), {(row.metric, _test(row), row.epsilon, row.truth): row for row in rows}
    lines = [[*key, *(_rejected(cells.get((*key, *kind))) for kind in kinds)] for key in _in_order(rows, _test)]
    missed = {
        (i, 2 + j)
        for i, key in enumerate(_in_order(rows, _test))
        for j, kind in enumerate(kinds)
        if _rejects_too_often(cells.get((*key, *kind)), found.alpha)
    }
    return _table(
        f"{_size(n_items, n_responses)}: rejected at a nominal {100 * found.alpha:g} %, in percent [95 % interval]; "
        "power where B is worse",
        ["metric", "p-value", *map(_kind, kinds)], lines, missed,
    )  # fmt: skip


def errors(found: Audit, n_items: int, n_responses: int) -> Table:
    """How far estimated p is from true p, by test and kind of data."""
    rows = [row for row in found.tests if (row.n_items, row.n_responses) == (n_items, n_responses)]
    kinds = [kind for kind in _kinds(rows) if kind[1] != SPLIT]
    cells = {(row.metric, _test(row), row.epsilon, row.truth): row for row in rows}
    metrics = dict.fromkeys(row.metric for row in rows)
    lines = [[metric, "true p", *(_true(rows, metric, kind) for kind in kinds)] for metric in metrics]
    lines += [[*key, *(_error(cells.get((*key, *kind))) for kind in kinds)] for key in _in_order(rows, _test)]
    return _table(
        f"{_size(n_items, n_responses)}: estimated p − true p ± Monte-Carlo error; spread over data sets; "
        "mean absolute error",
        ["metric", "p-value", *(f"ε = {epsilon:g}" for epsilon, _ in kinds)], lines,
    )  # fmt: skip


def coverage(found: Audit, n_items: int, n_responses: int) -> Table:
    """Coverage and mean width by interval and kind of data; no rows where no interval was asked for."""
    rows = [row for row in found.intervals if (row.n_items, row.n_responses) == (n_items, n_responses)]
    kinds, cells = _kinds(rows), {(row.metric, _interval(row), row.epsilon, row.truth): row for row in rows}
    lines = [[*key, *(_covered(cells.get((*key, *kind))) for kind in kinds)] for key in _in_order(rows, _interval)]
    missed = {
        (i, 2 + j)
        for i, key in enumerate(_in_order(rows, _interval))
        for j, kind in enumerate(kinds)
        if _covers_too_seldom(cells.get((*key, *kind)), found.confidence_level)
    }
    return _table(
        f"{_size(n_items, n_responses)}: coverage of {100 * found.confidence_level:g} % intervals, in percent "
        "[95 % interval]; mean width",
        ["metric", "interval", *map(_kind, kinds)], lines, missed,
    )  # fmt: skip


def smallest(found: Audit, by: str) -> Table:
    """LEADER's tables 1 and 2 (3 and 4): the smallest error of estimated p, with the mean error that they leave out."""
    rows = [row for row in found.smallest if row.by == by and row.truth != SPLIT]
    epsilons = list(dict.fromkeys(row.epsilon for row in rows))
    lines = []
    for name in dict.fromkeys(row.name for row in rows):
        cells = {row.epsilon: f"{row.smallest:.5f} ({row.mean:.3f})" for row in rows if row.name == name}
        n = next(row.n for row in rows if row.name == name)
        lines.append([name, str(n), *(cells[epsilon] for epsilon in epsilons)])
    other = "metrics" if by == "scheme" else "schemes"
    return _table(
        f"LEADER's layout: smallest error of estimated p among the {other} (mean error of all of them)",
        [by, "n", *(f"ε = {epsilon:g}" for epsilon in epsilons)], lines,
    )  # fmt: skip


def findings(found: Audit) -> str:
    """Say where LEADER's findings hold on these numbers, and where they do not: a line for each."""
    return "\n".join(
        [*_best_schemes(found), *_sign_change(found), *_single(found), *_best_metrics(found), *_beside(found)]
    )


def _best_schemes(found: Audit) -> list[str]:
    rows = [row for row in found.smallest if row.by == "scheme" and row.truth != SPLIT]
    best = {criterion: _least(rows, criterion) for criterion in ("smallest", "mean")}
    lines = [
        f"Best scheme by {words}: " + ", ".join(f"{row.name} at ε = {row.epsilon:g}" for row in best[criterion]) + "."
        for criterion, words in (
            ("smallest", "the smallest error among metrics, LEADER's criterion"),
            ("mean", "the mean error of all its metrics"),
        )
    ]
    hidden = max(best["smallest"], key=lambda row: row.mean - row.smallest)
    lines.append(
        f"The smallest hides the rest: {hidden.name} at ε = {hidden.epsilon:g} has {hidden.smallest:.3f} by the metric "
        f"that happens to be nearest, {hidden.mean:.3f} on average and {hidden.largest:.3f} by the worst of {hidden.n}."
    )
    return lines


def _sign_change(found: Audit) -> list[str]:
    """Say what (bootstrap_items, all) is, why it comes near the true p, and what it is worth as a test."""
    kept = [row for row in found.tests if row.null == SIGN_CHANGE and row.scheme == "bootstrap/all"]
    nulls = [row for row in kept if row.truth == SAME]
    if not nulls:
        return []
    rejected, n = sum(row.rejected for row in nulls), sum(row.n_data_sets for row in nulls)
    lines = [
        "(bootstrap_items, all) pools what it keeps, so its null contrasts are exactly 0: its estimated p is the "
        "bootstrap probability that the contrast changes sign. Read at "
        f"{100 * found.alpha:g} % it rejects {100 * rejected / n:.1f} % of true nulls (ε = 0)."
    ]
    both = [row for row in found.tests if (row.scheme, row.null) == ("bootstrap/bootstrap", "pooled-responses")]
    (bias, error), (other_bias, other_error) = (
        _mean_errors(rows) for rows in (kept, [row for row in both if row.pvalue == EXPECTED])
    )
    if abs(bias) < abs(other_bias):
        lines.append(
            "Why its mean comes near: true p compares two independent contrasts, each with the error of one study. Its "
            "draws have that error once, and the data set that they come from brings it a second time, so that where B "
            f"is worse its mean is off by {bias:+.3f} (all metrics and ε). (bootstrap_items, sample) draws items for A "
            f"against B and again for the null, and the data set adds its own error: {other_bias:+.3f}. But nobody has "
            f"the mean: a single data set's p scatters, and is off by {error:.3f} with the one and {other_error:.3f} "
            "with the other."
        )
    return lines


def _single(found: Audit) -> list[str]:
    rows = [row for row in found.smallest if row.by == "scheme" and row.truth != SPLIT]
    one = [row.mean for row in rows if row.name.endswith(ONE_RESPONSE)]
    more = [row.mean for row in rows if not row.name.endswith(ONE_RESPONSE)]
    if not one or not more:
        return []
    means = sum(one) / len(one), sum(more) / len(more)
    holds = "LEADER's finding that one response per item does worse holds" if means[0] > means[1] else (
        "LEADER's finding that one response per item does worse does not hold once each is held against its own true p"
    )  # fmt: skip
    return [f"{holds}: mean error {means[0]:.3f} where one is kept, {means[1]:.3f} where all are."]


def _best_metrics(found: Audit) -> list[str]:
    rows = [row for row in found.smallest if row.by == "metric" and row.truth != SPLIT and row.epsilon > 0]
    if not rows:
        return []
    by_smallest, by_mean = (_least(rows, criterion) for criterion in ("smallest", "mean"))
    return [
        "Best metric by the smallest error among schemes: "
        + ", ".join(f"{row.name} at ε = {row.epsilon:g}" for row in by_smallest)
        + "; by the mean error of all of them: "
        + ", ".join(f"{row.name} at ε = {row.epsilon:g}" for row in by_mean)
        + ". Where true p is nearly 0, every metric with power is near it: this ranks power, not estimates."
    ]


def _beside(found: Audit) -> list[str]:
    """Say what the tests that LEADER left as future work do."""
    shares = []
    for null in ("swapped-items", "recentred", "paired-t", "wilcoxon"):
        rows = [row for row in found.tests if row.null == null and row.pvalue != EXPECTED and row.is_null]
        n = sum(row.n_data_sets for row in rows)
        if n:
            shares.append(f"{null} {100 * sum(row.rejected for row in rows) / n:.1f} %")
    if not shares:
        return []
    return [
        f"The tests that LEADER left as future work reject true nulls of both kinds, all metrics together, at "
        f"{100 * found.alpha:g} %: {', '.join(shares)}."
    ]


def _least(rows: Sequence[SmallestRow], criterion: str) -> list[SmallestRow]:
    """Return the row with the least of a criterion at each ε."""
    epsilons = dict.fromkeys(row.epsilon for row in rows)
    return [min((row for row in rows if row.epsilon == e), key=lambda row: getattr(row, criterion)) for e in epsilons]


def _mean_errors(rows: Sequence[TestRow]) -> tuple[float, float]:
    """Return the mean bias and the mean absolute error where B is worse."""
    worse = [row for row in rows if not row.is_null and row.n_data_sets]
    if not worse:
        return math.nan, math.nan
    return sum(row.bias for row in worse) / len(worse), sum(row.absolute_error for row in worse) / len(worse)


def _table(
    title: str, head: Sequence[str], lines: Iterable[Sequence[str]], missed: Iterable[tuple[int, int]] = ()
) -> Table:
    columns = tuple(Column(name) for name in head)
    return Table(columns, tuple(tuple(line) for line in lines), title, frozenset(missed))


def _size(n_items: int, n_responses: int) -> str:
    return f"{n_items:,} items × {n_responses} responses"


def _in_order(rows: Sequence[Row], name: Callable[[Row], str]) -> list[tuple[str, str]]:
    """Return (metric, name) of the rows, metric by metric."""
    metrics = list(dict.fromkeys(row.metric for row in rows))
    return sorted(dict.fromkeys((row.metric, name(row)) for row in rows), key=lambda key: metrics.index(key[0]))


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


def _interval(row: IntervalRow) -> str:
    return f"{row.interval} ({row.scheme})"


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
    return f"{row.bias:+.3f} ± {row.bias_se:.3f}; {row.spread:.3f}; {row.absolute_error:.3f}"


def _share(share: float, ends: tuple[float, float]) -> str:
    return f"{100 * share:.1f} [{100 * ends[0]:.0f}, {100 * ends[1]:.0f}]"


def _true(rows: Iterable[TestRow], metric: str, kind: Kind) -> str:
    """Return the true p of the design and, where some schemes keep one response per item, that of one response."""
    here = [row for row in rows if row.metric == metric and (row.epsilon, row.truth) == kind]
    of_design, of_one = (
        next((f"{row.true_pvalue:.3f} ± {row.true_pvalue_se:.3f}" for row in some), None)
        for some in (
            [row for row in here if not row.scheme.endswith(ONE_RESPONSE)],
            [row for row in here if row.scheme.endswith(ONE_RESPONSE)],
        )
    )
    if of_one is None or of_one == of_design:
        return of_design or ""
    return f"K = 1: {of_one}" if of_design is None else f"{of_design}, K = 1: {of_one}"
