# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RoCEv2's invariant CRC: a CRC-32 over all of a packet that no router may change (InfiniBand annex A17)."""

from __future__ import annotations

import zlib

ICRC_BYTES = 4  # behind the payload of a RoCEv2 packet
_IPV4 = 4
_UDP_BYTES = 8
_LINK_HEADER = b"\xff" * 8  # stands for InfiniBand's local route header


def icrc(packet: bytes, transport: int) -> bytes:
    """The invariant CRC of a packet, as it is sent.

    Args:
        packet: From its IP header to the end of its payload, with lengths that count the CRC.
        transport: Where its UDP header begins.
    """
    masked = bytearray(packet)
    if packet[0] >> 4 == _IPV4:
        masked[1] = masked[8] = 0xFF  # type of service, time to live
        masked[10:12] = b"\xff\xff"  # checksum
    else:
        masked[0] |= 0x0F  # traffic class, flow label
        masked[1:4] = b"\xff\xff\xff"
        masked[7] = 0xFF  # hop limit
    masked[transport + 6 : transport + 8] = b"\xff\xff"  # checksum of UDP
    masked[transport + _UDP_BYTES + 4] = 0xFF  # FECN, BECN and reserved bits of BTH
    return zlib.crc32(_LINK_HEADER + masked).to_bytes(ICRC_BYTES, "little")
