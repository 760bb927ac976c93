"""Hold leaderboards of other packages against ours on the same data; write docs/measured/leaderboard_peers.csv.

    pip install autorank evalstats errorbars
    python benchmarks/leaderboard_peers.py [--data-sets 200]
    python benchmarks/leaderboard_peers.py --page

Equal models: how often does a package call any two of them different? Eight models of which four are equal and the others better: which
share of the true differences does it find? Each package is called as its documentation says, at 5%: autorank 1.3.0 (`autorank`; models
differ if their mean ranks differ by more than its critical distance, or if its intervals do not overlap), evalstats 0.3.3
(`all_pairwise`), errorbars 0.2.4 (`build_leaderboard`). Scores are normal, skewed (exponential), or right and wrong (ceiling: 95%
right), all with a part that the models share.
"""

import contextlib
import io
import time
import warnings

import numpy as np

from howsure import Responses, ResponseTable, Scale
from howsure.leaderboards import compare_all
from measured import false_differences, run_cells

ALPHA = 0.05
SCORES = {
    "normal": lambda rng, n, m: rng.normal(size=(n, 1)) + rng.normal(size=(n, m)),
    "skewed": lambda rng, n, m: rng.exponential(size=(n, 1)) + rng.exponential(size=(n, m)),
    "ceiling": None,
}
BETTER = np.array([0.0, 0.0, 0.0, 0.0, 0.2, 0.4, 0.6, 0.8])


def simulate(rng, kind, n, better):
    m = better.size
    if kind == "ceiling":
        odds = 3.5 + 1.5 * rng.normal(size=(n, 1)) + better
        return (rng.random((n, m)) < 1 / (1 + np.exp(-odds))).astype(float)
    return SCORES[kind](rng, n, m) + better


def ours(scores, seed):
    names = [f"m{j}" for j in range(scores.shape[1])]
    sources = {name: Responses.from_grid(scores[:, [j]]) for j, name in enumerate(names)}
    table = ResponseTable(np.arange(len(scores)).astype(str), sources, Scale("continuous"))
    board = compare_all(table, rng=seed, n_resamples=999, workers=1)
    return {frozenset((int(pair.a[1:]), int(pair.b[1:]))) for pair in board.significant}


def of_autorank(scores, seed):
    import pandas as pd
    from autorank import autorank

    found = autorank(
        pd.DataFrame(scores, columns=[f"m{j}" for j in range(scores.shape[1])]), alpha=ALPHA, verbose=False
    )
    if found.pvalue >= found.alpha:
        return set()
    table = found.rankdf
    told = set()
    for a in table.index:
        for b in table.index:
            if found.cd is not None and found.posthoc == "nemenyi":
                apart = abs(table.loc[a, "meanrank"] - table.loc[b, "meanrank"]) > found.cd
            else:
                apart = table.loc[a, "ci_lower"] > table.loc[b, "ci_upper"]
            if apart and a != b:
                told.add(frozenset((int(a[1:]), int(b[1:]))))
    return told


def of_evalstats(scores, seed):
    import evalstats

    names = [f"m{j}" for j in range(scores.shape[1])]
    found = evalstats.all_pairwise(scores.T, names, n_bootstrap=2000, rng=np.random.default_rng(seed))
    return {frozenset((int(a[1:]), int(b[1:]))) for (a, b), one in found.results.items() if one.p_value <= ALPHA}


def of_errorbars(scores, seed):
    import json
    import tempfile
    from pathlib import Path

    from errorbars.cli import main

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        rows = [f"q{i},m{j},{scores[i, j]}" for i in range(len(scores)) for j in range(scores.shape[1])]
        path.write_text("\n".join(["question_id,model,score", *rows]))
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            main(["leaderboard", str(path), "--json"])
    pairs = json.loads(said.getvalue())["pairwise"]
    return {frozenset((int(p["model_a"][1:]), int(p["model_b"][1:]))) for p in pairs if p["p_holm"] <= ALPHA}


PACKAGES = {"howsure": ours, "autorank": of_autorank, "evalstats": of_evalstats, "errorbars": of_errorbars}


def cell(kind, n, data_sets, seed):
    rows = []
    for name, package in PACKAGES.items():
        rng, wrong, found, failed = np.random.default_rng(seed), 0, [], 0
        started = time.process_time()
        for number in range(data_sets):
            for better in (np.zeros(8), BETTER):
                scores = simulate(rng, kind, n, better)
                try:
                    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                        warnings.simplefilter("ignore")
                        told = package(scores, number)
                except Exception:
                    failed += 1
                    continue
                if not better.any():
                    wrong += bool(told)
                    continue
                pairs = [frozenset((a, b)) for a in range(8) for b in range(a) if better[a] != better[b]]
                found.append(sum(pair in told for pair in pairs) / len(pairs))
        rows.append({
            "scores": kind, "items": n, "package": name, "data_sets": data_sets, "wrong": wrong, "failed": failed,
            "found": round(float(np.mean(found)), 4) if found else "", "seconds": round(time.process_time() - started, 1),
        })  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def page():
    false_differences("leaderboard_peers.csv", "<!-- peers -->", ("scores", "items", "package"))


if __name__ == "__main__":
    cells = [("normal", 20), ("normal", 100), ("skewed", 20), ("skewed", 100), ("ceiling", 100)]
    run_cells(__doc__, "leaderboard_peers.csv", cells, cell, page, data_sets=200)
