"""Each format is recognised by its content, and every response of it is kept."""

import json
from contextlib import suppress

import numpy as np
import pytest

import howsure
from howsure.comparison import compare
from howsure.errors import DataError, HowsureError, HowsureWarning
from howsure.io import read_logs
from howsure.io.readers.known import READERS, recognise
from tests.io.readers.made import FILES, PROMPTFOO, eval_file, inspect_log
from tests.io.same import assert_same

FORMAT = {
    "inspect-json": "inspect", "promptfoo-lines": "promptfoo", "argilla-flat": "argilla", "lewidi-2023": "lewidi",
    "lewidi-2025": "lewidi", "esa": "mqm", "esa-lines": "mqm", "vet-sets": "vet", "tau2": "tau-bench",
    "swe-bench-report": "swe-bench", "mt-bench-pair": "mt-bench",
}  # fmt: skip
"""The format of the files whose name adds a shape."""


def told(table, words):
    return [note for note in table.notes if words in note]


def test_every_format_has_a_small_file():
    assert {FORMAT.get(name, name) for name in FILES} == {reader.name for reader in READERS}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised_by_one_reader_only(name, tmp_path):
    path = FILES[name](tmp_path)
    _, glance = recognise(path)
    known = [reader.name for reader in READERS if glance.kind in reader.kinds and reader.recognises(glance)]
    assert known == [FORMAT.get(name, name)]


SIZES = {
    "inspect": {"m-1": 8}, "inspect-json": {"m-1": 8}, "lm-eval": {"FOLDER": 4}, "helm": {"FOLDER": 6},
    "promptfoo": {"m-a": 3, "m-b": 3}, "promptfoo-lines": {"m-a": 3, "m-b": 3}, "deepeval": {"m-1": 3},
    "openai-evals": {"m-1": 2}, "alpaca-eval": {"base": 4, "new": 4}, "label-studio": {"human": 8, "v1": 3},
    "argilla": {"human": 6, "m-1": 3}, "argilla-flat": {"human": 6, "m-1": 3}, "prodigy": {"human": 5},
    "mturk": {"human": 2}, "lewidi-2023": {"human": 9}, "lewidi-2025": {"human": 9}, "mqm": {"A": 2, "B": 2},
    "esa": {"A": 1, "B": 2}, "esa-lines": {"A": 2, "B": 2}, "vet-sets": {"gold": 8, "preds1": 8, "preds2": 8},
    "nlpstattest": {"system 1": 3, "system 2": 3},
    "vet": {"gold": 4, "preds1": 4, "preds2": 4},
    "human-eval": {"m-1": 4}, "evalplus": {"m-1": 3}, "tau-bench": {"m-1": 6}, "tau2": {"m-1": 3},
    "terminal-bench": {"PARENT": 4}, "swe-bench": {"m-1": 2}, "swe-bench-report": {"report": 2},
    "mt-bench": {"x": 1, "y": 1}, "mt-bench-pair": {"x": 2, "y": 2}, "arena": {"x": 2, "y": 2},
    "pandalm": {"x": 6, "y": 6}, "every-eval-ever": {"m-1": 2}, "bfcl": {"m-1": 3}, "opencompass": {"FOLDER": 2},
    "ragas": {"m-1": 1}, "mlflow": {"m-1": 1}, "doccano": {"human": 1}, "crowdflower": {"human": 3},
    "qualtrics": {"human": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_response_is_kept(name, tmp_path):
    table = read_logs(FILES[name](tmp_path))
    found = {source: responses.values.size for source, responses in table.sources.items()}
    places = {"FOLDER": tmp_path.name, "PARENT": tmp_path.parent.name}
    assert found == {places.get(key, key): size for key, size in SIZES[name].items()}


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("openai-evals", "m-1: 2 of 3 responses have a value; left out: 1 unscored (first: item t.2)."),
        ("label-studio", "human: 8 of 9 responses have a value; left out: 1 cancelled (first: item 0)."),
        ("argilla-flat", "human: 6 of 9 responses have a value; left out: 3 draft (first: item q0)."),
        ("prodigy", "human: 5 of 6 responses have a value; left out: 1 ignored (first: item 1)."),
        (
            "mturk",
            "human: 2 of 4 responses have a value; left out: 1 rejected (first: item h1), 1 empty (first: item h2).",
        ),
        ("esa", "A: 1 of 2 responses have a value; left out: 1 empty (first: item d:2)."),
    ],
)
def test_what_has_no_value_is_counted_by_reason(name, note, tmp_path):
    assert note in read_logs(FILES[name](tmp_path)).notes


