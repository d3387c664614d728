# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Our engine with a path between two ports, each of which is looped to itself: frames go round for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from TesterLibrary.model.capture import Capture, TracedPath
from TesterLibrary.model.heading import Heading, OrderPolicy
from TesterLibrary.model.inline import Drop
from TesterLibrary.model.plan.plan import LearningFrame, Plan
from TesterLibrary.model.plan.planned_path import PlannedDelay, PlannedEvent, PlannedImpairment, PlannedPath
from TesterLibrary.model.plan.planned_stamps import PlannedStamps
from TesterLibrary.model.stamps import LoadedPath
from TesterLibrary.targets.engine.process import EngineProcess

from ..harness.frame import frame
from ..harness.machine import MEMORY_MIB, UNDISTURBED, sending_cpu

AROUND = (LoadedPath("before", "before"), LoadedPath("behind", "behind"))
_JOB, _PATH = "benchmark", "path"
_MOST_TRACED = 10**7  # frames, of which each takes some 200 bytes
_PORTS = ("p1", "p2")
_FLOWS = 100
_FRAMES_UNDER_WAY = 512  # as many as testpmd has; half of what a ring of net_ring holds
_NEVER = 10**15  # no packet has this number while a benchmark runs


def waiting(events: int) -> tuple[PlannedEvent, ...]:
    """Events of the flows that go round, each of which waits for a packet that does not come."""
    return tuple(
        PlannedEvent(
            name=f"event {number}",
            action=Drop(),
            watch=0,
            heading=Heading.BOTH,
            flow=number % _FLOWS + 1,
            data_only=False,
            number=_NEVER + number,
            iteration=1,
        )
        for number in range(events)
    )


@contextmanager
def forwarding(
    events: Sequence[PlannedEvent] = (), *, delay_ns: int = 0, traced: bool = False
) -> Iterator[Callable[[], int]]:
    """An engine that forwards. Yields a function that returns the frames it has forwarded, both ways.

    Args:
        events: Of the path.
        delay_ns: By which each frame is delayed; 0: none is held.
        traced: Whether the whole frames are recorded, as far as there is room for them.
    """
    law = PlannedDelay(1, (delay_ns,), OrderPolicy.PRESERVE)
    both = (Heading.FORWARD, Heading.BACKWARD)
    impairments = tuple(PlannedImpairment(heading, delay=law) for heading in both) if delay_ns else ()
    path = replace(_path(_PATH, _PORTS, events), impairments=impairments)
    trace = Capture("trace", traced=TracedPath(_JOB, _PATH), frames=_MOST_TRACED, snap_length=64)
    ports = {"p1": "loop:x", "p2": "loop:y"}
    with _going_round(ports, [Plan(_JOB, 1, (), paths=(path,))], [trace] if traced else []) as forwarded:
        yield forwarded


@contextmanager
def forwarding_by_each(cpus: Sequence[int]) -> Iterator[Callable[[], int]]:
    """The same with a path for the lcore of each of these CPUs, without events."""
    ends = [(f"p{number}", f"q{number}") for number in range(len(cpus))]
    ports = {port: f"loop:{port}" for place in range(2) for port in (pair[place] for pair in ends)}
    plans = [Plan(first, 1, (), paths=(_path(_PATH, (first, second), ()),)) for first, second in ends]
    with _going_round(ports, plans, cpus=cpus, at=tuple(ports)) as forwarded:
        yield forwarded


@contextmanager
def stamping(
    stamps: PlannedStamps | None = None, *, events: Sequence[PlannedEvent] = ()
) -> Iterator[Callable[[], int]]:
    """The same with two paths around a cable: p1 and p4 are looped to themselves, p2 and p3 to each other.

    Args:
        stamps: Of the frames that pass the cable; None: they are not stamped.
        events: Of each path.
    """
    ports = {"p1": "loop:x", "p2": "loop:y", "p3": "loop:y", "p4": "loop:z"}
    plans = [
        Plan(job.job, 1, (), paths=(_path(job.path, ends, events),))
        for job, ends in zip(AROUND, (("p1", "p2"), ("p3", "p4")), strict=True)
    ]
    if stamps:
        plans.append(Plan("stamps", 1, (), stamps=(stamps,)))
    with _going_round(ports, plans) as forwarded:
        yield forwarded


@contextmanager
def _going_round(
    ports: Mapping[str, str],
    plans: Sequence[Plan],
    captures: Sequence[Capture] = (),
    *,
    cpus: Sequence[int] = (),
    at: Sequence[str] = _PORTS,
) -> Iterator[Callable[[], int]]:
    process = EngineProcess.launch(
        ports=ports, cpus=cpus or [sending_cpu()], memory_mib=MEMORY_MIB, command_prefix=UNDISTURBED
    )
    target = process.target()
    jobs = [plan.job for plan in plans]
    try:
        for plan in plans:
            target.load(plan)
        for capture in captures:
            target.captures.start(capture)
        target.start(jobs)
        target.frames.inject(
            LearningFrame(port, _frame(number))
            for place, port in enumerate(at)
            for number in range(place % 2, _FRAMES_UNDER_WAY, 2)
        )

        def forwarded() -> int:
            paths = target.snapshot(jobs).paths
            return sum(direction.forwarded for path in paths for direction in path.directions)

        yield forwarded
    finally:
        target.close()


def _path(name: str, ports: tuple[str, str], events: Sequence[PlannedEvent]) -> PlannedPath:
    return PlannedPath(name, *ports, watches=((),) if events else (), events=tuple(events))


def _frame(number: int) -> bytes:
    made = Ether(frame())
    made[UDP].sport = 1000 + number % _FLOWS
    made[IP].id = number
    del made[UDP].chksum
    del made[IP].chksum
    return bytes(made)
