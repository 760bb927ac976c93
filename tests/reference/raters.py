"""Published numbers on raters, each with its source (ORACLES, "Raters"); the program that checks them is the tests."""

import numpy as np

PENICILLIN = np.array(
    [
        [27, 23, 26, 23, 23, 21], [27, 23, 26, 23, 23, 21], [25, 21, 25, 24, 24, 20], [26, 23, 25, 23, 23, 20],
        [25, 22, 26, 22, 23, 20], [24, 22, 25, 23, 22, 19], [24, 20, 23, 21, 22, 19], [26, 22, 26, 24, 24, 21],
        [24, 21, 24, 22, 22, 20], [24, 21, 24, 23, 22, 19], [26, 23, 26, 24, 24, 21], [25, 22, 26, 24, 24, 20],
        [26, 24, 26, 24, 25, 22], [26, 23, 26, 23, 23, 20], [26, 23, 25, 24, 24, 22], [25, 22, 25, 23, 23, 20],
        [25, 21, 24, 23, 23, 20], [25, 22, 24, 23, 23, 19], [24, 21, 23, 21, 21, 19], [26, 23, 26, 24, 24, 21],
        [25, 21, 24, 22, 22, 18], [25, 22, 25, 22, 22, 20], [24, 21, 24, 22, 24, 19], [24, 21, 24, 22, 21, 18],
    ],
    dtype=float,
)  # fmt: skip
"""24 plates × 6 samples: Davies & Goldsmith 1972, sec. 6.6; data set Penicillin of the R package lme4."""
PENICILLIN_COMPONENTS = (0.7169082, 3.7309179, 0.3024155)
"""Plate, sample, residual: lmer(diameter ~ (1|plate) + (1|sample)), REML."""

BRENNAN = np.array(
    [[int(score) for score in row] for row in (
        "101000000000", "111001000000", "111110000000", "110110010000", "111110100000",
        "111011100000", "111111100000", "111101111100", "111111111110", "111111111111",
    )],
    dtype=float,
)  # fmt: skip
"""10 persons × 12 items: Brennan 2001, Generalizability Theory, synthetic data set no. 1 (table 2.2)."""
BRENNAN_COMPONENTS = (0.0574074, 0.0754209, 0.1268519)
BRENNAN_COEFFICIENTS = (0.8445, 0.7730)
"""Eρ² and Φ for 12 items."""

SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)
"""6 targets × 4 judges: Shrout & Fleiss 1979, table 2."""
SHROUT_FLEISS_ICC = (0.165742, 0.289764, 0.714841, 0.442797, 0.620051, 0.909316)
"""ICC(1,1), (2,1), (3,1), (1,k), (2,k), (3,k)."""

KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
        [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
    ]
).T
"""12 units × 4 observers: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, sec. C."""
KRIPPENDORFF_ALPHA = {"nominal": 0.743421, "ordinal": 0.815388, "interval": 0.849107, "ratio": 0.797403}
KRIPPENDORFF_GWET = {
    "gwet_ac1": 0.775444, "fleiss_kappa": 0.761169, "gwet_ac2_linear": 0.858739, "gwet_ac2_quadratic": 0.914001
}  # fmt: skip
"""The same data; AC1 and κ are those that the R package irrCAC publishes (.77544 and .76117)."""

KAPPA_TABLE = np.array([[20, 5, 1], [4, 15, 6], [0, 3, 16]])
KAPPA_LINEAR, KAPPA_QUADRATIC = 0.675776, 0.760349
"""Weighted κ of two raters (ORACLES, second batch)."""

FLEISS_COUNTS = np.array(
    [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]
)  # fmt: skip
"""10 subjects × 5 categories, 14 raters: the worked example of Fleiss' kappa on Wikipedia."""
FLEISS_KAPPA = 0.209931
