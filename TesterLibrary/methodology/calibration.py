# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds what the tester adds to each delay, and the highest rate it sustains, over a cable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..errors import Inconclusive
from ..measurement.calibration import CalibratedSize
from ..measurement.trial import Trial
from ..model.units.units import Duration, Ratio
from .measurer import Measurer
from .result import Result
from .throughput import ThroughputSearch, find_throughput
from .verdicts.judging import doubt_of

_QUIET = Fraction(1, 10)  # part of the highest rate at which no frame waits for another


@dataclass(frozen=True)
class CalibrationResult(Result):
    """The tester's own delay and its highest rate for each frame size."""

    sizes: tuple[CalibratedSize, ...]

    def __str__(self) -> str:
        each = "; ".join(
            f"{size.frame_size} bytes: {Duration(size.offset_ns)}, spread {Duration(size.spread_ns)}, "
            f"up to {size.highest_pps:,} frames/s"
            for size in self.sizes
        )
        return f"{self.title}: {each}"


def calibrate(
    measurers: Callable[[int], Measurer], frame_sizes: Sequence[int], duration: Duration
) -> CalibrationResult:
    """Measures each frame size: the highest rate first, then delays at a tenth of it.

    Args:
        measurers: Gives what runs trials with frames of a size, at loads of their line rate.
        frame_sizes: In bytes, FCS included; at least one.
        duration: Of each trial.

    Raises:
        Inconclusive: frames do not arrive, or the tester fell short in every trial.
        TargetError: the tester is broken, gone or late.
    """
    trials: list[Trial] = []
    sizes = []
    search = ThroughputSearch(
        resolution=Ratio(Fraction(1, 100)), trial_duration=duration, scout_duration=Duration(duration.ns // 5)
    )
    for frame_size in sorted(set(frame_sizes)):
        measurer = measurers(frame_size)
        found = find_throughput(measurer, search)
        trials.extend(found.trials)
        if found.load is None or found.rate is None:
            raise Inconclusive(f"frames of {frame_size} bytes are lost at every rate; is there a cable?")
        trial = measurer.measure(found.load * _QUIET, duration)
        trials.append(trial)
        sizes.append(_calibrated(frame_size, trial, found.rate))
    return CalibrationResult("tester without a device", tuple(trials), tuple(sizes))


def _calibrated(frame_size: int, trial: Trial, highest: Fraction | float) -> CalibratedSize:
    latency = trial.latency
    median, low, high = latency.p50, latency.min, latency.p99
    doubt = doubt_of([trial])
    if doubt or median is None or low is None or high is None:
        raise Inconclusive(f"frames of {frame_size} bytes: {doubt or 'no frame was received'}")
    return CalibratedSize(frame_size, round(median), round(high - low), int(highest))
