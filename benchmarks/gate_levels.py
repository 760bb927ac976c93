"""How often a gate passes, fails and stays open: at the edge of the margin, for an unchanged model, beside other gates.

`python benchmarks/gate_levels.py` writes docs/measured/gate_edge.csv, gate_units.csv, gate_peers.csv and gate_more.csv
and the tables of docs/evidence/gate.md; `--page` writes the page only. statgate and evalsig are measured where they are
installed (pip install statgate evalsig).
"""

import argparse
import math

import numpy as np
from scipy import stats

from howsure import Contest, Responses
from howsure.data.scales import Scale
from howsure.gating import CLAIMS, GateRule, GateSettings, gate
from howsure.gating.gate import item_noise
from howsure.gating.gauges import gauge_of
from howsure.gating.more_data import new_items
from howsure.inference import binomial_region
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

SIZES = (30, 50, 100, 200, 500, 1000)
SETS = 4000
ENDLESS = (-math.inf, math.inf)
"""Scores of clusters and raters are simulated as normal."""
PAGE = ROOT / "docs" / "evidence" / "gate.md"


def flips(won, lost):
    """One run each: shares of items that only the candidate, or only the baseline, gets right."""
    return lambda rng, n: rng.choice([1.0, -1.0, 0.0], n, p=[won, lost, 1 - won - lost])


def catastrophes(share, mean):
    """Rare losses of everything, small gains elsewhere."""
    gain = (mean + share) / (1 - share)
    return lambda rng, n: np.where(rng.random(n) < share, -1.0, gain)


def mixed(won, lost):
    """Five runs of models that hardly vary: most items flip in all runs or in none, a tenth by one run."""

    def draw(rng, n):
        noise = rng.choice([-0.2, 0.0, 0.2], n, p=[0.05, 0.9, 0.05])
        return np.clip(flips(won, lost)(rng, n) + noise, -1, 1)

    return draw


def five_runs(mean):
    """Five runs each, items as easy as Beta(1, 0.7)."""
    share = 1 * 0.7 / (1.7 * 2.7)

    def draw(rng, n):
        ease = rng.beta(1.0, 0.7, n)
        other = np.clip(ease + mean * ease * (1 - ease) / share, 0, 1)
        return (rng.binomial(5, other) - rng.binomial(5, ease)) / 5

    return draw


def ratings(mean):
    """Differences of ratings between −1 and 1."""
    centre = (1 + mean) / 2
    return lambda rng, n: 2 * rng.beta(8 * centre, 8 * (1 - centre), n) - 1


EDGE = {
    "one run, 2% of items differ, all lost": (0.02, flips(0.0, 0.02)),
    "one run, 4% differ": (0.02, flips(0.01, 0.03)),
    "one run, 20% differ": (0.02, flips(0.09, 0.11)),
    "one run, 5% differ, all lost": (0.05, flips(0.0, 0.05)),
    "one run, 15% differ": (0.05, flips(0.05, 0.10)),
    "one run, 45% differ": (0.05, flips(0.2, 0.25)),
    "five runs, 2% flip in all": (0.02, mixed(0.0, 0.02)),
    "five runs, 4% flip in all": (0.02, mixed(0.01, 0.03)),
    "five runs": (0.05, five_runs(-0.05)),
    "ratings": (0.05, ratings(-0.05)),
    "3% catastrophes": (0.02, catastrophes(0.03, -0.02)),
    "10% catastrophes": (0.05, catastrophes(0.1, -0.05)),
}
"""A margin and differences whose mean is exactly at its edge."""


def student_passes(differences, margin):
    """Whether plain Student's t would pass; equal differences count as sure."""
    error = differences.std(ddof=1) / math.sqrt(differences.size)
    distance = differences.mean() + margin
    return distance > (stats.t.ppf(0.95, differences.size - 1) * error if error else 0)


def measure_edge():
    rows = []
    for number, (name, (margin, draw)) in enumerate(EDGE.items()):
        rule = GateRule(CLAIMS["non-inferior"], margin)
        for n in SIZES:
            rng = np.random.default_rng([number, n])
            counts = dict.fromkeys(("pass", "fail", "t"), 0)
            for _ in range(SETS):
                drawn = draw(rng, n)
                verdict = rule.verdict(gauge_of(drawn, 1.0))
                if verdict in counts:
                    counts[verdict] += 1
                counts["t"] += bool(student_passes(drawn, margin))
            rows.append({"setting": name, "margin": margin, "items": n, "data_sets": SETS, **counts})
        print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "gate_edge.csv")


def clustered(rng, n_clusters, margin):
    """Scores of items in clusters of five, which gain or lose together."""
    doc = np.arange(5 * n_clusters) // 5
    old = rng.normal(0, 1, doc.size)
    return old - margin + rng.normal(0, 0.3, n_clusters)[doc] + rng.normal(0, 0.5, doc.size), old, doc


