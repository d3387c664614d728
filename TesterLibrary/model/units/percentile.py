# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Percentiles as suites write them: `99`, `p99`, `99.9`."""

from __future__ import annotations

import re

from ...errors import UnitError
from .notation import NUMBER, written_as


@written_as(NUMBER)
class Percentile(float):
    """A percentile, above 0 up to 100, which is the maximum: `99`, `p99` or `p99.9`."""

    @classmethod
    def parse(cls, text: object) -> Percentile:
        """Raises UnitError for anything that is not written as above."""
        found = re.fullmatch(r"\s*p?(\d{1,3}(?:\.\d{1,12})?)\s*", str(text))
        if not found or not 0 < float(found[1]) <= 100:
            raise UnitError(
                f"{str(text)!r} is no percentile; write a number above 0 up to 100, such as 99, p99 or p99.9"
            )
        return cls(found[1])


P99 = Percentile(99)
