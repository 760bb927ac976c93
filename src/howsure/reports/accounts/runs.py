"""Accounts of the score of single models, and of how far their runs repeat themselves."""

from typing import TYPE_CHECKING, Any

from howsure.reports.accounts.base import Account

if TYPE_CHECKING:
    from howsure.questions.base import Question

WAYS = {
    "wilson": (
        "Items score between 0 and 1, so the interval is Wilson's (1927), with the effective number of items (Korn and "
        "Graubard 1998); where every item is right or wrong, that is their number."
    ),
    "t": "The interval is Student's: the score plus and minus t times its standard error over items.",
    "edgeworth": "The interval is Student's, corrected for the skewness and kurtosis of the items (Hall 1988).",
}
"""The sentence of each interval of a score."""

CLUSTERED = (
    "Items of a cluster depend on each other: the standard error is that of whole clusters, with Bell and McCaffrey's "
    "(2002) correction and degrees of freedom."
)


def of_scores(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of scores: their intervals, pass@k and pass^k."""
    methods = dict.fromkeys(one.confidence_interval.method for one in result.models)
    done = ["The score of an item is that of its responses; the score of a model is made of those of its items."]
    done += [WAYS[method] for method in methods]
    if result.provenance.parameters.get("cluster"):
        done.append(CLUSTERED)
    if any(one.passes for one in result.models):
        done.append(
            "pass@k is the chance that at least one of k runs passes, pass^k that all of them do. Both are unbiased: "
            "with c passes in n runs, 1 − C(n − c, k) / C(n, k) and C(c, k) / C(n, k) of each item (Chen et al. 2021; "
            "Yao et al. 2024)."
        )
    limits = ["The interval is for items like these. It says nothing about other kinds of items."]
    steps = ["`howsure reliability` tells how far runs repeat themselves, where items have several."]
    if len(result.models) > 1:
        limits.append("Two intervals that overlap may belong to models that differ significantly.")
        steps.insert(0, "`howsure compare` tests whether two models differ; `howsure leaderboard` ranks all of them.")
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))


def of_reliability(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of repeated runs: variances, the noise floor, consistency and flips."""
    way = "Its interval is a jackknife over items on Fisher's scale (Arvesen 1969)."
    if result.right_or_wrong:
        way = (
            "Its interval is on Fisher's scale and follows from each item's influence, with half an item more that "
            "always passes, half an item that never does, and a quarter of one that passes every other run. If fewer "
            "than ten items are unstable, their true number may be as small as Clopper and Pearson's (1934) limit."
        )
    done = [
        "The variance of scores is taken apart into runs of the same item (within) and items (between), by one-way "
        "analysis of variance. With n items of r runs, the standard error is √((between + within / r) / n).",
        "The noise floor is t · √(2 · within / n), with half an item more for right or wrong answers: two single runs "
        "on the same items differ by more in 5% of all cases, although nothing changed.",
        "Runs are enough where the standard error is at most 5% above that with endlessly many runs.",
        f"Consistency is the intraclass correlation of single runs (Shrout and Fleiss 1979, case 1). {way}",
    ]
    if result.flips is not None:
        done.append("Flips count pairs of one run of each model on the same item.")
    limits = [
        "Runs are taken as independent: runs that share a seed or a cache differ less than new ones would.",
        "A model that repeats itself may repeat its mistakes.",
    ]
    steps = ["`howsure compare` tests whether two models differ by more than their runs do."]
    scarce = [one for one in result.models if one.enough_runs is not None and one.n_runs < one.enough_runs]
    if scarce:
        steps.append("More items reduce the standard error faster than more runs, where both cost the same.")
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))
