# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Retransmissions in traces that are written down here packet by packet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

from TesterLibrary.measurement.traces.missing_bytes import Recovery
from TesterLibrary.measurement.traces.retransmissions import Kind, Retransmissions, retransmissions
from TesterLibrary.measurement.traces.segment import after, segment_of
from TesterLibrary.measurement.traces.trace import Change, PathTrace, TracedPacket
from TesterLibrary.methodology.verdicts.retransmissions import (
    any_recovery_below,
    counted_alike,
    recovery_below,
)
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Outcome

MS = 1_000_000
SIZE = 1000  # bytes of a segment
BEGIN = 2**32 - 2 * SIZE  # of the sender's sequence numbers: they wrap around


class Wire:
    """A trace that grows. A server sends backward, a client acknowledges forward; all leaves at once."""

    def __init__(self) -> None:
        self.packets: list[TracedPacket] = []

    def data(self, index: int, at_ms: int, *, drop: bool = False, size: int = SIZE, offset: int = 0) -> None:
        """The segment with so many before it, or bytes from an offset in it."""
        header = TCP(sport=80, dport=5000, seq=(BEGIN + index * SIZE + offset) % 2**32, flags="A", ack=7)
        self._add(Heading.BACKWARD, at_ms, header / Raw(bytes(size)), drop=drop)

    def ack(self, index: int, at_ms: int, *sacked: int, drop: bool = False) -> None:
        """All segments before `index` have arrived, and these."""
        blocks = [(BEGIN + edge * SIZE) % 2**32 for each in sacked for edge in (each, each + 1)]
        options = [("NOP", None), ("NOP", None), ("SAck", tuple(blocks))] if blocks else []
        ack = (BEGIN + index * SIZE) % 2**32
        header = TCP(sport=5000, dport=80, seq=7, flags="A", ack=ack, options=options)
        self._add(Heading.FORWARD, at_ms, header, drop=drop)

    def syn(self, sequence: int, at_ms: int, *, size: int = 0, drop: bool = False) -> None:
        """The server opens a connection."""
        header = TCP(sport=80, dport=5000, seq=sequence, flags="S")
        self._add(Heading.BACKWARD, at_ms, header / Raw(bytes(size)), drop=drop)

    def change(self, changes: set[Change]) -> None:
        """The last packet has left with other bytes."""
        self.packets[-1] = replace(self.packets[-1], changes=frozenset(changes))

    def _add(self, heading: Heading, at_ms: int, segment: Any, *, drop: bool) -> None:
        ends = ("10.0.0.1", "10.0.0.2") if heading is Heading.FORWARD else ("10.0.0.2", "10.0.0.1")
        octets = bytes(Ether() / IP(src=ends[0], dst=ends[1]) / segment)
        now = at_ms * MS
        self.packets.append(
            TracedPacket(
                len(self.packets),
                heading,
                now,
                None if drop else now,
                ("drop",) if drop else (),
                1 if drop else None,
                len(octets) + 4,
                octets[:128],
            )
        )

    @property
    def trace(self) -> PathTrace:
        count = len(self.packets)
        return PathTrace("wan", tuple(self.packets), received=count, due=count, dropped=0)

    @property
    def found(self) -> Retransmissions:
        return retransmissions(self.trace)


def lost_and_asked_for(*, sack: bool) -> Wire:
    """The second of six segments is lost; acknowledgements of the others ask for it."""
    wire = Wire()
    for index in range(6):
        wire.data(index, index, drop=index == 1)
    wire.ack(1, 10)
    for index in range(2, 6):
        wire.ack(1, 10 + index, *([index] if sack else []))
    return wire


@pytest.mark.parametrize("sack", [True, False])
def test_acknowledgements_ask_for_a_segment(sack: bool) -> None:
    wire = lost_and_asked_for(sack=sack)
    wire.data(1, 21)
    wire.ack(6, 30)
    found = wire.found
    (again,) = found.found
    assert (again.kind, again.sequence, again.transmission) == (Kind.FAST, (BEGIN + SIZE) % 2**32, 2)
    assert (again.duplicates, again.sacked, again.needed, again.delay_ns) == (4, sack, True, 20 * MS)
    assert (found.segments, found.fast, found.timeouts, found.spurious, found.lost) == (7, 1, 0, 0, 1)
    assert found.longest is not None
    assert (found.longest.packet, found.longest.missing_ns, found.longest.recovered) == (1, 20 * MS, True)


