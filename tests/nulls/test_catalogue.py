"""Every null and every interval: its contract, and every place where one can appear."""

import numpy as np
import pytest

from howsure import Contest, Responses, Scale, models, planning
from howsure.auditing import audit
from howsure.comparison import Comparison, compare
from howsure.documents.text import render
from howsure.intervals import INTERVALS
from howsure.nulls import NULLS
from howsure.planning import TESTS
from howsure.reports import report
from howsure.testing import check_interval, check_null


def contest(*, raters=False):
    rng = np.random.default_rng(4)
    gold = rng.integers(1, 6, (30, 6)).astype(float)
    a, b = (np.clip(gold + rng.integers(-1, 2, gold.shape) * more, 1, 5) for more in (1, 2))
    if not raters:
        return Contest.from_arrays(gold, a, b)
    ids = np.tile(np.arange(6), (30, 1))
    sides = [Responses.from_grid(side, ids) for side in (gold, a, b)]
    return Contest(*sides, Scale("continuous"), np.arange(30).astype(str))


@pytest.mark.parametrize("name", NULLS)
def test_every_null_keeps_its_contract(name):
    check_null(NULLS[name])


@pytest.mark.parametrize("name", INTERVALS)
def test_every_interval_keeps_its_contract(name):
    check_interval(INTERVALS[name])


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
@pytest.mark.parametrize("name", NULLS)
def test_every_null_is_compared_reported_audited_and_planned(name, tmp_path):
    null = NULLS[name]
    raters = null.two_answers
    responses = (
        "all" if not any(one == "refuse" for one, _ in null.judge(_scheme("all", raters), (6, 6))) else "bootstrap"
    )
    how = {"metric": "mae", "null": name, "responses": responses, "raters": "random" if raters else "fixed", "rng": 0}
    result = compare(contest(raters=raters), **how)
    assert 0 < result.pvalue <= 1
    assert result.shown_pvalue in render(result.document(), verbose=True).replace("\n", " ")
    assert Comparison.from_dict(result.to_dict()).verdict == result.verdict
    report(result, tmp_path / "found.md")
    said = (tmp_path / "found.md").read_text(encoding="utf-8")
    assert null.account[:40].lower() in said.replace("\\", "").lower()
    if not raters:
        found = audit(
            models.preset("normal"),
            metrics=["mae"],
            schemes=[("bootstrap", responses)],
            nulls=[name],
            tests=[],
            intervals=["percentile"],
            designs=[(12, 3)],
            epsilons=[0.1],
            n_simulations=20,
            n_resamples=39,
            rng=0,
        )
        assert {row.pvalue for row in found.tests if row.null == name} == set(null.audited)
    if name in TESTS:
        plan = planning.plan(
            models.preset("normal"), metrics=["mae"], epsilon=0.3, test=name, n_items=[60], n_responses=[2], rng=0
        )
        assert 0 < plan.cells[0].power <= 1


def _scheme(responses, raters):
    from howsure import Scheme

    return Scheme(responses=responses, raters="random" if raters else "fixed")
