"""From results to charts, reports and pages."""

from assay.reports.output import CHARTS, REPORTS, check_place, plot, report, write_chart, write_report

__all__ = ["CHARTS", "REPORTS", "check_place", "plot", "report", "write_chart", "write_report"]
