# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Events on the paths of engine and switch: the same frames, the same fates, the same counters."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scapy.layers.inet import IP, UDP
from scapy.packet import Raw

from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.inline import statistics_of
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.inline import Corrupt, Drop, Event, Mark

from .path_rig import (
    PathRig,
    acknowledgment,
    answer,
    counters,
    fates,
    on_wire,
    path_rigs,
    plan,
    segment,
    start,
    syn,
)

PORTS = {"p1": "loop:x", "q1": "loop:x", "q2": "loop:y", "p2": "loop:y"}
HEADERS = HeaderStack.parse("IP / TCP(dport=80)")
BOTH_WAYS = HeaderStack.parse("IP / TCP")
EVENT = Event(action=Drop(), number=3, flow=1, headers=BOTH_WAYS, heading=Heading.FORWARD, data_only=True)
FATES = {3: "dropped", 5: "marked", 7: "corrupted"}


rig = pytest.fixture(params=["engine", "tofino"])(path_rigs)


def twice(*events: Event) -> list[Event]:
    return [replace(event, iteration=iteration) for event in events for iteration in (1, 2)]


@pytest.mark.parametrize("options", [False, True], ids=["plain", "timestamps"])
def test_the_third_is_dropped_the_fifth_marked_the_seventh_corrupted_and_their_retransmissions(
    rig: PathRig, options: bool
) -> None:
    actions = {3: Drop(), 5: Mark(), 7: Corrupt()}
    start(rig, *twice(*(replace(EVENT, action=action, number=n) for n, action in actions.items())))
    frames = [segment(number, options=options) for number in range(1, 11)]
    assert fates(rig, [syn()]) == ["passed"]
    expected = [FATES.get(number, "passed") for number in range(1, 11)]
    assert [fates(rig, frames) for _ in range(3)] == [expected, expected, ["passed"] * 10]
    path = counters(rig)
    assert [(event.matched, event.fired, event.missed) for event in path.events] == [(30, 1, 0)] * 6
    there, back = path.directions
    assert (there.received, there.forwarded, there.dropped, there.lost) == (31, 29, 2, 0)
    assert (back.received, back.forwarded, path.flows, path.untracked) == (0, 0, 1, 0)
    assert there.forwarded_bytes == sum(len(f) + 4 for f in frames) * 3 - 2 * (len(frames[0]) + 4) + 64


def test_flows_are_numbered_in_the_order_of_appearance_in_both_directions(rig: PathRig) -> None:
    start(rig, replace(EVENT, flow=2, number=2, data_only=False))
    for sport in (5000, 6000, 7000):
        assert fates(rig, [syn(sport=sport)]) == ["passed"]
    assert fates(rig, [answer(sport=6000)], back=True) == ["passed"]
    assert [fates(rig, [segment(1, sport=sport)]) for sport in (5000, 6000, 7000)] == [
        ["passed"],
        ["dropped"],
        ["passed"],
    ]


def test_a_number_in_both_directions_counts_both(rig: PathRig) -> None:
    start(rig, replace(EVENT, number=3, data_only=False, heading=Heading.BOTH))
    assert fates(rig, [syn()]) == ["passed"]
    assert fates(rig, [answer()], back=True) == ["passed"]
    assert fates(rig, [segment(1), segment(2)]) == ["dropped", "passed"]
    (event,) = counters(rig).events
    assert (event.matched, event.fired) == (4, 1)


def test_a_packet_without_sequence_numbers_is_not_sent_again(rig: PathRig) -> None:
    """The next segment has the sequence number of the acknowledgement before it."""
    start(rig, replace(EVENT, number=2, data_only=False, iteration=2))
    sent = [syn(), acknowledgment(sequence=0xFFFFFF64), segment(1), segment(1), acknowledgment()]
    assert fates(rig, sent) == ["passed"] * 5
    assert counters(rig).events[0].fired == 0


def test_each_packet_of_udp_has_a_number(rig: PathRig) -> None:
    start(rig, replace(EVENT, headers=HeaderStack.parse("IP / UDP(dport=2)"), number=3))
    packet = on_wire(IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=2) / Raw(bytes(40)))
    assert [len(rig.pass_frames([packet])) for _ in range(5)] == [1, 1, 0, 1, 1]


def test_what_no_event_sees_passes_and_is_counted(rig: PathRig) -> None:
    start(rig, replace(EVENT, headers=HEADERS, number=1))
    other = on_wire(IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=80) / Raw(bytes(40)))
    arp = bytes.fromhex("ffffffffffff0200000000010806") + bytes(46)
    for frame in (other, arp):
        assert rig.pass_frames([frame]) == [frame]
    assert fates(rig, [segment(1), segment(2)]) == ["dropped", "passed"]
    assert [event.fired for event in counters(rig).events] == [1]


def test_a_bit_that_a_packet_has_not_is_missed(rig: PathRig) -> None:
    start(rig, replace(EVENT, action=Corrupt(bit=0), number=1, data_only=False))
    assert fates(rig, [syn()]) == ["passed"]
    (event,) = counters(rig).events
    assert (event.fired, event.missed) == (0, 1)


def test_an_event_that_did_not_fire_is_a_doubt(rig: PathRig) -> None:
    start(rig, EVENT, replace(EVENT, number=5))
    before = rig.target.snapshot(["wan"])
    fates(rig, [segment(number) for number in (1, 2, 3)])
    after = rig.target.snapshot(["wan"])
    found = statistics_of(before, after, "wan", after.path("wan", "wan"), EvidenceLimits())
    assert [event.fired for event in found.events] == [1, 0]
    assert "event '2: drop data packet 5 of flow 1 forward (IP / TCP)' did not fire: it saw 3" in found.doubt


def test_a_path_begins_anew(rig: PathRig) -> None:
    start(rig, replace(EVENT, number=1))
    assert fates(rig, [segment(1), segment(2)]) == ["dropped", "passed"]
    rig.target.stop(["wan"])
    assert rig.pass_frames([segment(3)]) == []
    stopped = counters(rig)
    assert (stopped.forwarding, stopped.directions[0].received, stopped.events[0].fired) == (False, 2, 1)
    rig.target.start(["wan"])
    assert counters(rig).events[0].fired == 0
    assert fates(rig, [segment(1), segment(2)]) == ["dropped", "passed"]
    assert counters(rig).directions[0].received == 2


def test_a_path_without_events_passes_everything(rig: PathRig) -> None:
    rig.target.load(plan(rig))
    assert not counters(rig).forwarding
    rig.target.start(["wan"])
    frames = [segment(1), syn(), b"\xff" * 60, bytes(range(60)) + bytes(1400)]
    assert rig.pass_frames(frames) == frames
    assert rig.pass_frames(frames, back=True) == frames
    there, back = counters(rig).directions
    assert (there.received, there.forwarded, back.received, back.forwarded) == (4, 4, 4, 4)
    assert (there.unmatched, counters(rig).flows) == (0, 0)
