"""`compare` with a judge: what people type, what the answer says, and what wrong data get."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import howsure
from howsure import ArgumentError, DataError, examples
from howsure.cli import app
from howsure.judging import JudgedComparison, JudgedContest, compare_with_judge

MODELS = {"a": "model-2", "b": "model-1"}
LABELS = np.array(["neg", "neu", "pos"])


def rated(n=60, n_all=200, n_raters=6, *, seed=0, judge="gpt-judge", scale=1.0):
    """Return rows of ratings of both models' answers: by people on some items, by the judge on all."""
    rng = np.random.default_rng(seed)
    rows = []
    for model, shift, bias in (("model-1", 0.0, 0.0), ("model-2", 0.4, 0.3)):
        quality = 3 + shift + rng.normal(size=n_all)
        for rater in range(n_raters):
            values = np.clip(np.round(quality[:n] + 0.2 * rng.normal() + 0.5 * rng.normal(size=n)), 1, 5)
            rows += [(f"q{i}", model, f"r{rater}", float(values[i])) for i in range(n)]
        values = np.clip(np.round(quality + bias + 0.5 * rng.normal(size=n_all)), 1, 5)
        rows += [(f"q{i}", model, judge, scale * float(values[i])) for i in range(n_all)]
    return rows


def labelled(n=60, n_all=200, n_raters=5, *, seed=0):
    """Return rows of gold labels by people on some items, of a judge on all, and of two models."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n_all)

    def noisy(right):
        return LABELS[np.where(rng.random(n_all) < right, truth, rng.integers(0, 3, n_all))]

    rows = [(f"q{i}", "human", f"r{r}", label) for r in range(n_raters) for i, label in enumerate(noisy(0.85)[:n])]
    for source, right in (("gpt-judge", 0.8), ("model-1", 0.6), ("model-2", 0.75)):
        rows += [(f"q{i}", source, "", label) for i, label in enumerate(noisy(right))]
    return rows


def table(rows):
    return pl.DataFrame(rows, orient="row", schema=["item", "source", "rater", "value"])


@pytest.fixture(scope="module")
def ratings():
    return table(rated())


@pytest.fixture(scope="module")
def found(ratings):
    return howsure.compare(ratings, judge="gpt-judge", **MODELS)


def test_people_alone_are_what_compare_says_of_the_labelled_items(found, ratings):
    people = howsure.compare(ratings.filter(pl.col("rater") != "gpt-judge"), raters="random", **MODELS)
    assert found.humans.value == pytest.approx(people.advantage)
    for end in ("low", "high"):
        assert getattr(found.humans.confidence_interval, end) == pytest.approx(
            getattr(people.confidence_interval, end), rel=1e-6
        )
    assert found.humans.pvalue == pytest.approx(people.pvalue, rel=1e-6)


def test_scores_and_advantage_belong_together(found):
    own = found.combined
    assert own.a_score - own.b_score == pytest.approx(own.advantage)
    assert found.bias.value == pytest.approx(found.judge_alone.value - own.advantage)
    assert found.floor < found.half_width
    assert own.confidence_interval.high - own.advantage == pytest.approx(found.half_width)
    assert found.worth > found.n_labelled
    assert (found.n_labelled, found.n_all, found.n_raters, found.n_labels) == (60, 200, 6, 720)


def test_the_answer_says_what_the_judge_was_worth(found):
    said = str(found)
    assert found.verdict in said
    assert "60 of 200 items are labelled by 6 raters; gpt-judge scored all of them." in said
    assert f"Without the judge, {round(found.worth)} labelled items would be as precise." in said
    assert "It favours model-2 by" in said
    assert "Even a perfect judge would leave ±" in said
    assert "because the 6 raters disagree" in said


def test_a_floor_above_the_interval_is_not_shown(found):
    assert "Even a perfect judge" not in str(replace(found, floor=1.1 * found.half_width))


def test_the_advice_follows_the_forecasts(found):
    raters, labels = found.forecasts
    assert (raters.change, raters.n_raters, labels.n_labelled) == ("raters", 12, 120)
    head = "More raters help more" if raters.half_width < labels.half_width else "More labelled items help more"
    assert head in str(found)
    quiet = howsure.compare(table(rated(n_raters=1)), judge="gpt-judge", **MODELS)
    assert [one.change for one in quiet.forecasts] == ["labels"]


def test_the_floor_for_few_raters_is_told_twice():
    found = howsure.compare(table(rated(n_raters=3)), judge="gpt-judge", **MODELS)
    assert found.combined.rater_answers.n_raters == 3
    assert found.floor < found.floor_like
    assert "for these raters, and ±" in str(found)
    assert "for raters like these, because the 3 raters disagree" in str(found)
    assert "For raters like these, more " in str(found)


def test_raters_may_be_held_fixed(ratings, found):
    fixed = howsure.compare(ratings, judge="gpt-judge", raters="fixed", **MODELS)
    assert fixed.half_width < found.half_width
    assert fixed.combined.advantage == pytest.approx(found.combined.advantage)
    answers = found.combined.rater_answers
    assert answers.these.confidence_interval == fixed.combined.confidence_interval
    assert answers.like.pvalue >= answers.these.pvalue


def test_labels_against_people(tmp_path):
    rows = table(labelled())
    found = howsure.compare(rows, gold="human", judge="gpt-judge", **MODELS)
    assert isinstance(found, JudgedComparison)
    assert found.combined.metric == "accuracy"
    assert (found.n_labelled, found.n_all, found.n_labels) == (60, 200, 300)
    wide = rows.filter(pl.col("source") != "human").pivot("source", index="item", values="value")
    people = rows.filter(pl.col("source") == "human").pivot("rater", index="item", values="value")
    people = people.rename({f"r{r}": f"human_{r}" for r in range(5)})
    wide.join(people, on="item", how="left").write_csv(tmp_path / "wide.csv")
    again = howsure.compare(tmp_path / "wide.csv", gold="human_*", judge="gpt-judge", **MODELS)
    assert again.combined.advantage == pytest.approx(found.combined.advantage)
    assert again.half_width == pytest.approx(found.half_width)


def test_the_judge_may_be_one_of_golds_raters():
    rows = [(item, "human", "gpt-judge", label) if source == "gpt-judge" else (item, source, rater, label)
            for item, source, rater, label in labelled()]  # fmt: skip
    found = howsure.compare(table(rows), gold="human", judge="gpt-judge", **MODELS)
    one = howsure.compare(table(labelled()), gold="human", judge="gpt-judge", **MODELS)
    assert found.combined.advantage == pytest.approx(one.combined.advantage)


def test_preferences_by_rater_and_by_source(tmp_path):
    rng = np.random.default_rng(0)
    gap = rng.normal(0.3, 1, 150)

    def votes(noise):
        return np.where(gap + noise * rng.normal(size=150) > 0, "A", "B")

    rows = [(f"q{i}", "people", f"r{r}", vote) for r in range(5) for i, vote in enumerate(votes(0.7)[:50])]
    own = [(f"q{i}", vote) for i, vote in enumerate(votes(0.5))]
    how = {"preference": "people", "a": "A", "b": "B", "judge": "gpt"}
    by_source = howsure.compare(table([*rows, *((item, "gpt", "", vote) for item, vote in own)]), **how)
    by_rater = howsure.compare(table([*rows, *((item, "people", "gpt", vote) for item, vote in own)]), **how)
    assert by_source.combined.metric == "win-rate"
    assert by_rater.combined.advantage == pytest.approx(by_source.combined.advantage)
    assert by_rater.half_width == pytest.approx(by_source.half_width)
    assert (by_rater.n_labelled, by_rater.n_all) == (50, 150)


def test_ratings_may_become_preferences(ratings):
    found = howsure.compare(ratings, judge="gpt-judge", metric="win-rate", **MODELS)
    assert found.combined.metric == "win-rate"
    assert found.combined.a_score + found.combined.b_score == pytest.approx(1)


def test_the_order_of_rows_does_not_matter(ratings, found):
    again = howsure.compare(ratings.sample(fraction=1, shuffle=True, seed=1), judge="gpt-judge", **MODELS)
    assert again.to_dict() == found.to_dict()


def test_repeated_calls_of_the_judge_are_averaged(ratings):
    more = ratings.filter(pl.col("rater") == "gpt-judge").with_columns(repeat=pl.lit(2))
    twice = pl.concat([ratings.with_columns(repeat=pl.lit(1)), more])
    one, two = (howsure.compare(rows, judge="gpt-judge", **MODELS) for rows in (ratings, twice))
    assert two.combined.advantage == pytest.approx(one.combined.advantage)


def test_margins_and_sides(ratings):
    found = howsure.compare(ratings, judge="gpt-judge", margin=2.0, **MODELS)
    assert found.combined.margin.equivalence < 0.05
    assert "equivalent: they differ by less than 2" in found.verdict
    greater = howsure.compare(ratings, judge="gpt-judge", alternative="greater", **MODELS)
    assert greater.combined.pvalue == pytest.approx(found.combined.pvalue / 2)


def test_more_of_the_judge_is_said_where_it_adds_nothing(ratings):
    constant = ratings.with_columns(value=pl.when(pl.col("rater") == "gpt-judge").then(4.0).otherwise(pl.col("value")))
    found = howsure.compare(constant, judge="gpt-judge", **MODELS)
    assert found.combined.advantage == pytest.approx(found.humans.value)
    assert "gpt-judge finds the same difference on every item, so it adds nothing to the labels." in found.notes
    whole = howsure.compare(table(rated(n=80, n_all=80)), judge="gpt-judge", **MODELS)
    assert "All 80 items are labelled by 6 raters, so gpt-judge adds nothing." in str(whole)
    few = howsure.compare(table(rated(n=20)), judge="gpt-judge", **MODELS)
    assert any(note.startswith("20 labelled items are few") for note in few.notes)


def test_items_without_a_judge_are_left_out_with_a_note(ratings):
    rows = ratings.filter(~((pl.col("rater") == "gpt-judge") & pl.col("item").is_in(["q3", "q150"])))
    found = howsure.compare(rows, judge="gpt-judge", **MODELS)
    assert (found.n_labelled, found.n_all) == (59, 198)
    assert "1 labelled item without a score by gpt-judge left out (first: item q3)." in found.notes


def test_labels_that_were_not_drawn_at_random_get_a_caution():
    rows = table(rated(n=200, n_all=200, seed=5))
    own = rows.filter(pl.col("rater") == "gpt-judge").pivot("source", index="item", values="value")
    high = own.sort(pl.col("model-2") - pl.col("model-1"), descending=True)["item"][:50].to_list()
    chosen = rows.filter((pl.col("rater") == "gpt-judge") | pl.col("item").is_in(high))
    found = howsure.compare(chosen, judge="gpt-judge", **MODELS)
    assert any("hardly labelled at random" in note for note in found.notes)
    assert not any("hardly" in note for note in howsure.compare(table(rated()), judge="gpt-judge", **MODELS).notes)


def test_another_scale_is_mapped_with_a_note():
    one = howsure.compare(table(rated()), judge="gpt-judge", **MODELS)
    found = howsure.compare(table(rated(scale=20.0)), judge="gpt-judge", **MODELS)
    assert found.combined.advantage == pytest.approx(one.combined.advantage)
    assert (
        "gpt-judge scores from 20 to 100, people from 1 to 5: the judge's scores were mapped linearly." in found.notes
    )


def _without(rows, *, judge=False, people=False):
    return [row for row in rows if not ((judge and row[2] == "gpt-judge") or (people and row[2] != "gpt-judge"))]


def _apart(rows):
    """Return the rows with other item ids for the judge."""
    return [(f"x{row[0]}", *row[1:]) if row[2] == "gpt-judge" else row for row in rows]


def _renamed(rows):
    """Return the rows with other labels for the judge."""
    return [(*row[:3], f"is {row[3]}") if row[1] == "gpt-judge" else row for row in rows]


WRONG = [
    (rated(), {"judge": "gtp-judge"}, DataError, "beside `gold`; 'gtp-judge' is no rater"),
    (_without(rated(), people=True), {"judge": "gpt-judge"}, DataError, "no item has a label by people"),
    (_apart(rated()), {"judge": "gpt-judge"}, DataError, "none of the 60 labelled items was scored by gpt-judge"),
    (rated(), {"judge": "gpt-judge", "by": "item"}, ArgumentError, "`by` does not go with `judge`"),
    (rated(), {"judge": "gpt-judge", "metric": ["rating", "mae"]}, ArgumentError, "`judge` goes with one metric"),
    (rated(), {"sampled": "sample.csv"}, ArgumentError, "`sampled` goes with `judge`"),
    (rated(n=1), {"judge": "gpt-judge"}, ArgumentError, "an interval needs at least two labelled items; got 1"),
    (labelled(), {"judge": "human", "gold": "human"}, ArgumentError, "must be different sources"),
    (labelled(), {"judge": "gtp", "gold": "human"}, DataError, "gtp"),
    (labelled(), {"judge": "gpt-judge", "gold": "human", "metric": "f1"}, ArgumentError, "a mean of item scores"),
    (_renamed(labelled()), {"judge": "gpt-judge", "gold": "human"}, DataError, "Write the labels alike"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "options", "error", "said"), WRONG, ids=[said for *_, said in WRONG])
def test_wrong_data_get_one_clear_line(rows, options, error, said):
    with pytest.raises(error) as caught:
        howsure.compare(table(rows), **MODELS, **options)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_rater_is_told():
    found = howsure.compare(table(rated(n_raters=1)), judge="gpt-judge", **MODELS)
    assert any("one rater" in note for note in found.notes)
    with pytest.raises(DataError, match="two or more raters"):
        howsure.compare(table(rated(n_raters=1)), judge="gpt-judge", raters="random", **MODELS)


def test_a_contest_in_memory(found, ratings):
    contest = howsure.read(ratings).contest(**MODELS, complete=False)
    again = compare_with_judge(JudgedContest.by_rater(contest, "gpt-judge"))
    assert again.combined.advantage == pytest.approx(found.combined.advantage)


def test_command_and_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    howsure.write(examples.judged(), "judged.csv")
    words = ["compare", "judged.csv", "--judge", "gpt-judge", "--a", "model-2", "--b", "model-1"]
    shown = CliRunner().invoke(app.app, [*words, "--report", "report.md"], catch_exceptions=False)
    assert shown.exit_code == 0
    assert "No clear difference between model-2 and model-1" in shown.stdout
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Cochran" in text
    assert "--judge gpt-judge" in text


def test_the_verdict_names_the_winner(ratings):
    strong = ratings.with_columns(value=pl.col("value") + 2 * (pl.col("source") == "model-2"))
    found = howsure.compare(strong, judge="gpt-judge", **MODELS)
    assert found.verdict.startswith("model-2 is better than model-1: mean rating ")
    turned = howsure.compare(strong, judge="gpt-judge", a="model-1", b="model-2")
    assert turned.verdict.startswith("model-2 is better than model-1: mean rating ")
    assert turned.combined.advantage == pytest.approx(-found.combined.advantage)


def test_the_numbers_round_trip(found):
    assert JudgedComparison.from_dict(found.to_dict()).to_dict() == found.to_dict()
    assert replace(found, judge="x").judge == "x"


def test_what_never_varies_is_undefined_with_a_note():
    rows = [(f"q{i}", model, rater, 2.0) for i in range(60) for model in ("model-1", "model-2")
            for rater in ("r0", "r1", "r2", "r3", "r4", "j") if rater == "j" or i < 40]  # fmt: skip
    data = table(rows)
    found = howsure.compare(data, judge="j", **MODELS)
    assert np.isnan(found.confidence_interval.low)
    assert "The interval is undefined: the standard error is 0 or undefined." in found.notes
    assert "±" not in str(found)
    assert "the judge alone says 2." in str(howsure.score(data, judge="j"))
    with pytest.raises(DataError, match="people gave the same response to every item"):
        howsure.judge(data, judge="j")
    with pytest.raises(DataError, match="no variance to plan from"):
        howsure.plan(data, judge="j", target_width=0.1, cost_judge=0.1, **MODELS)
