"""The colours of every chart: they can be told apart with any colour vision, and in grey."""

A, B = "#1f5fa8", "#d97706"
"""Model A is blue and dark, model B orange and lighter."""
NULL, MARK, QUIET = "#8c96a3", "#a3171e", "#6b7480"
BAND = "#e7ecf2"
SERIES = ("#1f5fa8", "#d97706", "#2f8f6b", "#8e4ea8", "#7a5230", "#4a4f57")
