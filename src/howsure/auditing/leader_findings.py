"""The tables of smallest errors of the LEADER paper, and where its findings hold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from howsure.auditing.audits import Audit, SmallestRow, TestRow
from howsure.auditing.cell import SAME, SPLIT
from howsure.auditing.document import document, plain_table
from howsure.auditing.estimators import BOOTSTRAP_SIGN, EXPECTED
from howsure.documents import Block, Document, Heading, Sentence, Table
from howsure.records import Record

ONE_RESPONSE = ("/one", "/first")
"""How schemes end that keep one response per item."""


@dataclass(frozen=True, slots=True)
class LeaderAudit(Record):
    """The audits of LEADER's two data models, each with the paper's tables and findings.

    Attributes
    ----------
    audits : tuple of Audit
    """

    audits: tuple[Audit, ...]

    def document(self) -> Document:
        """Return both audits, one after the other, under the names of their data."""
        blocks: list[Block] = []
        notes: dict[str, None] = {}
        for found in self.audits:
            said = [Sentence(line) for line in findings(found).splitlines()]
            tables = [smallest(found, by) for by in ("scheme", "metric")]
            part = document(found, [*tables, Heading("LEADER's findings"), *said])
            blocks += [Heading(f"{found.model[0].upper()}{found.model[1:]}"), *part.blocks]
            notes |= dict.fromkeys(part.notes)
        signature = "; ".join(found.signature for found in self.audits)
        return Document("LEADER's estimators, audited", tuple(blocks), tuple(notes), signature)


def smallest(found: Audit, by: str) -> Table:
    """LEADER's tables 1 and 2 (3 and 4): the smallest error of estimated p, and the mean error, which they hide."""
    rows = [row for row in found.smallest if row.by == by and row.truth != SPLIT]
    epsilons = list(dict.fromkeys(row.epsilon for row in rows))
    lines = []
    for name in dict.fromkeys(row.name for row in rows):
        cells = {row.epsilon: f"{row.smallest:.5f} ({row.mean:.3f})" for row in rows if row.name == name}
        n = next(row.n for row in rows if row.name == name)
        lines.append([name, str(n), *(cells[epsilon] for epsilon in epsilons)])
    other = "metrics" if by == "scheme" else "schemes"
    return plain_table(
        f"LEADER's layout: smallest error of estimated p among the {other} (mean error of all of them)",
        [by, "n", *(f"ε = {epsilon:g}" for epsilon in epsilons)],
        lines,
    )


def findings(found: Audit) -> str:
    """Return where LEADER's findings hold on these numbers, and where they do not: a line for each."""
    return "\n".join(
        [*_best_schemes(found), *_bootstrap_sign(found), *_single(found), *_best_metrics(found), *_beside(found)]
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
        f"The smallest error hides the others: {hidden.name} at ε = {hidden.epsilon:g} has {hidden.smallest:.3f} with "
        f"its best metric, {hidden.mean:.3f} on average and {hidden.largest:.3f} with the worst of {hidden.n}."
    )
    return lines


def _bootstrap_sign(found: Audit) -> list[str]:
    """Return what (bootstrap_items, all) is, why it comes near the true p, and how it does as a test."""
    kept = [row for row in found.tests if row.null == BOOTSTRAP_SIGN and row.scheme == "bootstrap/all"]
    nulls = [row for row in kept if row.truth == SAME]
    if not nulls:
        return []
    rejected, n = sum(row.rejected for row in nulls), sum(row.n_data_sets for row in nulls)
    lines = [
        "(bootstrap_items, all) pools what it keeps, so its null advantages are exactly 0: its estimated p is the "
        "bootstrap probability that the advantage changes sign. As a test at "
        f"{100 * found.alpha:g}% it rejects {100 * rejected / n:.1f}% of true nulls (ε = 0)."
    ]
    both = [row for row in found.tests if (row.scheme, row.null) == ("bootstrap/bootstrap", "pooled-responses")]
    (bias, error), (other_bias, other_error) = (
        _mean_errors(rows) for rows in (kept, [row for row in both if row.pvalue == EXPECTED])
    )
    if abs(bias) < abs(other_bias):
        lines.append(
            "True p compares two independent advantages, each with the error of one study. The resamples of "
            "(bootstrap_items, all) have that error once, and the data have it a second time. Where B is worse, its "
            f"mean bias is {_signed(bias)} (all metrics and ε); (bootstrap_items, sample) resamples items again for "
            f"the null: {_signed(other_bias)}. A single study is far less precise: the mean absolute errors are "
            f"{error:.3f} and {other_error:.3f}."
        )
    return lines


def _single(found: Audit) -> list[str]:
    rows = [row for row in found.smallest if row.by == "scheme" and row.truth != SPLIT]
    one = [row.mean for row in rows if row.name.endswith(ONE_RESPONSE)]
    more = [row.mean for row in rows if not row.name.endswith(ONE_RESPONSE)]
    if not one or not more:
        return []
    means = sum(one) / len(one), sum(more) / len(more)
    holds = (
        "LEADER's finding that one response per item does worse holds"
        if means[0] > means[1]
        else (
            "LEADER's finding that one response per item does worse does not hold if each is compared with its own "
            "true p"
        )
    )
    return [f"{holds}: mean error {means[0]:.3f} if one response is kept, {means[1]:.3f} if all are."]


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
        + ". Where true p is nearly 0, every metric with power comes close: this ranks power, not estimates."
    ]


def _beside(found: Audit) -> list[str]:
    """Return how often the tests that LEADER left as future work reject true nulls."""
    shares = []
    for null in ("sign-flip", "shifted-bootstrap", "paired-t", "wilcoxon"):
        rows = [row for row in found.tests if row.null == null and row.pvalue != EXPECTED and row.is_null]
        n = sum(row.n_data_sets for row in rows)
        if n:
            shares.append(f"{null} {100 * sum(row.rejected for row in rows) / n:.1f}%")
    if not shares:
        return []
    return [
        f"The tests that LEADER left as future work reject true nulls of both kinds, all metrics together, at "
        f"{100 * found.alpha:g}%: {', '.join(shares)}."
    ]


def _signed(value: float) -> str:
    return f"{'+' if value >= 0 else '−'}{abs(value):.3f}"


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
