"""Small files in the shape that each tool writes, for tests that must not depend on real logs."""

import csv
import io
import json
import sys

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

ZSTD = 93


def inspect_log(model="m-1", *, epochs=2, n=4, marks="CIC", scorers=("match",), **changes):
    """An Inspect log as a dictionary: `n` samples in each of `epochs`."""
    samples = []
    for epoch in range(1, epochs + 1):
        for i in range(n):
            mark = marks[(i * epoch) % len(marks)]
            scores = {name: {"value": mark, "answer": "yes", "history": []} for name in scorers}
            samples.append({"id": f"q{i}", "epoch": epoch, "input": f"question {i}", "target": "yes", "scores": scores})
    about = {
        "eval_id": f"e-{model}-{epochs}-{n}", "task": "demo", "model": model, "config": {"epochs": epochs},
        "dataset": {"samples": n, "sample_ids": [f"q{i}" for i in range(n)]},
    }  # fmt: skip
    return {"version": 2, "status": "success", "eval": about, "samples": samples} | changes


def eval_file(path, log, *, method=ZSTD, summaries=True):
    """Write an Inspect log as an archive, as Inspect does: header, journal, samples, summaries."""
    head = {key: value for key, value in log.items() if key != "samples"}
    with zipfile.ZipFile(path, "w", compression=method) as archive:
        archive.writestr("_journal/start.json", json.dumps(head))
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        if summaries:
            archive.writestr("summaries.json", json.dumps(log["samples"]))
            archive.writestr("header.json", json.dumps(head))
    return path


def _json(name, content):
    def write(folder):
        path = folder / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write


def _lines(name, entries):
    def write(folder):
        path = folder / name
        path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
        return path

    return write


def _table(name, rows, separator=","):
    def write(folder):
        cells = io.StringIO()
        csv.writer(cells, delimiter=separator, lineterminator="\n").writerows(rows)
        path = folder / name
        path.write_text(cells.getvalue(), encoding="utf-8")
        return path

    return write


def _lm_eval_sample(doc, **scores):
    return {
        "doc_id": doc, "doc": {"question": "?"}, "target": "yes", "arguments": {}, "resps": [["yes"]],
        "filtered_resps": ["yes"], "filter": "none", "metrics": list(scores), "doc_hash": f"h{doc}", **scores,
    }  # fmt: skip


def _promptfoo_row(question, score, provider):
    return {
        "provider": {"id": "mock:x", "label": provider}, "vars": {"q": question}, "prompt": {"label": "Answer {{q}}"},
        "success": score > 0.5, "score": score, "namedScores": {"acc": score}, "failureReason": int(score < 0.5),
        "gradingResult": {"pass": score > 0.5}, "response": {"output": "so"}, "testIdx": 0,
    }  # fmt: skip


def _stat(name, mean, **rest):
    return {"name": {"name": name, "split": "test", **rest}, "count": 1, "sum": mean, "mean": mean}


PROMPTFOO = [_promptfoo_row(q, s, p) for p in ("m-a", "m-b") for q, s in (("one", 1.0), ("two", 0.0), ("one", 0.0))]

VET = {"gold": [[1, 2], [3, 3]], "preds1": [[1, 1], [3, 4]], "preds2": [[5, 4], [1, 2]]}

