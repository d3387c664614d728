# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on longest bursts, recoveries and resets, on devices whose every frame is simulated.

The truth is worked out here, frame by frame and by its own arithmetic, from what the device was told to be.
"""

from __future__ import annotations

import random
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

from TesterLibrary.methodology.back_to_back import BurstSearch, find_maximum_burst
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, measure_reset
from TesterLibrary.methodology.system_recovery import RecoveryMeasurement, measure_system_recovery
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.targets.simulated import SimulatedTarget
from tests.unit.methodology.bursts import throughput
from tests.unit.running.test_procedures import simulated
from tests.unit.running.testers import stream

from .case import Case, judge

_LINE_NS = 67_200  # a frame of 64 bytes at 10 Mbps
_MS = 10**6


@judge
def burst(draw: random.Random) -> Case:
    """A device that forwards a part of line rate, and queues so many frames."""
    percent, queue = draw.randint(1, 99), draw.randint(0, 120)
    resolution = draw.choice(["0.001 %", "0.001 %", "5 %"])
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        tester = simulated(Path(folder), rate=f"{percent} %", queue=queue)
        search = BurstSearch(
            draw.randint(1, 3), Duration(500 * _MS), Ratio.parse(resolution), Duration(2 * 10**9)
        )
        found = throughput(Fraction(percent, 100))
        result = find_maximum_burst(TrialMeasurer(tester, [stream()]), found, search)
    longest = 0
    while _fits(longest + 1, _LINE_NS * 100 // percent, queue) and longest < 2 * 10**9 // _LINE_NS:
        longest += 1
    bound = max(1, longest + draw.choice([0, 1, -1, 2, -2, 10, -10, longest, -longest // 2]))
    passed, failed = result.bursts[0].passed, result.bursts[0].failed
    excuse = "between two bursts of the search" if failed and passed < bound < failed else ""
    if failed is None and bound > passed:
        excuse = "the longest burst of the search passed"
    about = f"bound {bound}; {percent} % of line rate, a queue of {queue}, {resolution}: {longest} frames"
    return Case("find_maximum_burst", longest >= bound, result.verdict_above(bound), excuse, about)


def _fits(frames: int, service_ns: int, queue: int) -> bool:
    """Whether the last one of a burst finds room where all before it did."""
    return frames - 1 - (frames - 1) * _LINE_NS // service_ns <= queue


@judge
def recovery(draw: random.Random) -> Case:
    """A device that loses every second frame for a while after an overload, or for ever.

    Some lose frames at each load: their last loss has nothing to do with the overload.
    """
    time_ms = draw.choice([0, draw.randint(1, 150), draw.randint(1, 150), 10_000])
    device: dict[str, Any] = {"rate": "50 %", "queue": draw.randint(0, 30), "recovery": f"{time_ms} ms"}
    if lossy := draw.random() < 0.1:
        device["loss"] = draw.choice(["1 %", "10 %"])
    measurement = RecoveryMeasurement(
        Ratio.parse("50 %"), overload_duration=Duration(200 * _MS), relief_duration=Duration(200 * _MS)
    )
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        result = measure_system_recovery(
            TrialMeasurer(simulated(Path(folder), **device), [stream()]), measurement
        )
    # 55 % of line rate, then half of that: gaps of 122 us, then of 244 us. Every second frame is lost, and
    # the last gap of the overload is the last one that is too short.
    gap_ns = 2 * _LINE_NS * 100 / 55
    least, most = max(0.0, time_ms * _MS - 3 * gap_ns), time_ms * _MS + gap_ns
    bound = max(0, round(draw.choice([most + gap_ns, least - 2 * gap_ns, most * 2, least / 2, 0])))
    if time_ms == 0:  # a queue that is just full may lose the first frame at the lower load, or not
        bound = max(bound, round(most + gap_ns))
    truth = None if least <= bound < most else most <= bound
    truth = None if lossy else truth
    over = time_ms <= 150
    about = f"bound {bound} ns; recovers within {time_ms} ms, {device}"
    excuse = "" if truth is not None and over else "within a gap between frames, not over, or lossy"
    return Case("system recovery", truth, result.verdict_below(Duration(bound)), excuse, about)


@judge
def reset(draw: random.Random) -> Case:
    """A device that is silent for a while after a reset, or for an hour; or a hook that does nothing.

    Some lose frames anyway, of which nobody can tell then what the reset did.
    """
    silence = draw.choice([draw.randint(20, 900), draw.randint(20, 900), 3_600_000])
    works, lossy = draw.random() < 0.9, draw.random() < 0.1
    device = {"silence": f"{silence} ms", "queue": draw.randint(1, 50), "loss": "10 %" if lossy else "0 %"}
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        tester = simulated(Path(folder), **device)
        target = tester.target
        assert isinstance(target, SimulatedTarget)
        measurement = ResetMeasurement(
            ResetKind.SOFTWARE,
            Ratio.parse("10 %"),
            lead=Duration(50 * _MS),
            steady=Duration(100 * _MS),
            limit=Duration(2000 * _MS),
        )
        act = target.device.reset if works else lambda: None
        result = measure_reset(TrialMeasurer(tester, [stream()]), measurement, act, hook="the hook")
    gap_ns = 10 * _LINE_NS
    least, most = silence * _MS - gap_ns, silence * _MS + 2 * gap_ns
    bound = max(1, round(draw.choice([most + gap_ns, least - gap_ns, 2 * most, least / 2])))
    about = f"bound {bound} ns; {device}, the hook {'works' if works else 'does nothing'}"
    if not works:
        return Case("reset", None, result.verdict_below(Duration(bound)), "nothing was reset", about)
    excuse = "given up before the bound" if silence > 2000 and bound > 1900 * _MS else ""
    excuse = "frames are lost anyway" if lossy else excuse
    return Case("reset", most <= bound, result.verdict_below(Duration(bound)), excuse, about)