def test_an_archive_says_the_same_as_its_json(tmp_path):
    log = inspect_log(epochs=3)
    (tmp_path / "log.json").write_text(json.dumps(log))
    as_json = read_logs(tmp_path / "log.json")
    for method, summaries in ((0, True), (8, True), (93, True), (93, False)):
        table = read_logs(eval_file(tmp_path / f"{method}{summaries}.eval", log, method=method, summaries=summaries))
        np.testing.assert_array_equal(table.sources["m-1"].values, as_json.sources["m-1"].values)
        np.testing.assert_array_equal(table.sources["m-1"].offsets, as_json.sources["m-1"].offsets)
        assert table.items.tolist() == as_json.items.tolist()


def test_epochs_are_repeats_in_their_order(tmp_path):
    log = inspect_log(epochs=3, n=1, marks="CIP")
    log["samples"].reverse()
    table = read_logs(eval_file(tmp_path / "log.eval", log))
    assert table.sources["m-1"].values.tolist() == [1.0, 1.0, 1.0]
    log["samples"][0]["scores"]["match"]["value"] = "P"
    assert read_logs(eval_file(tmp_path / "log.eval", log)).sources["m-1"].values.tolist() == [1.0, 1.0, 0.5]
    assert table.raters == ()


def test_several_logs_of_one_model_are_repeats(tmp_path):
    first, second = inspect_log(epochs=1), inspect_log(epochs=1)
    second["eval"]["eval_id"] = "another"
    paths = [eval_file(tmp_path / f"{i}.eval", log) for i, log in enumerate((first, second))]
    table = read_logs(paths)
    assert list(table.sources) == ["m-1"]
    assert table.sources["m-1"].n_responses == 2
    assert table.raters == ()


def test_one_run_is_not_counted_twice(tmp_path):
    paths = [eval_file(tmp_path / f"{name}.eval", inspect_log()) for name in ("a", "copy")]
    table = read_logs(paths)
    assert_same(table, read_logs(paths[0]))
    assert told(
        table, f"1 of 2 files was skipped (first: {paths[1]} is the same run as {paths[0]}, so it is used once.)"
    )


def test_names_make_two_models_of_logs_that_name_one(tmp_path):
    paths = {}
    for name in ("a", "b"):
        log = inspect_log("mockllm/model")
        log["eval"]["eval_id"] = name
        paths[name] = eval_file(tmp_path / f"{name}.eval", log)
    assert list(read_logs(paths).sources) == ["a", "b"]
    assert list(read_logs(list(paths.values())).sources) == ["mockllm/model"]


def test_several_scorers_are_refused_with_the_flag(tmp_path):
    path = eval_file(tmp_path / "log.eval", inspect_log(scorers=("match", "judge")))
    with pytest.raises(DataError, match=r"has 2 scorers: match, judge. Say which .* `scorer='match'`"):
        read_logs(path)
    assert read_logs(path, scorer="judge").sources["m-1"].values.size == 8
    with pytest.raises(DataError, match=r"has no scorer 'juge'; it has match, judge. Did you mean 'judge'"):
        read_logs(path, scorer="juge")


@pytest.mark.parametrize("line", ["0.5", "0.5 x", "0.5 0.6 0.7", "1_0 0.5"])
def test_a_line_of_scores_that_is_not_two_numbers_is_named(line, tmp_path):
    (tmp_path / "scores.txt").write_text("0.1 0.2\n" * 30 + line + "\n")
    with pytest.raises(DataError, match=r"scores.txt, line 31 does not hold two numbers"):
        read_logs(tmp_path / "scores.txt")


