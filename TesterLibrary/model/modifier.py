# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Modifiers of a test (RFC 2544 §11): frames beside those of the test, and filters in the device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ..errors import PlanError
from .headers import HeaderStack
from .payload import Payload, PayloadKind
from .ports import Address, Port
from .stream import Stream
from .units.units import LINE_OVERHEAD, MIN_FRAME_SIZE, FrameSize, Rate, RateUnit

_BROADCASTS = Fraction(1, 100)  # of the frames of the test (§11.1)
_EACH_SECOND = Rate(Fraction(1), RateUnit.PPS)  # queries (§11.2)
_EACH_HALF_MINUTE = Rate(Fraction(1, 30), RateUnit.PPS)  # updates (§11.3; RIP, RFC 2453 §3.8)
_ETHERNET_IP_UDP_FCS = 14 + 20 + 8 + 4  # bytes
_UPTIME = (1, 3, 6, 1, 2, 1, 1, 3, 0)  # sysUpTime.0: its value fits a single response frame
_TO_ROUTERS = 'Ether(dst="01:00:5e:00:00:09") / IP(dst="224.0.0.9", ttl=1) / UDP(sport=520, dport=520)'
_ROUTES = 25  # of an update: as many as it holds
_NETWORK = 0x0A_F0_00_00  # 10.240.0.0: none of the networks of a test


class Modifier(Enum):
    """A condition of a test (RFC 2544 §11)."""

    BROADCAST = "broadcast"  # frames to all stations, 1 % of those of the test, evenly spread
    MANAGEMENT = "management"  # an SNMP query at the begin of each second
    ROUTING = "routing"  # a RIP update at the begin of the trial, and every 30 s
    FILTERS = "filters"  # the device filters, as the hook of its testbed has it do


_TEXTS = {
    Modifier.BROADCAST: "1 % broadcast frames",
    Modifier.MANAGEMENT: "a management query each second",
    Modifier.ROUTING: "routing updates",
    Modifier.FILTERS: "filters in the device",
}


@dataclass(frozen=True)
class Modifiers:
    """The modifiers of a test, in the order of their section."""

    chosen: tuple[Modifier, ...] = ()
    agent: Address | None = None  # who is asked; None: the gateway of the port
    community: str = "public"

    def __str__(self) -> str:
        return ", ".join(text for modifier, text in _TEXTS.items() if modifier in self.chosen)

    @property
    def sends(self) -> bool:
        """Whether frames leave beside those of the test."""
        return any(modifier is not Modifier.FILTERS for modifier in self.chosen)

    def refuse_beside(self, what: str) -> None:
        """PlanError if frames of modifiers would leave beside what has to be sent alone."""
        if self.sends:
            raise PlanError(
                f"{what} is sent alone, and {self} were set; call Set Modifiers without them first"
            )

    def part_of(self, stream: Stream) -> Fraction:
        """The part of the line that is left for frames of a stream, where the others have the rest of it."""
        if Modifier.BROADCAST not in self.chosen:
            return Fraction(1)
        size = stream.frame_size.mean + LINE_OVERHEAD
        return size / (size + _BROADCASTS * (MIN_FRAME_SIZE + LINE_OVERHEAD))

    def beside(self, port: Port, frames_per_second: Fraction) -> Iterator[Stream]:
        """The streams that leave a port beside so many frames of the test.

        Nobody expects them: the device may forward, take or drop them. PlanError for what has no sense there.
        """
        if Modifier.BROADCAST in self.chosen:
            to_all = 'Ether(dst="ff:ff:ff:ff:ff:ff") / IP(dst="255.255.255.255") / UDP(sport=9, dport=9)'
            rate = Rate(frames_per_second * _BROADCASTS, RateUnit.PPS)
            yield _stream(Modifier.BROADCAST, port, to_all, b"", rate)
        if Modifier.MANAGEMENT in self.chosen:
            agent = self.agent or port.gateway
            if agent is None:
                raise PlanError(
                    f"port {port.name!r} has no gateway that could be asked for its uptime; give agent="
                )
            if agent.version != 4:
                raise PlanError(f"the management query is sent over IPv4, and {agent} is IPv6; give agent=")
            asked = f'Ether / IP(dst="{agent}") / UDP(sport=49161, dport=161)'
            yield _stream(Modifier.MANAGEMENT, port, asked, _query(self.community), _EACH_SECOND)
        if Modifier.ROUTING in self.chosen:
            yield _stream(Modifier.ROUTING, port, _TO_ROUTERS, _update(), _EACH_HALF_MINUTE)


NO_MODIFIERS = Modifiers()


def _stream(modifier: Modifier, port: Port, headers: str, payload: bytes, rate: Rate) -> Stream:
    if port.address is not None and port.address.version != 4:
        raise PlanError(
            f"the modifier {modifier.value} is sent over IPv4, and port {port.name!r} has {port.address}"
        )
    return Stream(
        f"{modifier.value} of {port.name}",
        tx=port.name,
        rx=port.name,
        frame_size=FrameSize(max(MIN_FRAME_SIZE, len(payload) + _ETHERNET_IP_UDP_FCS)),
        rate=rate,
        headers=HeaderStack.parse(headers),
        payload=Payload(PayloadKind.FILE, payload) if payload else Payload(PayloadKind.ZEROS),
        signature=False,
        expected=False,
        answered=False,
    )


def _query(community: str) -> bytes:
    """A GetRequest of SNMP version 2c for the uptime (RFC 3416 §4.2.1)."""
    name = bytes((40 * _UPTIME[0] + _UPTIME[1], *_UPTIME[2:]))
    binding = _tagged(0x30, _tagged(0x06, name) + _tagged(0x05, b""))
    numbers = _tagged(0x02, b"\x01") + _tagged(0x02, b"\0") * 2  # request, no error, no index
    request = _tagged(0xA0, numbers + _tagged(0x30, binding))
    return _tagged(0x30, _tagged(0x02, b"\x01") + _tagged(0x04, community.encode("ascii")) + request)


def _tagged(tag: int, content: bytes) -> bytes:
    """An element of BER; contents are short."""
    assert len(content) < 0x80, content
    return bytes((tag, len(content))) + content


def _update() -> bytes:
    """A response of RIP version 2 with routes to networks that no test uses (RFC 2453 §4)."""
    routes = (
        b"\0\x02\0\0"  # address family IPv4, no tag
        + (_NETWORK + (number << 8)).to_bytes(4, "big")
        + b"\xff\xff\xff\0"
        + bytes(4)  # by way of the sender
        + (1).to_bytes(4, "big")
        for number in range(_ROUTES)
    )
    return b"\x02\x02\0\0" + b"".join(routes)
