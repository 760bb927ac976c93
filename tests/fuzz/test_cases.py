"""The cases that a review of hostile input found, one by one: what happened, and the tests that keep it from returning.

Cases that no other test holds are tested below.
"""

import io
import json
import math
import random
import re
import sys
from pathlib import Path

import pytest

from howsure import Contest, read
from howsure.cli.app import main
from howsure.comparison import compare
from howsure.reports import chart_files

TESTS = Path(__file__).parents[1]
CASES = {
    "1 a trailing space inverts a verdict": [
        "io/test_shapes.py::test_labels_are_stripped_and_twins_are_refused",
        "io/test_shapes.py::test_twins_in_two_files_are_refused",
    ],
    "2 a store changes the numbers of a plan": ["cli/test_plan.py::test_the_store_changes_nothing"],
    "3 paths are globbed": ["io/test_hostile_files.py::test_a_path_is_never_a_glob"],
    "4 options are accepted and ignored": [
        "cli/test_scores.py::test_all_pairs_heed_every_option",
        "cli/test_scores.py::test_options_without_effect_are_refused",
        "cli/test_describe.py::test_what_is_wrong_or_has_no_effect_is_one_line_before_any_work",
        "cli/test_plan.py::test_options_without_effect_or_meaning_are_refused",
        "cli/test_audit.py::test_bad_input_is_one_line",
    ],
    "5 model files hold anything": [
        "models/test_files.py::test_what_is_not_of_its_kind_is_one_line_with_its_place",
        "models/test_files.py::test_any_entry_may_be_anything",
    ],
    "6 extreme values": [
        "comparison/test_magnitudes.py::test_a_value_that_cannot_be_squared_is_refused_with_its_place",
        "comparison/test_magnitudes.py::test_a_value_far_outside_a_rating_scale_is_named",
        "paired/test_extremes.py::test_sizes_that_cannot_be_squared_are_refused",
    ],
    "7 what is dropped, merged or undefined is not told": [
        "io/test_shapes.py::test_rows_without_a_source_are_told",
        "io/test_hostile_files.py::test_a_key_that_is_there_twice",
        "io/test_hostile_files.py::test_a_number_with_underscores_is_no_number",
        "fuzz/test_cases.py::test_an_undefined_effect_size_has_a_note",
        "sweeps/test_rows.py::test_parameters_that_a_common_type_would_merge_or_change_stay_apart",
    ],
    "8 a flipped bit in a store is silent": [
        "sweeps/test_damage.py::test_a_flipped_bit_is_never_silent",
        "sweeps/test_damage.py::test_a_changed_entry_is_reported_with_its_cell_and_computed_again",
    ],
    "9 names are markup": [
        "documents/test_renderers.py::test_html_keeps_hostile_names_as_text",
        "documents/test_renderers.py::test_markdown_has_no_raw_html_and_equal_columns",
        "documents/test_renderers.py::test_text_has_no_control_characters",
        "reports/test_reports.py::test_hostile_names_are_text_in_every_format",
        "fuzz/test_cases.py::test_no_name_ends_the_script_of_a_chart",
    ],
    "10 memory": [
        "io/test_hostile_files.py::test_free_text_is_questioned_before_anything_is_allocated",
        "data/test_many_labels.py::test_more_counts_than_memory_has_room_for",
        "data/test_many_labels.py::test_what_does_not_fit_is_refused_with_what_would",
        "io/test_hostile_files.py::test_keys_that_are_data_are_refused",
        "io/test_hostile_files.py::test_many_columns_take_time_in_proportion",
    ],
    "11 hangs": [
        "io/test_hostile_files.py::test_a_pipe_is_refused_and_not_waited_for",
        "io/test_hostile_files.py::test_a_device_is_refused",
        "cli/test_scores.py::test_hostile_options_get_one_line",
        "comparison/test_magnitudes.py::test_draws_that_no_memory_holds_are_refused",
    ],
    "12 a file beside a study is imported": [
        "sweeps/test_study.py::test_the_folder_of_a_study_is_searched_last_and_only_for_its_own_tasks"
    ],
    "13 outputs overwrite": [
        "test_files.py::test_inputs_are_never_overwritten_and_existing_files_only_by_force",
        "test_files.py::test_a_full_disk_leaves_the_old_file",
        "cli/test_audit.py::test_an_output_never_replaces_what_is_read",
    ],
    "14 stores that go away, locks that are the user's": [
        "sweeps/test_damage.py::test_a_store_that_goes_away_during_a_run_is_no_success",
        "sweeps/test_damage.py::test_a_users_file_with_the_name_of_the_lock_is_left_alone",
        "sweeps/test_damage.py::test_a_second_driver_does_not_get_in_by_another_name",
    ],
    "15 tracebacks": [
        "documents/test_renderers.py::test_text_shows_values_and_undefined_ones",
        "fuzz/test_cases.py::test_every_encoding_of_the_terminal_gets_its_text",
        "fuzz/test_cases.py::test_a_file_name_may_hold_any_bytes",
        "io/test_hostile_files.py::test_half_of_a_surrogate_pair_is_replaced",
        "sweeps/test_store.py::test_what_is_not_a_store_is_refused_and_left_alone",
        "sweeps/test_study.py::test_a_document_that_cannot_be_meant_is_refused_with_its_name",
        "sweeps/test_tasks.py::test_an_address_without_a_task_is_refused",
        "cli/test_fit.py::test_small_and_constant_data_get_one_clear_line",
        "cli/test_describe.py::test_small_and_constant_tables_are_described_or_refused_in_one_line",
        "io/test_hostile_files.py::test_durations_are_seconds",
        "io/test_hostile_files.py::test_integers_of_any_length",
        "io/test_hostile_files.py::test_damaged_binary_files_never_end_the_process",
    ],
    "16 Ctrl-C": [
        "cli/test_app.py::test_ctrl_c_is_one_line_whenever_it_comes",
        "sweeps/test_survival.py::test_ctrl_c_stops_at_once_and_says_what_is_kept",
    ],
    "17 failures that name no file, after the work": [
        "test_files.py::test_places_that_cannot_be_written_are_named",
        "cli/test_fit.py::test_bad_input_gets_one_clear_line_before_any_work",
        "reports/test_reports.py::test_a_place_that_cannot_be_written_is_one_line_before_any_work",
        "cli/test_sweep.py::test_what_cannot_be_done_is_one_line",
    ],
    "18 intervals depend on the order of the rows": ["fuzz/test_cases.py::test_the_order_of_the_rows_changes_no_bit"],
}


