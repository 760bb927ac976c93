"""How often the interval of `howsure compare --judge` contains the truth, and how often it rejects a true null.

`python benchmarks/judge_coverage.py` writes docs/measured/judge_*.csv and the tables of docs/evidence/judge.md (five minutes).
An item's answers by A and B have a quality each; every rater has an opinion of each model (SD in logits), and the judge
sees the quality with noise, so that its scores correlate with the quality by the number given. Labels are pass/fail of
both answers, ratings from 1 to 5 of both, or a preference. Truth is the mean advantage over endlessly many items and
raters. "Raters unseen" is PPI++ on item means, as ppi-python computes it.
"""

import argparse
import csv
import math
from dataclasses import replace
from functools import cache

import numpy as np

from howsure.comparison import Procedure
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.inference import binomial_region
from howsure.judging import JudgedContest, compare_with_judge
from howsure.judging.combined_advantage import LabelDesign, Labelled, combine
from howsure.judging.labels_to_draw import draw_items, score_strata
from howsure.resampling import CellTable
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

CUTS = np.array([-1.5, -0.5, 0.5, 1.5])
KINDS = ("pass/fail", "ratings", "preference")
SEED = 43


def outcomes(kind, a, b, rng):
    """Return the advantage of A that labels of these two qualities show."""
    if kind == "preference":
        noise = rng.logistic(size=np.shape(a))
        gap = a - b + noise
        return np.sign(gap) * (np.abs(gap) > 0.5)
    own, other = (side + rng.logistic(size=np.shape(side)) for side in (a, b))
    if kind == "pass/fail":
        return (own > 0).astype(float) - (other > 0)
    return (np.searchsorted(CUTS, own) - np.searchsorted(CUTS, other)).astype(float)


def judged(kind, quality, correlation, bias, rng):
    """Return the judge's advantage of each item: it sees the quality with noise, and with a bias if it has one."""
    n = quality.shape[1]
    noise = math.sqrt(1 / correlation**2 - 1) if correlation else math.inf
    seen = quality + noise * rng.normal(size=quality.shape) if correlation else rng.normal(size=quality.shape)
    if bias == "shift":
        seen = seen + 1.0
    elif bias == "favours B":
        seen = seen + np.array([[0.0], [1.0]])
    elif bias == "flipped on a quarter":
        seen = np.where(np.arange(n) % 4 == 0, -seen, seen)
    if kind == "preference":
        gap = seen[0] - seen[1]
        return np.sign(gap) * (np.abs(gap) > 0.3)
    if kind == "pass/fail":
        return (seen[0] > 0).astype(float) - (seen[1] > 0)
    return (np.searchsorted(CUTS, seen[0]) - np.searchsorted(CUTS, seen[1])).astype(float)


@cache
def truth_of(kind, shift, sd, n=4_000_000):
    """Return the mean advantage over endlessly many items and raters."""
    rng = np.random.default_rng(SEED)
    if not shift:
        return 0.0
    a, b = rng.normal(shift, 1, n) + sd * rng.normal(size=n), rng.normal(0, 1, n) + sd * rng.normal(size=n)
    return float(outcomes(kind, a, b, rng).mean())


def data_set(settings, n_all, n, shift, rng, *, bias="", per_item=None, drawn=None):
    """Return one simulated data set as `combine` takes it."""
    kind, n_raters, sd, correlation = (settings[name] for name in ("kind", "raters", "rater_sd", "correlation"))
    quality = rng.normal(size=(2, n_all)) + np.array([[shift], [0.0]])
    judge = judged(kind, quality, correlation, bias, rng)
    where = np.arange(n) if drawn is None else drawn(judge, rng)
    n = where.size
    opinions = sd * rng.normal(size=(2, 1, n_raters))
    a, b = quality[:, where, np.newaxis] + opinions
    grid = outcomes(kind, a, b, rng)
    items, raters = (part.ravel() for part in np.indices(grid.shape))
    kept = np.ones(grid.shape, dtype=bool)
    if per_item is not None:
        kept = rng.random(grid.shape).argsort(axis=1).argsort(axis=1) < per_item
    human = np.where(kept, grid, 0).sum(axis=1) / kept.sum(axis=1)
    chosen = kept.ravel()
    share = 1 / kept.sum(axis=1)
    cells = CellTable(grid.ravel()[chosen], items[chosen], raters[chosen], (share / n)[items[chosen]])
    span = math.inf if kind == "ratings" else 1.0
    return Labelled(human, judge, where, LabelDesign.simple(n), cells, span)


