# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Two interpreters and a network between them that loses, doubles and reorders: all arrives all the same."""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from dataclasses import dataclass

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import TCP
from scapy.layers.l2 import Ether

from TesterLibrary.model.message import FILL
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.interpreter import Interpreter

from .dialogue import OUR_MAC, OURS, PEER, PEER_MAC

Streams = dict[tuple[int, int], bytes]
PATTERN = FILL


@dataclass
class Network:
    loss: float = 0
    double: float = 0
    late: float = 0
    seed: int = 1


def run(client: Interpreter, server: Interpreter, network: Network, *, flows: int = 1) -> Streams:
    """Runs until nothing is left to do; the streams that were sent, by their ports."""
    chance = random.Random(network.seed)
    ends, now, number = (client, server), 0, 0
    wire: list[tuple[int, int, int, bytes]] = []
    streams: dict[tuple[int, int], Stream] = defaultdict(Stream)

    def put(side: int, frames: list[bytes]) -> None:
        nonlocal number
        for frame in frames:
            segment = Ether(frame)[TCP]
            streams[segment.sport, segment.dport].add(segment)
            for _ in range(1 + (chance.random() < network.double)):
                number += 1
                delay = 100 + (chance.randrange(3000) if chance.random() < network.late else 0)
                if chance.random() >= network.loss:
                    heapq.heappush(wire, (now + delay, number, 1 - side, frame))

    for index in range(flows):
        link = {"Ether.src": OUR_MAC, "Ether.dst": PEER_MAC, "IP.src": OURS, "IP.dst": PEER}
        put(0, client.start({**link, "TCP.sport": 10_000 + index, "TCP.dport": 80}, 0))
    while True:
        times = [wire[0][0]] if wire else []
        times += [due for end in ends if (due := end.next_timer()) is not None]
        if not times:
            return {ports: bytes(stream.octets) for ports, stream in streams.items()}
        now = max(now, min(times))
        for side, end in enumerate(ends):
            end.advance(now)
            put(side, end.sent())
        while wire and wire[0][0] <= now:
            _, _, side, frame = heapq.heappop(wire)
            put(side, ends[side].receive(frame, now))


class Stream:
    """The octets that one end has sent: each once, and the same ones whenever they are sent again."""

    def __init__(self) -> None:
        self.octets = bytearray()
        self._start = 0

    def add(self, segment: TCP) -> None:
        """Ends of interpreters go back, but never leave a gap."""
        data = bytes(segment.payload)
        if "S" in segment.flags:
            self._start = segment.seq + 1
        place = (segment.seq - self._start) % 2**32
        if data:
            assert place <= len(self.octets)
            known = self.octets[place : place + len(data)]
            assert known == data[: len(known)]
            self.octets += data[len(known) :]


NETWORKS = [Network(), Network(loss=0.03), Network(double=0.2), Network(late=0.2), Network(0.02, 0.1, 0.1)]


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_streams_arrive_whole(network: Network) -> None:
    client = Interpreter(load_protocol("tcp-client"), {"size": 60_000})
    server = Interpreter(load_protocol("tcp-server"), {"size": 45_000}, seed=2)
    streams = run(client, server, network)
    assert server.counters["bytes_received"] == 60_000
    assert client.counters["bytes_received"] == 45_000
    assert (client.counters["finished"], server.counters["finished"]) == (1, 1)
    assert streams[10_000, 80] == (PATTERN * 300)[:60_000]
    assert streams[80, 10_000] == (PATTERN * 300)[:45_000]
    assert client.flows == server.flows == {}


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    st.integers(0, 2**32),
    st.floats(0, 0.05),
    st.floats(0, 0.2),
    st.floats(0, 0.3),
    st.integers(1, 4),
    st.integers(0, 9000),
)
def test_transactions_complete_whatever_the_network_does(
    seed: int, loss: float, double: float, late: float, requests: int, size: int
) -> None:
    client = Interpreter(load_protocol("http-client"), {"requests": requests, "size": size}, seed=seed)
    server = Interpreter(load_protocol("http-server"), seed=seed + 1)
    run(client, server, Network(loss, double, late, seed), flows=3)
    assert client.counters["completed"] == 3 * requests
    assert client.counters["lost"] == client.counters["refused"] == 0
    assert client.flows == server.flows == {}
