"""Another number of responses than the data have: `responses="bootstrap"` with `n_responses` (LEADER's sample(n))."""

import math
import warnings

import numpy as np
import pytest
from scipy import stats

from howsure import Contest, HowsureWarning, examples
from howsure.comparison import compare
from howsure.comparison.notes import off_centre
from howsure.documents.numbers import number
from howsure.models import preset
from howsure.resampling import Scheme

HOW = {"metric": "mae", "responses": "bootstrap", "null": "shifted-bootstrap", "n_resamples": 1999, "rng": 0}


def contest(number, epsilon=0.0, n_items=30, n_responses=5):
    sides = preset("normal").draw(1, n_items, n_responses=n_responses, epsilon=epsilon, needs="values", rng=number)
    return Contest.from_arrays(*(side[0] for side in sides), scale="continuous")


def close(one, other, draws):
    """Whether two means of draws are as near as their Monte-Carlo errors let them be."""
    return one == pytest.approx(other, abs=4 * math.sqrt(2) * draws.std() / math.sqrt(draws.size))


def test_one_drawn_response_is_scored_as_every_pair_is():
    data = contest(3, 0.3, n_items=12)
    gold, a, b = (source.values.reshape(12, 5) for source in data.sources.values())
    scores = [np.abs(gold[:, :, np.newaxis] - side[:, np.newaxis, :]).mean() for side in (a, b)]
    found = compare(data, n_responses=1, items="all", **HOW)
    assert close(found.advantage, scores[1] - scores[0], found.draws)
    assert (found.a_score, found.b_score) == pytest.approx(scores, rel=0.05)
    # Items are kept, so the choice of a response is all that varies.
    g, x, y = gold[:, :, None, None], a[:, None, :, None], b[:, None, None, :]
    every = (np.abs(g - y) - np.abs(g - x)).reshape(12, -1)
    assert found.draws.std() == pytest.approx(math.sqrt(every.var(axis=1).mean() / 12), rel=0.07)


def test_many_drawn_responses_are_scored_as_the_means_are():
    data = contest(4, 0.3)
    found, kept = (
        compare(data, n_responses=500, **HOW | {"n_resamples": 499}),
        compare(data, metric="mae", n_resamples=99, rng=0),
    )
    assert found.advantage == pytest.approx(kept.advantage, abs=0.002)
    assert found.draws.std() == pytest.approx(kept.standard_error, rel=0.15)


def test_what_is_drawn_does_not_depend_on_how_often_each_response_is_written():
    data = contest(5, 0.3)
    twice = Contest.from_arrays(
        *(np.repeat(source.values.reshape(30, 5), 2, axis=1) for source in data.sources.values()), scale="continuous"
    )
    once, again = (compare(each, n_responses=2, **HOW) for each in (data, twice))
    assert close(once.advantage, again.advantage, once.draws)
    assert once.draws.std() == pytest.approx(again.draws.std(), rel=0.1)


def rejections(n_studies, **how):
    found = [compare(contest(number), metric="mae", n_resamples=99, rng=number, **how) for number in range(n_studies)]
    return sum(result.pvalue <= 0.05 for result in found)


@pytest.mark.filterwarnings("ignore::howsure.HowsureWarning")
@pytest.mark.parametrize("null", ["sign-flip", "shifted-bootstrap", "pooled-responses"])
def test_fewer_drawn_responses_do_not_reject_too_often(null):
    n = 60
    assert rejections(n, responses="bootstrap", n_responses=2, null=null) <= stats.binom.ppf(0.999, n, 0.05)


@pytest.mark.filterwarnings("ignore::howsure.HowsureWarning")
def test_more_pooled_responses_than_were_given_reject_too_often():
    n = 200  # 17% of 300 data sets
    assert rejections(n, responses="bootstrap", n_responses=20, null="pooled-responses") > stats.binom.ppf(
        0.999, n, 0.05
    )


@pytest.mark.parametrize(("n_responses", "said"), [(5, False), (6, True)])
def test_more_pooled_responses_than_were_given_are_said_to(n_responses, said):
    how = {"metric": "mae", "responses": "bootstrap", "null": "pooled-responses", "n_resamples": 99, "rng": 0}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", HowsureWarning)
        found = compare(contest(0), n_responses=n_responses, **how)
    words = "`n_responses` is larger than the number of responses of A or B"
    assert any(note.startswith(words) for note in found.notes) is said
    assert any(str(warning.message).startswith(words) for warning in caught) is said


def test_what_could_be_found_is_that_of_the_drawn_responses():
    data = contest(1, 0.05)
    few, kept = compare(data, n_responses=1, **HOW), compare(data, metric="mae", n_resamples=99, rng=0)
    assert few.standard_error == pytest.approx(few.draws.std())
    assert few.detectable > 1.5 * kept.detectable
    assert f"80% power for a difference of {few.detectable:.2g}." in str(few)
    assert few.at(confidence_level=0.9).detectable < few.detectable


def test_draws_that_lie_elsewhere_than_the_advantage_are_named_with_both_numbers():
    found = compare(
        examples.ratings(), gold="human", a="model-2", b="model-1", metric="mae", rng=0,
        responses="bootstrap", null="shifted-bootstrap", n_resamples=1999,
    )  # fmt: skip
    [note] = [note for note in found.notes if "a second time" in note]
    centre, error = found.draws.mean(), found.draws.std()
    assert abs(centre - found.advantage) > 0.5 * error
    assert f"{number(centre, error)} on average" in note
    assert f"{number(found.advantage, error)} in the data" in note
    for interval, side in (("percentile", 1), ("basic", -1)):  # off with the draws, or away from them
        ends = found.at(interval=interval).confidence_interval
        off = (ends.low + ends.high) / 2 - found.advantage
        assert off * side * (centre - found.advantage) > 0


def test_draws_around_the_advantage_need_no_such_note():
    draws = np.random.default_rng(0).normal(0.5, 1, 999)
    assert off_centre(Scheme(responses="bootstrap"), 0.5, draws) == []
    assert off_centre(Scheme(responses="all"), 1.5, draws) == []
    assert off_centre(Scheme(responses="bootstrap"), 1.5, draws) != []
