import numpy as np
import pytest
from scipy import stats

from howsure.paired import PairedScores, describe


def scores_of(differences):
    return PairedScores.from_arrays(differences, np.zeros(len(differences)))


def test_summaries_against_numpy():
    rng = np.random.default_rng(1)
    a, b = rng.gamma(2, size=300), rng.normal(size=300)
    found = describe(PairedScores.from_arrays(a, b))
    for summary, values in ((found.a, a), (found.b, b), (found.difference, a - b)):
        assert summary.mean == pytest.approx(values.mean())
        assert summary.median == pytest.approx(np.median(values))
        assert summary.standard_deviation == pytest.approx(values.std(ddof=1))
        assert (summary.minimum, summary.maximum) == (values.min(), values.max())
    assert found.skewness == pytest.approx(stats.skew(a - b))
    assert found.normality_pvalue == pytest.approx(stats.shapiro(a - b).pvalue)


def test_histograms_count_every_line_and_share_edges():
    rng = np.random.default_rng(1)
    found = describe(PairedScores.from_arrays(rng.normal(size=500), rng.normal(2, 3, size=500)))
    assert all(sum(histogram.counts) == 500 for histogram in found.histograms.values())
    assert found.histograms["a"].edges == found.histograms["b"].edges


@pytest.mark.parametrize(("shape", "power"), [("roughly symmetric", 1), ("slightly skewed", 2), ("highly skewed", 3)])
def test_shape_in_words(shape, power):
    differences = np.linspace(0, 1, 1001) ** power
    found = describe(scores_of(differences))
    assert found.shape == shape
    assert found.symmetric == (shape == "roughly symmetric")


def test_large_samples_use_another_normality_test():
    found = describe(scores_of(np.random.default_rng(3).normal(size=6000)))
    assert found.normality_test == "D'Agostino–Pearson"
    assert found.normal


def test_constant_and_tiny_data_are_described_with_a_note():
    found = describe(scores_of([0.5, 0.5, 0.5]))
    assert np.isnan(found.skewness)
    assert "Every difference is 0.5" in found.notes[0]
    assert found.to_dict()["normal"] is False
    assert "too few" in describe(scores_of([0.1, 0.3])).notes[0]


def test_normality_does_not_depend_on_the_unit_of_measurement():
    differences = np.random.default_rng(3).normal(size=50)
    small = describe(scores_of(differences * 1e-9))
    assert small.normality_pvalue == pytest.approx(describe(scores_of(differences)).normality_pvalue, rel=1e-6)


def test_beyond_five_thousand_differences_another_test_is_named_with_its_reason():
    differences = np.random.default_rng(4).normal(size=5001)
    found = describe(scores_of(differences))
    assert found.normality_test == "D'Agostino–Pearson"
    assert any("beyond 5,000 differences the p-value of Shapiro–Wilk is not accurate" in note for note in found.notes)
    assert describe(scores_of(differences[:5000])).normality_test == "Shapiro–Wilk"


def test_one_line_is_described_in_words():
    said = describe(scores_of([0.5])).sentences[0]
    assert said.startswith("1 difference A − B: mean 0.5, median 0.5, standard deviation undefined")
