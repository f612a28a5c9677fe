"""How much is compared at random."""

from __future__ import annotations

DEFAULT_SYSTEMS = 600
"""Random systems for each comparison in an ordinary run; `make fuzz` sets far more."""
