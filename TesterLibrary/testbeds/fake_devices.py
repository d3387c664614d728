# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices behind the ports of a fake switch, as data."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.units.quantity import Frequency
from ..model.units.units import Bandwidth, Duration


@dataclass(frozen=True)
class RouterTable:
    """A table of IPv4 neighbours. None: it has no such limit."""

    most_neighbours: int | None = None  # that it knows at once; it learns no more
    learning_rate: Frequency | None = None  # new ones, one after the other; those announced meanwhile wait
    ageing: Duration | None = None  # after which one is forgotten that was not heard of


@dataclass(frozen=True)
class Shaper:
    """A token bucket and a queue before it, on each port. Frames count without their FCS."""

    rate: Bandwidth
    burst: int  # bytes
    queue: int  # bytes that wait at most; more is lost
