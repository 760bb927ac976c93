"""Measure what boards promise: familywise error, and how often all intervals and all true ranks are covered.

    python benchmarks/leaderboard_truth.py items [--data-sets 2000] [--out docs/measured/leaderboard_truth.csv]
    python benchmarks/leaderboard_truth.py raters [--data-sets 200] [--out docs/measured/leaderboard_raters.csv]
    python benchmarks/leaderboard_truth.py raters --cells 8 9
    python benchmarks/leaderboard_truth.py page

Items: ten models answer N items K times, right or wrong: logit P(right) = quality + item N(0, 1) + item × model
N(0, 0.5²). Qualities: all equal; seven equal and three better by 0.5, 0.8 and 1.1; or ten that are close (steps of 0.06).

Raters: five models, N items, R raters who judge every output (crossed): rating = quality + item + rater + rater × model
N(0, 0.3²) + noise N(0, 1). Qualities: all equal; or three equal and two better by 0.6 and 1.2.

The true rank of a model is one more than the number of truly better ones. Beside a board stand the usual ways:
p-values as they are, t tests with Holm's correction, each model's own interval (different where two do not overlap), each pair's own
interval, and the percentiles of resampled ranks.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.special import stdtr

from howsure import Responses, ResponseTable, Scale
from howsure.inference import adjust, binomial_region, clopper_pearson
from howsure.inference.simultaneous import rank_sets
from howsure.leaderboards import compare_all
from howsure.leaderboards.pairs import Pairs, PairSettings, Spread, draw_units, reach_of, sign_flip_test
from howsure.leaderboards.units import BoardUnits
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

ALPHA, N_DRAWS = 0.05, 499
QUALITIES = {
    "all equal": np.zeros(10),
    "7 equal, 3 better": np.array([0.0] * 7 + [0.5, 0.8, 1.1]),
    "10 close": 0.06 * np.arange(10),
}
RATER_QUALITIES = {"all equal": np.zeros(5), "3 equal, 2 better": np.array([0.0, 0.0, 0.0, 0.6, 1.2])}
SIZES = [(50, 1, 2000), (50, 5, 2000), (200, 1, 2000), (200, 5, 1000), (1000, 1, 400), (1000, 5, 400)]
ITEM_CELLS = [(name, *size) for name in list(QUALITIES)[:2] for size in SIZES] + [
    ("10 close", 200, 1, 1000),
    ("10 close", 1000, 5, 400),
]
RATER_CELLS = [(name, n, r, 200) for name in RATER_QUALITIES for n, r in ((50, 5), (50, 10), (200, 5), (200, 10))]
RATER_CELLS += [(name, 1000, 5, 200) for name in RATER_QUALITIES]
WAYS = ("leaderboard", "t tests, Holm", "p as it is", "own intervals", "pair intervals", "percentile ranks")


def truth_of(quality):
    """Return the expected score of each model: P(right) over items, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    spread = np.sqrt(1 + 0.25) * nodes
    return np.array([weights @ (1 / (1 + np.exp(-(q + spread)))) / weights.sum() for q in quality])


def simulate(rng, quality, n, k):
    logit = quality + rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(n, quality.size))
    return rng.binomial(k, 1 / (1 + np.exp(-logit))) / k


def units_from(scores):
    n, m = scores.shape
    totals = scores / n
    return BoardUnits(
        tuple(map(str, range(m))), totals, np.full(n, 1 / n), np.zeros(1, dtype=np.int64), totals.sum(axis=0)
    )


def t_tests(advantages, spread, n):
    """Return the p-values of paired t tests: drawn ones are never small enough for Holm's correction of 45."""
    ratios = np.abs(advantages) / np.sqrt(np.where(spread.variances > 0, spread.variances, np.inf))
    return np.minimum(1.0, 2 * stdtr(n - 1, -ratios))


def above_from(told, advantages, pairs, m):
    above = np.zeros((m, m), dtype=bool)
    up, down = told & (advantages > 0), told & (advantages < 0)
    above[pairs.first[up], pairs.second[up]] = True
    above[pairs.second[down], pairs.first[down]] = True
    return above


