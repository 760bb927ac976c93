"""Small simulated data, so that every example runs without data: tables of ratings, and pairs of scores."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from howsure import _check
from howsure.data.response_tables import ResponseTable
from howsure.data.scales import FloatArray
from howsure.paired import PairedScores

Uniforms = Callable[[int], FloatArray]


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

    from howsure.io import read

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
    return read(rows, groups=["topic"])


def judged(n_items: int = 400, n_labelled: int = 80, *, rng: int = 0) -> ResponseTable:
    """Return ratings of two models' answers: by six people on some items, by the judge gpt-judge on all.

    People and judge find model-2 better; the judge favours it by more than people do.

    Examples
    --------
    >>> table = judged()
    >>> table.n_items, list(table.sources), table.raters[-1]
    (400, ['model-1', 'model-2'], 'gpt-judge')
    """
    from scipy.special import ndtri

    from howsure.io import read

    random = np.random.default_rng(rng).random  # uniforms only: their bits do not change between versions of NumPy
    topic = np.where(random(n_items) < 0.5, "news", "fiction")
    shared = ndtri(random(n_items))
    labelled = np.sort(np.argsort(random(n_items))[:n_labelled])
    rows: dict[str, list[str | int]] = {"item": [], "topic": [], "source": [], "rater": [], "value": []}
    for source, shift, bias in (("model-1", 0.0, 0.0), ("model-2", 0.3, 0.35)):
        quality = 3 + shift + 0.7 * shared + 0.7 * ndtri(random(n_items))
        for rater in (*(f"rater-{number}" for number in range(1, 7)), "gpt-judge"):
            at = np.arange(n_items) if rater == "gpt-judge" else labelled
            taste = bias if rater == "gpt-judge" else 0.15 * float(ndtri(random(1))[0])
            value = np.clip(np.round(quality[at] + taste + 0.5 * ndtri(random(at.size))), 1, 5).astype(int)
            rows["item"] += [f"item-{number:03d}" for number in at]
            rows["topic"] += topic[at].tolist()
            rows["source"] += [source] * at.size
            rows["rater"] += [rater] * at.size
            rows["value"] += value.tolist()
    return read(rows, groups=["topic"])


def scores(kind: str = "h1-greater-normal", n_items: int = 100, *, rng: int = 0) -> PairedScores:
    """Return the scores of two simulated systems on the same segments; `KINDS` says what each kind is.

    Parameters
    ----------
    kind : str
        "h0" kinds have no difference, "h1" kinds have one: the first system is greater or less than the second.
    n_items : int
    rng : int

    Examples
    --------
    >>> from howsure.paired import significance_test
    >>> significance_test(scores("h1-less-normal")).sentence[:22]
    'B scores higher than A'
    """
    _check.one_of("kind", kind, KINDS)
    _check.integer("n_items", n_items, at_least=2)
    random = np.random.default_rng(rng).random  # uniforms only: their bits do not change between versions of NumPy
    return _MAKERS[kind](random, n_items)


KINDS: Mapping[str, str] = MappingProxyType(
    {
        "h0-normal": "normal scores, no difference",
        "h0-beta": "scores between 0 and 1 (beta), no difference",
        "h1-greater-normal": "normal scores, the first system higher by half a standard deviation of the differences",
        "h1-greater-beta": "scores between 0 and 1, the first system much higher, differences skewed",
        "h1-less-normal": "normal scores, the first system lower by half a standard deviation of the differences",
        "h1-less-beta": "scores between 0 and 1, the first system much lower, differences skewed",
        "right-or-wrong": "answers of 0 and 1, the first system right more often",
        "tied-ratings": "ratings from 1 to 5, most of them equal, the first system a little higher",
        "documents": "ten segments in each document, documents differ, no difference; the third column is the document",
    }
)
"""Kinds of simulated pairs of scores, and what they are."""
TABLES: Mapping[str, Callable[[], ResponseTable]] = MappingProxyType({"ratings": ratings, "judged": judged})
"""The tables of responses by name."""
EVERY_KIND = (*TABLES, *KINDS)
"""What `howsure example` writes."""


def _normal(shift: float) -> Callable[[Uniforms, int], PairedScores]:
    from scipy.special import ndtri

    def make(random: Uniforms, n: int) -> PairedScores:
        base = ndtri(random(n))
        return PairedScores.from_arrays((base + shift + ndtri(random(n))).round(4), base.round(4))

    return make


def _beta(a: tuple[float, float], b: tuple[float, float]) -> Callable[[Uniforms, int], PairedScores]:
    from scipy.special import betaincinv

    def make(random: Uniforms, n: int) -> PairedScores:
        return PairedScores.from_arrays(*(betaincinv(*shape, random(n)).round(4) for shape in (a, b)))

    return make


def _right_or_wrong(random: Uniforms, n: int) -> PairedScores:
    hard = random(n)
    return PairedScores.from_arrays(*((0.5 * hard + 0.5 * random(n) < level) * 1.0 for level in (0.66, 0.5)))


def _tied_ratings(random: Uniforms, n: int) -> PairedScores:
    base, moved = 1 + np.floor(5 * random(n)), random(n)
    return PairedScores.from_arrays(np.clip(base + (moved > 0.7) - 1.0 * (moved < 0.05), 1, 5), base)


def _documents(random: Uniforms, n: int) -> PairedScores:
    from scipy.special import ndtri

    document = np.arange(n) // 10
    base, own = ndtri(random(n)), 0.6 * ndtri(random(int(document[-1]) + 1))
    ids = [f"d{number}" for number in document]
    return PairedScores.from_arrays((base + own[document] + ndtri(random(n))).round(4), base.round(4), clusters=ids)


_MAKERS: Mapping[str, Callable[[Uniforms, int], PairedScores]] = MappingProxyType(
    {
        "h0-normal": _normal(0.0),
        "h0-beta": _beta((2, 5), (2, 5)),
        "h1-greater-normal": _normal(0.5),
        "h1-greater-beta": _beta((6, 0.7), (1, 6)),
        "h1-less-normal": _normal(-0.5),
        "h1-less-beta": _beta((1, 6), (6, 0.7)),
        "right-or-wrong": _right_or_wrong,
        "tied-ratings": _tied_ratings,
        "documents": _documents,
    }
)
