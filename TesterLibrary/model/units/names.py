# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Several names in one argument."""

from __future__ import annotations

from typing import Any

from ...errors import UnitError
from .notation import LIST, written_as


@written_as(LIST)
class Names(tuple[str, ...]):
    """Names of streams: a list, or a text with commas such as `north, south`."""

    @classmethod
    def parse(cls, given: Any) -> Names:
        """Raises UnitError for anything but a text or a list of texts."""
        parts = given.split(",") if isinstance(given, str) else given
        if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
            raise UnitError(f"{given!r} is no list of names; write names with commas, such as north, south")
        return cls(name for part in parts if (name := part.strip()))


NO_NAMES = Names()
