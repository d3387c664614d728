# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The line of a device that does not exist: its rate, burst and queue."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.units.units import Bandwidth


@dataclass(frozen=True)
class Shaper:
    """A token bucket and a queue before it, on each port. Frames count without their FCS."""

    rate: Bandwidth
    burst: int  # bytes
    queue: int  # bytes that wait at most; more is lost
