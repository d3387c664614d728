# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`iperf3 --udp`, with its server at the far end."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..harness.frame import PAYLOAD
from ..harness.machine import control_cpu, need_program
from . import child

_LONGEST_S = 3600
# At each tick of a timer iperf3 looks whether a datagram is due. The period of the rate is the best tick.
# Ticks of less than 100 us come too late, so then it polls without pause.
_SHORTEST_TICK_US = 100


@contextmanager
def sending(
    address: str, rate: int, *, enter: Sequence[str] = (), enter_far: Sequence[str] = ()
) -> Iterator[None]:
    """Datagrams of the usual length to that address, so many a second.

    Args:
        address: Of the far end.
        rate: Datagrams a second.
        enter: Put before its command, to run it in a namespace.
        enter_far: Put before that of its server.
    """
    iperf3 = need_program("iperf3", "iperf3")
    gap_us = 10**6 // rate
    tick_us = gap_us if gap_us >= _SHORTEST_TICK_US else 1
    pace = ["--bitrate", str(rate * PAYLOAD * 8), "--pacing-timer", str(tick_us)]
    options = ["--client", address, "--udp", "--length", str(PAYLOAD), "--time", str(_LONGEST_S), *pace]
    server = [*enter_far, "taskset", "--cpu-list", str(control_cpu()), iperf3, "--server", "--forceflush"]
    with _serving(server), child.running([iperf3, *options], enter=enter):
        yield


@contextmanager
def _serving(command: Sequence[str]) -> Iterator[None]:
    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        assert server.stdout is not None
        if b"---" not in server.stdout.readline():
            raise RuntimeError("the server of iperf3 does not listen")
        yield
    finally:
        server.kill()
        server.communicate()
