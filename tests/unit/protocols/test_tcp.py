# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest
from scapy.layers.inet import IP, TCP

from TesterLibrary.model.message import FILL

from .dialogue import PEER, Dialogue, TcpPeer, flags, payload

pytestmark = pytest.mark.usefixtures("machine")

ALL_OPTIONS = [("MSS", 1000), ("SAckOK", b""), ("Timestamp", (77, 0)), ("NOP", None), ("WScale", 3)]


def peer(protocol: str = "tcp-server", **parameters: object) -> TcpPeer:
    return TcpPeer(Dialogue(protocol, **parameters))


def connected(protocol: str = "tcp-server", **parameters: object) -> TcpPeer:
    return peer(protocol, **parameters).connects()


def giving(size: int, **parameters: object) -> TcpPeer:
    """A server that has been told to send, and has got the window of `TcpPeer.window`."""
    return connected(size=size, **parameters)


def test_a_connection_is_opened_used_and_closed_by_the_peer() -> None:
    ours = connected()
    (answer,) = ours.sends(b"x" * 100)
    assert (str(answer[TCP].flags), answer[TCP].ack) == ("A", ours.seq)
    (end,) = ours.says("FA")
    assert (str(end[TCP].flags), end[TCP].ack, end[TCP].seq) == ("FA", ours.seq + 1, ours.ack)
    ours.seq += 1
    assert ours.says("A", ack=ours.ack + 1) == []
    assert ours.dialogue.interpreter.flows == {}
    assert (ours.dialogue.count("established"), ours.dialogue.count("closed")) == (1, 1)
    assert ours.dialogue.count("bytes_received") == 100


def test_options_are_those_of_the_peer() -> None:
    (plain,) = peer().says("S")
    assert [name for name, _ in plain[TCP].options] == ["MSS"]
    (full,) = peer().says("S", options=ALL_OPTIONS)
    given = dict(full[TCP].options)
    assert given["MSS"] == 1460
    assert given["Timestamp"][1] == 77
    assert given["WScale"] == 7
    assert "SAckOK" in given


