"""The paragraph that ends an audit: what to use for such data, what not, why, and by how much it matters.

*Holds its level* means: neither in a cell with a true null nor in all of them together were there more rejections than
a test of exactly that level would have in 99 of 100 audits. *Covers* is the same for intervals. Among tests that hold
their level the one with the most power is taken, and the package's default where it is not clearly beaten. Expected p
is never recommended as a test, however it did here: it is an average over studies and promises no level. Nor are nulls
that test the narrower hypothesis of the same responses on every item, unless nothing else holds its level.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from assay.auditing.cell import TRUTHS
from assay.auditing.estimators import EXPECTED, NO_SCHEME, SIGN_CHANGE, TAIL
from assay.comparison.limits import default_interval
from assay.inference import binomial_region
from assay.metrics import resolve

if TYPE_CHECKING:
    from assay.auditing.results import Audit, IntervalRow, TestRow

Row = TypeVar("Row")
DEFAULT = ("bootstrap/all", "swapped-items", TAIL)
NARROWER = ("pooled-responses", "dealt-responses")
SURE = 0.99
MOST_NAMED = 3
"""How many tests not to use are named; the table has them all."""


def recommend(audit: "Audit") -> str:
    """Return the paragraph."""
    verdicts = [_Test(rows, audit.alpha) for rows in _groups(audit.tests, lambda row: (row.metric, *_test(row)))]
    chosen = _choose(verdicts)
    sentences = [*_use(chosen, verdicts, audit), *_avoid(chosen, verdicts), *_interval(chosen, audit)]
    sentences += [*_estimated(chosen, audit), _precision(audit)]
    return " ".join(sentences)


@dataclass(frozen=True)
class _Test:
    """One test of one metric over all designs and kinds of data."""

    rows: Sequence["TestRow"]
    alpha: float

    @property
    def identity(self) -> tuple[str, str, str]:
        return _test(self.rows[0])

    @property
    def metric(self) -> str:
        return self.rows[0].metric

    @cached_property
    def null_rows(self) -> list["TestRow"]:
        return [row for row in self.rows if row.is_null and row.n_data_sets]

    @cached_property
    def worst(self) -> "TestRow":
        """The cell with the highest type-I error."""
        return max(self.null_rows, key=lambda row: row.rate, default=self.rows[0])

    @cached_property
    def holds(self) -> bool:
        """Whether the rejections of each true null, and of all together, are what the level allows."""
        sure = 1 - (1 - SURE) / (len(self.null_rows) + 1)
        counts = [(row.rejected, row.n_data_sets) for row in self.null_rows]
        counts.append((sum(count for count, _ in counts), sum(n for _, n in counts)))
        return bool(self.null_rows) and all(
            count <= binomial_region(n, self.alpha, confidence_level=sure).high for count, n in counts
        )

    @cached_property
    def power(self) -> float:
        """Mean over the cells where B is worse; NaN without any."""
        rates = [row.rate for row in self.rows if not row.is_null and row.n_data_sets]
        return sum(rates) / len(rates) if rates else math.nan

    @cached_property
    def power_se(self) -> float:
        rows = [row for row in self.rows if not row.is_null and row.n_data_sets]
        variances = [row.rate * (1 - row.rate) / row.n_data_sets for row in rows]
        return math.sqrt(sum(variances)) / len(rows) if rows else math.nan

    def __str__(self) -> str:
        scheme, null, pvalue = self.identity
        if null == SIGN_CHANGE:
            return f"the bootstrap probability of a sign change ({scheme})"
        how = "" if pvalue == TAIL else f", read as {pvalue} p"
        return null if scheme == NO_SCHEME else f"{null} ({scheme}{how})"


def _choose(verdicts: Sequence[_Test]) -> _Test:
    """Return the test with the most power among those that hold their level; the least wrong one if none does.

    What `compare` can run comes first, then analytical tests, then nulls that test a narrower hypothesis, and expected
    p only where nothing else was audited.
    """
    analytical = [test for test in verdicts if test.identity[0] == NO_SCHEME]
    resampling = [test for test in verdicts if test.identity[2] == TAIL and test.identity[0] != NO_SCHEME]
    narrower = [test for test in resampling if test.identity[1] in NARROWER]
    for tests in ([test for test in resampling if test not in narrower], analytical, narrower):
        holding = [test for test in tests if test.holds]
        if holding:
            best = max(holding, key=_found)
            default = next((test for test in holding if (test.metric, test.identity) == (best.metric, DEFAULT)), best)
            return best if _clearly_less(default, best) else default
    return min(resampling or analytical or verdicts, key=lambda test: test.worst.rate)


def _use(chosen: _Test, verdicts: Sequence[_Test], audit: "Audit") -> list[str]:
    level = f"{100 * audit.alpha:g} %"
    said = f"at a nominal {level} it rejected at most {_rate(chosen.worst)} of true nulls"
    if not chosen.holds:
        return [
            f"For data like these no p-value held its level; the least wrong is {chosen} with {chosen.metric}: {said}."
        ]
    sentences = [f"For data like these use {chosen} with the metric {chosen.metric}: {said}{_powers(chosen)}."]
    of_metric = {test.metric: test for test in verdicts if test.identity == chosen.identity and test.holds}
    others = [test for name, test in of_metric.items() if name != chosen.metric and _clearly_less(test, chosen)]
    if others:
        shown = ", ".join(f"{test.metric} {_percent(test.power)}" for test in sorted(others, key=_found, reverse=True))
        sentences.append(
            f"By the same test {chosen.metric} finds the difference in {_percent(chosen.power)} of studies, {shown}; "
            "a metric that finds more is of use only if it measures what you care about."
        )
    weak = [test for test in verdicts if test.holds and test.metric == chosen.metric and _clearly_less(test, chosen)]
    if weak:
        least = min(weak, key=_found)
        sentences.append(
            f"{_capital(least)} holds its level too but finds the difference in {_percent(least.power)} of studies "
            f"where {chosen} finds it in {_percent(chosen.power)}."
        )
    better = [
        test for test in verdicts if test.identity[0] == NO_SCHEME and test.metric == chosen.metric and test.holds
        and _clearly_less(chosen, test)
    ]  # fmt: skip
    sentences += [
        f"{_capital(test)} on the item contrasts holds its level and finds more: {_percent(test.power)}."
        for test in better
    ]
    return sentences


def _avoid(chosen: _Test, verdicts: Sequence[_Test]) -> list[str]:
    """Name the tests that reject true nulls too often, the worst metric and cell of each."""
    by_test = _groups([test for test in verdicts if not test.holds and test.null_rows], lambda test: test.identity)
    worst = sorted((max(tests, key=lambda test: test.worst.rate) for tests in by_test), key=lambda t: -t.worst.rate)
    worst = [test for test in worst if test.identity != chosen.identity or chosen.holds]
    if not worst:
        return []
    named = "; ".join(
        f"{test} rejected {_rate(test.worst)} by {test.metric} when {TRUTHS[test.worst.truth]}{_why(test)}"
        for test in worst[:MOST_NAMED]
    )
    more = f" ({len(worst) - MOST_NAMED} more are in the table)" if len(worst) > MOST_NAMED else ""
    return [f"Do not use: {named}{more}."]


def _why(test: _Test) -> str:
    _, null, _ = test.identity
    if null == SIGN_CHANGE:
        return (
            ", because it is a one-sided p-value whose side follows the data "
            "(LEADER's pooled responses with all of them kept: every null contrast is exactly 0)"
        )
    if null == "pooled-responses" and test.worst.n_responses == 1:
        return ", because pooling single responses understates their variance by half"
    if null in NARROWER:
        return ", because it tests the narrower hypothesis of the same responses on every item"
    return ""


def _interval(chosen: _Test, audit: "Audit") -> list[str]:
    of_metric = [row for row in audit.intervals if row.metric == chosen.metric]
    groups = _groups(of_metric, lambda row: (row.scheme, row.interval))
    if not groups:
        return []
    level = f"{100 * audit.confidence_level:g} %"
    sound = [rows for rows in groups if _covers(rows, audit.confidence_level)]
    if sound:
        # The default of `compare` where it covers: it was measured on more data than this audit's.
        narrowest = min(sound, key=_mean_width)
        best = next((rows for rows in sound if _is_default(rows[0])), narrowest)
        sentences = [
            f"For the {level} interval take {best[0].interval} ({best[0].scheme}): it held the expected contrast in "
            f"{_coverage(min(best, key=lambda row: row.coverage))} of studies or more."
        ]
    else:
        best = max(groups, key=lambda rows: min(row.coverage for row in rows))
        low = min(best, key=lambda row: row.coverage)
        sentences = [
            f"No {level} interval covers everywhere; {best[0].interval} ({best[0].scheme}) comes nearest, with "
            f"{_coverage(low)} at worst."
        ]
    worst = min(groups, key=lambda rows: min(row.coverage for row in rows))
    if worst is not best and not _covers(worst, audit.confidence_level):
        low = min(worst, key=lambda row: row.coverage)
        sentences.append(f"Not {low.interval} ({low.scheme}): {_coverage(low)}.")
    return sentences


def _estimated(chosen: _Test, audit: "Audit") -> list[str]:
    """Say which p-value comes nearest to the true p, and what it is worth: the papers' own question."""
    rows = [row for row in audit.tests if row.metric == chosen.metric and not row.is_null and row.n_data_sets]
    groups = _groups(rows, _test)
    if len(groups) < 2:
        return []
    errors = sorted((sum(row.absolute_error for row in group) / len(group), _test(group[0])) for group in groups)
    (nearest, first), (farthest, last) = errors[0], errors[-1]
    return [
        f"As a guess at the true p where B is worse, {_words(first)} comes nearest, off by {nearest:.3f} on average; "
        f"{_words(last)} is off by {farthest:.3f}."
    ]