def test_scores_that_are_dictionaries_have_a_name_for_each_entry(tmp_path):
    log = inspect_log(n=2, epochs=1)
    for i, sample in enumerate(log["samples"]):
        sample["scores"] = {"rubric": {"value": {"helpful": 3 + i, "length": "10"}}}
    path = eval_file(tmp_path / "log.eval", log)
    assert read_logs(path, scorer="rubric.helpful").sources["m-1"].values.tolist() == [3, 4]
    assert read_logs(path, scorer="rubric.length").sources["m-1"].values.tolist() == [10, 10]


def test_errors_and_unfinished_runs_are_never_zero(tmp_path):
    log = inspect_log(n=5, epochs=1, marks="C", status="cancelled")
    first, second, third, fourth, _ = log["samples"]
    first["error"] = {"message": "boom"}
    second["scores"] = {}
    third["scores"]["match"]["value"] = float("nan")  # Inspect's Score.unscored()
    fourth["scores"]["match"]["value"] = "I"
    log["eval"]["dataset"]["sample_ids"] += ["q5", "q6"]
    table = read_logs(eval_file(tmp_path / "log.eval", log))
    assert table.sources["m-1"].sizes.tolist() == [0, 0, 0, 1, 1]
    assert table.sources["m-1"].missing.tolist() == [1, 1, 1, 0, 0]
    assert told(table, "responses have a value") == [
        "m-1: 2 of 7 responses have a value; left out: 1 errored (first: item q0), 2 unscored (first: item q1), "
        "2 not run."
    ]
    assert told(table, "'cancelled'")


def test_no_answer_is_what_inspect_counts_it_as(tmp_path):
    """Inspect's `value_to_float` (inspect_ai/scorer/_metric.py) makes C, P, I and N 1, 0.5, 0 and 0."""
    log = inspect_log(n=4, epochs=1, marks="CPIN")
    for sample, mark in zip(log["samples"], "CPIN", strict=True):
        sample["scores"]["match"]["value"] = mark
    table = read_logs(eval_file(tmp_path / "log.eval", log))
    assert table.sources["m-1"].values.tolist() == [1.0, 0.5, 0.0, 0.0]
    assert told(table, "Marks count") == ["Marks count as numbers: C = 1, I = 0, P = 0.5, N = 0."]
    assert told(table, "marked N") == ["1 response is marked N (no answer, or a refusal), which Inspect counts as 0."]


def test_a_log_without_a_single_score_says_why(tmp_path):
    log = inspect_log(n=2, epochs=1)
    for sample in log["samples"]:
        sample["error"] = "boom"
    with pytest.raises(DataError, match="no sample has a score: m-1: 0 of 2 responses have a value; left out: 2 err"):
        read_logs(eval_file(tmp_path / "log.eval", log))


def test_a_log_without_samples_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"log.eval \(an Inspect log\) holds no sample"):
        read_logs(eval_file(tmp_path / "log.eval", inspect_log(samples=[])))


def test_labels_that_look_like_marks_stay_labels(tmp_path):
    path = eval_file(tmp_path / "log.eval", inspect_log(marks="ABC"))
    assert read_logs(path).scale.labels == ("A", "B", "C")
    assert read_logs(eval_file(tmp_path / "log.eval", inspect_log(marks="CI")), scale="nominal").scale.labels == (
        "C",
        "I",
    )


def test_answers_can_be_taken_in_place_of_scores(tmp_path):
    table = read_logs(eval_file(tmp_path / "log.eval", inspect_log()), value="answer")
    assert table.scale.labels == ("yes",)


def test_the_model_behind_a_url_is_called_by_its_file(tmp_path):
    table = read_logs(eval_file(tmp_path / "agent-7.eval", inspect_log("none/none")))
    assert list(table.sources) == ["agent-7"]
    assert told(table, "names no model (none/none)")


