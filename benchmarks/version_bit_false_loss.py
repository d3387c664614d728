# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether versions of counters attribute every frame to the interval it left in."""

from __future__ import annotations

from time import monotonic, sleep

from .harness.loop import JOB, Loop, loop
from .harness.machine import load_average
from .harness.outcome import Bound, Outcome, Run
from .harness.registry import Settings, benchmark

_RANDOM_DELAY = "delay:x,0-5000000"  # up to 5 ms, each frame its own: they overtake each other
_INTERVAL_S = 0.01
_ALL = Bound("= 100 %", lambda outcome: min(outcome.values) >= 100)


@benchmark(unit="%", bound=_ALL)
def version_bit_false_loss(settings: Settings) -> Outcome:
    """Frames counted in their own interval, flipped every 10 ms behind a random delay of 0 to 5 ms"""
    sent, runs = 0, []
    for _ in range(settings.runs):
        with loop(_RANDOM_DELAY, "1 Mpps") as engine:
            frames, false = _attributed(engine, settings.seconds)
        sent += frames
        runs.append(Run(100 * (1 - false / frames), None, load_average()))
    return Outcome(tuple(runs), note=f"{sent / 1e6:,.0f} million frames in all; --seconds for more")


def _attributed(engine: Loop, seconds: float) -> tuple[int, int]:
    """Frames sent, and those that an interval had too few or too many when its version was opened again."""
    engine.target.start([JOB])
    end, false = monotonic() + seconds, 0
    engine.target.flip([JOB])
    while monotonic() < end:
        sleep(_INTERVAL_S)
        counted = engine.counters()
        closed = counted.versions[1 - counted.open_version]
        false += abs(closed.tx_packets - closed.rx_packets)
        engine.target.flip([JOB])
    engine.target.stop([JOB])
    return engine.counters().tx_packets, false
