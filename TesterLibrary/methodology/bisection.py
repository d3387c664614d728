# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The highest whole number that passes: doubled from the lowest until one fails, then halved between."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction


def highest_passing(
    lowest: int, highest: int, resolution: Fraction, passes: Callable[[int], bool]
) -> tuple[int, int | None]:
    """The highest level that passes, or 0, and the lowest that does not, or None.

    They are as close as `resolution`, a part of the level, or 1 apart.
    """
    passed, failed = _bracket(lowest, highest, passes)
    while failed is not None and passed and failed - passed > max(Fraction(1), passed * resolution):
        middle = (passed + failed) // 2
        passed, failed = (middle, failed) if passes(middle) else (passed, middle)
    return passed, failed


def _bracket(lowest: int, highest: int, passes: Callable[[int], bool]) -> tuple[int, int | None]:
    """A level that passes, or 0, and one above it that does not, or None."""
    passed, level = 0, lowest
    while passes(level):
        passed = level
        if level == highest:
            return passed, None
        level = min(2 * level, highest)
    return passed, level
