"""What a description says of few raters and of raters who answered several times."""

import polars as pl

import howsure
from howsure.models.fitting import fits


def ratings(n_raters, repeats=1):
    rows = [
        {"item": f"q{i}", "source": source, "rater": f"p{r}", "run": k, "value": 1 + (i + r + k) % 5}
        for i in range(12) for source in ("m1", "m2") for r in range(n_raters) for k in range(repeats)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def test_three_raters_are_not_said_to_be_a_random_factor():
    assert "compare treats them as a random factor" not in str(howsure.describe(ratings(3)))
    assert "the verdict of compare holds for these raters" in str(howsure.describe(ratings(3)))
    assert "compare treats them as a random factor" in str(howsure.describe(ratings(6)))


def test_responses_per_item_are_responses_and_not_raters():
    assert "9 on average" in str(howsure.describe(ratings(3, repeats=3), repeat="run"))


class OfItems:
    def __init__(self, distance, pvalue):
        self.name, self.distance, self.pvalue = "item means", distance, pvalue


def test_a_small_misfit_of_many_items_is_called_small():
    class Fit:
        goodness = (OfItems(0.018, 0.005),)

    assert fits.verdict(Fit()).startswith("Small misfit: so many items show that the model is not exact")
    Fit.goodness = (OfItems(0.2, 0.005),)
    assert fits.verdict(Fit()).startswith("Poor fit")
