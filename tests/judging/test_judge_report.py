"""The report on a judge: agreement against a plain computation, verdicts, biases, and wrong data."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import howsure
from howsure import ArgumentError, DataError, examples
from howsure.inference import binomial_region
from howsure.judging.alternative_annotators import JudgedUnits, alternative_annotator_test
from tests.judging.test_judged_comparison import labelled, rated, table


def simulated(seed=0, n=60, n_raters=5, *, labels=True, judge_noise=0.3, there=0.9):
    """Return people's and a judge's answers of 1 to 4: all are the truth with some noise."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 5, n)

    def answers(noise, shape):
        wrong = rng.random(shape) < noise
        return np.where(wrong, rng.integers(1, 5, shape), truth[: shape[0], np.newaxis] if len(shape) > 1 else truth)

    grid = answers(0.3, (n, n_raters)).astype(float)
    kept = rng.random(grid.shape) < there
    units, raters = np.nonzero(kept)
    judge = answers(judge_noise, (n,)).astype(float)[np.newaxis]
    return JudgedUnits(grid[kept], units, raters, judge, np.arange(n), labels)


def plainly(data, epsilon, enough=30):
    """Return ω, ρ and the mean difference by loops over responses, as the paper describes them."""
    score = (lambda v, o: np.mean(o == v)) if data.labels else (lambda v, o: -np.sqrt(np.mean((v - o) ** 2)))
    rows = []
    for i, (unit, rater) in enumerate(zip(data.units, data.raters, strict=True)):
        others = data.values[(data.units == unit) & (data.raters != rater)]
        if others.size:
            rows.append((rater, score(data.judge[0][unit], others), score(data.values[i], others)))
    raters, judge, human = (np.array(column) for column in zip(*rows, strict=True))
    pvalues, shares = [], []
    for rater in np.unique(raters):
        own = raters == rater
        if own.sum() < enough:
            continue
        ahead, behind = judge[own] >= human[own] - 1e-12, human[own] >= judge[own] - 1e-12
        pvalues.append(stats.ttest_1samp(behind * 1.0 - ahead, epsilon, alternative="less").pvalue)
        shares.append(ahead.mean())
    m = len(pvalues)
    wins = stats.false_discovery_control(pvalues, method="by") <= 0.05 if m else []
    return np.mean(wins), np.mean(shares), (judge - human).mean()


@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_scores_and_the_published_test_are_those_of_plain_loops(seed, labels):
    data = simulated(seed, labels=labels, judge_noise=0.1 * seed)
    found = alternative_annotator_test(data, data.judge_scores(), 0.2)
    omega, rho, difference = plainly(data, 0.2)
    assert found.winning_rate == pytest.approx(omega)
    assert found.advantage_probability == pytest.approx(rho)
    own = data.judge_scores() - data.human_scores()
    assert own[data.scored].mean() == pytest.approx(difference)


def test_a_perfect_judge_passes_and_a_random_one_does_not():
    good, bad = (simulated(1, 200, judge_noise=noise) for noise in (0.0, 1.0))
    assert alternative_annotator_test(good, good.judge_scores(), 0.2).passes
    assert not alternative_annotator_test(bad, bad.judge_scores(), 0.2).passes


def test_a_judge_that_is_one_more_rater_agrees_as_well():
    """The true difference is zero: its interval covers zero in 95% or more."""
    n = 300
    hits = 0
    for seed in range(n):
        data = simulated(seed, 50, 4, there=1.0)
        found = data.mean(data.judge_scores() - data.human_scores())
        hits += abs(found.mean) <= found.error.half_width(0.025)
    assert hits >= binomial_region(n, 0.95).low


def test_a_judge_at_the_edge_of_the_margin_is_seldom_let_pass():
    """Raters agree by .6175; a judge with noise .4177 agrees by 10% less, which is just not allowed."""
    n, passed, failed = 400, 0, 0
    for seed in range(n):
        data = simulated(seed, 100, 5, judge_noise=0.4177, there=1.0)
        human = data.human_scores()
        found, margin = data.mean(data.judge_scores() - human), 0.1 * data.mean(human).mean
        half = found.error.half_width(0.025)
        passed += found.mean - half > -margin
        failed += found.mean + half < -margin
    assert passed <= binomial_region(n, 0.025).high
    assert failed <= binomial_region(n, 0.025).high


def written(data, judge="judge"):
    """Return the rows of people's and a judge's answers."""
    rows = [(f"q{u}", "human", f"r{r}", f"l{int(v)}" if data.labels else float(v))
            for u, r, v in zip(data.units, data.raters, data.values, strict=True)]  # fmt: skip
    own = data.judge[0]
    return table(rows + [(f"q{u}", judge, "", f"l{int(v)}" if data.labels else float(v)) for u, v in enumerate(own)])


@pytest.mark.parametrize(("noise", "n", "verdict"), [
    (0.1, 300, "may replace"), (0.9, 100, "may not replace"), (0.35, 40, "cannot tell"),
])  # fmt: skip
def test_verdicts(noise, n, verdict):
    found = howsure.judge(written(simulated(3, n, judge_noise=noise)), gold="human", judge="judge")
    assert found.verdict == verdict
    low, high = found.difference.confidence_interval.low, found.difference.confidence_interval.high
    assert (low > -found.margin) == (verdict == "may replace")
    assert (high < -found.margin) == (verdict == "may not replace")
    assert found.margin == pytest.approx(0.1 * found.agreements[0].agreement)
    assert {"may replace": "judge may replace one of these raters", "cannot tell": "We cannot tell whether judge",
            "may not replace": "judge may not replace one"}[verdict] in found.reason  # fmt: skip
    assert (found.more_items is not None) == ("label about" in found.reason)