def test_a_timer_ends_where_nothing_is_heard() -> None:
    wire = Wire()
    wire.data(0, 0)
    wire.ack(1, 1)
    wire.data(1, 2, drop=True)
    wire.data(1, 203)
    (again,) = wire.found.found
    assert (again.kind, again.duplicates, again.delay_ns) == (Kind.TIMEOUT, 0, 201 * MS)


def test_a_lost_retransmission_waits_for_a_timer() -> None:
    """The acknowledgements that asked for the first retransmission do not ask for the second one."""
    wire = lost_and_asked_for(sack=True)
    wire.data(1, 21, drop=True)
    wire.data(1, 260)
    first, second = wire.found.found
    assert (first.kind, second.kind, second.transmission) == (Kind.FAST, Kind.TIMEOUT, 3)
    assert second.needed
    (recovery,) = wire.found.recoveries
    assert recovery.missing_ns == 259 * MS


def test_a_late_timer_is_not_taken_for_an_answer() -> None:
    wire = lost_and_asked_for(sack=True)
    wire.data(1, 400)
    assert wire.found.found[0].kind is Kind.TIMEOUT


def test_acknowledgements_that_were_dropped_ask_for_nothing() -> None:
    wire = Wire()
    for index in range(6):
        wire.data(index, index, drop=index == 1)
    for index in range(2, 6):
        wire.ack(1, 10 + index, index, drop=True)
    wire.data(1, 21)
    assert wire.found.found[0].kind is Kind.TIMEOUT


def test_what_the_path_has_not_dropped_is_spurious() -> None:
    wire = Wire()
    wire.data(0, 0)
    wire.data(0, 250)
    found = wire.found
    assert (found.spurious, found.lost, found.longest) == (1, 0, None)


def test_segments_are_cut_anew() -> None:
    """Half of a lost segment, then the other half, which nobody has sent by itself before."""
    wire = Wire()
    wire.data(0, 0)
    wire.data(1, 1, drop=True)
    wire.data(1, 300, size=SIZE + 500)
    found = wire.found
    assert [each.transmission for each in found.found] == [2]
    assert found.recoveries[0].recovered


def test_a_loss_ends_where_its_acknowledgement_says_so() -> None:
    """Two lost segments are sent again as one."""
    wire = Wire()
    wire.data(0, 0)
    wire.data(1, 1, drop=True)
    wire.data(2, 2, drop=True)
    wire.data(1, 300, size=2 * SIZE)
    wire.ack(3, 310)
    found = wire.found
    assert [each.missing_ns for each in found.recoveries] == [299 * MS, 298 * MS]
    assert recovery_below(found, Duration(300 * MS)).outcome is Outcome.PASS


def test_a_part_of_a_segment_does_not_recover_it() -> None:
    """The first 100 bytes come again after 60 ms, the other 900 after 1.5 s."""
    wire = Wire()
    wire.data(0, 0)
    wire.data(1, 1, drop=True)
    wire.data(1, 61, size=100)
    assert wire.found.longest == Recovery(1, Heading.BACKWARD, 60 * MS, recovered=False)
    wire.data(1, 1501, size=SIZE - 100, offset=100)
    found = wire.found
    assert found.longest == Recovery(1, Heading.BACKWARD, 1500 * MS, recovered=True)
    assert (found.spurious, found.timeouts) == (0, 2)
    assert recovery_below(found, Duration(200 * MS)).outcome is Outcome.FAIL


@given(
    drops=st.sets(st.integers(0, 9), min_size=1),
    cuts=st.lists(
        st.tuples(st.integers(0, 10 * SIZE - 1), st.integers(1, 4 * SIZE), st.booleans()), max_size=40
    ),
)
def test_a_loss_is_over_when_all_its_bytes_have_left(
    drops: set[int], cuts: list[tuple[int, int, bool]]
) -> None:
    """Ten segments, then pieces of any size from any place: as a count of each single byte has it."""
    wire = Wire()
    for index in range(10):
        wire.data(index, index, drop=index in drops)
    missing = {index: set(range(index * SIZE, (index + 1) * SIZE)) for index in drops}
    ended: dict[int, int] = {}
    for number, (begin, size, drop) in enumerate(cuts):
        size = min(size, 10 * SIZE - begin)
        wire.data(0, 100 + number, size=size, offset=begin, drop=drop)
        for index, octets in missing.items():
            if not drop:
                octets -= set(range(begin, begin + size))
                if not octets:
                    ended.setdefault(index, 100 + number)
    first = {each.packet: each for each in wire.found.recoveries if each.packet < 10}
    assert set(first) == drops
    for index, each in first.items():
        assert each.recovered is (index in ended)
        if each.recovered:
            assert each.missing_ns == (ended[index] - index) * MS


