# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sends a finite amount and waits for its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil

from ..errors import PlanError
from ..measurement.departure import is_scheduled
from ..measurement.trial import Trial
from ..model.plan.law import Replay
from ..model.plan.plan import PlannedStream
from ..model.stream import Stream
from ..model.units.units import LINE_RATE, Duration
from .tester import Tester
from .trial import StreamRun

_GRACE_NS = 300 * 10**9  # beyond the time at which the last frame is due


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
    tester.trials += 1
    run = StreamRun(tester, f"send-{tester.trials}", streams)
    for planned in run.plan.streams:
        if packets is None and planned.departures.endless:
            raise PlanError(f"stream {planned.name!r} has no end of its own; say how many packets to send")
        _refuse_late_end(planned, packets, timeout)
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


def send_all(tester: Tester, run: StreamRun, packets: int) -> None:
    """Sends a number of frames of each stream of a loaded run, and waits until they have left, at any rate.

    Raises:
        TargetError: five minutes after the last frame was due, frames have not left.
    """
    ends_ns = max(_last_due_ns(planned, packets) or 0 for planned in run.plan.streams)
    run.start(packets=packets)
    tester.target.wait([run.name], timeout=Duration(ceil(ends_ns) + _GRACE_NS))


def _refuse_late_end(stream: PlannedStream, packets: int | None, timeout: Duration) -> None:
    last_ns = _last_due_ns(stream, packets)
    if last_ns is not None and last_ns >= timeout.ns:
        raise PlanError(
            f"stream {stream.name!r} sends its last packet {Duration(ceil(last_ns))} after the start, but "
            f"timeout is {timeout}; give fewer packets, a higher rate or a longer timeout"
        )


def _last_due_ns(stream: PlannedStream, packets: int | None) -> Fraction | None:
    """The time after the start at which the last frame is due; None where only the tester can read it.

    Where gaps are drawn at random, it is the expected time.
    """
    departures, law = stream.departures, stream.departures.law
    total = law.total
    if isinstance(law, Replay) and law.totals and law.repetitions:
        total = law.totals.frames * law.repetitions
    frames = min((number for number in (packets, total) if number), default=None)
    if frames is None:
        return None
    if is_scheduled(departures):
        return departures.due(frames - 1)
    span_ns = law.span_ns(frames) if isinstance(law, Replay) else (frames - 1) / law.rate
    return None if span_ns is None else departures.offset_ns + span_ns
