"""The door to the crate `tepui-checker`, and the only place where trusted code calls compiled code.

These functions are bound in `crates/tepui-python/src/checker.rs`, which knows no kernel.
"""

from __future__ import annotations

from tepui._core import check_program, check_system, pairs_in_rows

__all__ = ["check_program", "check_system", "pairs_in_rows"]
