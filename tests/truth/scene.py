# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials of random devices before random testers: what is judged, and the logs that tell the truth of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from TesterLibrary.measurement.evidence import Evidence, EvidenceLimits
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial

from .counting import FRAME, Tester, random_tester
from .device import Log, random_device

_LOAD = Fraction(1, 2)


def _engine_error(_value_ns: int) -> Fraction:
    return Fraction(1, 200)


@dataclass(frozen=True)
class Scene:
    """Some trials with the logs of their devices, stream by stream."""

    tester: Tester
    trials: tuple[Trial, ...]
    logs: tuple[tuple[Log, ...], ...]
    fault: str = ""  # what the tester did wrong
    unmeasured: bool = False
    target: str = "simulated"
    slack_ns: int = 0  # by which the log does not know when the tester saw a frame
    time_step_ns: int = 0  # by which a time that the tester sums up can be off
    percentile_error: Callable[[int], Fraction] = _engine_error  # part of a percentile, and some more
    about: str = ""  # the device, where the logs do not tell
    more_fates: tuple[str, ...] = ()  # that its logs know, besides those of every device

    @property
    def every(self) -> list[Log]:
        """The logs of all streams of all trials."""
        return [log for logs in self.logs for log in logs]

    @property
    def absent(self) -> str:
        """The reason that excuses an INCONCLUSIVE verdict; empty if the tester counted everything."""
        if self.fault:
            return f"the tester: {self.fault}"
        if self.unmeasured:
            return "arrivals are not measured"
        if self.tester.kind != "engine":
            return f"counters of the {self.tester.kind}"
        far = any(trial_stream.counters.order.late for t in self.trials for trial_stream in t.streams)
        return "copies that came too late to be known" if far else ""

    @property
    def deaf(self) -> bool:
        """A stream received nothing."""
        return any(not log.whole for log in self.every)

    def __str__(self) -> str:
        devices = self.about or "; ".join(str(log.device) for log in self.every)
        return f"{self.tester}, fault {self.fault!r}, unmeasured {self.unmeasured}, {devices}"


class Source(Protocol):
    """A source of scenes."""

    def __call__(self, draw: random.Random, *, trials: int = 2, streams: int = 2) -> Scene:
        """One to so many trials of one to so many streams."""
        ...


def random_scene(draw: random.Random, *, trials: int = 2, streams: int = 2) -> Scene:
    """One to so many trials of one to so many streams."""
    tester = random_tester(draw)
    width = draw.randint(1, streams)
    fault = draw.choice(["drops", "worker", "link"]) if draw.random() < 0.08 else ""
    unmeasured = draw.random() < 0.03
    logs = tuple(
        tuple(_log(draw, tester, fault) for _ in range(width)) for _ in range(draw.randint(1, trials))
    )
    measured = tuple(_trial(tester, each, fault, number) for number, each in enumerate(logs, 1))
    if unmeasured:
        measured = tuple(
            replace(t, streams=(replace(t.streams[0], measured=False), *t.streams[1:])) for t in measured
        )
    return Scene(tester, measured, logs, fault, unmeasured)


def _log(draw: random.Random, tester: Tester, fault: str) -> Log:
    """A tester that does not compare contents takes a damaged frame for a sound one: nothing can tell."""
    log = random_device(draw, damages=tester.kind != "switch").log()
    if fault != "drops" or not log.arrivals:
        return log
    places = range(len(log.arrivals))
    return replace(log, taken=frozenset(draw.sample(places, draw.randint(1, min(9, len(places))))))


def _trial(tester: Tester, logs: tuple[Log, ...], fault: str, number: int) -> Trial:
    limits = EvidenceLimits()
    sent = sum(log.sent for log in logs)
    evidence = Evidence(
        intended_packets=sent,
        offered_packets=sent,
        rate_error=Fraction(0),
        tx_refused=0,
        rx_missed=sum(len(log.taken) for log in logs) if tester.kind == "engine" or fault else None,
        kernel_dropped=0,
        worst_worker_gap_ns=limits.max_worker_gap_ns + 1 if fault == "worker" else 0,
        worst_lateness_ns=0,
        clock_drift=Fraction(0),
        links_down=("p1",) if fault == "link" else (),
    )
    return Trial(
        load=_LOAD,
        duration_ns=max(log.sent * log.device.gap_ns for log in logs),
        streams=tuple(stream(tester, log, n) for n, log in enumerate(logs, 1)),
        evidence=evidence,
        objections=tuple(evidence.objections(limits)),
        number=number,
    )


def stream(tester: Tester, log: Log, number: int = 1) -> StreamResult:
    return StreamResult(
        name=f"stream{number}",
        tx_port="p1",
        rx_port="p2",
        frame_size=FRAME,
        intended_rate=Fraction(10**9, log.device.gap_ns),
        counters=tester.count(log, number),
    )
