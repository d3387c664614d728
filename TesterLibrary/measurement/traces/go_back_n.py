# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether both ends of RoCEv2's reliable connections went back N as they have to, and how long they took.

Each direction of a queue pair in which data flows has an automaton of its receiver, as the tester in the
middle sees it, and one of its sender (Lumina, §4; InfiniBand Architecture Specification 1.5, §9.7.5). Pure
functions of the trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from ...model.heading import Heading
from ..capture import Fate
from .cut_headers import cut_headers
from .go_back_n_counts import Fault, GoBackN, GoingBack, Reason, Violation
from .missing_bytes import Recovery
from .roce_packet import PSNS, RocePacket, psn_after, roce_packet_of
from .trace import Change, PathTrace, TracedPacket

# A sender whose timer ends has been silent for longer; one that reacts to a NAK is quicker. The shortest
# timeouts of NICs are some milliseconds.
_QUIET_NS = 1_000_000
# An answer may be on its way to the tester while the packet that it asks for passes the other way.
_CROSSING_NS = 1_000_000


class State(Enum):
    """The receiver of one direction, as far as the tester knows."""

    IN_ORDER = "in order"
    MISSING = "something has arrived behind what is missing"
    ASKED = "it was asked for"


class Step(Enum):
    """An event that takes the receiver of a direction from state to state."""

    NEXT = "the packet that it expects arrives"
    BEHIND = "one behind that arrives"
    NAK = "it asks for the packet that it expects"


# The states that follow; a fault where there is one. Duplicates change nothing.
_RECEIVER: dict[tuple[State, Step], tuple[State, Fault | None]] = {
    (State.IN_ORDER, Step.NEXT): (State.IN_ORDER, None),
    (State.IN_ORDER, Step.BEHIND): (State.MISSING, None),
    (State.IN_ORDER, Step.NAK): (State.IN_ORDER, Fault.UNPROMPTED_NAK),
    (State.MISSING, Step.NEXT): (State.IN_ORDER, Fault.NO_NAK),
    (State.MISSING, Step.BEHIND): (State.MISSING, None),
    (State.MISSING, Step.NAK): (State.ASKED, None),
    (State.ASKED, Step.NEXT): (State.IN_ORDER, None),
    (State.ASKED, Step.BEHIND): (State.ASKED, None),
    (State.ASKED, Step.NAK): (State.ASKED, Fault.REPEATED_NAK),
}


@dataclass
class _Asked:
    """The last request to go back that has left the path."""

    psn: int
    gone_ns: int
    generation_ns: int | None
    later: bool = False  # its sender was not ready


@dataclass
class _Half:
    """One direction of a queue pair in which data flows: sender and receiver."""

    flow: int
    direction: Heading
    # The sender: what it has to send next, unless it goes back; None: not known, behind a READ.
    next: int | None = None
    top: int | None = None  # behind all that was sent
    acknowledged: int | None = None  # the first PSN that no acknowledgement has reached it for
    asked: _Asked | None = None
    last_ns: int = 0
    going: GoingBack | None = None
    # The receiver.
    state: State = State.IN_ORDER
    expected: int | None = None
    behind_ns: int = 0  # when the first packet arrived behind what is missing
    unasked: tuple[TracedPacket, int] | None = None  # it came again, and nobody seems to have asked
    missing: dict[int, TracedPacket] = field(default_factory=dict)  # that did not arrive, by PSN
    # The last READ that it answers: its first PSN, and the one behind its last, once a later request tells.
    read: int | None = None
    read_end: int | None = None