def unseen(data):
    """Return PPI++ on item means, which takes the raters for granted: estimate and half-width."""
    y, n = data.human, data.n
    f, rest = data.judge[data.where], np.delete(data.judge, data.where)
    both = np.concatenate([f, rest])
    spread = both.var()
    lam = np.cov(y, f, ddof=1)[0, 1] / ((1 + n / rest.size) * spread) if spread > 0 else 0.0
    lam = min(max(lam, 0.0), 1.0)
    estimate = y.mean() - lam * (f.mean() - rest.mean())
    error = math.sqrt((y - lam * f).var() / n + lam**2 * rest.var() / rest.size)
    return estimate, 1.959964 * error


def best_slope(settings, shift, rng, **how):
    """Return the λ that endlessly many labelled items would give."""
    data = data_set(settings, 20_000, 20_000, shift, rng, **how)
    return float(np.cov(data.human, data.judge)[0, 1] / max(data.judge.var(), 1e-12))


def measure(rng, settings, n_sets, *, peers=()):
    """Return how often each interval contains the truth (or, at a truth of 0, rejects), and mean half-widths."""
    kind, sd, shift = settings["kind"], settings["rater_sd"], settings.get("shift", 0.3)
    truth = truth_of(kind, shift, sd)
    how = {name: settings[name] for name in ("bias", "per_item") if settings.get(name)}
    slope = best_slope(settings, shift, rng, **how)
    names = ("ours", "humans", "unseen", "judge_alone", *(name for name, _ in peers))
    hits, widths, estimates = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0), []
    gained = 0.0
    for _ in range(n_sets):
        data = data_set(settings, settings["items"], settings["labelled"], shift, rng, **how)
        both, alone, best = combine(data), combine(data, slope=0.0), combine(data, slope=slope)
        own = data.judge
        found = {"ours": (both.estimate, both.error.half_width(0.025)), "unseen": unseen(data)}
        found["humans"] = (alone.estimate, alone.error.half_width(0.025))
        found["judge_alone"] = (own.mean(), 1.96 * own.std() / math.sqrt(own.size))
        found |= {name: interval_of(data) for name, interval_of in peers}
        for name, (estimate, half) in found.items():
            hits[name] += int(abs(estimate - truth) <= half)
            widths[name] += half / n_sets
        gained += both.parts.worth() / data.n / n_sets
        estimates.append((both.estimate, alone.estimate, best.estimate))
    spread = np.std(estimates, axis=0)
    row = {**settings, "data_sets": n_sets, "truth": round(truth, 4), **hits}
    row |= {"width": round(widths["ours"] / widths["humans"], 3), "sd": round(float(spread[0] / spread[1]), 3)}
    return row | {"sd_of_best": round(float(spread[0] / spread[2]), 3), "worth": round(gained, 3)}


RATERS, SDS, CORRELATIONS = (3, 5, 10, 30), (0.0, 0.5, 1.0), (0.0, 0.3, 0.6, 0.9)
SIZES = (
    (200, 10),
    (200, 20),
    (200, 50),
    (200, 100),
    (500, 25),
    (500, 100),
    (500, 250),
    (2000, 100),
    (2000, 400),
    (2000, 1000),
)
BIASES = ("shift", "favours B", "flipped on a quarter")
BASE = {"items": 300, "labelled": 60, "raters": 5, "rater_sd": 0.5, "correlation": 0.6, "bias": "", "per_item": ""}


def cells():
    """Yield the settings of each part."""
    for kind in KINDS:
        for raters in RATERS:
            for sd in SDS:
                for correlation in CORRELATIONS:
                    own = {"raters": raters, "rater_sd": sd, "correlation": correlation}
                    yield {"part": "coverage", "kind": kind, **BASE, **own, "shift": 0.3}
                yield {"part": "level", "kind": kind, **BASE, "raters": raters, "rater_sd": sd, "shift": 0.0}
        for bias in BIASES:
            for correlation in (0.3, 0.9):
                yield {"part": "bias", "kind": kind, **BASE, "bias": bias, "correlation": correlation, "shift": 0.3}
        for items, labelled in SIZES:
            yield {"part": "size", "kind": kind, **BASE, "items": items, "labelled": labelled, "shift": 0.3}
        for raters, per_item in ((5, 1), (5, 2), (10, 3), (30, 3)):
            yield {
                "part": "raters per item",
                "kind": kind,
                **BASE,
                "raters": raters,
                "per_item": per_item,
                "shift": 0.3,
            }


