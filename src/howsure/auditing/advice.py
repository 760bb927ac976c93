"""The recommendation of an audit: which test and interval to use for such data, which not, and why.

A test *holds its level* if at no grid point with a true null the 95% interval of its type I error lies above the
nominal level, and if over all of them it rejected no more often than a test of exactly that level would in 99 of 100
audits. An interval *covers* if at no grid point it contained the truth less often than an interval of that level would
in 99 of 100 audits. Among tests that hold their level the one with the most size-adjusted power is taken (power at the
level that makes its highest type I error the nominal one), and the package's default where it is not clearly beaten.
Expected p is never recommended as a test: it is an average over studies and has no nominal level. Nor are nulls that
test the narrower hypothesis of the same responses on every item, unless nothing else holds its level.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from howsure.auditing.estimators import BOOTSTRAP_SIGN, LOOKED_AT, NO_SCHEME, TAIL
from howsure.auditing.grid_point import TRUTHS
from howsure.documents.numbers import counted
from howsure.inference import binomial_region
from howsure.intervals.default import default_interval
from howsure.metrics import BUILTIN
from howsure.nulls import NULLS, RANDOM_EFFECTS, SIGN_FLIP
from howsure.nulls.mixed_responses import PooledResponses

if TYPE_CHECKING:
    from howsure.auditing.result import Audit, IntervalRow, TestRow

Row = TypeVar("Row")
DEFAULT = ("bootstrap/all", SIGN_FLIP.name, TAIL)
NARROWER = tuple(null.name for null in NULLS.values() if null.narrower)
SURE = 0.99
MOST_NAMED = 3
"""How many tests not to use are named; the table has them all."""


@dataclass(frozen=True)
class Advice:
    """What an audit recommends."""

    audit: "Audit"

    @cached_property
    def tests(self) -> "list[_Test]":
        """Every test of every metric, over all designs and kinds of data."""
        groups = _groups(self.audit.tests, lambda row: (row.metric, *_test(row)))
        return [_Test(rows, self.audit.alpha) for rows in groups]

    @cached_property
    def chosen(self) -> "_Test":
        """The test to use."""
        return _choose(self.tests)

    @property
    def verdict(self) -> str:
        """What to use and what not."""
        return " ".join([_use(self.chosen, self.audit), *_interval(self.chosen, self.audit), *self._avoid(1)])

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, and by how much it matters: a sentence or two each."""
        about = [*_others(self.chosen, self.tests), *self._avoid(MOST_NAMED), *_not_interval(self.chosen, self.audit)]
        return (*about, *_estimated(self.chosen, self.audit), _precision(self.audit))

    def ranked(self, best: int, failed: int) -> "list[_Test]":
        """Return the test to use, the next best that hold their level, and those that reject most above it."""
        others = [test for test in self.tests if test is not self.chosen and test.null_rows]
        holding = sorted((test for test in others if test.holds and test.is_test), key=_found, reverse=True)
        failing = sorted((test for test in others if not test.holds), key=lambda test: -test.worst.rate)
        return [self.chosen, *holding[: best - 1], *failing[:failed]]

    def _avoid(self, most: int) -> list[str]:
        """Name the tests that reject true nulls too often: the worst one, or the next ones with the reason."""
        by_test = _groups([test for test in self.tests if not test.holds and test.null_rows], lambda t: t.identity)
        worst = sorted((max(tests, key=lambda test: test.worst.rate) for tests in by_test), key=lambda t: -t.worst.rate)
        worst = [test for test in worst if test.identity != self.chosen.identity]
        if not worst:
            return []
        if most == 1:
            return [f"Do not use {worst[0]}: its type I error is up to {_percent(worst[0].worst.rate)}."]
        named = [
            f"{_capital(test)} rejected {_rate(test.worst, self.audit)} of true nulls by {test.metric} when "
            f"{TRUTHS[test.worst.truth]}{_why(test)}."
            for test in worst[:most]
        ]
        if len(worst) > most:
            named.append(f"{len(worst) - most} more tests reject too often; see the table.")
        return named


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
        """The grid point with the highest type I error."""
        return max(self.null_rows, key=lambda row: row.rate, default=self.rows[0])

    @cached_property
    def holds(self) -> bool:
        """Whether no interval of a rate lies above the level, and all true nulls together are what the level allows."""
        rejected, n = (sum(getattr(row, name) for row in self.null_rows) for name in ("rejected", "n_data_sets"))
        return (
            bool(self.null_rows)
            and all(row.rate_interval[0] <= self.alpha for row in self.null_rows)
            and rejected <= binomial_region(n, self.alpha, confidence_level=SURE).high
        )

    @property
    def is_test(self) -> bool:
        """Whether the p-value has a nominal level; expected p has none, and looking early loses it."""
        return self.identity[2] == TAIL and self.identity[1] != LOOKED_AT.name

    @cached_property
    def power(self) -> float:
        """Size-adjusted, the mean over the grid points where B is worse; NaN without any."""
        rates = [self.adjusted(row) for row in self.found_rows]
        return sum(rates) / len(rates) if rates else math.nan

    @cached_property
    def power_se(self) -> float:
        rates = [(self.adjusted(row), row.n_data_sets) for row in self.found_rows]
        return math.sqrt(sum(rate * (1 - rate) / n for rate, n in rates)) / len(rates) if rates else math.nan

    @cached_property
    def found_rows(self) -> list["TestRow"]:
        return [row for row in self.rows if not row.is_null and row.n_data_sets]

    def adjusted(self, row: "TestRow") -> float:
        """Return the power at the tenth of the level at which no true null of the design is rejected too often."""
        design = (row.n_items, row.n_responses)
        nulls = [null for null in self.null_rows if (null.n_items, null.n_responses) == design]
        if not row.below or not all(null.below for null in nulls):
            return row.rate
        fits = (tenth for tenth in range(10, 0, -1) if all(null.rate_at(tenth) <= self.alpha for null in nulls))
        return row.rate_at(next(fits, 0))

    def __str__(self) -> str:
        scheme, null, pvalue = self.identity
        if null == BOOTSTRAP_SIGN:
            return f"the bootstrap probability of a sign change ({scheme})"
        how = "" if pvalue == TAIL else f", {pvalue} p"
        return null if scheme == NO_SCHEME else f"{null} ({scheme}{how})"


