"""Many models on one board: ranks that say what they know."""

from assay.leaderboard.board import compare_all
from assay.leaderboard.leaderboards import IntervalEnds, Leaderboard, Pair, RankedModel, TaskScore
from assay.leaderboard.outlook import BoardPlan, plan_board
from assay.leaderboard.slices import Leaderboards, compare_all_by
from assay.leaderboard.votes import compare_votes

__all__ = [
    "BoardPlan",
    "IntervalEnds",
    "Leaderboard",
    "Leaderboards",
    "Pair",
    "RankedModel",
    "TaskScore",
    "compare_all",
    "compare_all_by",
    "compare_votes",
    "plan_board",
]
