# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of a chip's pipelines, which take packets and say where they go."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from .digests import Digests
from .store import Store

FORWARDED, TEMPLATE, READ, WRITE, REPLY = range(5)  # kinds of packets within the switch (p4/include/types.p4)


class Carried(Protocol):
    """A packet within the switch."""

    @property
    def kind(self) -> int:
        """One of the kinds above."""
        ...

    @property
    def template(self) -> int:
        """The number of its template."""
        ...

    @property
    def size(self) -> int:
        """Bytes on the wire, FCS included."""
        ...


P = TypeVar("P", bound=Carried)
P_co = TypeVar("P_co", bound=Carried, covariant=True)


@dataclass(frozen=True)
class Way(Generic[P_co]):
    """The way of a packet from an ingress to a port."""

    packet: P_co
    port: int


@dataclass(frozen=True)
class Mirrored(Generic[P_co]):
    """A copy of a packet as it arrived, or left, on its way to the port of a mirror session."""

    packet: P_co
    session: int


@dataclass(frozen=True)
class Left(Generic[P_co]):
    """A packet behind an egress: its bytes, None if it is dropped there, and its copy."""

    octets: bytes | None
    copy: Mirrored[P_co] | None = None


@dataclass(frozen=True)
class Inside(Generic[P_co]):
    """The fate of a packet behind the ingress of a loopback port."""

    again: Way[P_co] | None = None  # goes through a loopback port
    copy: P_co | None = None  # leaves by the ports of a multicast group
    group: int = 0


class Pipelines(Protocol[P]):
    """All pipelines of a chip. Times are nanoseconds of the switch's clock."""

    def ingress(self, port: int, octets: bytes, now_ns: int) -> Iterable[Way[P] | Mirrored[P]]:
        """The ways of a frame that arrives at a front-panel port, and of its copy; there may be none."""
        ...

    def inside(self, packet: P, port: int, now_ns: int) -> Inside[P]:
        """The fate of a packet that comes out of a loopback port; of a template, in a green turn."""
        ...

    def egress(self, packet: P, port: int, now_ns: int) -> Left[P]:
        """A packet that leaves by a front-panel port."""
        ...

    def changed(self, tables: Iterable[str]) -> None:
        """Takes note that entries of tables have changed."""
        ...


MakesPipelines = Callable[[Store, Digests], Pipelines[Any]]  # of a switch that is started
