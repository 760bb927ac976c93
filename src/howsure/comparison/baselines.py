"""Tests that other work reports, beside the one that decides: Welch's t, paired t, Wilcoxon, flat item bootstrap.

All use one number for each item and model, the mean of its responses (RATINGS, §5.3). None decides a verdict.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from howsure import _check
from howsure.documents import Block, Column, Sentence, Table
from howsure.inference.evidence import Evidence
from howsure.nulls import STUDENT_T, WELCH, Hypothesis, Units, combined
from howsure.nulls.bootstrap import BootstrapSign
from howsure.nulls.ranks import Wilcoxon
from howsure.nulls.student import welch
from howsure.resampling.draws import MeansDrawn, in_batches

if TYPE_CHECKING:
    from howsure.comparison.results import Comparison, Comparisons

ITEM_BOOTSTRAP, FLAT = "item-bootstrap", BootstrapSign()
ITEM_TESTS = {null.name: null for null in (STUDENT_T, Wilcoxon())}

BASELINES = {
    WELCH: "treats the items of A and of B as two independent samples, although they are the same items",
    STUDENT_T.name: "assumes many items, or normal advantages",
    Wilcoxon.name: "tests the median of the item advantages, and assumes that they are symmetric around it",
    ITEM_BOOTSTRAP: "the flat bootstrap: twice the share of resampled advantages on the other side of 0",
}
"""Each test, and what it assumes or is."""

DRAWS = 1999
"""Resamples of the item bootstrap, which decides nothing."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A test that is shown beside the verdict.

    Attributes
    ----------
    test : str
    statistic : float
        t, Wilcoxon's sum of ranks, or the advantage.
    pvalue : float
        NaN where the metric has no score for each item of each model.
    is_bound : bool
        Whether draws cannot tell p from zero.
    """

    test: str
    statistic: float
    pvalue: float
    is_bound: bool = False

    @property
    def shown(self) -> str:
        """The p-value as text."""
        if math.isnan(self.pvalue):
            return "undefined"
        return f"{'< ' if self.is_bound else ''}{self.pvalue:.2g}"


def with_baselines(found: "Comparisons", tests: Sequence[str], seed: int) -> "Comparisons":
    """Return the comparisons with these tests beside each of them."""
    for test in tests:
        _check.one_of("test", test, BASELINES)
    entries = tuple(
        replace(entry, baselines=tuple(_baseline(entry, test, seed) for test in dict.fromkeys(tests)))
        for entry in found.comparisons
    )
    return found.having(entries, test=",".join(dict.fromkeys(tests)))


def _baseline(result: "Comparison", test: str, seed: int) -> Baseline:
    """Return one test of the item scores of a comparison."""
    items = result.item_scores
    needed = None if items is None else (items.a if test == WELCH else items.advantages)
    if items is None or needed is None or needed.size < 2 or not np.all(np.isfinite(needed)):
        return Baseline(test, math.nan, math.nan)
    if test == WELCH:
        sign = -1 if result.better == "lower" else 1
        t, tails = welch(sign * items.a[np.newaxis], sign * items.b[np.newaxis])
        return Baseline(test, float(t[0]), float(combined(tails, result.alternative)[0]))
    if not np.any(items.advantages):
        return Baseline(test, 0.0, 1.0)
    units = Units.of(items.advantages[np.newaxis])
    if test == ITEM_BOOTSTRAP:
        drawing = MeansDrawn(units.sums, units.sizes)
        source = np.random.SeedSequence(seed)
        draws = in_batches(drawing, (1, 1), n_resamples=DRAWS, seed=source, purpose="baselines").advantages[0]
        found = FLAT.pvalues(Evidence(units.means, null_draws=draws), result.alternative)[0]
        return Baseline(test, float(units.means[0]), found.pvalue, found.is_bound)
    tested = ITEM_TESTS[test].run(units, Hypothesis(result.alternative, interval=False))
    return Baseline(test, float(tested.statistic[0]), float(tested.pvalue[0]))


def blocks(found: Sequence["Comparison"]) -> list[Block]:
    """Return the table of baselines with what each assumes; nothing where none was asked for."""
    if not any(entry.baselines for entry in found):
        return []
    several = len(found) > 1
    columns = [*([Column("comparison")] if several else []), Column("baseline"), Column("p"), Column("what it is")]
    rows = [
        (
            *([", ".join(part for part in (entry.slice, entry.metric) if part)] if several else []),
            baseline.test,
            baseline.shown,
            BASELINES[baseline.test],
        )
        for entry in found
        for baseline in entry.baselines
    ]
    said = f"The verdict is by {found[0].null}. The baselines are shown for comparison only."
    unknown = [entry.metric for entry in found if any(math.isnan(one.pvalue) for one in entry.baselines)]
    if unknown:
        said += f" It is undefined where a model has no score for each item ({', '.join(dict.fromkeys(unknown))})."
    return [Table(tuple(columns), tuple(rows), "Baselines"), Sentence(said)]
