"""What metrics, nulls and intervals are, in words, formulas and references: reports are made from these tables."""

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

NULLS = {
    "sign-flip": "under the null hypothesis A and B are exchangeable on each item. The p-value is the share of all "
    "exchanges, with probability ½ for each item, whose advantage is at least as far from 0 as the observed one "
    "(Fisher 1935)",
    "studentised": "the p-value compares the observed advantage over its standard error with resampled "
    "advantages around "
    "it, each over its own standard error (Hall 1988)",
    "pooled-responses": "the p-value is the share of resamples, in which each model's responses come from both models' "
    "responses to the item with replacement, whose advantage is at least as far from 0 as the observed one",
    "permuted-responses": "the p-value is the share of resamples, in which the responses to an item are shuffled "
    "between the models, whose advantage is at least as far from 0 as the observed one",
    "shifted-bootstrap": "the p-value is the share of resampled advantages, shifted so that their mean is "
    "0, that are at least as "
    "far from 0 as the observed one",
    "bootstrap-sign": "there is no null distribution. The p-value is the share of resampled advantages "
    "on the other side "
    "of 0, twice the smaller one where both sides count (Wein et al. 2023 report one side)",
    "random-effects": "items and raters are both treated as samples. The standard error adds up what each of them "
    "contributes (Cornfield and Tukey 1956), and the p-value compares the advantage over it with Student's t, for each "
    "part with its own degrees of freedom",
}

INTERVALS = {
    "percentile": "runs between two quantiles of the resampled advantages (Efron 1981)",
    "basic": "mirrors two quantiles of the resampled advantages at the observed one (Davison and Hinkley 1997)",
    "bca": "runs between two quantiles of the resampled advantages that are corrected for bias and skewness "
    "(Efron 1987)",
    "studentised": "takes the quantiles of resampled advantages over their own standard errors (Hall 1988)",
    "symmetric": "takes one quantile of the size of resampled advantages over their own standard errors, the same for "
    "both ends (Hall 1988)",
    "score": "inverts the score test of paired proportions (Tango 1998)",
    "t": "is the advantage plus and minus its standard error times a quantile of Student's t",
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
