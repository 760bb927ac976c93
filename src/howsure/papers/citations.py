"""The five publications that the package implements: authors, title, venue and year."""

CITATIONS = {
    "leader": (
        "Shira Wein, Christopher M. Homan, Lora Aroyo and Chris Welty: Follow the leader(board) with confidence: "
        "Estimating p-values from a single test set with item and response variance. Findings of the Association for "
        "Computational Linguistics: ACL 2023. https://aclanthology.org/2023.findings-acl.196"
    ),
    "raters": (
        "Christopher M. Homan, Shira Wein, Lora M. Aroyo and Chris Welty: How Many Raters Do You Need? Power Analysis "
        "for Foundation Models. I Can't Believe It's Not Better workshop, NeurIPS 2023."
    ),
    "ratings": (
        "Christopher M. Homan, Flip Korn, Deepak Pandita and Chris Welty: How Many Ratings per Item are Necessary for "
        "Reliable Significance Testing? 2024. https://arxiv.org/abs/2412.02968"
    ),
    "forest": (
        "Deepak Pandita, Flip Korn, Chris Welty and Christopher M. Homan: Forest vs Tree: The (N, K) Trade-off in "
        "Reproducible ML Evaluation. AAAI 2026. https://arxiv.org/abs/2508.03663"
    ),
    "nlpstattest": (
        "Haotian Zhu, Denise Mak, Jesse Gioannini and Fei Xia: NLPStatTest: A Toolkit for Comparing NLP System "
        "Performance. System Demonstrations, AACL-IJCNLP 2020."
    ),
}
"""By the short names of `howsure replicate`, and NLPStatTest."""