def test_time_stamps_go_on_when_a_clock_of_microseconds_is_full() -> None:
    """RFC 7323 §5.3: a peer drops what has a lower one than before."""
    ours = peer()
    ours.dialogue.ms = 2**32 / 1000 - 50
    ours.connects(ALL_OPTIONS)
    first, second = (stamp_after(ours, 40), stamp_after(ours, 40))
    assert (first, second - first) == (2**32 // 1000 - 10, 40)


def stamp_after(ours: TcpPeer, ms: float) -> int:
    """The timestamp in the acknowledgment of data sent after so much time."""
    assert ours.dialogue.waits(ms) == []
    (answer,) = ours.sends(b"x", options=[("Timestamp", (78, 0))])
    return int(dict(answer[TCP].options)["Timestamp"][0])


def test_a_scaled_window_and_the_mss_of_the_peer_bound_what_is_sent() -> None:
    ours = peer(size=100_000).connects(ALL_OPTIONS)
    ours.window = 500  # times 8
    sent = ours.says("FA", options=[("Timestamp", (78, 0))])
    assert [len(payload(packet)) for packet in sent] == [988, 988, 988, 988, 48]  # 12 bytes for the time
    assert {dict(packet[TCP].options)["Timestamp"][1] for packet in sent} == {78}


def test_a_peer_without_scaling_is_sent_no_more_than_its_window() -> None:
    ours = giving(100_000)
    ours.window = 3000
    sent = ours.says("FA")
    assert [len(payload(packet)) for packet in sent] == [536] * 5 + [
        320
    ]  # RFC 9293 §3.7.1: without an option


def test_no_mss_is_too_small_to_live_with() -> None:
    ours = peer(size=128).connects([("MSS", 0)])
    assert [len(payload(say)) for say in ours.says("FA")] == [64, 64]


@pytest.mark.parametrize("ack", [0, 1, 5])
def test_a_wrong_acknowledgment_of_a_syn_is_reset(ack: int) -> None:
    ours = peer()
    (answer,) = ours.says("S")
    (reset,) = ours.says("A", seq=ours.seq + 1, ack=answer[TCP].seq + 1 + ack + (ack == 0))
    assert flags([reset]) == ["R"]
    assert ours.dialogue.count("established") == 0


def test_a_syn_to_a_closed_port_is_refused() -> None:
    ours = peer(listen=0)
    (reset,) = ours.says("S")
    assert (str(reset[TCP].flags), reset[TCP].seq, reset[TCP].ack) == ("RA", 0, ours.seq + 1)
    assert ours.dialogue.interpreter.flows == {}


def test_what_belongs_to_no_connection_is_reset_but_never_a_reset() -> None:
    ours = peer()
    (reset,) = ours.says("PA", b"hello", ack=4711)
    assert (str(reset[TCP].flags), reset[TCP].seq) == ("R", 4711)
    (reset,) = ours.says("", b"hello")
    assert (str(reset[TCP].flags), reset[TCP].ack) == ("RA", ours.seq + 5)
    assert ours.says("R") == ours.says("RA") == []


def test_a_syn_that_comes_again_is_answered_again() -> None:
    ours = peer()
    first, second = ours.says("S"), ours.says("S")
    assert first[0][TCP].seq == second[0][TCP].seq
    assert len(ours.dialogue.interpreter.flows) == 1


def test_a_handshake_without_end_is_tried_eight_times_and_given_up() -> None:
    ours = peer(rto="1 ms", timestamps=0)
    ours.says("S")
    assert flags(ours.dialogue.waits(2000)) == ["SA"] * 8
    assert ours.dialogue.interpreter.flows == {}
    assert ours.dialogue.count("timed_out") == 1


@pytest.mark.parametrize(("offset", "answer"), [(0, []), (1, ["A"]), (65_534, ["A"]), (65_535, []), (-1, [])])
def test_only_a_reset_of_the_exact_number_ends_a_connection(offset: int, answer: list[str]) -> None:
    """RFC 5961 §3: within the window it is challenged, elsewhere ignored."""
    ours = connected()
    assert flags(ours.says("R", seq=ours.seq + offset)) == answer
    assert (ours.dialogue.interpreter.flows == {}) == (offset == 0)


def test_a_syn_within_a_connection_is_challenged() -> None:
    ours = connected()
    (challenge,) = ours.says("S")
    assert (str(challenge[TCP].flags), challenge[TCP].ack) == ("A", ours.seq)
    assert len(ours.dialogue.interpreter.flows) == 1


def test_a_storm_of_resets_leaves_connections_alone() -> None:
    ours = connected()
    for seq in range(0, 2**32, 2**32 // 500):
        if seq != ours.seq:
            ours.says("R", seq=seq)
    assert ours.sends(b"still here")[0][TCP].ack == ours.seq


def test_data_out_of_order_is_acknowledged_at_once_and_taken_when_it_comes_again() -> None:
    ours = connected()
    (duplicate,) = ours.says("PA", b"b" * 10, seq=ours.seq + 10)
    assert duplicate[TCP].ack == ours.seq
    ours.sends(b"a" * 10)
    ours.sends(b"b" * 10)
    assert ours.dialogue.count("bytes_received") == 20
    assert ours.dialogue.count("out_of_order") == 1


@pytest.mark.parametrize("back", [1, 50, 99])
def test_data_that_overlaps_is_taken_once(back: int) -> None:
    ours = connected()
    ours.sends(b"a" * 100)
    (answer,) = ours.says("PA", b"a" * back + b"b" * 30, seq=ours.seq - back)
    assert answer[TCP].ack == ours.seq + 30
    assert ours.dialogue.count("bytes_received") == 130


@pytest.mark.parametrize(
    ("at", "octets"),
    [
        (16, b"\xff\xff"),  # a total length of IP beyond the frame
        (14, b"\x44"),  # a header of IP that is too short
        (24, b"\x12\x34"),  # a wrong checksum of IP
        (46, b"\x40"),  # an offset of data within the header of TCP
        (46, b"\xf0"),  # and beyond the segment
        (50, b"\x12\x34"),  # a wrong checksum of TCP
        (54, b"y"),  # other data than the checksum is of
    ],
)
def test_a_malformed_segment_is_counted_and_not_taken(at: int, octets: bytes) -> None:
    ours = connected()
    frame = bytearray(bytes(ours.segment("PA", b"x" * 10)))
    frame[at : at + len(octets)] = octets
    assert ours.dialogue.interpreter.receive(bytes(frame), round(ours.dialogue.ms * 1000)) == []
    assert (ours.dialogue.count("malformed"), ours.dialogue.count("bytes_received")) == (1, 0)
    assert ours.sends(b"x" * 10)[0][TCP].ack == ours.seq


def test_a_segment_that_was_cut_off_is_not_taken() -> None:
    ours = connected()
    frame = bytes(ours.segment("PA", b"x" * 10))
    for length in range(len(frame)):
        assert ours.dialogue.interpreter.receive(frame[:length], round(ours.dialogue.ms * 1000)) == []
    assert ours.sends(b"x" * 10)[0][TCP].ack == ours.seq


def test_old_data_and_a_keepalive_are_acknowledged_and_not_taken() -> None:
    ours = connected()
    ours.sends(b"a" * 100)
    for data, seq in ((b"a" * 100, ours.seq - 100), (b"", ours.seq - 1), (b"a", ours.seq - 1)):
        (answer,) = ours.says("A", data, seq=seq)
        assert answer[TCP].ack == ours.seq
    assert ours.dialogue.count("bytes_received") == 100


def test_data_beyond_the_window_is_not_taken() -> None:
    ours = connected()
    (answer,) = ours.says("PA", b"x", seq=ours.seq + 65_535)
    assert answer[TCP].ack == ours.seq
    assert ours.dialogue.count("bytes_received") == 0


def test_an_acknowledgment_of_what_was_never_sent_is_answered_and_ignored() -> None:
    ours = connected()
    (answer,) = ours.says("PA", b"x", ack=ours.ack + 1)
    assert (answer[TCP].ack, answer[TCP].seq) == (ours.seq, ours.ack)
    assert ours.dialogue.count("bytes_received") == 0


def test_an_old_acknowledgment_does_not_hold_data_up() -> None:
    ours = connected()
    assert ours.sends(b"x" * 5, ack=ours.ack - 1)[0][TCP].ack == ours.seq


def test_what_is_not_acknowledged_is_sent_again_and_slower_each_time() -> None:
    ours = giving(500, rto="10 ms")
    (first,) = ours.says("FA")
    times = []
    for _ in range(200):
        times += [ours.dialogue.ms for wait in ours.dialogue.waits(1) if payload(wait) == payload(first)]
    assert times == [10, 30, 70, 150]
    ours.seq += 1
    ours.takes([first])
    (end,) = ours.says("A")
    assert "F" in end[TCP].flags


def test_a_peer_that_is_gone_is_given_up() -> None:
    ours = giving(500, rto="1 ms")
    ours.says("FA")
    assert flags(ours.dialogue.waits(5000))[-1] == "RA"
    assert (ours.dialogue.count("timed_out"), ours.dialogue.count("lost")) == (1, 1)
    assert ours.dialogue.interpreter.flows == {}


def test_three_duplicates_bring_the_lost_segment_at_once_and_no_other() -> None:
    ours = giving(536 * 6)
    sent = ours.says("FA")
    ours.seq += 1
    ours.takes(sent[:2])
    assert ours.says("A") == []
    assert [ours.says("A") for _ in range(2)] == [[], []]
    (again,) = ours.says("A")
    assert again[TCP].seq == sent[2][TCP].seq
    assert payload(again) == payload(sent[2])
    assert ours.says("A") == []


def test_a_partial_acknowledgment_brings_the_next_lost_segment() -> None:
    """RFC 6582 §3.2 step 3."""
    ours = giving(536 * 6)
    sent = ours.says("FA")
    ours.seq += 1
    for _ in range(3):
        again = ours.says("A")
    assert again[0][TCP].seq == sent[0][TCP].seq
    ours.takes(sent[:3])  # the first came now, the fourth was lost too
    (again,) = ours.says("A")
    assert again[TCP].seq == sent[3][TCP].seq


BACK_OFF = [200 * 2**k for k in range(9)]  # ms, up to 51.2 s


def closed_window(**parameters: object) -> TcpPeer:
    ours = giving(2000, **parameters)
    ours.window = 0
    ours.says("FA")
    ours.seq += 1
    return ours


def expect_probe(ours: TcpPeer, ms: float) -> None:
    """One probe, after exactly so much time."""
    assert ours.dialogue.waits(ms - 0.1) == []
    (probe,) = ours.dialogue.waits(0.1)
    assert (probe[TCP].seq, len(payload(probe))) == (ours.ack, 1)


def test_a_closed_window_is_probed_ever_more_rarely_for_as_long_as_the_peer_answers() -> None:
    """RFC 9293 §3.8.6.1."""
    ours = closed_window()
    for ms in [*BACK_OFF, *BACK_OFF[-1:] * 20]:
        expect_probe(ours, ms)
        ours.says("A")
    assert ours.dialogue.count("timed_out") == 0
    ours.window = 65_535
    sent = ours.says("A")
    assert sum(len(payload(packet)) for packet in sent) == 2000


def test_a_window_that_is_closed_again_is_probed_soon() -> None:
    ours = closed_window()
    for ms in BACK_OFF[:4]:
        expect_probe(ours, ms)
        ours.says("A")
    ours.window = 536
    ours.takes(ours.says("A"))
    ours.window = 0
    ours.says("A")
    for ms in BACK_OFF[:4]:
        expect_probe(ours, ms)
        ours.says("A")


def test_probes_that_nobody_answers_are_given_up_after_eight_in_turn() -> None:
    ours = closed_window()
    for ms in BACK_OFF:
        expect_probe(ours, ms)
        ours.says("A")
    for _ in range(7):
        expect_probe(ours, BACK_OFF[-1])
    ours.says("A")
    for _ in range(8):
        expect_probe(ours, BACK_OFF[-1])
    assert flags(ours.dialogue.waits(BACK_OFF[-1])) == ["RA"]
    assert ours.dialogue.count("timed_out") == 1


def test_a_window_update_lets_more_be_sent() -> None:
    ours = giving(2000)
    ours.window = 536
    (first,) = ours.says("FA")
    ours.seq += 1
    ours.window = 1072
    (second,) = ours.says("A")
    assert second[TCP].seq == first[TCP].seq + 536


def test_a_client_opens_sends_and_closes() -> None:
    client = Dialogue("tcp-client", size=1000)
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    assert (str(syn[TCP].flags), syn[IP].dst, syn[TCP].dport) == ("S", PEER, 80)
    assert [name for name, _ in syn[TCP].options if name != "NOP"] == ["MSS", "SAckOK", "Timestamp", "WScale"]
    server = TcpPeer(client, sport=80, dport=50_000, isn=9000)
    server.ack = syn[TCP].seq + 1
    sent = server.says("SA", options=[("MSS", 1460)])
    server.seq += 1
    assert server.takes(sent) == (FILL * 4)[:1000]
    (end,) = server.says("A")
    server.takes([end])
    assert "F" in end[TCP].flags
    assert server.says("A") == []
    (last,) = server.says("FA")
    assert (str(last[TCP].flags), last[TCP].ack) == ("A", server.seq + 1)
    assert client.count("finished") == 1
    assert client.interpreter.flows  # TIME-WAIT
    assert client.waits(1001) == []
    assert client.interpreter.flows == {}


@pytest.mark.parametrize(
    ("said", "flag", "refused"),
    [
        ({"flags": "SA", "ack": 5}, ["R"], 0),
        ({"flags": "RA", "ack": 0}, [], 0),
        ({"flags": "R", "ack": 1}, [], 0),
    ],
)
def test_a_client_minds_only_answers_to_its_syn(
    said: dict[str, object], flag: list[str], refused: int
) -> None:
    client = Dialogue("tcp-client")
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    server = TcpPeer(client, sport=80, dport=50_000)
    given = {**said, "ack": syn[TCP].seq + 1 + int(str(said["ack"])) + (said["ack"] == 0)}
    assert flags(server.says(str(given.pop("flags")), **given)) == flag
    assert client.count("refused") == refused
    assert len(client.interpreter.flows) == 1


def test_a_client_that_is_refused_says_so() -> None:
    client = Dialogue("tcp-client")
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    assert TcpPeer(client, sport=80, dport=50_000).says("RA", ack=syn[TCP].seq + 1) == []
    assert (client.count("refused"), client.count("lost")) == (1, 1)
    assert client.interpreter.flows == {}


def test_both_may_open_at_once() -> None:
    client = Dialogue("tcp-client", size=10)
    (syn,) = client.opens(TCP_sport=50_000, TCP_dport=80)
    server = TcpPeer(client, sport=80, dport=50_000)
    (both,) = server.says("S")
    assert str(both[TCP].flags) == "SA"
    server.ack, server.seq = both[TCP].seq + 1, server.seq + 1
    assert server.takes(server.says("A"))[:3] == FILL[:3]
    assert client.count("established") == 1
    assert syn[TCP].ack == 0


def test_a_delayed_acknowledgment_of_ours_comes_once_for_several_segments() -> None:
    ours = connected(ack_delay="5 ms")
    assert ours.sends(b"a" * 10) == ours.sends(b"b" * 10) == []
    (answer,) = ours.dialogue.waits(6)
    assert answer[TCP].ack == ours.seq
