# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers of ICMPv6 messages that hosts send: MLD and neighbour discovery. Scapy is imported with this file.

Scapy's own take what follows in the frame for a part of the message, and have options and records as lists,
whose fields no editor can change. These messages end with their header: what follows is padding.
"""

from __future__ import annotations

import struct
from typing import Any, ClassVar

from scapy.fields import (
    BitField,
    ByteEnumField,
    ByteField,
    IntField,
    IP6Field,
    MACField,
    ShortField,
    XShortField,
)
from scapy.layers.inet6 import IPv6, in6_chksum
from scapy.packet import Packet

_ICMPV6 = 58
_SOURCE_OPTION, _TARGET_OPTION = 1, 2  # a link-layer address (RFC 4861 §4.6.1)


class RouterAlert(Packet):
    """A hop-by-hop header of eight bytes with the option Router Alert, which each message of MLD has."""

    name = "RouterAlert"
    overload_fields = {IPv6: {"nh": 0, "hlim": 1}}  # noqa: RUF012 - Scapy declares it so
    fields_desc: ClassVar = [
        ByteField("nh", _ICMPV6),
        ByteField("len", 0),
        ByteField("option", 5),  # RFC 2711
        ByteField("optlen", 2),
        ShortField("alert", 0),  # MLD
        XShortField("padding", 0x0100),  # two bytes (RFC 8200 §4.2)
    ]


class _Message(Packet):
    """A message of fixed length, with its checksum in the third and fourth byte."""

    def post_build(self, built: bytes, payload: bytes) -> bytes:
        """The message with its checksum, if there is an IPv6 header below."""
        below = self._ip(self.underlayer)
        if self.cksum is None and below is not None:
            chksum = in6_chksum(_ICMPV6, below, built)  # type: ignore[no-untyped-call, unused-ignore]
            built = built[:2] + struct.pack("!H", chksum) + built[4:]
        return built + payload

    def add_underlayer(self, underlayer: Any) -> None:
        """Gives the IP header below its length, unless its author has."""
        super().add_underlayer(underlayer)
        below = self._ip(underlayer)
        if below is not None and "plen" not in below.fields:
            between = 0 if below is underlayer else _bits(underlayer)
            below.setfieldval("plen", (between + _bits(self)) // 8)

    @staticmethod
    def _ip(below: Any) -> Any:
        while below is not None and not isinstance(below, IPv6):
            below = below.underlayer
        return below


def _bits(message: Packet) -> int:
    return sum(
        field.size if isinstance(field, BitField) else int(field.sz) * 8 for field in message.fields_desc
    )


class _OfGroups(_Message):
    """A message of MLD."""

    overload_fields = {RouterAlert: {"nh": _ICMPV6}}  # noqa: RUF012 - Scapy declares it so


class ICMPv6MLD(_OfGroups):
    """A message of MLD version 1: a report, a done or a query (RFC 2710 §3)."""

    name = "ICMPv6MLD"
    fields_desc: ClassVar = [
        ByteEnumField("type", 131, {130: "query", 131: "report", 132: "done"}),
        ByteField("code", 0),
        XShortField("cksum", None),
        ShortField("mrd", 0),
        ShortField("reserved", 0),
        IP6Field("mladdr", "::"),
    ]


class ICMPv6MLDv2Report(_OfGroups):
    """A report of MLD version 2 with one address record and no sources (RFC 3810 §5.2)."""

    name = "ICMPv6MLDv2Report"
    fields_desc: ClassVar = [
        ByteField("type", 143),
        ByteField("reserved", 0),
        XShortField("cksum", None),
        ShortField("reserved2", 0),
        ShortField("numrec", 1),
        ByteEnumField("rtype", 4, {1: "is_in", 2: "is_ex", 3: "to_in", 4: "to_ex"}),
        ByteField("auxdlen", 0),
        ShortField("numsrc", 0),
        IP6Field("maddr", "::"),
    ]


class _OfNeighbours(_Message):
    """A message of neighbour discovery, which no router forwards (RFC 4861 §4.3, §4.4)."""

    overload_fields = {IPv6: {"nh": _ICMPV6, "hlim": 255}}  # noqa: RUF012 - Scapy declares it so


class ICMPv6Solicitation(_OfNeighbours):
    """A neighbour solicitation with the link-layer address of who asks (RFC 4861 §4.3)."""

    name = "ICMPv6Solicitation"
    fields_desc: ClassVar = [
        ByteField("type", 135),
        ByteField("code", 0),
        XShortField("cksum", None),
        IntField("reserved", 0),
        IP6Field("tgt", "::"),
        ByteField("option", _SOURCE_OPTION),
        ByteField("optlen", 1),
        MACField("lladdr", None),
    ]


class ICMPv6Advertisement(_OfNeighbours):
    """A neighbour advertisement with the link-layer address of its target (RFC 4861 §4.4)."""

    name = "ICMPv6Advertisement"
    fields_desc: ClassVar = [
        ByteField("type", 136),
        ByteField("code", 0),
        XShortField("cksum", None),
        BitField("R", 0, 1),
        BitField("S", 0, 1),
        BitField("O", 1, 1),
        BitField("reserved", 0, 29),
        IP6Field("tgt", "::"),
        ByteField("option", _TARGET_OPTION),
        ByteField("optlen", 1),
        MACField("lladdr", None),
    ]
