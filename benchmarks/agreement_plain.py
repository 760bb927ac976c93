"""Agreement of raters written out for one draw: what `howsure.raters` must equal, and was before it summed by item.

Items and raters both have weights here. The copies of a rater that a two-way bootstrap draws are still one rater: a
rater does not agree with themselves.
"""

import numpy as np

ZERO = 1e-12
"""A difference of two sums smaller than this share of them is rounding, and 0."""


def coefficients(cells, items, raters, *, kind, level):
    """Return every coefficient that a scale of this kind has."""
    found = {"krippendorff_alpha": alpha(cells, items, raters, level=level)}
    if kind != "continuous":
        found = categorical(cells, items, raters, ordered=kind == "ordinal") | found
    if kind != "nominal":
        found |= intraclass(cells, items, raters)
    return found


def categorical(cells, item_weights, rater_weights, *, ordered=False):
    """Return the observed agreement, Fleiss' κ, Gwet's AC1 and AC2 (Gwet 2014) from a table of agreement weights."""
    width = cells.levels.size
    weights = rater_weights[cells.raters]
    counts, own = (_table(cells, part) for part in (weights, weights**2))
    sizes = counts.sum(axis=1)
    pairs = sizes**2 - own.sum(axis=1)
    present, judged = (sizes > 0) & (item_weights > 0), (pairs > 1e-9) & (item_weights > 0)
    names = {"": "gwet_ac1", "_linear": "gwet_ac2_linear", "_quadratic": "gwet_ac2_quadratic"}
    if not ordered:
        names.pop("_linear"), names.pop("_quadratic")
    found = {}
    for suffix, ac in names.items():
        apart, reach = _weights(cells.levels, suffix)
        agreeing = 1 - apart / reach if reach else np.full_like(apart, np.nan)
        if not judged.any():
            found |= dict.fromkeys(("agreement", f"fleiss_kappa{suffix}", ac), np.nan)
            continue
        weight = item_weights[judged] / item_weights[judged].sum()
        agreed = ((counts @ agreeing * counts).sum(axis=1) - own.sum(axis=1))[judged] / pairs[judged]
        observed = float(weight @ agreed)
        shares = item_weights[present] / item_weights[present].sum() @ (counts[present] / sizes[present, np.newaxis])
        by_chance = float(shares @ agreeing @ shares)
        guessed = float((shares * (1 - shares)).sum() * agreeing.sum() / (width * (width - 1))) if width > 1 else np.nan
        if not suffix:
            found["agreement"] = observed
        found |= {f"fleiss_kappa{suffix}": _beyond(observed, by_chance), ac: _beyond(observed, guessed)}
    return found


def _weights(levels, suffix):
    """Return how far any two levels are apart, and the largest of these distances."""
    apart = np.abs(np.subtract.outer(levels, levels))
    apart = {"": 1.0 - np.eye(levels.size), "_linear": apart, "_quadratic": apart**2}[suffix]
    return apart, apart.max() if suffix else 1.0


def alpha(cells, item_weights, rater_weights, *, level):
    """Return Krippendorff's α of a draw from the table of coincidences (Krippendorff 2011)."""
    weights = rater_weights[cells.raters]
    sizes = np.bincount(cells.items, weights, minlength=cells.n_items)
    own = np.bincount(cells.items, weights**2, minlength=cells.n_items)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where((sizes**2 - own > 1e-9), item_weights / (sizes - own / sizes), 0.0)
    # How much each response counts among all pairable values: once, when all weights are one.
    share = scale[cells.items] * weights * (sizes[cells.items] - weights)
    total = float(share.sum())
    if total <= 1:
        return np.nan
    if level == "interval":
        sums, squares = (np.bincount(cells.items, weights * v, minlength=cells.n_items) for v in _powers(cells.values))
        observed = float((scale * 2 * (sizes * squares - sums**2)).sum()) / total
        first, second = (float(share @ v) for v in _powers(cells.values))
        expected = 2 * _less(total * second, first**2) / (total * (total - 1))
        return 1 - observed / expected if expected > 0 else np.nan
    counts, of_raters = (_table(cells, part) for part in (weights, weights**2))
    together = (counts * scale[:, np.newaxis]).T @ counts
    together -= np.diag(scale @ of_raters)
    margins = together.sum(axis=1)
    apart = _distances(cells.levels, margins, level)
    expected = float(margins @ apart @ margins) / (total - 1)
    return 1 - float((together * apart).sum()) / expected if expected > 0 else np.nan