@pytest.mark.parametrize("case", CASES)
def test_every_case_has_its_tests(case):
    for named in CASES[case]:
        path, test = named.split("::")
        assert re.search(rf"^def {test}\(", (TESTS / path).read_text(encoding="utf-8"), re.MULTILINE), named


def test_the_list_is_complete():
    assert [int(case.split()[0]) for case in CASES] == list(range(1, 19))


def test_an_undefined_effect_size_has_a_note():
    found = compare(Contest.from_arrays([1, 2, 3], [1, 2, 3], [2, 3, 4]), metric="mae", rng=0, n_resamples=19)
    assert math.isnan(found.effect_sizes.cohen_d)
    assert "Cohen's d and Hedges' g are undefined: A and B differ by the same amount on every item." in found.notes


@pytest.mark.parametrize("name", ["</script><svg onload=alert(1)>", "<!--<script>"])
def test_no_name_ends_the_script_of_a_chart(name, tmp_path):
    written = {}

    class Chart:
        def save(self, path, **options):
            Path(path).write_text(json.dumps({"title": name}, **options["json_kwds"]))
            written.update(options)

    chart_files.write(tmp_path / "chart.html", chart=Chart)
    assert written["inline"]
    page = (tmp_path / "chart.html").read_text()
    assert "<" not in page
    assert json.loads(page) == {"title": name}


@pytest.fixture
def ratings(tmp_path):
    """Return a table whose labels and sources no small encoding has."""
    dice = random.Random(0)
    rows = [f"q{i},{source},{dice.choice('αβ')}" for i in range(12) for source in ("gold", "модель", "模型")]
    (tmp_path / "t.csv").write_text("\n".join(["item,source,value", *rows]) + "\n", encoding="utf-8")
    return tmp_path / "t.csv"


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii", "utf-8"])
def test_every_encoding_of_the_terminal_gets_its_text(encoding, ratings, monkeypatch):
    words = [
        "howsure",
        "compare",
        str(ratings),
        "--gold",
        "gold",
        "--a",
        "модель",
        "--b",
        "模型",
        "--n-resamples",
        "19",
    ]
    monkeypatch.setattr(sys, "argv", words)
    output = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", output)
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    output.flush()
    assert "accuracy" in output.buffer.getvalue().decode(encoding)


def test_a_file_name_may_hold_any_bytes(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(sys, "argv", ["howsure", "describe", str(tmp_path / "caf\udce9.csv")])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert re.fullmatch(r"howsure: there is no file .*caf.\.csv\.[^\n]*\n", capfd.readouterr().err)


def test_the_order_of_the_rows_changes_no_bit(tmp_path):
    dice = random.Random(0)
    rows = [f"q{i},{source},{dice.randint(1, 5)}" for i in range(30) for source in ("gold", "gold", "m", "n")]
    found = set()
    for _ in range(4):
        (tmp_path / "t.csv").write_text("\n".join(["item,source,value", *rows]) + "\n")
        contest = read(tmp_path / "t.csv").contest(gold="gold", a="m", b="n")
        result = compare(contest, metric="mae", rng=0, n_resamples=99, interval="percentile")
        found.add((result.confidence_interval.low, result.confidence_interval.high, result.pvalue, result.advantage))
        dice.shuffle(rows)
    assert len(found) == 1
