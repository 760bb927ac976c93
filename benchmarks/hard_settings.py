"""Level of the tests and coverage of the intervals where data are hard; writes its tables into docs/evidence/intervals.md.

    python benchmarks/hard_settings.py          # four minutes of one core
    python benchmarks/hard_settings.py --page   # the page alone, from docs/measured

Item advantages that are skewed, heavy-tailed or nearly all alike, votes that are tied, 97% of one label, a model whose
answers are on another scale, few positive items: settings for which the defaults were not chosen. The true advantage is
zero where a level is measured. Tests and intervals are those of `compare`, put together from its own parts: 999 sign
flips and draws of items, which 50 data sets share, the jackknife and DeLong's error.
"""

import math
import sys

import numpy as np

from howsure import Contest
from howsure.comparison import compare
from howsure.data.scales import Scale
from howsure.inference import binomial_region, tail_pvalue
from howsure.intervals import interval
from howsure.intervals.default import default_interval
from howsure.metrics import resolve
from howsure.metrics.labels import F1, RocAuc
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

N_DATA_SETS, TOGETHER, N_DRAWS, LEVEL, ALPHA = 2000, 50, 999, 0.95, 0.05
N_CURVED, N_PERCENTILE = 600, 399
MARKS = (
    "<!-- benchmarks/hard_settings.py levels -->",
    "<!-- benchmarks/hard_settings.py curved -->",
    "<!-- benchmarks/hard_settings.py ranks -->",
)


def rare(rng, n):
    """Return advantages with mean zero: A is better by 0.05 on 19 of 20 items, and worse by 0.95 on the other one."""
    return np.where(rng.random(n) < 0.05, -0.95, 0.05) + 0.1 * rng.normal(size=n)


SKEWED = {
    "normal": lambda rng, n: rng.normal(size=n),
    "rare catastrophes": rare,
    "exponential": lambda rng, n: rng.exponential(size=n) - 1,
    "lognormal": lambda rng, n: rng.lognormal(size=n) - math.exp(0.5),
    "heavy tails (t, 3 df)": lambda rng, n: rng.standard_t(3, size=n),
}


def votes(rng, n, k, share):
    """Return the counts of two labels that gold, A and B give, the models alike; `share` of the items are the first's."""
    truth = rng.random(n) < share
    sides = []
    for right in (0.85, 0.75, 0.75):
        p = np.where(truth, right, 1 - right) if share == 0.5 else np.where(truth, 0.99, 0.4)
        first = rng.binomial(k, p)
        sides.append(np.stack([first, k - first], axis=1).astype(float))
    return sides


def labelled(name, k, share):
    """Return a maker of item advantages of a metric of labels."""
    metric = resolve(name)
    return lambda rng, n: metric.item_advantages(*votes(rng, n, k, share))


def passes(name, runs):
    """Return a maker of item advantages of a metric of runs, of two models that pass an item alike."""
    metric = resolve(name).on(Scale("ordinal", (0.0, 1.0), ("0", "1")))

    def make(rng, n):
        passed = rng.binomial(runs, rng.beta(0.5, 0.5, size=n), size=(2, n))
        return metric.item_advantages(None, *(np.stack([runs - c, c], axis=1).astype(float) for c in passed))

    return make


LABELS = {
    ("accuracy, K = 1", "accuracy"): labelled("accuracy", 1, 0.5),
    ("accuracy, K = 2 (ties)", "accuracy"): labelled("accuracy", 2, 0.5),
    ("accuracy, K = 4 (ties)", "accuracy"): labelled("accuracy", 4, 0.5),
    ("accuracy, K = 1, 97% one label", "accuracy"): labelled("accuracy", 1, 0.97),
    ("accuracy, K = 3, 97% one label", "accuracy"): labelled("accuracy", 3, 0.97),
    ("total variation, K = 3, 97% one label", "tv"): labelled("tv", 3, 0.97),
    ("KL divergence, K = 3, 97% one label", "kl"): labelled("kl", 3, 0.97),
    ("pass@3 of 5 runs", "pass@3"): passes("pass@3", 5),
    ("pass^3 of 5 runs", "pass^3"): passes("pass^3", 5),
}


