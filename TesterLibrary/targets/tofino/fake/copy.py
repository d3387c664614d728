# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The copy of a packet, and the datagram that carries it (p4/controls/copies.p4)."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.units.units import FCS_LENGTH, MIN_FRAME_SIZE
from ....protocols.frame import checksum
from ..copies.copies import carriers
from ..copies.copy_record import KIND, CopyRecord
from ..entries.entry import TableEntry
from .store import Store, number

_ETHER_TYPE = bytes.fromhex("0800")
_NETWORK, _DATAGRAM = 20, 8  # bytes of IPv4 and UDP
_UDP, _TTL = 17, 64
_UNFRAGMENTED = 0x4000
_WORD = 1 << 32


@dataclass(frozen=True)
class Copy:
    """The copy of a packet within the switch."""

    record: CopyRecord

    kind = KIND
    template = 0

    @property
    def size(self) -> int:
        """Bytes that counters count, FCS included."""
        return max(MIN_FRAME_SIZE, len(self.record.octets) + FCS_LENGTH)

    def carried(self, store: Store, egress: str, port: int) -> bytes | None:
        """The frame in which it leaves by a port; None: the egress has no entry that carries it."""
        carrier = store.match(carriers(egress), port)
        return None if carrier is None else self._carried(carrier)

    def _carried(self, carrier: TableEntry) -> bytes:
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


def next_copy(store: Store, register: str, pipe: int, series: int) -> int:
    """The number of the next copy of a series."""
    numbers = store.cells(register, f"{register.partition('.')[2]}.f1")
    copy = numbers.get((pipe, series), 0)
    numbers[pipe, series] = (copy + 1) % _WORD
    return copy