GUARDS = {"never": 0, "below 10": 10, "always": math.inf}


def guard_rows(rng, n_sets):
    """Return coverage and width where A and B rarely differ and the judge is nearly always right."""
    rows = []
    for differ in (0.02, 0.05, 0.2):
        for wrong in (0.02, 0.1):
            for n in (30, 60, 100, 200):
                hits, widths = dict.fromkeys(GUARDS, 0), dict.fromkeys(GUARDS, 0.0)
                truth = differ * 0.4 * (1 - 0.1)
                for _ in range(n_sets):
                    data = sparse_set(rng, differ, wrong, n)
                    for name, below in GUARDS.items():
                        one = combine(data, guard_below=below)
                        half = one.error.half_width(0.025)
                        hits[name] += int(abs(one.estimate - truth) <= half)
                        widths[name] += half / n_sets
                row = {"differ": differ, "judge_wrong": wrong, "labelled": n, "data_sets": n_sets, **hits}
                rows.append(row | {f"width {name}": round(widths[name] / widths["never"], 3) for name in GUARDS})
    return rows


def sparse_set(rng, differ, wrong, n, n_all=600):
    """Return pass/fail labels of two models that differ on few items: 3 of 5 raters on each, who err in 5% of cases."""
    truth = np.where(rng.random(n_all) < differ, np.where(rng.random(n_all) < 0.7, 1.0, -1.0), 0.0)
    judge = np.where(rng.random(n_all) < wrong, rng.choice([-1.0, 0.0, 1.0], n_all), truth)
    grid = truth[:n, np.newaxis].repeat(5, axis=1)
    grid = np.where(rng.random(grid.shape) < 0.1, 0.0, grid)
    kept = rng.random(grid.shape).argsort(axis=1).argsort(axis=1) < 3
    items, raters = np.nonzero(kept)
    human = np.where(kept, grid, 0).sum(axis=1) / 3
    cells = CellTable(grid[kept], items, raters, np.full(items.size, 1 / items.size))
    return Labelled(human, judge, np.arange(n), LabelDesign.simple(n), cells, 1.0)


def design_rows(rng, n_sets):
    """Return coverage and spread of designed samples of 60 of 600 items, beside a simple one."""
    rows = []
    settings = {
        "kind": "ratings",
        **BASE,
        "items": 600,
        "labelled": 60,
        "correlation": 0.9,
        "rater_sd": 0.3,
        "raters": 5,
    }
    truth = truth_of("ratings", 0.3, 0.3)
    items = np.arange(600).astype(str)
    for name in ("simple", "strata by judge score", "unequal chances", "unequal, ignored"):
        hits, estimates, width = 0, [], 0.0
        for number in range(n_sets):

            def drawn(judge, rng, name=name, number=number):
                if name == "simple":
                    return np.sort(rng.permutation(600)[:60])
                if name == "strata by judge score":
                    return draw_items(items, 60, strata=score_strata(judge), seed=number)[0]
                return np.flatnonzero(rng.random(600) < np.where(judge > 0, 0.16, 0.06))

            data = data_set(settings, 600, 60, 0.3, rng, drawn=drawn)
            judge, where = data.judge, data.where
            if name == "strata by judge score":
                strata = score_strata(judge)
                _, codes = np.unique(strata[where], return_inverse=True)
                values, counts = np.unique(strata, return_counts=True)
                present = np.isin(values, strata[where])
                chances = np.ones(where.size)
                design = LabelDesign.drawn(chances, codes, counts[present] / counts[present].sum())
            elif name == "unequal chances":
                design = LabelDesign.drawn(np.where(judge > 0, 0.16, 0.06)[where])
            else:
                design = LabelDesign.simple(where.size)
            found = combine(replace(data, design=design))
            half = found.error.half_width(0.025)
            hits += int(abs(found.estimate - truth) <= half)
            width += half / n_sets
            estimates.append(found.estimate)
        bias = round(float(np.mean(estimates)) - truth, 4)
        rows.append({"design": name, "data_sets": n_sets, "ours": hits, "half_width": round(width, 4), "bias": bias})
    return rows