class _Analysis:
    """Goes through a trace once."""

    def __init__(self) -> None:
        self.halves: dict[tuple[frozenset[bytes], int, Heading], _Half] = {}
        self.flows: dict[tuple[frozenset[bytes], int], int] = {}
        self.goings: list[GoingBack] = []
        self.violations: list[Violation] = []
        self.recoveries: list[Recovery] = []
        self.packets = self.naks = self.naks_arrived = self.requests_again = self.damaged_requests = 0
        self.rewritten = self.unmatched = self.overtaken = self.several = ""
        self.left: dict[Heading, TracedPacket] = {}  # the last one that left, of each direction

    def see(self, packet: TracedPacket, roce: RocePacket) -> None:
        """Takes the next packet."""
        if not roce.is_reliable:
            return
        if packet.changes & {Change.REWRITTEN, Change.REPAIRED}:
            self.rewritten = (
                f"packet {packet.number:,} was changed, and whether its receiver took it is not known"
            )
        self._look_for_order(packet)
        here = self._half(packet.direction, roce)
        there = self._half(_OPPOSITE[packet.direction], roce)
        is_request = roce.is_request_data or roce.is_read_request
        self.damaged_requests += is_request and packet.gone_ns is not None and not packet.arrives
        for half in (here, there):
            self._give_up(half, packet.arrived_ns)
        if roce.is_request_data or roce.is_read_response:
            self._see_data(here, there, packet, roce)
        elif roce.is_read_request:
            self._see_read(here, there, packet, roce)
        else:
            self._see_answer(there, packet, roce)

    def _see_data(self, here: _Half, there: _Half, packet: TracedPacket, roce: RocePacket) -> None:
        is_request = roce.is_request_data
        self.packets += 1
        again = self._sent(here, packet, roce.psn)
        if is_request and not again and there.read_end is None:
            there.read_end = roce.psn
        self.requests_again += again and is_request
        self._arrives(here, packet, roce.psn)

    def _see_read(self, here: _Half, there: _Half, packet: TracedPacket, roce: RocePacket) -> None:
        here.next = here.expected = None  # it has as many PSNs as its answer has packets
        tops = (top for top in (here.top, there.top) if top is not None)
        is_new = all(psn_after(roce.psn, top) >= 0 for top in tops)
        self.requests_again += not is_new
        self._asks(there, packet, roce.psn, is_new=is_new)
        if is_new:
            here.top = (roce.psn + 1) % PSNS
            self._look_for_reads(there, packet, roce)

    def _see_answer(self, there: _Half, packet: TracedPacket, roce: RocePacket) -> None:
        if (roce.is_nak or roce.is_ack or roce.is_not_ready) and there.top is None:
            self.unmatched = of_no_data(packet, roce)
        elif roce.is_nak:
            self._naks(there, packet, roce.psn)
        elif roce.is_not_ready and packet.gone_ns is not None and packet.arrives:
            there.asked = _Asked(roce.psn, packet.gone_ns, None, later=True)
            self._reaches(there, roce.psn)
        elif roce.is_ack:
            self._acknowledges(there, packet, roce.psn)

    def _look_for_order(self, packet: TracedPacket) -> None:
        """Packets have to arrive at their receiver in the order in which they arrived here."""
        if packet.gone_ns is None:
            return
        before = self.left.get(packet.direction)
        behind = packet if packet.left_ns is None and packet.fate is Fate.HELD else None
        if before and before.gone_ns is not None and before.gone_ns > packet.gone_ns:
            behind = before
        else:
            self.left[packet.direction] = packet
        if behind and not self.overtaken:
            self.overtaken = f"packet {behind.number:,} left behind later ones, in another order than it came"

    def _look_for_reads(self, half: _Half, packet: TracedPacket, roce: RocePacket) -> None:
        """A READ is followed until the next one: by then it has to be answered."""
        end = roce.psn if half.read_end is None else half.read_end
        if half.read is not None and (half.top is None or psn_after(end, half.top) > 0):
            self.several = (
                f"packet {packet.number:,} asks for a READ on queue pair {roce.queue_pair} while another one "
                "is under way, and only one at a time is followed; have its requester wait for each"
            )
        half.read, half.read_end = roce.psn, None

    def end(self, at_ns: int) -> None:
        """The trace is over."""
        for half in self.halves.values():
            self._give_up(half, at_ns + 2 * _CROSSING_NS)
            for packet in half.missing.values():
                missing_ns = at_ns - packet.arrived_ns
                self.recoveries.append(Recovery(packet.number, packet.direction, missing_ns, False))

    def _half(self, direction: Heading, roce: RocePacket) -> _Half:
        pair = frozenset((roce.source, roce.destination)), roce.queue_pair
        flow = self.flows.setdefault(pair, len(self.flows) + 1)
        return self.halves.setdefault((*pair, direction), _Half(flow, direction))

    def _fault(
        self, half: _Half, packet: TracedPacket, psn: int, fault: Fault, expected: int | None = None
    ) -> None:
        self.violations.append(Violation(packet.number, half.flow, psn, fault, expected))

    def _sent(self, half: _Half, packet: TracedPacket, psn: int) -> bool:
        """The sender's automaton. Whether the packet was sent before."""
        if half.next is None or half.top is None:
            half.top = psn if half.top is None else half.top
            if half.acknowledged is None or psn_after(psn, half.top) >= 0:
                half.acknowledged = psn
        elif psn_after(psn, half.next) > 0:
            answers = half.asked and half.asked.psn == psn  # the first response to another READ
            if not answers and psn != half.acknowledged:
                self._fault(half, packet, psn, Fault.SKIPPED, half.next)
        elif psn != half.next:
            self._goes_back(half, packet, psn)
        if half.asked and half.asked.psn == psn:
            half.asked = None
        again = psn_after(psn, half.top) < 0
        if again and half.going:
            half.going.packets += 1
        elif not again:
            half.top = (psn + 1) % PSNS
        half.next = (psn + 1) % PSNS
        half.last_ns = packet.arrived_ns
        return again

    def _goes_back(self, half: _Half, packet: TracedPacket, psn: int) -> None:
        silence_ns = packet.arrived_ns - half.last_ns
        asked = half.asked
        was_asked = asked is not None and asked.psn == psn
        reason, generation_ns, reaction_ns = Reason.TIMEOUT, None, silence_ns
        if asked and was_asked and asked.generation_ns is not None:
            reason, generation_ns = Reason.NAK, asked.generation_ns
            reaction_ns = packet.arrived_ns - asked.gone_ns
        if asked and was_asked and asked.later:
            reason, reaction_ns = Reason.NOT_READY, packet.arrived_ns - asked.gone_ns
        beyond = half.acknowledged is not None and psn_after(psn, half.acknowledged) > 0
        if not was_asked and (beyond or (asked and silence_ns < _QUIET_NS)):
            wanted = asked.psn if asked else half.acknowledged
            self._fault(half, packet, psn, Fault.WRONG_RESTART, wanted)
        half.going = GoingBack(
            packet.number, packet.direction, half.flow, psn, reason, generation_ns, reaction_ns
        )
        self.goings.append(half.going)

    def _arrives(self, half: _Half, packet: TracedPacket, psn: int) -> None:
        """The receiver's automaton, for what leaves the path towards it."""
        if half.expected is None:
            half.expected = psn
        gone_ns = packet.taken_ns
        if gone_ns is None:
            if psn_after(psn, half.expected) >= 0:
                half.missing.setdefault(psn, packet)
            return
        if lost := half.missing.pop(psn, None):
            self.recoveries.append(Recovery(lost.number, lost.direction, gone_ns - lost.arrived_ns, True))
        if psn_after(psn, half.expected) < 0:
            return
        if psn != half.expected:
            if half.state is State.IN_ORDER:
                half.behind_ns = gone_ns
            self._step(half, packet, psn, Step.BEHIND)
            return
        self._step(half, packet, psn, Step.NEXT)
        half.expected = (psn + 1) % PSNS

    def _step(self, half: _Half, packet: TracedPacket, psn: int, step: Step) -> None:
        half.state, fault = _RECEIVER[half.state, step]
        if fault is Fault.NO_NAK:
            half.unasked = packet, psn  # its NAK may still be on its way here
        elif fault:
            self._fault(half, packet, psn, fault)

    def _give_up(self, half: _Half, now_ns: int) -> None:
        if half.unasked and now_ns - half.unasked[0].arrived_ns > _CROSSING_NS:
            self._fault(half, *half.unasked, Fault.NO_NAK)
            half.unasked = None

    def _naks(self, half: _Half, packet: TracedPacket, psn: int) -> None:
        """A NAK on its way to the sender of this half."""
        if half.unasked and psn == half.unasked[1]:
            half.unasked = None
        elif half.expected is not None and psn != half.expected and half.state is not State.IN_ORDER:
            self._fault(half, packet, psn, Fault.WRONG_NAK, half.expected)
            half.state = State.ASKED
        else:
            self._step(half, packet, psn, Step.NAK)
        self._told(half, packet, psn)

    def _asks(self, half: _Half, packet: TracedPacket, psn: int, *, is_new: bool) -> None:
        """A READ request on its way to the one that answers it: a repeated one asks for what is missing."""
        if not is_new and half.state is State.MISSING:
            if psn != half.expected:
                self._fault(half, packet, psn, Fault.WRONG_NAK, half.expected)
            half.state = State.ASKED
        if (gone_ns := packet.taken_ns) is not None:
            generation_ns = packet.arrived_ns - half.behind_ns if half.state is State.ASKED else None
            half.asked = _Asked(psn, gone_ns, generation_ns)
            if is_new and half.state is State.IN_ORDER:
                half.expected = psn

    def _told(self, half: _Half, packet: TracedPacket, psn: int) -> None:
        self.naks += 1
        gone_ns = packet.taken_ns
        if gone_ns is None:
            return
        self.naks_arrived += 1
        prompted = half.state is State.ASKED or half.behind_ns > 0
        half.asked = _Asked(psn, gone_ns, packet.arrived_ns - half.behind_ns if prompted else 0)
        self._reaches(half, psn)

    def _acknowledges(self, half: _Half, packet: TracedPacket, psn: int) -> None:
        behind = (psn + 1) % PSNS
        if half.expected is not None and psn_after(behind, half.expected) > 0:
            self._fault(half, packet, psn, Fault.FALSE_ACK, (half.expected - 1) % PSNS)
        if packet.arrives:
            self._reaches(half, behind)

    def _reaches(self, half: _Half, psn: int) -> None:
        """Everything before this PSN is acknowledged, and its sender is told."""
        if half.acknowledged is None or psn_after(psn, half.acknowledged) > 0:
            half.acknowledged = psn


