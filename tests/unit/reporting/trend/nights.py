# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated nights: values by a written law of noise, judged as `tester trend` judges them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random

from TesterLibrary.reporting.trend.figure import Point
from TesterLibrary.reporting.trend.judge import Alarm, State, judge
from TesterLibrary.reporting.trend.level import Method

TOLERANCE = 0.01
Law = Callable[[Random], float]

# Shaped rates and throughputs vary by fractions of a percent or stand still; latencies have long tails.
LAWS: Mapping[str, tuple[Law, bool]] = {  # with: whether more is better
    "rate of a shaper, normal, 0.3 %": (lambda r: r.gauss(1e8, 3e5), True),
    "throughput between two steps of a search": (lambda r: r.choice((0.95, 0.95, 0.955)), True),
    "throughput that never varies": (lambda _: 0.95, True),
    "throughput with a bad night in thirty": (
        lambda r: r.gauss(1, 0.003) - 0.1 * (r.random() < 1 / 30),
        True,
    ),
    "p99 latency, log-normal, 10 %": (lambda r: 5e4 * math.exp(r.gauss(0, 0.1)), False),
    "maximal latency, Pareto": (lambda r: 5e4 * r.paretovariate(4), False),
    "loss, mostly none": (lambda r: 1e-5 * (r.random() < 0.02), False),
}


@dataclass
class Nights:
    """A figure over nights. A candidate is measured again in the same night."""

    law: Law
    higher_is_better: bool | None = True
    method: Method = Method.JUMPAVG
    random: Random = field(default_factory=lambda: Random(1))
    points: list[Point] = field(default_factory=list)
    alarms: tuple[Alarm, ...] = ()
    number: int = 0

    def run(self, count: int, factor: float = 1.0) -> Nights:
        for _ in range(count):
            self.number += 1
            self.measure(self.law(self.random) * factor)
            if self.alarms and self.alarms[-1].state is State.CANDIDATE:
                self.measure(self.law(self.random) * factor, hour=1)
        return self

    def measure(self, value: float, hour: int = 0) -> None:
        at = datetime(2026, 1, 1) + timedelta(days=self.number, hours=hour)
        self.points.append(point(value, at))
        self.alarms = judge(self.points, self.alarms, self.higher_is_better, TOLERANCE, self.method)

    @property
    def alarmed(self) -> list[Alarm]:
        return [alarm for alarm in self.alarms if any(s.state is State.ALARMED for s in alarm.steps)]


def point(value: float, at: datetime) -> Point:
    return Point(f"{at:%Y%m%d%H}", at, value, value, "PASS", "", "device", "1", "fake")


def write_night(folder: Path, night: int, mbps: float, *, outcome: str = "PASS", hour: int = 2) -> Path:
    """The record of a run with one verdict, as the recorder writes it."""
    evidence = folder / f"night-{night}-{hour}" / "evidence"
    evidence.mkdir(parents=True)
    at = datetime(2026, 1, 1, hour, tzinfo=timezone.utc) + timedelta(days=night)
    device = {"name": "shaper", "kind": "embedded", "version": "1.0" if night < 30 else "1.1"}
    tester = {"testbed": {"name": "embedded/shaper", "dut": device}, "tester": {"target": "engine"}}
    run = {"kind": "run", "schema": 2, "id": f"{night}-{hour}", "started_at": at.isoformat()}
    (evidence / "run.json").write_text(json.dumps({**run, "testers": [tester]}))
    record = {"kind": "verdict", "schema": 2, "at": at.isoformat(), "testbed": "embedded/shaper"}
    place = {"suite": "Nightly.Shaper", "test": "Rate Is Kept", "number": 1}
    bps = round(mbps * 1e6)
    value = {"measured": f"{mbps} Mbps", "bound": ">= 90 Mbps", "least": str(bps), "most": str(bps)}
    verdict = {"outcome": outcome, "subject": "rate of north, 512 bytes", "reason": ""}
    if outcome == "INCONCLUSIVE":
        verdict["reason"] = "the tester sent 1 of 2 frames"
    (evidence / "verdicts.jsonl").write_text(json.dumps({**record, **place, **verdict, **value}) + "\n")
    return evidence.parent
