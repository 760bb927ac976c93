"""How often a gate passes a candidate at the margin, by the scale of its scores and whether rare falls are in it.

`python benchmarks/gate_scales.py` writes docs/measured/gate_scales.csv and the table of docs/evidence/gate.md; `--page`
writes the page only. The baseline scores as people do; the candidate loses exactly the margin on average.
"""

import argparse

import numpy as np

from gate_levels import PAGE, shown
from howsure.gating import CLAIMS, GateRule
from howsure.gating.gauges import gauge_of
from measured import MEASURED, markdown, put_between, read_rows, write_rows

SIZES = (30, 40, 60, 100, 200)
SETS = 4000
MOST = 4_000_000
"""Items from which the mean loss is computed where candidates lose a step, which the end of the scale stops."""


def falls(scores, share, end, changed):
    """Both models give one of these scores, a share `changed` of items anew; a share of the candidate's fall to the end."""

    def draw(rng, n):
        before = rng.choice(scores, n)
        after = np.where(rng.random(n) < changed, rng.choice(scores, n), before)
        return before.astype(float), np.where(rng.random(n) < share, end, after).astype(float)

    return draw


def steps(low, high, worse):
    """Let the candidate score a step lower on 15% and a share `worse` of items, a step higher on 15%; no rare falls."""

    def draw(rng, n):
        before = rng.integers(low, high + 1, n)
        moved = rng.choice([-1, 0, 1], n, p=[0.15 + worse, 0.7 - worse, 0.15])
        return before.astype(float), np.clip(before + moved, low, high).astype(float)

    return draw


def answers(won, lost):
    """One right or wrong answer to each item."""

    def draw(rng, n):
        moved = rng.choice([1.0, -1.0, 0.0], n, p=[won, lost, 1 - won - lost])
        return np.where(moved < 0, 1.0, 0.0), np.where(moved > 0, 1.0, 0.0)

    return draw


SETTINGS = {
    **{
        f"ratings 1–5, both score 4 or 5, {100 * share:g}% fall to 1, {100 * changed:g}% rated anew": (
            (1, 5), 3.5 * share, falls((4, 5), share, 1, changed)
        )
        for share in (0.01, 0.03, 0.1) for changed in (0.2, 1.0)
    },
    "ratings 1–5, no falls": ((1, 5), None, steps(1, 5, 0.15)),
    **{
        f"ratings 0–10, both score 7 to 10, {100 * share:g}% fall to 0": (
            (0, 10), 8.5 * share, falls((7, 8, 9, 10), share, 0, 0.5)
        )
        for share in (0.01, 0.03, 0.1)
    },
    "ratings 0–10, no falls": ((0, 10), None, steps(0, 10, 0.3)),
    **{
        f"pass or fail, {100 * won:g}% won, {100 * lost:g}% lost": ((0, 1), lost - won, answers(won, lost))
        for won, lost in ((0.0, 0.02), (0.0, 0.03), (0.01, 0.03), (0.05, 0.1), (0.0, 0.1), (0.2, 0.25))
    },
}  # fmt: skip


def measure():
    rows = []
    for number, (name, ((low, high), loss, draw)) in enumerate(SETTINGS.items()):
        margin = loss
        if loss is None:
            before, after = draw(np.random.default_rng([number, 0]), MOST)
            margin = float((before - after).mean())
        rule, middle = GateRule(CLAIMS["non-inferior"], margin), (low + high) / 2
        for n in SIZES:
            rng = np.random.default_rng([number, n])
            counts = dict.fromkeys(("pass", "pass_unseen", "unseen", "sample_range", "unchanged"), 0)
            for _ in range(SETS):
                before, after = draw(rng, n)
                lost = after - before
                unseen = float(lost.min()) > -(high - low) / 2
                passes = rule.verdict(gauge_of(lost, high - low)) == "pass"
                counts["pass"] += passes
                counts["pass_unseen"] += passes and unseen
                counts["unseen"] += unseen
                seen = np.concatenate([before, after, [middle] * (not np.ptp(before) and not np.ptp(after))])
                counts["sample_range"] += rule.verdict(gauge_of(lost, float(np.ptp(seen)))) == "pass"
                counts["unchanged"] += rule.verdict(gauge_of(lost * rng.choice([-1, 1], n), high - low)) == "pass"
            rows.append({"setting": name, "margin": round(margin, 4), "items": n, "data_sets": SETS, **counts})
        print(rows[-1], flush=True)
        write_rows(rows, MEASURED / "gate_scales.csv")


def page():
    rows = read_rows(MEASURED / "gate_scales.csv")
    body = []
    for name in dict.fromkeys(row["setting"] for row in rows):
        own = [row for row in rows if row["setting"] == name]
        n = int(own[0]["data_sets"])
        cells = [" / ".join(shown(int(row[key]), n) for row in own) for key in ("pass", "pass_unseen", "sample_range")]
        power = " / ".join(f"{100 * int(row['unchanged']) / n:.0f}" for row in own)
        body.append([name, own[0]["margin"], *cells, power])
    head = ["candidate at the margin", "margin", "passes, %", "passes and shows no large fall, %",
            "passes if the scale ended where the sample does, %", "an unchanged model passes, %"]  # fmt: skip
    put_between(PAGE, "<!-- scales -->", markdown(head, body))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true")
    if not parser.parse_args().page:
        measure()
    page()
