"""What metrics and corrections are, in words, formulas and references: reports are made from these tables."""

METRICS = {
    "mae": "mean over items of |ā − ḡ|, where ā and ḡ are the mean responses of model and gold to the item",
    "mse": "mean over items of (ā − ḡ)², where ā and ḡ are the mean responses of model and gold to the item",
    "rmse": "root of the mean over items of (ā − ḡ)², where ā and ḡ are the mean responses of model and gold",
    "max-error": "the largest |ā − ḡ| of all items, where ā and ḡ are the mean responses of model and gold",
    "wins": "share of items on which the model's error is the smaller one minus the share on which it is the "
    "larger one",
    "wins-responses": "share of responses, paired by position, on which the model's error is the smaller one minus the "
    "share on which it is the larger one",
    "cosine": "1 − the cosine of the angle between the item means of model and gold",
    "cosine-responses": "1 − the cosine of the angle between all responses of model and gold, paired by position",
    "spearman": "Spearman's rank correlation of the item means of model and gold",
    "kendall": "Kendall's τ-b of the item means of model and gold",
    "emd": "mean over items of the Wasserstein distance between the model's and gold's responses to the item",
    "emd-means": "Wasserstein distance between the distributions of the item means of model and gold",
    "emd-responses": "Wasserstein distance between the distributions of all responses of model and gold",
    "accuracy": "share of items on which the plurality votes of model and gold agree; tied votes are shared",
    "accuracy-responses": "share of the model's responses that equal gold's plurality vote; tied votes are shared",
    "tv": "mean over items of ½ Σ |P − Q| over labels, where P and Q are the label shares of model and gold",
    "kl": "mean over items of Σ Q · log(Q / P) over labels, where P and Q are the label shares of model and gold",
    "js": "mean over items of the Jensen–Shannon divergence of the label shares of model and gold",
    "cross-entropy": "mean over items of −Σ Q · log P over labels, where P and Q are the label shares of "
    "model and gold",
    "log-loss": "mean over gold's responses of −log P, where P is the model's share of the response",
    "brier": "mean over gold's responses of Σ (P − [label is the response])² over labels (Brier 1950)",
    "calibration": "mean distance of the model's shares from gold's, in ten bins by the model's share",
    "precision": "share of the items that the model calls positive that gold calls positive",
    "recall": "share of the items that gold calls positive that the model calls positive",
    "f1": "harmonic mean of precision and recall",
    "auc": "probability that the model ranks a positive item above a negative one, ties half",
    "rating": "mean over items of the mean rating of the model's own output",
    "superiority": "probability that a rating of the model beats one of the other model on the same item, ties half",
    "win-rate": "share of preferences that the model wins, ties half",
}
"""The formula of each metric that has a name."""

FAMILIES = {
    "wins:": "share of items on which the model's error is the smaller one minus the share on which it is the "
    "larger one",
    "pass@": "mean over items of 1 − C(n − c, k) / C(n, k), from n runs of which c passed (Chen et al. 2021)",
    "pass^": "mean over items of C(c, k) / C(n, k), from n runs of which c passed (Yao et al. 2024)",
}

CORRECTIONS = {
    "holm": "Holm (1979)",
    "benjamini-hochberg": "Benjamini and Hochberg (1995), which bounds the share of false findings",
    "westfall-young": "Westfall and Young (1993), which uses how the comparisons move together",
    "none": "",
}


def formula(metric: str) -> str:
    """Return the formula of a metric; empty for one of the user's own."""
    families = [said for start, said in FAMILIES.items() if metric.startswith(start)]
    return METRICS.get(metric, families[0] if families else "")
