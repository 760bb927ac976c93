"""The tests of differences by name; a new one is entered here, and nowhere else."""

from collections.abc import Mapping

from howsure.difference_tests.base import DifferenceTest
from howsure.difference_tests.means import Bootstrap, Permutation, StudentT
from howsure.difference_tests.medians import BootstrapMedian, PermutationMedian
from howsure.difference_tests.ranks import SignTest, Wilcoxon

_ALL: tuple[DifferenceTest, ...] = (
    StudentT(),
    SignTest(),
    Wilcoxon(),
    Bootstrap(),
    BootstrapMedian(),
    Permutation(),
    PermutationMedian(),
)
CATALOGUE: Mapping[str, DifferenceTest] = {test.name: test for test in _ALL}
