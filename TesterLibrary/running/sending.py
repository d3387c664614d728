# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sends a finite amount and waits for its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import PlanError
from ..measurement.trial import Trial
from ..model.stream import Stream
from ..model.units import LINE_RATE, Duration
from .tester import Tester
from .trial import StreamRun


def send(
    tester: Tester,
    streams: Sequence[Stream],
    *,
    packets: int | None,
    timeout: Duration,
    is_burst: bool = False,
) -> Trial:
    """Sends streams until each has come to its end, or has sent so many frames. Returns the trial it was.

    The evidence of a burst has the limits of bursts.

    Raises:
        PlanError: a stream that does not end by itself, or the tester refuses; nothing has been sent.
        TargetError: the end has not come in time.
    """
    tester.trials += 1
    run = StreamRun(tester, f"send-{tester.trials}", streams)
    for planned in run.plan.streams:
        if packets is None and planned.departures.endless:
            raise PlanError(f"stream {planned.name!r} has no end of its own; say how many packets to send")
    if is_burst and packets:
        run.limits = run.limits.of_burst(max(packets / planned.rate for planned in run.plan.streams))
    with run.loaded():
        run.start(packets=packets)
        tester.target.wait([run.name], timeout=timeout, on_progress=run.report)
        return tester.record(run.finish())


def send_burst(tester: Tester, stream: Stream, *, packets: int, timeout: Duration) -> Trial:
    """Sends frames of a stream back to back at line rate. Returns the trial it was; raises as `send`."""
    burst = replace(stream, rate=LINE_RATE, shaping=None)
    return send(tester, [burst], packets=packets, timeout=timeout, is_burst=True)
