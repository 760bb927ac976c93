"""Files behind the examples of the home page, simulated when somebody asks for them."""

import tempfile
from pathlib import Path


def sample(kind: str) -> tuple[str, bytes]:
    """Return a file: "ratings" by people, by named "raters", by raters and a judge ("judged"); or "scores".

    Examples
    --------
    >>> name, content = sample("raters")
    >>> print(name, content.decode().splitlines()[:2])
    judgements.csv ['item,source,rater,value', 'item-01,model-1,rater-2,3']
    """
    from howsure import examples, io
    from howsure.paired import write_scores

    if kind == "raters":
        return "judgements.csv", _judged().encode()
    name = {"ratings": "ratings.csv", "judged": "judged.csv", "scores": "scores.txt"}[kind]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / name
        if kind in examples.TABLES:
            io.write(examples.TABLES[kind](), place)
        else:
            write_scores(examples.scores("h1-greater-normal"), place)
        return name, place.read_bytes()


def _judged(n_items: int = 40, n_raters: int = 6) -> str:
    """Return ratings from 1 to 5 of two models by raters, one of whom is strict, and who skip an item now and then."""
    import numpy as np

    rng = np.random.default_rng(4)
    strict = np.where(np.arange(n_raters) == n_raters - 1, 0.8, 0.0)
    rows = ["item,source,rater,value"]
    for item in range(n_items):
        for source, mean in (("model-1", 3.2), ("model-2", 3.6)):
            quality = mean + rng.normal(0, 0.8)
            for rater in range(n_raters):
                rating = round(quality - strict[rater] + rng.normal(0, 0.6))
                if rng.random() < 0.9:
                    rows.append(f"item-{item + 1:02},{source},rater-{rater + 1},{min(5, max(1, rating))}")
    return "\n".join(rows) + "\n"
