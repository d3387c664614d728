# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Our engine, sending streams as fast as the port takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction

from TesterLibrary.model.law import even
from TesterLibrary.model.plan import Plan, PlannedStream
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
    process = EngineProcess.launch(
        ports={_PORT: port},
        cpus=[sending_cpu()],
        memory_mib=MEMORY_MIB,
        command_prefix=[*enter, *UNDISTURBED],
    )
    target = process.target()
    try:
        law = even(_EVERY_NANOSECOND / streams)
        planned = (
            PlannedStream(number, _JOB, _PORT, _PORT, (frame(),), signature, law)
            for number in range(1, streams + 1)
        )
        target.load(Plan(_JOB, 1, tuple(planned)))
        target.start([_JOB])
        yield lambda: target.snapshot().ports[0].tx_packets
    finally:
        target.close()