def rated(rng, n_items, n_raters, spread, margin):
    """Ratings of both models by the same raters, who differ in how they see the difference."""
    item, rater = rng.normal(0, 0.5, (n_items, 1)), rng.normal(0, spread, (1, n_raters))
    noise = rng.normal(0, 0.7, (2, n_items, n_raters))
    level = rng.normal(0, 1, (n_items, 1))
    return level + item / 2 + rater / 2 - margin / 2 + noise[0], level - item / 2 - rater / 2 + margin / 2 + noise[1]


def measure_units(sets=300):
    """Clusters, and raters as a random factor, through the whole gate."""
    rows = []
    for n_clusters in (20, 50):
        rng = np.random.default_rng([n_clusters, 1])
        found = []
        for _ in range(sets):
            new, old, doc = clustered(rng, n_clusters, 0.1)
            contest = Contest.from_arrays(None, new, old, groups={"doc": doc}, scale="continuous")
            rule = GateRule(CLAIMS["non-inferior"], 0.1)
            found.append(
                [gate(contest, rule, GateSettings(cluster=each, range=ENDLESS)).verdict for each in ("doc", None)]
            )
        rows += unit_rows(f"{n_clusters} clusters of 5 items", found)
    for n_raters, spread in ((5, 0.3), (10, 0.3), (10, 0.0)):
        rng = np.random.default_rng([n_raters, 2, int(10 * spread)])
        found = []
        for _ in range(sets):
            grids = rated(rng, 60, n_raters, spread, 0.3)
            who = np.tile(np.arange(n_raters), (60, 1))
            sides = [Responses.from_grid(grid, who) for grid in grids]
            names = tuple(f"r{i}" for i in range(n_raters))
            scale = Scale.of(np.concatenate([side.values for side in sides]), kind="continuous")
            contest = Contest(None, *sides, scale, np.arange(60).astype(str), ("", "new", "old"), raters=names)
            rule = GateRule(CLAIMS["non-inferior"], 0.3)
            found.append(
                [gate(contest, rule, GateSettings(raters=each, range=ENDLESS)).verdict for each in ("random", "fixed")]
            )
        rows += unit_rows(f"{n_raters} raters, SD {spread}, 60 items", found)
    write_rows(rows, MEASURED / "gate_units.csv")


def unit_rows(name, found):
    rows = []
    for way, verdicts in zip(("units counted", "units ignored"), zip(*found, strict=True), strict=True):
        counts = {each: verdicts.count(each) for each in ("pass", "fail")}
        rows.append({"setting": name, "way": way, "data_sets": len(verdicts), **counts})
        print(rows[-1], flush=True)
    return rows


def runs_of(rng, n, mean):
    """One run of each of two models whose items are as easy as Beta(1, 0.7); they differ by `mean`."""
    ease = rng.beta(1.0, 0.7, n)
    other = np.clip(ease + mean * ease * (1 - ease) / (0.7 / (1.7 * 2.7)), 0, 1)
    return rng.binomial(1, ease).astype(float), rng.binomial(1, other).astype(float)


def howsure_gate(old, new, claim):
    return GateRule(CLAIMS[claim], 0.05).verdict(gauge_of(new - old, 1.0))


def threshold(old, new, claim):
    edge = -0.05 if claim == "non-inferior" else 0.05
    return "pass" if new.mean() - old.mean() > edge else "fail"


def statgate(old, new, claim):
    import statgate

    if claim != "non-inferior":
        return "not offered"
    sides = [[statgate.EvalRecord(case_id=str(i), score=float(v)) for i, v in enumerate(each)] for each in (old, new)]
    found = statgate.evaluate_gate(*sides, statgate.GateSettings(margin=0.05, resamples=1000, permutations=100, seed=0))
    return {"ship": "pass", "block": "fail"}.get(str(found.verdict.value).lower(), "inconclusive")


def evalsig(old, new, claim):
    import evalsig

    if claim != "superior":
        return "not offered"
    sides = [
        evalsig.RunFrame(
            name, name, "task", "accuracy", [evalsig.ItemResult(str(i), float(v)) for i, v in enumerate(each)]
        )
        for name, each in (("old", old), ("new", new))
    ]
    found = evalsig.gate(*sides, min_delta=0.05, n_resamples=1000, rng=0)
    return {"allow": "pass", "reject": "fail"}.get(str(found.verdict.value).lower(), "inconclusive")


PEERS = {"howsure": howsure_gate, "bare threshold": threshold, "statgate": statgate, "evalsig": evalsig}
TRUTHS = (
    ("non-inferior", 0.0, "unchanged"),
    ("non-inferior", -0.05, "at the edge"),
    ("superior", 0.045, "gain of 0.045"),
)


