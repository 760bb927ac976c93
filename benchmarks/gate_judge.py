"""How often a gate by people and a judge errs where the true difference is exactly at the margin.

`python benchmarks/gate_judge.py` writes docs/measured/gate_judge.csv and the table of docs/evidence/gate.md; `--page`
writes the page only.
"""

import math
from dataclasses import replace
from functools import partial

import numpy as np

from howsure import Contest, Procedure, Responses
from howsure.gating import CLAIMS, GateRule, GateSettings, judged_gate
from howsure.gating.gauges import z_of
from howsure.inference import binomial_region
from howsure.judging import JudgedContest, compare_with_judge
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

FILE = "gate_judge.csv"
SETS = 2000
FAVOURED = 0.5
ENDLESS = (-math.inf, math.inf)
"""Ratings are simulated as normal."""


def judged(people, scores, *, raters):
    """Return a contest that people, an (items, raters) array for each model, labelled in part, and a judge in full."""
    own = Contest.from_arrays(None, *scores, names=("", "new", "old"))
    _, n, n_raters = people.shape
    offsets = np.concatenate([[0], np.cumsum(np.where(np.arange(own.n_items) < n, n_raters, 0))])
    who = np.tile(np.arange(n_raters), n) if raters else None
    sides = {role: Responses(one.ravel(), offsets, who) for role, one in zip(("a", "b"), people, strict=True)}
    names = tuple(f"r{i}" for i in range(n_raters)) if raters else ()
    return JudgedContest(replace(own.having(sides), raters=names), own, "judge")


def rated(rng, margin, n, n_all, n_raters, taste):
    """Ratings by people whose tastes differ, and by a judge that favours the candidate."""
    quality = rng.normal(size=(2, n_all))
    noise = taste * rng.normal(size=(2, 1, n_raters)) + 0.5 * rng.normal(size=(2, n, n_raters))
    people = 3 + quality[:, :n, None] + noise
    people[0] -= margin
    scores = 3 + quality + 0.6 * rng.normal(size=(2, n_all))
    scores[0] += FAVOURED - margin
    return judged(people, scores, raters=True)


def answered(rng, margin, n, n_all, won, blind):
    """Right and wrong answers: the judge takes a share of the candidate's losses for right answers."""
    kind = rng.choice(3, n_all, p=[margin + won, won, 1 - margin - 2 * won])
    same = (rng.random(n_all) < 0.8).astype(float)
    candidate, baseline = np.choose(kind, [0.0, 1.0, same]), np.choose(kind, [1.0, 0.0, same])
    scores = np.array([np.where((kind == 0) & (rng.random(n_all) < blind), 1.0, candidate), baseline])
    return judged(np.array([candidate, baseline])[:, :n, None], scores, raters=False)


CELLS = [
    ("6 raters alike", 0.5, "60 of 300", "", partial(rated, n=60, n_all=300, n_raters=6, taste=0.0)),
    ("6 raters, SD 0.3", 0.5, "60 of 300", "", partial(rated, n=60, n_all=300, n_raters=6, taste=0.3)),
    ("10 raters, SD 1", 0.5, "60 of 300", "", partial(rated, n=60, n_all=300, n_raters=10, taste=1.0)),
    ("3 raters, SD 0.3, random", 0.5, "60 of 300", "random", partial(rated, n=60, n_all=300, n_raters=3, taste=0.3)),
    *(
        (f"2% lost, judge misses {100 * blind:g}%", 0.02, f"{n} of 1000", "",
         partial(answered, n=n, n_all=1000, won=0.0, blind=blind))
        for blind in (0.0, 0.5, 1.0) for n in (100, 200, 400)
    ),
    ("5% lost, judge misses 50%", 0.05, "200 of 1000", "", partial(answered, n=200, n_all=1000, won=0.0, blind=0.5)),
    ("15% differ, judge misses 50%", 0.05, "200 of 1000", "", partial(answered, n=200, n_all=1000, won=0.05, blind=0.5)),
    ("5% lost, judge misses 100%", 0.05, "60 of 1000", "", partial(answered, n=60, n_all=1000, won=0.0, blind=1.0)),
]  # fmt: skip


def measure(name, margin, labelled, raters, draw, data_sets, number):
    """Count verdicts of the gate, passes by the interval of `compare --judge` alone, and passes by the judge alone."""
    rng, rule = np.random.default_rng([43, number]), GateRule(CLAIMS["non-inferior"], margin)
    counts = dict.fromkeys(("pass", "fail", "unguarded", "judge"), 0)
    ends = ENDLESS if draw.func is rated else (0, 1)
    for _ in range(data_sets):
        data = draw(rng, margin)
        found = judged_gate(data, rule, GateSettings(raters=raters or None, range=ends))
        if found.verdict != "inconclusive":
            counts[found.verdict] += 1
        own = compare_with_judge(data, procedure=Procedure(raters=raters or None)).evidence
        counts["unguarded"] += z_of(own.error.pvalue(own.estimate + margin, alternative="greater")) > rule.critical
        counts["judge"] += found.judge.verdict == "pass"
    return [{"setting": name, "margin": margin, "labelled": labelled, "data_sets": data_sets, **counts}]


def page():
    """Write the table of docs/evidence/gate.md; bold is beyond the 95% region of 5%."""
    body = []
    for row in read_rows(MEASURED / FILE):
        n = int(row["data_sets"])
        most = binomial_region(n, 0.05).high
        shares = []
        for kind in ("pass", "fail", "unguarded", "judge"):
            share = f"{100 * int(row[kind]) / n:.1f}"
            shares.append(f"**{share}**" if int(row[kind]) > most else share)
        body.append([row["setting"], row["margin"], row["labelled"], *shares])
    head = ["data at the edge", "margin", "labelled", "gate passes, %", "gate fails, %", "without guards, %"]
    put_between(ROOT / "docs" / "evidence" / "gate.md", "<!-- judge -->", markdown([*head, "judge passes, %"], body))


if __name__ == "__main__":
    run_cells(__doc__, FILE, CELLS, measure, page, data_sets=SETS)
