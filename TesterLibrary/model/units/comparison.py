# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparisons of numbers, by the signs that suites write."""

from __future__ import annotations

import operator as functions
from collections.abc import Callable, Mapping

from ...errors import UnitError

COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": functions.eq,
    "!=": functions.ne,
    "<": functions.lt,
    "<=": functions.le,
    ">": functions.gt,
    ">=": functions.ge,
}


def require_comparison(sign: str, subject: str) -> None:
    """Raises UnitError for an operator that does not compare numbers, such as `contains`."""
    if sign not in COMPARISONS:
        allowed = ", ".join(COMPARISONS)
        raise UnitError(f"{subject}: '{sign}' does not compare numbers; write one of {allowed}")
