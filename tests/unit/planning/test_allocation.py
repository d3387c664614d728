# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loopback ports, against the capacities that norma section 9.1 expects of appendix E."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.units import LINE_OVERHEAD
from TesterLibrary.planning.allocation import LoopbackFlow, LoopbackPorts, allocate

PORT = 100 * 10**9
# The paper's expectation leaves the packets of a pipeline out: it says that 128 and 256 bytes fall short.
CHIP = LoopbackPorts(pipeline_pps=None)


def _bits(frame_size: int) -> int:
    return 8 * (frame_size + LINE_OVERHEAD)


def tcp(frame_size: int, ports: int) -> list[LoopbackFlow]:
    """So many ports full of PUSH packets, each with the ACKs that trigger them."""
    pps = PORT // _bits(frame_size)
    flows = []
    for number in range(ports):
        flows.append(LoopbackFlow(f"push {number}", pps * _bits(frame_size), pps, f"queue {number}"))
        flows.append(LoopbackFlow(f"ack {number}", pps * _bits(64), pps, f"queue {number}"))
    return flows


def http(ports: int) -> list[LoopbackFlow]:
    """State read, state written, content sent; TCP control packets are few."""
    return [
        LoopbackFlow(f"{what} {number}", PORT // (50 if what == "control" else 1), 10**7, f"session {number}")
        for number in range(ports)
        for what in ("read", "write", "push", "control")
    ]


def is_most(flows: Callable[[int], Sequence[LoopbackFlow]], ports: int) -> bool:
    """Whether there is a place for so many ports and not for one more."""
    allocate(flows(ports), CHIP)
    with pytest.raises(PlanError):
        allocate(flows(ports + 1), CHIP)
    return True


@pytest.mark.parametrize(
    ("frame_size", "tbps"), [(128, 1.6), (256, 2.4), (512, 2.6), (1024, 2.8), (1518, 3.0)]
)
def test_throughput_of_tcp_push(frame_size: int, tbps: float) -> None:
    assert is_most(lambda ports: tcp(frame_size, ports), round(tbps * 1e12) // PORT)


def test_throughput_of_http() -> None:
    assert is_most(http, 10**12 // PORT)
    placed = allocate(http(10), CHIP)
    for pipeline in range(2):
        ports = Counter(
            name.split()[0]
            for name, place in placed.items()
            if place.pipeline == pipeline and "control" not in name
        )
        assert ports == {"read": 5, "write": 5, "push": 5}
        control = {
            place for name, place in placed.items() if place.pipeline == pipeline and "control" in name
        }
        assert len(control) == 1


def test_200_flows_are_placed_within_all_limits() -> None:
    random.seed(1)
    weights = [0.05 + random.random() for _ in range(200)]
    flows = [
        LoopbackFlow(str(i), int(weight / sum(weights) * 3.0e12), 10**7, f"pair {i // 2}" if i < 40 else "")
        for i, weight in enumerate(weights)
    ]
    chip = LoopbackPorts()
    placed = allocate(flows, chip)
    assert placed.keys() == {flow.name for flow in flows}
    bits: Counter[object] = Counter()
    packets: Counter[int] = Counter()
    for flow in flows:
        bits[placed[flow.name]] += flow.bps
        packets[placed[flow.name].pipeline] += flow.pps
    assert chip.pipeline_pps is not None
    assert max(bits.values()) <= chip.port_bps
    assert max(packets.values()) <= chip.pipeline_pps
    assert all(placed[str(i)].pipeline == placed[str(i + 1)].pipeline for i in range(0, 40, 2))


@pytest.mark.parametrize(
    ("flows", "problem"),
    [
        ([LoopbackFlow("wide", 2 * PORT, 1)], "flow 'wide' needs 200 Gbps; a loopback port carries 100 Gbps"),
        (
            [LoopbackFlow(str(i), PORT, 1) for i in range(33)],
            "33 flows need 3,300 Gbps, 100 Gbps more than the 2 pipelines with 16 loopback ports each have",
        ),
        ([LoopbackFlow(str(i), 1, 10**9) for i in range(3)], "3 flows need 3,000 Mpps, 600 Mpps more"),
        (
            [LoopbackFlow(str(i), PORT * 6 // 10, 1) for i in range(33)],
            "33 flows need 60 Gbps or more each; of these 1 fit into a loopback port of 100 Gbps, of which",
        ),
        (
            [LoopbackFlow(str(i), PORT, 1, "one") for i in range(17)],
            "1 groups of flows that share registers need 1,700 Gbps or more each; 0 fit into the 16",
        ),
    ],
)
def test_what_ran_out_is_named(flows: list[LoopbackFlow], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        allocate(flows, LoopbackPorts())
