"""Items × raters tables with missing cells: components and weights that use every value, as a mixed model does.

The model is value = mean + item + rater + residual. Where some raters judged more items than others, sums of squares
within items and within raters (`components`) lose much of what the table says about raters. Here the
components solve the equations of MINQUE (Rao 1971), which are a step of Fisher scoring for REML; a few such steps are
taken, each from the solution before. A component may come out below zero; it then counts as zero in the weights only.
On a complete table the solution is that of analysis of variance.

The weights that make the mean most precise are those of generalised least squares. Items are eliminated in closed
form, so that the largest matrix is raters × raters.
"""

from dataclasses import dataclass

import numpy as np

from howsure.data.scales import FloatArray, IntArray

MOST_RATERS = 400
"""Up to this many raters the matrices are small; with more, the method of moments is precise enough."""

DENSE = 2**20
"""Up to this many items × raters the table is a dense array, missing cells included."""

N_STEPS = 4


@dataclass(frozen=True, slots=True)
class CrossedFit:
    """What a mixed model makes of a table.

    Attributes
    ----------
    components : array of float
        Of items, raters and residual; those of items and raters may be below zero.
    truncated : array of float
        The same with zero in place of what is below.
    covariance : array of float
        Of the components, if the truncated ones are true.
    weights : array of float
        The weight of each value in the most precise mean; they sum to one.
    """

    components: FloatArray
    truncated: FloatArray
    covariance: FloatArray
    weights: FloatArray


def fit_crossed(
    values: FloatArray, items: IntArray, raters: IntArray, start: tuple[float, float, float]
) -> CrossedFit | None:
    """Fit the model from first guesses of the components; None where the table cannot tell them apart.

    `items` and `raters` number the rows and columns from 0 without gaps.

    Examples
    --------
    >>> table = np.array([9.0, 6, 8, 7, 10, 6, 2, 1, 4, 1, 5, 2])
    >>> fit = fit_crossed(table, np.arange(12) % 6, np.arange(12) // 6, (1.0, 1.0, 1.0))
    >>> fit.components.round(3), fit.weights.round(3)[:2]
    (array([ 2.   , 13.233,  0.683]), array([0.083, 0.083]))
    """
    y = values - values.mean()
    n_items, n_raters = int(items.max()) + 1, int(raters.max()) + 1
    if n_raters > MOST_RATERS or not np.ptp(values) > 0:
        return None
    table = CrossedTable(y, items, raters, n_items, n_raters)
    floor = 1e-6 * float(y @ y) / y.size
    guess = np.array([max(0.0, start[0]), max(0.0, start[1]), max(floor, start[2])])
    for _ in range(N_STEPS):
        information, squares = table.equations(guess)
        if not np.isfinite(information).all() or np.linalg.cond(information) > 1e12:
            return None
        found: FloatArray = np.linalg.solve(information, squares).astype(np.float64)
        truncated = np.array([max(0.0, found[0]), max(0.0, found[1]), max(floor, found[2])])
        converged = np.allclose(truncated, guess, rtol=1e-4, atol=1e-6 * float(guess.sum()))
        guess = truncated
        if converged:
            break
    covariance: FloatArray = (2 * np.linalg.inv(information)).astype(np.float64)
    return CrossedFit(found, guess, covariance, table.weights(guess))


