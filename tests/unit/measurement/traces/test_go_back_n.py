# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Go-back-N of RoCEv2 in traces: right ends have no violations, and each wrong step is found where it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.capture import Fate
from TesterLibrary.measurement.traces.go_back_n import go_back_n
from TesterLibrary.measurement.traces.go_back_n_counts import Fault, GoBackN, Reason
from TesterLibrary.measurement.traces.trace import Change
from TesterLibrary.methodology.verdicts.go_back_n import (
    end_counted_alike,
    goes_back_n,
    nak_latency_below,
    reaction_latency_below,
)
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Outcome

from ..roce_traces import Wire


def faults(found: GoBackN) -> list[Fault]:
    return [violation.fault for violation in found.violations]


def test_nothing_lost() -> None:
    found = go_back_n(Wire().data(0, 1, 2, 3).ack(3).trace())
    assert (found.packets, found.retransmitted, found.violations, found.lost) == (4, 0, (), 0)
    assert goes_back_n(found).outcome is Outcome.INCONCLUSIVE


def test_a_lost_packet_is_asked_for_and_all_behind_it_come_again() -> None:
    wire = Wire().data(0, 1).data(2, lost=True).data(3, 4).nak(2).data(5).waits(20).data(2, 3, 4, 5).ack(5)
    found = go_back_n(wire.trace())
    assert faults(found) == []
    (going,) = found.goings
    assert (going.psn, going.reason, going.packets, going.flow) == (2, Reason.NAK, 4, 1)
    # From when packet 3 has left (at 41 us) to the NAK at 60 us; from then (61 us) to 100 us.
    assert (going.generation_ns, going.reaction_ns) == (19_000, 39_000)
    (recovery,) = found.recoveries
    assert recovery.recovered
    assert recovery.missing_ns == 71_000
    assert (found.naks, found.requests_again) == (1, 4)
    assert goes_back_n(found).outcome is Outcome.PASS
    assert nak_latency_below(found, Duration(19_000)).outcome is Outcome.PASS
    assert nak_latency_below(found, Duration(18_000)).outcome is Outcome.FAIL
    assert reaction_latency_below(found, Duration(38_000)).outcome is Outcome.FAIL


def test_a_retransmission_that_is_lost_comes_after_a_timeout() -> None:
    wire = Wire().data(0).data(1, lost=True).data(2).nak(1).data(1, lost=True).data(2)
    found = go_back_n(wire.waits(70_000).data(1, 2).ack(2).trace())
    assert faults(found) == []
    assert [going.reason for going in found.goings] == [Reason.NAK, Reason.TIMEOUT]
    assert (found.lost, found.timeouts) == (1, 1)


def test_a_damaged_packet_has_not_arrived() -> None:
    found = go_back_n(Wire().data(0).data(1, change=Change.DAMAGED).data(2).nak(1).data(1, 2).ack(2).trace())
    assert faults(found) == []
    assert (found.lost, found.damaged_requests) == (1, 1)


def test_an_acknowledgement_that_is_lost() -> None:
    """The first duplicate is acknowledged with all that has arrived, and the sender goes on there."""
    wire = Wire().data(0, 1, 2).ack(2, lost=True).waits(70_000).data(0).ack(2).data(3)
    found = go_back_n(wire.trace())
    assert faults(found) == []
    assert found.timeouts == 1


def test_psns_go_round() -> None:
    last = (1 << 24) - 1
    wire = Wire().data(last - 1).data(last, lost=True).data(0, 1).nak(last).data(last, 0, 1).ack(1)
    assert faults(go_back_n(wire.trace())) == []


def test_who_sends_only_what_was_lost_again_is_found() -> None:
    """Selective repeat in place of go-back-N: the receiver has dropped what came behind."""
    wire = Wire().data(0).data(1, lost=True).data(2, 3).nak(1).data(1).data(4)
    found = go_back_n(wire.trace())
    assert faults(found) == [Fault.SKIPPED]
    assert "(PSN 4, expected 2)" in str(found.violations[0])
    verdict = goes_back_n(found)
    assert verdict.outcome is Outcome.FAIL
    assert "the sender left out packets" in str(verdict)


@pytest.mark.parametrize("again", [0, 2])
def test_who_goes_back_to_another_packet_is_found(again: int) -> None:
    wire = Wire().data(0).data(1, lost=True).data(2, 3).nak(1).data(again)
    assert Fault.WRONG_RESTART in faults(go_back_n(wire.trace()))


def test_who_goes_back_beyond_what_is_acknowledged_is_found() -> None:
    wire = Wire().data(0, 1).data(2, 3, lost=True).ack(1).waits(70_000).data(3)
    assert faults(go_back_n(wire.trace())) == [Fault.WRONG_RESTART]


