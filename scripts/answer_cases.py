"""What `answers.py` asks: documented commands, examples, samples of files, crossed configurations, Python and the API.

Data are made here from fixed seeds, so that a case means the same in every tree. A name says what is asked.
"""

import itertools
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("HOWSURE_SHARED", ROOT.parent / "shared")) / "data"
SLOW_PAGES = ("changelog", "replications")
"""Pages without commands of their own, or whose commands take minutes."""

SKIPPED = ("audit", "demo", "mcp", "replicate", "serve", "agent-files")
"""Commands whose examples take minutes or do not end; audits and replications are among the crossed cases, smaller."""


@dataclass(frozen=True)
class Case:
    """A question to ask; the name is how the record calls it.

    `content` is what follows `howsure`, an expression, the path of a page, or a table with questions to the API.
    """

    name: str
    kind: Literal["command", "python", "page", "api"]
    content: Any


def cases() -> list[Case]:
    """Return every case; those that take longest come first, so that both processes end together."""
    groups = (pages(), api(), audits_and_replications(), examples(), crossed(), samples(), python())
    return [case for group in groups for case in group]


def command(group: str, content: str) -> Case:
    """Return the case of a command, which is its own name."""
    return Case(f"{group}: {content}", "command", content)


# ---- data ----------------------------------------------------------------------------------------------------------


def prepare(folder: Path) -> None:
    """Write the files that cases read."""
    from howsure.cli import main

    for words in (
        ["example", str(folder / "ratings.csv")],
        ["example", str(folder / "judged.csv"), "--kind", "judged"],
        ["example", str(folder / "scores.txt"), "--kind", "h1-greater-beta"],
        ["example", str(folder / "tied.txt"), "--kind", "tied-ratings"],
        ["example", str(folder / "documents.txt"), "--kind", "documents"],
    ):
        import sys

        sys.argv = ["howsure", *words]
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(words) from end
    rng = np.random.default_rng(20261119)
    write(folder / "gold.csv", "item,source,rater,value,topic,doc", gold_by_raters(rng))
    write(folder / "people.csv", "item,source,rater,value,topic,doc", rated_outputs(rng, shared=True))
    write(folder / "apart.csv", "item,source,rater,value,topic,doc", rated_outputs(rng, shared=False))
    write(folder / "runs.csv", "item,source,repeat,value,topic,doc", right_or_wrong(rng))
    write(folder / "labels.csv", "item,source,rater,value", labels(rng))
    write(folder / "numbers.csv", "item,source,repeat,value,topic,doc", numbers(rng))
    write(folder / "votes.csv", "item,model_a,model_b,winner,rater", votes(rng))
    baseline, candidate = rng.random(80) < 0.8, rng.random(80) < 0.85
    write(folder / "before.csv", "item,value", ((f"q{i}", int(right)) for i, right in enumerate(baseline)))
    write(folder / "after.csv", "item,value", ((f"q{i}", int(right)) for i, right in enumerate(candidate)))


def write(path: Path, head: str, rows: Any) -> None:
    """Write a CSV file."""
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")


def places(i: int) -> tuple[str, str]:
    """Return the topic of an item and its document; documents have one to eight items."""
    return ("art", "law", "sport")[i % 3], f"d{int(np.sqrt(1.8 * i))}"


