# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RoCEv2's two ends with each other, over a cable that loses, marks and damages chosen packets."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scapy.contrib.roce import AETH, BTH
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from TesterLibrary.errors import PlanError
from TesterLibrary.files import paths
from TesterLibrary.measurement.traces.go_back_n import go_back_n
from TesterLibrary.measurement.traces.trace import Change, PathTrace, TracedPacket
from TesterLibrary.model.heading import Heading
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.wire.icrc import icrc

from .dialogue import LINK, OURS, PEER, Dialogue

pytestmark = pytest.mark.usefixtures("machine")

SEND, WRITE, READ = range(3)
ACK, CNP, READ_REQUEST = 0x11, 0x81, 0x0C
QPN = 17
_GAP = 0.001  # ms

Fault = Callable[[Packet], Packet | None]


def untouched(packet: Packet) -> Packet | None:
    return packet


class Cable:
    """A requester and a responder, which hear each other at once; `faults` are by place in what was sent."""

    def __init__(self, requester: dict[str, Any] | None = None, **responder: Any) -> None:
        self.requester = Dialogue("roce-requester", **(requester or {}))
        self.responder = Dialogue("roce-responder", **responder)
        self.sent: list[Packet] = []  # by the requester
        self.answered: list[Packet] = []
        self.passed: list[tuple[Heading, int, Packet]] = []  # with their places in those

    def run(
        self,
        forward: dict[int, Fault] | None = None,
        backward: dict[int, Fault] | None = None,
        ms: float = 1.0,
    ) -> Cable:
        """Opens the queue pair and lets so much time pass."""
        waiting = self.requester.opens(BTH_dqpn=QPN)
        for _ in range(round(ms / _GAP)):
            self._carry(waiting, forward or {}, backward or {})
            waiting = self.requester.waits(_GAP)
            back = self.responder.waits(_GAP)
            waiting += self._back(back, backward or {})
        return self

    def trace(self, forward: dict[int, Fault]) -> PathTrace:
        """The trace that a path in the middle would have recorded."""
        packets = []
        for number, (direction, place, packet) in enumerate(self.passed):
            fault = forward.get(place) if direction is Heading.FORWARD else None
            octets = bytes(packet)
            packets.append(
                TracedPacket(
                    number=number,
                    direction=direction,
                    arrived_ns=number * 1000,
                    left_ns=None if fault is lost else number * 1000 + 1,
                    events=(),
                    iteration=None,
                    length=len(octets) + 4,
                    octets=octets,
                    changes=frozenset({Change.DAMAGED} if fault is damaged else ()),
                )
            )
        count = len(packets)
        return PathTrace("cable", tuple(packets), received=count, due=count, dropped=0)

    def _carry(self, packets: list[Packet], forward: dict[int, Fault], backward: dict[int, Fault]) -> None:
        for packet in packets:
            self.sent.append(packet)
            self.passed.append((Heading.FORWARD, len(self.sent), turned(packet)))
            arrived = forward.get(len(self.sent), untouched)(turned(packet))
            if arrived is not None:
                self._carry(self._back(self.responder.hears(arrived), backward), forward, backward)

    def _back(self, packets: list[Packet], backward: dict[int, Fault]) -> list[Packet]:
        more: list[Packet] = []
        for packet in packets:
            self.answered.append(packet)
            self.passed.append((Heading.BACKWARD, len(self.answered), packet))
            arrived = backward.get(len(self.answered), untouched)(turned(packet))
            if arrived is not None:
                more += self.requester.hears(arrived)
        return more


def turned(packet: Packet) -> Packet:
    """As the other end has to see it: both of them call themselves by the same addresses."""
    octets = bytearray(bytes(packet))
    octets[0:12] = octets[6:12] + octets[0:6]
    octets[26:34] = octets[30:34] + octets[26:30]
    octets[-4:] = icrc(bytes(octets[14:-4]), 20)
    return with_sum(octets)


def with_sum(octets: bytearray) -> Packet:
    """The frame with right checksums of IPv4 and UDP."""
    frame = Ether(bytes(octets))
    ip = IP(bytes(octets[14:34]))
    del ip.chksum
    return Ether(
        bytes(octets[:14]) + bytes(ip / UDP(sport=frame[UDP].sport, dport=4791) / Raw(bytes(octets[42:])))
    )


def lost(_: Packet) -> None:
    return None


def marked(packet: Packet) -> Packet:
    octets = bytearray(bytes(packet))
    octets[15] |= 3
    return with_sum(octets)


def damaged(packet: Packet) -> Packet:
    """The packet with a wrong bit that only the invariant CRC tells."""
    octets = bytearray(bytes(packet))
    octets[-8] ^= 1
    return with_sum(octets)


def psns(packets: list[Packet]) -> list[int]:
    return [packet[BTH].psn for packet in packets]


def opcodes(packets: list[Packet]) -> list[int]:
    return [packet[BTH].opcode for packet in packets]


