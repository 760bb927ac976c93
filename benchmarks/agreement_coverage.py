"""How often intervals of ICC(1), of agreement of two raters and of alpha of few binary labels cover.

`python benchmarks/agreement_coverage.py` writes docs/measured/agreement_coverage.csv and the table of
docs/evidence/raters.md; `--page` writes the page only.
"""

import argparse

import numpy as np
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from howsure import Responses, ResponseTable
from howsure.data.scales import Scale
from howsure.inference import binomial_region
from howsure.raters import measure_agreement
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

SETS = 600
DRAWS = 199
PAGE = ROOT / "docs" / "evidence" / "raters.md"


def table(grid, who, scale):
    n = grid.shape[0]
    source = Responses.from_grid(grid, who)
    names = tuple(f"r{number}" for number in range(int(who.max()) + 1))
    return ResponseTable(np.arange(n).astype(str), {"human": source}, scale, {}, names)


def numbers(n, k, taste, pool=0):
    """Draw ratings by k raters of all items, by k of `pool` raters for each item, or (pool −1) by new ones for each."""

    def draw(rng):
        item = rng.normal(size=(n, 1))
        who = np.tile(np.arange(k), (n, 1))
        if pool > 0:
            who = np.array([rng.choice(pool, k, replace=False) for _ in range(n)])
        if pool < 0:
            who = np.arange(n * k).reshape(n, k)
        tastes = taste * rng.normal(size=int(who.max()) + 1)
        grid = item + tastes[who] + rng.normal(size=(n, k))
        return table(grid, who, Scale("continuous"))

    alone = 1 / (2 + taste**2)
    return draw, {"icc_1": alone, "icc_1k": k * alone / (1 + (k - 1) * alone)}


def labels(n, k, common, noise):
    """Binary labels: an item's latent value plus each rater's noise, above a threshold that a share `common` exceeds."""
    spread = np.sqrt(1 + noise**2)
    threshold = spread * -_quantile(common)
    both = multivariate_normal.cdf([-threshold, -threshold], cov=[[spread**2, 1], [1, spread**2]])
    agree = 2 * both + 1 - 2 * common

    def draw(rng):
        grid = (rng.normal(size=(n, 1)) + noise * rng.normal(size=(n, k)) > threshold).astype(float)
        return table(grid, np.tile(np.arange(k), (n, 1)), Scale("nominal", (0.0, 1.0), ("no", "yes")))

    expected = 2 * common * (1 - common)
    return draw, {"agreement": agree, "krippendorff_alpha": 1 - (1 - agree) / expected}


def _quantile(share):
    from scipy.special import ndtri

    assert abs(ndtr(ndtri(share)) - share) < 1e-12
    return float(ndtri(share))


SETTINGS = {
    "ratings, 3 raters on all of 50 items, tastes SD 0.5": numbers(50, 3, 0.5),
    "ratings, 5 raters on all of 50 items, tastes SD 0.5": numbers(50, 5, 0.5),
    "ratings, 10 raters on all of 100 items, tastes SD 1": numbers(100, 10, 1.0),
    "ratings, 3 of 8 raters on each of 60 items, tastes SD 0.5": numbers(60, 3, 0.5, 8),
    "ratings, 3 new raters on each of 50 items": numbers(50, 3, 0.5, -1),
    "2 raters, 50 items, half yes, noise SD 0.3": labels(50, 2, 0.5, 0.3),
    "2 raters, 50 items, 10% yes, noise SD 0.3": labels(50, 2, 0.1, 0.3),
    "2 raters, 50 items, 10% yes, noise SD 1": labels(50, 2, 0.1, 1.0),
    "2 raters, 20 items, half yes, noise SD 0.3": labels(20, 2, 0.5, 0.3),
    "3 raters, 40 items, half yes, noise SD 1": labels(40, 3, 0.5, 1.0),
    "5 raters, 40 items, 20% yes, noise SD 0.5": labels(40, 5, 0.2, 0.5),
    "3 raters, 40 items, 10% yes, noise SD 0.5": labels(40, 3, 0.1, 0.5),
    "5 raters, 100 items, 20% yes, noise SD 0.5": labels(100, 5, 0.2, 0.5),
}


def measure():
    rows = []
    for number, (name, (draw, true)) in enumerate(SETTINGS.items()):
        rng = np.random.default_rng([8, number])
        covered, defined = dict.fromkeys(true, 0), dict.fromkeys(true, 0)
        for _ in range(SETS):
            found = measure_agreement(draw(rng), n_resamples=DRAWS, rng=0, workers=1)
            for entry, value in true.items():
                ends = found[entry].confidence_interval
                defined[entry] += not np.isnan(ends.low)
                covered[entry] += bool(ends.low - 1e-12 <= value <= ends.high + 1e-12)
        for entry, value in true.items():
            row = {"raters": name, "coefficient": entry, "true": round(float(value), 3), "data_sets": SETS}
            rows.append({**row, "defined": defined[entry], "covered": covered[entry]})
            print(rows[-1], flush=True)
        write_rows(rows, MEASURED / "agreement_coverage.csv")


def page():
    body = []
    for row in read_rows(MEASURED / "agreement_coverage.csv"):
        defined, covered = int(row["defined"]), int(row["covered"])
        share = f"{100 * covered / defined:.1f}"
        low = covered < binomial_region(defined, 0.95).low
        body.append([row["raters"], row["coefficient"], row["true"], f"{100 * defined / int(row['data_sets']):.0f}",
                     f"**{share}**" if low else share])  # fmt: skip
    head = ["raters", "coefficient", "true", "defined, %", "covers, % of those"]
    put_between(PAGE, "<!-- few -->", markdown(head, body))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true")
    if not parser.parse_args().page:
        measure()
    page()