class CrossedTable:
    """A table and the products of its incidence matrix that the equations need."""

    def __init__(self, y: FloatArray, items: IntArray, raters: IntArray, n_items: int, n_raters: int) -> None:
        self.y, self.items, self.raters = y, items, raters
        self.n_items, self.n_raters = n_items, n_raters
        self.per_item = np.bincount(items, minlength=n_items).astype(np.float64)
        self.per_rater = np.bincount(raters, minlength=n_raters).astype(np.float64)
        self.dense: FloatArray | None = None
        if n_items * n_raters <= DENSE:
            self.dense = np.zeros((n_items, n_raters))
            self.dense[items, raters] = 1.0

    def together(self, weight: FloatArray) -> FloatArray:
        """Return Σ over items of weight · (who judged it) (who judged it)ᵀ."""
        if self.dense is not None:
            return np.asarray(self.dense.T @ (weight[:, np.newaxis] * self.dense))
        from scipy.sparse import csr_array

        shape = (self.n_items, self.n_raters)
        judged = csr_array((np.sqrt(weight)[self.items], (self.items, self.raters)), shape=shape)
        return np.asarray((judged.T @ judged).toarray())

    def over_items(self, of_raters: FloatArray) -> FloatArray:
        """Return for each item the sum over its raters."""
        return np.bincount(self.items, of_raters[self.raters], minlength=self.n_items).astype(np.float64)

    def over_raters(self, of_items: FloatArray) -> FloatArray:
        """Return for each rater the sum over their items."""
        return np.bincount(self.raters, of_items[self.items], minlength=self.n_raters).astype(np.float64)

    def solved(self, guess: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return 1 / (residual + n · items) of each item, K = Zᵀ W Z and G = (I + raters · K)⁻¹.

        W is the inverse covariance without raters, Z says which rater gave which value.
        """
        of_items, of_raters, residual = guess
        inverse = 1 / (residual + self.per_item * of_items)
        k = (np.diag(self.per_rater) - self.together(of_items * inverse)) / residual
        return inverse, k, np.linalg.inv(np.eye(self.n_raters) + of_raters * k)

    def weights(self, guess: FloatArray) -> FloatArray:
        """Return the weights of generalised least squares."""
        of_items, of_raters, residual = guess
        inverse, _, g = self.solved(guess)
        rater = g @ self.over_raters(inverse)
        apart = (rater[self.raters] - (of_items * inverse * self.over_items(rater))[self.items]) / residual
        found = inverse[self.items] - of_raters * apart
        return np.asarray(found / found.sum())

    def equations(self, guess: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return tr(P Vⱼ P Vₖ) and yᵀ P Vⱼ P y, for items, raters and residual.

        P is the inverse covariance after the mean is removed, Vⱼ the derivative of the covariance. The rows of the
        residual follow from those of items and raters, since P V P = P.
        """
        of_items, of_raters, residual = guess
        inverse, k, g = self.solved(guess)
        sums = np.bincount(self.items, self.y, minlength=self.n_items)
        whitened = (self.y - (of_items * inverse * sums)[self.items]) / residual
        by_rater = np.bincount(self.raters, whitened, minlength=self.n_raters)
        ones = self.over_raters(inverse)
        g_ones, g_values = g @ ones, g @ by_rater
        full = self.per_item * inverse
        information = float(full.sum() - of_raters * ones @ g_ones)
        root = np.sqrt(information)
        r = g_ones / root
        p = (full - of_raters * inverse * self.over_items(g_ones)) / root
        squared = self.together(inverse**2)
        fp = self.over_raters(inverse * p)
        gs = g @ squared
        pp, rr = float(p @ p), float(r @ r)
        b = g @ k - np.outer(r, r)
        aa = float(
            full @ full
            - 2 * of_raters * np.sum(g * self.together(self.per_item * inverse**3))
            - 2 * full @ (p * p)
            + of_raters**2 * np.sum(gs * gs.T)
            + 2 * of_raters * fp @ g @ fp
            + pp**2
        )
        ab = float(np.sum(g * gs) - 2 * fp @ g @ r + pp * rr)
        bb = float(np.sum(b * b))
        trace_a, trace_b = float(full.sum() - of_raters * np.trace(gs) - pp), float(np.trace(b))
        along = float(whitened.sum() - of_raters * ones @ g_values) / root
        of_a = inverse * sums - of_raters * inverse * self.over_items(g_values) - p * along
        of_b = g_values - r * along
        whole = float(self.y @ whitened - of_raters * by_rater @ g_values - along**2)
        qa, qb = float(of_a @ of_a), float(of_b @ of_b)
        ae = (trace_a - of_items * aa - of_raters * ab) / residual
        be = (trace_b - of_items * ab - of_raters * bb) / residual
        trace_e = (self.y.size - 1 - of_items * trace_a - of_raters * trace_b) / residual
        ee = (trace_e - of_items * ae - of_raters * be) / residual
        qe = (whole - of_items * qa - of_raters * qb) / residual
        return np.array([[aa, ab, ae], [ab, bb, be], [ae, be, ee]]), np.array([qa, qb, qe])
