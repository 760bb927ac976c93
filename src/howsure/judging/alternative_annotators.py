"""How well a judge agrees with raters, beside how well they agree with each other: scores by (unit, rater), and tests.

A unit is an item, or one model's answer to it, that two or more people responded to. Of each response, rater and judge
are both scored by the unit's *other* raters: by the share who said the same (labels), or by minus the root mean squared
distance to them (numbers).

The alternative annotator test (Calderon, Reichart and Dror 2025) counts for each rater how often the judge scores at
least as well, and how often the rater does. The judge wins against a rater if the second share exceeds the first by
less than ε, by a one-sided t test; false wins are held at 5% by Benjamini and Yekutieli. ω is the share of raters that
the judge wins against, and ρ the mean share of responses on which it scores at least as well.
"""

import math
from dataclasses import dataclass

import numpy as np

from howsure.data.scales import BoolArray, FloatArray, IntArray
from howsure.raters.components import TwoWay, two_way

ENOUGH = 30
"""Raters with fewer responses are left out of the test, as its authors do."""

FALSE_WINS = 0.05
"""The level of the test."""

PASSES = 0.5
"""A judge passes if it wins against this share of the raters."""


@dataclass(frozen=True, slots=True)
class JudgedUnits:
    """People's and a judge's responses to the same units.

    Attributes
    ----------
    values, units, raters : array
        Each response of a person: its value, unit and rater. Labels are numbers, too.
    judge : array of float, (calls, units)
        The judge's responses; NaN where a unit has fewer calls.
    items : array of int
        The item of each unit.
    labels : bool
        Whether values are labels, which are the same or not, and no numbers.
    """

    values: FloatArray
    units: IntArray
    raters: IntArray
    judge: FloatArray
    items: IntArray
    labels: bool

    @property
    def n_units(self) -> int:
        """The number of units."""
        return self.items.size

    @property
    def sizes(self) -> IntArray:
        """The number of people's responses to each unit."""
        return np.bincount(self.units, minlength=self.n_units)

    @property
    def scored(self) -> BoolArray:
        """Which responses have another person's response beside them, and one of the judge."""
        return np.asarray((self.sizes[self.units] > 1) & ~np.isnan(self.judge[0])[self.units])

    def human_means(self) -> FloatArray:
        """Return the mean of people's responses to each unit; NaN where there is none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.bincount(self.units, self.values, minlength=self.n_units) / self.sizes)

    def scores_of(self, answers: FloatArray) -> FloatArray:
        """Return the score of one answer to each unit by the other raters of each response."""
        return self._by_others(answers[self.units])

    def human_scores(self) -> FloatArray:
        """Return the score of each response by the other raters of its unit."""
        return self._by_others(self.values)

    def judge_scores(self) -> FloatArray:
        """Return the judge's score beside each response, on average over its calls."""
        found = np.stack([self.scores_of(call) for call in self.judge])
        known = ~np.isnan(found)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(known, found, 0.0).sum(axis=0) / known.sum(axis=0))

    def _by_others(self, answers: FloatArray) -> FloatArray:
        """Score an answer beside each response by the other responses to the unit."""
        others = self.sizes[self.units] - 1.0
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.labels:
                top = 1.0 + np.nanmax(np.concatenate([self.values, self.judge.ravel()]))
                known = np.nan_to_num(answers, nan=-1.0)
                keys = self.units * (top + 1) + self.values
                ordered = np.sort(keys)
                asked = self.units * (top + 1) + known
                alike = np.searchsorted(ordered, asked, "right") - np.searchsorted(ordered, asked, "left")
                found = (alike - (known == self.values)) / others
            else:
                sums, squares = (
                    np.bincount(self.units, part, minlength=self.n_units)[self.units]
                    for part in (self.values, np.square(self.values))
                )
                count = self.sizes[self.units]
                total = squares - 2 * answers * sums + count * np.square(answers)
                found = -np.sqrt(np.maximum(total - np.square(answers - self.values), 0.0) / others)
        return np.asarray(np.where(np.isnan(answers), np.nan, found))

    def mean(self, values: FloatArray, kept: BoolArray | None = None) -> TwoWay:
        """Return the mean of values beside responses, with its error from items and raters as random factors.

        Of the responses that are kept; by default of those that another person's stands beside.
        """
        kept = self.scored & ~np.isnan(values) if kept is None else kept
        items, raters, own = self.items[self.units[kept]], self.raters[kept], values[kept]
        keys, cell, counts = np.unique(np.stack([items, raters]), axis=1, return_inverse=True, return_counts=True)
        return two_way(np.bincount(cell.ravel(), own) / counts, items=keys[0], raters=keys[1], weights=counts)

    def constant(self) -> float:
        """Return the best answer that is always the same: the most frequent label, or the nearest to the mean."""
        levels, counts = np.unique(self.values, return_counts=True)
        if self.labels:
            return float(levels[counts.argmax()])
        return float(levels[np.abs(levels - self.values.mean()).argmin()])


@dataclass(frozen=True, slots=True)
class AlternativeAnnotator:
    """The result of the alternative annotator test.

    Attributes
    ----------
    winning_rate : float
        ω: the share of raters that the judge wins against; NaN where no rater has enough responses.
    advantage_probability : float
        ρ: the mean share of responses on which the judge scores at least as well as the rater.
    n_raters : int
        The raters with enough responses.
    """

    winning_rate: float
    advantage_probability: float
    n_raters: int

    @property
    def passes(self) -> bool:
        """Whether the judge wins against half of the raters or more."""
        return self.winning_rate >= PASSES


def alternative_annotator_test(
    data: JudgedUnits, judge_scores: FloatArray, epsilon: float, *, enough: int = ENOUGH
) -> AlternativeAnnotator:
    """Run the alternative annotator test of a judge with these scores beside each response."""
    from scipy.special import stdtr

    kept = data.scored & ~np.isnan(judge_scores)
    human = data.human_scores()
    slack = 1e-12  # scores that rounding alone tells from each other are tied
    judge_wins = (judge_scores >= human - slack).astype(np.float64)
    human_wins = (human >= judge_scores - slack).astype(np.float64)
    pvalues, shares = [], []
    for rater in np.unique(data.raters[kept]):
        own = kept & (data.raters == rater)
        if np.count_nonzero(own) < enough:
            continue
        behind = human_wins[own] - judge_wins[own]
        error = float(behind.std(ddof=1)) / math.sqrt(behind.size)
        if error > 0:
            pvalues.append(float(stdtr(behind.size - 1.0, (behind.mean() - epsilon) / error)))
        else:
            pvalues.append(float(behind[0] >= epsilon))
        shares.append(float(judge_wins[own].mean()))
    if not pvalues:
        return AlternativeAnnotator(math.nan, math.nan, 0)
    return AlternativeAnnotator(
        float(_false_discoveries(np.array(pvalues)).mean()), float(np.mean(shares)), len(shares)
    )


def _false_discoveries(pvalues: FloatArray) -> BoolArray:
    """Return which hypotheses Benjamini and Yekutieli (2001) reject, whatever the tests have in common."""
    m = pvalues.size
    order = np.argsort(pvalues)
    rank = np.arange(1, m + 1)
    below = np.flatnonzero(pvalues[order] <= rank / m * FALSE_WINS / (1 / rank).sum())
    rejected = np.zeros(m, dtype=bool)
    rejected[order[: below[-1] + 1 if below.size else 0]] = True
    return rejected
