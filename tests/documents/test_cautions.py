"""Notes that numbers may be wrong stand before the numbers."""

import json

import numpy as np
import polars as pl

import howsure
from howsure.documents import Caution, Column, Document, Sentence, Table, text
from howsure.paired import PairedScores, effect_sizes

TABLE = Table((Column("n", "count"),), ((3,),))


def test_a_caution_is_a_sentence_before_the_first_table():
    page = Document("", (Sentence("A is better.", "verdict"), TABLE, TABLE), ("Plain.", Caution("Too narrow.")))
    assert [getattr(block, "text", "table") for block in page.blocks] == [
        "A is better.",
        "Too narrow.",
        "table",
        "table",
    ]
    assert page.notes == ("Plain.",)
    assert page.verdict == "A is better."
    shown = text.render(page)
    assert shown.index("Too narrow.") < shown.index("┏") < shown.index("Note: Plain.")
    alone = Document("", (Sentence("A is better.", "verdict"),), (Caution("Too narrow."),))
    assert [block.text for block in alone.blocks] == ["A is better.", "Too narrow."]


def before_the_numbers(result, words):
    """Whether these words come before the first table, and are among the notes of the result all the same."""
    shown = str(result)
    assert any(words in note for note in result.notes)
    json.dumps(result.to_dict())
    return shown.index(words) < shown.index("┏")


def test_few_rare_labels_are_said_before_alpha():
    rng = np.random.default_rng(1)
    rows = [(f"i{i}", "a", f"r{r}", int(rng.random() < 0.03)) for i in range(40) for r in range(3)]
    found = howsure.describe(pl.DataFrame(rows, schema=["item", "source", "rater", "value"], orient="row"))
    assert before_the_numbers(found, "can cover 81% to 94% instead of 95%")


def test_few_different_items_are_said_before_rmse():
    rng = np.random.default_rng(1)
    gold = rng.integers(1, 6, 40).astype(float)
    a = gold + (np.arange(40) % 3 == 0)
    rows = pl.DataFrame({"item": np.arange(40), "human": gold, "a": a, "b": a + (np.arange(40) < 5)})
    for metrics in ("rmse", ["rmse", "mae", "spearman"]):
        found = howsure.compare(rows, a="a", b="b", gold="human", metric=metrics)
        shown = str(found)
        assert shown.index("of rmse covers 87% to 94% then") < shown.index("┏")


def test_heavy_tails_are_said_before_cohens_d():
    rng = np.random.default_rng(2)
    a, b = rng.standard_t(1.5, (2, 60)).tolist()
    [d] = effect_sizes(PairedScores.from_arrays(a, b), effect_size=["cohen-d"])
    assert before_the_numbers(d, "Cohen's d covered 55% to 97%")
    shown = text.render(howsure.scores(a, b, n_simulations=20, n_resamples=99).document(), verbose=True)
    assert shown.index("Effect size") < shown.index("Cohen's d covered 55% to 97%") < shown.index("goes with")
