"""Settings are conditions: runs of one model under different settings are never pooled without a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import DataError
from howsure.io import read_logs
from howsure.io.run_settings import differing, settings_of
from tests.io.readers.made import eval_file, inspect_log


def log(folder, name, model="m", **settings):
    made = inspect_log(model, n=4, marks="CI")
    made["eval"] |= {"eval_id": name, "task_args": settings}
    return eval_file(folder / f"{name}.eval", made)


def told(table, words):
    return [note for note in table.notes if words in note]


def test_different_settings_are_different_models_and_equal_ones_repeats(tmp_path):
    paths = [log(tmp_path, "a", shots=0), log(tmp_path, "b", shots=5), log(tmp_path, "c", shots=5)]
    table = read_logs(paths)
    assert {name: source.n_responses for name, source in table.sources.items()} == {"m · shots=0": 2, "m · shots=5": 4}
    assert told(
        table, "Runs of one model under different settings count as separate models (shots). Select with `where`"
    )
    pooled = read_logs(paths, pool=["shots"])
    assert {name: source.n_responses for name, source in pooled.sources.items()} == {"m": 6}
    assert told(pooled, "Runs that differ in shots are pooled.")
    assert list(read_logs(paths, pool=["all"]).sources) == ["m"]
    chosen = read_logs(paths, where={"shots": "5"})
    assert {name: source.n_responses for name, source in chosen.sources.items()} == {"m": 4}


def test_absent_is_equal_to_nothing_else(tmp_path):
    paths = [log(tmp_path, "a"), log(tmp_path, "b", temperature=0.0)]
    assert list(read_logs(paths).sources) == ["m · temperature=–", "m · temperature=0"]


def test_what_says_where_and_when_a_run_was_made_is_no_setting(tmp_path):
    paths = [
        log(tmp_path, "a", seed=1, log_dir="/x", batch_size=1, device="cpu"),
        log(tmp_path, "b", seed=2, log_dir="/y", batch_size=8, device="cuda"),
    ]
    assert list(read_logs(paths).sources) == ["m"]


def test_two_models_keep_their_names(tmp_path):
    table = read_logs([log(tmp_path, "a", "m-1", shots=0), log(tmp_path, "b", "m-2", shots=5)])
    assert list(table.sources) == ["m-1", "m-2"]


def test_names_of_the_user_come_first(tmp_path):
    table = read_logs({"zero": log(tmp_path, "a", shots=0), "five": log(tmp_path, "b", shots=5)})
    assert list(table.sources) == ["zero", "five"]


def test_a_setting_that_no_log_has(tmp_path):
    paths = [log(tmp_path, "a", shots=0), log(tmp_path, "b", shots=5)]
    with pytest.raises(DataError, match="no log has the setting shots=3; there is 0, 5"):
        read_logs(paths, where={"shots": "3"})
    with pytest.raises(DataError, match=r"the logs have no 'shot' to select by; .* Did you mean 'shots'"):
        read_logs(paths, where={"shot": "3"})


def test_items_are_matched_by_what_was_asked_where_ids_differ(tmp_path):
    one, two = inspect_log("m-1", n=4), inspect_log("m-2", n=4)
    two["eval"]["eval_id"] = "other"
    for sample in two["samples"]:
        sample["id"] = f"other-{sample['id']}"
    paths = [eval_file(tmp_path / f"{i}.eval", made) for i, made in enumerate((one, two))]
    table = read_logs(paths)
    assert table.n_items == 4
    assert told(table, "Items are matched by what was asked, because the files give them different ids.")
    for made in (one, two):
        for sample in made["samples"]:
            sample["input"] = "placeholder"  # which tells nothing
    paths = [eval_file(tmp_path / f"p{i}.eval", made) for i, made in enumerate((one, two))]
    with pytest.raises(DataError, match="shares no item with the other tables"):
        read_logs(paths)


RUNS = st.lists(st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["0", "1", "x"])), min_size=1, max_size=5)


@given(RUNS)
def test_what_differs_is_what_tells_runs_apart(runs):
    keys = differing(runs)
    apart = {tuple(run.get(key) for key in keys) for run in runs}
    assert len(apart) == len({tuple(sorted(run.items())) for run in runs})
    assert differing(runs, ["all"]) == []
    assert not set(differing(runs, ["a"])) & {"a"}


def test_long_values_are_shown_by_their_digest():
    found = settings_of({"prompt": "a very long prompt " * 20, "shots": 5})
    assert found["shots"] == "5"
    assert len(found["prompt"]) == 8


def test_one_model_under_two_names_is_pointed_out(tmp_path):
    table = read_logs([log(tmp_path, "a", "openai/gpt-4o"), log(tmp_path, "b", "gpt-4o")])
    assert told(table, "openai/gpt-4o and gpt-4o may be one model under two names.")


def test_a_run_whose_scores_are_all_alike_is_pointed_out(tmp_path):
    made = inspect_log("m", n=4, marks="I")
    assert told(read_logs(eval_file(tmp_path / "a.eval", made)), "Every response has the same value, 0. Check that")
