"""Readers of evaluation logs and annotation exports: one file for each format, one table of them all."""
