"""The report as one HTML file that needs nothing else: for a browser, offline, and for paper.

`report_page` makes the text of the page, `write_report` a file from results.
"""

from __future__ import annotations

from tepui.report.page.document import report_page, write_report

__all__ = ["report_page", "write_report"]
