# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on packets of others that were stamped around a random device: loss and delay."""

from __future__ import annotations

import random
from collections import Counter as Tally
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.delays.latency_error import OF_ENGINE, PercentileError
from TesterLibrary.measurement.snapshot import LatencyCounters, StampDirectionCounters
from TesterLibrary.measurement.stamps import in_flight
from TesterLibrary.methodology.stamps import StampResult
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.stamps import StampMode
from TesterLibrary.model.units.units import Duration, Ratio
from tests.contract.path_rig import segment
from tests.contract.stamp_rig import SwitchStampRig, clear, counters, load_paths, load_stamps

from .case import SIMULATED, SWITCH, Case, judge, judge_on, near
from .device import Arrival, Log, random_device

_MOST_ON_SWITCH = 80  # frames: a fake switch takes milliseconds for each
_REASONS = ("too_long", "no_room", "occupied", "unfit", "overflowed")


@dataclass(frozen=True)
class StampScene:
    """A result, and the logs that tell the truth of each direction."""

    result: StampResult
    logs: tuple[Log, ...]
    absent: str = ""  # what may excuse INCONCLUSIVE
    slack_ns: int = 0  # by which the tester does not see the times of the log
    target: str = SIMULATED

    def lost(self, log: Log) -> int:
        """Packets that did not come back in time."""
        return log.sent - sum(ns <= self.result.timeout_ns for ns in log.first_latencies)

    def __str__(self) -> str:
        devices = "; ".join(str(log.device) for log in self.logs)
        return f"{devices}; timeout {self.result.timeout_ns} ns; {self.result}; {self.absent}"


StampSource = Callable[[random.Random], StampScene]


def _simulated(draw: random.Random) -> StampScene:
    """Counted as `counters.proto` says, without the engine's code."""
    logs = tuple(random_device(draw, damages=False).log() for _ in range(draw.randint(1, 2)))
    delays = sorted(ns for log in logs for ns in log.first_latencies) or [1]
    timeout_ns = draw.choice([10**9, draw.choice(delays), draw.choice(delays) + 1, 10 * delays[-1]])
    bare = [
        frozenset(draw.sample(range(log.sent), draw.randint(1, 9))) if draw.random() < 0.2 else frozenset()
        for log in logs
    ]
    directions = tuple(
        _counted(log, heading, timeout_ns, uncovered, draw.choice(_REASONS))
        for log, heading, uncovered in zip(logs, ("forward", "backward"), bare, strict=False)
    )
    under_way = draw.randint(1, 9) if draw.random() < 0.05 else 0
    absent = "packets are under way" if under_way else "packets were not stamped" if any(bare) else ""
    return StampScene(_result(directions, timeout_ns, under_way), logs, absent)


def _result(
    directions: tuple[StampDirectionCounters, ...],
    timeout_ns: int,
    under_way: int = 0,
    error: PercentileError = OF_ENGINE,
) -> StampResult:
    return StampResult(
        "load (north to south, stamp)",
        (),
        "load",
        StampMode.STAMP,
        timeout_ns,
        directions,
        under_way,
        percentile_error=error,
    )


def _counted(
    log: Log, heading: str, timeout_ns: int, uncovered: frozenset[int], reason: str
) -> StampDirectionCounters:
    tally: Tally[str] = Tally()
    seen: set[int] = set()
    newest, delays = -1, []
    for arrival in log.whole:
        number, delay_ns = arrival.sequence, arrival.time_ns - log.departure_ns(arrival.sequence)
        if number in uncovered:
            tally["unstamped"] += 1
        elif number in seen:
            tally["duplicated"] += 1
        elif delay_ns > timeout_ns:
            tally["late"] += 1
        else:
            tally["reordered"] += number < newest
            newest = max(newest, number)
            delays.append(delay_ns)
        seen.add(number)
    return StampDirectionCounters(
        heading,
        sent=log.sent - len(uncovered),
        received=len(delays),
        reordered=tally["reordered"],
        late=tally["late"],
        duplicated=tally["duplicated"],
        unstamped=tally["unstamped"],
        last_sent_ns=log.departure_ns(log.sent - 1),
        flows=1,
        untracked=0,
        delay=LatencyCounters(
            len(delays),
            sum(delays),
            min(delays, default=0),
            max(delays, default=0),
            dict(Tally(map(index_of, delays))),
        ),
        **{reason: len(uncovered)},
    )


class _Passed(Log):
    """The log of a device whose packets departed at times that were written down."""

    departures: Sequence[int]

    def departure_ns(self, sequence: int) -> int:
        return self.departures[sequence]


