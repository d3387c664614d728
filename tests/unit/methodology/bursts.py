# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A measurer of bursts over a device whose longest burst is known; no packets, no time."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.throughput import LimitedBy, ThroughputResult, ThroughputSearch
from TesterLibrary.model.units.units import Duration
from tests.counted import order_counters, stream_counters

from .simulated import FRAME_SIZE, LINE, SimulatedMeasurer

SECOND = Duration(10**9)
LATE = ("the tester sent 100 of 100 frames with a rate error of -12.000 % (limit 10.000 %)",)


@dataclass
class Bursts(SimulatedMeasurer):
    """Loses one frame of each burst beyond `longest`, which may differ from burst to burst by `noise`."""

    longest: int = 100
    noise: int = 0
    tester_longest: int = 10**9  # the tester is too slow for longer bursts
    part: Fraction = Fraction(1, 2)  # of line rate, that it forwards
    late_ns: int = 0  # the last frame of a burst leaves so much too late, and the device holds more
    sent: list[int] = field(default_factory=list)

    def burst(self, frames: int, rest: Duration) -> Trial:
        assert rest.ns >= 0
        self.sent.append(frames)
        held = self.longest + random.Random(f"{self.seed} {len(self.sent)}").randint(-self.noise, self.noise)
        late_ns = self.late_ns if frames > 1 else 0
        held += floor(LINE * late_ns / 10**9 * self.part / (1 - self.part))
        received = frames if frames <= held else frames - 1
        due_ns = ceil((frames - 1) * 10**9 / LINE)
        rate_error = Fraction(due_ns, due_ns + late_ns) - 1 if due_ns else Fraction(0)
        trial = self.measure(Fraction(1), SECOND)
        counters = stream_counters(
            id=1,
            intended_packets=frames,
            tx_packets=frames,
            tx_bytes=frames * FRAME_SIZE,
            rx_packets=received,
            rx_bytes=received * FRAME_SIZE,
            order=order_counters(frames),
            first_tx_ns=SECOND.ns,
            last_tx_ns=SECOND.ns + due_ns + late_ns,
        )
        (stream,) = trial.streams
        return replace(
            trial,
            streams=(replace(stream, counters=counters, rate_error=rate_error),),
            objections=LATE if frames > self.tester_longest else (),
        )


def throughput(
    load: Fraction | None = Fraction(1, 2), limit: LimitedBy = LimitedBy.DEVICE, **search: object
) -> ThroughputResult:
    """A throughput that was found before."""
    failed = None if limit is LimitedBy.LINE else (load or 0) + Fraction(1, 200)
    trial = SimulatedMeasurer().measure(load or failed or Fraction(1), SECOND)
    return ThroughputResult(
        trial.title,
        (trial,),
        ThroughputSearch(trial_duration=SECOND, **search),  # type: ignore[arg-type]
        load,
        failed,
        limit,
    )


__all__ = ["LINE", "Bursts", "throughput"]
