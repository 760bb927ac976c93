"""`howsure leaderboard`: the command, its documents and its picture."""

import csv
import json
from dataclasses import replace

import pytest

from howsure import examples, write
from howsure.documents import text
from howsure.errors import ArgumentError
from howsure.leaderboards import compare_all, compare_all_by, plan_leaderboard
from howsure.questions import Leaderboard
from howsure.records import schema_of
from howsure.reports import plot, report
from tests.reports.results import rows_of

from .tables import ratings as ratings_of_models
from .tables import table_of


@pytest.fixture(scope="module")
def ratings(tmp_path_factory):
    path = tmp_path_factory.mktemp("board") / "ratings.csv"
    write(examples.ratings(), path)
    return str(path)


def test_the_command_prints_the_leaderboard(ratings, howsure):
    said = howsure("leaderboard", ratings, "--gold", "human")
    assert said.returncode == 0, said.stderr
    first = said.stdout.splitlines()[0]
    assert first == (
        "model-2 is better than model-1: mean absolute error 0.438 vs 0.686, lower by 0.248 "
        "(95% CI 0.158 to 0.338), p = 1.4e-07."
    )
    for column in ("rank", "model", "score", "95% CI", "rank range"):
        assert f" {column} " in said.stdout


def test_json_has_the_contract_and_reads_back(ratings, howsure):
    from howsure import Leaderboard as Board

    said = howsure("leaderboard", ratings, "--gold", "human", "--json", "--n-resamples", "199")
    content = json.loads(said.stdout)
    assert {"models", "pairs", "groups", "notes", "signature"} <= set(content)
    assert set(content["models"][0]["confidence_interval"]) == {"low", "high", "method", "confidence_level", "notes"}
    assert json.loads(json.dumps(Board.from_dict(content).to_dict())) == content
    assert schema_of(Board)["properties"]["models"]["type"] == "array"


@pytest.mark.parametrize("ending", [".csv", ".md", ".tex", ".html", ".json"])
def test_reports_have_the_columns_of_a_site(ratings, tmp_path, ending):
    board = Leaderboard(files=(ratings,), gold="human", n_resamples=199).answer()
    path = tmp_path / f"board{ending}"
    report(board, path)
    written = path.read_text(encoding="utf-8").replace("\\%", "%")
    names = ("95% CI", "rank range")
    if ending in (".csv", ".json"):
        names = ("rank_low", "rank_high", "in_confidence_set")
    for column in ("rank", *names):
        assert column in written
    if ending == ".csv":
        rows = list(csv.DictReader(path.open()))
        assert [row["model"] for row in rows] == ["model-2", "model-1"]
        assert [row["rank"] for row in rows] == ["1", "2"]


def test_the_picture_shows_every_rank_set(ratings):
    pytest.importorskip("altair")
    spec = plot(Leaderboard(files=(ratings,), gold="human", n_resamples=199).answer()).to_dict()
    said = json.dumps(spec)
    assert "model-1" in said
    assert "may be the best" in said


def board_of(n_models, step, **how):
    return compare_all(table_of(ratings_of_models(40, n_models, 1, step=step), **how), rng=0, n_resamples=199)


def test_the_picture_of_ranks_shades_the_models_that_may_be_the_best():
    board = replace(board_of(6, 0.4), picture="ranks")
    said = rows_of(plot(board).to_dict())
    ranges = [row for row in said if "rank" in row]
    shaded = [row for row in said if "rank" not in row]
    assert {row["model"] for row in shaded} == set(board.confidence_set)
    assert {(row["model"], row["from"] + 0.4, row["to"] - 0.4) for row in ranges} == {
        (row.name, row.rank_low, row.rank_high) for row in board.models
    }


def test_a_critical_difference_diagram_joins_what_does_not_differ():
    board = replace(board_of(6, 0.5), picture="critical-difference")
    said = rows_of(plot(board).to_dict())
    dots = {(row["score"], row["y"]) for row in said if set(row) == {"score", "y"}}
    scores = {row.name: row.score for row in board.models}
    groups = [group for group in board.groups if len(group) > 1]
    on_lines = {}
    for score, y in dots:
        on_lines.setdefault(y, set()).add(score)
    assert sorted(map(sorted, on_lines.values())) == sorted(sorted(scores[name] for name in group) for group in groups)
    many = replace(board_of(26, 0.1), picture="critical-difference", top=26)
    with pytest.raises(ArgumentError, match="holds at most 25 models; this leaderboard has 26"):
        plot(many)
    plot(replace(many, top=None)).to_dict()


def test_the_heat_map_has_a_colour_where_pairs_differ():
    board = replace(board_of(6, 0.5), picture="pairs")
    cells = {(row["row"], row["column"]): row["by"] for row in rows_of(plot(board).to_dict()) if "by" in row}
    assert len(cells) == 30
    for pair in board.pairs:
        told = pair.pvalue_adjusted <= 0.05
        assert cells[pair.a, pair.b] == (pair.advantage if told else None)
        assert cells[pair.b, pair.a] == (-pair.advantage if told else None)


