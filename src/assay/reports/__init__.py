"""From results to words, charts and pages."""