@pytest.mark.parametrize("asked", [0, 2, 3])
def test_who_asks_for_another_packet_is_found(asked: int) -> None:
    wire = Wire().data(0).data(1, lost=True).data(2, 3).nak(asked)
    assert faults(go_back_n(wire.trace())) == [Fault.WRONG_NAK]


def test_who_asks_twice_is_found() -> None:
    wire = Wire().data(0).data(1, lost=True).data(2).nak(1).data(3).nak(1).data(1, 2, 3)
    assert faults(go_back_n(wire.trace())) == [Fault.REPEATED_NAK]


def test_who_asks_for_nothing_is_found() -> None:
    assert faults(go_back_n(Wire().data(0, 1).nak(2).trace())) == [Fault.UNPROMPTED_NAK]


def test_who_never_asks_is_found() -> None:
    wire = Wire().data(0).ack(0).data(1, lost=True).data(2, 3).waits(70_000).data(1, 2, 3).ack(3)
    assert faults(go_back_n(wire.trace())) == [Fault.NO_NAK]


def test_a_nak_may_cross_what_it_asks_for() -> None:
    wire = Wire().data(0).data(1, lost=True).data(2).waits(70_000).data(1).nak(1).waits(5_000).data(2).ack(2)
    assert Fault.NO_NAK not in faults(go_back_n(wire.trace()))


def test_who_acknowledges_what_has_not_come_is_found() -> None:
    assert faults(go_back_n(Wire().data(0).data(1, lost=True).ack(1).trace())) == [Fault.FALSE_ACK]


def test_a_read_is_asked_for_again() -> None:
    wire = Wire().read(0, 4096).responses(0).responses(1, lost=True).responses(2, 3).read(1, 3072)
    found = go_back_n(wire.responses(1, 2, 3).read(4).responses(4).trace())
    assert faults(found) == []
    (going,) = found.goings
    assert (going.psn, going.reason, going.packets) == (1, Reason.NAK, 3)
    assert (found.requests_again, found.naks) == (1, 0)


def test_the_last_response_to_a_read_is_asked_for_after_a_timeout() -> None:
    """Nothing comes behind it: the time is that of the silence, not that from the second request on."""
    wire = Wire().read(0, 2048).responses(0).responses(1, lost=True).waits(70_000).read(1).responses(1)
    found = go_back_n(wire.trace())
    assert faults(found) == []
    (going,) = found.goings
    assert (going.reason, going.generation_ns, going.reaction_ns) == (Reason.TIMEOUT, None, 70_020_000)


def test_who_asks_for_another_part_of_a_read_is_found() -> None:
    wire = Wire().read(0, 4096).responses(0).responses(1, lost=True).responses(2).read(2, 2048)
    assert faults(go_back_n(wire.trace())) == [Fault.WRONG_NAK]


def test_who_answers_from_another_packet_on_is_found() -> None:
    wire = Wire().read(0, 4096).responses(0).responses(1, lost=True).responses(2, 3).read(1).responses(3)
    assert faults(go_back_n(wire.trace())) == [Fault.WRONG_RESTART]


def test_queue_pairs_are_apart() -> None:
    wire = Wire().data(5).data(9, pair=18).data(6, lost=True).data(10, pair=18).data(7).nak(6).data(6, 7)
    found = go_back_n(wire.trace())
    assert faults(found) == []
    assert found.queue_pairs == 2
    assert found.goings[0].flow == 1


def test_of_a_trace_with_a_hole_nothing_is_said() -> None:
    trace = Wire().data(0).data(1, lost=True).data(2).nak(1).data(1, 2).trace(received=9)
    assert goes_back_n(go_back_n(trace)).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("change", [Change.REWRITTEN, Change.REPAIRED])
def test_a_changed_packet_that_no_checksum_tells_is_a_doubt(change: Change) -> None:
    trace = Wire().data(0, change=change).data(1, lost=True).data(2).nak(1).data(1, 2).trace()
    assert "packet 0 was changed" in goes_back_n(go_back_n(trace)).reason


def test_a_repaired_packet_is_received() -> None:
    """Its ICRC is right again, so the counter of the receiver's host has it."""
    found = go_back_n(Wire().data(0, change=Change.REPAIRED).trace())
    assert found.damaged_requests == 0


def test_ends_that_call_a_queue_pair_by_different_numbers_are_a_doubt() -> None:
    """The answers of NICs: nothing says which queue pair is the other one's."""
    wire = Wire().data(0, pair=17).data(1, pair=17, lost=True).data(2, pair=17).nak(1, pair=40)
    verdict = goes_back_n(go_back_n(wire.data(1, 2, pair=17).ack(2, pair=40).trace()))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "both ends have to call a queue pair by the same number" in verdict.reason


