# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams that are sent once: numbered, named, loaded, sent, settled and recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import ceil

from ..measurement.departure import is_scheduled
from ..measurement.evidence import EvidenceLimits
from ..measurement.trial import Trial
from ..model.plan.law import Replay
from ..model.plan.plan import Plan, PlannedStream
from ..model.stream import Stream
from ..model.units.units import Duration
from ..targets.base import SendingProgress
from .tester import Tester
from .trial import StreamRun

_NO_TIME = Duration(0)
_GRACE_NS = 300 * 10**9  # beyond the time at which the last frame is due


class Shot:
    """One sending of streams: a trial with a number, and a job with a name that no other job has."""

    def __init__(
        self,
        tester: Tester,
        kind: str,
        streams: Sequence[Stream],
        *,
        number: int | None = None,
        limits: EvidenceLimits | None = None,
    ) -> None:
        """Plans the streams; PlanError for what cannot be sent.

        Args:
            tester: The tester.
            kind: The kind of trial, the first part of the job's name.
            streams: The streams, which are sent together.
            number: The number of a trial that has one already; by default the next trial of the tester.
            limits: Limits of the evidence, in place of the tester's.
        """
        self._tester = tester
        number = tester.evidence.next_trial() if number is None else number
        self.run = StreamRun(tester, f"{kind}-{number}", streams, limits=limits)

    @property
    def plan(self) -> Plan:
        """The plan of its streams."""
        return self.run.plan

    def send(
        self,
        *,
        packets: int | None,
        timeout: Duration | None = None,
        settle: Duration = _NO_TIME,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> Trial:
        """Sends frames of each stream. Returns the recorded trial; the arguments are as in `sent`."""
        with self.sent(packets=packets, timeout=timeout, settle=settle, on_progress=on_progress) as run:
            return self._tester.evidence.record(run.finish())

    @contextmanager
    def sent(
        self,
        *,
        packets: int | None = None,
        duration: Duration | None = None,
        until: Callable[[StreamRun], None] | None = None,
        timeout: Duration | None = None,
        learning: Duration = _NO_TIME,
        settle: Duration = _NO_TIME,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> Iterator[StreamRun]:
        """Streams that have been sent; they stay loaded until the block ends, and can be counted in it.

        Args:
            packets: The number of frames of each stream; None: until its own end, if there is no other.
            duration: The time for which they are sent.
            until: Returns when they are to be stopped.
            timeout: The time in which all have left; by default five minutes after the last is due.
            learning: The pause after frames from which the device learns, where there are such.
            settle: The pause after the last departure.
            on_progress: Called while they are sent.

        Raises:
            TargetError: frames have not left in time.
        """
        target, clock = self._tester.target, self._tester.clock
        with self.run.loaded() as run:
            if run.plan.learning:
                clock.pause(learning)
            run.start(duration, packets)
            if until is None:
                target.wait([run.name], timeout=timeout or self._due(packets), on_progress=on_progress)
            else:
                until(run)
                target.stop([run.name])
            clock.pause(settle)
            yield run

    def _due(self, packets: int | None) -> Duration:
        last_ns = max(last_due_ns(planned, packets) or 0 for planned in self.plan.streams)
        return Duration(ceil(last_ns) + _GRACE_NS)


def last_due_ns(stream: PlannedStream, packets: int | None) -> Fraction | None:
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