def gold_by_raters(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Yield ratings 1 to 5: gold by three of seven raters, three models with two runs each; some are missing."""
    for i in range(60):
        truth, where = rng.normal(3, 1), places(i)
        for rater in rng.choice(7, size=3, replace=False):
            yield f"i{i:02}", "human", f"r{rater}", likert(truth + 0.2 * (rater - 3) + 0.7 * rng.normal()), *where
        for model, noise in (("good", 0.6), ("fair", 0.8), ("poor", 1.2)):
            for _ in range(2 - (i % 11 == 0)):
                yield f"i{i:02}", model, "", likert(truth + noise * rng.normal()), *where


def rated_outputs(rng: np.random.Generator, *, shared: bool) -> Iterator[tuple[Any, ...]]:
    """Yield ratings of three models' outputs by eight raters: the same for all models, or others for each."""
    tastes = rng.normal(0, 0.5, size=(8, 3))
    for i in range(40):
        level, raters = rng.normal(3, 0.7), rng.choice(8, size=2, replace=False)
        for m, model in enumerate(("alpha", "beta", "gamma")):
            chosen = raters if shared else rng.choice(8, size=2, replace=False)
            for rater in chosen:
                value = level + 0.25 * m + tastes[rater, m] + 0.6 * rng.normal()
                yield f"i{i:02}", model, f"r{rater}", likert(value), *places(i)


def likert(value: float) -> int:
    """Return a rating from 1 to 5."""
    return int(np.clip(np.rint(value), 1, 5))


def right_or_wrong(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Yield right (1) or wrong (0) answers of three models in four runs."""
    for i in range(50):
        easy = rng.normal(1, 1.5)
        for model, skill in (("small", 0.0), ("medium", 0.4), ("large", 0.9)):
            for run in range(4):
                yield f"i{i:02}", model, run, int(rng.random() < 1 / (1 + np.exp(-easy - skill))), *places(i)


def labels(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Yield one of three labels: gold by three of five raters, two models with two answers."""
    names = np.array(["no", "unsure", "yes"])
    for i in range(45):
        truth = rng.integers(3)
        for rater in rng.choice(5, size=3, replace=False):
            yield f"i{i:02}", "human", f"r{rater}", names[truth if rng.random() < 0.75 else rng.integers(3)]
        for model, right in (("one", 0.7), ("two", 0.5)):
            for _ in range(2):
                yield f"i{i:02}", model, "", names[truth if rng.random() < right else rng.integers(3)]


def numbers(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Yield numbers: gold with two measurements, two models with three runs; errors of the second are skewed."""
    for i in range(55):
        truth = rng.normal(10, 3)
        for run in range(2):
            yield f"i{i:02}", "gold", run, round(truth + 0.5 * rng.normal(), 3), *places(i)
        for run in range(3):
            yield f"i{i:02}", "first", run, round(truth + rng.normal(), 3), *places(i)
            yield f"i{i:02}", "second", run, round(truth + rng.lognormal(0, 0.7), 3), *places(i)


def votes(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Yield votes between pairs of four models, with ties."""
    names, strength = ("w", "x", "y", "z"), np.array([0.0, 0.3, 0.5, 1.0])
    for i in range(300):
        a, b = rng.choice(4, size=2, replace=False)
        chance = 0.8 / (1 + np.exp(strength[b] - strength[a]))
        u = rng.random()
        vote = "model_a" if u < chance else "tie" if u < chance + 0.2 else "model_b"
        yield f"p{i % 120}", names[a], names[b], vote, f"r{rng.integers(12)}"


# ---- what is documented --------------------------------------------------------------------------------------------


def pages() -> Iterator[Case]:
    """Yield the pages of the docs that have commands."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if "```console" in path.read_text(encoding="utf-8") and not any(name in path.name for name in SLOW_PAGES):
            yield Case(f"page {path.relative_to(ROOT)}", "page", str(path))


def examples() -> Iterator[Case]:
    """Yield the examples of every command."""
    import click

    from howsure.cli.app import app

    def leaves(group: click.Group, name: str) -> Iterator[tuple[str, Any]]:
        context = click.Context(group)
        for each in group.list_commands(context):
            found = group.get_command(context, each)
            assert found is not None
            if isinstance(found, click.Group):
                yield from leaves(found, f"{name} {each}".strip())
            else:
                yield f"{name} {each}".strip(), found

    for name, each in leaves(app, ""):
        yield command("help", f"{name} --help-all")
        if name.split()[0] not in (*SKIPPED, "sweep"):
            for example in each.examples:
                yield command("example", example.removeprefix("howsure "))


def samples() -> Iterator[Case]:
    """Yield what `doctor` and `convert` say of every sample of tables, logs and folders."""
    if not SHARED.is_dir():
        return
    files = [path for path in sorted(SHARED.iterdir()) if path.suffix == ".csv"]
    logs = [path for path in sorted((SHARED / "logs").rglob("*")) if path.name != "README.md"]
    for path in [*files, *sorted((SHARED / "nlpstattest").glob("*.txt")), *logs]:
        for what in ("doctor {}", "convert {} --out tidy.csv"):
            name = what.format(path.relative_to(SHARED))
            yield Case(f"sample: {name}", "command", what.format(shlex.quote(str(path))))


# ---- crossed configurations ----------------------------------------------------------------------------------------

NULLS = (
    "sign-flip", "studentised", "pooled-responses", "permuted-responses", "shifted-bootstrap", "bootstrap-sign",
    "paired-t", "wilcoxon", "sign-test", "random-effects",
)  # fmt: skip
INTERVALS = ("percentile", "basic", "bca", "studentised", "symmetric", "score", "t", "edgeworth", "sign-flip")
GOLD = "gold.csv --gold human --a good --b fair"
PEOPLE = "people.csv --a beta --b alpha"
APART = "apart.csv --a beta --b alpha"
RUNS = "runs.csv --a large --b medium"
LABELS = "labels.csv --gold human --a one --b two"
NUMBERS = "numbers.csv --gold gold --a first --b second"


def crossed() -> Iterator[Case]:
    """Yield about 350 configurations of all analyses."""
    for content in (*compare(), *leaderboards(), *plans(), *gates(), *other_analyses(), *scores()):
        yield command("crossed", content)


def compare() -> Iterator[str]:
    """Yield comparisons."""
    kinds = (f"{GOLD} --metric mae", f"{GOLD} --metric spearman", f"{RUNS}", f"{NUMBERS} --metric rmse")
    for null, data in itertools.product(NULLS, kinds):
        yield f"compare {data} --null {null} --raters {'random' if null == 'random-effects' else 'fixed'}"
    for interval, data in itertools.product(INTERVALS, kinds):
        yield f"compare {data} --interval {interval} --raters fixed"
    for interval, side in itertools.product(("symmetric", "t", "bca", "sign-flip"), ("greater", "less")):
        yield f"compare {GOLD} --metric mae --raters fixed --interval {interval} --alternative {side}"
    for null, data in itertools.product(NULLS, (f"{GOLD} --metric mae", RUNS, f"{GOLD} --metric f1")):
        raters = "random" if null == "random-effects" else "fixed"
        yield f"compare {data} --cluster doc --null {null} --raters {raters}"
    for raters, cluster, data in itertools.product(
        ("fixed", "random"),
        ("", " --cluster doc"),
        (f"{GOLD} --metric mae", f"{GOLD} --metric wins", f"{GOLD} --metric kendall", PEOPLE, APART),
    ):
        yield f"compare {data} --raters {raters}{cluster}"
    for data in (GOLD, PEOPLE, APART, RUNS, NUMBERS):
        yield f"compare {data} --margin 0.2"
        yield f"compare {data} --margin 0.05 --cluster topic"
        yield f"compare {data} --by topic --correction holm"
        yield f"compare {data} --by topic --correction westfall-young"
        yield f"compare {data} --by doc --correction benjamini-hochberg --verbose"
    for responses in ("equal", "first", "one", "bootstrap"):
        yield f"compare {GOLD} --metric mae --raters fixed --responses {responses} --null shifted-bootstrap"
        yield f"compare {NUMBERS} --metric cosine --responses {responses} --null shifted-bootstrap"
    yield f"compare {NUMBERS} --metric mae --responses bootstrap --n-responses 2 --null pooled-responses"
    yield f"compare {GOLD} --metric mae --items all --raters random --null shifted-bootstrap"
    metrics = (
        "mae mse rmse max-error wins-responses cosine cosine-responses spearman kendall emd emd-means "
        "emd-responses wins wins:mse"
    )
    for metric in metrics.split():
        yield f"compare {NUMBERS} --metric {metric}"
    for metric in [
        "wins",
        "accuracy",
        "accuracy-responses",
        "tv",
        "kl",
        "js",
        "cross-entropy",
        "log-loss",
        "brier",
        "calibration",
    ]:
        yield f"compare {LABELS} --metric {metric}"
    for metric in ["precision", "recall", "f1", "auc"]:
        yield f"compare {LABELS} --metric {metric} --positive yes"
        yield f"compare {GOLD} --metric {metric} --threshold 3"
    for metric in ("rating", "superiority", "pass@2", "pass^2"):
        yield f"compare {RUNS} --metric {metric}"
    yield f"compare {GOLD} --metric mae,wins,spearman --correction westfall-young"
    yield f"compare {GOLD} --metric mae,wins,spearman --raters random --verbose"
    yield f"compare {GOLD} --metric mae --raters fixed --test welch-t,paired-t,wilcoxon,item-bootstrap"
    yield f"compare {GOLD} --metric mae --missing bounds"
    yield f"compare {NUMBERS} --metric mae --confidence-level 0.9 --alternative greater --verbose"
    yield f"compare {NUMBERS} --metric mae --n-resamples 499 --null studentised --interval bca"
    for tail in ("", " --these-items", " --alternative greater", " --margin 0.1"):
        yield f"compare judged.csv --judge gpt-judge --a model-2 --b model-1{tail}"


def leaderboards() -> Iterator[str]:
    """Yield leaderboards."""
    files = ("gold.csv --gold human", "people.csv", "apart.csv", "runs.csv", "numbers.csv --gold gold")
    for data in files:
        for tail in ("", " --cluster doc", " --by topic", " --raters fixed", " --correction holm"):
            yield f"leaderboard {data}{tail}"
    for metric in ("mae", "wins", "spearman"):
        yield f"leaderboard gold.csv --gold human --metric {metric} --raters fixed --verbose"
    for way in ("mean-rank", "borda", "win-rate"):
        yield f"leaderboard runs.csv --by topic --aggregate {way}"
    yield "leaderboard runs.csv --by topic --task-effect random"
    yield "leaderboard runs.csv --by topic --each"
    yield "leaderboard runs.csv --by topic --weight law=2"
    yield "leaderboard runs.csv --baseline small"
    yield "leaderboard runs.csv --plan 2"
    yield "leaderboard judged.csv --judge gpt-judge"
    for tail in ("", " --strength elo", " --strength log-odds", " --unordered", " --cluster rater"):
        yield f"leaderboard votes.csv --winner winner{tail}"


def plans() -> Iterator[str]:
    """Yield plans from presets, models, pilots and raters."""
    for preset, metric in (("normal", "mae"), ("normal", "wins"), ("likert-toxicity", "mae"), ("normal", "rmse"),
                           ("normal", "spearman"), ("categorical-dices", "accuracy"), ("categorical-toxicity", "tv"),
                           ("likert-mhs", "emd"), ("likert-amazon", "kendall")):  # fmt: skip
        yield f"plan {preset} --metric {metric} --epsilon 0.2 --n-items 100,200 --n-responses 1,5"
    for test in ("sign-flip", "paired-t", "wilcoxon", "welch-t"):
        yield f"plan likert-toxicity --metric mae --epsilon 0.2 --n-items 100 --n-responses 5 --test {test}"
        yield f"plan gold.csv --gold human --a good --b fair --metric mae --n-items 100 --test {test} --raters fixed"
    yield "plan normal --metric mae --difference 0.03 --target-power 0.8"
    yield "plan normal --metric mae --epsilon 0.2 --target-p 0.05"
    yield "plan normal --metric mae --epsilon 0.2 --target-width 0.05"
    yield "plan normal --metric mae --epsilon 0.2 --budget 1000 --detectable"
    yield "plan normal --metric mae --epsilon 0.2 --n-items 100 --engine monte-carlo --n-simulations 300"
    yield "plan categorical --dirichlet 10,3,3 --metric accuracy --accuracy-points 5 --target-power 0.8"
    yield "plan normal --metric mae --epsilon 0.2 --n-items 200 --n-responses 5 --alternative greater --alpha 0.01"
    for data in (GOLD, PEOPLE, APART, RUNS, NUMBERS):
        yield f"plan {data} --target-power 0.8"
        yield f"plan {data} --difference 0.2 --n-items 50,200 --n-responses 1,3"
    for model in ("smoothed", "fitted", "empirical"):
        yield f"plan {GOLD} --metric mae --raters fixed --n-items 100,300 --response-model {model}"
    yield f"plan {PEOPLE} --n-raters 5,10,20 --n-items 100"
    yield f"plan {PEOPLE} --nested --n-items 100 --n-raters 50"
    yield f"plan {PEOPLE} --raters fixed --n-items 100,200 --next 50"
    yield f"plan {GOLD} --n-raters 5,10 --n-items 100 --metric mae"
    yield f"plan {RUNS} --cluster doc --n-items 100,200"
    yield "plan judged.csv --judge gpt-judge --a model-2 --b model-1 --target-power 0.8"


def gates() -> Iterator[str]:
    """Yield gates."""
    for claim in ("", " --superior", " --equivalent"):
        yield f"gate before.csv after.csv --margin 0.1{claim}"
        yield f"gate runs.csv --baseline medium --candidate large --margin 0.05{claim}"
        yield f"gate gold.csv --gold human --baseline fair --candidate good --margin 0.2 --range 1,5{claim}"
    yield "gate runs.csv --baseline medium --candidate large --margin 0.05 --cluster doc"
    yield "gate runs.csv --baseline medium --candidate large --margin 0.05 --by topic"
    yield "gate people.csv --baseline alpha --candidate beta --margin 0.3 --range 1,5"
    yield "gate people.csv --baseline alpha --candidate beta --margin 0.3 --range 1,5 --raters fixed"
    yield "gate apart.csv --baseline alpha --candidate beta --margin 0.3 --range 1,5"
    yield "gate before.csv after.csv --margin 0.1 --check"
    yield "gate people.csv --baseline alpha --candidate beta --margin 0.3 --range 1,5 --check"
    yield "gate before.csv after.csv --margin 0.1 --looks 2 --state looks.json"
    yield "gate before.csv after.csv --margin 0.1 --sequential looks.json"
    yield "gate judged.csv --judge gpt-judge --baseline model-1 --candidate model-2 --margin 0.1 --range 1,5"


def other_analyses() -> Iterator[str]:
    """Yield descriptions, scores, reliability, judges, fits, samples and simulations."""
    files = ("gold.csv --gold human", "people.csv", "apart.csv", "runs.csv", "numbers.csv --gold gold")
    for data in (*files, "labels.csv --gold human"):
        for name in ("score", "reliability"):
            yield f"{name} {data}"
    for data in (GOLD, PEOPLE, APART, RUNS, LABELS, NUMBERS):
        yield f"describe {data}"
    yield "describe gold.csv --only human --cluster doc"
    yield "score runs.csv --cluster doc --confidence-level 0.9"
    yield "score judged.csv --judge gpt-judge"
    for tail in ("", " --by topic", " --a model-2 --b model-1"):
        yield f"judge judged.csv --judge gpt-judge{tail}"
    for data in ("gold.csv", "labels.csv", "ratings.csv"):
        yield f"fit {data} --gold human"
    yield "fit numbers.csv --gold gold"
    for model in ("normal", "likert-toxicity", "categorical-dices"):
        yield f"simulate {model} --n-items 20 --epsilon 0.3 --out simulated.csv"
    yield "sample judged.csv --n 50 --stratify topic"
    yield "describe people.csv"


def scores() -> Iterator[str]:
    """Yield the steps of NLPStatTest."""
    tests = ("t", "sign", "wilcoxon", "bootstrap", "bootstrap-median", "permutation", "permutation-median")
    for test, side in itertools.product(tests, ("two-sided", "greater")):
        yield f"scores test scores.txt --test {test} --alternative {side}"
    for test in tests:
        yield f"scores test tied.txt --test {test} --delta 0.01"
        yield f"scores test scores.txt --test {test} --unit-size 5 --margin 0.02"
        yield f"scores power scores.txt --test {test} --steps 2 --n-simulations 200 --n-resamples 199"
    yield "scores test scores.txt --margin 0.02 --noninferiority"
    for file in ("scores.txt", "tied.txt", "documents.txt"):
        yield f"scores describe {file}"
        yield f"scores effect {file}"
        yield f"scores analyse {file}"
    yield "scores describe scores.txt --unit-size 5 --unit-statistic median --shuffle 1"
    for design, alternative in itertools.product(("paired", "independent"), ("two-sided", "greater")):
        yield f"power --effect 0.2 --sd 1 --target-power 0.8 --design {design} --alternative {alternative}"
        yield f"power --n-items 100 --sd 1 --target-power 0.8 --design {design} --alternative {alternative}"


def audits_and_replications() -> Iterator[Case]:
    """Yield small audits and replications."""
    small = "--n-simulations 60 --n-resamples 99"
    for content in (
        f"audit normal --metric mae --n-items 40 --n-responses 3 {small}",
        f"audit likert-toxicity --metric spearman --n-items 40 --n-responses 3 {small}",
        f"audit gold.csv --gold human --metric mae {small}",
        "audit normal --layout leader --metric mae --n-items 50 --n-responses 5 --n-simulations 20 --n-resamples 99",
        "replicate forest --table 3 --n-simulations 100",
        "replicate leader --table 5 --n-simulations 10",
        "replicate ratings --table 1 --n-simulations 50",
    ):
        yield command("crossed", content)


# ---- Python and the API ----------------------------------------------------------------------------------------------


def python() -> Iterator[Case]:
    """Yield calls of the public functions."""
    for content in (
        "howsure.doctor('gold.csv')",
        "howsure.compare('gold.csv', gold='human', a='good', b='fair', metric='mae')",
        "howsure.compare('gold.csv', gold='human', a='good', b='fair', metric=['mae', 'wins'], by='topic')",
        "howsure.compare(howsure.read('people.csv'), a='beta', b='alpha', margin=0.2)",
        "howsure.leaderboard('runs.csv')",
        "howsure.gate('before.csv', 'after.csv', margin=0.1)",
        "howsure.judge('judged.csv', judge='gpt-judge')",
        "howsure.score('runs.csv')",
        "howsure.reliability('runs.csv')",
        "howsure.describe('people.csv')",
        "howsure.fit('gold.csv', gold='human')",
        "howsure.simulate('normal', n_items=10, epsilon=0.2)",
        "howsure.plan('normal', metric='mae', difference=0.05, target_power=0.8)",
        "howsure.scores('scores.txt')",
        "howsure.power(effect=0.2, sd=1, target_power=0.8)",
        "howsure.compare('gold.csv', a='good', b='nobody')",
    ):
        yield Case(f"python: {content}", "python", content)


def api() -> Iterator[Case]:
    """Yield one table with many questions to the JSON API."""
    pair = {"gold": "human", "a": "good", "b": "fair", "metric": ["mae"]}
    yield Case(
        "api",
        "api",
        (
            "gold.csv",
            [
                ("compare", pair),
                ("compare", pair | {"by": "topic", "raters": "random"}),
                ("compare", pair | {"margin": 0.2, "cluster": "doc"}),
                ("leaderboard", {"gold": "human", "metric": "mae"}),
                ("describe", {"gold": "human", "a": "good", "b": "fair"}),
                ("plan", pair | {"target_power": 0.8}),
                ("score", {"gold": "human", "metric": ["mae"]}),
                ("reliability", {"gold": "human"}),
                ("fit", {"gold": "human"}),
                ("gate", {"gold": "human", "baseline": "fair", "candidate": "good", "margin": 0.2, "range": "1,5"}),
                ("compare", {"a": "x", "b": "y"}),
            ],
        ),
    )
