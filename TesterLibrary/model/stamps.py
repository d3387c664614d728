# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps: the packets of others are timed around a device that lies between two paths."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..errors import PlanError
from .headers import HeaderStack
from .heading import Heading, check_delay
from .ports import Forwarding
from .units.units import Duration

MOST_FLOWS_STAMPED = 65_535  # a stamp has two bytes for the number of its flow
MOST_FLOWS_MATCHED = 1 << 20
MOST_UNDER_WAY = 1 << 24
_LEAST_UNDER_WAY = 64
_LEAST_MTU, _MOST_MTU = 68, 65_535
_SHORTEST_INTERVAL = Duration(10**6)


class StampMode(Enum):
    """The way in which a packet is known again behind the device."""

    STAMP = "stamp"  # two times are put into it
    MATCH = "match"  # it stays as it is, and is known by what the device keeps of it


class Kept(Enum):
    """A part of a packet that the device keeps, by its bit in `Stamps.ByKept.fields`."""

    SOURCE = 1  # address
    DESTINATION = 2
    SOURCE_PORT = 4
    DESTINATION_PORT = 8
    IDENTIFICATION = 16  # of IPv4
    SEQUENCE = 32  # number of TCP
    ACKNOWLEDGMENT = 64  # number of TCP
    PAYLOAD = 128


ALL_KEPT = tuple(Kept)
_TELLING_APART = {Kept.IDENTIFICATION, Kept.SEQUENCE, Kept.PAYLOAD}
_TRANSLATED = (Kept.IDENTIFICATION, Kept.SEQUENCE, Kept.ACKNOWLEDGMENT, Kept.PAYLOAD)


def kept_by(forwarding: Forwarding) -> tuple[Kept, ...]:
    """The fields that a device of that kind keeps: one that translates keeps neither addresses nor ports."""
    return _TRANSLATED if forwarding is Forwarding.TRANSLATED else ALL_KEPT


@dataclass(frozen=True)
class LoadedPath:
    """A path, and the job that it is loaded with."""

    job: str
    path: str


@dataclass(frozen=True, kw_only=True)
class Stamps:
    """Packets with these headers are timed from the port that faces the device to where they come back.

    The first path leads from a host to the device, the second one from the device to another host; forward is
    from the first host to the second one.
    """

    name: str
    paths: tuple[LoadedPath, LoadedPath]
    mode: StampMode = StampMode.STAMP
    headers: HeaderStack | None = None  # None: any
    heading: Heading = Heading.BOTH
    data_only: bool = False  # packets with payload
    remove: bool = True  # take stamps out again behind the device
    mtu: int = 1500  # bytes of an IP packet with its stamp
    kept: tuple[Kept, ...] = ALL_KEPT  # where packets are matched
    timeout: Duration = Duration(10**9)  # what comes back later is lost
    flows: int | None = None  # of each direction, that are counted one by one; None: as many as is usual
    under_way: int = 1 << 18  # packets that can be, in each direction, where they are matched
    interval: Duration | None = None  # of the series over time; None: the usual one

    def __post_init__(self) -> None:
        if self.paths[0] == self.paths[1]:
            raise self.refused(
                f"path {self.paths[0].path!r} is given twice; give the path before the device and the one "
                "behind it"
            )
        check_delay(f"stamps {self.name!r}: timeout", self.timeout, least_ns=1)
        if self.interval is not None:
            check_delay(f"stamps {self.name!r}: interval", self.interval, least_ns=_SHORTEST_INTERVAL.ns)
        if not _LEAST_MTU <= self.mtu <= _MOST_MTU:
            raise self.refused(f"mtu={self.mtu}; give {_LEAST_MTU} to {_MOST_MTU:,} bytes")
        most = MOST_FLOWS_STAMPED if self.mode is StampMode.STAMP else MOST_FLOWS_MATCHED
        if self.flows is not None and not 1 <= self.flows <= most:
            raise self.refused(f"flows={self.flows:,}; give 1 to {most:,} with mode={self.mode.value}")
        if not _LEAST_UNDER_WAY <= self.under_way <= MOST_UNDER_WAY:
            raise self.refused(f"under_way={self.under_way:,}; give {_LEAST_UNDER_WAY} to {MOST_UNDER_WAY:,}")
        if self.mode is StampMode.MATCH:
            self._check_kept()

    def _check_kept(self) -> None:
        if not _TELLING_APART & set(self.kept):
            given = ",".join(kept.name.lower() for kept in self.kept) or "none"
            raise self.refused(
                f"kept={given} tells no two packets of a flow apart; add identification, sequence or payload"
            )
        if _TELLING_APART & set(self.kept) == {Kept.PAYLOAD} and not self.data_only:
            raise self.refused(
                "packets without payload look all alike by it; give data_only=True, or more that is kept"
            )

    def refused(self, why: str) -> PlanError:
        """The error that says which stamps are meant."""
        return PlanError(f"stamps {self.name!r}: {why}")
