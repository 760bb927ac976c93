"""Ranks with published confidence sets.

PISA 2018, mathematics, OECD countries: mean score and its standard error (OECD). They are the example of the R package
csranks by Mogstad, Romano, Shaikh and Wilhelm (vignette "Inference for Ranks", version 1.2.2, and README).
"""

PISA = {
    "Australia": (491.3600, 1.9398),
    "Austria": (498.9423, 2.9710),
    "Belgium": (508.0703, 2.2627),
    "Canada": (512.0169, 2.3575),
    "Chile": (417.4066, 2.4159),
    "Colombia": (390.9323, 2.9896),
    "Czech Republic": (499.4677, 2.4607),
    "Denmark": (509.3984, 1.7350),
    "Estonia": (523.4146, 1.7436),
    "Finland": (507.3014, 1.9679),
    "France": (495.4076, 2.3202),
    "Germany": (500.0438, 2.6471),
    "Greece": (451.3703, 3.0912),
    "Hungary": (481.0826, 2.3196),
    "Iceland": (495.1874, 1.9531),
    "Ireland": (499.6329, 2.1986),
    "Israel": (463.0345, 3.4986),
    "Italy": (486.5899, 2.7800),
    "Japan": (526.9733, 2.4715),
    "Korea": (525.9330, 3.1214),
    "Latvia": (496.1263, 1.9628),
    "Lithuania": (481.1912, 1.9533),
    "Luxembourg": (483.4215, 1.0976),
    "Mexico": (408.8015, 2.4932),
    "Netherlands": (519.2310, 2.6323),
    "New Zealand": (494.4897, 1.7059),
    "Norway": (500.9638, 2.2190),
    "Poland": (515.6479, 2.6021),
    "Portugal": (492.4874, 2.6846),
    "Slovak Republic": (486.1649, 2.5556),
    "Slovenia": (508.8975, 1.3639),
    "Spain": (481.3926, 1.4624),
    "Sweden": (502.3877, 2.6543),
    "Switzerland": (515.3147, 2.9080),
    "Turkey": (453.5078, 2.2604),
    "United Kingdom": (501.7699, 2.5644),
    "United States": (478.2447, 3.2354),
}
"""Score and standard error of each country."""

RANKS = [
    24, 18, 10, 7, 35, 37, 17, 8, 3, 11, 20, 15, 34, 30, 21, 16, 32, 25, 1, 2, 19, 29, 27, 36, 4, 22, 14, 5, 23, 26, 9,
    28, 12, 6, 33, 13, 31,
]  # fmt: skip
"""`irank` of the scores, in the order above (README)."""

UNITED_KINGDOM = (7, 23)
"""Its marginal 95% set as the vignette's text has it; the run printed there gave 8 to 23."""
