# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Our engine, sending streams as fast as the port takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.model.plan.law import Departures, even
from TesterLibrary.model.plan.plan import Plan, PlannedStream
from TesterLibrary.planning.version import with_version
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess

from ..harness.frame import frame
from ..harness.machine import MEMORY_MIB, UNDISTURBED, sending_cpu

_PORT = "p1"
_JOB = "benchmark"
_EVERY_NANOSECOND = Fraction(1)  # the highest rate there is, and more than any port takes


def stream(*, signature: bool = False) -> PlannedStream:
    """One frame, again and again, faster than any port.

    Args:
        signature: Whether every frame gets a sequence number and a timestamp.
    """
    return PlannedStream(1, _JOB, _PORT, _PORT, (frame(),), signature, even(_EVERY_NANOSECOND))


@contextmanager
def sending(port: str, *streams: PlannedStream, enter: Sequence[str] = ()) -> Iterator[Callable[[], int]]:
    """An engine that sends. Yields a function that returns the frames its port counter has seen leave.

    Args:
        port: What its port is, such as `vdev:net_null0` or `af_xdp:eth1`.
        streams: What it sends, made from `stream()`, which alone is the default.
        enter: Put before its command, to run it in a namespace.
    """
    with _running({_PORT: port}, streams or (stream(),), enter=enter) as target:
        yield lambda: target.snapshot().ports[0].tx_packets


@contextmanager
def on_each(specs: Sequence[str], sent: PlannedStream, cpus: Sequence[int]) -> Iterator[EngineTarget]:
    """An engine with these ports, each of which is looped to itself or takes what it gets, and sends.

    Args:
        specs: What its ports are.
        sent: What each port sends to itself, made from `stream()`.
        cpus: Of its lcores, which serve the ports by turns.
    """
    ports = {f"p{number}": spec for number, spec in enumerate(specs, 1)}
    streams = [replace(sent, id=number, tx_port=port, rx_port=port) for number, port in enumerate(ports, 1)]
    with _running(ports, streams, cpus=cpus) as target:
        yield target


@contextmanager
def measuring(*, flows: int = 0) -> Iterator[Callable[[], int]]:
    """An engine with a port looped to itself that measures what it sends, versions included.

    Yields a function that returns the frames that have arrived and been counted for their stream.

    Args:
        flows: How many of the stream are counted each by itself; 0: none.
    """
    with looped(flows=flows) as target:
        yield lambda: target.snapshot().streams[0].rx_packets


@contextmanager
def looping(sent: PlannedStream) -> Iterator[Callable[[], int]]:
    """The same with that stream, made from `stream(signature=True)`."""
    with looped_stream(sent) as target:
        yield lambda: target.snapshot().streams[0].rx_packets


@contextmanager
def looped_stream(sent: PlannedStream) -> Iterator[EngineTarget]:
    """The engine itself, with that stream."""
    with _running({_PORT: "loop:x"}, (sent,)) as target:
        yield target


@contextmanager
def looped(*, flows: int = 0) -> Iterator[EngineTarget]:
    """The engine itself. Arguments as of `measuring`."""
    measured = with_version(replace(stream(signature=True), flows=flows))
    with _running({_PORT: "loop:x"}, (measured,)) as target:
        yield target


@contextmanager
def following(port: str, law: Departures, *, enter: Sequence[str] = ()) -> Iterator[EngineTarget]:
    """An engine that sends one stream whose frames leave by that law. Arguments as of `sending`."""
    with _running({_PORT: port}, (replace(stream(), departures=law),), enter=enter) as target:
        yield target


@contextmanager
def _running(
    ports: Mapping[str, str],
    streams: Sequence[PlannedStream],
    *,
    cpus: Sequence[int] = (),
    enter: Sequence[str] = (),
) -> Iterator[EngineTarget]:
    process = EngineProcess.launch(
        ports=ports,
        cpus=cpus or [sending_cpu()],
        memory_mib=MEMORY_MIB,
        command_prefix=[*enter, *UNDISTURBED],
    )
    target = process.target()
    try:
        target.load(Plan(_JOB, 1, tuple(streams)))
        target.start([_JOB])
        yield target
    finally:
        target.close()
