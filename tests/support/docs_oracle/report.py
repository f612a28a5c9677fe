"""Counts of what was compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Report:
    """How many programs, with which features, and how many answers."""

    answers: Counter[str] = field(default_factory=Counter)
    programs: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    disagreements: int = 0

    def show(self) -> None:
        """Print all counts."""
        for title, counter in vars(self).items():
            if isinstance(counter, Counter):
                print(f"{title}: {counter.total()}")
                for name, number in sorted(counter.items(), key=lambda item: -item[1]):
                    print(f"  {number:6} {name}")
