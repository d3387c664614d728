# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Our engine, sending streams as fast as the port takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.model.law import Departures, even
from TesterLibrary.model.plan import Plan, PlannedStream
from TesterLibrary.planning.version import with_version
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess

from ..harness.frame import frame
from ..harness.machine import MEMORY_MIB, UNDISTURBED, sending_cpu

_PORT = "p1"
_JOB = "benchmark"
_EVERY_NANOSECOND = Fraction(1)  # the highest rate there is, and more than any port takes


@contextmanager
def sending(
    port: str, *, signature: bool = False, streams: int = 1, enter: Sequence[str] = ()
) -> Iterator[Callable[[], int]]:
    """An engine that sends. Yields a function that returns the frames its port counter has seen leave.

    Args:
        port: What its port is, such as `vdev:net_null0` or `af_xdp:eth1`.
        signature: Whether every frame gets a sequence number and a timestamp.
        streams: How many share the port; together they offer a frame each nanosecond.
        enter: Put before its command, to run it in a namespace.
    """
    law = even(_EVERY_NANOSECOND / streams)
    planned = (_stream(number, signature, law) for number in range(1, streams + 1))
    with _running(port, tuple(planned), enter) as target:
        yield lambda: target.snapshot().ports[0].tx_packets


@contextmanager
def measuring(*, flows: int = 0) -> Iterator[Callable[[], int]]:
    """An engine with a port looped to itself that measures what it sends, versions included.

    Yields a function that returns the frames that have arrived and been counted for their stream.

    Args:
        flows: How many of the stream are counted each by itself; 0: none.
    """
    stream = replace(_stream(1, True, even(_EVERY_NANOSECOND)), flows=flows)
    with _running("loop:x", (with_version(stream),)) as target:
        yield lambda: target.snapshot().streams[0].rx_packets


def _stream(number: int, signature: bool, law: Departures) -> PlannedStream:
    return PlannedStream(number, _JOB, _PORT, _PORT, (frame(),), signature, law)


@contextmanager
def following(port: str, law: Departures, *, enter: Sequence[str] = ()) -> Iterator[EngineTarget]:
    """An engine that sends one stream whose frames leave by that law. Arguments as of `sending`."""
    with _running(port, (_stream(1, False, law),), enter) as target:
        yield target


@contextmanager
def _running(
    port: str, streams: tuple[PlannedStream, ...], enter: Sequence[str] = ()
) -> Iterator[EngineTarget]:
    process = EngineProcess.launch(
        ports={_PORT: port},
        cpus=[sending_cpu()],
        memory_mib=MEMORY_MIB,
        command_prefix=[*enter, *UNDISTURBED],
    )
    target = process.target()
    try:
        target.load(Plan(_JOB, 1, streams))
        target.start([_JOB])
        yield target
    finally:
        target.close()