def gold_contest(rng, metric, n_raters, sd, n=60, n_all=300):
    """Return labels of two models, of people with rater SD on some items, and of a judge that correlates by 0.8."""
    truth = rng.normal(size=n_all)
    judge = truth + 0.75 * rng.normal(size=n_all)
    a, b = truth + 0.8 * rng.normal(size=n_all), truth + rng.normal(size=n_all)
    people = truth[:n, np.newaxis] + sd * rng.normal(size=n_raters) + 0.5 * rng.normal(size=(n, n_raters))
    cuts = np.array([0.0]) if metric == "accuracy" else CUTS
    grid = np.full((n_all, n_raters), np.nan)
    grid[:n] = np.searchsorted(cuts, people)
    own, of_a, of_b = (Responses.from_grid(np.searchsorted(cuts, side)[:, np.newaxis] * 1.0) for side in (judge, a, b))
    scale = Scale.of(np.arange(cuts.size + 1.0).tolist(), kind="nominal" if metric == "accuracy" else "ordinal")
    items, names = np.array([f"{i:04d}" for i in range(n_all)]), ("human", "A", "B")
    raters = tuple(f"p{r}" for r in range(n_raters))
    gold = Responses.from_grid(grid, np.tile(np.arange(n_raters), (n_all, 1)))
    humans = Contest(gold, of_a, of_b, scale, items, names, raters=raters)
    return JudgedContest(humans, Contest(own, of_a, of_b, scale, items, names), "judge")


def gold_rows(rng, n_sets):
    """Return coverage of metrics against the labels of all raters together, which are curved in the raters.

    Truth is the mean of people's estimates over the data sets: they are unbiased for this number of raters.
    """
    rows = []
    for metric in ("accuracy", "mae"):
        for raters, sd in ((5, 0.0), (5, 0.5), (5, 1.0), (10, 0.0), (10, 0.5), (10, 1.0)):
            found = []
            for _ in range(n_sets):
                judged = gold_contest(rng, metric, raters, sd)
                one = compare_with_judge(judged, metric=metric, procedure=Procedure(raters="random"))
                ends = one.humans.confidence_interval
                found.append((one.advantage, one.half_width, one.humans.value, (ends.high - ends.low) / 2))
            ours, half, alone, wide = np.array(found).T
            truth = alone.mean()
            hits = {
                "ours": int((np.abs(ours - truth) <= half).sum()),
                "humans": int((np.abs(alone - truth) <= wide).sum()),
            }
            row = {"metric": metric, "raters": raters, "rater_sd": sd, "data_sets": n_sets, **hits}
            rows.append(row | {"width": round(float(half.mean() / wide.mean()), 3)})
            print(rows[-1], flush=True)
    return rows


def known_peers():
    """Return the intervals of other packages that are installed."""
    found = []
    try:
        from ppi_py import ppi_mean_ci

        def ppi(data):
            own = data.judge[data.where]
            low, high = ppi_mean_ci(data.human, own, np.delete(data.judge, data.where), alpha=0.05)
            low, high = float(np.ravel(low)[0]), float(np.ravel(high)[0])
            return (low + high) / 2, (high - low) / 2

        found.append(("ppi_python", ppi))
    except ImportError:
        print("ppi-python is not installed: left out")
    try:
        from truescore import ppi_estimate

        def truescore(data):
            one = ppi_estimate(data.judge, data.human, data.where)
            return (one.ci[0] + one.ci[1]) / 2 if hasattr(one, "ci") else (one.low + one.high) / 2, one.half_width

        found.append(("truescore", truescore))
    except ImportError:
        print("truescore is not installed: left out")
    return found


def peer_rows(rng, n_sets):
    """Return coverage of other packages on the same data sets: preferences, 60 of 600 items."""
    peers = known_peers()
    rows = []
    for raters in RATERS if peers else ():
        for sd in SDS:
            own = {"kind": "preference", **BASE, "items": 600, "raters": raters, "rater_sd": sd}
            row = measure(rng, {"part": "peers", **own, "shift": 0.3}, n_sets, peers=peers)
            rows.append(
                {name: row[name] for name in ("raters", "rater_sd", "data_sets", "ours", *(n for n, _ in peers))}
            )
    return rows


DICES = ROOT.parent / "shared" / "data" / "dices350.csv"


