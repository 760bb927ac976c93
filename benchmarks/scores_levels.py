"""Error rates of the tests and coverage of the intervals in `howsure.paired`, written to docs/evidence/scores.md.

Run from the repository root: `python benchmarks/scores_levels.py` (about a quarter of an hour on one core).
`--replications 200 --output -` gives a quick look on the screen. `--flips` measures the section on flips alone and puts
it into the page; the sections share no random numbers.
"""

import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np
from scipy.special import gammaincinv

from howsure import _random
from howsure.inference import clopper_pearson
from howsure.nulls import Hypothesis, Resamples, Units
from howsure.paired import TESTS, PairedScores, count_flips, effect_sizes
from howsure.papers.citations import CITATIONS
from howsure.provenance import version

SIZES = (20, 100, 1000)
ALPHA = 0.05
N_RESAMPLES = 999
BLOCK = 50
FLIPS = "## Flips of right and wrong answers"

# Each distribution of differences: how it is drawn, and its mean, median and Hodges–Lehmann value (half the median of
# the sum of two; the sum of two exponentials has a gamma distribution of shape 2).
SHAPES = {
    "normal": (lambda rng, shape: rng.normal(size=shape), (0.0, 0.0, 0.0)),
    "beta": (lambda rng, shape: rng.beta(2, 5, shape) - rng.beta(2, 5, shape), (0.0, 0.0, 0.0)),
    "skewed": (
        lambda rng, shape: rng.exponential(size=shape) - 1,
        (0.0, math.log(2) - 1, float(gammaincinv(2, 0.5)) / 2 - 1),
    ),
    "tied": (lambda rng, shape: (rng.integers(0, 5, shape) - rng.integers(0, 5, shape)) / 4, (0.0, 0.0, 0.0)),
}
MEANING = {
    "normal": "standard normal differences",
    "beta": "differences of two scores that are both Beta(2, 5)",
    "skewed": "exponential differences minus their mean (skewness 2)",
    "tied": "differences of two ratings, each uniform on 0, ¼, ½, ¾, 1 (a fifth of them are zero)",
}
TRUTHS = {"mean difference": 0, "median difference": 1, "Hodges–Lehmann difference": 2}


READING = """
## How to read these tables

* **On symmetric differences the type I error is at most about 5%.** Signs and medians of few or tied values take few
  different values, so tests of them stay below 5% and their intervals above 95%. (Among so many rates a few bold ones are
  chance.)
* **A mean of few skewed differences** is the difficult case. At n = 20, t and permutation reject true nulls too often,
  and one-sided tests are worse: nearly all errors are on one side, because the mean and the standard deviation of a
  skewed sample rise and fall together. The permutation test has the same problem because its null is symmetry.
  The studentised bootstrap errs least: two-sided it rejects 6.2% where t rejects 7.6%, one-sided at most 6.5% where t
  rejects 10.1%. At n = 100 the two-sided tests are nearly right and one-sided t and permutation are not; at n = 1,000 all
  are.
* **Wilcoxon on skewed differences** tests neither mean nor median but the Hodges–Lehmann value, and its null (symmetry)
  does not hold there: at n = 1,000 it rejects the true value a little too often.
* **The bootstrap of a median** of fewer than 100 differences is that of order statistics: at n = 20 it rejects as the sign
  test does. From 100 on it is the percentile bootstrap, and rejects 4.2 to 5.5% two-sided where few differences are tied.
* **Ties**: a median of ratings hardly moves, so tests of it almost never reject; use t, Wilcoxon or
  permutation. The intervals of sign and Wilcoxon are closed intervals between tied values and cover too much.
* **Cohen's d and Hedges' g** have intervals made for normal differences, or a jackknife where tails are heavy. On exponential
  ones the former are too wide: mean and standard deviation err in the same direction, and their ratio is steadier than assumed.
* **Clusters**: treating segments as independent is wrong by a factor of seven here. Flipping whole clusters holds, and so does the
  studentised bootstrap of them; Student's t with the CR2 error rejects a little too often with ten clusters of very unequal
  sizes. Permutation is therefore recommended.
* **McNemar's exact test** is conservative, most of all when few answers flip.
"""


def rate(count, n):
    """Return a percentage with its exact binomial interval, in bold when nominal (5 or 95) is outside."""
    interval = clopper_pearson(int(count), int(n))
    text = f"{100 * count / n:.1f} ({100 * interval.low:.1f}–{100 * interval.high:.1f})"
    nominal = ALPHA if count / n < 0.5 else 1 - ALPHA
    return text if nominal in interval else f"**{text}**"


