"""How large input and work may be: what is larger is refused in one line instead of running for ever."""

SMALLEST, LARGEST = 1e-100, 1e100
"""Scores and differences between these sizes can be squared and summed."""
MOST_RESAMPLES = 10_000_000
MOST_STEPS, LARGEST_STUDY, MOST_SIMULATIONS = 1_000, 10_000_000, 1_000_000
"""Of a power curve: how many sizes, how large a simulated study, and how many studies of each size."""
