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
}  # fmt: skip
"""Each format (and each of its shapes) with a function that writes a small file into a folder."""


def _written(path, text):
    path.write_text(text, encoding="utf-8")
    return path
