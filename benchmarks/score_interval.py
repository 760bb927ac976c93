"""Coverage of intervals for advantages that are −1, 0 or 1, without simulated data sets; writes its table into docs/evidence/intervals.md.

    python benchmarks/score_interval.py

On N items A wins with probability p₊ and B with p₋. Every outcome (items won, items lost) with a probability above 1e-7
is given every interval, and the probabilities of those whose interval holds p₊ − p₋ are added up: the only chance left
is that of the 1,999 draws behind each resampling interval. `score` is Tango's interval, `plus 2` Wald's after a won and
a lost item were added (Bonett and Price 2012), `sign-flip` holds the differences that exchanges do not reject, and
`compare` is `score` with the end next to 0 of `sign-flip` where `score` and the exact test disagree about 0.

The second table has the probability of p ≤ .05 for three tests of equal models: exact (McNemar's, by the binomial
distribution: the p-value of `compare`), its mid-p version (Fagerland, Lydersen and Laake 2013) and the score test, whose
interval is Tango's.
"""

import math

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom, norm

from howsure.intervals import interval, score
from measured import MEASURED, ROOT, markdown, put_between, write_rows

MARK = "<!-- benchmarks/score_interval.py -->"
ITEMS = (20, 50, 200)
SHARES = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
METHODS = ("percentile", "bca", "studentised", "t", "plus 2", "score", "sign-flip", "compare")
TESTS = ("exact", "mid-p", "score")
N_DRAWS, LEVEL = 1999, 0.95


def intervals(won, lost, n, rng):
    """Return low and high of every method on one outcome; NaN where it is undefined."""
    advantages = np.repeat([1.0, -1.0, 0.0], [won, lost, n - won - lost])
    estimate = advantages.mean()
    drawn = rng.multinomial(n, [won / n, lost / n, 1 - (won + lost) / n], N_DRAWS)
    draws = (drawn[:, 0] - drawn[:, 1]) / n
    errors = np.sqrt(np.maximum((drawn[:, 0] + drawn[:, 1]) / n - draws**2, 0) / (n - 1))
    known = {
        "jackknife": (advantages.sum() - advantages) / (n - 1),
        "standard_errors": errors,
        "standard_error": advantages.std(ddof=1) / math.sqrt(n),
    }
    plain = ("percentile", "bca", "studentised", "t", "sign-flip")
    found = {name: interval(name, draws, estimate=estimate, **known) for name in plain}
    ends = {name: (one.low, one.high) for name, one in found.items()}
    tango = score(advantages)
    ends["score"] = (tango.low, tango.high)
    shares = (won + 1) / (n + 2), (lost + 1) / (n + 2)
    middle = shares[0] - shares[1]
    arm = norm.isf((1 - LEVEL) / 2) * math.sqrt((sum(shares) - middle**2) / (n + 2))
    ends["plus 2"] = (middle - arm, middle + arm)
    low, high = ends["score"]
    if pvalues(won, lost)["exact"] > 1 - LEVEL and not low <= 0 <= high:
        other = [0.0 if math.isnan(end) else end for end in ends["sign-flip"]]
        low, high = (min(low, other[0], 0.0), high) if low > 0 else (low, max(high, other[1], 0.0))
    ends["compare"] = (low, high)
    return ends


def pvalues(won, lost):
    """Return the two-sided p-value of each test."""
    differ, fewer = won + lost, min(won, lost)
    if not differ:
        return dict.fromkeys(TESTS, 1.0)
    exact = 2 * binom.cdf(fewer, differ, 0.5)
    return {
        "exact": min(1.0, exact),
        "mid-p": min(1.0, exact - binom.pmf(fewer, differ, 0.5)),
        "score": 2 * norm.sf(abs(won - lost) / math.sqrt(differ)),
    }


def outcomes(n, won, lost):
    """Yield every likely (items won, items lost) with its probability."""
    for a in range(n + 1):
        for b in range(n + 1 - a):
            same = n - a - b
            log = gammaln(n + 1) - gammaln(a + 1) - gammaln(b + 1) - gammaln(same + 1)
            terms = ((a, won), (b, lost), (same, 1 - won - lost))
            if any(count and not p for count, p in terms):
                continue
            probability = math.exp(log + sum(count * math.log(p) for count, p in terms if count))
            if probability > 1e-7:
                yield a, b, probability


def study():
    rows, tests = [], []
    for n in ITEMS:
        known = {}
        for share in SHARES:
            for difference in (0.0, share / 2, share) if share < 1 else (0.0, 0.25, 0.5):
                won, lost = (share + difference) / 2, (share - difference) / 2
                covered, undefined, width = (dict.fromkeys(METHODS, 0.0) for _ in range(3))
                rejected = dict.fromkeys(TESTS, 0.0)
                for a, b, probability in outcomes(n, won, lost):
                    for name, p in pvalues(a, b).items():
                        rejected[name] += probability * (p <= 1 - LEVEL + 1e-12)
                    if (a, b) not in known:
                        known[a, b] = intervals(a, b, n, np.random.default_rng([n, a, b]))
                    for name, (low, high) in known[a, b].items():
                        if math.isnan(low):
                            undefined[name] += probability
                        else:
                            covered[name] += probability * (low - 1e-12 <= difference <= high + 1e-12)
                            width[name] += probability * (high - low)
                tests.append({"n_items": n, "differing": share, "difference": difference, **rejected})
                rows += [
                    {
                        "n_items": n, "differing": share, "difference": difference, "interval": name,
                        "coverage": covered[name] / (1 - undefined[name]), "undefined": undefined[name],
                        "width": width[name] / (1 - undefined[name]),
                    }
                    for name in METHODS
                ]  # fmt: skip
    write_rows(rows, MEASURED / "score_interval.csv")
    write_rows(tests, MEASURED / "score_tests.csv")
    return rows, tests


def page(rows, tests):
    head = ["items", "share that differ", "advantage", *METHODS]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    keys = dict.fromkeys((row["n_items"], row["differing"], row["difference"]) for row in rows)
    for key in keys:
        cells = [row for row in rows if (row["n_items"], row["differing"], row["difference"]) == key]
        shown = [
            f"**{100 * row['coverage']:.1f}**" if row["coverage"] < 0.94 else f"{100 * row['coverage']:.1f}"
            for row in cells
        ]
        lines.append(f"| {key[0]} | {100 * key[1]:g}% | {key[2]:g} | " + " | ".join(shown) + " |")
    said = []
    for name in METHODS:
        of_name = [row for row in rows if row["interval"] == name]
        low = min(of_name, key=lambda row: row["coverage"])
        below = sum(row["coverage"] < 0.94 for row in of_name)
        said.append(f"{name}: {100 * low['coverage']:.1f}% at worst, {below} of {len(of_name)} below 94%")
    lines += ["", "; ".join(said) + "."]
    page = ROOT / "docs" / "evidence" / "intervals.md"
    put_between(page, MARK, "\n".join(lines))
    body = [
        [str(row["n_items"]), f"{100 * row['differing']:g}%", f"{row['difference']:g}",
         *(f"**{100 * row[name]:.1f}**" if row["difference"] == 0 and row[name] > 0.05 else f"{100 * row[name]:.1f}"
           for name in TESTS)]
        for row in tests
    ]  # fmt: skip
    put_between(
        page, MARK.replace(".py", ".py tests"), markdown(["items", "share that differ", "advantage", *TESTS], body)
    )


if __name__ == "__main__":
    page(*study())
