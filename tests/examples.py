# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How many examples a property is tried with: a quarter of them in CI, all of them in `make test-long`."""

from __future__ import annotations

import os
from collections.abc import Sequence

_LEAST = 15
_ALL = "TESTER_ALL_EXAMPLES" in os.environ


def examples(number: int) -> int:
    """For `max_examples`: the number of a night, or what CI has time for."""
    return number if _ALL else min(number, max(_LEAST, number // 4))


def some(numbers: Sequence[int]) -> Sequence[int]:
    """All of them at night; else the first, the last and one in the middle."""
    return numbers if _ALL else [numbers[0], numbers[len(numbers) // 2], numbers[-1]]
