# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The time of day as records have it."""

from __future__ import annotations

from datetime import datetime, timezone


def wall_clock() -> str:
    """The time of day in UTC, to the millisecond (ISO 8601); for people, not for measurement."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
