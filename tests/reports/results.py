"""One small result of each kind, made once; names are as hostile as data can be."""

import math
import tempfile
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from howsure import Contest, Responses, paired
from howsure.auditing import LeaderAudit, audit
from howsure.comparison import compare, compare_each
from howsure.data.response_tables import ResponseTable
from howsure.data.scales import Scale
from howsure.describing import describe
from howsure.examples import judged, ratings
from howsure.gating import CLAIMS, GateRule, GateSettings, check_gate, gate
from howsure.io import doctor
from howsure.judging import JudgedContest, compare_with_judge
from howsure.judging.judge_report import JudgedTable, report_judge
from howsure.judging.judged_contests import by_model, judged_models
from howsure.judging.judged_scores import score_with_judge
from howsure.judging.label_budget import LabelPrices, plan_labels
from howsure.judging.labels_to_draw import sample_of
from howsure.leaderboards import compare_all, compare_all_by, plan_leaderboard
from howsure.models import fit, preset
from howsure.models.simulation import simulate
from howsure.paired import PairedScores, ScoreTable
from howsure.papers import Found, Search, replicate
from howsure.planning import plan
from howsure.reports import plot
from howsure.scoring import reliability_of, score_models
from howsure.sweeps import Grid, run, task

HOSTILE = r"</script><svg onload=alert(1)> \input{/etc/passwd} | `x` $y$ & 5% #1 _z_ **b**"


def contest(n_items=30, shift=0.0, names=("human", HOSTILE, "old"), seed=0, **options):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n_items)
    a, b = gold + 0.5 * rng.normal(size=n_items), gold + (0.5 + shift) * rng.normal(size=n_items)
    return Contest.from_arrays(gold, a, b, names=names, **options)


def scores():
    rng = np.random.default_rng(9)
    b = rng.beta(5, 5, 60)
    return PairedScores.from_arrays(b + rng.normal(0.03, 0.1, 60), b, names=("new", HOSTILE))


def _several():
    topics = {"topic": np.array([HOSTILE, "y"] * 15)}
    return compare_each(contest(groups=topics), metrics=["mae"], by="topic", rng=0, n_resamples=99)


def _systems():
    rng = np.random.default_rng(2)
    return paired.compare_systems(ScoreTable(rng.normal([0, 0.1, 0.9], 1, (40, 3)), ("x", HOSTILE, "z")))


def _hostile(table, name):
    """Return a table whose source of this name is called as badly as it can be."""
    sources = {HOSTILE if known == name else known: responses for known, responses in table.sources.items()}
    return replace(table, sources=sources)


def _board():
    return compare_all(_hostile(ratings(30), "model-1"), gold="human", metric="mae", n_resamples=99, rng=0)


def _described():
    rng = np.random.default_rng(4)
    grid = rng.integers(1, 6, (12, 3)).astype(float)
    given = Responses.from_grid(grid, np.tile(np.arange(3), (12, 1)))
    scale = Scale.of([1.0, 2.0, 3.0, 4.0, 5.0], kind="ordinal")
    names = np.array([HOSTILE, *map(str, range(11))])
    return describe(ResponseTable(names, {HOSTILE: given}, scale, raters=(HOSTILE, "r2", "r3")), n_resamples=29, rng=0)


def _judged():
    """Return a contest whose models and judge are called as badly as they can be."""
    whole = judged(60, 20).contest(a="model-2", b="model-1", complete=False)
    raters = tuple(HOSTILE if name == "gpt-judge" else name for name in whole.raters)
    return JudgedContest.by_rater(replace(whole, raters=raters, names=("", HOSTILE, "old")), HOSTILE)


def _judged_table():
    """Return people's and the judge's ratings of two models, called as badly as they can be."""
    table = _hostile(judged(60, 40), "model-1").in_order()
    humans, own = by_model(table, list(table.sources), "gpt-judge")
    return JudgedTable(humans, own, table.scale, table.items, table.groups, table.raters)


def _repeated():
    """Return two models with three runs of each item, right or wrong."""
    rng = np.random.default_rng(6)
    grids = [rng.binomial(1, rng.beta(1, 1, (20, 1)), (20, 3)).astype(float) for _ in range(2)]
    sources = {name: Responses.from_grid(grid) for name, grid in zip((HOSTILE, "old"), grids, strict=True)}
    return ResponseTable(np.arange(20).astype(str), sources, Scale.of([0.0, 1.0], kind="ordinal"))


def _gated():
    topics = {"topic": np.array([HOSTILE, "y"] * 15)}
    return gate(
        contest(groups=topics), GateRule(CLAIMS["non-inferior"], 0.1), GateSettings("mae", by="topic", range=(-10, 10))
    )


def _fitted():
    table = _hostile(preset("categorical-dices").table(30, (5, 1, 1), rng=1), "gold")
    return fit(table, source=HOSTILE, rng=0)


