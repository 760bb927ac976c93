"""LEADER's question, which metric and sampling method estimate p best: on its own data, or on a table of one's own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from howsure.auditing.document import document, plain_table
from howsure.auditing.estimators import BOOTSTRAP_SIGN, EXPECTED
from howsure.auditing.grid_point import LEADER_NULLS, SAME, SPLIT
from howsure.auditing.result import Audit, SmallestRow, TestRow
from howsure.documents import Block, Document, Heading, Sentence, Table, details
from howsure.records import Record

ONE_RESPONSE = ("/one", "/first")
"""How schemes end that keep one response per item."""


SCHEMES = (
    ("all", "one"),
    ("all", "bootstrap"),
    ("bootstrap", "all"),
    ("bootstrap", "first"),
    ("bootstrap", "one"),
    ("bootstrap", "bootstrap"),
)
"""The paper's six sampling methods."""

METRICS = {"nominal": ("accuracy", "tv", "js", "wins:tv", "brier")}
"""What is ranked on labels unless metrics are named."""

OF_NUMBERS = ("mae", "mse", "wins", "spearman", "emd", "cosine")
"""The same on ratings and numbers."""

EPSILONS = (0.0, 0.05, 0.1, 0.3)
"""Half of the paper's, so that an answer takes seconds."""


def on_own_data(kind: str) -> dict[str, Any]:
    """Return what is asked of an audit of data of this kind of scale where nothing else is asked for."""
    return {
        "metrics": METRICS.get(kind, OF_NUMBERS),
        "schemes": SCHEMES,
        "nulls": ("pooled-responses",),
        "tests": (),
        "intervals": (),
        "epsilons": EPSILONS,
        "different_errors": False,
        "n_simulations": 100,
        "n_resamples": 199,
    }


@dataclass(frozen=True, slots=True)
class LeaderAudit(Record):
    """Audits in LEADER's layout: how near estimated p comes to the true p, by sampling method and by metric.

    Attributes
    ----------
    audits : tuple of Audit
        Of the paper's two data models, or of one's own.
    """

    audits: tuple[Audit, ...]

    def document(self) -> Document:
        """Return the audits, one after the other, under the names of their data where there are several."""
        blocks: list[Block] = []
        notes: dict[str, None] = {}
        for found in self.audits:
            tables = [ranking(found, by) for by in ("scheme", "metric")]
            said: list[Block] = [
                Heading("LEADER's findings"),
                *(Sentence(line) for line in findings(found).splitlines()),
            ]
            part = document(found, [*(smallest(found, by) for by in ("scheme", "metric")), *said])
            blocks += [Heading(f"{found.model[0].upper()}{found.model[1:]}")] * (len(self.audits) > 1)
            blocks += [Sentence(verdict(found), "verdict"), *tables, Sentence(CAVEAT), *details(part.blocks)]
            notes |= dict.fromkeys(part.notes)
        signature = "; ".join(found.signature for found in self.audits)
        return Document("Which metric and sampling method estimate p best?", tuple(blocks), tuple(notes), signature)


CAVEAT = (
    "Methods that keep one response are held against studies with one response. Where the true p is nearly 0, every "
    "metric with power comes close to it. Error rates of tests are in the whole audit (`verbose`, or a report)."
)


def verdict(found: Audit) -> str:
    """Return the metric and the sampling method whose p-values come nearest to the true p, and the farthest."""
    errors: dict[tuple[str, str], list[float]] = {}
    for row in found.tests:
        if row.null in LEADER_NULLS and row.pvalue == EXPECTED and not row.is_null and row.n_data_sets:
            errors.setdefault((row.metric, row.scheme), []).append(row.absolute_error)
    if not errors:
        return "No ε above 0 was audited, so there is no true p to come near to."
    means = sorted((sum(each) / len(each), key) for key, each in errors.items())
    (least, (metric, scheme)), (most, (other, of_other)) = means[0], means[-1]
    worst = f" The worst of {len(means)}, {other} with {of_other}, are off by {most:.3f}." if len(means) > 1 else ""
    return (
        f"The p-values of {metric} with {scheme} (items/responses) come nearest to the true p: on average they are off "
        f"by {least:.3f} where B is worse.{worst}"
    )


def ranking(found: Audit, by: str) -> Table:
    """LEADER's tables 1 and 2 (3 and 4) by the mean absolute error of estimated p, the least first."""
    rows = [row for row in found.smallest if row.by == by and row.truth != SPLIT]
    epsilons = list(dict.fromkeys(row.epsilon for row in rows))
    ranked = []
    for name in dict.fromkeys(row.name for row in rows):
        errors = {
            epsilon: [row.mean for row in rows if (row.name, row.epsilon) == (name, epsilon)] for epsilon in epsilons
        }
        of_each = [sum(each) / len(each) for each in errors.values()]
        worse = [error for epsilon, error in zip(epsilons, of_each, strict=True) if epsilon > 0]
        ranked.append((sum(worse) / len(worse) if worse else math.nan, name, of_each))
    lines = [[name, f"{mean:.3f}", *(f"{error:.3f}" for error in each)] for mean, name, each in sorted(ranked)]
    what = "sampling method (items/responses)" if by == "scheme" else by
    return plain_table(
        f"Mean absolute error of estimated p by {what}, best first",
        [what, "mean of ε > 0", *(f"ε = {epsilon:g}" for epsilon in epsilons)],
        lines,
    )


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