def study_tests(n_replications, seed):
    rows = []
    for shape, (draw, truths) in SHAPES.items():
        for name, test in TESTS.items():
            truth = truths[TRUTHS[test.estimand]]
            for n in SIZES:
                started = time.perf_counter()
                counts = np.zeros(4, dtype=int)
                for block in range(0, n_replications, BLOCK):
                    rng = _random.generator(seed, shape, n, block)
                    sample = Units.independent(draw(rng, (BLOCK, n)))
                    draws = Resamples(_random.child(seed, shape, n, block, name), N_RESAMPLES)
                    two = test.run(sample, Hypothesis(delta=truth), draws)
                    rounding = 1e-12
                    covered = (two.low <= truth + rounding) & (two.high >= truth - rounding)
                    one_sided = [
                        test.run(sample, Hypothesis(side, truth, interval=False), draws).pvalue <= ALPHA
                        for side in ("greater", "less")
                    ]
                    counts += [(two.pvalue <= ALPHA).sum(), one_sided[0].sum(), one_sided[1].sum(), covered.sum()]
                rows.append((shape, name, n, *counts.tolist()))
                print(f"{shape} {name} {n}: {counts} {time.perf_counter() - started:.1f} s", file=sys.stderr)
    return rows


def study_effects(n_replications, seed):
    rows = []
    for shape, (draw, (mean, _, _)) in SHAPES.items():
        reference = draw(_random.generator(seed, "reference", shape), 2_000_000)
        shift = 0.5 * reference.std() if shape != "tied" else 0.25
        truth = {
            effect.effect: effect.estimate
            for effect in effect_sizes(
                PairedScores.from_arrays(reference + shift, np.zeros_like(reference)), effect_size=("wilcoxon-r",)
            )
        }
        d = (mean + shift) / float(reference.std())
        truth |= {"cohen-d": d, "hedges-g": d}
        for n in SIZES:
            counts = dict.fromkeys(truth, 0)
            defined = dict.fromkeys(truth, 0)
            for replication in range(n_replications):
                rng = _random.generator(seed, "effect", shape, n, replication)
                scores = PairedScores(draw(rng, n) + shift, np.zeros(n))
                for effect in effect_sizes(scores, effect_size=list(truth), rng=0):
                    low, high = effect.confidence_interval.low, effect.confidence_interval.high
                    defined[effect.effect] += not math.isnan(low)
                    counts[effect.effect] += low <= truth[effect.effect] <= high
            rows.extend((shape, effect, n, truth[effect], counts[effect], defined[effect]) for effect in truth)
            print(f"{shape} {n}: {counts}", file=sys.stderr)
    return rows


def study_clusters(n_replications, seed):
    """Lines share an effect of their document: intraclass correlation 0.3, documents of 1 to 20 lines."""
    rows = []
    for n_clusters in (10, 30, 100):
        counts = dict.fromkeys(("lines taken as independent", "t", "bootstrap", "permutation"), 0)
        covered = dict.fromkeys(("t", "bootstrap", "permutation"), 0)
        for block in range(0, n_replications, BLOCK):
            rng = _random.generator(seed, "clusters", n_clusters, block)
            sizes = rng.integers(1, 21, n_clusters)  # the same in a block of data sets, so that they are rows
            shared = np.repeat(rng.normal(size=(BLOCK, n_clusters)), sizes, axis=1)
            lines = math.sqrt(0.3) * shared + math.sqrt(0.7) * rng.normal(size=shared.shape)
            naive = TESTS["t"].run(Units.independent(lines), Hypothesis(), Resamples(seed))
            counts["lines taken as independent"] += int((naive.pvalue <= ALPHA).sum())
            sample = Units(np.add.reduceat(lines, np.cumsum(sizes) - sizes, axis=1), sizes.astype(float))
            for name in covered:
                draws = Resamples(_random.child(seed, "clusters", n_clusters, block, name), N_RESAMPLES)
                outcome = TESTS[name].run(sample, Hypothesis(), draws)
                counts[name] += int((outcome.pvalue <= ALPHA).sum())
                covered[name] += int(((outcome.low <= 0) & (outcome.high >= 0)).sum())
        rows.extend((n_clusters, name, counts[name], covered.get(name)) for name in counts)
        print(n_clusters, counts, file=sys.stderr)
    return rows


def study_flips(n_replications, seed):
    rows = []
    for n in SIZES:
        level = covered = 0
        for replication in range(n_replications):
            rng = _random.generator(seed, "flips", n, replication)
            null, other = rng.random(n), rng.random(n)
            # Both right 60%, and 20% flips: divided evenly under the null, 15% against 5% for the interval.
            equal = PairedScores(
                np.where(null < 0.7, 1.0, 0.0), np.where((null < 0.6) | ((null > 0.7) & (null < 0.8)), 1.0, 0.0)
            )
            level += count_flips(equal).pvalue <= ALPHA
            apart = PairedScores(
                np.where(other < 0.75, 1.0, 0.0), np.where((other < 0.6) | ((other > 0.75) & (other < 0.8)), 1.0, 0.0)
            )
            covered += 0.1 in count_flips(apart).confidence_interval
        rows.append((n, level, covered))
    return rows


