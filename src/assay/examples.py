"""A small simulated table, so that every example runs on a machine without data."""

import numpy as np

from assay.io import read
from assay.responses import ResponseTable


def ratings(n_items: int = 200, *, rng: int = 0) -> ResponseTable:
    """Return human ratings from 1 to 5 and the ratings of two models that imitate them.

    Each item has five human responses and three runs of each model. Model-2 is closer to the humans than model-1,
    and both find fiction harder than news.

    Examples
    --------
    >>> table = ratings()
    >>> table.n_items, list(table.sources), table.scale.labels
    (200, ['human', 'model-1', 'model-2'], ('1', '2', '3', '4', '5'))
    """
    from scipy.special import ndtri

    random = np.random.default_rng(rng).random  # uniforms only: their bits do not change between versions of NumPy
    topic = np.where(random(n_items) < 0.5, "news", "fiction")
    mean = random(n_items)
    spread = 0.05 + 0.2 * random(n_items)
    bias = {"human": 0.0, "model-1": 0.16, "model-2": 0.08}
    rows: dict[str, list[str | int]] = {"item": [], "topic": [], "source": [], "repeat": [], "value": []}
    for source, size in bias.items():
        shift = size * np.where(topic == "fiction", 1.3, 1.0) * ndtri(random(n_items))
        for repeat in range(5 if source == "human" else 3):
            answer = mean + shift + spread * ndtri(random(n_items))
            rows["item"] += [f"item-{number:03d}" for number in range(n_items)]
            rows["topic"] += topic.tolist()
            rows["source"] += [source] * n_items
            rows["repeat"] += [repeat + 1] * n_items
            rows["value"] += (1 + np.clip(np.floor(5 * answer), 0, 4)).astype(int).tolist()
    return read(_frame(rows), groups=["topic"])


def _frame(rows: dict[str, list[str | int]]) -> object:
    import polars

    return polars.DataFrame(rows)
