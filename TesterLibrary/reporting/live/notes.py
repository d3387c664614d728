# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Notes on what is under way, for a page that shows the run while it goes on.

`live.jsonl` is beside the records. It has what they have only once it is over: which test and procedure run,
counters of a trial that is sending, intervals of traffic that is watched. No verdict rests on it, so its
lines are not synced to the disk, and a disk that takes none of them changes nothing for the measurement.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...measurement.interval import Interval
from ...measurement.snapshot import Snapshot
from ..record.codec import encode
from ..record.durable import drop_cut_line, json_line
from ..record.machine import wall_clock
from ..record.recorder import Recorder

FILE = "live.jsonl"
SCHEMA = 1
_EVERY_S = 0.5  # from one note of counters to the next
_AT_THIS_PACE = 10_000  # notes of counters; then they come half as often, so that a week fits a small file
_EACH_INTERVAL = 10_000  # intervals that are noted each; the result of the procedure has them all
_LATER_INTERVALS = 10
_MOST = 16  # streams and ports that are noted one by one


@dataclass(frozen=True)
class WatchedStream:
    """A stream as its counters are noted."""

    id: int
    name: str
    measured: bool  # whether its arrivals are counted
    offset_ns: int  # the tester's own part of its delays


class LiveNotes:
    """Appends notes to the file of a run, once the run has a folder of records."""

    def __init__(self, recorder: Recorder, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._recorder = recorder
        self._clock = clock
        self._begun = self._failed = False
        self._counted = 0
        self._last = float("-inf")
        self._procedure: tuple[str, int | None] | None = None

    def begin_test(self) -> None:
        """The test to which records belong from now on has begun."""
        self._procedure = None
        self._append("test")

    def procedure(self, title: str, trials: int | None) -> None:
        """A procedure has begun, or is now known to need at most so many trials."""
        if (title, trials) != self._procedure:
            self._procedure = (title, trials)
            self._append("procedure", title=title, trials=trials)

    def end_procedure(self) -> None:
        """The procedure has ended."""
        self._procedure = None
        self._append("procedure_ended")

    def interval(self, interval: Interval) -> None:
        """An interval of traffic that is watched has ended."""
        number = interval.number
        if number <= _EACH_INTERVAL or number % _LATER_INTERVALS == 0:
            self._append("interval", **facts_of(interval))

    @property
    def is_due(self) -> bool:
        """Whether counters are to be noted: some time has passed since the last ones."""
        pace = _EVERY_S * 2 ** (self._counted // _AT_THIS_PACE)
        return not self._failed and self._clock() - self._last >= pace

    def counters(self, job: str, snapshot: Snapshot, streams: Sequence[WatchedStream]) -> None:
        """Notes the counters of streams that are sending: integers since their start, and of ports."""
        self._last = self._clock()
        self._counted += 1
        found = {counted.id: counted for counted in snapshot.streams}
        known = [(stream, found[stream.id]) for stream in streams if stream.id in found]
        began = [counted.first_tx_ns for _, counted in known if counted.tx_packets]
        arrivals = [counted.rx_packets for stream, counted in known if stream.measured]
        self._append(
            "counters",
            job=job,
            taken_ns=snapshot.taken_at_ns,
            began_ns=min(began, default=None),
            intended=sum(counted.intended_packets for _, counted in known),
            tx=sum(counted.tx_packets for _, counted in known),
            rx=sum(arrivals) if len(arrivals) == len(known) else None,
            streams=[
                {
                    "name": stream.name,
                    "tx": counted.tx_packets,
                    "rx": counted.rx_packets if stream.measured else None,
                    "delays": counted.latency.count,
                    "delays_ns": counted.latency.sum_ns - stream.offset_ns * counted.latency.count,
                }
                for stream, counted in known[:_MOST]
            ],
            ports=[
                {"name": port.name, "tx": port.tx_packets, "rx": port.rx_packets}
                for port in snapshot.ports[:_MOST]
            ],
        )

    def close(self) -> None:
        """This process records nothing more."""
        self._append("closed")

    def _append(self, what: str, **facts: Any) -> None:
        if self._failed or not self._recorder.is_ready:
            return
        note = {"kind": "live", "schema": SCHEMA, "at": wall_clock(), **encode(self._recorder.place)}
        line = json_line({**note, "what": what, **facts})
        path = self._recorder.directory / FILE
        try:
            if not self._begun:
                drop_cut_line(path)
                self._begun = True
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                content = line.encode() + b"\n"
                self._failed = os.write(file, content) < len(content)
            finally:
                os.close(file)
        except OSError:  # the page knows less; the measurement goes on
            self._failed = True


def goes_on(evidence: Path) -> bool:
    """Whether the process that wrote the notes of a run has not closed them; False where there are none."""
    try:
        lines = (evidence / FILE).read_bytes().splitlines()
        return bool(lines) and json.loads(lines[-1])["what"] != "closed"
    except OSError:
        return False
    except (ValueError, KeyError, TypeError):  # it is being written, or its process was killed
        return True


def facts_of(interval: Interval) -> dict[str, Any]:
    """The part of a note about an interval. Frames belong to the interval in which they were sent."""
    delay = interval.delay_ns
    return {
        "number": interval.number,
        "start_ns": interval.start_ns,
        "end_ns": interval.end_ns,
        "tx": interval.sent,
        "rx": interval.received,
        "lost": interval.known_lost,
        "delay_ns": None if delay is None else round(delay),
        "streams": [
            {"name": s.name, "tx": s.sent, "rx": s.received, "lost": s.known_lost}
            for s in interval.streams[:_MOST]
        ],
        "ports": [{"name": p.name, "tx": p.sent, "rx": p.received} for p in interval.ports[:_MOST]],
    }
