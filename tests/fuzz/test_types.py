"""Public functions that get values of the wrong type: one of our errors that names the parameter, never another's."""

import inspect
import math
import warnings
from contextlib import suppress

import numpy as np
import pytest

import howsure
from howsure.errors import HowsureError, HowsureWarning
from howsure.examples import ratings as example

WRONG = {
    "a number": 3.7,
    "a negative number": -1,
    "a name": "x",
    "bytes": b"y",
    "a list": [1, "a"],
    "a mapping": {"k": 1},
    "an object": object(),
    "true": True,
    "not a number": math.nan,
    "nothing": (),
    "an array": np.array([[1, 2]]),
    "a function": lambda *_: 0,
    "half a character": "\ud800",
}
PILOT = {"gold": "human", "a": "model-1", "b": "model-2"}
ASKED = {"compare": PILOT, "leaderboard": {"gold": "human"}, "describe": {}, "fit": {"source": "human"}}
HOW = ("store", "workers", "seed", "n_resamples")


@pytest.fixture(scope="module")
def ratings(tmp_path_factory):
    path = tmp_path_factory.mktemp("types") / "ratings.csv"
    howsure.write(example(40), path)
    return str(path)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_has_the_wrong_type_is_refused_in_our_words(name, wrong, ratings):
    function = getattr(howsure, name)
    known = inspect.signature(function).parameters
    few = {"n_resamples": 19} if "n_resamples" in known else {}
    for parameter in known:
        if known[parameter].kind is not inspect.Parameter.KEYWORD_ONLY or parameter in HOW:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HowsureWarning)
            with suppress(HowsureError):
                function(ratings, **{**ASKED[name], **few, parameter: wrong})


def test_an_unreadable_progress_is_refused_before_the_work(ratings):
    with pytest.raises(howsure.ArgumentError, match="`progress` must be a function or None; got int"):
        howsure.compare(ratings, **PILOT, progress=3)
    with pytest.raises(howsure.ArgumentError, match="`name` must be the name of a response model; got list"):
        howsure.preset([])
    with pytest.raises(howsure.ArgumentError, match="`metric` must be text or Metric; got array"):
        howsure.compare(ratings, **PILOT, metric=np.ones((2, 2)))