def test_nothing_was_sent_again() -> None:
    wire = Wire()
    for index in range(5):
        wire.data(index, index)
    assert str(wire.found) == "wan: 0 of 5 segments were sent again"


def test_directions_are_told_apart() -> None:
    wire = lost_and_asked_for(sack=True)
    wire.data(1, 21)
    assert len(retransmissions(wire.trace, Heading.BACKWARD).found) == 1
    other = retransmissions(wire.trace, Heading.FORWARD)
    assert (other.found, other.recoveries, other.segments) == ((), (), 0)


@pytest.mark.parametrize(
    ("bound_ms", "outcome"), [(20, Outcome.PASS), (19, Outcome.FAIL)], ids=["met", "missed"]
)
def test_a_recovery_has_a_bound(bound_ms: int, outcome: Outcome) -> None:
    wire = lost_and_asked_for(sack=True)
    wire.data(1, 21)
    verdict = recovery_below(wire.found, Duration(bound_ms * MS))
    assert verdict.outcome is outcome
    assert verdict.measured == "20 ms"


@pytest.mark.parametrize(("bound_ms", "outcome"), [(500, Outcome.INCONCLUSIVE), (5, Outcome.FAIL)])
def test_what_is_still_missing_is_missing_for_longer(bound_ms: int, outcome: Outcome) -> None:
    verdict = recovery_below(lost_and_asked_for(sack=True).found, Duration(bound_ms * MS))
    assert (verdict.outcome, verdict.measured) == (outcome, "more than 14 ms")


def test_without_a_loss_there_is_no_recovery() -> None:
    wire = Wire()
    wire.data(0, 0)
    verdict = recovery_below(wire.found, Duration(MS))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "nothing was lost, so there was nothing to recover from"


def test_a_trace_with_a_hole_says_nothing() -> None:
    wire = lost_and_asked_for(sack=True)
    wire.data(1, 21)
    hole = replace(wire.trace, packets=(*wire.packets[:3], *wire.packets[4:]))
    found = retransmissions(hole)
    assert "packet 3 is missing" in found.doubt
    assert recovery_below(found, Duration(10**10)).outcome is Outcome.INCONCLUSIVE
    assert counted_alike(found, "server", 1).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(("counted", "outcome"), [(1, Outcome.PASS), (0, Outcome.FAIL)])
def test_a_counter_that_lies_is_found(counted: int, outcome: Outcome) -> None:
    wire = lost_and_asked_for(sack=True)
    wire.data(1, 21)
    verdict = counted_alike(wire.found, "server", counted)
    assert verdict.outcome is outcome
    assert verdict.subject == "TcpRetransSegs of server"


def test_a_loss_that_is_not_over_is_not_hidden_by_a_longer_one() -> None:
    """The one of which nobody knows how long it took decides, unless the other one is too long already."""
    wire = Wire()
    wire.data(0, 0, drop=True)
    wire.data(0, 100)
    wire.ack(1, 101)
    wire.data(1, 102, drop=True)
    wire.ack(1, 112)
    assert recovery_below(wire.found, Duration(99 * MS)).outcome is Outcome.FAIL
    verdict = recovery_below(wire.found, Duration(150 * MS))
    assert (verdict.outcome, verdict.measured) == (Outcome.INCONCLUSIVE, "more than 100 ms")


def test_of_two_protocols_the_worse_one_decides() -> None:
    """A packet of RoCEv2 is still missing, for a shorter time than a segment was."""
    segment = Recovery(1, Heading.FORWARD, 100 * MS, recovered=True)
    packet = Recovery(2, Heading.FORWARD, 10 * MS, recovered=False)
    found = [Retransmissions("wan", (), recoveries, 9) for recoveries in ((segment,), (packet,), ())]
    for bound_ms, outcome in ((50, Outcome.FAIL), (150, Outcome.INCONCLUSIVE)):
        assert any_recovery_below(found, Duration(bound_ms * MS)).outcome is outcome
    assert any_recovery_below(found[::2], Duration(150 * MS)).outcome is Outcome.PASS
    assert "nothing was lost" in any_recovery_below(found[2:], Duration(MS)).reason


