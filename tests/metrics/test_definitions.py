"""Every metric against an independent definition, on ragged data with ties, one by one and in batches."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import Contest
from howsure.metrics import BUILTIN
from howsure.papers.legacy import LEGACY
from howsure.resampling import summaries_of
from tests.metrics import definitions

UNIT = ["emd-histogram-legacy", "emd-means-histogram-legacy", "emd-responses-histogram-legacy"]
LABELS_ONLY = ["accuracy", "accuracy-responses", "tv", "kl", "js", "cross-entropy", "log-loss", "brier", "calibration"]


@st.composite
def ragged(draw, elements, most=5):
    n_items = draw(st.integers(2, 9))
    item = st.lists(elements, min_size=1, max_size=most).map(np.array)
    return [draw(st.lists(item, min_size=n_items, max_size=n_items)) for _ in range(3)]


def grid(side):
    rows = np.full((len(side), max(map(len, side))), np.nan)
    for row, item in zip(rows, side, strict=True):
        row[: len(item)] = item
    return rows


def ordinal(sides):
    """Return the contest on all five levels; an item that gives every level is added and taken away again."""
    every = [np.vstack([np.resize(definitions.LEVELS, max(5, grid(side).shape[1])), pad(grid(side))]) for side in sides]
    return Contest.from_arrays(*every, scale="ordinal").take(np.arange(1, len(sides[0]) + 1))


def pad(rows):
    return np.pad(rows, [(0, 0), (0, max(0, 5 - rows.shape[1]))], constant_values=np.nan)


def scores(name, contest, **options):
    metric = {**BUILTIN, **LEGACY}[name]
    metric = type(metric)(**options).on(contest.scale) if options else metric.on(contest.scale)
    gold, a, b = summaries_of(contest, metric.needs)
    return [float(score) for score in metric.scores(gold, a, b)], float(metric.advantage(gold, a, b)), metric


LEVEL = st.sampled_from(definitions.LEVELS.tolist())


def test_every_named_metric_has_a_definition():
    assert set(BUILTIN) == (set(definitions.SCORES) | set(definitions.RELATIVE)) - set(UNIT)


# Data are dear to make up: every metric is held against its definition on the same ones.


@given(sides=ragged(LEVEL))
def test_ordinal_scores(sides):
    contest = ordinal(sides)
    for name in [name for name in definitions.SCORES if name not in UNIT]:
        options = {"threshold": 3.0} if name in ("precision", "recall", "f1", "auc") else {}
        found, advantage, metric = scores(name, contest, **options)
        with np.errstate(all="ignore"):
            expected = [float(definitions.SCORES[name](sides[0], model)) for model in sides[1:]]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)
        sign = 1 if metric.better == "higher" else -1
        np.testing.assert_allclose(advantage, sign * (expected[0] - expected[1]), rtol=1e-9, atol=1e-9, err_msg=name)


@given(sides=ragged(st.integers(0, 40).map(lambda k: k / 32)))
def test_continuous_scores(sides):
    contest = Contest.from_arrays(*map(grid, sides), scale="continuous")
    for name in [name for name in definitions.SCORES if name not in LABELS_ONLY]:
        options = {"threshold": 0.5} if name in ("precision", "recall", "f1", "auc") else {}
        found, _, _ = scores(name, contest, **options)
        with np.errstate(all="ignore"):
            expected = [float(definitions.SCORES[name](sides[0], model, *options.values())) for model in sides[1:]]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)


@given(sides=ragged(LEVEL))
def test_wins(sides):
    contest = Contest.from_arrays(*map(grid, sides), scale="continuous")
    for name, define in definitions.RELATIVE.items():
        won, lost = define(*sides)
        found, advantage, _ = scores(name, contest)
        np.testing.assert_allclose(found, [won, lost], atol=1e-12, err_msg=name)
        np.testing.assert_allclose(advantage, won - lost, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("most", [5, 12])  # up to eight responses are counted in a word, more in an array
@given(data=st.data())
def test_legacy_histograms_have_the_same_bins_on_levels_and_on_numbers(most, data):
    sides = data.draw(ragged(st.integers(-2, 12).map(lambda k: k / 10), most))
    contests = [Contest.from_arrays(*map(grid, sides), scale=scale) for scale in ("continuous", "ordinal")]
    for name in UNIT:
        expected = [float(definitions.SCORES[name](sides[0], model)) for model in sides[1:]]
        for contest in contests:
            found, _, _ = scores(name, contest)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", list(BUILTIN))
def test_a_batch_scores_as_its_members_do(name, likert):
    contests = [likert.take(np.random.default_rng(draw).integers(30, size=30)) for draw in range(6)]
    metric = BUILTIN[name].on(likert.scale)
    members = [summaries_of(contest, metric.needs) for contest in contests]
    width = [max(member[side].shape[-1] for member in members) for side in range(3)]

    def widened(rows, columns):
        return rows if metric.needs in ("means", "counts") else pad_to(rows, columns)

    stacked = [np.stack([widened(member[side], width[side]) for member in members]) for side in range(3)]
    folded = [side.reshape(2, 3, *side.shape[1:]) for side in stacked]
    single = [float(metric.advantage(*member)) for member in members]
    np.testing.assert_allclose(metric.advantage(*stacked), single, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(metric.advantage(*folded), np.reshape(single, (2, 3)), rtol=1e-12, atol=1e-12)


def pad_to(rows, columns):
    return np.pad(rows, [(0, 0), (0, columns - rows.shape[1])], constant_values=np.nan)


@given(sides=ragged(st.sampled_from(["no", "unsure", "yes"])))
def test_nominal_macro_averages_and_single_labels(sides):
    names = ["no", "unsure", "yes"]
    rows = [[[*item, *[None] * (5 - len(item))] for item in [names, *side]] for side in sides]
    contest = Contest.from_arrays(*(np.array(side, dtype=object) for side in rows))
    contest = contest.take(np.arange(1, len(sides[0]) + 1))  # the first item is there to have every label

    def weight(label, item):
        """With what probability the label has the item's vote, ties broken at random."""
        given = {name: np.sum(item == name) for name in names}
        tied = [name for name in names if given[name] == max(given.values())]
        return (label in tied) / len(tied)

    def of(label, model):
        positive = [weight(label, item) for item in sides[0]]
        called = [weight(label, item) for item in sides[model]]
        placed = [np.mean(item == label) for item in sides[model]]
        hits = sum(p * c for p, c in zip(positive, called, strict=True))
        pairs = [
            (p * (1 - q), (x > y) + (x == y) / 2)
            for i, (x, p) in enumerate(zip(placed, positive, strict=True))
            for j, (y, q) in enumerate(zip(placed, positive, strict=True))
            if i != j
        ]
        weights = sum(w for w, _ in pairs)
        return {
            "precision": hits / sum(called) if sum(called) else math.nan,
            "recall": hits / sum(positive) if sum(positive) else math.nan,
            "f1": 2 * hits / (sum(positive) + sum(called)) if sum(positive) + sum(called) else math.nan,
            "auc": sum(w * above for w, above in pairs) / weights if weights else math.nan,
        }

    for name in ("precision", "recall", "f1", "auc"):
        for model in (1, 2):
            each = [of(label, model)[name] for label in names]
            defined = [score for score in each if not math.isnan(score)]
            macro = np.mean(defined) if defined else math.nan
            assert scores(name, contest)[0][model - 1] == pytest.approx(macro, nan_ok=True)
            for label, score in zip(names, each, strict=True):
                assert scores(name, contest, positive=label)[0][model - 1] == pytest.approx(score, nan_ok=True)
