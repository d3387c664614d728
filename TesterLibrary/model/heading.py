# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Directions, order and delays, of events and impairments alike."""

from __future__ import annotations

from enum import Enum

from ..errors import PlanError
from .units.units import Duration

LONGEST_DELAY = Duration(60 * 10**9)


class Heading(Enum):
    """A direction of a path: forward leads from its first port to its second one."""

    BOTH = "HEADING_BOTH"
    FORWARD = "HEADING_FORWARD"
    BACKWARD = "HEADING_BACKWARD"


class StationAddress(Enum):
    """By which addresses a path knows behind which of several ports a receiver is."""

    MAC = "mac"
    IP = "ip"  # of IPv4, IPv6 and ARP


class OrderPolicy(Enum):
    """Whether packets may leave before one that is delayed and arrived before them."""

    PRESERVE = "preserve"  # they wait for it
    ALLOW = "allow"  # they overtake it


def check_delay(what: str, delay: Duration, *, least_ns: int = 0) -> None:
    """Raises PlanError for a time for which no packet can be held."""
    if not least_ns <= delay.ns <= LONGEST_DELAY.ns:
        raise PlanError(f"{what}={delay} is no delay; give {Duration(least_ns)} to {LONGEST_DELAY}")
