# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether versions of counters attribute every frame to the interval it left in."""

from __future__ import annotations

from dataclasses import dataclass, fields
from time import monotonic, sleep

from .harness.loop import JOB, Loop, loop
from .harness.machine import load_average
from .harness.outcome import Bound, Outcome, Run
from .harness.registry import Settings, benchmark

_RANDOM_DELAY = "delay:x,0-5000000"  # up to 5 ms, different for each frame: they overtake each other
_RATE = "3 Mpps"  # with 2.5 ms on average this needs nearly all buffers
_GUARD_S = 0.006  # longer than any delay; with the two calls a flip about every 10 ms
_PATIENCE_S = 1.0  # waiting for a tester whose CPU was taken away
_POLL_S = 0.001
_ALL = Bound("= 100 %", lambda outcome: min(outcome.values) >= 100)


@benchmark(unit="%", bound=_ALL)
def version_bit_false_loss(settings: Settings) -> Outcome:
    """Frames counted in their own interval, flipped every 10 ms behind a random delay of 0 to 5 ms"""
    found, runs = Attributed(), []
    for _ in range(settings.runs):
        with loop(_RANDOM_DELAY, _RATE) as engine:
            one = _attributed(engine, settings.seconds)
        found += one
        runs.append(Run(100 * (1 - one.false / one.sent), None, load_average()))
    return Outcome(
        tuple(runs),
        note=f"{found.sent / 1e6:,.0f} million frames in {found.intervals:,} intervals of "
        f"{1e3 * settings.runs * settings.seconds / found.intervals:.1f} ms on average, {found.waited:,} "
        "of them waited for longer; --seconds for more",
    )


@dataclass(frozen=True)
class Attributed:
    """Counts over the intervals of a run."""

    sent: int = 0  # frames
    intervals: int = 0
    waited: int = 0  # intervals that were not complete when they should have been
    false: int = 0  # frames too few or too many in their interval

    def __add__(self, other: Attributed) -> Attributed:
        return Attributed(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


def _attributed(engine: Loop, seconds: float) -> Attributed:
    """A closed interval is read after the guard time, or later if frames of it are missing then."""
    engine.target.start([JOB])
    end, found = monotonic() + seconds, Attributed()
    engine.target.flip([JOB])
    while monotonic() < end:
        sleep(_GUARD_S)
        missing, late = _missing(engine), 0
        patience = monotonic() + _PATIENCE_S
        while missing > 0 and monotonic() < patience:
            late = 1
            sleep(_POLL_S)
            missing = _missing(engine)
        found += Attributed(intervals=1, waited=late, false=abs(missing))
        engine.target.flip([JOB])
    engine.target.stop([JOB])
    return found + Attributed(sent=engine.counters().tx_packets)


def _missing(engine: Loop) -> int:
    """Frames of the closed version that have not arrived; below 0 where there are too many."""
    closed, _ = engine.versions()
    return closed.tx_packets - closed.rx_packets