def _choose(verdicts: Sequence[_Test]) -> _Test:
    """Return the test with the most power among those that hold their level; the least wrong one if none does.

    What `compare` can run comes first, then analytical tests, then nulls that test a narrower hypothesis, and expected
    p only where nothing else was audited.
    """
    with_raters = [test for test in verdicts if test.identity[1] == RANDOM_EFFECTS.name and test.holds]
    if with_raters:  # these data have raters who judged several items, and this is what `compare` does
        return max(with_raters, key=_found)
    looked_at = [test for test in verdicts if test.identity[1] == LOOKED_AT.name]  # it shows an error, and is no advice
    verdicts = [test for test in verdicts if test not in looked_at] or verdicts
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


def _use(chosen: _Test, audit: "Audit") -> str:
    nominal = f"nominal {100 * audit.alpha:g}%"
    error = f"its type I error is at most {_rate(chosen.worst, audit, nominal)}"
    if not chosen.holds:
        return (
            f"On data like these every test rejects true nulls too often. The least wrong is {chosen} with the metric "
            f"{chosen.metric}: {error}."
        )
    return f"Use {chosen} with the metric {chosen.metric}: {error}.{_powers(chosen, audit)}"


def _others(chosen: _Test, tests: Sequence[_Test]) -> list[str]:
    """Compare the power of other metrics and other tests, where they hold their level."""
    if not chosen.holds:
        return []
    sentences = []
    of_metric = {test.metric: test for test in tests if test.identity == chosen.identity and test.holds}
    others = [test for name, test in of_metric.items() if name != chosen.metric and _clearly_less(test, chosen)]
    if others:
        shown = ", ".join(f"{test.metric} {_percent(test.power)}" for test in sorted(others, key=_found, reverse=True))
        sentences.append(
            f"Power of the same test by metric: {chosen.metric} {_percent(chosen.power)}, {shown}. "
            "More power is useful only if the metric measures what you care about."
        )
    weak = [test for test in tests if test.holds and test.metric == chosen.metric and _clearly_less(test, chosen)]
    if weak:
        least = min(weak, key=_found)
        sentences.append(
            f"The type I error of {least} is nominal too, but its power is {_percent(least.power)}, and that of "
            f"{chosen} is {_percent(chosen.power)} (size-adjusted)."
        )
    better = [
        test
        for test in tests
        if test.identity[0] == NO_SCHEME
        and test.is_test
        and test.metric == chosen.metric
        and test.holds
        and _clearly_less(chosen, test)
    ]
    sentences += [
        f"{_capital(test)} on the item advantages has a nominal type I error and more power: {_percent(test.power)}."
        for test in better
    ]
    return sentences


def _why(test: _Test) -> str:
    _, null, _ = test.identity
    if null == LOOKED_AT.name:
        return ", because each look is another chance of a small p-value. Plan looks with howsure gate"
    if null == BOOTSTRAP_SIGN:
        return (
            ", because it is a one-sided p-value whose side follows the data "
            "(LEADER's pooled responses with all of them kept: every null advantage is exactly 0)"
        )
    if null == PooledResponses.name and test.worst.n_responses == 1:
        return ", because pooling single responses underestimates their variance by half"
    if null in NARROWER:
        return ", because it tests the narrower hypothesis of the same responses on every item"
    return ""


