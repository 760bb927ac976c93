"""Make docs/gallery.md and its pictures from real runs on simulated and bundled data: python scripts/gallery.py."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
FOLDER, PAGE = ROOT / "docs" / "gallery", ROOT / "docs" / "gallery.md"


def _ratings() -> Any:
    from howsure.examples import ratings

    return ratings()


def _contest() -> Any:
    return _ratings().contest(gold="human", a="model-2", b="model-1")


def _compare() -> Any:
    from howsure.comparison import compare

    return compare(_contest(), metric="mae", rng=0)


def _forest() -> Any:
    from howsure.comparison import compare_each

    return compare_each(_contest(), metrics=["mae", "wins", "spearman"], rng=0, n_resamples=999)


def _board() -> Any:
    from howsure.leaderboards import compare_all

    return compare_all(_ratings(), gold="human", metric="mae", n_resamples=999, rng=0)


def _slices() -> Any:
    from howsure.leaderboards import compare_all_by

    return compare_all_by(_ratings(), "topic", gold="human", metric="mae", n_resamples=999, rng=0)


def _repeated() -> Any:
    """Return two models that answered 60 items five times each, right or wrong."""
    import numpy as np

    from howsure import Responses
    from howsure.data.response_tables import ResponseTable
    from howsure.data.scales import Scale

    rng = np.random.default_rng(0)
    hard = rng.beta(1, 1, (60, 1))
    sources = {
        name: Responses.from_grid(rng.binomial(1, hard**power, (60, 5)).astype(float))
        for name, power in (("new", 0.6), ("old", 1.0))
    }
    return ResponseTable(np.arange(60).astype(str), sources, Scale.of([0.0, 1.0], kind="ordinal"))


def _score() -> Any:
    from howsure.scoring import score_models

    return score_models(_repeated())


def _gate() -> Any:
    from howsure.gating import CLAIMS, GateRule, GateSettings, gate

    return gate(_contest(), GateRule(CLAIMS["non-inferior"], 0.1), GateSettings("mae", by="topic", range=(1, 5)))


def _judged() -> Any:
    from howsure.examples import judged
    from howsure.judging import JudgedContest, compare_with_judge

    contest = judged().contest(a="model-2", b="model-1", complete=False)
    return compare_with_judge(JudgedContest.by_rater(contest, "gpt-judge"))


def _reliability() -> Any:
    from howsure.scoring import reliability_of

    return reliability_of(_repeated())


def _leaderboard_plan() -> Any:
    from howsure.leaderboards import plan_leaderboard

    return plan_leaderboard(_ratings(), gold="human", metric="mae", n_resamples=999, rng=0)


def _heat() -> Any:
    from howsure.planning import plan

    sizes = {"n_items": [25, 50, 100, 200, 400], "n_responses": [1, 2, 5, 10]}
    return plan("normal", epsilon=0.1, metrics="mae", target_power=0.8, rng=0, **sizes)


def _pilot() -> Any:
    from howsure.planning import plan

    return plan(_contest(), metrics="mae", target_power=0.8, rng=0)


def _scores() -> Any:
    from howsure.paired import PairedScores

    rng = np.random.default_rng(1)
    b = rng.beta(5, 5, 200)
    return PairedScores.from_arrays(b + rng.normal(0.02, 0.1, 200), b, names=("new", "old"))


def _analysis() -> Any:
    from howsure.paired import analyse

    return analyse(_scores(), n_simulations=200, rng=0)


def _power() -> Any:
    from howsure.paired import plan_power

    return plan_power(effect=0.2, sd=1, target_power=0.8)


def _systems() -> Any:
    from howsure.paired import ScoreTable, compare_systems

    rng = np.random.default_rng(2)
    return compare_systems(ScoreTable(rng.normal([0, 0.1, 0.4, 0.9], 1, (60, 4)), ("w", "x", "y", "z")))


def _fit() -> Any:
    from howsure.models import fit, preset

    return fit(preset("categorical-dices").table(200, (5, 1, 1), rng=1), source="gold", rng=0)


def _audit() -> Any:
    from howsure.auditing import audit

    return audit("normal", designs=[(20, 2), (50, 5)], n_simulations=100, n_resamples=99, n_fresh=200, rng=0)


def _leader() -> Any:
    from howsure.auditing import LeaderAudit, audit

    sizes = {"n_simulations": 40, "n_resamples": 99, "n_fresh": 200}
    found = audit("normal", metrics=["mae", "wins"], designs=[(50, 5)], epsilons=[0.0, 0.1, 0.2, 0.3], rng=0, **sizes)
    return LeaderAudit((found,))


def _figure() -> Any:
    from howsure.papers import replicate

    return replicate("forest", figure=3, n_simulations=100)


def _simulation() -> Any:
    from howsure.models.simulation import simulate

    return simulate("likert-amazon", n_items=200, n_responses=5, epsilon=0.2, rng=0)


def _description() -> Any:
    import polars

    from howsure import read
    from howsure.describing import describe

    rng = np.random.default_rng(4)
    who = {"human": 6, "new": 1, "old": 1}
    noise = {"human": 0.7, "new": 0.8, "old": 1.2}
    rows = [
        {"item": f"item-{i:02}", "source": source, "rater": f"{source}-{j}", "value": int(np.clip(round(near), 1, 5))}
        for i, truth in enumerate(rng.uniform(1, 5, 60))
        for source, n in who.items()
        for j in range(n)
        for near in [truth + (1.5 if j == 5 else 0.0) + rng.normal(0, noise[source])]
        if n == 1 or rng.random() < 0.85
    ]
    table = read(polars.DataFrame(rows))
    contest = table.contest(gold="human", a="new", b="old")
    return describe(table, contest=contest, metric="mae", rng=0, n_resamples=99)


def _replication() -> Any:
    from howsure.papers import replicate

    return replicate("raters", table=6, n_simulations=50)


def _paired(step: str) -> Callable[[], Any]:
    def make() -> Any:
        from howsure import paired

        options: dict[str, Any] = {"n_simulations": 200} if step == "power_curve" else {}
        seeded = {} if step in ("describe", "overview", "unit_sizes") else {"rng": 0}
        return getattr(paired, step)(_scores(), **options, **seeded)

    return make


SHOWN: dict[str, tuple[tuple[str, ...], str, Callable[[], Any]]] = {
    "compare": (("Comparison",), "Is A better than B? Items, advantage, resamples, and who wins where.", _compare),
    "forest": (("Comparisons",), "Several metrics, or slices: one axis for each unit.", _forest),
    "leaderboard": (("Leaderboard",), "Many models: scores, rank ranges, groups of similar models.", _board),
    "slices": (("Leaderboards",), "A leaderboard for each slice of the items, all simultaneous.", _slices),
    "leaderboard-plan": (("LeaderboardPlan",), "How much data separates the first models.", _leaderboard_plan),
    "score": (("ModelScores",), "Models by themselves: scores with intervals, pass@k and pass^k.", _score),
    "reliability": (("Reliability",), "Repeated runs: unstable items, and what more runs are worth.", _reliability),
    "gate": (("GateResult",), "A gate: the difference, its interval, the margin, and slices.", _gate),
    "judge": (("JudgedComparison",), "A judge and a few people: each alone, and both together.", _judged),
    "plan": (("Plan",), "A grid of designs: power, what to collect, designs of the same cost.", _heat),
    "pilot": (("Plan",), "From a pilot: how many items 80% power needs, and where you are.", _pilot),
    "scores": (("PairedAnalysis",), "Two lists of scores: histograms, differences, unit sizes, power.", _analysis),
    "scores-describe": (("Description", "Overview"), "What the scores look like.", _paired("overview")),
    "scores-units": (("UnitSizes",), "The unit size at which the differences settle.", _paired("unit_sizes")),
    "scores-test": (("Finding",), "One test: the estimate with its interval.", _paired("find")),
    "scores-effect": (("Effects",), "Effect sizes, an axis each.", _paired("measure")),
    "scores-power": (("PowerCurve",), "How often studies of other sizes find the difference.", _paired("power_curve")),
    "power": (("PowerPlan",), "How many segments a planned study needs.", _power),
    "systems": (("SystemsComparison",), "Several systems: mean ranks, critical difference, pairs.", _systems),
    "describe": (("TableDescription",), "Who judged what, agreement, variance components.", _description),
    "simulate": (("Simulation",), "Simulated responses of gold, A and B.", _simulation),
    "fit": (("Fit",), "A response model and the data it was fitted to; labels as a hanging rootogram.", _fit),
    "audit": (("Audit",), "Error rates of tests and coverage of intervals: best first.", _audit),
    "leader": (("LeaderAudit",), "How near estimated p is to the true p, by scheme and by metric.", _leader),
    "replicate": (("Replication", "Search"), "Published and reproduced numbers.", _replication),
    "figure": (("PaperFigure",), "A figure of a paper, reproduced.", _figure),
}  # fmt: skip
"""Name of the picture, the results that are drawn like it, what it shows, and the run that makes it."""

ELSEWHERE = {"Sweep": "[big studies](how-to/sweeps.md): any result against any parameter"}
"""Results that are drawn, and whose own page shows how."""


def page() -> str:
    """Return the page: one section for each picture."""
    lines = [
        "# Gallery",
        "",
        "Every chart below is made by `python scripts/gallery.py` from simulated or bundled data. `howsure.plot`",
        "gives the same as an Altair chart, `--chart FILE` writes it as .html, .svg, .png, .pdf or .json, and",
        "`--report FILE` puts it into a report.",
    ]
    for name, (kinds, said, _) in SHOWN.items():
        listed = ", ".join(f"`{kind}`" for kind in kinds)
        lines += ["", f"## {name}", "", f"{said} Chart of {listed}.", "", f"![{said}](gallery/{name}.svg)"]
    lines += ["", "## On other pages", ""]
    lines += [f"* `{kind}`: {said}." for kind, said in ELSEWHERE.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Draw everything, and write the page."""
    import warnings

    from howsure.reports import plot
    from howsure.reports.pictures import svg

    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    for name, (_, _, make) in SHOWN.items():
        spec = plot(make()).to_dict()
        drawn = svg({**spec, "background": "white"})
        (FOLDER / f"{name}.svg").write_text(drawn, encoding="utf-8")
        print(f"{name}: {len(drawn) / 1000:.0f} kB")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
