"""Strengths from votes: Bradley and Terry's model, and what each voter or item adds to it.

A strength is a log-odds: the first of two models wins with the log-odds θ_first − θ_second, plus what its place is
worth (Davidson and Beaver 1977) and what measured properties of the two outputs are worth. Ties count half, with which
levels hold; a tie term of its own (Davidson 1970) would only serve to predict ties.

Voters (or items) are the units that are drawn. To the difference of two models a voter adds an *influence*, the sum of
which over voters is 0, and has a *share* of the information, the sum of which is 1. Busy voters have large shares:
equal shares called 21% of leaderboards of equal models different where 25 voters had loads like 1/rank.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from howsure.data.scales import FloatArray, IntArray
from howsure.documents.numbers import listed
from howsure.errors import DataError

PLACE = "the first place"
"""The effect of being shown first."""
MOST_STEPS, STEADY, ROUNDED = 100, 1e-12, 1e-9
"""Newton's steps at the most, the size of the last one, and how much rounding may change a likelihood."""
ENDLESS = 30.0
"""Log-odds beyond this are on their way to infinity."""
ONCE = 2**22
"""Numbers that are held at once for a block of contrasts, unless a single one has more."""
WHOLE = 1 - 1e-9
"""A unit with this share has all the information, so nothing is left to estimate an error from."""


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Votes between two models each.

    Attributes
    ----------
    models : tuple of str
    first, second : array of int
        The two models of each vote.
    won : array of float
        1 where the first is better, 0 where the second is, ½ for a tie.
    items, voters : array of int or None
    ordered : bool
        Whether the first model was shown first, so that its place may be worth something.
    controls : mapping of str to array of float
        Properties of the first output compared with the second, whose worth is estimated along with the strengths.
    """

    models: tuple[str, ...]
    first: IntArray
    second: IntArray
    won: FloatArray
    items: IntArray | None = None
    voters: IntArray | None = None
    ordered: bool = False
    controls: tuple[tuple[str, FloatArray], ...] = ()

    @property
    def effects(self) -> tuple[str, ...]:
        """What is estimated besides strengths."""
        return (*((PLACE,) if self.ordered else ()), *(name for name, _ in self.controls))

    @property
    def wins(self) -> FloatArray:
        """How often each model won against each other one, ties counted half."""
        wins = np.zeros((len(self.models), len(self.models)))
        np.add.at(wins, (self.first, self.second), self.won)
        np.add.at(wins, (self.second, self.first), 1 - self.won)
        return wins


@dataclass(frozen=True, slots=True, eq=False)
class VoteKinds:
    """Votes that are alike, counted once: the same models in the same places, the same result and properties.

    Attributes
    ----------
    design : sparse array, (kinds, models + effects)
        1 for the first model, −1 for the second, then the other effects.
    won, counts : array, (kinds,)
    of_votes : array of int, (votes,)
        The kind of each vote.
    n_models : int
    """

    design: Any
    won: FloatArray
    counts: FloatArray
    of_votes: IntArray
    n_models: int

    @classmethod
    def of(cls, votes: Votes) -> "VoteKinds":
        """Count them."""
        from scipy.sparse import csr_array, hstack

        columns = [votes.first, votes.second, votes.won, *(values for _, values in votes.controls)]
        rows, of_votes, counts = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True, return_counts=True)
        n, m = len(rows), len(votes.models)
        ones, places = np.ones(n), np.concatenate([rows[:, 0], rows[:, 1]]).astype(np.int64)
        models = csr_array((np.concatenate([ones, -ones]), (np.tile(np.arange(n), 2), places)), (n, m))
        others = [*([ones] if votes.ordered else []), *rows[:, 3:].T]
        design = hstack([models, *(csr_array(column[:, np.newaxis]) for column in others)], format="csr")
        return cls(design, rows[:, 2], counts.astype(np.float64), of_votes.ravel(), m)

    def information(self, chances: FloatArray, design: Any) -> FloatArray:
        """Return the information, with the mean strength held at 0."""
        weighted = design.multiply((self.counts * chances * (1 - chances))[:, np.newaxis])
        found = np.asarray((weighted.T @ design).toarray())
        m = design.shape[1] - (self.design.shape[1] - self.n_models)
        found[:m, :m] += 1 / m
        return found

    def maximum(self, design: Any, start: FloatArray) -> FloatArray:
        """Return the coefficients with the largest likelihood, by Newton's steps; a step that overshoots is halved."""

        def likelihood(at: FloatArray) -> float:
            logits = design @ at
            return float(self.counts @ (self.won * logits - np.logaddexp(0.0, logits)))

        found = start
        for _ in range(MOST_STEPS):
            chances = expit(design @ found)
            step = np.linalg.solve(self.information(chances, design), design.T @ (self.counts * (self.won - chances)))
            while likelihood(found + step) < likelihood(found) - ROUNDED:
                step = step / 2
            found = found + step
            if np.abs(step).max() < STEADY or np.abs(design @ found).max() > ENDLESS:
                break
        return found