def _precision(audit: "Audit") -> str:
    region = binomial_region(audit.n_data_sets, audit.alpha, confidence_level=SURE)
    return (
        f"With {audit.n_data_sets:,} data sets, levels between {_percent(region.low / region.n)} and "
        f"{_percent(region.high / region.n)} cannot be told from {100 * audit.alpha:g} %."
    )


def _test(row: "TestRow") -> tuple[str, str, str]:
    return row.scheme, row.null, row.pvalue


def _found(test: _Test) -> float:
    return -1.0 if math.isnan(test.power) else test.power


def _clearly_less(one: _Test, other: _Test) -> bool:
    """Whether one test finds less than another by more than twice the error (too large: they saw the same data)."""
    if math.isnan(one.power) or math.isnan(other.power):
        return False
    return other.power - one.power > 2 * math.hypot(one.power_se, other.power_se)


def _powers(chosen: _Test) -> str:
    """Say where the least and where the most was found."""
    rows = sorted((row for row in chosen.rows if not row.is_null), key=lambda row: row.rate)
    if not rows:
        return ""
    most = f" and ε = {rows[-1].epsilon:g} in {_rate(rows[-1])}" if len(rows) > 1 else ""
    return f", and it found ε = {rows[0].epsilon:g} in {_rate(rows[0])}{most} of studies"


