# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers of a trace that were not kept: what is in them nobody knows."""

from __future__ import annotations

from .network_header import is_cut_off, network_of
from .trace import PathTrace, TracedPacket

_FCS_BYTES = 4
_TCP, _UDP = 6, 17
_SHORTEST = 20  # bytes of a header of TCP
_ROCE_PORT, _ROCE = 4791, 8 + 12 + 16  # bytes of headers of UDP, BTH and RETH


def cut_headers(trace: PathTrace) -> str:
    """The doubt about a trace that has kept too little of a packet; empty if it has all headers."""
    for packet in trace.packets:
        if _is_cut(packet):
            return (
                f"packet {packet.number:,} was kept without the end of its headers, by "
                f"{len(packet.octets)} of its bytes; give Start Trace a greater snap_length"
            )
    return ""


def _is_cut(packet: TracedPacket) -> bool:
    octets = packet.octets
    if len(octets) >= packet.length - _FCS_BYTES:
        return False
    network = network_of(octets)
    if network is None:
        return is_cut_off(octets)
    kept = network.payload(octets)
    if len(kept) == network.length:
        return False
    if network.protocol == _TCP:
        return len(kept) < max(_SHORTEST, 4 * (kept[12] >> 4) if len(kept) >= _SHORTEST else 0)
    if network.protocol == _UDP:
        return len(kept) < 4 or (kept[2:4] == _ROCE_PORT.to_bytes(2, "big") and len(kept) < _ROCE)
    return False
