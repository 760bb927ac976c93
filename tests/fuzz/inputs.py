"""What is thrown mutated files at: for each kind of input a good file, its mutations, and what reads it."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import howsure
from howsure import models, paired
from howsure.describing import describe
from howsure.errors import HowsureError
from howsure.io.files import table_from
from howsure.sweeps import Grid, Store, Study, run, task
from tests.fuzz import mutations

MODELS = ("normal", "likert-toxicity", "categorical-dices")


@task(version=1)
def flip(cell, rng):
    """Compute something small."""
    return {"heads": rng.random(), "n": cell["i"]}


class Kind(NamedTuple):
    """A kind of input: the ending of its files, a good file, mutations, and what reads a file."""

    ending: str
    good: Callable[[np.random.Generator, Path], bytes]
    changes: tuple[Callable[[bytes, np.random.Generator], bytes], ...]
    use: Callable[[Path], object]


def tidy(rng, folder):
    rows = ["item,source,rater,value"]
    for item in range(8):
        for source, raters in (("human", 3), ("m", 1), ("n", 1)):
            rows += [f"q{item},{source},{source}{rater},{rng.integers(1, 6)}" for rater in range(raters)]
    return ("\n".join(rows) + "\n").encode()


def labels(rng, folder):
    rows = ["item,human,m,n"]
    rows += [",".join([f"q{item}", *rng.choice(["yes", "no", "maybe"], 3)]) for item in range(12)]
    return ("\n".join(rows) + "\n").encode()


def lines(rng, folder):
    rows = [
        f'{{"item": "q{item}", "source": "{source}", "value": {rng.integers(1, 6)}}}'
        for item in range(8)
        for source in ("human", "m", "n")
    ]
    return ("\n".join(rows) + "\n").encode()


def parquet(rng, folder):
    import polars

    buffer = io.BytesIO()
    polars.read_csv(tidy(rng, folder)).write_parquet(buffer)
    return buffer.getvalue()


def scores(rng, folder):
    return "".join(f"{a:.3f} {b:.3f}\n" for a, b in rng.normal(size=(25, 2))).encode()


def model(rng, folder):
    name = MODELS[int(rng.integers(len(MODELS)))]
    path = folder / f"{name}.json"
    if not path.exists():
        models.save(models.preset(name), path)
    return path.read_bytes()


def store(rng, folder):
    path = folder / "good.db"
    if not path.exists():
        run(flip, Grid.product({"i": range(20)}), store=path, rng=1)
    return path.read_bytes()


def study(rng, folder):
    return b'task = "flip"\nseed = 3\n[grid]\ni = [1, 2, 3]\nname = ["a", "b"]\nx = 0.5\n[[cells]]\ni = 7\nname = "c"\n'


def compare_columns(path):
    answer(table_from([str(path)], sources=["human", "m", "n"]))


def compare_file(path):
    answer(howsure.read(path))


def answer(table):
    describe(table, n_resamples=5, rng=0, workers=1)
    contest = table.contest(gold="human", a="m", b="n")
    str(howsure.compare(contest, seed=0, n_resamples=19, workers=1))


def analyse_scores(path):
    str(paired.analyse(paired.read_scores(path), n_resamples=19, rng=0))


def simulate(path):
    found = models.load(path)
    found.table(5, 2, epsilon=0.1, rng=0)
    str(found)


def read_store(path):
    handle = Store(path)
    handle.rows(), handle.counts(), handle.seed
    handle.export(path.with_suffix(".csv"))
    run(flip, Grid.product({"i": range(20)}), store=path, retry=True)


def read_study(path):
    before = list(sys.path)
    try:
        found = Study.read(path, tasks={"flip": flip.name})
        if found.task == flip:
            run(found.task, found.grid, rng=found.seed)
    finally:
        sys.path[:] = before


def expected(error: BaseException) -> bool:
    """Say whether this is how the package refuses: an error of its own, in one line."""
    return isinstance(error, HowsureError) and len(str(error).splitlines()) == 1


KINDS = {
    "tidy table": Kind(".csv", tidy, (mutations.of_bytes, mutations.of_cells), compare_file),
    "labels": Kind(".csv", labels, (mutations.of_bytes, mutations.of_cells), compare_columns),
    "JSON lines": Kind(".jsonl", lines, (mutations.of_bytes,), compare_file),
    "Parquet": Kind(".parquet", parquet, (mutations.of_bytes,), compare_file),
    "scores": Kind(".txt", scores, (mutations.of_bytes,), analyse_scores),
    "model": Kind(".json", model, (mutations.of_bytes, mutations.of_json), simulate),
    "store": Kind(".db", store, (mutations.of_bytes,), read_store),
    "study": Kind(".toml", study, (mutations.of_bytes,), read_study),
}
