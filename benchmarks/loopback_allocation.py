# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the planner takes to place what loops in a switch (norma appendix E)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

from TesterLibrary.model.units.units import LINE_OVERHEAD
from TesterLibrary.planning.switch.allocation import LoopbackFlow, LoopbackPorts, allocate

from .harness.machine import load_average
from .harness.outcome import Outcome, Run, below
from .harness.registry import Settings, benchmark

_PORT = 100 * 10**9
_UNLIMITED = LoopbackPorts(pipeline_pps=None)  # norma section 9.1 leaves the packets of a pipeline out
_TCP = (
    (128, 16),
    (256, 24),
    (512, 26),
    (1024, 28),
    (1518, 30),
)  # bytes of a PUSH, ports that are full of them
_HTTP_PORTS = 10
_FLOWS = 200
_SEEDS = 3


@benchmark(unit="s", bound=below(1, "s"))
def loopback_allocation(settings: Settings) -> Outcome:
    """Loopback ports by Z3 for UDP, TCP PUSH, HTTP and 200 flows: CPU time of the slowest"""
    cases = {
        "UDP": ([LoopbackFlow("udp", _PORT, 148_809_524)], LoopbackPorts()),
        **{f"TCP {size}": (_tcp(size, ports), _UNLIMITED) for size, ports in _TCP},
        "HTTP": (_http(), _UNLIMITED),
        **{f"{_FLOWS} flows {seed}": (_mixed(seed), LoopbackPorts()) for seed in range(_SEEDS)},
    }
    runs: list[Run] = []
    slowest: dict[str, float] = {}
    for _ in range(settings.runs):
        load = load_average()
        taken = {name: _seconds(*case) for name, case in cases.items()}
        runs.append(Run(max(taken.values()), None, load))
        slowest = {name: max(slowest.get(name, 0.0), seconds) for name, seconds in taken.items()}
    return Outcome(
        tuple(runs), note=", ".join(f"{name} {seconds:.2f} s" for name, seconds in slowest.items())
    )


def _seconds(flows: Sequence[LoopbackFlow], chip: LoopbackPorts) -> float:
    begin = time.process_time()
    placed = allocate(flows, chip)
    taken = time.process_time() - begin
    if len(placed) != len(flows):
        raise RuntimeError(f"{len(placed)} of {len(flows)} flows have a place")
    return taken


def _bits(frame_size: int) -> int:
    return 8 * (frame_size + LINE_OVERHEAD)


def _tcp(frame_size: int, ports: int) -> list[LoopbackFlow]:
    """PUSH packets, and the ACKs that ask for them."""
    pps = _PORT // _bits(frame_size)
    return [
        LoopbackFlow(f"{what} {number}", pps * _bits(size), pps, f"queue {number}")
        for number in range(ports)
        for what, size in (("push", frame_size), ("ack", 64))
    ]


def _http() -> list[LoopbackFlow]:
    """State read, state written, content, and a fifth of a port of control packets."""
    return [
        LoopbackFlow(f"{what} {number}", _PORT // part, 10**7, f"session {number}")
        for number in range(_HTTP_PORTS)
        for what, part in (("read", 1), ("write", 1), ("content", 1), ("control", 5))
    ]


def _mixed(seed: int) -> list[LoopbackFlow]:
    """Flows of very different rates, some in pairs, that fill the loopback ports to 94 %."""
    random = Random(seed)
    weights = [0.05 + random.random() for _ in range(_FLOWS)]
    return [
        LoopbackFlow(str(i), int(weight / sum(weights) * 3.0e12), 10**7, f"pair {i // 2}" if i < 40 else "")
        for i, weight in enumerate(weights)
    ]