def naks(packets: list[Packet]) -> list[int]:
    """PSNs of sequence errors."""
    return [packet[BTH].psn for packet in packets if AETH in packet and packet[AETH].syndrome == 0x60]


def message(packets: int, **given: Any) -> dict[str, Any]:
    """Parameters of messages of 256 bytes a packet."""
    size = packets * 256
    return {"mtu_bits": 8, "packets": packets, "size": size, "rest": 256, "messages": 1, **given}


@pytest.mark.parametrize(("verb", "first"), [(SEND, [0, 1, 1, 2]), (WRITE, [6, 7, 7, 8])])
def test_a_message_without_loss(verb: int, first: list[int]) -> None:
    cable = Cable(message(4, verb=verb, messages=3), mtu_bits=8).run()
    assert opcodes(cable.sent) == first * 3
    assert psns(cable.sent) == list(range(12))
    assert psns(cable.answered) == [3, 7, 11]
    assert [packet[AETH].msn for packet in cable.answered] == [1, 2, 3]
    assert cable.requester.count("completed") == 3
    assert cable.requester.count("finished") == 1
    assert cable.responder.count("messages") == 3
    assert cable.responder.count("bytes") == 3 * 4 * 256


@pytest.mark.parametrize(("verb", "opcode"), [(SEND, 4), (WRITE, 10)])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 255])
def test_a_short_message_is_padded(verb: int, opcode: int, size: int) -> None:
    given = {"mtu_bits": 8, "packets": 1, "size": size, "rest": size, "messages": 2, "verb": verb}
    cable = Cable(given).run()
    assert opcodes(cable.sent) == [opcode] * 2
    assert cable.sent[0][BTH].padcount == -size % 4
    assert cable.responder.count("bytes") == 2 * size


def test_psns_go_round() -> None:
    start = (1 << 24) - 2
    cable = Cable(message(4, messages=2, initial_psn=start), initial_psn=start).run()
    assert psns(cable.sent) == [start, start + 1, 0, 1, 2, 3, 4, 5]
    assert cable.requester.count("finished") == 1


def test_what_is_lost_is_asked_for_and_all_behind_it_is_sent_again() -> None:
    cable = Cable(message(6, gap=2)).run({3: lost})
    assert naks(cable.answered) == [2]
    # The fourth packet tells the responder, and its NAK is there at once.
    assert psns(cable.sent) == [0, 1, 2, 3, 2, 3, 4, 5]
    assert cable.responder.count("out_of_sequence") == 1
    assert cable.requester.count("naks") == 1
    assert cable.requester.count("retransmitted") == 2
    assert cable.requester.count("timeouts") == 0
    assert cable.requester.count("finished") == 1


def test_a_retransmission_that_is_lost_is_sent_again_after_a_timeout() -> None:
    """Its packet is asked for once: only the requester's timer helps."""
    cable = Cable(message(6, ack_timeout=100)).run({3: lost, 5: lost})
    assert naks(cable.answered) == [2]
    assert psns(cable.sent) == [0, 1, 2, 3, 2, 3, 4, 5, 2, 3, 4, 5]
    assert cable.requester.count("timeouts") == 1
    assert cable.requester.count("finished") == 1


def test_a_last_packet_that_is_lost_waits_for_the_timeout() -> None:
    cable = Cable(message(4, ack_timeout=100)).run({4: lost})
    assert psns(cable.sent) == [0, 1, 2, 3, 0, 1, 2, 3]
    assert cable.responder.count("duplicates") == 3
    assert cable.requester.count("timeouts") == 1
    assert cable.requester.count("finished") == 1


def test_an_acknowledgement_that_is_lost_is_sent_again_for_duplicates() -> None:
    cable = Cable(message(2, ack_timeout=100)).run(backward={1: lost})
    assert psns(cable.sent) == [0, 1, 0, 1]
    assert psns(cable.answered) == [1, 1]
    assert cable.responder.count("messages") == 1
    assert cable.requester.count("finished") == 1


def test_it_fails_after_its_retries() -> None:
    cable = Cable(message(1, ack_timeout=50, retries=3)).run(dict.fromkeys(range(1, 10), lost))
    assert len(cable.sent) == 4
    assert cable.requester.count("timed_out") == 1
    assert cable.requester.count("finished") == 0


def test_several_messages_are_on_their_way() -> None:
    cable = Cable(message(2, messages=4, depth=3), mtu_bits=8).run({2: lost})
    # Of the second message the first packet tells that one is missing.
    assert naks(cable.answered) == [1]
    assert psns(cable.sent) == [0, 1, 2, 1, 2, 3, 4, 5, 6, 7]
    assert cable.requester.count("completed") == 4


@pytest.mark.parametrize("count", [1, 4])
def test_a_read(count: int) -> None:
    cable = Cable(message(count, verb=READ, messages=2), mtu_bits=8).run()
    assert opcodes(cable.sent) == [READ_REQUEST] * 2
    assert psns(cable.sent) == [0, count]
    assert opcodes(cable.answered) == ([16] if count == 1 else [13, 14, 14, 15]) * 2
    assert psns(cable.answered) == list(range(2 * count))
    assert cable.requester.count("bytes") == 2 * count * 256
    assert cable.requester.count("finished") == 1