def dices_rows(rng, n_draws):
    """Return coverage on DICES-350 with labels hidden: truth is all 108 raters on all 350 items."""
    if not DICES.exists():
        print(f"{DICES} is not there: left out")
        return []
    people, expert, profanity = {}, {}, {}
    with DICES.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "human":
                people.setdefault(row["source"], {})[row["item_id"]] = row["value"]
            elif row["source"] == "expert":
                expert[row["item_id"]] = row["value"]
            elif row["source"] == "alt-profanity-check":
                profanity[row["item_id"]] = "Yes" if float(row["value"]) >= 0.05 else "No"
    items, names = sorted(expert), sorted(people)
    labels = np.array([[people[name][item] for name in names] for item in items])
    a, b = (np.array([source[item] for item in items])[:, np.newaxis] for source in (expert, profanity))
    table = (a == labels).astype(float) - (b == labels)
    peers = known_peers()
    rows = []
    for n_raters, n in ((3, 50), (5, 100), (10, 100), (20, 100), (20, 50)):
        names_of = ("ours", "these_items", "humans", *(name for name, _ in peers))
        hits, widths = dict.fromkeys(names_of, 0), dict.fromkeys(names_of, 0.0)
        for _ in range(n_draws):
            order = rng.permutation(len(names))
            jury, rest = order[:15], order[15:]
            truth = table[:, rest].mean()
            votes = labels[:, jury]
            kinds = np.unique(labels)
            vote = kinds[np.argmax([(votes == kind).sum(axis=1) for kind in kinds], axis=0)][:, np.newaxis]
            judge = ((a == vote).astype(float) - (b == vote)).ravel()
            where = np.sort(rng.permutation(len(items))[:n])
            grid = table[np.ix_(where, rest[:n_raters])]
            rows_of, columns = (part.ravel() for part in np.indices(grid.shape))
            cells = CellTable(grid.ravel(), rows_of, columns, np.full(grid.size, 1 / grid.size))
            data = Labelled(grid.mean(axis=1), judge, where, LabelDesign.simple(n), cells, 1.0)
            found = {"ours": combine(data), "these_items": combine(data, these_items=True)}
            found["humans"] = combine(data, slope=0.0)
            ends = {name: (one.estimate, one.error.half_width(0.025)) for name, one in found.items()}
            ends |= {name: interval_of(data) for name, interval_of in peers}
            for name, (estimate, half) in ends.items():
                hits[name] += int(abs(estimate - truth) <= half)
                widths[name] += half / n_draws
        row = {"raters": n_raters, "items": n, "draws": n_draws, **hits}
        rows.append(row | {f"half {name}": round(width, 4) for name, width in widths.items()})
        print(rows[-1], flush=True)
    return rows


def percent(hits, n, *, below=True):
    """Return a share in percent, bold where it lies outside the region of 95% (of 5% where `below` is False)."""
    region = binomial_region(n, 0.95 if below else 0.05)
    bold = hits < region.low if below else hits > region.high
    share = f"{100 * hits / n:.1f}"
    return f"**{share}**" if bold else share


