import json

import pytest
from click.testing import CliRunner

from howsure import examples
from howsure.cli.app import app
from howsure.errors import ArgumentError
from howsure.io import write
from howsure.models import preset
from howsure.questions.typed import response_numbers, whole_numbers

CELL = {
    "n_items", "n_responses", "epsilon", "metric", "advantage", "expected_pvalue", "expected_pvalue_error", "ci_width",
    "power", "power_error", "cost", "engine",
}  # fmt: skip


def run(*words):
    result = CliRunner().invoke(app, ["plan", *words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def plan(*words):
    return json.loads(run(*words, "--json"))


def test_a_grid_has_one_cell_for_each_design_and_metric():
    found = plan(
        "categorical", "--dirichlet", "10,3,3", "--metric", "accuracy", "--metric", "tv", "--epsilon", "0.3",
        "--n-items", "20,40", "--n-responses", "1,5/1/1", "--precision", "0.02",
    )  # fmt: skip
    assert len(found["cells"]) == 8
    assert all(set(cell) >= CELL for cell in found["cells"])
    assert {tuple(cell["n_responses"].values()) for cell in found["cells"]} == {(1, 5, 5), (5, 1, 1)}
    assert found["recommended"] is None
    assert found["cells"][0]["engine"] == "exact"


def test_a_budget_gives_a_recommendation_in_words():
    text = run("normal", "--epsilon", "0.3", "--budget", "200", "--n-responses", "2,10", "--precision", "0.02")
    assert "The best design for a budget of 200 has 100 items with 2 gold, 5 A, 5 B responses each" in text
    assert "howsure 0" in text.splitlines()[-1]


def test_a_pilot_is_read_as_compare_reads_it(tmp_path):
    table = tmp_path / "pilot.csv"
    write(preset("normal").table(40, 2, rng=1), table)
    few = ("--n-items", "40", "--n-responses", "2", "--precision", "0.1")
    named = ("--gold", "gold", "--a", "A", "--b", "B")
    note = "Note: Gold is gold, by its name. Change it with --gold, or name --a and --b to plan without.\n"
    assert run(str(table), *few).replace(note, "") == run(str(table), *named, *few)


def test_readmes_plan_of_a_file_and_a_difference_works(tmp_path):
    """It ended with "If human is gold, say so", beside the README that has this very command."""
    table = tmp_path / "mine.csv"
    CliRunner().invoke(app, ["example", str(table)])
    text = run(str(table), "--difference", "0.1")
    assert " give 80% power for a difference of 0.1 in mae " in text.splitlines()[0]
    assert "Gold is human, by its name. Change it with --gold" in text


def test_without_designs_the_target_is_80_percent_power():
    first = run("normal", "--epsilon", "0.3", "--precision", "0.05").splitlines()[0]
    assert " give 80% power for ε = 0.3 at the lowest cost " in first


def test_one_design_alone_has_no_lowest_cost():
    words = ["normal", "--epsilon", "0.3", "--target-power", "0.8", "--precision", "0.05", "--n-responses"]
    assert "lowest cost" not in run(*words, "2")
    assert "at the lowest cost" in run(*words, "2,5")


def test_a_named_difference_may_be_measured_with_other_numbers_of_responses():
    words = ["normal", "--difference", "0.03", "--n-items", "50", "--n-responses", "3", "--precision", "0.05"]
    assert plan(*words)["difference"].endswith("(as measured with 5 gold, 5 A and 5 B responses per item)")
    found = plan(*words, "--reference-responses", "9/2/2")
    assert found["difference"].endswith("(as measured with 9 gold, 2 A and 2 B responses per item)")
    assert found["cells"][0]["n_responses"] == {"gold": 3, "a": 2, "b": 2}


def test_verdicts_name_settings_as_they_are_typed(tmp_path):
    table = tmp_path / "pilot.csv"
    write(preset("normal").table(40, 3, rng=1), table)
    text = run(
        str(table), "--gold", "gold", "--a", "A", "--b", "B", "--n-items", "40", "--n-responses", "3",
        "--precision", "0.1",
    )  # fmt: skip
    assert "Specify the smallest difference that matters with --difference." in text
    assert "`" not in text


def test_an_expected_p_below_what_simulated_studies_can_tell_is_shown_as_a_bound():
    asked = ["normal", "--metric", "rmse", "--epsilon", "1", "--n-responses", "5", "--n-items", "150", "--test", "none"]
    asked += ["--n-simulations", "199"]
    [cell] = plan(*asked)["cells"]
    assert cell["expected_pvalue_is_bound"]
    assert cell["expected_pvalue"] == 1 / 200
    text = run(*asked)
    assert "expected p below 0.005." in text
    assert "< 0.005 " in text
    assert "< 0.005 " in run(*asked, "--layout", "matrix")
    nearest = run(*asked[:-2], "--n-simulations", "199", "--target-p", "0.001")
    assert "with an expected p below 0.005." in nearest


def test_costs_and_monte_carlo():
    found = plan(
        "normal", "--metric", "rmse", "--epsilon", "0.4", "--n-responses", "3", "--max-cost", "50", "--cost-item", "1",
        "--cost-response", "0.5", "--test", "none", "--n-simulations", "200",
    )  # fmt: skip
    [cell] = found["cells"]
    assert (cell["n_items"], cell["cost"], cell["engine"], cell["power"]) == (20, 50.0, "monte-carlo", None)


def test_a_pilot_table_is_planned_from(tmp_path):
    table = tmp_path / "pilot.csv"
    CliRunner().invoke(
        app, ["simulate", "likert-toxicity", "--n-items", "40", "--n-responses", "3", "--epsilon", "0.5", "--seed", "1",
              "--out", str(table)],
    )  # fmt: skip
    text = run(
        str(table),
        "--gold",
        "gold",
        "--a",
        "A",
        "--b",
        "B",
        "--n-responses",
        "3",
        "--n-items",
        "60",
        "--precision",
        "0.02",
    )
    assert "60 items with 3 responses each: expected difference" in text
    assert "observed power" not in text


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("5", [5]), ("50,100", [50, 100]), ("10:30:10", [10, 20, 30]), ("1:3", [1, 2, 3]), ("1,5:7", [1, 5, 6, 7])],
)
def test_lists_and_ranges(text, numbers):
    assert whole_numbers("`n_items`", text) == numbers