def page(n_replications, seed):
    tests = study_tests(n_replications, seed)
    effects = study_effects(n_replications, seed)
    clusters = study_clusters(n_replications, seed)
    flips = study_flips(n_replications, seed)
    lines = [
        "# Measured error rates of the tests for two score lists",
        "",
        f"The tests are those of NLPStatTest. {CITATIONS['nlpstattest']}",
        "",
        f"Made by `benchmarks/scores_levels.py` (howsure {version()}, seed {_random.entropy_of(seed)}); do not edit. "
        f"Every number is a percentage of {n_replications:,} simulated data sets with its exact 95% binomial "
        f"interval; by default the null is true in them. The nominal values are 5 for the type I error and 95 for "
        f"the coverage; **bold** marks an interval that excludes the nominal value. The bootstrap test of the mean draws "
        f"{N_RESAMPLES} resamples; all other tests are computed without drawing. “Greater” and “less” are one-sided tests "
        f"at 5%. Each test is measured against its own estimand: t, bootstrap and permutation against the mean, Wilcoxon "
        f"against the Hodges–Lehmann value, the others against the median.",
        "",
        *(f"* *{shape}*: {meaning}" for shape, meaning in MEANING.items()),
        "",
    ]
    for n in SIZES:
        lines += [
            f"## n = {n:,}",
            "",
            "| differences | test | type I error, two-sided | greater | less | coverage of the 95% interval |",
        ]
        lines += ["|---|---|---|---|---|---|"]
        for shape, name, size, *counts in tests:
            if size == n:
                lines.append(f"| {shape} | {name} | {' | '.join(rate(count, n_replications) for count in counts)} |")
        lines.append("")
    lines += [
        "## Effect sizes",
        "",
        "Coverage of the 95% intervals when the true effect is not zero (differences moved by half a "
        "standard deviation, ratings by one step). The true r was computed from two million differences.",
        "",
        "| differences | effect | true value | " + " | ".join(f"n = {n:,}" for n in SIZES) + " |",
        "|---|---|---|" + "---|" * len(SIZES),
    ]
    for shape in SHAPES:
        for effect in ("cohen-d", "hedges-g", "wilcoxon-r"):
            found = [row for row in effects if row[:2] == (shape, effect)]
            cells = " | ".join(rate(covered, defined) for *_, covered, defined in found)
            lines.append(f"| {shape} | {effect} | {found[0][3]:.3f} | {cells} |")
    lines += [
        "",
        "## Scores in clusters",
        "",
        "Documents of 1 to 20 segments, intraclass correlation 0.3, no difference.",
        "",
        "| clusters | test | type I error, two-sided | coverage |",
        "|---|---|---|---|",
        *(
            f"| {n_clusters} | {name} | {rate(count, n_replications)} | "
            f"{'–' if covered is None else rate(covered, n_replications)} |"
            for n_clusters, name, count, covered in clusters
        ),
        "",
        *flips_section(flips, n_replications),
    ]
    return "\n".join(lines)


def flips_section(flips, n_replications):
    return [
        FLIPS,
        "",
        "20% of the answers flip: evenly for the type I error of McNemar's exact test, 15 against 5% for the coverage of "
        "Tango's score interval of the accuracy difference.",
        "",
        "| n | type I error, two-sided | coverage |",
        "|---|---|---|",
        *(
            f"| {n:,} | {rate(level, n_replications)} | {rate(covered, n_replications)} |"
            for n, level, covered in flips
        ),
        "",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--flips", action="store_true", help="measure the flips only")
    parser.add_argument("--output", default="docs/evidence/scores.md")
    options = parser.parse_args()
    if options.replications % BLOCK:
        parser.error(f"--replications must be a multiple of {BLOCK}")
    seed = _random.seed_of(options.seed)
    if options.flips:
        before, _, after = Path(options.output).read_text().partition(FLIPS)
        section = flips_section(study_flips(options.replications, seed), options.replications)
        text = before + "\n".join(section) + "\n" + after[after.index("\n## ") + 1 :]
    else:
        text = page(options.replications, seed) + READING
    if options.output == "-":
        print(text)
        return
    page_now = Path(options.output)
    _, mark, of_effects = page_now.read_text().partition("\n## Cohen's d\n")  # effect_coverage.py writes this part
    page_now.write_text(text if options.flips else text.rstrip("\n") + "\n" + mark + of_effects)


if __name__ == "__main__":
    main()