@dataclass(frozen=True, eq=False)
class Strengths:
    """Bradley and Terry's model, fitted to votes.

    Attributes
    ----------
    votes : Votes
    kinds : VoteKinds
    coefficients : array, (models + effects,)
        Log-strengths, 0 on average, then the other effects.
    inverse : array, (coefficients, coefficients)
        Of the information.
    """

    votes: Votes
    kinds: VoteKinds
    coefficients: FloatArray
    inverse: FloatArray

    @property
    def strengths(self) -> FloatArray:
        """The log-strengths, 0 on average."""
        return self.coefficients[: len(self.votes.models)]

    @cached_property
    def chances(self) -> FloatArray:
        """With which probability the first model wins, for each kind of vote."""
        return np.asarray(expit(self.kinds.design @ self.coefficients))

    @property
    def information(self) -> FloatArray:
        """How much a vote of each kind tells."""
        return self.chances * (1 - self.chances)

    def merged(self, a: int, b: int) -> FloatArray:
        """Return what a vote of each kind adds to the difference of two models where these are taken to be equal.

        The model is fitted again with one strength for both: the null of Kline and Santos (2012).
        """
        from scipy.sparse import csr_array

        k, kinds = self.coefficients.size, self.kinds
        kept = np.delete(np.arange(k), b)
        rows, columns = np.arange(k), np.searchsorted(kept, np.where(np.arange(k) == b, a, np.arange(k)))
        design = csr_array(kinds.design @ csr_array((np.ones(k), (rows, columns)), (k, k - 1)))
        start = self.coefficients[kept].copy()
        start[columns[a]] = (self.coefficients[a] + self.coefficients[b]) / 2
        start[: kinds.n_models - 1] -= start[: kinds.n_models - 1].mean()
        chances = expit(design @ kinds.maximum(design, start))
        contrast = np.zeros(k)
        contrast[a], contrast[b] = 1.0, -1.0
        lever = kinds.design @ np.linalg.solve(kinds.information(chances, kinds.design), contrast)
        return np.asarray(lever * (kinds.won - chances))


def fit_strengths(votes: Votes) -> Strengths:
    """Fit by maximum likelihood (Bradley and Terry 1952).

    Strengths exist only if every model has, over some chain of wins or ties, beaten every other (Ford 1957). Their
    likelihood is then concave with one maximum.
    """
    gap = _gap(votes.wins > 0)
    if gap is not None:
        worse, better = (listed([votes.models[j] for j in side], 3) for side in gap)
        raise DataError(
            f"no vote prefers any of {worse} to any of {better}, so their difference in strength cannot be estimated. "
            "Leave models out, or collect more votes."
        )
    kinds = VoteKinds.of(votes)
    _check_separable(votes, kinds.design)
    found = kinds.maximum(kinds.design, np.zeros(kinds.design.shape[1]))
    found[: len(votes.models)] -= found[: len(votes.models)].mean()
    logits = kinds.design @ found
    if np.abs(logits).max() > ENDLESS:
        raise DataError(
            f"{listed(votes.effects, 3)} alone could explain every vote of some models, so no finite effect fits. "
            "Collect more votes, or leave it out (`unordered`, `control`)."
        )
    inverse = np.asarray(np.linalg.inv(kinds.information(expit(logits), kinds.design)), dtype=np.float64)
    return Strengths(votes, kinds, found, inverse)


def _check_separable(votes: Votes, design: Any) -> None:
    """Refuse effects that the votes cannot tell from strengths, such as the place of a model that is always first."""
    m = len(votes.models)

    def rank(columns: Any) -> int:
        return int(np.linalg.matrix_rank(np.asarray((columns.T @ columns).toarray())))

    if rank(design) == m - 1 + len(votes.effects):
        return
    if votes.ordered and rank(design[:, : m + 1]) < m:
        first = np.bincount(votes.first, minlength=m) / np.bincount(np.concatenate([votes.first, votes.second]))
        always = [votes.models[j] for j in np.flatnonzero(first == 1)]
        who = f"{always[0]} was first in every vote" if always else "the order of the models never varies enough"
        raise DataError(
            f"{who}, so being better and being shown first cannot be separated. Collect votes in the other order, "
            "or pass `unordered` if the columns do not say which model was shown first."
        )
    raise DataError(
        f"the effect of {listed([name for name, _ in votes.controls], 3)} cannot be separated from the strengths: "
        "it hardly varies between the votes of two models. Leave it out of `control`."
    )


