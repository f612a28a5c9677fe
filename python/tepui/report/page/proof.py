"""The proof of a report, in words."""

from __future__ import annotations

from tepui.report.markup import Html, element
from tepui.report.proof_text import explained
from tepui.result import Result


def proof_html(result: Result) -> Html:
    """Why the answer holds, paragraph by paragraph."""
    paragraphs = []
    for paragraph in explained(result):
        items = [element("li", item) for item in paragraph.items]
        paragraphs.append(
            element(
                "li",
                element("b", paragraph.title),
                element("p", paragraph.text),
                element("ul", items) if items else None,
            )
        )
    return element("ol", paragraphs, class_="proof")
