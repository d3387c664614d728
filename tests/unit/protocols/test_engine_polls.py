# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Timers of many flows that are due at once: a worker handles a part of them between two polls."""

from __future__ import annotations

from collections import Counter

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Packet

from .dialogue import LINK, OUR_MAC, OURS, PEER, PEER_MAC, loaded
from .engine_machine import EngineMachine, InterpretingEngine, program

MOST_WAKES = 64
FLOWS = 1000
RTO = 200_000  # microseconds

pytestmark = pytest.mark.skipif(program() is None, reason="the engine is not built: python3 tools/engine.py")


class Clients:
    """1,000 clients that have sent their SYNs at one time."""

    def __init__(self, machine: EngineMachine) -> None:
        self.machine = machine
        link = {"Ether.src": OUR_MAC, "Ether.dst": PEER_MAC, "IP.src": OURS, "IP.dst": PEER, "TCP.dport": 80}
        self.syns = [
            Ether(frame)
            for port in range(10_000, 10_000 + FLOWS)
            for frame in machine.start({**link, "TCP.sport": port}, 0)
        ]
        assert len(self.syns) == FLOWS

    def polled(self, now: int) -> list[int]:
        """Source ports of what a poll sends."""
        return [Ether(frame)[TCP].sport for frame in self.machine.poll(now)]

    def hears(self, packet: Packet, now: int) -> list[bytes]:
        return self.machine.receive(bytes(packet), now)


@pytest.fixture(params=[EngineMachine, InterpretingEngine])
def clients(request: pytest.FixtureRequest) -> Clients:
    return Clients(request.param(loaded("tcp-client"), {"size": 0}))


def test_a_poll_handles_some_timers_and_later_ones_the_rest(clients: Clients) -> None:
    assert clients.polled(RTO - 1) == []
    bursts = [clients.polled(RTO + poll) for poll in range(100)]
    assert max(map(len, bursts)) <= MOST_WAKES
    assert Counter(port for burst in bursts for port in burst) == Counter(
        syn[TCP].sport for syn in clients.syns
    )


def test_a_timer_that_waits_begins_its_next_time_when_it_fires(clients: Clients) -> None:
    late = 50_000
    assert sum(len(clients.polled(RTO + late + poll)) for poll in range(100)) == FLOWS
    assert clients.polled(3 * RTO - 1) == []
    assert len(clients.polled(3 * RTO + late - 1)) <= MOST_WAKES
    assert sum(len(clients.polled(3 * RTO + late + poll)) for poll in range(200)) >= FLOWS - MOST_WAKES


def test_all_fire_before_a_frame_of_a_dialogue_is_heard(clients: Clients) -> None:
    """So tests of protocols see events in their order, which a worker does not promise."""
    syn = clients.syns[-1]
    answer = (
        LINK / IP(src=PEER, dst=OURS) / TCP(sport=80, dport=syn[TCP].sport, flags="SA", ack=syn[TCP].seq + 1)
    )
    assert len(clients.hears(answer, RTO)) > FLOWS
