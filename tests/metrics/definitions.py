"""Every metric of METHODS §3 once more: slow, one data set at a time, on lists of responses, by SciPy and loops.

`gold`, `a` and `b` are lists with one array of responses for each item.
"""

import math

import numpy as np
from scipy import spatial, stats

LEVELS = np.array([1.0, 2.0, 3.0, 4.0, 5.0])


def means(side):
    return np.array([float(np.mean(item)) for item in side])


def shares(item):
    return np.array([np.mean(item == level) for level in LEVELS])


def winners(item):
    """Every level that is given most often."""
    given = [np.sum(item == level) for level in LEVELS]
    return {level for level, count in zip(LEVELS, given, strict=True) if count == max(given)}


def agreement(gold, model):
    """The chance that two votes agree: all pairs of tied labels are equally likely."""
    pairs = [(left, right) for left in winners(gold) for right in winners(model)]
    return np.mean([left == right for left, right in pairs])


def response_agreement(gold, model):
    return np.mean([response in winners(gold) for response in model]) / len(winners(gold))


def over_items(distance):
    return lambda gold, model: float(np.mean([distance(g, m) for g, m in zip(gold, model, strict=True)]))


def kl(gold, model):
    return sum(p * math.log((p + 1e-12) / (q + 1e-12)) for p, q in zip(shares(gold), shares(model), strict=True))


def cross_entropy(gold, model):
    return -sum(p * math.log(q + 1e-12) for p, q in zip(shares(gold), shares(model), strict=True))


def log_loss(gold, model):
    return np.mean([-math.log(max(np.mean(model == response), np.finfo(float).eps)) for response in gold])


def brier(gold, model):
    return np.mean([np.square(shares(model) - (response == LEVELS)).sum() for response in gold])


def calibration(gold, model):
    """Ten bins of the model's probability; their mean distance from the humans', weighed by the pairs in them."""
    pairs = [(q, p) for g, m in zip(gold, model, strict=True) for q, p in zip(shares(m), shares(g), strict=True)]
    total = 0.0
    for number in range(10):
        inside = [(q, p) for q, p in pairs if min(int(10 * q + 1e-9), 9) == number]
        if inside:
            total += len(inside) * abs(np.mean([q for q, _ in inside]) - np.mean([p for _, p in inside]))
    return total / len(pairs)


def first_pairs(gold, model):
    pairs = [(g[:k], m[:k]) for g, m in zip(gold, model, strict=True) for k in [min(len(g), len(m))]]
    return np.concatenate([g for g, _ in pairs]), np.concatenate([m for _, m in pairs])


def counts_as_numbers(gold, model, bins):
    """The legacy mistake: Wasserstein between two sets of bin counts. A value on an edge belongs to the upper bin."""
    sides = []
    for values in (gold, model):
        inside = values[(values >= 0) & (values <= 1)]
        where = np.minimum(np.floor(inside * bins + 1e-9), bins - 1).astype(int)
        sides.append([np.sum(where == number) for number in range(bins)])
    return stats.wasserstein_distance(*sides)


def confusion(gold, model, threshold):
    positive, called = means(gold) >= threshold, means(model) >= threshold
    return np.sum(positive & called), np.sum(positive & ~called), np.sum(~positive & called)


def precision(gold, model, threshold=3.0):
    hits, _, alarms = confusion(gold, model, threshold)
    return hits / (hits + alarms) if hits + alarms else math.nan


def recall(gold, model, threshold=3.0):
    hits, misses, _ = confusion(gold, model, threshold)
    return hits / (hits + misses) if hits + misses else math.nan


def f1(gold, model, threshold=3.0):
    hits, misses, alarms = confusion(gold, model, threshold)
    return 2 * hits / (2 * hits + misses + alarms) if hits + misses + alarms else math.nan


def auc(gold, model, threshold=3.0):
    positive, placed = means(gold) >= threshold, means(model)
    pairs = [(p > n) + (p == n) / 2 for p in placed[positive] for n in placed[~positive]]
    return float(np.mean(pairs)) if pairs else math.nan


SCORES = {
    "mae": lambda g, m: np.mean(np.abs(means(m) - means(g))),
    "mse": lambda g, m: np.mean((means(m) - means(g)) ** 2),
    "rmse": lambda g, m: math.sqrt(np.mean((means(m) - means(g)) ** 2)),
    "max-error": lambda g, m: np.max(np.abs(means(m) - means(g))),
    "cosine": lambda g, m: spatial.distance.cosine(means(g), means(m)),
    "cosine-responses": lambda g, m: spatial.distance.cosine(*first_pairs(g, m)),
    "spearman": lambda g, m: np.corrcoef(stats.rankdata(means(g)), stats.rankdata(means(m)))[0, 1],
    "kendall": lambda g, m: stats.kendalltau(means(g), means(m)).statistic,
    "emd": over_items(stats.wasserstein_distance),
    "emd-means": lambda g, m: stats.wasserstein_distance(means(g), means(m)),
    "emd-responses": lambda g, m: stats.wasserstein_distance(np.concatenate(g), np.concatenate(m)),
    "emd-histogram-legacy": over_items(lambda g, m: counts_as_numbers(g, m, 5)),
    "emd-means-histogram-legacy": lambda g, m: counts_as_numbers(means(g), means(m), 50),
    "emd-responses-histogram-legacy": lambda g, m: counts_as_numbers(np.concatenate(g), np.concatenate(m), 50),
    "accuracy": over_items(agreement),
    "accuracy-responses": over_items(response_agreement),
    "tv": over_items(lambda g, m: np.abs(shares(g) - shares(m)).sum() / 2),
    "kl": over_items(kl),
    "js": over_items(lambda g, m: spatial.distance.jensenshannon(shares(g), shares(m)) ** 2),
    "cross-entropy": over_items(cross_entropy),
    "log-loss": over_items(log_loss),
    "brier": over_items(brier),
    "calibration": calibration,
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "auc": auc,
    "rating": lambda _, m: np.mean(means(m)),
}


def wins(gold, a, b):
    errors = [np.abs(means(side) - means(gold)) for side in (a, b)]
    return np.mean(errors[0] < errors[1] - 1e-9), np.mean(errors[1] < errors[0] - 1e-9)


def wins_responses(gold, a, b):
    won, lost = [], []
    for g, x, y in zip(gold, a, b, strict=True):
        k = min(len(g), len(x), len(y))
        errors = np.abs(x[:k] - g[:k]), np.abs(y[:k] - g[:k])
        won.append(np.mean(errors[0] < errors[1] - 1e-9))
        lost.append(np.mean(errors[1] < errors[0] - 1e-9))
    return np.mean(won), np.mean(lost)


def superiority(_, a, b):
    """Share of all pairs of an item's ratings that each model wins, ties half, averaged over items."""
    won = np.mean(
        [np.mean([(x > y) + (x == y) / 2 for x in of_a for y in of_b]) for of_a, of_b in zip(a, b, strict=True)]
    )
    return won, 1 - won


RELATIVE = {"wins": wins, "wins-responses": wins_responses, "superiority": superiority}
