"""Runs of a model are never raters: every log of the same runs gives the bits that a tidy table gives."""

import json
import re

import numpy as np
import polars as pl
import pytest

from howsure import read, write
from howsure.comparison import compare
from howsure.leaderboards import compare_all
from howsure.metrics import resolve
from howsure.planning import Effect, plan
from tests.io.readers.made import eval_file, inspect_log

N_ITEMS, N_RUNS = 12, 3
RNG = np.random.default_rng(11)
RUNS = {name: (RNG.random((N_ITEMS, N_RUNS)) < right).astype(int) for name, right in (("nano", 0.5), ("mini", 0.7))}
IDS = [f"q{i}" for i in range(N_ITEMS)]


def tidy(folder):
    rows = [
        {"item": IDS[i], "model": name, "run": k, "score": int(grid[i, k])}
        for name, grid in RUNS.items()
        for i in range(N_ITEMS)
        for k in range(N_RUNS)
    ]
    pl.DataFrame(rows).write_csv(folder / "runs.csv")
    return [folder / "runs.csv"]


def one_epoch(name, grid):
    """Inspect's log of some runs: an epoch for each column."""
    log = inspect_log(name, n=N_ITEMS, epochs=grid.shape[1])
    for sample in log["samples"]:
        value = int(grid[IDS.index(sample["id"]), sample["epoch"] - 1])
        sample["scores"]["match"]["value"] = "C" if value else "I"
    return log


def inspect_epochs(folder):
    return [eval_file(folder / f"{name}.eval", one_epoch(name, grid)) for name, grid in RUNS.items()]


def inspect_files(folder):
    paths = []
    for name, grid in RUNS.items():
        for k in range(N_RUNS):
            log = one_epoch(name, grid[:, [k]])
            log["eval"]["eval_id"] = f"{name}-{k}"
            paths.append(folder / f"{name}-{k}.json")
            paths[-1].write_text(json.dumps(log))
    return paths


def lm_eval(folder):
    paths = []
    for name, grid in RUNS.items():
        for k in range(N_RUNS):
            own = folder / f"{name}-{k}"
            own.mkdir()
            (own / "results_t.json").write_text(json.dumps({"model_name": name}))
            lines = [
                {"doc_id": IDS[i], "target": "", "resps": [[""]], "filter": "none", "metrics": ["acc"], "acc": int(v)}
                for i, v in enumerate(grid[:, k])
            ]
            paths.append(own / "samples_toy_2026-01-21T03-44-18.458309.jsonl")
            paths[-1].write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return paths


def helm(folder):
    for name, grid in RUNS.items():
        (folder / name).mkdir()
        (folder / name / "run_spec.json").write_text(json.dumps({"adapter_spec": {"model": name}}))
        stats = [
            {
                "instance_id": IDS[i], "train_trial_index": k,
                "stats": [{"name": {"name": "exact_match"}, "count": 1, "mean": float(grid[i, k])}],
            }
            for i in range(N_ITEMS)
            for k in range(N_RUNS)
        ]  # fmt: skip
        (folder / name / "per_instance_stats.json").write_text(json.dumps(stats))
    return [folder / name for name in RUNS]


def promptfoo(folder):
    results = [
        {
            "provider": {"id": name}, "vars": {"id": IDS[i]}, "prompt": {"label": "p"}, "testIdx": k * N_ITEMS + i,
            "score": float(grid[i, k]), "success": bool(grid[i, k]), "failureReason": 0,
        }
        for k in range(N_RUNS)
        for i in range(N_ITEMS)
        for name, grid in RUNS.items()
    ]  # fmt: skip
    (folder / "output.json").write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": results}}))
    return [folder / "output.json"]


def openai_evals(folder):
    paths = []
    for name, grid in RUNS.items():
        for k in range(N_RUNS):
            events = [{"spec": {"completion_fns": [name], "eval_name": "t", "run_id": f"{name}-{k}"}}]
            events += [
                {"sample_id": IDS[i], "type": "match", "data": {"correct": bool(value)}}
                for i, value in enumerate(grid[:, k])
            ]
            paths.append(folder / f"{name}-{k}.jsonl")
            paths[-1].write_text("".join(f"{json.dumps(event)}\n" for event in events))
    return paths


