# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The sender without states (norma section 9.1): what it says follows from the packet in hand."""

from __future__ import annotations

import pytest
from scapy.layers.inet import IP, TCP

from TesterLibrary.model.message import FILL

from .dialogue import Dialogue, TcpPeer, flags, payload

pytestmark = pytest.mark.usefixtures("machine")


def test_each_pure_ack_is_answered_with_the_next_segment() -> None:
    peer = TcpPeer(Dialogue("push"))
    (syn_ack,) = peer.says("S")
    assert (str(syn_ack[TCP].flags), syn_ack[TCP].ack) == ("SA", 1001)
    position = syn_ack[TCP].seq + 1
    for number in range(3):
        (push,) = peer.says("A", seq=1001, ack=position + 1460 * number)
        assert (str(push[TCP].flags), push[TCP].seq, push[TCP].ack) == ("PA", position + 1460 * number, 1001)
        assert len(payload(push)) == 1460
        assert payload(push)[:300] == (FILL * 2)[:300]
        assert (push[IP].src, push[IP].dst, push[TCP].sport) == ("198.18.0.2", "198.18.0.9", 80)
    assert peer.dialogue.count("pushed") == 3


def test_data_is_not_answered_an_end_is_with_a_reset() -> None:
    peer = TcpPeer(Dialogue("push"))
    assert peer.says("PA", b"hello") == []
    assert flags(peer.says("FA")) == ["R"]
    assert peer.says("R") == []
    assert (peer.dialogue.count("ignored"), peer.dialogue.count("ended")) == (2, 1)