def test_a_response_that_is_lost_is_asked_for_from_there_on() -> None:
    cable = Cable(message(5, verb=READ), mtu_bits=8).run(backward={2: lost})
    assert psns(cable.sent) == [0, 1]
    address, _, length = struct.unpack("!QII", bytes(cable.sent[1][BTH].payload)[:16])
    assert (address, length) == (256, 4 * 256)
    assert cable.requester.count("out_of_sequence") == 1
    assert cable.requester.count("bytes") == 5 * 256
    assert cable.requester.count("finished") == 1


@pytest.mark.parametrize("verb", [SEND, WRITE])
def test_a_damaged_packet_is_no_packet(verb: int) -> None:
    cable = Cable(message(5, verb=verb)).run({3: damaged})
    assert cable.responder.count("malformed") in (0, 1)  # the engine counts it elsewhere
    assert naks(cable.answered) == [2]
    assert cable.requester.count("finished") == 1


def test_marks_are_told_no_more_often_than_the_interval() -> None:
    faults: dict[int, Fault] = dict.fromkeys((1, 2, 6), marked)
    cable = Cable(message(8, gap=10), cnp_interval=45).run(forward=faults)
    assert cable.responder.count("marked") == 3
    assert opcodes(cable.answered).count(CNP) == 2
    assert cable.requester.count("cnps") == 2
    notification = next(packet for packet in cable.answered if packet[BTH].opcode == CNP)
    assert notification[BTH].becn == 1
    assert notification[IP].tos == 0


def test_the_requester_tells_of_marked_responses() -> None:
    cable = Cable(message(4, verb=READ), mtu_bits=8).run(backward={2: marked})
    assert cable.requester.count("cnps_sent") == 1
    assert cable.responder.count("cnps_received") == 1


def test_other_queue_pairs_and_requests_are_refused() -> None:
    dialogue = Dialogue("roce-responder", queue_pairs=2)
    roce = LINK / IP(src=PEER, dst=OURS) / UDP(sport=0xC001, dport=4791)
    assert dialogue.hears(roce / BTH(opcode=4, dqpn=QPN + 2) / Raw(b"abcd")) == []
    assert dialogue.count("unknown") == 1
    (answer,) = dialogue.hears(roce / BTH(opcode=0x13, dqpn=QPN + 1) / Raw(bytes(28)))
    assert answer[AETH].syndrome == 0x61
    assert dialogue.count("refused") == 1
    assert answer[UDP].sport == 0xC001


def test_the_trace_of_right_ends_has_no_violation() -> None:
    """The analyser of traces takes for right what these tables do."""
    faults: list[dict[int, Fault]] = [{7: lost}, {7: lost, 9: lost}, {12: lost}, {7: damaged}]
    for fault in faults:
        cable = Cable(message(12, ack_timeout=100)).run(fault)
        assert cable.requester.count("finished") == 1
        found = go_back_n(cable.trace(fault))
        assert found.violations == ()
        assert found.requests_again == cable.requester.count("retransmitted")
        assert found.naks == cable.responder.count("naks")


def test_a_receiver_that_is_not_ready_is_tried_again() -> None:
    dialogue = Dialogue("roce-requester", **message(2, rnr_delay=300))
    dialogue.opens(BTH_dqpn=QPN)
    dialogue.waits(0.01)
    roce = LINK / IP(src=PEER, dst=OURS) / UDP(sport=0xC001, dport=4791)
    assert dialogue.hears(roce / BTH(opcode=ACK, dqpn=QPN, psn=0) / AETH(syndrome=0x2A)) == []
    assert dialogue.waits(0.29) == []
    assert psns(dialogue.waits(0.02)) == [0, 1]
    assert dialogue.count("not_ready") == 1


def test_a_header_whose_check_covers_no_udp_is_refused(tmp_path: Path) -> None:
    text = paths.resource("protocols", "roce-responder").read_text(encoding="utf-8")
    changed = tmp_path / "mine.yaml"
    changed.write_text(
        text.replace("headers: Ether / IP / UDP(dport=4791) / BTH", "headers: Ether / IP / BTH")
    )
    with pytest.raises(PlanError, match="BTH is behind UDP in IP or IPv6; here it is behind Ether / IP"):
        load_protocol(str(changed))


def test_a_body_of_the_packet_in_hand_is_refused(tmp_path: Path) -> None:
    text = paths.resource("protocols", "roce-responder").read_text(encoding="utf-8")
    changed = tmp_path / "mine.yaml"
    changed.write_text(text.replace("body: 0 - left & 3 + left", "body: payload.length", 1))
    with pytest.raises(PlanError, match=r"'payload.length' is of the packet in hand"):
        load_protocol(str(changed))
