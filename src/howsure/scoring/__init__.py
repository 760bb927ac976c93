"""One model by itself: its score with an interval, and how far it repeats itself from run to run."""

from howsure.scoring.repeated_runs import ItemFlips, ModelReliability, Reliability, reliability_of
from howsure.scoring.single_scores import ModelScore, ModelScores, score_models

__all__ = [
    "ItemFlips",
    "ModelReliability",
    "ModelScore",
    "ModelScores",
    "Reliability",
    "reliability_of",
    "score_models",
]
