"""Estimates and sentences about them in words, each written once; they take numbers and names, never results.

estimates (levels, intervals, p-values) · sentences (who is better, power, margins, raters, disagreements) ·
options (an option as the command line or the page calls it).
"""