def item_cell(name, n, k, data_sets, seed):
    """Return one row for each way: how often it errs, and what it finds."""
    quality = QUALITIES[name]
    m, pairs = quality.size, Pairs.of(quality.size)
    truth = truth_of(quality)
    gaps = truth[pairs.first] - truth[pairs.second]
    equal = np.abs(gaps) < 1e-12
    ranks = 1 + (truth[np.newaxis] > truth[:, np.newaxis] + 1e-12).sum(axis=1)
    rng = np.random.default_rng(seed)
    counts = {way: dict.fromkeys(("wrong", "missed_intervals", "missed_ranks", "found", "width"), 0.0) for way in WAYS}
    started = time.process_time()
    for number in range(data_sets):
        units = units_from(simulate(rng, quality, n, k))
        draws = np.random.SeedSequence([seed, number])
        ask = PairSettings(pairs, 1 - ALPHA, N_DRAWS, draws, workers=1)
        spread = Spread.of(units, ask)
        reach, tested = reach_of(units, spread, ask), sign_flip_test(units, spread, ask)
        advantages = units.scores[pairs.first] - units.scores[pairs.second]
        arms = spread.arms(reach.pairs)
        moved = np.einsum("du,uj->dj", draw_units(units, draws, 0, N_DRAWS).astype(float), units.totals)
        own = reach.scores * np.sqrt(np.square(units.errors).sum(axis=0))
        apart = {
            "leaderboard": tested.adjusted <= ALPHA,
            "t tests, Holm": adjust(t_tests(advantages, spread, n)) <= ALPHA,
            "p as it is": tested.pvalues <= ALPHA,
            "own intervals": np.abs(advantages) > own[pairs.first] + own[pairs.second],
        }
        low, high = np.quantile(moved[:, pairs.first] - moved[:, pairs.second], [ALPHA / 2, 1 - ALPHA / 2], axis=0)
        apart["pair intervals"] = (low > 0) | (high < 0)
        for way, told in apart.items():
            sets = rank_sets(above_from(told, advantages, pairs, m))
            kept = counts[way]
            kept["wrong"] += bool((told & (equal | (np.sign(advantages) != np.sign(gaps)))).any())
            kept["missed_ranks"] += not ((sets.low <= ranks) & (ranks <= sets.high)).all()
            kept["found"] += told[~equal].mean() if (~equal).any() else np.nan
            kept["width"] += (sets.high - sets.low + 1).mean()
        counts["leaderboard"]["missed_intervals"] += not (np.abs(advantages - gaps) <= arms + 1e-12).all()
        counts["pair intervals"]["missed_intervals"] += not ((low <= gaps) & (gaps <= high)).all()
        places = 1 + (moved[:, np.newaxis, :] > moved[:, :, np.newaxis]).sum(axis=2)
        least, most = np.quantile(places, [ALPHA / 2, 1 - ALPHA / 2], axis=0, method="inverted_cdf")
        counts["percentile ranks"]["missed_ranks"] += not ((least <= ranks) & (ranks <= most)).all()
        counts["percentile ranks"]["width"] += (most - least + 1).mean()
    seconds = time.process_time() - started
    return [
        row_of(way, kept, data_sets, truth=name, n_items=n, k=k, seconds=round(seconds, 1))
        for way, kept in counts.items()
    ]


def row_of(way, kept, data_sets, **cell):
    has_intervals = way in ("leaderboard", "pair intervals")
    return {
        **cell, "way": way, "data_sets": data_sets,
        "wrong": "" if way == "percentile ranks" else int(kept["wrong"]),
        "missed_intervals": int(kept["missed_intervals"]) if has_intervals else "",
        "missed_ranks": int(kept["missed_ranks"]),
        "found": "" if way == "percentile ranks" or np.isnan(kept["found"]) else round(kept["found"] / data_sets, 4),
        "mean_rank_set": round(kept["width"] / data_sets, 3),
    }  # fmt: skip


def rater_table(rng, quality, n, r):
    m = quality.size
    grid = (
        quality[:, np.newaxis] + rng.normal(size=(n, 1, 1)) + rng.normal(size=(1, 1, r))
        + 0.3 * rng.normal(size=(1, m, r)) + rng.normal(size=(n, m, r))
    )  # fmt: skip
    raters = np.tile(np.arange(r), (n, 1))
    sources = {f"m{j}": Responses.from_grid(grid[:, j], raters) for j in range(m)}
    return ResponseTable(np.arange(n).astype(str), sources, Scale("continuous"), {}, tuple(map(str, range(r))))


