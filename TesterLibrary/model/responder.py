# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Ends of protocols that the tester plays: responders answer, clients open flows (norma §4, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from ..errors import PlanError
from .endpoints import AddressRange, Endpoints
from .units.quantity import Frequency

_HIGHEST_VLAN = 4094
DEFAULT_CAPACITY = 65_536  # flows


class Reopen(str, Enum):
    """The flows of a client that make room for another one when they are over."""

    ENDED_WELL = "ended-well"  # a flow that failed makes no room (norma §8)
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class Numbers:
    """Numbers in a row."""

    first: int
    count: int = 1


@dataclass(frozen=True, kw_only=True)
class End:
    """One end of a protocol on a port of the tester."""

    name: str
    port: str
    protocol: str  # name of a shipped table, or a file
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the table; others have defaults
    vlan: int | None = None  # of a tag that all its frames have

    def __post_init__(self) -> None:
        if self.vlan is not None and not 1 <= self.vlan <= _HIGHEST_VLAN:
            raise self.refused(f"VLAN {self.vlan} is not within 1 to {_HIGHEST_VLAN}")

    @property
    def ports(self) -> frozenset[str]:
        """The ports by which its frames arrive and leave."""
        return frozenset((self.port,))

    def refused(self, why: str) -> PlanError:
        """The error that says which end is meant."""
        return PlanError(f"{type(self).__name__.lower()} {self.name!r}: {why}")


@dataclass(frozen=True, kw_only=True)
class Responder(End):
    """Answers those who ask for its addresses and ports."""

    servers: Endpoints | None = None  # None: the address of its port, and all ports
    answers_for: AddressRange | None = None  # for protocols that are about addresses, such as ARP
    flows: int = DEFAULT_CAPACITY  # at once at most

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.flows < 1:
            raise self.refused(f"{self.flows} flows are too few; give 1 or more")


@dataclass(frozen=True, kw_only=True)
class Clients(End):
    """Open flows to a target, so many at once."""

    target: Endpoints
    sources: Endpoints | None = None  # None: the address of its port, and ports from 1024
    connections: int = 1  # open at once at most
    rate: Frequency | None = None  # of openings; None: as fast as the tester can
    reopen: Reopen = Reopen.ENDED_WELL
    total: int | None = None  # of openings; None: until they are stopped
    first_source: int | None = None  # number of the one used first; None: behind those of earlier starts
    keys: Mapping[str, Numbers] = field(default_factory=dict)  # of fields that are no address and no port

    def __post_init__(self) -> None:
        super().__post_init__()
        for what, number in (("connections", self.connections), ("total", self.total)):
            if number is not None and number < 1:
                raise self.refused(f"{what}={number} is too few; give 1 or more")

    def at(self, rate: Frequency) -> Clients:
        """The same with another rate of openings."""
        return replace(self, rate=rate)
