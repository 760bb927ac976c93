"""How often 95% intervals of Cohen's d cover, where differences are normal, skewed, heavy-tailed or have outliers.

`python benchmarks/effect_coverage.py` writes docs/measured/effect_coverage.csv and the table of docs/evidence/scores.md;
`--page` writes the page only. The true d is that of a normal, contaminated, t, lognormal or three-valued distribution.
"""

import argparse
import math

import numpy as np

from howsure.inference import binomial_region
from howsure.paired import PairedScores, effect_sizes
from howsure.paired.effects import _noncentral_interval
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

SETS = 1000
SIZES = (20, 50, 100, 200)
PAGE = ROOT / "docs" / "evidence" / "scores.md"


def outliers(shift, spread):
    """Draw standard normal differences, 5% of them with a shift of their own and a larger spread."""
    variance = 0.95 + 0.05 * spread**2 + 0.05 * 0.95 * shift**2
    mean = 0.05 * shift

    def draw(rng, n):
        odd = rng.random(n) < 0.05
        return np.where(odd, shift + spread * rng.normal(size=n), rng.normal(size=n))

    return draw, mean, math.sqrt(variance)


SETTINGS = {
    "normal": (lambda rng, n: rng.normal(size=n), 0.0, 1.0),
    "5% outliers on both sides, SD 10": outliers(0.0, 10.0),
    "5% outliers on one side, 8 SDs away": outliers(8.0, 1.0),
    "t with 3 degrees of freedom": (lambda rng, n: rng.standard_t(3, n), 0.0, math.sqrt(3)),
    "lognormal": (lambda rng, n: rng.lognormal(0, 1, n), math.exp(0.5), math.sqrt((math.e - 1) * math.e)),
    "−1, 0 or 1": (lambda rng, n: rng.choice([-1.0, 0.0, 1.0], n, p=[0.05, 0.7, 0.25]), 0.2, math.sqrt(0.26)),
}


def measure():
    rows = []
    for number, (name, (draw, mean, sd)) in enumerate(SETTINGS.items()):
        for d in (0.2, 0.8) if name != "−1, 0 or 1" else (0.2 / sd,):
            for n in SIZES:
                rng = np.random.default_rng([number, n, int(10 * d)])
                counts = dict.fromkeys(("covered", "noncentral", "noted"), 0)
                for _ in range(SETS):
                    x = draw(rng, n) - mean + d * sd
                    [found] = effect_sizes(PairedScores.from_arrays(x, np.zeros(n)), effect_size=("cohen-d",), rng=0)
                    counts["covered"] += bool(d in found.confidence_interval)
                    low, high = _noncentral_interval(found.estimate, n, 0.05)
                    counts["noncentral"] += bool(low <= d <= high)
                    counts["noted"] += any("outliers or heavy tails" in note for note in found.notes)
                rows.append({"differences": name, "d": round(d, 3), "n": n, "data_sets": SETS, **counts})
            print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "effect_coverage.csv")


def page():
    rows = read_rows(MEASURED / "effect_coverage.csv")
    body = []
    for key in dict.fromkeys((row["differences"], row["d"]) for row in rows):
        own = [row for row in rows if (row["differences"], row["d"]) == key]
        least = binomial_region(SETS, 0.95).low
        cells = []
        for kind in ("covered", "noncentral", "noted"):
            shares = [f"{100 * int(row[kind]) / SETS:.1f}" for row in own]
            low = [kind != "noted" and int(row[kind]) < least for row in own]
            cells.append(" / ".join(f"**{share}**" if bad else share for share, bad in zip(shares, low, strict=True)))
        body.append([*key, *cells])
    head = ["differences", "d", "interval covers, %", "noncentral t covers, %", "a note says so, %"]
    put_between(PAGE, "<!-- effects -->", markdown(head, body))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true")
    if not parser.parse_args().page:
        measure()
    page()
