"""The table of every sample: what each reader must find in it, and that every command that the doctor prints runs.

The expected counts were taken from the files themselves (FORMATS.md, section 3), not from the readers.
"""

import shlex
from dataclasses import dataclass, field

import numpy as np
import pytest

from howsure import DataError, doctor, read
from howsure.documents import Aside
from tests.io.test_shared_data import DATA

LOGS = DATA / "logs"
pytestmark = pytest.mark.skipif(not (LOGS / "new").is_dir(), reason="the shared logs are not here")


@dataclass(frozen=True)
class Sample:
    """A sample: its items, sources with the sums of their values, runs of an item, errors, and how it is read."""

    path: str
    n_items: int
    sums: dict[str, float]
    n_runs: int = 1
    n_errors: int = 0
    options: dict[str, object] = field(default_factory=dict)


OPUS, MINI = "anthropic/claude-opus-4-20250514", "openai/gpt-5-mini-2025-08-07"
SAMPLES = [
    Sample("new/inspect_settings", 23, {
        f"{OPUS} · with_background=false": 8, f"{OPUS} · with_background=true": 10,
        f"{MINI} · with_background=false temperature=– with_test_cases=false": 9,
        f"{MINI} · with_background=true temperature=0 with_test_cases=–": 7,
    }),
    Sample("new/lm_eval_limits", 10, {"gpt-4o": 0}, n_runs=5),
    Sample("new/every_eval_ever", 5, {"anthropic/claude-sonnet-4-0": 5, "ollama/qwen2.5-0.5b": 1}),
    Sample("new/tau_bench", 25, {"gpt-4o-airline_tasks_0-24": 31}, n_runs=4),
    Sample("new/terminal_bench", 80, {"20250923_droid_claude-4-1-opus": 93, "20250924_droid_gpt-5": 84}, n_runs=2),
    Sample("new/swe_bench_map", 730, {"eval_results_claude45": 319, "eval_results_gpt5": 265}),
    Sample("new/bfcl", 100, {"command-r-plus": 60, "command-r-plus-FC": 50}),
    Sample("new/human_eval", 164, {"qwen2.5-coder_7b_results": 120, "codellama_7b_results": 47}),
    Sample("new/evalplus", 164, {"samples_eval_results": 0}),
    Sample("new/mt_bench_single", 120, {"llama2_chat_7b": 632, "llama2_7b": 379}),
    Sample("new/mt_bench_pair", 45, {"phi-3": 46, "phi-3-dpo": 41}, n_runs=2, n_errors=6),
    Sample("new/promptfoo/multishot_v1_output.json", 4, {}),
    Sample("new/promptfoo/llama4-scout_output.json", 5, {}),
    Sample("new/ragas", 7, {"ragas_results": 2.8333}, options={"scorer": "faithfulness"}),
    Sample("new/crowdflower", 10, {}),
    Sample("new/xlsx", 164, {"350M": 23, "2B": 42, "6B": 45, "16B": 56}),
]  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.path)
def test_every_sample_is_read_as_it_is(sample):
    table = read(LOGS / sample.path, **sample.options)
    assert table.n_items == sample.n_items
    if sample.sums:
        sums = {name: round(float(source.values.sum()), 4) for name, source in table.sources.items()}
        assert sums == pytest.approx(sample.sums)
        assert max(int(source.sizes.max()) for source in table.sources.values()) == sample.n_runs
        lacking = sum(int(source.missing.sum()) for source in table.sources.values() if source.missing is not None)
        assert lacking == sample.n_errors


def test_details_of_samples():
    swe = read(LOGS / "new/swe_bench_map")
    one, two = (swe.sources[name] for name in ("eval_results_claude45", "eval_results_gpt5"))
    both = (one.sizes == 1) & (two.sizes == 1)
    means = [np.array([s.values[s.offsets[i]] for i in np.flatnonzero(both)]) for s in (one, two)]
    assert both.sum() == 729
    assert int((means[0] != means[1]).sum()) == 172
    panda = read(LOGS / "new/pandalm")
    assert (panda.n_items, len(panda.sources), len(panda.raters)) == (150, 5, 3)
    llama = panda.sources["llama-7b"].values
    assert [int((llama == share).sum()) for share in (1, 0, 0.5)] == [116, 55, 18]
    crowd = read(LOGS / "new/crowdflower")
    assert (len(crowd.raters), set(crowd.sources["human"].sizes)) == (67, {15})
    for name, n in (("llama4-scout_output.json", 5), ("multishot_v1_output.json", 4)):
        table = read(LOGS / "new/promptfoo" / name)
        assert [source.values.tolist() for source in table.sources.values()] == [[1] * n, [1] * n]
    labels = read(LOGS / "new/label_studio_no_id")
    assert (labels.n_items, list(labels.sources)) == (1, ["model_version_A", "model_version_B"])
    assert labels.scale.labels == ("class_A", "class_B")
    with pytest.raises(DataError, match="no sample has a score: table_eval_data: 0 of 2 responses have a value"):
        read(LOGS / "new/mlflow")
    qualtrics = read(LOGS / "new/qualtrics", where={"item": "Q1"})
    assert len(qualtrics.raters) == 1
    terminal = doctor(LOGS / "new/terminal_bench")
    assert sum("without a result count" in note for note in terminal.notes) == 4
    shown = [note for note in read(LOGS / "new/terminal_bench").notes if not isinstance(note, Aside)]
    assert not any(str(LOGS) in note for note in shown)  # notes name files, not whole paths
    assert any(": 1 trial without a result counts as failed" in note for note in terminal.notes)


SHARED = [*[sample.path for sample in SAMPLES], "new/pandalm", "new/mlflow", "new/doccano", "new/qualtrics",
          "new/label_studio_no_id", "new", ".", "inspect", "lm_eval", "helm", "promptfoo", "deepeval", "openai_evals",
          "label_studio", "argilla", "prodigy", "mturk", "lewidi", "mqm"]  # fmt: skip


@pytest.mark.parametrize("path", SHARED)
def test_every_command_that_the_doctor_prints_runs(path, howsure, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctor(LOGS / path)
    assert found.files
    for command in found.commands:
        fast = ["--n-resamples", "99"] if command.split()[1] in ("compare", "leaderboard", "describe") else []
        done = howsure(*shlex.split(command)[1:], *fast)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert "Traceback" not in done.stderr
