"""Many models on one board: ranks that say what they know."""

from assay.leaderboard.board import compare_all
from assay.leaderboard.results import Leaderboard, Limits, Pair, RankedModel, TaskScore

__all__ = ["Leaderboard", "Limits", "Pair", "RankedModel", "TaskScore", "compare_all"]