def test_a_constant_judge_never_passes_the_verdict():
    """People agree on the middle: a judge that always answers 3 is as close as they are, and knows nothing."""
    rng = np.random.default_rng(0)
    grid = np.clip(np.round(3 + 0.6 * rng.normal(size=(200, 5))), 1, 5)
    units, raters = np.indices(grid.shape)
    data = JudgedUnits(grid.ravel(), units.ravel(), raters.ravel(), np.full((1, 200), 3.0), np.arange(200), False)
    assert alternative_annotator_test(data, data.judge_scores(), 0.1).passes
    found = howsure.judge(written(data), gold="human", judge="judge")
    assert found.verdict == "may not replace"
    assert "a judge that is always 3 agrees with them as well" in found.reason
    assert found.agreements[2].agreement == pytest.approx(found.agreements[1].agreement)


def test_the_order_of_what_is_said():
    said = str(howsure.judge(examples.judged(), judge="gpt-judge"))
    parts = ["agrees with raters", "averaged over responses)", "shuffled judge", "correlate with people's by",
             "by model", "gpt-judge favours model-2 by", "Alternative annotator test (ε = 0.1)"]  # fmt: skip
    places = [said.index(part) for part in parts]
    assert places == sorted(places)


def test_the_shift_by_model_is_found():
    found = howsure.judge(examples.judged(), judge="gpt-judge")  # its bias of .35 is .175 beside the mean model
    shifts = {row.name: row for row in found.shifts}
    assert shifts["model-2"].bias.value == pytest.approx(-shifts["model-1"].bias.value)
    assert shifts["model-2"].pvalue_adjusted < 0.05
    assert shifts["model-2"].bias.confidence_interval.low < 0.175 < shifts["model-2"].bias.confidence_interval.high


def test_columns_that_the_judge_reacts_to():
    rng = np.random.default_rng(1)
    data = simulated(5, 150, labels=False, judge_noise=0.1, there=1.0)
    length = rng.normal(size=150)
    batch = np.where(np.arange(150) < 75, "old", "new")
    judge = data.judge + 0.4 * length + 0.5 * (batch == "new")
    own = JudgedUnits(data.values, data.units, data.raters, judge, data.items, False)
    where = pl.DataFrame({"item": [f"q{i}" for i in range(150)], "length": length, "batch": batch})
    found = howsure.judge(written(own).join(where, on="item"), gold="human", judge="judge", bias=["length", "batch"])
    rows = {row.name: row for row in found.biases}
    assert (
        rows["length (per SD)"].bias.confidence_interval.low
        < 0.4
        < rows["length (per SD)"].bias.confidence_interval.high
    )
    assert rows["length (per SD)"].pvalue_adjusted < 0.05
    assert rows["batch = new"].bias.value - rows["batch = old"].bias.value == pytest.approx(0.5, abs=0.2)


def test_a_judge_that_prefers_what_is_shown_first():
    rng = np.random.default_rng(2)
    gap = rng.normal(size=200)
    first = np.where(rng.random(200) < 0.5, "A", "B")
    rows = [(f"q{i}", "people", f"r{r}", "A" if gap[i] + rng.normal() > 0 else "B", first[i])
            for r in range(4) for i in range(200)]  # fmt: skip
    for i in range(200):
        lean = 0.8 if first[i] == "A" else -0.8
        rows.append((f"q{i}", "judge", "", "A" if gap[i] + lean + rng.normal() > 0 else "B", first[i]))
    data = pl.DataFrame(rows, orient="row", schema=["item", "source", "rater", "value", "first"])
    found = howsure.judge(data, preference="people", judge="judge", a="A", b="B", bias="first")
    [row] = found.biases
    assert row.name == "chooses first"
    assert row.bias.confidence_interval.low > 0.1


def test_slices_repeats_and_calibration():
    rows = examples.judged().to_frame()
    more = rows.filter(pl.col("rater") == "gpt-judge").with_columns(repeat=pl.lit(99))
    found = howsure.judge(pl.concat([rows, more], how="vertical_relaxed"), judge="gpt-judge", by="topic")
    assert [row.name for row in found.slices] == ["topic = fiction", "topic = news"]
    assert found.slices[0].bias.value <= found.slices[1].bias.value
    assert found.consistency == 0  # the calls are copies
    assert sum(row.n_units for row in found.calibration) == 160
    means = [row.human_mean for row in found.calibration]
    assert means == sorted(means)


WRONG = [
    (labelled(), {"gold": "human"}, ArgumentError, "name the judge with `judge`"),
    (labelled(), {"gold": "human", "judge": "gtp"}, DataError, "gtp"),
    (labelled(n_raters=1), {"gold": "human", "judge": "gpt-judge"}, DataError, "one person's response only"),
    (labelled(), {"judge": "human"}, DataError, "'human' is no rater"),
    (rated(), {"judge": "gtp"}, DataError, "beside `gold`; 'gtp' is no rater"),
    (labelled(), {"gold": "human", "judge": "gpt-judge", "by": "topic"}, DataError, "topic"),
    ([(f"x{row[0]}", *row[1:]) if row[1] == "human" else row for row in labelled()],
     {"gold": "human", "judge": "gpt-judge"}, DataError, "no item has responses of people and of gpt-judge"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "options", "error", "said"), WRONG, ids=[said for *_, said in WRONG])
def test_wrong_data_get_one_clear_line(rows, options, error, said):
    with pytest.raises(error) as caught:
        howsure.judge(table(rows), **options)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
