# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Packets of RoCEv2 in frames that were recorded, read from their first bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .network_header import network_of

PSNS = 1 << 24
_UDP, _PORT = 17, 4791
_UDP_BYTES, _BTH_BYTES, _ICRC_BYTES = 8, 12, 4
_CE = 3  # RFC 3168
_READ_REQUEST, _ACKNOWLEDGE, _CNP = 0x0C, 0x11, 0x81
_READ_RESPONSES = range(0x0D, 0x11)
_WITH_AETH = (0x0D, 0x0F, 0x10, _ACKNOWLEDGE)
_WITH_RETH = (0x06, 0x0A, 0x0B, _READ_REQUEST)
_SEND_AND_WRITE = range(0x0C)
_RELIABLE = 0  # the upper three bits of the opcode: RC
_SEQUENCE_ERROR = 0x60
_LAST_ACK = 0x1F  # syndromes up to this one acknowledge
_NOT_READY = range(0x20, 0x40)  # those of a receiver that is not ready, with its timer


def psn_after(one: int, other: int) -> int:
    """How far a packet sequence number lies behind another one; negative, if it lies before it."""
    return (one - other + PSNS // 2) % PSNS - PSNS // 2


@dataclass(frozen=True)
class RocePacket:
    """A packet of RoCEv2."""

    source: bytes  # IP addresses
    destination: bytes
    queue_pair: int  # of the receiver
    opcode: int
    psn: int
    marked: bool  # ECN: congestion experienced
    payload: int  # bytes behind its extended headers, padding included
    syndrome: int | None = None  # of an acknowledge extended header
    length: int | None = None  # bytes that a READ asks for

    @property
    def is_cnp(self) -> bool:
        """It notifies of congestion."""
        return self.opcode == _CNP

    @property
    def is_reliable(self) -> bool:
        """It is of a reliable connection."""
        return self.opcode >> 5 == _RELIABLE

    @property
    def is_request_data(self) -> bool:
        """It is a part of a SEND or a WRITE."""
        return self.opcode in _SEND_AND_WRITE

    @property
    def is_read_request(self) -> bool:
        """It asks for a READ, or for the rest of one."""
        return self.opcode == _READ_REQUEST

    @property
    def is_read_response(self) -> bool:
        """It is a part of the answer to a READ."""
        return self.opcode in _READ_RESPONSES

    @property
    def is_ack(self) -> bool:
        """It acknowledges everything up to its PSN."""
        return self.opcode == _ACKNOWLEDGE and self.syndrome is not None and self.syndrome <= _LAST_ACK

    @property
    def is_not_ready(self) -> bool:
        """It asks for everything from its PSN on, later: its sender has no room for it (RNR NAK)."""
        return self.opcode == _ACKNOWLEDGE and self.syndrome in _NOT_READY

    @property
    def is_nak(self) -> bool:
        """It asks for everything from its PSN on: a sequence error."""
        return self.opcode == _ACKNOWLEDGE and self.syndrome == _SEQUENCE_ERROR


def roce_packet_of(octets: bytes) -> RocePacket | None:
    """The packet in a frame; None where it is no RoCEv2, or is cut off within its headers."""
    network = network_of(octets)
    if network is None or network.protocol != _UDP:
        return None
    udp = network.payload(octets)
    if len(udp) < _UDP_BYTES + _BTH_BYTES or udp[2:4] != _PORT.to_bytes(2, "big"):
        return None
    opcode, _, _, pair, psn = struct.unpack_from("!BBHII", udp, _UDP_BYTES)
    rest = udp[_UDP_BYTES + _BTH_BYTES :]
    bytes_behind = network.length - _UDP_BYTES - _BTH_BYTES - _ICRC_BYTES
    syndrome = length = None
    if opcode in _WITH_AETH:
        if not rest:
            return None
        syndrome, bytes_behind = rest[0], bytes_behind - 4
    if opcode in _WITH_RETH:
        if len(rest) < 16:
            return None
        length, bytes_behind = int.from_bytes(rest[12:16], "big"), bytes_behind - 16
    return RocePacket(
        network.source,
        network.destination,
        pair % PSNS,
        opcode,
        psn % PSNS,
        network.traffic_class & 3 == _CE,
        max(0, bytes_behind),
        syndrome,
        length,
    )
