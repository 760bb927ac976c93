"""A built-in metric that somebody declares again, as a class of their own, gets the same bits everywhere."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from howsure import Contest, Responses, Scheme, _json, variance_components
from howsure.auditing.estimators import Estimators
from howsure.comparison import compare
from howsure.leaderboards import compare_all, plan_leaderboard
from howsure.metrics import BUILTIN, ItemMetric, Metric, RelativeMetric
from howsure.metrics.base import SummedMetric
from howsure.metrics.distribution import ByLevel
from howsure.models import preset
from howsure.planning import plan

SCORING = {ByLevel: ["level_scores", "item_scores"], ItemMetric: ["item_scores"],
           RelativeMetric: ["item_advantages", "scores"], SummedMetric: ["score", "item_sums", "advantage_of_sums"],
           Metric: ["score", "error", "seen"]}  # fmt: skip
OWN = {"additive", "relative"}  # follow from the class, or another way to the same numbers
SIGNATURE = {"provenance", "signature", "parameters"}  # say who declared the metric, and with which parameters
TRAITS = [name for name in Metric.__annotations__ if not name.startswith("_") and name not in OWN]


def redeclared(metric):
    """Return a class of somebody else's that says the same of itself and scores the same."""
    base = next(kind for kind in SCORING if isinstance(metric, kind))
    inside = {trait: getattr(metric, trait) for trait in TRAITS}
    inside |= {name: staticmethod(getattr(metric, name)) for name in [*SCORING[base], "notes", "titled"]}
    return type("Somebody", (base,), inside)()


def both(name, scale, answer):
    """Return the answer with the built-in metric, and with the one declared again."""
    bound = BUILTIN[name].on(scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [answer(metric) for metric in (bound, redeclared(bound))]


def said(answer):
    """Return what an answer says; signatures left out."""
    return without_signature(_json.plain(answer.to_dict()))


def without_signature(content):
    if isinstance(content, dict):
        return {key: without_signature(value) for key, value in content.items() if key not in SIGNATURE}
    return [without_signature(entry) for entry in content] if isinstance(content, list) else content


MODEL = preset("likert-toxicity")
TABLE = MODEL.table(30, 3, epsilon=0.4, rng=3)
CONTEST = TABLE.contest(gold="gold", a="A", b="B")
SCALE = CONTEST.scale
WITH_SCORES = [name for name, metric in BUILTIN.items() if not metric.gold_free and not metric.relative]


def crossed():
    """Return a contest whose gold is the same five raters on every item; ratings of models are by the same raters."""
    generator = np.random.default_rng(4)
    ids = np.tile(np.arange(5), (12, 1))
    sides = [Responses.from_grid(generator.choice(SCALE.levels, (12, 5)), ids) for _ in range(3)]
    return Contest(*sides, SCALE, np.arange(12).astype(str))


def same(name, answer):
    one, other = both(name, SCALE, answer)
    assert said(one) == said(other)
    return one, other


@pytest.mark.parametrize("name", list(BUILTIN))
@pytest.mark.parametrize("options", [{}, {"null": "shifted-bootstrap"}, {"alternative": "greater"}], ids=str)
def test_comparisons_are_alike_draw_by_draw(name, options):
    one, other = same(name, lambda metric: compare(CONTEST, metric=metric, n_resamples=49, rng=0, workers=1, **options))
    assert one.draws.tobytes() == other.draws.tobytes()
    assert one.null_draws.tobytes() == other.null_draws.tobytes()


@pytest.mark.parametrize("name", list(BUILTIN))
def test_raters_are_weighed_alike(name):
    contest = crossed() if not BUILTIN[name].gold_free else replace(crossed(), gold=None)
    same(name, lambda metric: compare(contest, metric=metric, n_resamples=49, rng=0, workers=1))


@pytest.mark.parametrize("name", WITH_SCORES)
def test_boards_are_alike(name):
    same(name, lambda metric: compare_all(TABLE, gold="gold", metric=metric, n_resamples=49, rng=0, workers=1))


@pytest.mark.parametrize("name", ["mae", "wins", "tv", "accuracy", "spearman"])
def test_audits_estimate_alike(name):
    """The data sets of an audit follow from its cell, which names the metric; what is computed on each is the same."""
    bound = BUILTIN[name].on(SCALE)
    pairs = ((Scheme(), ("sign-flip", "shifted-bootstrap")),)
    found = []
    for metric in (bound, redeclared(bound)):
        how = Estimators((metric,), pairs, tests=("paired-t",), intervals=("percentile",), n_resamples=39)
        found.append(how.on(([CONTEST], np.random.SeedSequence(1))))
    assert any(key.null == "paired-t" for key in found[0].tests) == (name != "spearman")
    assert repr(found[0]) == repr(found[1])


@pytest.mark.parametrize("name", ["mae", "mse"])
def test_plans_of_normal_responses_are_alike(name):
    same(name, lambda metric: plan(
        "normal", epsilon=0.3, metrics=metric, n_items=[30], n_responses=[2], precision=0.05, rng=0, workers=1,
    ))  # fmt: skip


@pytest.mark.parametrize("name", ["wins", "tv", "spearman"])
def test_plans_are_alike(name):
    same(name, lambda metric: plan(
        MODEL, epsilon=0.3, metrics=metric, n_items=[30], n_responses=[2], precision=0.05, n_simulations=40, rng=0,
        workers=1,
    ))  # fmt: skip


def test_plans_of_boards_are_alike():
    same("mae", lambda metric: plan_leaderboard(TABLE, gold="gold", metric=metric, rng=0))


@pytest.mark.parametrize("name", ["mae", "wins", "tv", "accuracy"])
def test_errors_are_taken_apart_alike(name):
    same(name, lambda metric: variance_components(crossed(), metric=metric))