def measure_peers(sets=300):
    """Measure every gate that is installed; the others keep the rows that they have."""
    rows, before = (
        [],
        {tuple(row[key] for key in ("truth", "items", "gate")): row for row in read_rows(MEASURED / "gate_peers.csv")},
    )
    for n in (200, 1000):
        for claim, mean, truth in TRUTHS:
            for name, decide in PEERS.items():
                rng = np.random.default_rng([n, int(1000 * abs(mean))])
                try:
                    verdicts = [decide(*runs_of(rng, n, mean), claim) for _ in range(sets)]
                except ImportError:
                    kept = before.get((truth, str(n), name))
                    rows += [] if kept is None else [kept]
                    continue
                if verdicts[0] == "not offered":
                    continue
                pairs = list(zip(verdicts[::2], verdicts[1::2], strict=True))
                flipped = sum({"pass", "fail"} == set(pair) for pair in pairs)
                counts = {each: verdicts.count(each) for each in ("pass", "fail", "inconclusive")}
                row = {"claim": claim, "truth": truth, "items": n, "gate": name, "data_sets": sets, **counts}
                rows.append({**row, "pairs": len(pairs), "pass_then_fail": flipped})
                print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "gate_peers.csv")


MORE = {
    "unchanged, 10% differ": (0.05, flips(0.05, 0.05)),
    "unchanged, 20% differ": (0.05, flips(0.1, 0.1)),
    "half the margin, 22% differ": (0.05, flips(0.1, 0.125)),
    "twice the margin, 30% differ": (0.05, flips(0.1, 0.2)),
    "unchanged, five runs": (0.05, five_runs(0.0)),
    "at the edge, 25% differ": (0.05, flips(0.1, 0.15)),
}


def measure_more(sets=1500):
    """Measure how many inconclusive gates the named number of new items decides."""
    rows = []
    for number, (name, (margin, draw)) in enumerate(MORE.items()):
        rule = GateRule(CLAIMS["non-inferior"], margin)
        for n in (100, 200):
            rng = np.random.default_rng([number, n])
            named, decided, still = [], 0, 0
            for _ in range(sets):
                gauge = gauge_of(draw(rng, n), 1.0)
                if rule.verdict(gauge) != "inconclusive":
                    continue
                still += 1
                error = item_noise(gauge, 1.0, rule)
                more = new_items(
                    (gauge.estimate + margin,), item_error=error, fixed_error=0.0, n=n, critical=rule.critical
                )
                if more is None:
                    continue
                named.append(more)
                decided += rule.verdict(gauge_of(draw(rng, more), 1.0)) != "inconclusive"
            row = {"setting": name, "items": n, "open": still, "named": len(named), "decided": decided}
            rows.append({**row, "median_new_items": int(np.median(named)) if named else 0})
            print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "gate_more.csv")


def shown(count, n, most=0.05):
    """Return a percentage; above the region of `most` it is bold."""
    share = f"{100 * count / n:.1f}"
    return f"**{share}**" if count > binomial_region(n, most).high else share


def page():
    rows = read_rows(MEASURED / "gate_edge.csv")
    body = []
    for name in dict.fromkeys(row["setting"] for row in rows):
        own = {int(row["items"]): row for row in rows if row["setting"] == name}
        n = int(own[30]["data_sets"])
        cells = [" / ".join(shown(int(own[size][key]), n) for size in SIZES) for key in ("pass", "fail", "t")]
        body.append([name, own[30]["margin"], *cells])
    head = ["differences at the edge", "margin", "gate passes, %", "gate fails, %", "plain t passes, %"]
    put_between(PAGE, "<!-- edge -->", markdown(head, body))
    rows = read_rows(MEASURED / "gate_units.csv")
    body = [
        [
            row["setting"],
            row["way"],
            shown(int(row["pass"]), int(row["data_sets"])),
            shown(int(row["fail"]), int(row["data_sets"])),
        ]
        for row in rows
    ]
    put_between(PAGE, "<!-- units -->", markdown(["data at the edge", "way", "passes, %", "fails, %"], body))
    rows = read_rows(MEASURED / "gate_peers.csv")
    body = [
        [row["truth"], row["items"], row["gate"]]
        + [f"{100 * int(row[key]) / int(row['data_sets']):.0f}" for key in ("pass", "fail", "inconclusive")]
        + [f"{100 * int(row['pass_then_fail']) / int(row['pairs']):.0f}"]
        for row in rows
    ]
    head = ["truth", "items", "gate", "pass, %", "fail, %", "inconclusive, %", "pass and fail in two gates, %"]
    put_between(PAGE, "<!-- peers -->", markdown(head, body))
    rows = read_rows(MEASURED / "gate_more.csv")
    body = [
        [
            row["setting"], row["items"], row["open"],
            f"{100 * int(row['named']) / max(1, int(row['open'])):.0f}",
            f"{int(row['median_new_items']):,}",
            f"{100 * int(row['decided']) / max(1, int(row['named'])):.0f}",
        ]
        for row in rows
    ]  # fmt: skip
    head = ["truth", "items", "inconclusive gates", "a number is named, %", "median of new items", "decided by them, %"]
    put_between(PAGE, "<!-- more -->", markdown(head, body))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--only", choices=("edge", "units", "peers", "more"))
    given = parser.parse_args()
    parts = {"edge": measure_edge, "units": measure_units, "peers": measure_peers, "more": measure_more}
    for name, measure in {} if given.page else parts.items():
        if given.only in (None, name):
            measure()
    page()


if __name__ == "__main__":
    main()