def test_long_names_stay_different_in_pictures():
    names = [f"organisation__a-very-long-model-name-{j}-with-an-instruct-ending" for j in range(6)]
    board = board_of(6, 0.5, names=names)
    for picture in ("ranks", "pairs"):
        said = rows_of(plot(replace(board, picture=picture)).to_dict())
        assert len({row.get("model") or row.get("row") for row in said}) == 6


def test_top_shows_less_and_keeps_all(ratings):
    board = Leaderboard(files=(ratings,), gold="human", top=1, n_resamples=199).answer()
    assert len(board.models) == 2
    assert "These are the first 1 of 2 models (`top`)." in str(board)


def test_gold_as_a_condition_leaves_the_other_sources_as_models(tmp_path):
    path = tmp_path / "kinds.csv"
    rows = ["item,kind,source,value"]
    for i in range(20):
        rows += [f"i{i},human,r{r},{(i + r) % 5}" for r in range(3)]
        rows += [f"i{i},model,m{j},{(i + j) % 5}" for j in range(3)]
    path.write_text("\n".join(rows))
    board = Leaderboard(files=(str(path),), gold="kind=human", raters="fixed", n_resamples=199).answer()
    assert {row.name for row in board.models} == {"m0", "m1", "m2"}


def test_tasks_and_weights_on_the_command_line(ratings):
    how = {"files": (ratings,), "gold": "human", "by": "topic", "n_resamples": 199}
    board = Leaderboard(weight=("news=1", "fiction=3"), **how).answer()
    cells = {(cell.task, cell.model): cell.score for cell in board.tasks}
    expected = (cells["news", "model-1"] + 3 * cells["fiction", "model-1"]) / 4
    assert board.model("model-1").score == pytest.approx(expected)
    assert "Scores by topic" in text.render(board.document(), verbose=True)
    for bad in ("news", "=2", "news=much"):
        with pytest.raises(ArgumentError, match="task=number"):
            Leaderboard(weight=(bad,), **how).answer()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gold", "human", "--baseline", "model-3"], "--baseline must be one of the models; got 'model-3'"),
        (
            ["--gold", "human", "--model", "model-1"],
            "a leaderboard needs at least two models; --model selected only model-1.",
        ),
        (["--gold", "human", "--metric", "wins"], "exists only between two models"),
        (["--gold", "human", "--by", "genre"], "genre"),
    ],
)
def test_bad_questions_get_one_line(ratings, arguments, message, howsure):
    said = howsure("leaderboard", ratings, *arguments)
    assert said.returncode in (1, 2)
    assert message in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


def test_votes_on_the_command_line(tmp_path, howsure):
    path = tmp_path / "votes.csv"
    votes = ["x,y,model_a", "y,z,tie", "z,x,x", "z,x,z", "x,y,y"] * 12
    rows = [f"q{number},{vote},j{number % 5}" for number, vote in enumerate(votes)]
    path.write_text("\n".join(["question,model_a,model_b,winner,judge", *rows]))
    said = howsure("leaderboard", str(path), "--winner", "winner", "--strength", "elo", "--n-resamples", "199")
    assert said.returncode == 0, said.stderr
    assert "Elo points" in said.stdout
    bad = howsure("leaderboard", str(path), "--winner", "winner", "--metric", "mae")
    assert bad.returncode == 2
    assert "--metric is not for votes" in bad.stderr


def test_real_boards(shared):
    board = Leaderboard(files=(str(shared / "wmt23_sxsmqm_ende.csv"),), source="system", better="lower").answer()
    assert (board.null, board.correction) == ("random-effects", "holm")
    assert board.models[0].name == "refA"
    assert board.models[-1].rank_low == board.models[-1].rank_high == 10
    path = str(shared / "inductive_exp2.csv")
    human = Leaderboard(files=(path,), gold="kind=human", raters="fixed", n_resamples=999).answer()
    assert human.confidence_set == ("gpt4_rating",)


def test_slices_have_a_board_each_in_the_picture():
    spec = plot(compare_all_by(examples.ratings(30), "topic", gold="human", n_resamples=99, rng=0)).to_dict()
    titles = [part["title"]["text"] for part in spec["vconcat"]]
    assert titles == [f"Ranks by mean absolute error, topic = {name}: all models" for name in ("fiction", "news")]


def test_a_plan_shows_where_you_are_and_what_it_takes():
    plan = plan_leaderboard(table_of(ratings_of_models(40, 3, step=0.3)), rng=0, n_resamples=99)
    spec = plot(plan).to_dict()
    rows = rows_of(spec)
    told = {row["told"] for row in rows if "told" in row}
    assert {"you are here", f"{plan.n_items:,} items", f"{plan.n_responses:,} responses per item"} <= told
    by_items = {row["size"]: row["probability"] for row in rows if row.get("what") == "power"}
    assert by_items[plan.n_items] >= 0.8
    assert len(spec["hconcat"]) == 2