def test_a_loss_of_a_connection_that_is_opened_anew_is_not_forgotten() -> None:
    """Between the same ports: the first connection never had its segment."""
    wire = Wire()
    wire.data(0, 0, drop=True)
    wire.syn(7, 50)
    wire.syn(7, 90)
    found = wire.found
    assert [(each.packet, each.missing_ns, each.recovered) for each in found.recoveries] == [
        (0, 50 * MS, False)
    ]
    assert [(again.flow, again.transmission) for again in found.found] == [(2, 2)]


def test_a_syn_with_data_is_known_again() -> None:
    """TCP Fast Open: stacks send the SYN again without its data."""
    wire = Wire()
    wire.syn(7, 0, size=500, drop=True)
    wire.syn(7, 1000)
    found = wire.found
    assert [(again.flow, again.transmission, again.needed) for again in found.found] == [(1, 2, True)]
    assert counted_alike(found, "server", 1).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("changes", "missing_ms"),
    [
        ({Change.DAMAGED}, 31),
        ({Change.REPAIRED, Change.DAMAGED}, 31),
        ({Change.REPAIRED}, 20),
        ({Change.MARKED}, 20),
    ],
    ids=["damaged", "both", "repaired", "marked"],
)
def test_a_damaged_segment_does_not_recover_a_loss(changes: set[Change], missing_ms: int) -> None:
    """Its checksum is wrong, or its end is missing: the receiver drops it."""
    wire = lost_and_asked_for(sack=True)
    wire.data(1, 21)
    wire.change(changes)
    wire.data(1, 32)
    (recovery,) = wire.found.recoveries
    assert (recovery.packet, recovery.missing_ns) == (1, missing_ms * MS)


def test_a_damaged_segment_is_lost() -> None:
    wire = Wire()
    wire.data(0, 0)
    wire.change({Change.DAMAGED})
    wire.data(0, 10)
    found = wire.found
    assert (found.lost, found.spurious) == (1, 0)


@pytest.mark.parametrize("kept", [13, 30, 40, 60])
def test_headers_that_were_cut_off_say_nothing(kept: int) -> None:
    """There may be retransmissions, and SACK, in what was not kept."""
    wire = lost_and_asked_for(sack=True)
    wire.data(1, 21)
    short = replace(
        wire.trace, packets=tuple(replace(each, octets=each.octets[:kept]) for each in wire.packets)
    )
    found = retransmissions(short)
    assert "snap_length" in found.doubt
    assert counted_alike(found, "server", 1).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    "below",
    [
        Ether() / IP(options=b"\x01\x01\x01\x01"),
        Ether() / IPv6(),
        Ether() / Dot1Q(vlan=5) / IP(),
        Ether() / Dot1Q(type=0x8100) / Dot1Q() / IPv6(),
    ],
    ids=["options", "IPv6", "tag", "two tags"],
)
def test_headers_of_tcp_are_found(below: Any) -> None:
    options = [("NOP", None), ("Timestamp", (1, 2)), ("SAck", (5, 9, 20, 30))]
    tcp = TCP(sport=1, dport=2, seq=3, ack=4, flags="SA", window=77, options=options)
    segment = segment_of(bytes(below / tcp / Raw(bytes(300)))[:160])
    assert segment is not None
    assert (segment.sequence, segment.acknowledged, segment.flags, segment.window) == (3, 4, 0x12, 77)
    assert (segment.payload, segment.numbers, segment.sack) == (300, 301, ((5, 9), (20, 30)))
    assert (segment.source[1], segment.destination[1]) == (1, 2)


@pytest.mark.parametrize(
    "octets", [b"", bytes(60), bytes(Ether() / IP(frag=3) / TCP()), bytes(Ether() / IP() / TCP())[:50]]
)
def test_other_frames_have_no_segment(octets: bytes) -> None:
    assert segment_of(octets) is None


def test_sequence_numbers_go_round() -> None:
    assert after(5, 2**32 - 5) == 10
    assert after(2**32 - 5, 5) == -10
