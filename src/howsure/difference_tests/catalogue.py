"""The tests of differences by name."""

from collections.abc import Mapping
from types import MappingProxyType

from howsure.difference_tests.base import DifferenceTest
from howsure.difference_tests.means import Bootstrap, Permutation, StudentT
from howsure.difference_tests.medians import BootstrapMedian, PermutationMedian
from howsure.difference_tests.ranks import SignTest, Wilcoxon

CATALOGUE: Mapping[str, DifferenceTest] = MappingProxyType(
    {
        test.name: test
        for test in (
            StudentT(),
            SignTest(),
            Wilcoxon(),
            Bootstrap(),
            BootstrapMedian(),
            Permutation(),
            PermutationMedian(),
        )
    }
)
