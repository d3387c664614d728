# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers of IGMP (RFC 2236, RFC 3376). Scapy is imported with this file.

Scapy has them in another module from version to version, and group records as a list, whose fields no editor
can change. The message ends with its header: what follows in the frame is padding, which IP does not count.
"""

from __future__ import annotations

import struct
from typing import Any, ClassVar

from scapy.fields import ByteEnumField, ByteField, IPField, ShortField, XShortField
from scapy.layers.inet import IP, IPOption_Router_Alert
from scapy.packet import Packet
from scapy.utils import checksum

_IP_HEADER = 24  # bytes, with the option Router Alert (RFC 2113), which each message has


class _Message(Packet):
    """An IGMP message of fixed length, with its checksum in the third and fourth byte."""

    overload_fields = {IP: {"proto": 2, "ttl": 1, "tos": 0xC0}}  # noqa: RUF012 - Scapy declares it so

    def post_build(self, built: bytes, payload: bytes) -> bytes:
        """The message with its checksum."""
        if self.chksum is None:
            built = built[:2] + struct.pack("!H", checksum(built)) + built[4:]
        return built + payload

    def add_underlayer(self, underlayer: Any) -> None:
        """Gives the IP header below what it needs, unless its author has."""
        super().add_underlayer(underlayer)
        if isinstance(underlayer, IP):
            if "options" not in underlayer.fields:
                underlayer.setfieldval("options", [IPOption_Router_Alert()])
            if "len" not in underlayer.fields:
                message = sum(field.sz for field in self.fields_desc)
                underlayer.setfieldval("len", _IP_HEADER + message)


class IGMP(_Message):
    """A message of version 2: a report, a leave or a query (RFC 2236 §2)."""

    name = "IGMP"
    fields_desc: ClassVar = [
        ByteEnumField("type", 0x16, {0x11: "query", 0x12: "report1", 0x16: "report", 0x17: "leave"}),
        ByteField("mrcode", 0),
        XShortField("chksum", None),
        IPField("gaddr", "0.0.0.0"),
    ]


class IGMPv3Report(_Message):
    """A report of version 3 with one group record and no sources (RFC 3376 §4.2)."""

    name = "IGMPv3Report"
    fields_desc: ClassVar = [
        ByteField("type", 0x22),
        ByteField("reserved", 0),
        XShortField("chksum", None),
        ShortField("reserved2", 0),
        ShortField("numgrp", 1),
        ByteEnumField("rtype", 4, {1: "is_in", 2: "is_ex", 3: "to_in", 4: "to_ex"}),
        ByteField("auxdlen", 0),
        ShortField("numsrc", 0),
        IPField("maddr", "0.0.0.0"),
    ]
