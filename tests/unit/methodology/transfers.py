# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A line with a rate, a delay and a queue, and window-limited connections over it; no packets, no time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.measurement.snapshot import DurationCounters
from TesterLibrary.methodology.tcp_throughput import Segments
from TesterLibrary.model.units.units import Duration
from tests.counted import session_statistics

SEGMENTS = Segments(payload=1448, header=70, handshake=12)


def times(values_us: list[int]) -> DurationCounters:
    buckets: dict[int, int] = {}
    for value in values_us:
        buckets[index_of(value)] = buckets.get(index_of(value), 0) + 1
    if not values_us:
        return DurationCounters()
    return DurationCounters(len(values_us), sum(values_us), min(values_us), max(values_us), buckets)


@dataclass
class SimulatedLine:
    """Sends at `bps` with the FCS; a packet and its answer are on their way for `trip_us` beside that.

    Of the segments each `lose_every`-th is sent twice. `broken`: connections that fail.
    """

    bps: int
    trip_us: int
    lose_every: int = 0
    broken: int = 0
    objections: tuple[str, ...] = ()
    name: str = "users"
    segments: Segments = SEGMENTS
    windows: list[int] = field(default_factory=list)

    def handshakes(self, duration: Duration) -> SessionTrial:
        return self._handshakes(duration.ns, [self.trip_us] * 10)

    def transfer(
        self,
        connections: int,
        *,
        octets: int,
        window: int,
        timeout: Duration,  # noqa: ARG002
        longest: Duration,  # noqa: ARG002
    ) -> tuple[SessionTrial, SessionTrial]:
        self.windows.append(window * connections)
        over_ns, trips, frames = self._sent(connections, octets, window)
        whole = connections - self.broken
        sent = sum(frames) + self.segments.header * len(frames)
        data = session_statistics(
            self.name,
            over_ns,
            {"tcp.bytes_delivered": octets * whole, "tcp.retransmitted": 0},
            {"tcp-client.time_to_deliver": times([ceil(over_ns / 1000)] * whole)},
            openings=connections,
            begun=connections,
            failed=self.broken,
            tx_packets=len(frames) + connections,
            tx_bytes=sent + connections * (self.segments.header + self.segments.handshake),
            opens=True,
        )
        trial = SessionTrial(data, objections=self.objections)
        return trial, self._handshakes(over_ns, [ceil(trip / 1000) for trip in trips])

    def _sent(self, connections: int, octets: int, window: int) -> tuple[int, list[Fraction], list[int]]:
        """When the last byte is acknowledged, the round trip of each segment, and the payload of each frame.

        Windows are whole segments; the connections take turns.
        """
        share = max(1, window // self.segments.payload) * connections
        lengths = [min(self.segments.payload, octets - at) for at in range(0, octets, self.segments.payload)]
        waiting = [length for length in lengths for _ in range(connections)]
        free, acknowledged, trips, frames = Fraction(0), deque[Fraction](), [], list[int]()
        for number, length in enumerate(waiting, start=1):
            again = 1 + bool(self.lose_every and number % self.lose_every == 0)
            leaves = acknowledged.popleft() if len(acknowledged) == share else Fraction(0)
            for _ in range(again):
                free = max(free, leaves) + Fraction((length + self.segments.header) * 8 * 10**9, self.bps)
                frames.append(length)
            acknowledged.append(free + self.trip_us * 1000)
            trips.append(acknowledged[-1] - leaves)
        return ceil(acknowledged[-1]), trips, frames

    def _handshakes(self, duration_ns: int, trips_us: list[int]) -> SessionTrial:
        statistics = session_statistics(
            f"{self.name} handshakes",
            duration_ns,
            {"tcp.established": len(trips_us)},
            {"tcp.time_to_open": times(trips_us)},
            openings=len(trips_us),
            opens=True,
        )
        return SessionTrial(statistics)
