# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The segments that TCP sent again in a trace, why, and how long it took. Pure functions of the trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import count

from ...model.heading import Heading
from ...model.units.units import Duration
from .cut_headers import cut_headers
from .missing_bytes import MissingBytes, Recovery
from .segment import ACK, RST, SYN, End, Segment, after, segment_of
from .trace import PathTrace, TracedPacket

_DUPLICATES = 3  # RFC 5681
# Who retransmits because of an acknowledgement does so at once. A timer ends later: the shortest one is a
# fifth of a second with Linux, a second by RFC 6298.
_QUIET_NS = 100_000_000
_REMEMBERED = 1 << 20  # bytes that were acknowledged, and may be sent again all the same


class Kind(Enum):
    """Why a segment was sent again."""

    FAST = "fast"  # acknowledgements have said that it is missing
    TIMEOUT = "timeout"  # nothing did, for as long as the sender would wait


@dataclass(frozen=True)
class Retransmission:
    """A segment that was sent again. Times are nanoseconds."""

    packet: int  # its number on the path
    direction: Heading
    flow: int  # connections of the trace, from 1
    sequence: int  # its first sequence number
    transmission: int  # 2: sent again for the first time
    kind: Kind
    delay_ns: int  # since the transmission before
    duplicates: int  # acknowledgements without news that passed since then
    sacked: bool  # one of them said that something behind it has arrived
    needed: bool  # the path has dropped or damaged some of its bytes, and they have not left since

    def __str__(self) -> str:
        why = f"{self.duplicates} duplicate acknowledgements{', SACK' if self.sacked else ''}"
        text = (
            f"packet {self.packet:,}: {self.kind.value} retransmission after {Duration(self.delay_ns)}, {why}"
        )
        return text if self.needed else f"{text}, of a segment that the path has not dropped"


@dataclass(frozen=True)
class Retransmissions:
    """The segments that were sent again on a path. Prints as one line."""

    path: str
    found: tuple[Retransmission, ...]
    recoveries: tuple[Recovery, ...]
    segments: int  # with sequence numbers of their own
    doubt: str = ""  # why the trace says nothing
    shared: str = ""  # why it says nothing of one host

    @property
    def fast(self) -> int:
        """Segments that were sent again because of acknowledgements."""
        return sum(again.kind is Kind.FAST for again in self.found)

    @property
    def timeouts(self) -> int:
        """Segments that were sent again because of a timer."""
        return len(self.found) - self.fast

    @property
    def spurious(self) -> int:
        """Segments that were sent again though the path has not dropped them."""
        return sum(not again.needed for again in self.found)

    @property
    def lost(self) -> int:
        """Segments that did not leave, or left damaged."""
        return len(self.recoveries)

    @property
    def longest(self) -> Recovery | None:
        """The loss that was missing for the longest time."""
        return max(self.recoveries, key=lambda recovery: recovery.missing_ns, default=None)

    def __str__(self) -> str:
        text = f"{self.path}: {len(self.found):,} of {self.segments:,} segments were sent again"
        return f"{text} ({self.fast:,} fast, {self.timeouts:,} after a timeout)" if self.found else text


@dataclass
class _Sent:
    """The last transmission of a segment."""

    packet: TracedPacket
    transmissions: int = 1
    duplicates: int = 0
    sacked: bool = False


@dataclass
class _Half:
    """The state of one direction of a connection."""

    flow: int
    next: int  # sequence number that would be new
    opening: int | None = None  # initial sequence number; None: its SYN is not in the trace
    sent: dict[int, _Sent] = field(default_factory=dict)  # by the first sequence number
    open: dict[int, _Sent] = field(default_factory=dict)  # of these, what is not acknowledged
    missing: MissingBytes = field(default_factory=MissingBytes)
    acknowledged: int | None = None  # by the other end
    window: int = 0
    last_ack_ns: int = 0


def retransmissions(trace: PathTrace, heading: Heading = Heading.BOTH) -> Retransmissions:
    """Finds the segments that were sent again in one direction or both, and how long each loss was missing.

    A segment with sequence numbers that are not new is a retransmission, also where others are new: stacks
    cut their data anew. It is fast if acknowledgements that passed since the last transmission have said that
    something is missing (RFC 5681, RFC 2018) and one has passed shortly before it; or else a timer has ended.
    """
    analysis = _Analysis(heading)
    for packet in trace.packets:
        segment = segment_of(packet.octets)
        if segment is not None:
            analysis.see(packet, segment)
    analysis.end(trace.packets[-1].arrived_ns if trace.packets else 0)
    partial = "only a part of the packets was traced" if trace.every != 1 else ""
    return Retransmissions(
        trace.path,
        tuple(again for again in analysis.again if heading in (Heading.BOTH, again.direction)),
        tuple(recovery for recovery in analysis.recoveries if heading in (Heading.BOTH, recovery.direction)),
        analysis.segments,
        trace.doubt or partial or cut_headers(trace),
        trace.shared(heading),
    )