def test_the_same_id_with_another_question_is_noticed(tmp_path):
    one, two = inspect_log("m-1"), inspect_log("m-2")
    for sample in two["samples"]:
        sample["input"] += " (new)"
    paths = [eval_file(tmp_path / f"{i}.eval", log) for i, log in enumerate((one, two))]
    with pytest.raises(
        DataError, match=r"4 items have the same id but different questions in .* \(first: q0, q1, q2\)"
    ):
        read_logs(paths)
    assert read_logs(paths, pool=["input"]).n_items == 4
    two["eval"]["task_args"] = {"polite": True}  # another setting may change the prompt
    paths[1] = eval_file(tmp_path / "polite.eval", two)
    assert told(read_logs(paths), "4 items have the same id but different questions")


def test_tasks_keep_their_items_apart(tmp_path):
    one, two = inspect_log(), inspect_log()
    two["eval"] |= {"task": "other", "eval_id": "x"}
    table = read_logs([eval_file(tmp_path / f"{i}.eval", log) for i, log in enumerate((one, two))])
    assert table.items.tolist()[:1] + table.items.tolist()[-1:] == ["demo:q0", "other:q3"]
    assert set(table.groups["task"]) == {"demo", "other"}
    assert table.n_items == 8
    assert read_logs([tmp_path / "0.eval", tmp_path / "1.eval"], where={"task": "other"}).items.tolist()[0] == "q0"


def test_promptfoo_repeats_are_told_by_variables_and_prompt(tmp_path):
    table = read_logs(FILES["promptfoo"](tmp_path))
    assert table.items.tolist() == ["one", "two"]
    assert table.sources["m-a"].sizes.tolist() == [2, 1]
    assert "output.json: scorer score is taken; also there: success, acc (`scorer`)." in table.notes


@pytest.mark.parametrize("sizes", [(2, 1, 1, 2), (0, 2, 1, 1), (1, 0, 0, 2), (2, 2, 0, 1), (1, 2, 2, 0), (0, 0, 2, 1)])
def test_promptfoo_outputs_may_be_of_any_number(sizes, tmp_path):
    """With other numbers of outputs for A than for B, a comparison ended in a ValueError of zip()."""
    asked = [(question, model) for model in ("m-a", "m-b") for question in ("one", "two")]
    rows = [
        PROMPTFOO[0] | {"vars": {"q": question}, "provider": {"id": model, "label": model}, "score": n % 2}
        for (question, model), size in zip(asked, sizes, strict=True)
        for n in range(size)
    ]
    path = tmp_path / "output.json"
    path.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "prompts": [], "results": rows}}))
    assert "output.json" in str(howsure.doctor(path))
    for call in (howsure.compare, howsure.describe):
        with suppress(HowsureError, HowsureWarning):
            assert str(call(path))


def test_promptfoo_calls_that_failed_are_not_scores(tmp_path):
    failed = PROMPTFOO[0] | {"failureReason": 2, "score": 0, "success": False}
    path = tmp_path / "output.json"
    path.write_text(json.dumps({"evalId": "e", "results": {"prompts": [], "results": [failed, *PROMPTFOO[1:]]}}))
    assert told(read_logs(path), "m-a: 2 of 3 responses have a value; left out: 1 errored")


def test_a_preference_is_shared_between_the_generators(tmp_path):
    table = read_logs(FILES["alpaca-eval"](tmp_path))
    np.testing.assert_allclose(table.sources["base"].values, [1.0, 0.1, 0.0, 0.5])
    np.testing.assert_allclose(table.sources["new"].values, [0.0, 0.9, 1.0, 0.5])


def test_mqm_penalties_add_up(tmp_path):
    table = read_logs(FILES["mqm"](tmp_path))
    assert table.sources["A"].values.tolist() == [5.1, 25.0]
    assert table.sources["B"].values.tolist() == [0.0, 1.0]
    assert table.raters == ("r1", "r2")


