"""What was done for results about lists of scores, their limits, and how many segments a clear answer takes."""

import math
from typing import TYPE_CHECKING, Any

from howsure.documents.numbers import about, error_of, number
from howsure.nulls import SCORE_TESTS
from howsure.reports.accounts.base import CORRECTIONS, Account

if TYPE_CHECKING:
    from howsure.paired.significance import SignificanceTest
    from howsure.questions.base import Question

GENERAL = "The result holds for segments like these; it does not generalise to other kinds of text or tasks."
METRIC = "The analysis does not show whether the scores measure quality."


def of_finding(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a test, or of the whole workflow."""
    found: SignificanceTest = result.significance
    limits = [GENERAL, METRIC]
    if not found.reject:
        limits.append("No clear difference does not mean that the systems are equal.")
    if found.n_clusters is None:
        limits.append("Segments are treated as independent; segments of one document often are not.")
    return Account(done=(_done(found),), limits=tuple(limits), next=tuple(_settle(found)))


def of_systems(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of several systems."""
    correction = CORRECTIONS.get(result.correction, "")
    adjusted = f" The p-values of {len(result.pairs)} pairs are adjusted by {correction}." if correction else ""
    open_pairs = [
        pair for pair, reject in zip(result.pairs, result.reject, strict=True) if not reject and pair.estimate
    ]
    said = [line for pair in open_pairs[:3] for line in _settle(pair, named=True)[:1]]
    return Account(
        done=(f"{_done(result.pairs[0])}{adjusted} Mean ranks follow Friedman (1937) and Nemenyi (1963).",),
        limits=(GENERAL, METRIC),
        next=tuple(said) or ("All pairs differ significantly: no further data are required for their order.",),
    )


def of_overview(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a description."""
    chosen = None if result.recommendation is None else result.recommendation.test
    return Account(
        done=(
            "Both lists and their differences are summarised. Skewness decides between mean and median, and the test "
            "of Shapiro and Wilk (1965) between tests that need a normal distribution and tests that do not.",
        ),
        limits=("A description does not show whether the systems differ.", METRIC),
        next=() if chosen is None else (f"Run the {SCORE_TESTS[chosen].label}: `howsure scores test FILE`.",),
    )


def of_description(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of two described lists."""
    return Account(
        done=(
            f"Means, medians, standard deviations and histograms of both lists and of their {result.difference.n:,} "
            "differences. Skewness is the mean cubed distance from the mean over the cubed standard deviation. The "
            "test of Shapiro and Wilk (1965) checks whether the differences are normal; for more than 5,000 of them it "
            "is the test of D'Agostino and Pearson (1973).",
        ),
        limits=("A description does not show whether the systems differ.", METRIC),
        next=("Test the difference: `howsure scores test FILE`.",),
    )


def of_unit_sizes(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a look at unit sizes."""
    return Account(
        done=(
            f"Consecutive segments are combined into units of 1 to {result.sizes[-1]} segments, and the standard "
            "deviation s of the units' differences is computed. For independent segments it falls as s / √size. A size "
            f"counts as settled if s differs by {result.tolerance:g} or less from s at the size before.",
        ),
        limits=("Larger units have steadier scores, but there are fewer of them: they do not increase power.", METRIC),
        next=("Use units only if the metric is not meaningful for one segment; otherwise test single segments.",),
    )


def of_effects(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of effect sizes."""
    units = "units" if getattr(asked, "unit_size", 1) > 1 else "segments"
    return Account(
        done=("Effect sizes measure the difference without its unit; the last column of the table says how.",),
        limits=(GENERAL, "Words such as small and large are Cohen's (1988); your field may need others."),
        next=(f"For intervals half as wide, collect about {about(4 * result.n)} {units}; there are {result.n:,}.",),
    )


def of_curve(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a power curve."""
    test = SCORE_TESTS[result.test]
    enough = [size for size, power in zip(result.sizes, result.power, strict=True) if power >= 0.8]
    if enough:
        said = f"{enough[0]:,} {result.unit} have 80% power for {result.assumed}."
    else:
        last, power = result.sizes[-1], result.power[-1]
        said = f"No size here has 80% power for {result.assumed}; {last:,} {result.unit} have "
        said += f"{100 * power:.0f}%. Pass larger `sizes`."
    return Account(
        done=(
            f"{result.n_simulations:,} studies of each size were simulated ({result.method}), and tested by the "
            f"{test.label}: {test.how}. Power is the share of them with p ≤ {result.alpha:g}.",
        ),
        limits=("Power at the size of these data, for the observed difference, only restates the p-value.",),
        next=(said,),
    )


def of_power_plan(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a planned study."""
    return Account(
        done=(
            "Power is a tail of the noncentral t distribution with noncentrality √n · difference / sd (Cohen 1988).",
        ),
        limits=("It holds if differences are about normal and the standard deviation is as specified.",),
        next=(f"Collect {result.n_items:,} segments, then test them: `howsure scores test FILE`.",),
    )


def _done(found: "SignificanceTest") -> str:
    counted = "from all arrangements" if found.exact else f"from {found.n_resamples:,} resamples"
    how = f" The p-value is computed {counted}." if found.n_resamples or found.exact else ""
    return f"{found.label[0].upper()}{found.label[1:]}: {SCORE_TESTS[found.test].how}.{how}"


def _settle(found: "SignificanceTest", *, named: bool = False) -> list[str]:
    """Return how many segments give 80% power for a difference like the one observed."""
    who = f"{found.names[0]} − {found.names[1]}: " if named else ""
    apart = abs(found.estimate - found.delta)
    units = "units" if found.unit_size > 1 else "segments"
    if found.reject:
        return [
            f"{who}The difference is significant. For an interval half as wide, collect about "
            f"{about(4 * found.n)} {units}; there are {found.n:,}."
        ]
    if not apart > 0 or not math.isfinite(found.detectable) or found.detectable_estimand != found.estimand:
        return [f"{who}Decide which difference matters, and plan for it: `howsure power --effect … --sd …`."]
    needed = found.n * (found.detectable / apart) ** 2
    seen = number(abs(found.estimate), error_of(found.confidence_interval, found.estimate))
    return [
        f"{who}For 80% power at a true difference as large as the observed one ({seen}), collect "
        f"about {about(needed)} {units}; there are {found.n:,}.",
        "The observed difference is uncertain: if the true one is half of it, 4 times as many are required.",
    ]
