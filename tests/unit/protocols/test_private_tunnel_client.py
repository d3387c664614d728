# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The client's end of the private tunnel: opens a session, has its messages echoed, says goodbye."""

from __future__ import annotations

import struct

import pytest
from scapy.layers.inet import IP, UDP
from scapy.packet import Packet, Raw

from .dialogue import LINK, OURS, PEER, Dialogue

pytestmark = pytest.mark.usefixtures("machine")

HELLO, WELCOME, DATA, ALIVE, BYE, REFUSED = range(1, 7)
KEY, SESSION = 0x5EC2E7, 0xCAFE
MESSAGE = b"a message of a private tunnel"
PORT = 4711

Said = tuple[int, int, int, bytes]  # kind, session, sequence and data


class Tunnel:
    """A server of the tunnel, which says what a test lets it."""

    def __init__(self, **parameters: object) -> None:
        self.client = Dialogue("private-tunnel-client", **parameters)
        self.session = SESSION

    def opens(self) -> list[Said]:
        return _read(self.client.opens(UDP_sport=PORT, UDP_dport=7000))

    def says(self, kind: int, sequence: int = 0, data: bytes = b"", session: int | None = None) -> list[Said]:
        """The client's answers."""
        number = self.session if session is None else session
        header = struct.pack("!BBHI", 0x10 | kind, 0, sequence, number)
        packet = LINK / IP(src=PEER, dst=OURS) / UDP(sport=7000, dport=PORT) / Raw(header + data)
        return _read(self.client.hears(packet))

    def waits(self, ms: float) -> list[Said]:
        return _read(self.client.waits(ms))

    def counts(self, *names: str) -> list[int]:
        return [self.client.count(name) for name in names]

    @property
    def over(self) -> bool:
        return not self.client.interpreter.flows


def _read(packets: list[Packet]) -> list[Said]:
    found = []
    for packet in packets:
        assert (packet[IP].src, packet[IP].dst) == (OURS, PEER)
        assert (packet[UDP].sport, packet[UDP].dport) == (PORT, 7000)
        octets = bytes(packet[UDP].payload)
        first, flags, sequence, session = struct.unpack("!BBHI", octets[:8])
        assert (first >> 4, flags) == (1, 0)
        found.append((first & 15, session, sequence, octets[8:]))
    return found


def opened(**parameters: object) -> Tunnel:
    """A session whose first message is on its way."""
    tunnel = Tunnel(**parameters)
    assert tunnel.opens() == [(HELLO, KEY, 0, b"")]
    assert tunnel.says(WELCOME) == [(DATA, SESSION, 0, MESSAGE)]
    return tunnel


def test_messages_follow_each_other_and_then_it_says_goodbye() -> None:
    tunnel = opened(messages=3)
    assert tunnel.says(DATA, 0, MESSAGE) == [(DATA, SESSION, 1, MESSAGE)]
    assert tunnel.says(DATA, 1, MESSAGE) == [(DATA, SESSION, 2, MESSAGE)]
    assert tunnel.says(DATA, 2, MESSAGE) == [(BYE, SESSION, 0, b"")]
    assert not tunnel.over
    assert tunnel.says(BYE) == []
    assert tunnel.over
    counted = tunnel.counts("attempted", "established", "echoed", "retransmitted", "timed_out", "unknown")
    assert counted == [1, 1, 3, 0, 0, 0]


def test_a_session_without_messages_is_opened_and_left() -> None:
    tunnel = Tunnel(messages=0)
    tunnel.opens()
    assert tunnel.says(WELCOME) == [(BYE, SESSION, 0, b"")]
    assert tunnel.says(REFUSED) == []
    assert tunnel.over
    assert tunnel.counts("refused", "timed_out") == [0, 0]


def test_its_key_is_the_parameter() -> None:
    assert Tunnel(key=7).opens() == [(HELLO, 7, 0, b"")]


def test_times_are_from_hello_to_welcome_and_from_data_to_its_echo() -> None:
    tunnel = Tunnel(messages=1)
    tunnel.opens()
    tunnel.waits(30)
    tunnel.says(WELCOME)
    tunnel.waits(4)
    tunnel.says(DATA, 0, MESSAGE)
    assert [tunnel.client.took(name) for name in ("time_to_open", "time_to_echo")] == [30_000, 4000]