def deepeval(folder):
    paths = []
    for name, grid in RUNS.items():
        for k in range(N_RUNS):
            cases = [
                {"name": IDS[i], "metricsData": [{"name": "Right", "score": float(v), "evaluationModel": "judge"}]}
                for i, v in enumerate(grid[:, k])
            ]
            paths.append(folder / f"{name}-{k}.json")
            paths[-1].write_text(json.dumps({"testCases": cases, "hyperparameters": {"model": name}}))
    return paths


def vet(folder):
    (folder / "vet.json").write_text(json.dumps({"preds1": RUNS["nano"].tolist(), "preds2": RUNS["mini"].tolist()}))
    return [folder / "vet.json"]


def converted(folder):
    write(read([str(path) for path in inspect_epochs(folder)]), folder / "table.parquet")
    return [folder / "table.parquet"]


LOGS = (inspect_epochs, inspect_files, lm_eval, helm, promptfoo, openai_evals, deepeval, vet, converted)
NAMES = {"vet": ("preds1", "preds2")}


def answer(paths, nano="nano", mini="mini"):
    table = read([str(path) for path in paths] if len(paths) > 1 else str(paths[0]))
    assert table.raters == ()
    assert set(table.repeats) == {nano, mini}
    found = compare(table.contest(a=mini, b=nano), metric="rating", n_resamples=299, rng=0)
    board = compare_all(table, metric="rating", n_resamples=299, rng=0)
    assert not [note for note in (*found.notes, *board.notes) if "rater" in note]
    ends, pair = found.confidence_interval, board.pairs[0]
    return found.advantage, found.pvalue, ends.low, ends.high, found.null, pair.pvalue, pair.confidence_interval.low


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return answer(tidy(tmp_path_factory.mktemp("tidy")))


@pytest.mark.parametrize("written", LOGS, ids=lambda written: written.__name__)
def test_every_log_of_the_same_runs_gives_the_bits_of_the_tidy_table(written, tmp_path, expected):
    assert answer(written(tmp_path), *NAMES.get(written.__name__, ())) == expected


def test_a_plan_from_runs_says_nothing_of_raters(tmp_path):
    contest = read([str(path) for path in inspect_epochs(tmp_path)]).contest(a="mini", b="nano")

    def planned(metric, **how):
        return plan(contest, metrics=metric, effect=Effect(resolve(metric), 0.2), target_power=0.8, **how)

    for metric in ("rating", "pass@2", "pass^2"):
        found = planned(metric)
        assert found.recommended is not None
        assert not [note for note in found.notes if "rater" in note]
        assert "human" not in found.sentences[0]
        assert re.search(r"\d responses? of each model give 80% power for a difference of 0.2 in ", found.sentences[0])
    said = "With fewer runs per item than the pilot, power of pass@2 is overestimated"
    assert any(note.startswith(said) for note in planned("pass@2", n_responses=2).notes)


@pytest.mark.parametrize("apart", ["run_id", "created", "model"])
def test_logs_with_one_eval_id_are_several_runs_where_anything_else_tells_them_apart(tmp_path, apart):
    """Of 10,000 logs with one eval_id, 9,999 were taken for one run that was given twice."""
    for k in range(3):
        log = inspect_log("m", n=2, epochs=1)
        log["eval"] |= {"eval_id": "e", "run_id": "r", "created": "2026-01-01"} | {apart: f"other {k}"}
        (tmp_path / f"{k}.json").write_text(json.dumps(log))
        eval_file(tmp_path / f"copy of {k}.eval", log)  # the same run in another format is still used once
    table = read(str(tmp_path))
    assert sum(source.values.size for source in table.sources.values()) == 6
    assert [note for note in table.notes if note.startswith("3 of 6 files were skipped")]


def test_openai_evals_of_several_models_may_share_a_run_id(tmp_path):
    for name in ("a", "b"):
        events = [{"spec": {"completion_fns": [name], "eval_name": "t", "run_id": "r"}}]
        events += [{"sample_id": item, "type": "match", "data": {"correct": True}} for item in IDS]
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in events))
    assert list(read(str(tmp_path)).sources) == ["a", "b"]