def intraclass(cells, item_weights, rater_weights):
    """Return the six intraclass correlations of Shrout and Fleiss (1979), for any pattern of missing cells.

    The variance components come from half the mean squared difference between two cells of the same item, of the same
    rater, and of neither: on a complete table these are the analysis-of-variance estimates. The averaged forms are for
    as many raters as an item has (harmonic mean).
    """
    y = cells.values - cells.values.mean()
    m, w = item_weights[cells.items], rater_weights[cells.raters]
    in_item = _differences(cells.items, y, w, item_weights, cells.n_items)
    in_rater = _differences(cells.raters, y, m, rater_weights, cells.n_raters)
    everything = _differences(np.zeros_like(cells.items), y, m * w, np.ones(1), 1, itself=0.0)
    item_pairs = _differences(cells.items, y, w, item_weights**2, cells.n_items, itself=0.0)
    rater_pairs = _differences(cells.raters, y, m, rater_weights**2, cells.n_raters, itself=0.0)
    same = float(np.square(m * w).sum())
    within = in_item[0] / in_item[1] if in_item[1] > 0 else np.nan
    across = in_rater[0] / in_rater[1] if in_rater[1] > 0 else np.nan
    apart_pairs = everything[1] - item_pairs[1] - rater_pairs[1] + same
    apart = _less(everything[0], item_pairs[0] + rater_pairs[0]) / apart_pairs if apart_pairs > 1e-9 else np.nan
    other_items = everything[1] - item_pairs[1]
    between = _less(everything[0], item_pairs[0]) / other_items if other_items > 1e-9 else np.nan
    items, raters, residual = _less(apart, within), _less(apart, across), _less(within + across, apart)
    sizes = np.bincount(cells.items, w, minlength=cells.n_items)
    judged = (sizes > 0) & (item_weights > 0)
    shared = float((item_weights[judged] / sizes[judged]).sum())
    k = float(item_weights[judged].sum()) / shared if shared > 0 else np.nan
    alone, one_way = _less(between, within), within
    return {
        "icc_1": _ratio(alone, one_way),
        "icc_2": _ratio(items, raters + residual),
        "icc_3": _ratio(items, residual),
        "icc_1k": _ratio(alone, one_way / k),
        "icc_2k": _ratio(items, (raters + residual) / k),
        "icc_3k": _ratio(items, residual / k),
    }


def _table(cells, weights):
    """Sum weights by item and level."""
    width = cells.levels.size
    flat = np.bincount(cells.items * width + cells.codes, weights, minlength=cells.n_items * width)
    return flat.reshape(cells.n_items, width).astype(np.float64)


def _powers(values):
    centred = values - values.mean()
    return centred, np.square(centred)


def _distances(levels, margins, level):
    """Return the squared distance between any two levels."""
    if level == "nominal":
        return 1.0 - np.eye(levels.size)
    if level == "ratio":
        sums = np.add.outer(levels, levels)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(sums > 0, np.square(np.subtract.outer(levels, levels) / sums), 0.0)
    below = np.cumsum(margins) - margins / 2
    return np.square(np.subtract.outer(below, below))


def _differences(code, y, weights, of_code, n, *, itself=1.0):
    """Return half the sum of squared differences within each code, and the number of (weighted) pairs.

    `itself` is 1 where a cell makes no pair with its own copies, 0 where the caller takes such pairs off.
    """
    size, first, second, own = (
        np.bincount(code, part, minlength=n) for part in (weights, weights * y, weights * y * y, weights**2)
    )
    squares = float(of_code @ _less(size * second, first**2))
    return squares, float(of_code @ (size**2 - itself * own))


def _beyond(observed, chance):
    return (observed - chance) / (1 - chance) if _less(1.0, chance) > 0 else np.nan


def _ratio(signal, noise):
    total = _less(signal, -noise)
    return float(signal / total) if total > 0 else np.nan


def _less(above, below):
    """Subtract; what is left of sums that are equal but for rounding is 0."""
    return np.where(np.abs(above - below) <= ZERO * np.abs(above), 0.0, above - below)
