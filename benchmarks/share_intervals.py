"""Coverage of intervals of shares: one model, and all pairs of five models at once.

    python benchmarks/share_intervals.py [--data-sets 2000] [--page]

Writes docs/measured/share_intervals.csv and the tables of docs/evidence/runs.md and docs/evidence/leaderboards.md. `score`
and `leaderboard` take their intervals from the same functions as this program.

Items pass a run with probability p each (*equal*), with one drawn from Beta(2p, 2(1 − p)) (*mixed*), or with 0.99 for nine
items of ten and 0.05 for the tenth (*bimodal*). Items of a cluster of five are equally hard. The five models are equally
good (*alike*), or model j passes 1 − 0.1 j times as often as the first (*steps*); all of them meet the same items.
"""

from itertools import combinations

import numpy as np
from scipy.special import comb, stdtrit

from howsure.inference import binomial_region
from howsure.leaderboards.score_intervals import difference_limits, mean_interval
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

FILE, LEVEL, TRIED = "share_intervals.csv", 0.95, 5
SIZES, SHARES = (15, 23, 50, 100), (0.02, 0.05, 0.2, 0.5, 0.8, 0.95, 0.98)
SINGLE = [("equal", 1), ("equal", 5), ("mixed", 5)]
CELLS = [("one model", ease, n, k, p) for ease, k in SINGLE for n in SIZES for p in SHARES]
CELLS += [("one model", "bimodal", n, k, 0.896) for k in (1, 5) for n in SIZES]
CELLS += [(what, "mixed", n, 5, p) for what in ("pass@3", "pass^3") for n in (15, 25, 50, 100) for p in SHARES]
CELLS += [(what, "bimodal", n, 5, 0.896) for what in ("pass@3", "pass^3") for n in (15, 25, 50, 100)]
CELLS += [("clusters of 5", "mixed", n, k, p) for k in (1, 5) for n in (30, 60, 150) for p in SHARES]
PAIRS = [("alike", "equal"), ("alike", "mixed"), ("steps", "mixed")]
CELLS += [(f"pairs, {how}", ease, n, k, p) for how, ease in PAIRS for k in (1, 5) for n in SIZES for p in SHARES]
CELLS += [(f"pairs, {how}", "bimodal", n, 5, 0.896) for how in ("alike", "steps") for n in SIZES]


def ease_of(rng, ease, p, shape):
    """Return the probability that a run passes, for each item."""
    if ease == "equal":
        return np.full(shape, p)
    if ease == "mixed":
        return rng.beta(2 * p, 2 * (1 - p), shape)
    return np.where(rng.random(shape) < 0.9, 0.99, 0.05)


def measure(what, ease, n, k, p, data_sets, number):
    """Return how many intervals (of all pairs: sets of intervals) hold the truth, and their mean width."""
    rng = np.random.default_rng([7, number])
    way = one_board if what.startswith("pairs") else one_model
    found = way(rng, what, ease, n, k, p, data_sets)
    return [{"what": what, "ease": ease, "items": n, "runs": k, "p": p, "data_sets": data_sets, **found}]


def one_model(rng, what, ease, n, k, p, data_sets):
    codes = np.arange(n) // 5 if what.startswith("clusters") else None
    counts = np.arange(TRIED + 1)
    of_count = counts / k
    if what == "pass@3":
        of_count = 1 - comb(TRIED - counts, 3) / comb(TRIED, 3)
    elif what == "pass^3":
        of_count = comb(counts, 3) / comb(TRIED, 3)
    true = p
    if what.startswith("pass"):
        many = ease_of(rng, ease, p, 2_000_000)
        true = float((1 - (1 - many) ** 3 if what == "pass@3" else many**3).mean())
    covered = by_t = width = 0
    for _ in range(data_sets):
        own = ease_of(rng, ease, p, n if codes is None else n // 5)
        items = of_count[rng.binomial(k, own if codes is None else own[codes])]
        ends = mean_interval(items, float(items.mean()), codes, LEVEL, (0.0, 1.0))
        covered += ends.low <= true <= ends.high
        width += ends.width
        units = items if codes is None else items.reshape(-1, 5).mean(axis=1)
        arm = -stdtrit(units.size - 1, (1 - LEVEL) / 2) * units.std(ddof=1) / np.sqrt(units.size)
        by_t += arm > 0 and abs(units.mean() - true) <= arm
    return {"covered": int(covered), "by_t": int(by_t), "width": round(width / data_sets, 4)}


def one_board(rng, what, ease, n, k, p, data_sets):
    first, second = np.array(list(combinations(range(5), 2))).T
    factors = 1 - 0.1 * np.arange(5) * what.endswith("steps")
    true = p * (factors[first] - factors[second])
    level = 1 - (1 - LEVEL) / first.size
    reach = -stdtrit(n - 1, (1 - level) / 2)
    covered = by_t = width = 0
    for _ in range(data_sets):
        items = rng.binomial(k, ease_of(rng, ease, p, (n, 1)) * factors) / k
        advantages = items.mean(axis=0)[first] - items.mean(axis=0)[second]
        low, high = difference_limits([(1.0, items, None)], first, second, advantages, level)
        covered += bool(((low <= true + 1e-12) & (true <= high + 1e-12)).all())
        width += float((high - low).mean())
        arms = reach * (items[:, first] - items[:, second]).std(axis=0, ddof=1) / np.sqrt(n)
        by_t += bool((np.abs(advantages - true) <= arms + 1e-12).all())
    return {"covered": int(covered), "by_t": int(by_t), "width": round(width / data_sets, 4)}


def table(rows, names):
    """Return for each kind of cell the worst and the mean coverage, and where the worst is."""
    body = []
    groups = dict.fromkeys((row["what"], row["ease"], row["runs"], row["items"]) for row in rows)
    for key in groups:
        cells = [row for row in rows if (row["what"], row["ease"], row["runs"], row["items"]) == key]
        shares = [100 * int(row["covered"]) / int(row["data_sets"]) for row in cells]
        of_t = [100 * int(row["by_t"]) / int(row["data_sets"]) for row in cells]
        worst, n = int(np.argmin(shares)), int(cells[0]["data_sets"])
        bold = "**" if min(shares) < 100 * binomial_region(n, LEVEL).low / n else ""
        what, ease, runs, items = key
        body.append([
            what, ease, runs, items, f"{bold}{min(shares):.1f}%{bold} (p = {cells[worst]['p']})", f"{np.mean(shares):.1f}%",
            f"{min(of_t):.1f}%", f"{np.mean([float(row['width']) for row in cells]):.3f}",
        ])  # fmt: skip
    return markdown(names, body)


def page():
    rows = read_rows(MEASURED / FILE)
    pairs = [row for row in rows if row["what"].startswith("pairs")]
    alone = [row for row in rows if not row["what"].startswith("pairs")]
    names = [
        "what",
        "items are",
        "runs",
        "items",
        "worst coverage",
        "mean coverage",
        "worst of Student's t",
        "mean width",
    ]
    evidence = ROOT / "docs" / "evidence"
    put_between(evidence / "runs.md", "<!-- shares -->", table(alone, names))
    put_between(evidence / "leaderboards.md", "<!-- pairs of shares -->", table(pairs, names))


if __name__ == "__main__":
    run_cells(__doc__, FILE, CELLS, measure, page, data_sets=2000)
