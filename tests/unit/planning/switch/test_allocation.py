# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loopback ports: the equations of norma appendix E."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.planning.switch.allocation import (
    LoopbackFlow,
    LoopbackPort,
    LoopbackPorts,
    Occupied,
    allocate,
)

PORT = 100 * 10**9


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


def test_where_the_guess_fails_z3_searches() -> None:
    """The guess puts 5 and 4 tenths into one port; only 5, 3, 2 and 4, 3, 3 fill both to the last bit."""
    flows = [LoopbackFlow(str(n), tenths * PORT // 10, 1) for n, tenths in enumerate((5, 4, 3, 3, 3, 2))]
    placed = allocate(flows, LoopbackPorts(pipelines=1, ports=2))
    bits: Counter[object] = Counter()
    for flow in flows:
        bits[placed[flow.name]] += flow.bps
    assert set(bits.values()) == {PORT}


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


def test_what_other_jobs_occupy_is_not_given_again() -> None:
    chip = LoopbackPorts(pipelines=1, ports=2, port_bps=100 * 10**9)
    there = [Occupied(LoopbackPort(0, 0), LoopbackFlow("old", 60 * 10**9, 10**6))]
    one = LoopbackFlow("one", 50 * 10**9, 10**6)
    assert allocate([one], chip, there) == {"one": LoopbackPort(0, 1)}
    two = LoopbackFlow("two", 55 * 10**9, 10**6)
    with pytest.raises(PlanError, match="flows"):
        allocate([one, two], chip, there)


def test_packets_of_other_jobs_count_in_their_pipeline() -> None:
    chip = LoopbackPorts(pipelines=2, ports=1, pipeline_pps=10**6)
    there = [Occupied(LoopbackPort(0, 0), LoopbackFlow("old", 10**9, 900_000))]
    assert allocate([LoopbackFlow("one", 10**9, 200_000)], chip, there) == {"one": LoopbackPort(1, 0)}