def _covers(rows: Sequence["IntervalRow"], level: float) -> bool:
    sure = 1 - (1 - SURE) / len(rows)
    return all(
        row.n_data_sets
        and row.undefined <= 0.01 * row.n_data_sets
        and row.covered >= binomial_region(row.n_data_sets, level, confidence_level=sure).low
        for row in rows
    )


def _mean_width(rows: Sequence["IntervalRow"]) -> float:
    return sum(row.width for row in rows) / len(rows)


def _is_default(row: "IntervalRow") -> bool:
    return (row.scheme, row.interval) == (DEFAULT[0], default_interval(resolve(row.metric), resamples_items=True))


def _words(test: tuple[str, str, str]) -> str:
    scheme, null, pvalue = test
    return null if scheme == NO_SCHEME else f"{null} ({scheme}, {EXPECTED if pvalue == EXPECTED else TAIL} p)"


def _rate(row: "TestRow") -> str:
    low, high = row.rate_interval
    return f"{_percent(row.rate)} [{_percent(low)}, {_percent(high)}] ({row.n_items}×{row.n_responses})"


def _coverage(row: "IntervalRow") -> str:
    low, high = row.coverage_interval
    return f"{_percent(row.coverage)} [{_percent(low)}, {_percent(high)}] ({row.n_items}×{row.n_responses})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _capital(test: _Test) -> str:
    text = str(test)
    return text[0].upper() + text[1:]


def _groups(rows: Iterable[Row], key: Callable[[Row], object]) -> list[list[Row]]:
    groups: dict[object, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.values())
