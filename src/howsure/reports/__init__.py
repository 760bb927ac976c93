"""From results to charts, reports and pages."""

from howsure.reports.output import (
    CHARTS,
    DRAWN,
    REPORTS,
    check_drawn,
    check_place,
    plot,
    report,
    styled,
    write_chart,
    write_report,
)

__all__ = [
    "CHARTS",
    "DRAWN",
    "REPORTS",
    "check_drawn",
    "check_place",
    "plot",
    "report",
    "styled",
    "write_chart",
    "write_report",
]
