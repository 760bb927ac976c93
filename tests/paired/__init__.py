"""Tests of two lists of scores."""


def ends(result):
    """The two ends of a result's interval."""
    return result.confidence_interval.low, result.confidence_interval.high