FILES = {
    "inspect": lambda folder: eval_file(folder / "log.eval", inspect_log()),
    "inspect-json": _json("log.json", inspect_log()),
    "lm-eval": _lines(
        "samples_toy_2026-01-21T03-44-18.458309.jsonl", [_lm_eval_sample(i, acc=i % 2) for i in range(4)]
    ),
    "helm": _json(
        "per_instance_stats.json",
        [
            {"instance_id": f"id{i}", "train_trial_index": t, "stats": [_stat("exact_match", i % 2), _stat("num_x", 3)]}
            for i in range(3)
            for t in range(2)
        ],
    ),
    "promptfoo": _json("output.json", {"evalId": "e", "results": {"version": 3, "prompts": [], "results": PROMPTFOO}}),
    "promptfoo-lines": _lines("output.jsonl", PROMPTFOO),
    "deepeval": _json(
        "run.json",
        {
            "testRunData": {
                "testCases": [
                    {
                        "name": f"case_{i}", "input": f"q{i}", "order": i,
                        "metricsData": [{"name": "Relevancy", "score": i / 3, "evaluationModel": "judge"}],
                    }
                    for i in range(3)
                ],
                "hyperparameters": {"model": "m-1"},
            }
        },
    ),
    "openai-evals": _lines(
        "record.jsonl",
        [
            {"spec": {"completion_fns": ["m-1"], "eval_name": "t", "run_id": "r1"}},
            {"final_report": {"accuracy": 0.5}},
            {"run_id": "r1", "event_id": 0, "sample_id": "t.0", "type": "match", "data": {"correct": True}},
            {"run_id": "r1", "event_id": 1, "sample_id": "t.1", "type": "match", "data": {"correct": False}},
            {"run_id": "r1", "event_id": 2, "sample_id": "t.2", "type": "sampling", "data": {}},
        ],
    ),
    "alpaca-eval": _json(
        "annotations.json",
        [
            {
                "instruction": f"Say {i}", "output_1": "x", "generator_1": "base", "output_2": "y",
                "generator_2": "new", "annotator": "gpt-4", "preference": [1.0, 1.9, 2.0, 1.5][i],
            }
            for i in range(4)
        ],
    ),
    "label-studio": _json(
        "export.json",
        [
            {
                "id": i, "data": {"text": "t"},
                "annotations": [
                    {
                        "completed_by": {"email": f"{who}@example.org"}, "was_cancelled": who == "cay" and i == 0,
                        "result": [{"from_name": "mood", "value": {"choices": ["good" if i else "bad"]}}],
                    }
                    for who in ("ann", "bob", "cay")
                ],
                "predictions": [
                    {"model_version": "v1", "result": [{"from_name": "mood", "value": {"choices": ["good"]}}]}
                ],
            }
            for i in range(3)
        ],
    ),
    "argilla": _json(
        "records.json",
        [
            {
                "id": f"q{i}", "fields": {"text": "hi"}, "suggestions": {"quality": {"value": 5, "agent": "m-1"}},
                "responses": {"quality": [{"value": i + 1, "user_id": "u1"}, {"value": 4, "user_id": "u2"}]},
            }
            for i in range(3)
        ],
    ),
    "argilla-flat": _lines(
        "records.jsonl",
        [
            {
                "id": f"q{i}", "quality.responses": [3, 4, 5], "quality.responses.users": ["u1", "u2", "u3"],
                "quality.responses.status": ["submitted", "draft", "submitted"], "quality.suggestion": 2,
                "quality.suggestion.agent": "m-1",
            }
            for i in range(3)
        ],
    ),
    "prodigy": _lines(
        "notes.jsonl",
        [
            {"text": f"t{i}", "label": "L", "_input_hash": i, "_annotator_id": who, "answer": answer}
            for i in range(3)
            for who, answer in (("db-ann", "accept"), ("db-bob", "ignore" if i == 1 else "reject"))
        ],
    ),
    "mturk": _table(
        "Batch_1_batch_results.csv",
        [
            ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.text", "Answer.rating", "Approve"],
            ["h1", "a1", "W1", "Approved", "t1", "4"],
            ["h1", "a2", "W2", "Rejected", "t1", "1"],
            ["h2", "a3", "W1", "Submitted", "t2", "5", "x"],
            ["h2", "a4", "W3", "Submitted", "t2", ""],
        ],
    ),
    "lewidi-2023": _json(
        "dev.json",
        {str(i): {"text": "t", "annotations": "0,1,1", "annotators": "Ann1,Ann2,Ann3"} for i in range(3)},
    ),
    "lewidi-2025": _json(
        "dev25.json",
        {
            str(i): {"annotators": "Ann1,Ann2,Ann2", "annotations": {"Ann1": "yes", "Ann2": "no,yes"}}
            for i in range(3)
        },
    ),
    "mqm": _table(
        "mqm.tsv",
        [
            ["system", "doc", "seg_id", "rater", "source", "target", "category", "severity"],
            ["A", "d", "1", "r1", "s", "t", "Accuracy/Mistranslation", "Major"],
            ["A", "d", "1", "r1", "s", "t", "Fluency/Punctuation", "Minor"],
            ["B", "d", "1", "r1", "s", "t", "No-error", "No-error"],
            ["A", "d", "2", "r2", "s", "t", "Non-translation!", "Major"],
            ["B", "d", "2", "r2", "s", "t", "Style/Awkward", "Minor"],
        ],
        "\t",
    ),
    "esa": _table(
        "esa.tsv",
        [
            ["system", "doc", "seg_id", "rater", "esa_score"],
            ["A", "d", "1", "r1", "80"],
            ["B", "d", "1", "r1", "60.5"],
            ["A", "d", "2", "r1", ""],
            ["B", "d", "2", "r1", "70"],
        ],
        "\t",
    ),
    "esa-lines": _lines(
        "wmt24_esa.jsonl",
        [
            {
                "langs": "en-cs", "line_id": line, "src": "s", "tgt": "t", "doc_id": "doc_1", "domain": "news",
                "esa_spans": [{"start_i": 0, "end_i": 3, "severity": "minor"}], "esa_score": score, "system": system,
                "annotator": annotator, "speech_info": None,
            }
            for line, system, score, annotator in (
                (0, "A", 90.0, "ann-1"), (0, "B", 60.0, "ann-1"), (1, "A", 70, "ann-2"), (1, "B", 55.5, "ann-2"),
            )
        ],
    ),
    "nlpstattest": lambda folder: _written(folder / "scores.txt", "0.1 0.2\n0.3 0.25\n0.5 0.7\n"),
    "vet-sets": _json(
        "responses_simulated.json", {"alt": [VET, VET], "null": [VET | {"preds2": [[1, 2], [3, 4]]}] * 2}
    ),
    "vet": _json("data.json", VET),
    "human-eval": _lines(
        "m-1.jsonl", [{"task_id": f"HumanEval/{i % 2}", "completion": "x", "passed": i > 0} for i in range(4)]
    ),
    "evalplus": _json(
        "m-1.json",
        {"hash": "x", "eval": {f"HumanEval/{i}": {"base": [["pass", []]], "plus": [["fail", []]]} for i in range(3)}},
    ),
    "tau-bench": _json(
        "m-1.json", [{"task_id": i, "reward": float(i), "trial": k, "info": {}} for i in range(2) for k in range(3)]
    ),
    "tau2": _json(
        "tau2.json",
        {
            "info": {"agent_info": {"llm": "m-1", "llm_args": {"temperature": 0}}, "user_info": {"llm": "u"}},
            "simulations": [{"task_id": str(i), "trial": 0, "reward_info": {"reward": 1.0}} for i in range(3)],
        },
    ),
    "terminal-bench": _json(
        "results.json",
        {
            "id": "x",
            "results": [
                {"trial_name": f"t{i}.{k}-of-2.run", "task_id": f"t{i}", "is_resolved": None if i else True}
                for i in range(2)
                for k in (1, 2)
            ],
        },
    ),
    "swe-bench": _json("m-1.json", {"django__django-1": True, "django__django-2": False}),
    "swe-bench-report": _json(
        "report.json",
        {"submitted_ids": ["a__a-1", "a__a-2"], "resolved_ids": ["a__a-2"], "error_ids": [], "empty_patch_ids": []},
    ),
    "mt-bench": _lines(
        "gpt-4_single.jsonl",
        [
            {"question_id": i, "model": m, "judge": ["gpt-4", "single-v1"], "score": -1 if i == 82 else 7, "turn": 1}
            for i in (81, 82)
            for m in ("x", "y")
        ],
    ),
    "mt-bench-pair": _lines(
        "gpt-4_pair.jsonl",
        [
            {"question_id": i, "model_1": "x", "model_2": "y", "g1_winner": "model_1", "g2_winner": "error", "turn": 1}
            for i in (81, 82)
        ],
    ),
    "arena": _json(
        "votes.json",
        [
            {"question_id": str(i), "model_a": "x", "model_b": "y", "winner": w, "judge": "u1"}
            for i, w in enumerate(("model_a", "tie (bothbad)", "?"))
        ],
    ),
    "pandalm": _json(
        "testset.json", [{"idx": i, "cmp_key": "x_y", "annotator1": 1, "annotator2": i} for i in range(3)]
    ),
    "every-eval-ever": _lines(
        "samples.jsonl",
        [
            {
                "evaluation_id": "e", "model_id": "m-1", "sample_id": str(i), "evaluation": {"score": 1.0},
                "error": "timeout" if i == 2 else None,
            }
            for i in range(3)
        ],
    ),
    "bfcl": lambda folder: _bfcl(folder),  # noqa: PLW0108 (defined below)
    "opencompass": _json(
        "arc.json", {"accuracy": 50.0, "details": {"0": {"pred": "A", "correct": True}, "1": {"correct": False}}}
    ),
    "ragas": _table("m-1.csv", [["user_input", "response", "faithfulness"], ["q1", "a", "0.5"], ["q2", "b", ""]]),
    "mlflow": _json("m-1.json", {"columns": ["inputs", "bleu/score"], "data": [["q1", 0.5], ["q2", None]]}),
    "doccano": _lines(
        "ann.jsonl", [{"id": 1, "text": "a", "label": ["yes"]}, {"id": 2, "text": "b", "label": [[0, 1, "ORG"]]}]
    ),
    "crowdflower": _table(
        "report.csv",
        [
            ["_unit_id", "_worker_id", "_tainted", "text", "answer"],
            ["1", "w1", "false", "t", "yes"],
            ["1", "w2", "false", "t", "no"],
            ["1", "w3", "true", "t", "no"],
            ["2", "w1", "false", "u", "yes"],
        ],
    ),
    "qualtrics": _table(
        "survey.csv",
        [
            ["ResponseId", "Finished", "Q1"],
            ["Response", "Finished", "How good?"],
            ['{"ImportId":"_recordId"}', '{"ImportId":"finished"}', '{"ImportId":"QID1"}'],
            ["R_1", "1", "4"],
            ["R_2", "0", "5"],
        ],
    ),
}  # fmt: skip
"""Each format (and each of its shapes) with a function that writes a small file into a folder."""


def _written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def _bfcl(folder):
    score, result = folder / "score" / "m-1" / "java_score.json", folder / "result" / "m-1" / "v1_java_result.json"
    for path in (score, result):
        path.parent.mkdir(parents=True, exist_ok=True)
    _written(result, "".join(f'{{"id": "java_{i}", "result": "x"}}\n' for i in range(3)))
    totals = '{"accuracy": 0.6, "correct_count": 2, "total_count": 3}\n'
    return _written(score, totals + '{"id": 2, "valid": false, "prompt": {"id": "java_1"}}\n')