def test_a_pause_comes_before_each_message() -> None:
    tunnel = Tunnel(pause="20 ms")
    tunnel.opens()
    assert tunnel.says(WELCOME) == tunnel.waits(19) == []
    assert tunnel.waits(1) == [(DATA, SESSION, 0, MESSAGE)]
    assert tunnel.says(DATA, 0, MESSAGE) == tunnel.waits(19) == []
    assert tunnel.waits(1) == [(DATA, SESSION, 1, MESSAGE)]


def test_a_hello_without_answer_is_said_three_times() -> None:
    tunnel = Tunnel(wait="10 ms")
    tunnel.opens()
    assert tunnel.waits(9) == []
    assert tunnel.waits(12) == [(HELLO, KEY, 0, b"")] * 2
    assert tunnel.waits(9) == []
    assert tunnel.over
    assert tunnel.counts("retransmitted", "timed_out", "established") == [2, 1, 0]


def test_a_welcome_to_the_second_hello_opens_the_session() -> None:
    tunnel = Tunnel(wait="10 ms")
    tunnel.opens()
    tunnel.waits(15)
    assert tunnel.says(WELCOME) == [(DATA, SESSION, 0, MESSAGE)]
    assert tunnel.counts("established", "retransmitted") == [1, 1]


def test_a_refused_hello_is_not_said_again() -> None:
    tunnel = Tunnel()
    tunnel.opens()
    assert tunnel.says(REFUSED) == tunnel.waits(5000) == []
    assert (tunnel.over, tunnel.counts("refused", "retransmitted")) == (True, [1, 0])


def test_a_message_that_does_not_come_back_ends_the_session() -> None:
    tunnel = opened(wait="10 ms")
    assert tunnel.waits(11) == []
    assert (tunnel.over, tunnel.counts("timed_out", "retransmitted")) == (True, [1, 0])


def test_a_session_that_the_server_forgot_has_failed() -> None:
    tunnel = opened()
    tunnel.says(REFUSED)
    assert (tunnel.over, tunnel.counts("refused")) == (True, [1])


def test_a_server_that_hangs_up_in_a_pause_has_found_us_too_quiet() -> None:
    tunnel = Tunnel(pause="1 s")
    tunnel.opens()
    tunnel.says(WELCOME)
    tunnel.says(BYE)
    assert (tunnel.over, tunnel.counts("timed_out")) == (True, [1])


def test_other_numbers_sessions_and_kinds_are_not_the_echo() -> None:
    tunnel = opened()
    for kind, sequence, session in (
        (DATA, 1, SESSION),
        (DATA, 0, SESSION + 1),
        (ALIVE, 0, SESSION),
        (WELCOME, 0, 1),
    ):
        assert tunnel.says(kind, sequence, MESSAGE, session) == []
    assert tunnel.counts("unknown", "echoed") == [4, 0]
    assert tunnel.says(DATA, 0, MESSAGE) == [(DATA, SESSION, 1, MESSAGE)]


def test_an_echo_that_comes_twice_is_counted_once() -> None:
    tunnel = opened()
    tunnel.says(DATA, 0, MESSAGE)
    assert tunnel.says(DATA, 0, MESSAGE) == []
    assert tunnel.counts("echoed", "unknown") == [1, 1]


def test_a_goodbye_without_answer_is_said_three_times() -> None:
    tunnel = opened(messages=1, wait="10 ms")
    assert tunnel.says(DATA, 0, MESSAGE) == [(BYE, SESSION, 0, b"")]
    assert tunnel.waits(25) == [(BYE, SESSION, 0, b"")] * 2
    assert tunnel.waits(6) == []
    assert (tunnel.over, tunnel.counts("retransmitted", "timed_out")) == (True, [2, 1])


def test_another_session_s_goodbye_does_not_end_ours() -> None:
    tunnel = opened(messages=1)
    tunnel.says(DATA, 0, MESSAGE)
    assert tunnel.says(BYE, session=SESSION + 1) == []
    assert not tunnel.over


def test_what_is_of_no_session_is_counted_and_not_answered() -> None:
    tunnel = Tunnel()
    assert tunnel.says(DATA, 0, MESSAGE) == tunnel.says(WELCOME) == []
    assert (tunnel.over, tunnel.counts("unknown", "established")) == (True, [2, 0])
