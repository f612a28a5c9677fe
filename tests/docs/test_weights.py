"""The page on weights prints what it shows, and its table says what the domains say."""

from __future__ import annotations

import doctest
import re

import tepui.weighted
import tepui.weighted.domains
from support.places import DOCS

PAGE = (DOCS / "weighted.md").read_text(encoding="utf-8")


def test_the_example_of_the_package_is_true() -> None:
    tested = doctest.testmod(tepui.weighted.domains)
    assert (tested.attempted, tested.failed) == (5, 0)


def test_every_domain_and_every_check_is_on_the_page() -> None:
    described = set(re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE))
    checks = {name for name in tepui.weighted.__all__ if name.startswith("check_")}
    domains = {
        name
        for name in tepui.weighted.__all__
        if hasattr(getattr(tepui.weighted, name), "tensors") and name != "Tensorable"
    }
    assert described == domains | checks | {"extend", "combine"}