_OPPOSITE = {Heading.FORWARD: Heading.BACKWARD, Heading.BACKWARD: Heading.FORWARD}


def go_back_n(trace: PathTrace) -> GoBackN:
    """Follows each queue pair of a trace, both of whose ends call it by the same number.

    A packet with data that did not arrive is one that the path has dropped, or damaged.
    """
    analysis = _Analysis()
    for packet, roce in roce_packets(trace):
        analysis.see(packet, roce)
    analysis.end(trace.packets[-1].arrived_ns if trace.packets else 0)
    partial = "only a part of the packets was traced" if trace.every != 1 else ""
    return GoBackN(
        path=trace.path,
        goings=tuple(analysis.goings),
        violations=tuple(analysis.violations),
        recoveries=tuple(analysis.recoveries),
        packets=analysis.packets,
        queue_pairs=len(analysis.flows),
        naks=analysis.naks,
        naks_arrived=analysis.naks_arrived,
        requests_again=analysis.requests_again,
        damaged_requests=analysis.damaged_requests,
        doubt=trace.doubt
        or partial
        or cut_headers(trace)
        or analysis.rewritten
        or analysis.overtaken
        or analysis.several
        or analysis.unmatched,
    )


def of_no_data(packet: TracedPacket, roce: RocePacket) -> str:
    """The doubt where an answer is about a queue pair on which nothing was sent."""
    return (
        f"packet {packet.number:,} answers on queue pair {roce.queue_pair}, on which no data came the other "
        "way; both ends have to call a queue pair by the same number, and the trace has to begin with it"
    )


def roce_packets(trace: PathTrace) -> Iterator[tuple[TracedPacket, RocePacket]]:
    """The packets of RoCEv2 in a trace."""
    for packet in trace.packets:
        if (roce := roce_packet_of(packet.octets)) is not None:
            yield packet, roce