@pytest.mark.parametrize("text", ["", "a", "10:5", "1:2:0", "0", "1:2:3:4"])
def test_bad_lists_are_refused(text):
    with pytest.raises(ArgumentError, match="n_items"):
        whole_numbers("`n_items`", text)


def test_responses_of_gold_a_and_b():
    assert response_numbers("5/1/2,3") == [(5, 1, 2), 3]
    with pytest.raises(ArgumentError, match="5/1/1"):
        response_numbers("5/1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["normal", "--n-items", "10"], "Specify the difference to detect with one of --difference"),
        (["normal", "--epsilon", "0.1", "--budget", "0"], "does not pay for one item"),
        (["normal", "--epsilon", "0.1", "--budget", "9", "--max-cost", "9"], "not both"),
        (["normal", "--epsilon", "0.1", "--max-cost", "9"], "--cost-item"),
        (["normal", "--difference", "0.1", "--win-rate", "0.6", "--n-items", "9"], "give the difference once"),
        (["pilot.csv", "--a", "g"], "--a or --b is missing"),
        (["normal", "--difference", "0.1", "--reference-responses", "1,2"], "--reference-responses is one number"),
        (["nothing", "--epsilon", "0.1", "--n-items", "9"], "no response model is called"),
        (["normal", "--epsilon", "0.1", "--n-items", "9", "--alpha", "5"], "--alpha must lie strictly"),
        (["normal", "--epsilon", "0.1", "--n-items", "9", "--chart", "plan.doc"], "must be a file that ends in"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(command, words, message):
    code, out, err = command("plan", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_several_differences_tests_and_budgets_are_lists():
    found = plan(
        "normal", "--epsilon", "0.1,0.3", "--budget", "100,200", "--test", "sign-flip,welch-t",
        "--n-responses", "2", "--precision", "0.05",
    )  # fmt: skip
    assert [(each["epsilon"], each["test"], each["budget"]) for each in found["answers"]] == [
        (e, t, b) for e in (0.1, 0.3) for t in ("sign-flip", "welch-t") for b in (100.0, 200.0)
    ]


def test_the_store_changes_nothing(tmp_path):
    words = ["normal", "--epsilon", "0.3", "--n-responses", "2", "--target-power", "0.8", "--precision", "0.1"]
    assert plan(*words, "--store", str(tmp_path / "plan.db")) == plan(*words)


def test_gold_alone_is_enough_for_a_difference(tmp_path):
    table = tmp_path / "gold.csv"
    rows = [f"q{i},human,{value}" for i in range(40) for value in ("aaaab", "abbbb")[i % 2]]
    table.write_text("\n".join(["item,source,value", *rows]))
    text = run(str(table), "--gold", "human", "--accuracy-points", "5", "--n-items", "50", "--n-responses", "3",
               "--precision", "0.05")  # fmt: skip
    assert "ε degrades a model of human: the family that fits best, bent towards the pilot's items." in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-items", "-1"], "--max-items must be"),
        (["--next", "100"], "--next has no effect here"),
        (["--cluster", "topic"], "--cluster has no effect here"),
        (["--test", "t"], "must be one of"),
        (["--rho", "1,1"], "--rho is the noise of labels"),
        (["--spend"], "--spend needs a budget and a target"),
        (["--target-p", "0.05", "--target-power", "0.8"], "give one target"),
    ],
)
def test_options_without_effect_or_meaning_are_refused(command, words, message):
    code, out, err = command("plan", "normal", "--epsilon", 0.1, "--n-items", 20, "--n-responses", 2, *words)
    assert (code, out) == (2, "")
    assert message in err


def test_a_file_that_is_not_there_is_called_a_file(howsure):
    code, _, err = howsure("plan", "nope.csv")
    assert (code, err) == (1, "howsure: there is no file nope.csv.\n")


def test_a_plan_without_the_two_models_says_what_it_assumes_before_its_numbers(tmp_path):
    """README's file needs 376 items by its pilot and 201 by the model of its gold: nothing said why."""
    table = tmp_path / "ratings.csv"
    write(examples.ratings(60), table)
    few = ("--difference", "0.2", "--n-items", "50", "--n-responses", "5", "--precision", "0.05")
    says = "This plan assumes that A answers as gold does on every item, and B too, apart from ε."
    for words in ((str(table), "--gold", "human"), ("normal",)):
        text = run(*words, *few)
        assert text.index(says) < text.index("┏")
    own = ("--gold", "human", "--a", "model-2", "--b", "model-1")
    assert says not in run(str(table), *own, *few)
    assert says not in run("normal", "--epsilon", "0.2", *few[2:])