def page():
    """Put the tables into docs/evidence/judge.md."""
    target = ROOT / "docs" / "evidence" / "judge.md"
    rows = read_rows(MEASURED / "judge_coverage.csv")

    def chosen(**wanted):
        return [row for row in rows if all(row[name] == str(value) for name, value in wanted.items())]

    def summed(found, name):
        return sum(int(row[name]) for row in found), sum(int(row["data_sets"]) for row in found)

    body = []
    for raters in RATERS:
        for sd in SDS:
            found = chosen(part="coverage", raters=raters, rater_sd=sd)
            shares = [100 * int(row["ours"]) / int(row["data_sets"]) for row in found]
            mean = [f"{100 * summed(found, n)[0] / summed(found, n)[1]:.1f}" for n in ("humans", "unseen", "ours")]
            null = chosen(part="level", raters=raters, rater_sd=sd)
            wrong = [100 - 100 * int(row["ours"]) / int(row["data_sets"]) for row in null]
            body.append([str(raters), f"{sd:g}", *mean, f"{min(shares):.1f}", f"{min(wrong):.1f} to {max(wrong):.1f}"])
    head = [
        "raters",
        "rater SD",
        "people alone",
        "PPI++, raters unseen",
        "people and judge",
        "lowest of 12",
        "false differences",
    ]
    put_between(target, "<!-- coverage -->", markdown(head, body))

    body = []
    for sd in SDS:
        for correlation in CORRELATIONS:
            found = chosen(part="coverage", raters=10, rater_sd=sd, correlation=correlation)
            parts = [[float(row[name]) for row in found] for name in ("width", "worth", "sd_of_best")]
            body.append(
                [f"{sd:g}", f"{correlation:g}", *(" / ".join(f"{value:.2f}" for value in part) for part in parts)]
            )
    head = ["rater SD", "judge", "half-width", "labels", "SD beside the best λ"]
    put_between(target, "<!-- gain -->", markdown(head, body))

    body = []
    for part, names in (
        ("bias", ("bias", "correlation")),
        ("size", ("items", "labelled")),
        ("raters per item", ("raters", "per_item")),
    ):
        for row in chosen(part=part):
            n = int(row["data_sets"])
            said = ", ".join(f"{name.replace('_', ' ')} {row[name]}" for name in names)
            body.append(
                [
                    part,
                    said,
                    row["kind"],
                    percent(int(row["ours"]), n),
                    percent(int(row["unseen"]), n),
                    percent(int(row["judge_alone"]), n),
                ]
            )
    merged = {}
    for part, said, _, *shares in body:
        merged.setdefault((part, said), []).append(shares)
    lines = [
        [part, said, *(" / ".join(column) for column in zip(*shares, strict=True))]
        for (part, said), shares in merged.items()
    ]
    put_between(
        target,
        "<!-- settings -->",
        markdown(["part", "setting", "people and judge", "raters unseen", "judge alone"], lines),
    )

    body = []
    for row in read_rows(MEASURED / "judge_guard.csv"):
        n = int(row["data_sets"])
        shares = [f"{percent(int(row[name]), n)} ({float(row[f'width {name}']):.2f})" for name in GUARDS]
        body.append([row["differ"], row["judge_wrong"], row["labelled"], *shares])
    put_between(
        target,
        "<!-- guard -->",
        markdown(["A and B differ", "judge wrong", "labelled", "never", "fewer than 10 residuals", "always"], body),
    )

    body = [
        [row["design"], percent(int(row["ours"]), int(row["data_sets"])), row["half_width"], row["bias"]]
        for row in read_rows(MEASURED / "judge_designs.csv")
    ]
    put_between(
        target, "<!-- designs -->", markdown(["items were selected by", "coverage", "half-width", "bias"], body)
    )

    body = []
    for row in read_rows(MEASURED / "judge_gold.csv"):
        shares = [percent(int(row[name]), int(row["data_sets"])) for name in ("humans", "ours")]
        body.append([row["metric"], row["raters"], row["rater_sd"], *shares, row["width"]])
    head = ["metric", "raters", "rater SD", "people alone", "people and judge", "half-width"]
    put_between(target, "<!-- gold -->", markdown(head, body))

    for file, mark, fixed in (
        ("judge_peers.csv", "<!-- peers -->", ("raters", "rater_sd")),
        ("judge_dices.csv", "<!-- dices -->", ("raters", "items")),
    ):
        if not (MEASURED / file).exists():
            continue
        found = read_rows(MEASURED / file)
        shown = [
            name
            for name in found[0]
            if name not in fixed and name not in ("data_sets", "draws") and not name.startswith("half ")
        ]
        body = []
        for row in found:
            n = int(row.get("data_sets") or row["draws"])
            shares = [
                percent(int(row[name]), n) + (f" (±{row[f'half {name}']})" if f"half {name}" in row else "")
                for name in shown
            ]
            body.append([*(row[name] for name in fixed), *shares])
        titles = {
            "ours": "people and judge",
            "these_items": "these items only",
            "humans": "people alone",
            "ppi_python": "ppi-python",
            "truescore": "truescore",
            "rater_sd": "rater SD",
        }
        put_between(target, mark, markdown([titles.get(name, name) for name in (*fixed, *shown)], body))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=1200)
    parser.add_argument("--page", action="store_true", help="write the page only")
    given = parser.parse_args()
    if not given.page:
        rng, n = np.random.default_rng(SEED), given.data_sets
        rows = []
        for settings in cells():
            rows.append(measure(rng, settings, n))
            print(rows[-1], flush=True)
        write_rows(rows, MEASURED / "judge_coverage.csv")
        write_rows(guard_rows(rng, n), MEASURED / "judge_guard.csv")
        write_rows(design_rows(rng, n), MEASURED / "judge_designs.csv")
        write_rows(gold_rows(rng, n // 2), MEASURED / "judge_gold.csv")
        if peers := peer_rows(rng, n // 4):
            write_rows(peers, MEASURED / "judge_peers.csv")
        if dices := dices_rows(rng, n):
            write_rows(dices, MEASURED / "judge_dices.csv")
    page()


if __name__ == "__main__":
    main()
