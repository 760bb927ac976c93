"""Tests of differences, on rows of differences: one file per idea (means, medians, ranks), one catalogue of objects.

A test says everything about itself, so that no other code looks at its name. Arrays in, numbers out.
"""

from howsure.difference_tests.base import (
    DifferenceTest,
    Grade,
    Hypothesis,
    Resamples,
    Sample,
    Shape,
    Suitability,
    TestedRows,
)
from howsure.difference_tests.catalogue import CATALOGUE

__all__ = [
    "CATALOGUE",
    "DifferenceTest",
    "Grade",
    "Hypothesis",
    "Resamples",
    "Sample",
    "Shape",
    "Suitability",
    "TestedRows",
]
