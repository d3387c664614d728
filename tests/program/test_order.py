# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames overtake each other, get lost, come again or late: the fake chip and the program count the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from random import Random
from struct import pack, unpack_from

import pytest

from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.job import Job
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.tofino.reading.arrival import Arrival
from TesterLibrary.targets.tofino.reading.resets import register
from tests.contract.rig import SwitchRig

from .program import P4Program
from .twins import Tap, Twins

_GAP_NS = 10_000
_RATE = Rate.parse(f"{10**9 // _GAP_NS} pps")
_SIGNATURE = 42  # bytes of Ethernet, IPv4 and UDP before it
_WORD = 1 << 32
_DELAYS = (0, 0, 0, 0, 0, 3 * _GAP_NS, 40 * _GAP_NS, 300 * _GAP_NS)  # the last one: late
_TIMES = (0, 1, 1, 1, 1, 1, 1, 2)


class Disorder(Tap):
    """A bridge that delays frames at random, repeats some and loses some."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._draw = Random(seed)

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        for at_ns, other, octets in super().forward(port, frame, now_ns, others):
            for _ in range(self._draw.choice(_TIMES)):
                yield at_ns + self._draw.choice(_DELAYS), other, octets


@pytest.mark.parametrize("seed", range(2))
def test_disorder_is_the_same_on_both(program: P4Program, seed: int) -> None:
    flows = Editor(FieldPath.parse("UDP.dport"), Sweep("80", count=7))
    north = Stream("north", "p1", "p2", FrameSize(128), _RATE, editors=(flows,), count_flows=True)
    south = Stream("south", "p2", "p1", FrameSize(128), _RATE)
    twins = Twins(program, tap=lambda: Disorder(seed))
    twins.both(lambda rig: _run(rig, north, south))
    for counted in twins.rigs[0].target.snapshot(["job"]).streams:
        order = counted.order
        assert min(order.late, order.duplicated, counted.rx_out_of_order) > 0


def test_disorder_is_the_same_on_both_where_numbers_go_round(program: P4Program) -> None:
    stream = Stream("north", "p1", "p2", FrameSize(128), _RATE, start_after=Duration(100 * _GAP_NS))
    arrivals = []
    for first in (0, _WORD // 2 - 200, _WORD - 200):
        twins = Twins(program, tap=lambda: Disorder(1))
        twins.both(lambda rig, first=first: _run(rig, stream, first=first))
        arrivals.append(_arrivals(twins.rigs[1]))
    assert arrivals[1:] == arrivals[:1] * 2
    assert min(arrivals[0].values()) > 10


@pytest.mark.parametrize(
    ("older_ns", "is_known"),
    [
        (0, True),
        (10**9, True),
        (_WORD - (1 << 25), True),
        (_WORD, False),
        (_WORD + 10**6, False),
        (5 * _WORD, False),
        (1 << 40, False),
        (-(10**9), False),
    ],
)
def test_the_latency_of_an_old_frame_is_the_same_on_both(
    program: P4Program, older_ns: int, *, is_known: bool
) -> None:
    twins = Twins(program)
    stream = Stream("north", "p1", "p2", FrameSize(128), _RATE)
    twins.both(lambda rig: _run(rig, stream, packets=1))
    port = twins.rigs[0].session.numbers["p2"]
    (frame,) = (bytes.fromhex(octets) for _, _, octets in twins.sent)
    twins.arrive(port, _older(frame, older_ns))
    (counters,) = twins.rigs[0].target.snapshot(["job"]).streams
    assert counters.rx_packets == 2
    assert counters.latency.count == (2 if is_known else 0)


def _run(rig: SwitchRig, *streams: Stream, packets: int = 500, first: int = 0) -> Snapshot:
    """Sends frames of streams, the first of which has a number beyond 0."""
    rig.load(compile_job(Job("job", streams), ports=rig.ports, gateways={}, max_streams=9))
    rig.target.start(["job"], packets=packets)
    if first:
        (loaded,) = rig.target._runs["job"].job.streams.values()
        cells = {number % 256: number + 1 for number in range(first - 256, first)}
        rig.session.write(
            [
                register("ExternalEgress", "signature.sequence", loaded.template, {"f1": first}),
                register("ExternalIngress", "order.next", loaded.template, {"f1": first}),
                *(
                    register("ExternalIngress", "order.cells", loaded.arrivals[low], {"f1": number})
                    for low, number in cells.items()
                ),
            ]
        )
    rig.pass_time(0.02)
    return rig.target.snapshot(["job"])


def _arrivals(rig: SwitchRig) -> dict[Arrival, int]:
    """Frames of the only stream, by how they came."""
    (loaded,) = rig.target._runs["job"].job.streams.values()
    totals = rig.daemon.running.store.cells(
        "external.ExternalIngress.stream_counters.totals", "$COUNTER_SPEC_PKTS"
    )
    return {
        arrival: sum(
            count
            for (_, index), count in totals.items()
            if index in {loaded.counter(version, arrival) for version in (0, 1)}
        )
        for arrival in Arrival
    }


def _older(frame: bytes, by_ns: int) -> bytes:
    """A frame that left earlier: the sum of its signature stays."""
    words = list(unpack_from(">8H", frame, _SIGNATURE))
    total = sum(words)
    time_ns = (words[4] << 32 | words[5] << 16 | words[6]) - by_ns
    words[4:7] = time_ns >> 32 & 0xFFFF, time_ns >> 16 & 0xFFFF, time_ns & 0xFFFF
    words[7] = (total - sum(words[:7])) % 0xFFFF
    return frame[:_SIGNATURE] + pack(">8H", *words) + frame[_SIGNATURE + 16 :]
