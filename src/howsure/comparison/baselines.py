"""Tests that other work reports, beside the one that decides: Welch's t, paired t, Wilcoxon, flat item bootstrap.

All use one number for each item and model, the mean of its responses (RATINGS, §5.3). None decides a verdict.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure import _check
from howsure._random import generator
from howsure.data.scales import FloatArray
from howsure.difference_tests import Hypothesis, Sample
from howsure.documents import Block, Column, Sentence, Table
from howsure.inference import PValue, tail_pvalue
from howsure.nulls.item_tests import PairedT, WilcoxonSigned

if TYPE_CHECKING:
    from howsure.comparison.results import Comparison, Comparisons, ItemScores

WELCH, ITEM_BOOTSTRAP = "welch-t", "item-bootstrap"
ITEM_TESTS = {null.name: null for null in (PairedT(), WilcoxonSigned())}

BASELINES = {
    WELCH: "treats the items of A and of B as two independent samples, although they are the same items",
    PairedT.name: "assumes many items, or normal advantages",
    WilcoxonSigned.name: "tests the median of the item advantages, and assumes that they are symmetric around it",
    ITEM_BOOTSTRAP: "the flat bootstrap: twice the share of resampled advantages on the other side of 0",
}
"""Each test, and what it assumes or is."""

DRAWS, BLOCK = 1999, 1 << 22


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
        return _welch(result, items)
    if test == ITEM_BOOTSTRAP:
        found = _flat(items.advantages, result.alternative, seed)
        return Baseline(test, float(items.advantages.mean()), found.pvalue, found.is_bound)
    if not np.any(items.advantages):
        return Baseline(test, 0.0, 1.0)
    null = ITEM_TESTS[test]
    tested = null.test.run(Sample.of(items.advantages[np.newaxis]), Hypothesis(result.alternative, interval=False))
    return Baseline(test, float(tested.statistic[0]), float(tested.pvalue[0]))


def _welch(result: "Comparison", items: "ItemScores") -> Baseline:
    from scipy import stats

    sign = -1 if result.better == "lower" else 1
    side: Any = {"alternative": result.alternative}
    answer: Any = stats.ttest_ind(sign * items.a, sign * items.b, equal_var=False, **side)
    return Baseline(WELCH, float(answer.statistic), float(answer.pvalue))


def _flat(advantages: FloatArray, alternative: str, seed: int) -> PValue:
    """Return the share of resampled mean advantages on the other side of zero; twice the smaller one for two sides."""
    stream = generator(np.random.SeedSequence(seed), "baselines")
    size = max(1, BLOCK // advantages.size)
    draws = np.concatenate(
        [
            advantages[stream.integers(0, advantages.size, (min(size, DRAWS - first), advantages.size))].mean(axis=1)
            for first in range(0, DRAWS, size)
        ]
    )
    return tail_pvalue(0.0, -draws, alternative=alternative)


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