def _on_switch(draw: random.Random) -> StampScene:
    """The driver of a switch that does not exist, around a random device."""
    device = random_device(draw, damages=False)
    device = replace(device, frames=min(_MOST_ON_SWITCH, device.frames), gap_ns=50_000, misroute=0.0)
    plan: dict[int, list[int]] = {}
    for arrival in device.log().arrivals:
        delay_ns = arrival.time_ns - Log(device, ()).departure_ns(arrival.sequence)
        plan.setdefault(arrival.sequence, []).append(delay_ns)
    came: list[int] = []
    left: list[Arrival] = []

    def forwards(frame: bytes, now_ns: int) -> Sequence[tuple[int, bytes]]:
        number = len(came)
        came.append(now_ns)
        left.extend(Arrival(now_ns + delay_ns, number) for delay_ns in plan.get(number, ()))
        return [(now_ns + delay_ns, frame) for delay_ns in plan.get(number, ())]

    rig = SwitchStampRig()
    rig.device.does = forwards
    timeout_ns = draw.choice([10**9, 10**8, 10**7])
    load_paths(rig)  # type: ignore[arg-type]
    load_stamps(rig, heading=Heading.FORWARD, timeout=Duration(timeout_ns))  # type: ignore[arg-type]
    for job in ("stamps", "before", "behind"):
        rig.target.start([job])
    rig.through([segment(number) for number in range(1, device.frames + 1)], gap_ns=device.gap_ns)
    rig.now_ns += 2 * 10**9 + 100 * device.gap_ns
    assert rig.daemon.running
    directions = counters(rig)  # type: ignore[arg-type]
    snapshot = rig.target.snapshot(["stamps"])
    under_way = in_flight(snapshot.stamped("stamps", "load"), snapshot.taken_at_ns, timeout_ns)
    error = rig.target.capabilities().percentile_error
    clear(rig)  # type: ignore[arg-type]
    assert len(came) == device.frames
    log = _Passed(device, tuple(sorted(left, key=lambda arrival: arrival.time_ns)))
    object.__setattr__(log, "departures", came)
    result = _result(directions, timeout_ns, under_way, error)
    return StampScene(result, (log,), "counters of a switch", slack_ns=2_000, target=SWITCH)


def _loss(draw: random.Random, source: StampSource) -> Case:
    scene = source(draw)
    worst = max(Fraction(scene.lost(log), log.sent) for log in scene.logs)
    bound = min(Fraction(1), near(draw, worst, Fraction(1, scene.logs[0].sent)))
    verdict = scene.result.loss_below(Ratio(bound))
    about = f"bound {bound}; {scene}"
    return Case("loss of stamped packets", worst <= bound, verdict, scene.absent, about, scene.target)


def _delay(draw: random.Random, source: StampSource) -> Case:
    """The mean or a percentile of all packets that came back, however late, in the worst direction."""
    scene = source(draw)
    percent = draw.choice([None, "50", "90", "99", "100"])
    values = [value for log in scene.logs if (value := _value(log, percent)) is not None]
    value = max(values, default=Fraction(0))
    part = Fraction(1, 200) if scene.target == SIMULATED else Fraction(1, 2)
    margin = 0 if percent in (None, "100") else max(2, ceil(value * part))
    margin += scene.slack_ns
    bound = max(
        0,
        draw.choice(
            [ceil(value) + margin, floor(value) - margin - 1, 2 * ceil(value) + 4, floor(value) // 2]
        ),
    )
    if percent is None:
        verdict = scene.result.delay_below(Duration(bound))
    else:
        verdict = scene.result.latency_below(Duration(bound), float(percent))
    truth = False if value > bound else True if len(values) == len(scene.logs) else None
    late = any(ns > scene.result.timeout_ns for log in scene.logs for ns in log.first_latencies)
    excuse = scene.absent or ("" if truth is not None else "nothing came back")
    if late:
        excuse = excuse or "packets that came back after the time limit"
    if percent not in (None, "100") and any(
        len(log.firsts) * (100 - int(percent)) < 100 for log in scene.logs
    ):
        excuse = excuse or "too few for this percentile"
    about = f"p{percent} {value} ns, bound {bound} ns; {scene}"
    return Case("delay of stamped packets", truth, verdict, excuse, about, scene.target)


def _value(log: Log, percent: str | None) -> Fraction | None:
    delays = log.first_latencies
    if not delays:
        return None
    if percent is None:
        return Fraction(sum(delays), len(delays))
    return Fraction(delays[ceil(len(delays) * Fraction(percent) / 100) - 1])


@judge
def stamped_loss(draw: random.Random) -> Case:
    return _loss(draw, _simulated)


@judge
def stamped_delay(draw: random.Random) -> Case:
    return _delay(draw, _simulated)


@judge_on(SWITCH)
def switch_stamped_loss(draw: random.Random) -> Case:
    return _loss(draw, _on_switch)


@judge_on(SWITCH)
def switch_stamped_delay(draw: random.Random) -> Case:
    return _delay(draw, _on_switch)