def rater_cell(name, n, r, data_sets, seed):
    quality = RATER_QUALITIES[name]
    m = quality.size
    ranks = 1 + (quality[np.newaxis] > quality[:, np.newaxis]).sum(axis=1)
    rng = np.random.default_rng(seed)
    ways = {"raters like these": None, "these raters only": "fixed"}
    counts = {way: dict.fromkeys(("wrong", "missed_intervals", "missed_ranks", "found", "width"), 0.0) for way in ways}
    counts["raters like these, p as it is"] = dict.fromkeys(("wrong", "missed_ranks", "found"), 0.0)
    started = time.process_time()
    for number in range(data_sets):
        table = rater_table(rng, quality, n, r)
        for way, raters in ways.items():
            board = compare_all(table, raters=raters, n_resamples=N_DRAWS, rng=number, workers=1)
            kept = counts[way]
            told, false, gaps = [], [], []
            for pair in board.pairs:
                gap = quality[int(pair.a[1:])] - quality[int(pair.b[1:])]
                told.append(pair.pvalue_adjusted <= ALPHA)
                false.append(gap != 0)
                gaps.append(not pair.confidence_interval.low <= gap <= pair.confidence_interval.high)
            told, false = np.array(told), np.array(false)
            signs = np.array([quality[int(p.a[1:])] < quality[int(p.b[1:])] for p in board.pairs])
            kept["wrong"] += bool((told & (~false | signs)).any())
            kept["missed_intervals"] += any(gaps)
            rows = [board.model(f"m{j}") for j in range(m)]
            kept["missed_ranks"] += not all(
                row.rank_low <= rank <= row.rank_high for row, rank in zip(rows, ranks, strict=True)
            )
            kept["found"] += told[false].mean() if false.any() else np.nan
            kept["width"] += np.mean([row.rank_high - row.rank_low + 1 for row in rows])
            if raters is None:
                plain = np.array([pair.pvalue for pair in board.pairs]) <= ALPHA
                other = counts["raters like these, p as it is"]
                other["wrong"] += bool((plain & (~false | signs)).any())
                other["found"] += plain[false].mean() if false.any() else np.nan
    seconds = time.process_time() - started
    rows = []
    for way, kept in counts.items():
        rows.append({
            "truth": name, "n_items": n, "n_raters": r, "seconds": round(seconds, 1), "way": way, "data_sets": data_sets,
            "wrong": int(kept["wrong"]),
            "missed_intervals": int(kept["missed_intervals"]) if "width" in kept else "",
            "missed_ranks": int(kept["missed_ranks"]) if "width" in kept else "",
            "found": "" if np.isnan(kept["found"]) else round(kept["found"] / data_sets, 4),
            "mean_rank_set": round(kept["width"] / data_sets, 3) if "width" in kept else "",
        })  # fmt: skip
    return rows


def shown(count, n, bad=None):
    """Return a share in per cent; bold where it lies above the region of 5%."""
    if count == "":
        return ""
    share = 100 * int(count) / int(n)
    high = binomial_region(int(n), ALPHA).high
    return f"**{share:.1f}**" if int(count) > high else f"{share:.1f}"


def page():
    rows = read_rows(MEASURED / "leaderboard_truth.csv")
    head = ["truth", "N × K", "data sets", "method", "a false difference", "an interval misses", "a true rank missed",
            "true differences found", "ranks in a set"]  # fmt: skip
    body = [
        [r["truth"], f"{r['n_items']} × {r['k']}", f"{int(r['data_sets']):,}", r["way"], shown(r["wrong"], r["data_sets"]),
         shown(r["missed_intervals"], r["data_sets"]), shown(r["missed_ranks"], r["data_sets"]), r["found"],
         f"{float(r['mean_rank_set']):.1f}"]
        for r in rows
    ]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "leaderboards.md", "<!-- items -->", markdown(head, body))
    rows = read_rows(MEASURED / "leaderboard_raters.csv")
    head[1] = "items × raters"
    body = [
        [r["truth"], f"{r['n_items']} × {r['n_raters']}", r["data_sets"], r["way"], shown(r["wrong"], r["data_sets"]),
         shown(r["missed_intervals"], r["data_sets"]), shown(r["missed_ranks"], r["data_sets"]), r["found"],
         r["mean_rank_set"] and f"{float(r['mean_rank_set']):.1f}"]
        for r in rows
    ]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "leaderboards.md", "<!-- raters -->", markdown(head, body))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["items", "raters", "page"])
    parser.add_argument("--data-sets", type=int)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cells", type=int, nargs="+", help="numbers of cells to measure again; the others are kept")
    given = parser.parse_args()
    if given.part == "page":
        page()
        return
    raters = given.part == "raters"
    out = given.out or MEASURED / f"leaderboard_{'raters' if raters else 'truth'}.csv"
    cells = RATER_CELLS if raters else ITEM_CELLS
    again = {cells[number][:3] for number in given.cells} if given.cells else {cell[:3] for cell in cells}
    old = read_rows(out) if given.cells else []
    rows = [
        row for row in old if (row["truth"], int(row["n_items"]), int(row["n_raters" if raters else "k"])) not in again
    ]
    for number, (name, n, k, usual) in enumerate(cells):
        if (name, n, k) not in again:
            continue
        found = (rater_cell if raters else item_cell)(name, n, k, given.data_sets or usual, number)
        rows += found
        first = found[0]
        ends = clopper_pearson(int(first["wrong"]), first["data_sets"])
        print(
            f"{name}, {n} × {k}: board wrong {first['wrong']} of {first['data_sets']} [{ends.low:.3f}, {ends.high:.3f}], "
            f"intervals {first['missed_intervals']}, ranks {first['missed_ranks']}; {float(first['seconds']):.0f} s of processor",
            flush=True,
        )
        write_rows(rows, out)


if __name__ == "__main__":
    main()