def of_advantages(metric, advantages, rng):
    """Return, for each row of item advantages, both p-values and the default interval, as `compare` gives them.

    Rows share their flips and their draws of items, which costs one product of matrices; there are few rows at a time.
    """
    n, means = advantages.shape[1], advantages.mean(axis=1)
    flips = rng.choice([-1.0, 1.0], size=(N_DRAWS, n)) @ advantages.T / n
    tie = 1e-12 * np.abs(advantages).max()
    beyond = np.minimum((flips >= means - tie).sum(axis=0), (flips <= means + tie).sum(axis=0))
    swapped = np.minimum(1.0, 2 * (beyond + 1) / (N_DRAWS + 1))
    weights = rng.multinomial(n, np.full(n, 1 / n), size=N_DRAWS).astype(float)
    draws = weights @ advantages.T / n
    centred = np.square(advantages - means[:, np.newaxis])
    errors = np.sqrt(np.maximum(weights @ centred.T / n - np.square(draws - means), 0.0) / (n - 1))
    found = []
    for row, drawn, drawn_errors, mean in zip(advantages, draws.T, errors.T, means, strict=True):
        known = {"standard_errors": drawn_errors, "standard_error": row.std(ddof=1) / math.sqrt(n)}
        method = default_interval(metric, row, items_alone=True, formula=False).name
        left = (row.sum() - row) / (n - 1)
        ends = interval(method, drawn, estimate=mean, jackknife=left, span=metric.span, confidence_level=LEVEL, **known)
        null = (drawn - mean) / known["standard_errors"] * known["standard_error"]
        found.append((tail_pvalue(abs(mean), np.abs(null), alternative="greater").pvalue, ends))
    return swapped, found


