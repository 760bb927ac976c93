"""Small tables of several models."""

import numpy as np

from howsure import Responses, ResponseTable, Scale


def table_of(scores, *, gold=None, groups=None, raters=None, names=None):
    """Make a table from (items, models) or (items, models, responses); `raters` says who gave a model's answers."""
    scores = np.asarray(scores, dtype=float)
    scores = scores[:, :, np.newaxis] if scores.ndim == 2 else scores
    n, m, _ = scores.shape
    sources = {} if gold is None else {"gold": Responses.from_grid(np.asarray(gold, dtype=float))}
    for j in range(m):
        sources[names[j] if names else f"m{j}"] = Responses.from_grid(scores[:, j], raters)
    n_raters = 0 if raters is None else int(raters.max()) + 1
    return ResponseTable(
        np.array([f"i{i}" for i in range(n)]), sources, Scale("continuous"),
        {name: np.asarray(column).astype(str) for name, column in (groups or {}).items()},
        tuple(f"r{r}" for r in range(n_raters)),
    )  # fmt: skip


def ratings(n=40, m=5, k=3, *, seed=0, step=0.3):
    """Ratings of m models that get better by `step`, with items of their own difficulty and k repeats."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 1, 1)) + step * np.arange(m)[:, np.newaxis] + rng.normal(size=(n, m, k))


def right_or_wrong(n=80, m=5, *, seed=0):
    """Answers 0 or 1 of models that are right ever more often."""
    rng = np.random.default_rng(seed)
    return (rng.random((n, m)) < np.linspace(0.5, 0.8, m)).astype(float)
