"""Responses and what is made of them: scales, sources, tables, contests, summaries."""
