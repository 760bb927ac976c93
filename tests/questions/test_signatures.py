"""Two questions whose answers differ never share a signature, whichever field makes the difference."""

import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from howsure import _fields, _json
from howsure.questions import (
    Audit,
    Compare,
    Describe,
    Fit,
    Judge,
    Leaderboard,
    Plan,
    Reliability,
    SampleItems,
    Score,
    Simulate,
)
from howsure.questions.table_fields import TableFields

QUICK = {"n_resamples": 19}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ratings of 12 items by 4 people of three models, labels of the same items, and votes between the models."""
    place, rng = tmp_path_factory.mktemp("signed"), np.random.default_rng(0)
    rows = [
        {"item": f"q{i:02d}", "source": source, "rater": f"p{j}", "value": int(rng.integers(low, 6)),
         "other": int(rng.integers(1, 6)), "topic": "xyz"[i % 3], "twin": f"t{i // 2}", "times": 1 + i % 2,
         "chance": 0.2 + 0.1 * (i % 3)}
        for i in range(12) for source, low in (("human", 2), ("m1", 2), ("m2", 1), ("m3", 1)) for j in range(4)
    ]  # fmt: skip
    pl.DataFrame(rows).write_csv(place / "ratings.csv")
    pl.DataFrame([{**row, "value": "abc"[row["value"] % 3]} for row in rows]).write_csv(place / "labels.csv")
    votes = [
        {"one": "m1", "two": "m2", "better": "one" if rng.random() < 0.7 else "two", "reply": "tie", "item": f"q{i}"}
        for i in range(20)
    ]
    votes += [
        {"one": "m2", "two": "m1", "better": f"m{1 + i % 2}", "reply": f"m{2 - i % 2}", "item": f"q{i}"}
        for i in range(6)
    ]
    votes = [{**vote, "length": int(rng.integers(-9, 9))} for vote in votes]
    pl.DataFrame(votes).write_csv(place / "votes.csv")
    return place


ALL = ("human", "m1", "m2", "m3")
MODELS = {"files": ("ratings.csv",), "gold": "human", "a": "m1", "b": "m2"}
NAMED = {**MODELS, "item": "item", "source": "source", "value": "value", "rater": "", **QUICK}
LABELLED = {**NAMED, "files": ("labels.csv",)}
SIZES = {"metric": ("mae",), "n_items": (30,), "n_responses": ("3",)}
PLANNED = {"files": ("normal",), "epsilon": (0.2,), "precision": 0.1, "test": ("none",), **SIZES}
PILOT = {**MODELS, "rater": "", "test": ("none",), **SIZES}
RATED = {**MODELS, **SIZES, "rater": "rater", "n_responses": (), "n_raters": (3,)}
AUDITED = {
    "files": ("normal",), "metric": ("mae",), "n_items": (10,), "n_responses": (2,), "n_simulations": 3,
    "n_resamples": 19, "n_fresh": 10, "null": ("sign-flip",), "test": ("none",), "interval": ("none",),
    "scheme": ("bootstrap/all",),
}  # fmt: skip
FITTED = {"files": ("ratings.csv",), "gold": "human", "mean": "normal", "sd": "beta"}
TYPED = {"mean": "0.5", "sd": "uniform:0,0.3", "n_items": 8, "n_responses": "2", "epsilon": 0.2}

CASES = [
    (Compare, NAMED, {
        "raters": [{"rater": "rater", "raters": "fixed"}, {"rater": "rater", "raters": "random"}],
        "cluster": "twin", "null": "shifted-bootstrap", "items": [{"items": "all", "responses": "bootstrap"}],
        "responses": "bootstrap", "n_responses": [{"responses": "bootstrap", "n_responses": 2}], "alternative": "less",
        "n_resamples": 29, "confidence_level": 0.9, "interval": "percentile", "margin": 0.5,
        "threshold": [{"metric": ("f1",), "threshold": 2.0}, {"metric": ("f1",), "threshold": 4.0}],
        "better": [{"gold": None, "better": "higher"}, {"gold": None, "better": "lower"}], "files": ("labels.csv",),
        "item": "twin", "source": [{"source": "rater", "gold": "p0", "a": "p1", "b": "p2"}], "value": "other",
        "rater": "rater", "repeat": "rater", "scale": "continuous", "count": "times", "where": ("topic=x",),
        "a": "m3", "b": "m3", "gold": None, "metric": [{"metric": ("wins",)}, {"metric": ("wins", "mae")}],
        "by": [{"by": "topic"}, {"by": "topic", "correction": "none"}], "correction": [],
        "missing": "bounds", "test": ("paired-t",),
        "seed": [{"seed": 1, "null": "shifted-bootstrap"}, {"seed": 2, "null": "shifted-bootstrap"}],
    }),
    (Compare, {"files": ("ratings.csv",), "a": "m1", "b": "m2", "judge": "p3"}, {
        "judge": "p2", "raters": "random", "metric": ("win-rate",), "margin": 0.5, "alternative": "less",
        "sampled": "chance", "these_items": True, "b": "m3",
    }),
    (Plan, {"files": ("ratings.csv",), "a": "m1", "b": "m2", "judge": "p3", "cost_judge": 0.1, "target_width": 2.0}, {
        "judge": "p2", "cost_judge": 0.2, "target_width": 1.5, "cost_response": 2.0, "cost_item": 0.1,
        "cost_rater": 3.0, "difference": [{"difference": 1.0, "target_width": None}], "n_raters": (5,),
        "max_items": 500, "confidence_level": 0.9, "raters": "random", "metric": ("win-rate",), "b": "m3",
    }),
    (Score, {"files": ("ratings.csv",), "model": ("m1",), "judge": "p3"}, {
        "judge": "p2", "raters": "random", "confidence_level": 0.9, "metric": [{"gold": "human", "metric": ("mae",)}],
        "gold": "human", "model": ("m2",),
    }),
    (Leaderboard, {"files": ("ratings.csv",), "model": ("m1", "m2"), "judge": "p3"}, {
        "judge": "p2", "raters": "random", "confidence_level": 0.9, "metric": [{"gold": "human", "metric": "mae"}],
        "gold": "human", "model": ("m1", "m3"),
    }),
    (SampleItems, {"files": ("ratings.csv",), "n": 5}, {
        "n": 6, "stratify": "topic", "by_judge_score": [{"by_judge_score": True, "judge": "p3"}], "seed": 1,
        "judge": [{"by_judge_score": True, "judge": "p2"}], "gold": "human",
        "a": [{"by_judge_score": True, "judge": "p2", "a": "m1", "b": "m2"}], "b": [],
    }),
    (Judge, {"files": ("ratings.csv",), "a": "m1", "b": "m2", "judge": "p3"}, {
        "judge": "p2", "allowance": 0.3, "by": "topic", "bias": ("topic",), "confidence_level": 0.9, "seed": 1,
        "b": "m3", "gold": [{"a": None, "b": None, "gold": "human"}], "a": "m3",
    }),
    (Compare, LABELLED, {
        "positive": [{"metric": ("f1",), "positive": "a"}, {"metric": ("f1",), "positive": "b"}],
        "order": [{"metric": ("emd",), "scale": "ordinal", "order": ("a", "b", "c")},
                  {"metric": ("emd",), "scale": "ordinal", "order": ("b", "a", "c")}],
        "labels": "exact",
    }),
    (Leaderboard, {"files": ("ratings.csv",), "gold": "human", "rater": "", **QUICK}, {
        "raters": [{"rater": "rater", "raters": "fixed"}, {"rater": "rater", "raters": "random"}],
        "cluster": "twin", "threshold": [{"metric": "f1", "threshold": 2.0}, {"metric": "f1", "threshold": 4.0}],
        "better": [{"gold": None, "model": ALL, "better": "higher"}, {"gold": None, "model": ALL, "better": "lower"}],
        "gold": [{"gold": None, "model": ALL}], "model": ("m1", "m3"), "metric": "rmse", "baseline": "m2", "top": 2,
        "cost": [{"cost": "times"}, {"cost": "other"}], "picture": "ranks",
        "by": [{"by": "topic"}, {"by": "topic", "each": True}, {"by": "topic", "task_effect": "random"},
               {"by": "topic", "task_effect": "random", "aggregate": "borda"},
               {"by": "topic", "weight": ("x=2", "y=1", "z=1")}],
        "each": [], "aggregate": [], "task_effect": [], "weight": [],
        "plan": [{"plan": 1}, {"plan": 2}, {"plan": 1, "target_power": 0.9}], "target_power": [],
        "correction": "holm", "n_resamples": 29, "confidence_level": 0.9, "seed": 1,
    }),
    (Leaderboard, {"files": ("votes.csv",), "winner": "better", "first": "one", "second": "two", **QUICK}, {
        "winner": "reply", "first": [{"first": "two", "second": "one"}], "second": [], "item": "item",
        "unordered": True, "strength": [{"strength": "elo"}, {"strength": "log-odds"}], "control": ("length",),
    }),
    (Score, {"files": ("ratings.csv",), "gold": "human"}, {
        "raters": [{"rater": "rater", "raters": "fixed"}, {"rater": "rater", "raters": "random"}],
        "gold": [{"gold": None, "model": ALL}], "model": ("m1", "m3"),
        "metric": [{"metric": ("rmse",)}, {"metric": ("rmse", "mae")}], "cluster": "twin", "confidence_level": 0.9,
        "threshold": [{"metric": ("f1",), "threshold": 2.0}, {"metric": ("f1",), "threshold": 4.0}],
    }),
    (Reliability, {"files": ("ratings.csv",), "gold": "human"}, {
        "gold": [{"gold": None, "model": ALL}], "model": ("m1", "m3"), "confidence_level": 0.9,
    }),
    (Describe, {"files": ("ratings.csv",), "rater": "rater", "only": ("m1", "m2"), **QUICK}, {
        "a": [{"a": "m1", "b": "m2"}, {"a": "m2", "b": "m1"}, {"a": "m1", "b": "m2", "gold": "human"},
              {"a": "m1", "b": "m2", "better": "lower"}, {"a": "m1", "b": "m2", "gold": "human", "metric": "mse"}],
        "b": [], "gold": [], "better": [], "metric": [], "only": ("m1",), "cluster": "twin", "top": 1,
        "measurement_level": "interval", "n_resamples": 29, "confidence_level": 0.9, "seed": 1,
    }),
    (Fit, FITTED, {
        "gold": "m1", "response_model": [{"response_model": "empirical", "mean": None, "sd": None}],
        "mean": "uniform", "sd": "uniform", "criterion": "aic", "seed": 1,
        "low": [{"scale": "continuous", "low": 0.0}], "high": [{"scale": "continuous", "high": 7.0}],
    }),
    (Fit, {"files": ("labels.csv",), "gold": "human"}, {"method": "ml"}),
    (Simulate, TYPED, {
        "mean": "0.4", "sd": "uniform:0,0.4", "levels": (5.0,), "clip": True, "epsilon_a": 0.1,
        "perturbation": "noise", "n_items": 9, "n_responses": "3", "epsilon": 0.3, "under_null": True, "seed": 1,
        "files": [{"files": ("normal",), "mean": None, "sd": None}],
    }),
    (Simulate, {"dirichlet": (3.0, 2.0), "n_items": 8, "epsilon": 0.2}, {"dirichlet": (3.0, 1.0), "rho": (1.0, 2.0)}),
    (Plan, PLANNED, {
        "threshold": [{"metric": ("f1",), "threshold": 2.0, "n_simulations": 20, "precision": 0.5, "test": ("none",)},
                      {"metric": ("f1",), "threshold": 4.0, "n_simulations": 20, "precision": 0.5, "test": ("none",)}],
        "epsilon_a": 0.1, "perturbation": "noise", "files": ("likert-toxicity",), "metric": ("mse",),
        "n_items": (40,), "clip": True,
        "n_responses": ("4",), "budget": [{"n_items": (), "budget": (90.0,)}],
        "max_cost": [{"n_items": (), "max_cost": (90.0,), "cost_item": 2.0, "cost_response": 1.0}],
        "target_power": [{"n_items": (), "test": ("paired-t",), "target_power": power} for power in (0.6, 0.7)],
        "target_p": [{"n_items": (), "target_p": 0.1}], "target_width": [{"n_items": (), "target_width": 0.2}],
        "spend": [{"n_items": (), "budget": (300.0,), "target_p": 0.1, "spend": flag} for flag in (False, True)],
        "max_items": [{"n_items": (), "target_p": 0.1, "max_items": 5}],
        "cost_item": 2.0, "cost_response": 2.0, "cost_run": 0.5, "epsilon": (0.3,),
        "test": ("paired-t",), "alpha": 0.1, "alternative": "greater", "confidence_level": 0.9,
        "engine": [{"engine": "monte-carlo", "n_simulations": 20, "precision": 0.5},
                   {"engine": "monte-carlo", "n_simulations": 30, "precision": 0.5},
                   {"engine": "monte-carlo", "n_simulations": 20, "precision": 0.5, "resample_simulated": True}],
        "n_simulations": [], "precision": [], "resample_simulated": [], "layout": "matrix", "seed": 1,
    }),
    (Plan, PILOT, {
        "a": "m3", "b": "m3", "gold": [], "cluster": "twin", "next": (20,),
        "response_model": [
            {"epsilon": (0.2,), "precision": 0.1, "response_model": kind} for kind in ("auto", "fitted")
        ],
    }),
    (Plan, RATED, {
        "n_raters": (4,), "raters_per_item": (2,), "raters": [],
        "cost_rater": [{"cost_rater": 5.0, "cost_response": 1.0}],
        "nested": [{"n_raters": (), "raters_per_item": (2,), "nested": True}],
        "cost_rater_hour": [{"cost_rater_hour": 20.0, "ratings_per_hour": rate} for rate in (10.0, 20.0)],
        "ratings_per_hour": [],
    }),
    (Audit, AUDITED, {
        "metric": ("wins",), "n_items": (11,), "n_responses": (3,), "epsilon": (0.2,), "n_simulations": 4,
        "n_resamples": 29, "n_fresh": 11, "scheme": ("bootstrap/first",), "null": ("shifted-bootstrap",),
        "test": ("paired-t",), "interval": [{"interval": ("t",)}, {"interval": ("t",), "confidence_level": 0.9}],
        "confidence_level": [], "layout": [], "alpha": 0.1, "epsilon_a": 0.1, "clip": True, "perturbation": "noise",
        "seed": 1,
    }),
    (Audit, {**AUDITED, "files": ("ratings.csv",), "gold": "human", "rater": "", "response_model": "empirical"}, {
        "gold": "m1", "response_model": "likert", "seed": 1,
    }),
]  # fmt: skip

ELSEWHERE = {
    # what is read, which the data's digest tells
    "encoding", "decimal", "sheet", "pool", "scorer", "filter", "rater_ids", "preference", "tie",
    "dirichlet", "levels", "mean", "sd", "rho", "paper",  # Simulate asks for models in the same words
    "detectable", "difference", "accuracy_points", "win_rate",  # seconds each: `Limits.signed`, and ε as it was found
    "reference_responses",
}  # fmt: skip


NOT_SAID = {"signature", "provenance", "layout", "top", "picture", "notes"}
"""Where a result comes from, how it is shown, and remarks on what was given or chosen."""


def told(result):
    """Return what a result says."""

    def bare(value):
        if isinstance(value, dict):
            return {name: bare(part) for name, part in value.items() if name not in NOT_SAID}
        return [bare(part) for part in value] if isinstance(value, list) else value

    return _json.dumps(bare(result.to_dict()))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: CASES[number][0].name)
def test_no_two_answers_share_a_signature(folder, monkeypatch, number):
    monkeypatch.chdir(folder)
    question, fields, changes = CASES[number]
    base = question(**fields)
    every = [value if isinstance(value, list) else [{name: value}] for name, value in changes.items()]
    asked = [base, *(replace(base, **change) for change in itertools.chain(*every))]
    seen = {}
    for one in asked:
        result = one.answer()
        assert type(result).__name__ == one.result
        signature, says = result.document().signature, told(result)
        before, former = seen.setdefault(signature, (says, one))
        assert says == before, f"{one.command} and {former.command} share {signature}"


def test_every_field_of_every_question_is_changed():
    for question in dict.fromkeys(question for question, _, _ in CASES):
        changed = {name for kind, _, changes in CASES for name in changes if kind in (question, Compare)}
        own = {field.name for field in _fields.fields_of(question)}
        shared = set() if question is Compare else {field.name for field in _fields.fields_of(TableFields)}
        assert own - changed - shared - ELSEWHERE == set(), question.name