def _interval(chosen: _Test, audit: "Audit") -> list[str]:
    groups = _interval_groups(chosen, audit)
    if not groups:
        return []
    level, best = f"{100 * audit.confidence_level:g}%", _best_interval(groups, audit)
    low = _coverage(min(best, key=lambda row: row.coverage), audit, f"nominal {level}")
    if _covers(best, audit.confidence_level):
        return [f"Use the {best[0].interval} interval ({best[0].scheme}): its coverage is at least {low}."]
    name = f"{best[0].interval} ({best[0].scheme})"
    return [f"No interval reaches its nominal coverage everywhere. The best is {name}: its coverage is at least {low}."]


def _not_interval(chosen: _Test, audit: "Audit") -> list[str]:
    groups = _interval_groups(chosen, audit)
    if not groups:
        return []
    worst = min(groups, key=lambda rows: min(row.coverage for row in rows))
    if worst is _best_interval(groups, audit) or _covers(worst, audit.confidence_level):
        return []
    low = min(worst, key=lambda row: row.coverage)
    return [f"Do not use the {low.interval} interval ({low.scheme}): its coverage is {_coverage(low, audit)}."]


def _interval_groups(chosen: _Test, audit: "Audit") -> "list[list[IntervalRow]]":
    """Return the intervals of the metric that go with the test: for raters like these, or for these raters."""
    raters = chosen.identity[0].endswith("/raters")
    rows = [row for row in audit.intervals if row.metric == chosen.metric and row.scheme.endswith("/raters") == raters]
    return _groups(rows, lambda row: (row.scheme, row.interval))


def _best_interval(groups: "list[list[IntervalRow]]", audit: "Audit") -> "list[IntervalRow]":
    """Return the default of `compare` where it covers (it was measured on more data than this audit's)."""
    sound = [rows for rows in groups if _covers(rows, audit.confidence_level)]
    if not sound:
        return max(groups, key=lambda rows: min(row.coverage for row in rows))
    return next((rows for rows in sound if _is_default(rows[0])), min(sound, key=_mean_width))


def _estimated(chosen: _Test, audit: "Audit") -> list[str]:
    """Compare how close p-values come to the true p, which is the papers' own question."""
    rows = [row for row in audit.tests if row.metric == chosen.metric and not row.is_null and row.n_data_sets]
    groups = _groups(rows, _test)
    if len(groups) < 2:
        return []
    errors = sorted((sum(row.absolute_error for row in group) / len(group), _test(group[0])) for group in groups)
    (nearest, first), (farthest, last) = errors[0], errors[-1]
    return [
        f"As estimates of the true p where B is worse, {_words(first)} is best (mean absolute error {nearest:.3f}) and "
        f"{_words(last)} worst ({farthest:.3f})."
    ]


def _precision(audit: "Audit") -> str:
    region = binomial_region(audit.n_simulations, audit.alpha, confidence_level=SURE)
    return (
        f"With {audit.n_simulations:,} simulations, error rates between {_percent(region.low / region.n)} and "
        f"{_percent(region.high / region.n)} are compatible with a nominal {100 * audit.alpha:g}%."
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


def _powers(chosen: _Test, audit: "Audit") -> str:
    """Return the lowest and the highest power."""
    rows = sorted(chosen.found_rows, key=lambda row: row.rate)
    if not rows:
        return ""
    ends = [f"{_rate(row, audit)} for ε = {row.epsilon:g}" for row in (rows[0], rows[-1])[: len(rows)]]
    return f" Its power is {' and '.join(ends)}."


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
    if row.scheme.endswith("/raters"):
        return row.interval == "t"
    known = BUILTIN.get(row.metric)
    if known is None or row.scheme != DEFAULT[0]:
        return False
    return row.interval == default_interval(known, items_alone=True).name


def _words(test: tuple[str, str, str]) -> str:
    scheme, null, pvalue = test
    return null if scheme == NO_SCHEME else f"{null} ({scheme}, {pvalue} p)"


def _rate(row: "TestRow", audit: "Audit", nominal: str = "") -> str:
    return _with_interval(row.rate, row.rate_interval, row, audit, nominal)


def _coverage(row: "IntervalRow", audit: "Audit", nominal: str = "") -> str:
    return _with_interval(row.coverage, row.coverage_interval, row, audit, nominal)


def _with_interval(
    share: float, ends: tuple[float, float], row: "TestRow | IntervalRow", audit: "Audit", nominal: str
) -> str:
    """Write a share with its interval and what it should be, and name the design where there are several."""
    design = sizes(row.n_items, row.n_responses) if len(audit.designs) > 1 else ""
    about = [nominal, f"95% CI {_percent(ends[0])} to {_percent(ends[1])}", design]
    return f"{_percent(share)} ({', '.join(part for part in about if part)})"


def sizes(n_items: int, n_responses: int) -> str:
    """Return a design in words: "50 items × 5 responses"."""
    return f"{counted(n_items, 'item')} × {counted(n_responses, 'response')}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _capital(test: _Test) -> str:
    text = str(test)
    return text[0].upper() + text[1:]


def _groups(rows: Iterable[Row], key: Callable[[Row], object]) -> list[list[Row]]:
    groups: dict[object, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.values())
