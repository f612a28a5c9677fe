"""How much is compared at random: a sample in an ordinary run, all of it in `make fuzz`.

Tests name a size for the whole comparison, in which 600 random systems count as one. An ordinary
run takes the first quarter of it, the same seeds every time; `make fuzz` takes as many times more
as TEPUI_FUZZ_SYSTEMS says.
"""

from __future__ import annotations

import os

WHOLE = 600
SAMPLE = 150
"""Never fewer than this: it takes this many to meet every kind of answer."""

SYSTEMS = max(SAMPLE, int(os.environ.get("TEPUI_FUZZ_SYSTEMS", "0")))

FUZZING = SYSTEMS > SAMPLE


def sized(number: int) -> int:
    """How many of a comparison that has `number` parts as a whole; what lasts long has few."""
    return max(1, number * SYSTEMS // WHOLE)