def _gap(beaten: Any) -> tuple[list[int], list[int]] | None:
    """Return models that never won or tied against the others, and those others; None where chains of wins link all."""
    from scipy.sparse.csgraph import breadth_first_order

    for forward, links in ((True, beaten), (False, beaten.T)):
        seen = sorted(breadth_first_order(links, 0, return_predecessors=False).tolist())
        others = sorted({*range(beaten.shape[0])} - {*seen})
        if others:
            return (seen, others) if forward else (others, seen)
    return None


@dataclass(frozen=True, slots=True)
class ContrastErrors:
    """The errors of linear combinations of coefficients.

    Attributes
    ----------
    errors, df : array, (contrasts,)
        Standard errors and their degrees of freedom; NaN where one unit has all the information.
    """

    errors: FloatArray
    df: FloatArray


@dataclass(frozen=True, eq=False)
class VoteUnits:
    """The voters, items or single votes that are drawn.

    Attributes
    ----------
    fit : Strengths
    word : str
    codes : array of int, (votes,)
        The unit of each vote.
    """

    fit: Strengths
    word: str
    codes: IntArray

    @property
    def n_units(self) -> int:
        """How many there are."""
        return int(self.codes.max()) + 1

    @property
    def largest_share(self) -> float:
        """The share of the votes of the unit with most of them."""
        return float(np.bincount(self.codes).max() / self.codes.size)

    @cached_property
    def counts(self) -> Any:
        """How many votes of each kind each unit has: (units, kinds), sparse."""
        from scipy.sparse import csr_array

        kinds = self.fit.kinds
        places = (self.codes, kinds.of_votes)
        return csr_array((np.ones(self.codes.size), places), (self.n_units, kinds.won.size))

    @cached_property
    def influences(self) -> FloatArray:
        """By how much each unit moves each coefficient: (units, coefficients)."""
        kinds = self.fit.kinds
        scores = kinds.design.multiply((kinds.won - self.fit.chances)[:, np.newaxis])
        return np.asarray((self.counts @ scores.tocsr()).toarray() @ self.fit.inverse)

    @cached_property
    def informations(self) -> Any:
        """The information of each unit's votes, a matrix in one row: (units, coefficients²), sparse."""
        from scipy.sparse import csr_array

        design, k = self.fit.kinds.design, self.fit.inverse.shape[0]
        width = np.diff(design.indptr)
        kinds = np.repeat(np.arange(width.size), width)
        # Every entry of a row meets every entry of the same row.
        left = np.repeat(np.arange(design.nnz), width[kinds])
        ends = np.cumsum(width[kinds])
        right = design.indptr[kinds][np.searchsorted(ends, np.arange(left.size), side="right")]
        right = right + np.arange(left.size) - np.repeat(ends - width[kinds], width[kinds])
        values = design.data[left] * design.data[right] * self.fit.information[kinds[left]]
        places = design.indices[left].astype(np.int64) * k + design.indices[right]
        return self.counts @ csr_array((values, (kinds[left], places)), (width.size, k * k))

    def blocks(self, contrasts: Any) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Yield some contrasts (columns) at a time, with each unit's influence and share: (units, contrasts)."""
        from scipy.sparse import csc_array

        contrasts = csc_array(contrasts)
        fit, weights = self.fit, self.fit.information[:, np.newaxis]
        step = max(1, ONCE // max(self.n_units, weights.size))
        for start in range(0, contrasts.shape[1], step):
            some = slice(start, start + step)
            of_some = contrasts[:, some].toarray()
            lever = np.asarray(fit.kinds.design @ (fit.inverse @ of_some))
            shares = np.asarray(self.counts @ (weights * lever**2))
            yield some, self.influences @ of_some, shares / shares.sum(axis=0)

    def errors(self, contrasts: Any) -> ContrastErrors:
        """Return errors that allow for unequal shares: CR2 with the degrees of freedom of Bell and McCaffrey (2002)."""
        errors, df = np.full((2, contrasts.shape[1]), np.nan)
        for some, influences, shares in self.blocks(contrasts):
            known = (shares < WHOLE).all(axis=0)
            left = np.where(known, 1 - shares, np.nan)
            errors[some] = np.sqrt((influences**2 / left).sum(axis=0))
            inner = (shares**2 / left).sum(axis=0)
            df[some] = 1 / ((shares**2).sum(axis=0) + inner**2 - (shares**4 / left**2).sum(axis=0))
        return ContrastErrors(errors, df)


def contrasts_of(n_coefficients: int, first: IntArray, second: IntArray) -> Any:
    """Return the difference of two models in each column (sparse)."""
    from scipy.sparse import csc_array

    columns, ones = np.tile(np.arange(first.size), 2), np.ones(first.size)
    places = (np.concatenate([first, second]), columns)
    return csc_array((np.concatenate([ones, -ones]), places), (n_coefficients, first.size))