def test_a_counter_that_lies_is_found() -> None:
    found = go_back_n(Wire().data(0).data(1, lost=True).data(2).nak(1).data(1, 2).trace())
    assert end_counted_alike(found, "nic", {"naks": (1, found.naks)}).outcome is Outcome.PASS
    wrong = end_counted_alike(found, "nic", {"naks": (0, found.naks)})
    assert wrong.outcome is Outcome.FAIL
    assert "naks 0 (the trace has 1)" in str(wrong)
    assert end_counted_alike(found, "nic", {"naks": (None, 1)}).outcome is Outcome.INCONCLUSIVE


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(0, (1 << 24) - 1))
def test_right_ends_have_no_violations_whatever_is_lost(losses: list[bool], start: int) -> None:
    """A sender and a receiver that go back N, one packet at a time, with any of the transmissions lost."""
    wire, pending = Wire(), list(losses)
    expected = sent = acknowledged = 0
    asked = False
    total = 12
    while acknowledged < total:
        if sent == total:
            wire.waits(70_000)
            sent = acknowledged
        lost = bool(pending and pending.pop(0))
        wire.data((start + sent) % (1 << 24), lost=lost)
        number, sent = sent, sent + 1
        if lost or number < expected:
            if not lost:
                wire.ack((start + expected - 1) % (1 << 24))
                acknowledged, sent = expected, max(sent, expected)
        elif number == expected:
            expected, asked = expected + 1, False
            if expected % 3 == 0:
                wire.ack((start + expected - 1) % (1 << 24))
                acknowledged = expected
        elif not asked:
            asked = True
            wire.nak((start + expected) % (1 << 24))
            acknowledged = sent = expected
    assert go_back_n(wire.trace()).violations == ()


@pytest.mark.parametrize("knows", [True, False], ids=["it left later", "nobody knows when"])
def test_packets_that_have_overtaken_another_one_say_nothing(knows: bool) -> None:
    """Its receiver asks for it, as it has to: the tester has seen it before, and had it wait."""
    wire = Wire().data(0, 1, 2).nak(1).data(1, 2)
    held = wire.packets[1]
    left_ns = held.arrived_ns + 15_000 if knows else None
    wire.packets[1] = replace(held, left_ns=left_ns, fate=Fate.HELD)
    verdict = goes_back_n(go_back_n(wire.trace()))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "packet 1 left behind later ones" in verdict.reason


def test_packets_that_wait_in_their_order_are_no_doubt() -> None:
    wire = Wire().data(0, 1, 2, lost=False)
    wire.packets[1:] = [replace(p, left_ns=p.arrived_ns + 50_000, fate=Fate.HELD) for p in wire.packets[1:]]
    assert not go_back_n(wire.trace()).doubt


def test_a_receiver_that_is_not_ready_asks_for_its_packet_later() -> None:
    """It acknowledges those before, and the sender waits as long as it was told: neither is wrong."""
    found = go_back_n(Wire().data(0, 1, 2, 3).not_ready(2).waits(640).data(2, 3).ack(3).trace())
    (going,) = found.goings
    assert (going.psn, going.reason, going.packets) == (2, Reason.NOT_READY, 2)
    assert (going.generation_ns, going.reaction_ns) == (None, 649_000)
    assert (found.violations, found.timeouts, found.naks, found.longest_reaction_ns) == ((), 0, 0, None)
    assert goes_back_n(found).outcome is Outcome.PASS


@pytest.mark.parametrize("psn", [1, 3])
def test_another_packet_than_the_one_that_is_asked_for_later_is_found(psn: int) -> None:
    found = go_back_n(Wire().data(0, 1, 2, 3).not_ready(2).data(psn).trace())
    assert [violation.fault for violation in found.violations] == [Fault.WRONG_RESTART]


def test_several_reads_at_a_time_say_nothing() -> None:
    """Responses of the first one come when the second one was asked for."""
    wire = Wire().read(0, 256).read(4, 256).responses(0).responses(1, lost=True).responses(2, 3, 4, 5, 6, 7)
    verdict = goes_back_n(go_back_n(wire.waits(50).read(1, 192).read(4, 256).responses(1, 2, 3).trace()))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "packet 1 asks for a READ on queue pair 17 while another one is under way" in verdict.reason


def test_reads_one_after_the_other_are_followed() -> None:
    """Also with a WRITE between them, and where the first one was asked for again."""
    wire = Wire().read(0, 128).responses(0).responses(1, lost=True).waits(70_000).read(1, 64).responses(1)
    assert not go_back_n(wire.data(2, 3).read(4, 128).responses(4, 5).read(6, 64).responses(6).trace()).doubt
