# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The copy of a packet of a traced path, and the datagram that carries it (p4/controls/path_trace.p4)."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.units import FCS_LENGTH, MIN_FRAME_SIZE
from ....protocols.frame import checksum
from ..entry import TableEntry
from ..trace_record import TraceRecord
from .pipelines import FORWARDED
from .store import number

_ETHER_TYPE = bytes.fromhex("0800")
_NETWORK, _DATAGRAM = 20, 8  # bytes of IPv4 and UDP
_UDP, _TTL = 17, 64
_UNFRAGMENTED = 0x4000


@dataclass(frozen=True)
class PathCopy:
    """The copy of a packet within the switch."""

    record: TraceRecord

    kind = FORWARDED
    template = 0

    @property
    def size(self) -> int:
        """Bytes that counters count, FCS included."""
        return max(MIN_FRAME_SIZE, len(self.record.octets) + FCS_LENGTH)

    def carried(self, carrier: TableEntry) -> bytes:
        """The frame in which it leaves."""
        payload = self.record.octets
        network = bytearray(_NETWORK)
        network[0] = 0x45
        network[2:4] = (_NETWORK + _DATAGRAM + len(payload)).to_bytes(2, "big")
        network[6:8] = _UNFRAGMENTED.to_bytes(2, "big")
        network[8:10] = bytes((_TTL, _UDP))
        network[12:16] = number(carrier, "src").to_bytes(4, "big")
        network[16:20] = number(carrier, "dst").to_bytes(4, "big")
        network[10:12] = checksum(bytes(network)).to_bytes(2, "big")
        addresses = b"".join(number(carrier, name).to_bytes(6, "big") for name in ("dst_mac", "src_mac"))
        numbers = (self.record.number & 0xFFFF, number(carrier, "dport"), _DATAGRAM + len(payload), 0)
        datagram = b"".join(part.to_bytes(2, "big") for part in numbers)
        return b"".join((addresses, _ETHER_TYPE, network, datagram, payload))
