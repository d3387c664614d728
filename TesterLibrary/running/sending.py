# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sends a finite amount and waits for its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from ..errors import PlanError
from ..measurement.trial import Trial
from ..model.plan.plan import PlannedStream
from ..model.stream import Stream
from ..model.units.units import LINE_RATE, Duration
from .shot import Shot, last_due_ns
from .tester import Tester


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
        PlanError: a stream that does not end by itself, or later than the timeout, or the tester refuses;
            nothing has been sent.
        TargetError: the end has not come in time.
    """
    shot = Shot(tester, "send", streams)
    for planned in shot.plan.streams:
        if packets is None and planned.departures.endless:
            raise PlanError(f"stream {planned.name!r} has no end of its own; say how many packets to send")
        _refuse_late_end(planned, packets, timeout)
    if is_burst and packets:
        longest_ns = max(packets / planned.rate for planned in shot.plan.streams)
        shot.run.limits = shot.run.limits.of_burst(longest_ns)
    return shot.send(packets=packets, timeout=timeout, on_progress=shot.run.report)


def send_burst(tester: Tester, stream: Stream, *, packets: int, timeout: Duration) -> Trial:
    """Sends frames of a stream back to back at line rate. Returns the trial it was; raises as `send`."""
    burst = replace(stream, rate=LINE_RATE, shaping=None)
    return send(tester, [burst], packets=packets, timeout=timeout, is_burst=True)


def _refuse_late_end(stream: PlannedStream, packets: int | None, timeout: Duration) -> None:
    last_ns = last_due_ns(stream, packets)
    if last_ns is not None and last_ns >= timeout.ns:
        raise PlanError(
            f"stream {stream.name!r} sends its last packet {Duration(ceil(last_ns))} after the start, but "
            f"timeout is {timeout}; give fewer packets, a higher rate or a longer timeout"
        )