class _Analysis:
    """Goes through a trace once."""

    def __init__(self, heading: Heading) -> None:
        self._heading = heading
        self._halves: dict[tuple[End, End], _Half] = {}
        self._flows = count(1)
        self.again: list[Retransmission] = []
        self.recoveries: list[Recovery] = []
        self.segments = 0

    def see(self, packet: TracedPacket, segment: Segment) -> None:
        """Takes the next packet: an acknowledgement of the other direction, data of its own, or both."""
        back = self._halves.get((segment.destination, segment.source))
        if back is not None and segment.flags & ACK:
            self.recoveries += _acknowledge(back, segment, packet)
        if not segment.numbers or segment.flags & RST:
            return
        self.segments += self._heading in (Heading.BOTH, packet.direction)
        half = self._half(packet, segment, back)
        if sent := _again(half, segment):
            self.again.append(_retransmission(half, segment, packet, sent))
        else:
            _remember(half, segment, packet)
        if packet.gone_ns is None or not packet.arrives:
            half.missing.drop(segment, packet)
        else:
            self.recoveries += half.missing.leave(segment, packet.gone_ns)
        if after(end := (segment.sequence + segment.numbers) % (1 << 32), half.next) > 0:
            half.next = end

    def _half(self, packet: TracedPacket, segment: Segment, back: _Half | None) -> _Half:
        """The direction that a segment belongs to; a new one if the segment opens it."""
        ends = segment.source, segment.destination
        half = self._halves.get(ends)
        opens = segment.flags & SYN and half is not None and half.opening != segment.sequence
        if half is not None and not opens:
            return half
        if half is not None:
            self.recoveries += half.missing.end(packet.arrived_ns)
        answers = back is not None and (half is None or segment.flags & ACK)
        flow = back.flow if back and answers else next(self._flows)
        self._halves[ends] = _Half(flow, segment.sequence, segment.sequence if segment.flags & SYN else None)
        return self._halves[ends]

    def end(self, at_ns: int) -> None:
        """The trace is over."""
        for half in self._halves.values():
            self.recoveries += half.missing.end(at_ns)


def _remember(half: _Half, segment: Segment, packet: TracedPacket) -> None:
    """Keeps a new segment, and forgets the oldest one that is acknowledged and far behind."""
    half.sent[segment.sequence] = half.open[segment.sequence] = _Sent(packet)
    oldest = next(iter(half.sent))
    if oldest not in half.open and after(segment.sequence, oldest) > _REMEMBERED:
        del half.sent[oldest]


def _again(half: _Half, segment: Segment) -> _Sent | None:
    """The segment that was sent before and is sent again now; None where all of it is new."""
    if after(half.next, segment.sequence) <= 0:
        return None
    if known := half.sent.get(segment.sequence):
        return known
    # Cut anew: the last one that begins before it.
    begins = [begin for begin in half.sent if after(segment.sequence, begin) >= 0]
    return half.sent[max(begins, key=lambda begin: after(begin, segment.sequence))] if begins else None


def _acknowledge(half: _Half, segment: Segment, packet: TracedPacket) -> Iterator[Recovery]:
    """Takes a segment of the other direction as an acknowledgement; yields the losses that it ends.

    One that the path dropped or damaged tells the sender nothing.
    """
    if packet.gone_ns is None or not packet.arrives:
        return
    half.last_ack_ns = packet.gone_ns
    ack, known = segment.acknowledged, half.acknowledged
    plain = not segment.numbers and (segment.window == half.window or bool(segment.sack))
    half.window = segment.window
    if known is None or after(ack, known) > 0:
        half.acknowledged = ack
        for begin in list(half.open):
            if after(ack, begin) <= 0:
                break
            del half.open[begin]
        yield from half.missing.acknowledge(ack, packet.gone_ns)
        return
    if not plain:
        return
    if first := half.open.get(ack):
        first.duplicates += 1
    if segment.sack:
        behind = max((left for left, _ in segment.sack), key=lambda left: after(left, ack))
        for begin, sent in half.open.items():
            sent.sacked |= after(begin, ack) >= 0 and after(behind, begin) > 0


def _retransmission(half: _Half, segment: Segment, packet: TracedPacket, sent: _Sent) -> Retransmission:
    told = sent.sacked or sent.duplicates >= _DUPLICATES
    quiet = packet.arrived_ns - max(half.last_ack_ns, sent.packet.arrived_ns) > _QUIET_NS
    sent.transmissions += 1
    again = Retransmission(
        packet=packet.number,
        direction=packet.direction,
        flow=half.flow,
        sequence=segment.sequence,
        transmission=sent.transmissions,
        kind=Kind.FAST if told and not quiet else Kind.TIMEOUT,
        delay_ns=packet.arrived_ns - sent.packet.arrived_ns,
        duplicates=sent.duplicates,
        sacked=sent.sacked,
        needed=half.missing.holds(segment),
    )
    sent.packet, sent.duplicates, sent.sacked = packet, 0, False
    return again
