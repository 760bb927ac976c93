"""The real logs and exports, where they are at hand."""

import pytest

from howsure.errors import DataError
from howsure.io import read_logs

CASES = {
    "inspect/data_arc_sonnet.json": ({}, 5, {"anthropic/claude-sonnet-4-0": 5}, 0),
    "inspect/data_arc_qwen.json": ({}, 3, {"ollama/qwen2.5:0.5b": 3}, 0),
    "inspect/log_streaming.eval": ({}, 2, {"azureai/Meta-Llama-3-1-405B-Instruct-jqf": 4}, 0),
    "inspect/demo_epochs3_zstd_a.eval": ({"scorer": "match"}, 20, {"mockllm/model": 60}, 0),
    "inspect/demo_epochs3_zstd_b.eval": ({"scorer": "rubric.length"}, 20, {"mockllm/model": 60}, 0),
    "lm_eval/toy_repeats4": ({"where": {"task": "toy_mc"}, "scorer": "acc"}, 20, {"i82qcls7": 20}, 0),
    "helm/mmlu_philosophy_gpt2": ({"scorer": "exact_match"}, 10, {"openai/gpt2": 10}, 0),
    "promptfoo/output.json": (
        {}, 4,
        {"Rephrase this in {{language}}: {{body}}": 4, "Translate this to conversational {{language}}: {{body}}": 4}, 0,
    ),
    "promptfoo/repeat3.json": ({}, 2, {"model-a": 6, "model-b": 6}, 0),
    "promptfoo/repeat3.jsonl": ({"scorer": "acc"}, 2, {"model-a": 6, "model-b": 6}, 0),
    "deepeval/test_run.json": ({"scorer": "Faithfulness"}, 5, {"model-2": 5}, 0),
    "openai_evals/log.jsonl": ({}, 3, {"dummy": 3}, 0),
    "label_studio/export.json": ({}, 1, {"human": 1}, 1),
    "argilla/records.json": ({}, 1, {"human": 2, "gpt-4": 1}, 2),
    "prodigy/textcat.jsonl": ({}, 830, {"human": 786}, 0),
    "lewidi/2023_HS-Brexit_dev.json": ({}, 168, {"human": 1008}, 6),
    "lewidi/2025_VariErrNLI_dev.json": ({}, 50, {"human": 187}, 4),
    "mturk/Batch_257568_batch_results.csv": ({"scorer": "q*", "item": "Answer.Q*_URL"}, 12, {"human": 12}, 1),
    "../nlpstattest/data-file.txt": ({}, 2001, {"system 1": 2001, "system 2": 2001}, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_response_of_a_real_file_is_kept(name, shared):
    options, n_items, sizes, n_raters = CASES[name]
    table = read_logs(shared / "logs" / name, **options)
    assert table.n_items == n_items
    assert {source: responses.values.size for source, responses in table.sources.items()} == sizes
    assert len(table.raters) == n_raters


def test_the_means_are_those_of_the_logs_own_header(shared):
    table = read_logs(shared / "logs/inspect/demo_epochs3_zstd_a.eval", scorer="match")
    assert table.sources["mockllm/model"].values.mean() == pytest.approx(0.8333333333333333)
    table = read_logs(shared / "logs/inspect/demo_epochs3_zstd_a.eval", scorer="rubric.helpful")
    assert table.sources["mockllm/model"].values.mean() == pytest.approx(3.8333333333333335)
    table = read_logs(shared / "logs/lm_eval/toy_repeats4", where={"task": "toy_mc"}, scorer="acc")
    assert table.sources["i82qcls7"].values.mean() == pytest.approx(0.3)


def test_mqm_has_a_score_for_each_segment_system_and_rater(shared):
    table = read_logs(shared / "logs/mqm/mqm_ted_ende_400.tsv")
    assert (table.n_items, len(table.sources), len(table.raters)) == (23, 14, 4)
    # Facebook-AI, first segment, rater 1: one minor terminology error.
    assert table.sources["Facebook-AI"].values[0] == 1.0
    assert table.sources["HuaweiTSC"].values[0] == 5.0


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("inspect/demo_epochs3_zstd_a.eval", "scorer='match'"),
        ("lm_eval/toy_repeats4", "filter='score-first'"),
        ("helm/mmlu_philosophy_gpt2", "scorer='exact_match'"),
        ("deepeval/test_run.json", "scorer='Answer Relevancy'"),
        ("mturk/Batch_257568_batch_results.csv", "scorer='Math'"),
    ],
)
def test_what_is_ambiguous_is_refused_with_the_flag(name, flag, shared):
    with pytest.raises(DataError, match="Say which to take") as caught:
        read_logs(shared / "logs" / name)
    assert flag in str(caught.value)
