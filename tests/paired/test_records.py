"""Every result is written, read back, and shown in every format."""

import json
import math
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from howsure import _json, paired
from howsure.documents import html, latex, markdown, text
from howsure.paired import PairedScores, ScoreTable

rng = np.random.default_rng(9)
b = rng.beta(5, 5, 90)
scores = PairedScores.from_arrays(b + rng.normal(0.03, 0.1, 90), b, names=("new", "base <b>"))
answers = PairedScores.from_arrays(*(rng.random((2, 60)) < [[0.7], [0.5]]).astype(float))
constant = PairedScores.from_arrays([0.5, 1.0], [0.25, 0.75])
documents = PairedScores.from_arrays(scores.a, scores.b, clusters=np.arange(90) // 6)
table = ScoreTable(rng.normal([0, 0.1, 0.9], 1, (40, 3)), ("x", "y", "z"))

RESULTS = {
    "description": lambda: paired.describe(scores),
    "description of a constant": lambda: paired.describe(constant),
    "unit sizes": lambda: paired.unit_sizes(scores),
    "recommendation": lambda: paired.recommend(scores, paired.describe(scores)),
    "overview": lambda: paired.overview(scores),
    "overview of a constant": lambda: paired.overview(constant),
    "test": lambda: paired.significance_test(scores),
    "test without bounds": lambda: paired.significance_test(constant, test="sign"),
    "one-sided test in clusters": lambda: paired.significance_test(documents, alternative="greater"),
    "finding": lambda: paired.find(scores, margin=0.1, rng=1),
    "finding on answers": lambda: paired.find(answers, margin=0.1, kind="non-inferiority", rng=1),
    "flips": lambda: paired.count_flips(answers),
    "equivalence": lambda: paired.equivalence_test(scores, margin=0.1),
    "effect": lambda: paired.effect_sizes(scores)[0],
    "effects": lambda: paired.measure(documents, rng=1),
    "curve": lambda: paired.power_curve(scores, n_simulations=20, rng=1),
    "systems": lambda: paired.compare_systems(table),
    "plan": lambda: paired.plan_power(effect=0.2, sd=1, target_power=0.8),
    "analysis": lambda: paired.analyse(scores, margin=0.1, n_simulations=20, rng=1),
    "analysis of answers": lambda: paired.analyse(answers, n_simulations=20, rng=1),
    "glossary": paired.glossary,
}


def same(one, other):
    """Whether two values are equal; NaN equals NaN."""
    if is_dataclass(one):
        return type(one) is type(other) and all(
            same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one)
        )
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


@pytest.mark.parametrize("made", RESULTS.values(), ids=RESULTS.keys())
def test_results_survive_json(made):
    result = made()
    written = json.loads(_json.dumps(result.to_dict()))
    assert written["schema_version"] == 1
    assert same(type(result).from_dict(written), result)


@pytest.mark.parametrize("made", RESULTS.values(), ids=RESULTS.keys())
def test_results_are_shown_in_every_format(made):
    result = made()
    document = result.document()
    assert document.title
    assert document.blocks
    for render in (text.render, markdown.render, latex.render, html.page):
        shown = render(document)
        assert "<b>" not in shown or render is text.render
        for word in ("nan", "None", "inf "):
            assert f" {word}" not in shown.lower().replace("infer", ""), word
    assert str(result) == text.render(document)
    assert len(document.notes) == len(set(document.notes))


def test_the_sentence_comes_first():
    found = RESULTS["analysis"]()
    assert found.document().verdict.startswith(found.significance.sentence)
    assert str(found).startswith("new scores higher than base <b>: mean ")
    assert found.equivalence.sentence in found.document().verdict


def test_everything_that_changes_a_test_is_in_its_signature():
    plain = paired.significance_test(scores, rng=1).signature
    for change in (
        {"test": "sign"},
        {"alternative": "less"},
        {"delta": 0.1},
        {"alpha": 0.01},
        {"n_resamples": 99},
        {"normality_alpha": 0.01},
        {"rng": 2},
    ):
        assert paired.significance_test(scores, **{"rng": 1, **change}).signature != plain, change
    assert paired.significance_test(paired.to_units(scores, size=3), rng=1).signature != plain