def _diagnosed():
    """Return a look at a file whose models and whose name are called as badly as files can be."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{HOSTILE.replace('/', '')}.csv"
        rows = [f'{item},"{who}",{item % 3}' for item in range(6) for who in ("human", HOSTILE, "old")]
        path.write_text("\n".join(["item,source,value", *rows]), encoding="utf-8")
        return doctor(path)


def _searched():
    """Return two cells of a search: one that ends where the paper does, one for which the paper has a dash."""
    known = Found(2, "toxicity", "mae", 0.1, 1000.0, 10.0, 0.03, 1000.0, 10.0, 0.031, 0.002, 640.0, 80.0, 8.0)
    dash = (math.nan,) * 3
    return Search("forest", (known, Found(2, "dices", "tv", 0.05, *dash, 2500.0, 5.0, 0.04, 0.002, *dash)), 100, 0)


@task(version=1)
def shares(cell, rng):
    """A study whose parameter is called as badly as a label can be."""
    return {"share": cell["n"] / 100 + len(cell["kind"]) / 1000}


MADE = {
    "Comparison": lambda: compare(contest(), metric="mae", rng=0, n_resamples=99),
    "Comparisons": _several,
    "Leaderboard": _board,
    "Leaderboards": lambda: compare_all_by(
        ratings(30), "topic", gold="human", metric="mae", n_resamples=99, rng=0
    ),
    "LeaderboardPlan": lambda: plan_leaderboard(ratings(30), gold="human", metric="mae", rng=0, n_resamples=99),
    "GateCheck": lambda: check_gate(
        contest(), GateRule(CLAIMS["non-inferior"], 0.1), GateSettings("mae", range=(-10, 10))
    ),
    "GateResult": _gated,
    "ModelScores": lambda: score_models(_repeated()),
    "Reliability": lambda: reliability_of(_repeated()),
    "Plan": lambda: plan("normal", epsilon=0.2, metrics="mae", n_items=[5, 9], n_responses=[2], precision=0.05, rng=0),
    "Audit": lambda: audit("normal", designs=[(20, 2)], n_simulations=4, n_resamples=19, n_fresh=20, rng=0),
    "LeaderAudit": lambda: LeaderAudit((made("Audit"),)),
    "JudgedComparison": lambda: compare_with_judge(_judged(), metric="rating"),
    "JudgedScores": lambda: score_with_judge(judged_models(_hostile(judged(60, 40), "model-1"), "gpt-judge")),
    "JudgeReport": lambda: report_judge(_judged_table(), name=HOSTILE, by="topic", bias=["topic"]),
    "LabelBudget": lambda: plan_labels(made("JudgedComparison"), prices=LabelPrices(judge=0.01), width=1.0),
    "LabelSample": lambda: sample_of(np.array([HOSTILE, *"abcdefg"]), 7, strata=np.array([HOSTILE, *"xyxyxyx"])),
    "Diagnosis": _diagnosed,
    "Search": _searched,
    "Sweep": lambda: run(shares, Grid.product({"n": [10, 20, 40], "kind": [HOSTILE, "plain"]}), rng=0),
    "TableDescription": _described,
    "Fit": _fitted,
    "Simulation": lambda: simulate("likert-amazon", n_items=30, n_responses=3, epsilon=0.2, rng=0),
    "PaperFigure": lambda: replicate("leader", figure=3, n_simulations=2),
    "Replication": lambda: replicate("raters", table=6, n_simulations=2),
    "PairedAnalysis": lambda: paired.analyse(scores(), n_simulations=20, rng=1),
    "Finding": lambda: paired.find(scores(), margin=0.1, rng=1),
    "SystemsComparison": _systems,
    "Description": lambda: paired.describe(scores()),
    "UnitSizes": lambda: paired.unit_sizes(scores()),
    "Overview": lambda: paired.overview(scores()),
    "Effects": lambda: paired.measure(scores(), rng=1),
    "PowerCurve": lambda: paired.power_curve(scores(), n_simulations=20, rng=1),
    "PowerPlan": lambda: paired.plan_power(effect=0.2, sd=1, target_power=0.8),
}  # fmt: skip


@cache
def made(kind):
    """Return the result of this kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MADE[kind]()


@cache
def plotted(kind):
    """Return the chart of this kind of result, which Altair takes long to make."""
    return plot(made(kind))


@cache
def charted(kind):
    """Return the specification of the chart of this kind of result, checked."""
    return plotted(kind).to_dict()


def rows_of(spec):
    """Return every row of data of a specification."""
    if isinstance(spec, list | tuple):
        return [row for value in spec for row in rows_of(value)]
    if not isinstance(spec, dict):
        return []
    own = [spec["values"]] if isinstance(spec.get("values"), list | tuple) else []
    own += list(spec.get("datasets", {}).values())
    return [row for rows in own for row in rows if isinstance(row, dict)] + [
        row for value in spec.values() for row in rows_of(value)
    ]
