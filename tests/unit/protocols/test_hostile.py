# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An interpreter goes on whatever arrives, and answers with correct frames."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP
from scapy.packet import Raw

from TesterLibrary.files.paths import names
from TesterLibrary.protocols.interpreter import Interpreter

from ...examples import examples
from .dialogue import LINK, OURS, PEER, Dialogue, TcpPeer


@cache
def server(name: str) -> Interpreter:
    """One interpreter of a protocol, for all of its frames."""
    return Dialogue(name).interpreter


@pytest.mark.parametrize("name", names("protocols"))
@settings(max_examples=examples(50), deadline=None)
@given(frame=st.binary(max_size=200))
def test_random_frames(name: str, frame: bytes) -> None:
    interpreter = server(name)
    before = interpreter.counters.total()
    interpreter.receive(frame, interpreter.now + 1)
    assert interpreter.counters.total() > before


SEGMENTS = st.tuples(
    st.text("FSRPAU", max_size=4),
    st.sampled_from([-70_000, -100, -1, 0, 1, 99, 65_535, 2**31]),
    st.sampled_from([-1000, -1, 0, 1, 1000, 2**31]),
    st.sampled_from([0, 1, 500, 65_535]),
    st.binary(max_size=30),
    st.integers(0, 300),
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(SEGMENTS, max_size=25))
def test_a_peer_that_minds_no_rule(segments: list[tuple[str, int, int, int, bytes, int]]) -> None:
    """Numbers near and far from the right ones, any flags, any window."""
    dialogue = Dialogue("tcp-server", size=5000, rto="20 ms")
    peer = TcpPeer(dialogue).connects()
    seq, ack = peer.seq, peer.ack
    for flag, near, acked, window, data, ms in segments:
        for sent in dialogue.waits(ms):
            ack = (sent[TCP].seq + len(sent[TCP].payload)) % 2**32
        tcp = TCP(sport=40_000, dport=80, seq=(seq + near) % 2**32, ack=(ack + acked) % 2**32, window=window)
        tcp.flags = "".join(sorted(set(flag)))
        for sent in dialogue.hears(LINK / IP(src=PEER, dst=OURS) / tcp / Raw(data)):
            ack = (sent[TCP].seq + len(sent[TCP].payload)) % 2**32
            seq = sent[TCP].ack or seq
    dialogue.waits(200_000)
    assert len(dialogue.interpreter.flows) <= 1