def study_levels(only=""):
    """Return the rows of every setting of item advantages, or of those whose title begins so."""
    settings = [((name, "mae"), make) for name, make in SKEWED.items()] + list(LABELS.items())
    rows = []
    for number, ((title, name), make) in enumerate(settings):
        if not title.startswith(only):
            continue
        metric = resolve(name)
        for n in (15, 30, 60, 200) if title in SKEWED else (50, 200):
            rng = np.random.default_rng([number, n])
            swapped = studentised = covered = defined = 0
            for _ in range(N_DATA_SETS // TOGETHER):
                sets = np.stack([make(rng, n) for _ in range(TOGETHER)])
                pvalues, found = of_advantages(metric, sets, rng)
                swapped += int((pvalues <= ALPHA * (1 + 1e-9)).sum())
                studentised += sum(p <= ALPHA * (1 + 1e-9) for p, _ in found)
                defined += sum(not math.isnan(ends.low) for _, ends in found)
                covered += sum(bool(ends.low - 1e-12 <= 0.0 <= ends.high + 1e-12) for _, ends in found)
            rows.append(
                {"setting": title, "n_items": n, "n_data_sets": N_DATA_SETS, "swapped": swapped,
                 "studentised": studentised, "covered": covered, "defined": defined}
            )  # fmt: skip
            print(rows[-1], flush=True)
    return rows


def ratings(rng, n, scale=1.0):
    """Gold, a better A and a worse B, whose answers are on another scale."""
    gold = rng.uniform(size=n)
    return gold, gold + 0.25 * rng.normal(size=n), scale * (gold + 0.35 * rng.normal(size=n))


def screened(share):
    """Gold of which a share is positive, and two models that tell positives apart."""

    def make(rng, n, _=1.0):
        gold, both = (rng.random(n) < share).astype(float), 0.5 * rng.normal(size=n)
        return gold, *(apart * gold + both + 0.87 * rng.normal(size=n) for apart in (1.8, 1.2))

    return make


CURVED = [
    *((name, resolve(name), ratings, n) for name in ("rmse", "cosine", "spearman", "kendall") for n in (15, 30, 60)),
    *(("f1", F1(threshold=0.5), ratings, n) for n in (15, 30, 60)),
    *((f"auc, {share:.0%} positive", RocAuc(threshold=0.5), screened(share), n)
      for share, n in ((0.5, 20), (0.5, 50), (0.2, 50), (0.1, 100), (0.05, 200))),
]  # fmt: skip


RANKS = [(40, 1.5, 1.5, 0.1), (100, 1.5, 1.5, 0.1)]
"""Items, how far A and B tell positive items apart, and what B's answers are multiplied by."""


def study_curved():
    """Return the rows of metrics without item scores: coverage of percentiles and of the default."""
    rows = []
    for number, (title, metric, make, n) in enumerate(CURVED):
        rng = np.random.default_rng([99, number])
        truth = np.mean([float(metric.advantage(*make(rng, 100_000))) for _ in range(5)])
        found = {"percentile": [0, 0], "t": [0, 0]}
        without = np.array([np.delete(np.arange(n), i) for i in range(n)])
        for _ in range(N_CURVED):
            sides = make(rng, n)
            estimate = float(metric.advantage(*sides))
            if math.isnan(estimate):
                continue
            drawn = rng.integers(n, size=(N_PERCENTILE, n))
            draws = metric.advantage(*(side[drawn] for side in sides))
            left = metric.advantage(*(side[without] for side in sides))
            error, df = metric.error(*sides) or (math.sqrt((n - 1) / n * np.square(left - left.mean()).sum()), n - 1)
            known = {"jackknife": left, "standard_error": error, "df": df}
            for method, counts in found.items():
                ends = interval(method, draws, estimate=estimate, confidence_level=LEVEL, **known)
                counts[0] += not math.isnan(ends.low)
                counts[1] += truth in ends
        rows += [
            {"metric": title, "n_items": n, "interval": method, "n_data_sets": N_CURVED, "defined": defined,
             "covered": covered}
            for method, (defined, covered) in found.items()
        ]  # fmt: skip
        print(rows[-2:], flush=True)
    return rows


def study_ranks():
    """Return how often AUC tests reject, swapped ranks beside DeLong's z: B's answers are multiplied by `scale`."""
    rows = []
    for number, (n, apart_a, apart_b, scale) in enumerate(RANKS):
        rng = np.random.default_rng([7, number])
        metric, rejected, delong = RocAuc(threshold=0.5), 0, 0
        for _ in range(N_CURVED):
            gold, both = (rng.permutation(n) < n // 2).astype(float), 0.55 * rng.normal(size=n)
            a, b = (apart * gold + both + 0.84 * rng.normal(size=n) for apart in (apart_a, apart_b))
            contest = Contest.from_arrays(gold, a, scale * b, scale="continuous")
            found = compare(contest, metric=metric, n_resamples=N_PERCENTILE, interval="t", rng=rng, workers=1)
            rejected += found.pvalue <= ALPHA * (1 + 1e-9)
            delong += abs(found.advantage) > 1.959964 * metric.error(gold, a, b)[0]
        rows.append(
            {"n_items": n, "apart_a": apart_a, "apart_b": apart_b, "scale": scale, "n_data_sets": N_CURVED,
             "swapped_ranks": rejected, "delong": delong}
        )  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def numbers(rows):
    """Turn counts that were read back into numbers."""
    return [{name: int(text) if text.isdecimal() else text for name, text in row.items()} for row in rows]


def page(levels, curved, ranks):
    """Write the tables into the page on inference."""
    highest = binomial_region(N_DATA_SETS, ALPHA, confidence_level=0.99).high
    lowest = binomial_region(N_DATA_SETS, LEVEL, confidence_level=0.99).low

    def share(count, of, bold):
        text = f"{100 * count / of:.1f}"
        return f"**{text}**" if bold else text

    body = [
        [row["setting"], str(row["n_items"]), share(row["swapped"], N_DATA_SETS, row["swapped"] > highest),
         share(row["studentised"], N_DATA_SETS, row["studentised"] > highest),
         share(row["covered"], row["defined"], row["covered"] / row["defined"] < lowest / N_DATA_SETS)]
        for row in levels
    ]  # fmt: skip
    head = ["item advantages", "items", "sign-flip", "studentised", "coverage of the default interval"]
    put_between(ROOT / "docs" / "evidence" / "intervals.md", MARKS[0], markdown(head, body))
    least = binomial_region(N_CURVED, LEVEL, confidence_level=0.99).low / N_CURVED
    cells = {}
    for row in curved:
        cells.setdefault((row["metric"], row["n_items"]), {})[row["interval"]] = row
    body = [
        [name, str(n), *(share(row["covered"], row["defined"], row["covered"] / row["defined"] < least)
                         for row in (found["percentile"], found["t"])), str(N_CURVED - found["t"]["defined"])]
        for (name, n), found in cells.items()
    ]  # fmt: skip
    head = ["metric", "items", "percentile", "t (default)", "undefined"]
    put_between(ROOT / "docs" / "evidence" / "intervals.md", MARKS[1], markdown(head, body))
    body = [
        [str(row["n_items"]), row["apart_a"], row["apart_b"], row["scale"],
         *(share(row[name], N_CURVED, False) for name in ("swapped_ranks", "delong"))]
        for row in ranks
    ]  # fmt: skip
    head = ["items", "A separates by", "B by", "B's responses times", "exchanged ranks", "DeLong's z"]
    put_between(ROOT / "docs" / "evidence" / "intervals.md", MARKS[2], markdown(head, body))


if __name__ == "__main__":
    if "--page" not in sys.argv:
        write_rows(study_levels(), MEASURED / "hard_levels.csv")
        write_rows(study_curved(), MEASURED / "hard_curved.csv")
        write_rows(study_ranks(), MEASURED / "hard_ranks.csv")
    page(*(numbers(read_rows(MEASURED / f"hard_{name}.csv")) for name in ("levels", "curved", "ranks")))
