# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of what hosts have to have counted, by a trace of a hundred lines that one can read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.measurement.traces.retransmissions import retransmissions
from TesterLibrary.measurement.traces.trace import Change, PathTrace, TracedPacket
from TesterLibrary.measurement.traces.traced_count import REACHES_THE_HOST, Traced, TracedCount, count
from TesterLibrary.methodology.verdicts.host_counters import counter_is_true
from TesterLibrary.methodology.verdicts.retransmissions import counted_alike
from TesterLibrary.model.heading import Heading
from TesterLibrary.verdict import Outcome

from ..roce_traces import Wire

ENDS = {Heading.FORWARD: ("10.0.0.1", "10.0.0.2"), Heading.BACKWARD: ("10.0.0.2", "10.0.0.1")}
MS = 1_000_000


def trace(*packets: tuple[Heading, str, int, int, bool]) -> PathTrace:
    """Each with its direction, flags of TCP, sequence number, ECN, and whether it is dropped."""
    made = []
    for number, (heading, flags, sequence, ecn, dropped) in enumerate(packets):
        source, destination = ENDS[heading]
        body = bytes(10) if "P" in flags else b""
        octets = bytes(
            Ether() / IP(src=source, dst=destination, tos=ecn) / TCP(flags=flags, seq=sequence) / body
        )
        at = number * MS
        made.append(
            TracedPacket(number, heading, at, None if dropped else at, (), None, len(octets) + 4, octets)
        )
    return PathTrace("wan", tuple(made), received=len(made), due=len(made), dropped=0)


TRACE = trace(
    (Heading.FORWARD, "A", 1, 0, False),
    (Heading.BACKWARD, "PA", 1, 2, False),
    (Heading.BACKWARD, "PA", 11, 3, False),
    (Heading.BACKWARD, "PA", 21, 3, True),
    (Heading.FORWARD, "A", 1, 0, False),
    *((Heading.FORWARD, "A", 1, 0, False),) * 200,
    (Heading.BACKWARD, "PA", 21, 2, False),
    (Heading.BACKWARD, "R", 31, 0, False),
)


@pytest.mark.parametrize(
    ("what", "forward", "backward"),
    [
        (Traced.SENT, 202, 5),
        (Traced.SENT_BYTES, 202 * 54, 4 * 64 + 54),
        (Traced.RECEIVED, 202, 4),
        (Traced.RETRANSMISSIONS, 0, 1),
        (Traced.RESETS, 0, 1),
        (Traced.MARKED, 0, 1),
    ],
)
def test_a_direction_is_counted(what: Traced, forward: int, backward: int) -> None:
    assert count(TRACE, what, Heading.FORWARD) == TracedCount(forward)
    assert count(TRACE, what, Heading.BACKWARD) == TracedCount(backward)


def test_a_mark_of_the_path_counts_where_it_has_left() -> None:
    first = replace(TRACE.packets[1], changes=frozenset({Change.MARKED}))
    marked = replace(TRACE, packets=(TRACE.packets[0], first, *TRACE.packets[2:]))
    assert count(marked, Traced.MARKED, Heading.BACKWARD).value == 2


def test_packets_of_roce_are_counted_where_they_are_undamaged() -> None:
    wire = Wire().data(0).data(1, lost=True).data(2, change=Change.DAMAGED).nak(1).cnp()
    of_tcp = replace(TRACE.packets[0], number=5, arrived_ns=wire.now_ns)
    found = wire.trace(packets=(*wire.packets, of_tcp), received=6, due=6)
    assert count(found, Traced.SENT, Heading.FORWARD).value == 4
    assert count(found, Traced.ROCE_SENT, Heading.FORWARD) == TracedCount(3)
    assert count(found, Traced.ROCE_RECEIVED, Heading.FORWARD) == TracedCount(1)
    assert count(found, Traced.ROCE_RECEIVED, Heading.BACKWARD) == TracedCount(2)


@pytest.mark.parametrize("what", Traced)
def test_a_host_beside_others_is_not_held_against_the_packets_of_them_all(what: Traced) -> None:
    several = replace(TRACE, beside=("p3",))
    at_first, at_second = (
        (Heading.BACKWARD, Heading.FORWARD)
        if what in REACHES_THE_HOST
        else (Heading.FORWARD, Heading.BACKWARD)
    )
    assert "2 ports at its first end" in count(several, what, at_first).doubt
    assert count(several, what, at_second) == count(TRACE, what, at_second)


def test_what_hosts_beside_each_other_sent_again_is_of_no_host() -> None:
    several = replace(TRACE, beside=("p3",))
    for heading, outcome in (
        (Heading.FORWARD, Outcome.INCONCLUSIVE),
        (Heading.BOTH, Outcome.INCONCLUSIVE),
        (Heading.BACKWARD, Outcome.FAIL),
    ):
        found = retransmissions(several, heading)
        assert found.doubt == ""
        assert counted_alike(found, "client", 7).outcome is outcome


def test_both_directions_are_no_hosts() -> None:
    with pytest.raises(TesterLibraryError, match="forward or backward"):
        count(TRACE, Traced.SENT, Heading.BOTH)


def test_a_counter_lies_only_where_trace_and_host_are_known() -> None:
    traced = count(TRACE, Traced.RETRANSMISSIONS, Heading.BACKWARD)
    hole = count(replace(TRACE, received=999), Traced.RETRANSMISSIONS, Heading.BACKWARD)
    partly = count(replace(TRACE, every=2, received=414), Traced.SENT, Heading.FORWARD)

    def outcome(value: int | str, of: TracedCount = traced, doubt: str = "") -> Outcome:
        return counter_is_true(
            "retrans", "nic", value, of, what=Traced.RETRANSMISSIONS, path="wan", doubt=doubt
        ).outcome

    assert outcome(1) is Outcome.PASS
    assert outcome(0) is Outcome.FAIL
    assert outcome("it cannot be read") is Outcome.INCONCLUSIVE
    assert outcome(0, hole) is Outcome.INCONCLUSIVE
    assert outcome(202, partly) is Outcome.INCONCLUSIVE
    assert outcome(1, doubt="a copy has left") is Outcome.INCONCLUSIVE
    lie = counter_is_true("retrans", "nic", 7, traced, what=Traced.RETRANSMISSIONS, path="wan")
    assert "retrans of nic" in str(lie)
    assert "7" in str(lie)
    assert "== 1 retransmissions in the trace of path wan" in str(lie)
