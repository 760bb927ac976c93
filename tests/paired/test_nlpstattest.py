"""The sample files of NLPStatTest, where they can be had: put them into a folder and name it in ASSAY_NLPSTATTEST."""

import os
from pathlib import Path

import pytest

from assay.paired import effect_sizes, read_scores, significance_test
from tests.reference.scores import NLPSTATTEST_SAMPLES


@pytest.fixture(params=list(NLPSTATTEST_SAMPLES))
def sample(request):
    """The scores of a sample file and its known answers, or a skip where the file is absent."""
    folder = os.environ.get("ASSAY_NLPSTATTEST")
    found = sorted(Path(folder).glob(f"{request.param}*")) if folder else []
    if not found:
        pytest.skip(f"NLPStatTest's sample file {request.param} is not here; ASSAY_NLPSTATTEST names no folder with it")
    return read_scores(found[0]), NLPSTATTEST_SAMPLES[request.param]


def test_the_published_answers_come_out(sample):
    scores, known = sample
    for name, answer in known.items():
        if name in ("t", "wilcoxon", "sign"):
            got = significance_test(scores, test=name).pvalue
        else:
            got = effect_sizes(scores, effects=[name])[0].estimate
        assert got == pytest.approx(answer, abs=5e-6), name
