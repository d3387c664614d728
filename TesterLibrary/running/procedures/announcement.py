# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Neighbours behind a port of the tester, the frames that announce them, and those that are sent to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from ipaddress import IPv6Address
from math import ceil

from ...errors import PlanError
from ...model.editor import Editor, FieldPath, Sweep
from ...model.endpoints import AddressRange
from ...model.headers import Header, HeaderStack
from ...model.ports import Address, Port
from ...model.responder import Responder
from ...model.stream import Stream
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, FrameSize, Rate, RateUnit

ANNOUNCEMENTS, PROBES = "announcements", "probes"
_BROADCAST = "ff:ff:ff:ff:ff:ff"
_LAG_NS = 50 * 10**6  # before the first probe at least, so that addresses are announced before that
_REQUEST, _REPLY = "1", "2"  # operations of RFC 826
_SIZES = {4: FrameSize(64), 6: FrameSize(90)}  # of an announcement
_PROBE_SIZES = {4: FrameSize(64), 6: FrameSize(82)}
_ALL_NODES = "ff02::1"


class Announcement(Enum):
    """The ways in which an address is announced: by ARP, or in brackets by neighbour discovery."""

    REPLY = "reply"  # sent to the device, which has not asked (an advertisement)
    REQUEST = "request"  # for the device, which learns from whom it comes (RFC 826; a solicitation, RFC 4861)
    GRATUITOUS = "gratuitous"  # of an address for itself, to all (RFC 5227 §3; RFC 9131)
    ANSWER = "answer"  # not at all: the device asks, and is answered (RFC 8161)


@dataclass(frozen=True)
class Neighbours:
    """Addresses behind one port of the tester, and the port from which they are reached."""

    addresses: AddressRange
    announce: str
    probe: str
    rate: Frequency  # of announcements
    probe_rate: Frequency
    kind: Announcement = Announcement.REPLY
    mac: str | None = None  # None: that of the port

    def first(self, count: int) -> Neighbours:
        """The same neighbours, but only the first so many."""
        return replace(self, addresses=AddressRange(self.addresses.first, count))

    def announcements(self, port: Port) -> Stream:
        """One address after the other is announced. PlanError unless the port is in a router's network."""
        self.check(port)
        if self.kind is Announcement.ANSWER or port.gateway is None:
            raise PlanError(
                "kind=answer announces nothing: the device asks; give reply, request or gratuitous"
            )
        mac, version = self.mac or port.mac.hex(":"), self.addresses.first.version
        headers, changing = (self._arp if version == 4 else self._discovery)(mac, port.gateway)
        return Stream(
            ANNOUNCEMENTS,
            tx=self.announce,
            rx=self.probe,
            frame_size=_SIZES[version],
            rate=_pps(self.rate),
            headers=HeaderStack(headers),
            editors=tuple(self._each(field) for field in changing),
            signature=False,  # a switch has no place for it in ARP
            expected=False,
            answered=False,  # IPv6 announcements come from the addresses, which do not answer
        )

    def answers(self) -> Responder:
        """The end that tells the device where they are, if asked."""
        return Responder(
            name=f"neighbours {self.addresses}",
            port=self.announce,
            protocol="arp" if self.addresses.first.version == 4 else "nd",
            answers_for=self.addresses,
            parameters={"mac": self.mac} if self.mac else {},
        )

    def check(self, port: Port) -> None:
        """PlanError unless this port is in a router's network, they too, and the device may not know them."""
        if port.gateway is None or port.address is None:
            raise PlanError(f"port {port.name!r} has no gateway: there is no router that could learn there")
        if not all(end in port.address.network for end in (self.addresses.first, self.addresses.last)):
            raise PlanError(f"{self.addresses} are not all in {port.address.network}, that of {port.name!r}")
        for what, address in (("address", port.address.ip), ("gateway", port.gateway)):
            if address in self.addresses:
                raise PlanError(
                    f"{self.addresses} hold {address}, the {what} of port {port.name!r}, which the "
                    "device knows already; give addresses without it"
                )

    def _arp(self, mac: str, router: Address) -> tuple[tuple[Header, ...], list[str]]:
        """The headers of announcements, and the fields that hold the address."""
        reply = self.kind is Announcement.REPLY
        arp = {"op": _REPLY if reply else _REQUEST, "hwsrc": mac, "pdst": str(router)}
        link = {"src": mac} if reply else {"src": mac, "dst": _BROADCAST}
        gratuitous = self.kind is Announcement.GRATUITOUS
        headers = (Header("Ether", tuple(link.items())), Header("ARP", tuple(arp.items())))
        return headers, ["ARP.psrc", "ARP.pdst"] if gratuitous else ["ARP.psrc"]

    def _discovery(self, mac: str, router: Address) -> tuple[tuple[Header, ...], list[str]]:
        """The same in IPv6."""
        link = Header("Ether", (("src", mac),))
        if self.kind is Announcement.REQUEST:
            message = Header("ICMPv6Solicitation", (("tgt", str(router)), ("lladdr", mac)))
            return (link, Header("IPv6", (("dst", _solicited_node(router)),)), message), ["IPv6.src"]
        reply = self.kind is Announcement.REPLY
        message = Header("ICMPv6Advertisement", (("S", str(int(reply))), ("lladdr", mac)))
        to = Header("IPv6", (("dst", str(router) if reply else _ALL_NODES),))
        return (link, to, message), ["IPv6.src", "ICMPv6Advertisement.tgt"]

    def probes(self) -> Stream:
        """UDP to one address after the other. The tester does not tell the device where they are if asked."""
        return Stream(
            PROBES,
            tx=self.probe,
            rx=self.announce,
            frame_size=_PROBE_SIZES[self.addresses.first.version],
            rate=_pps(self.probe_rate),
            start_after=self._lag,
            editors=(self._each("IP.dst" if self.addresses.first.version == 4 else "IPv6.dst"),),
            count_flows=True,
            answered=False,
        )

    @property
    def _lag(self) -> Duration:
        """The time of the first probe: whole gaps, as a switch waits for no others."""
        gaps = ceil(self.probe_rate.per_second * _LAG_NS / 10**9)
        return Duration(round(gaps * 10**9 / self.probe_rate.per_second))

    def _each(self, field: str) -> Editor:
        first, last = str(self.addresses.first), str(self.addresses.last)
        return Editor(FieldPath.parse(field), Sweep(first, last))


def _solicited_node(address: Address) -> str:
    """The group at which a host is asked for (RFC 4291 §2.7.1)."""
    return str(IPv6Address(bytes.fromhex("ff0200000000000000000001ff") + address.packed[-3:]))


def _pps(rate: Frequency) -> Rate:
    return Rate(rate.per_second, RateUnit.PPS)
