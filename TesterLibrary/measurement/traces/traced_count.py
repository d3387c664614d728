# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Expected counters of a host at the end of a path: a pure function of the trace of the path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from ...errors import TesterLibraryError
from ...model.heading import Heading
from .cut_headers import cut_headers
from .network_header import network_of
from .retransmissions import retransmissions
from .roce_packet import roce_packet_of
from .segment import RST, segment_of
from .trace import Change, PathTrace, TracedPacket

_ECN, _CE = 3, 3
_FCS_BYTES = 4


class Traced(Enum):
    """Something that both a trace and a host count, in the direction of a path."""

    SENT = "sent"  # frames that its sender has sent
    SENT_BYTES = "sent_bytes"  # of these, FCS not counted
    RECEIVED = "received"  # frames that have left to its receiver
    RETRANSMISSIONS = "retransmissions"  # segments of TCP that were sent again
    TIMEOUTS = "timeouts"  # of these, after a timer
    RESETS = "resets"  # segments of TCP with RST that its sender has sent
    MARKED = "marked"  # packets that have left to its receiver with ECN congestion experienced
    ROCE_SENT = "roce_sent"  # packets of RoCEv2 that its sender has sent
    ROCE_RECEIVED = "roce_received"  # of these, those that have left to its receiver undamaged


_OF_FRAMES = (Traced.SENT, Traced.SENT_BYTES, Traced.RECEIVED)  # whatever is in them
REACHES_THE_HOST = (Traced.RECEIVED, Traced.MARKED, Traced.ROCE_RECEIVED)


@dataclass(frozen=True)
class TracedCount:
    """A count in a trace."""

    value: int
    doubt: str = ""  # why it says nothing


def count(trace: PathTrace, what: Traced, heading: Heading) -> TracedCount:
    """Counts in one direction of a trace.

    Raises:
        TesterLibraryError: both directions are given, of which no host has both.
    """
    check_direction(heading)
    if what in (Traced.RETRANSMISSIONS, Traced.TIMEOUTS):
        return _sent_again(trace, heading, after_timer=what is Traced.TIMEOUTS)
    packets = [packet for packet in trace.packets if packet.direction is heading]
    sender = (
        Heading.BACKWARD if (heading is Heading.FORWARD) == (what in REACHES_THE_HOST) else Heading.FORWARD
    )
    partial = "only a part of the packets was traced" if trace.every != 1 else ""
    cut = "" if what in _OF_FRAMES else cut_headers(trace)
    doubt = "; ".join(filter(None, (trace.doubt or partial or cut, trace.shared(sender))))
    return TracedCount(sum(map(_COUNTED[what], packets)), doubt)


def _sent_again(trace: PathTrace, heading: Heading, *, after_timer: bool) -> TracedCount:
    again = retransmissions(trace, heading)
    value = again.timeouts if after_timer else len(again.found)
    return TracedCount(value, "; ".join(filter(None, (again.doubt, again.shared))))


def check_direction(heading: Heading) -> None:
    """TesterLibraryError for both directions: a host counts what passes in one of them."""
    if heading is Heading.BOTH:
        raise TesterLibraryError("direction=both; give the one in which the host counts: forward or backward")


def _is_roce(packet: TracedPacket) -> bool:
    return roce_packet_of(packet.octets) is not None


def _is_marked(packet: TracedPacket) -> bool:
    network = network_of(packet.octets)
    return Change.MARKED in packet.changes or (network is not None and network.traffic_class & _ECN == _CE)


def _is_reset(packet: TracedPacket) -> bool:
    segment = segment_of(packet.octets)
    return segment is not None and bool(segment.flags & RST)


_COUNTED: Mapping[Traced, Callable[[TracedPacket], int]] = {  # what a packet of the direction adds
    Traced.SENT: lambda _: 1,
    Traced.SENT_BYTES: lambda packet: packet.length - _FCS_BYTES,
    Traced.RECEIVED: lambda packet: packet.gone_ns is not None,
    Traced.RESETS: _is_reset,
    Traced.MARKED: lambda packet: packet.gone_ns is not None and _is_marked(packet),
    Traced.ROCE_SENT: _is_roce,
    Traced.ROCE_RECEIVED: lambda packet: packet.arrives and _is_roce(packet),
}