def test_people_are_coded_unless_asked_otherwise(tmp_path):
    path = FILES["label-studio"](tmp_path)
    coded = read_logs(path).raters
    assert len(set(coded)) == 3
    assert all(rater.startswith("r-") and "@" not in rater for rater in coded)
    assert read_logs(path, rater_ids="as written").raters == ("ann@example.org", "bob@example.org", "cay@example.org")


def test_one_hit_may_ask_for_several_items(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(
        "HITId,AssignmentId,WorkerId,Answer.q1,Answer.q2,Answer.U1,Answer.U2,Answer.note\n"
        "h1,a1,W1,3,4,x.wav,y.wav,ok\nh1,a2,W2,5,1,y.wav,x.wav,fine\n"
    )
    table = read_logs(path, scorer="q*", item="Answer.U*")
    assert table.items.tolist() == ["x.wav", "y.wav"]
    assert table.sources["human"].values.tolist() == [3, 1, 4, 5]
    assert read_logs(path, scorer="q*").items.tolist() == ["h1:q1", "h1:q2"]


def test_a_log_and_an_export_are_joined_on_the_item(tmp_path):
    log = inspect_log("m-2", n=4, epochs=1)
    for i, sample in enumerate(log["samples"]):
        sample["scores"]["match"]["value"] = i + 2
    table = read_logs([eval_file(tmp_path / "log.eval", log), FILES["argilla"](tmp_path)])
    contest = table.contest(gold="human", a="m-1", b="m-2")
    assert contest.items.tolist() == ["q0", "q1", "q2"]
    assert contest.n_responses == {"gold": 2, "a": 1, "b": 1}
    assert told(table, "3 of 4 items are in all of them; human lacks 1 (first: q3); m-1 lacks 1 (first: q3).")


def test_ids_that_do_not_meet_are_shown_side_by_side(tmp_path):
    log = inspect_log("m-2", n=3, epochs=1)
    for i, sample in enumerate(log["samples"]):
        sample["id"] = f"item-q{i}"
        sample["scores"]["match"]["value"] = 3
    with pytest.raises(DataError, match=r"shares no item .* its first item is '.*q0', that of .* is '.*q0'"):
        read_logs([eval_file(tmp_path / "log.eval", log), FILES["argilla"](tmp_path)])


def test_a_number_that_is_not_finite_is_refused(tmp_path):
    log = inspect_log(n=2, epochs=1)
    log["samples"][0]["scores"]["match"]["value"] = 1e999
    log["samples"][1]["scores"]["match"]["value"] = 1.0
    (tmp_path / "log.json").write_text(json.dumps(log).replace("Infinity", "1" * 5000))
    with pytest.raises(DataError, match=r"log.json, item q0: inf is not finite"):
        read_logs(tmp_path / "log.json")


def test_penalties_are_better_when_they_are_lower(tmp_path):
    table = read_logs(FILES["mqm"](tmp_path))
    assert table.better == "lower"
    result = compare(table.contest(a="B", b="A"), rng=0, n_resamples=99)
    assert (result.better, result.advantage > 0) == ("lower", True)
    assert read_logs(FILES["inspect"](tmp_path)).better == ""


def test_perturbed_copies_of_an_instance_are_no_responses_of_it(tmp_path):
    path = FILES["helm"](tmp_path)
    entries = json.loads(path.read_text())
    copy = json.loads(json.dumps(entries[0]["stats"][0]))
    copy["name"]["perturbation"] = {"name": "typos"}
    entries[0]["stats"].append(copy)
    path.write_text(json.dumps(entries))
    table = read_logs(path)
    assert table.sources[tmp_path.name].values.size == 6
    assert table.sources[tmp_path.name].missing is None
    assert told(table, "1 statistics of perturbed copies")


def test_alpaca_eval_counts_draws_as_its_own_win_rate_does(tmp_path):
    """Keys: README of tatsu-lab/alpaca_eval, section on annotations; 0 and 1.5 are draws (its metrics/winrate.py)."""
    preferences = [1.0, 2.0, 1.5, 0, 1.25, None]
    entries = [
        {
            "instruction": f"Say {i}", "output_1": "x", "generator_1": "gpt4_1106_preview", "dataset": "helpful_base",
            "output_2": "y", "generator_2": "m", "annotator": "weighted_alpaca_eval_gpt4_turbo",
            "preference": preference, "raw_completion": {"ordered_models": [{"model": "M", "rank": 1}]},
            "referenced_models": {"M": "output_1", "m": "output_2"}, "time_per_example": 1.2, "price_per_example": 0.01,
        }
        for i, preference in enumerate(preferences)
    ]  # fmt: skip
    (tmp_path / "annotations.json").write_text(json.dumps(entries))
    table = read_logs(tmp_path / "annotations.json")
    assert table.sources["m"].values.tolist() == [0, 1, 0.5, 0.5, 0.25]
    assert table.sources["gpt4_1106_preview"].values.tolist() == [1, 0, 0.5, 0.5, 0.75]
    assert told(table, "m: 5 of 6 responses have a value; left out: 1 unscored (first: item Say 5).")


def test_flattened_argilla_records_are_those_of_to_list(tmp_path):
    """What `records.to_list(flatten=True)` gives: argilla/records/_io/_generic.py of argilla-io/argilla 2."""
    shared = {"status": "completed", "_server_id": "0", "text": "hi", "length": 3}
    records = [
        shared
        | {
            "id": "q0", "quality.responses": [3, 4], "quality.responses.users": ["u1", "u2"],
            "quality.responses.status": ["submitted", "discarded"], "quality.suggestion": 2,
            "quality.suggestion.score": 0.8, "quality.suggestion.agent": "m-1", "tone.suggestion": "warm",
            "tone.suggestion.score": None, "tone.suggestion.agent": "m-1",
        },
        shared
        | {
            "id": "q1", "quality.responses": [5], "quality.responses.users": ["u1"],
            "quality.responses.status": [None], "quality.suggestion": None, "quality.suggestion.score": None,
            "quality.suggestion.agent": None, "tone.suggestion": "cold", "tone.suggestion.score": None,
            "tone.suggestion.agent": "m-1",
        },
    ]  # fmt: skip
    (tmp_path / "flat.json").write_text(json.dumps(records))
    table = read_logs(tmp_path / "flat.json", scorer="quality", rater_ids="as written")
    assert table.sources["human"].values.tolist() == [3, 5]
    assert table.sources["m-1"].values.tolist() == [2]
    assert [table.raters[code] for code in table.sources["human"].raters] == ["u1", "u1"]
    assert told(table, "human: 2 of 3 responses have a value; left out: 1 discarded (first: item q0).")
    tone = read_logs(tmp_path / "flat.json", scorer="tone")
    assert {tone.scale.labels[int(v)] for v in tone.sources["m-1"].values} == {"warm", "cold"}


def test_esa_is_read_as_wmt_publishes_it(tmp_path):
    """Keys of wmt24_esa.jsonl: README of wmt-conference/wmt24-news-systems (jsonl/)."""
    table = read_logs(FILES["esa-lines"](tmp_path))
    assert table.items.tolist() == ["doc_1:0", "doc_1:1"]
    assert table.sources["A"].values.tolist() == [90, 70]
    assert table.raters == ("ann-1", "ann-2")
    assert table.better == "higher"


def test_the_data_sets_of_vet_are_kept_apart(tmp_path):
    """ResponseSets of google-research/vet (datatypes.py): lists of gold, preds1 and preds2 under alt and null."""
    path = FILES["vet-sets"](tmp_path)
    table = read_logs(path)
    assert table.items.tolist() == ["data set 1:0", "data set 1:1", "data set 2:0", "data set 2:1"]
    assert told(table, "scorer alt is taken; also there: null")
    null = read_logs(path, scorer="null", where={"task": "data set 1"})
    assert null.sources["preds2"].values.tolist() == [1, 2, 3, 4]
    assert set(table.repeats) == {"preds1", "preds2"}
