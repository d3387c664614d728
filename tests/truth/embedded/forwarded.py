# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on frames that a forwarder in place of a bridge loses, copies, damages, holds and sends astray.

It keeps a log of each frame that it took and sent, which is the truth.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

from TesterLibrary.methodology.verdicts.blind_delay import delay_below
from TesterLibrary.methodology.verdicts.judging import latency_below
from TesterLibrary.model.units.units import Duration
from tests.acceptance import forwarder
from tests.acceptance.forwarder import HEADERS

from .. import stream_judges as streams
from ..case import ENGINE, Case
from ..counting import Tester
from ..device import Arrival, Device, Log
from ..scene import Scene
from .lab import BRIDGE, Lab, judge_at

# How much later than its departure from the forwarder a frame may be seen by a tester that did its part.
_SLACK_NS = 60_000_000
_FATES = ("wrong_length", "wrong_headers")


@dataclass(frozen=True)
class SeenLog(Log):
    """The log of a forwarder. The delays of its arrivals and their order are exact."""

    corrupted_seen: int = 0
    wrong_length: int = 0
    wrong_headers: int = 0

    @property
    def corrupted(self) -> int:
        return self.corrupted_seen


class Forwarder:
    """A process that forwards as it was told."""

    def __init__(self, lab: Lab, wish: dict[str, Any]) -> None:
        command = [sys.executable, str(Path(forwarder.__file__)), json.dumps({**wish, "log": 1})]
        self._process = subprocess.Popen(
            [*lab.bed.testbed.dut_prefix, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout
        assert self._process.stdout.readline() == "ready\n"

    def told(self) -> dict[str, Any]:
        """Its log since it was asked last."""
        assert self._process.stdin
        assert self._process.stdout
        print(file=self._process.stdin, flush=True)
        told: dict[str, Any] = json.loads(self._process.stdout.readline())
        return told

    def log(self, gap_ns: int, sent: int) -> SeenLog:
        """The same as that of a stream of so many frames, which must all have come here."""
        told = self.told()
        assert told["seen"] == sent, f"the tester says that {sent} frames left, and {told['seen']} came"
        device = Device(sent, gap_ns)
        arrivals = tuple(
            # Only the distance of each time from its frame's departure is right, and the order of departures.
            Arrival(delay_ns, number, out == "p2", what != "whole")
            for number, what, out, delay_ns in told["sent"]
        )
        at_p2 = [what for _, what, out, _ in told["sent"] if out == "p2"]
        return SeenLog(
            device,
            tuple(replace(a, time_ns=Log(device, ()).departure_ns(a.sequence) + a.time_ns) for a in arrivals),
            corrupted_seen=at_p2.count("corrupt"),
            wrong_length=at_p2.count("shorten") + at_p2.count("lengthen"),
            wrong_headers=at_p2.count("headers"),
        )

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def device_that(lab: Lab, wish: dict[str, Any]) -> Iterator[Forwarder]:
    """A forwarder in place of the bridge, which takes its ports again afterwards."""
    for port in ("p1", "p2"):
        lab.inside("ip", "link", "set", port, "nomaster")
    device = Forwarder(lab, wish)
    try:
        yield device
    finally:
        device.close()
        for port in ("p1", "p2"):
            lab.inside("ip", "link", "set", port, "master", "br0")


def random_wish(draw: random.Random, frames: int) -> dict[str, Any]:
    """None to three defects."""
    wish: dict[str, Any] = {}
    defects = ["lose", "every", "corrupt", "shorten", "lengthen", "headers", "duplicate", "misroute", "hold"]
    for defect in draw.sample(defects, draw.choice([0, 1, 1, 2, 3])):
        period = draw.randint(2, frames)
        if defect == "lose":
            wish["lose"] = [draw.randrange(frames), draw.randint(1, frames // 3)]
        elif defect == "every":
            wish["lose_every"] = period
        elif defect == "headers":
            wish["headers_every"], wish["part"] = max(3, period // 3), draw.choice(list(HEADERS))
        elif defect == "hold":
            wish["hold_every"], wish["overtaken_by"] = max(9, period // 4), draw.randint(1, 8)
        else:
            wish[f"{defect}_every"] = max(3, period // 3)
    if draw.random() < 0.3:
        wish["delay_s"] = draw.choice([0.003, 0.03])
    return wish


class _Source:
    """Scenes of one stream through a forwarder."""

    def __init__(self, lab: Lab, *, long: bool = False) -> None:
        self._lab, self._long = lab, long

    def __call__(self, draw: random.Random, *, trials: int = 2, streams: int = 2) -> Scene:
        del streams  # the forwarder numbers all that it sees
        pps = draw.choice([500, 1000, 2000, 2500])
        frames = draw.randint(100, 1200) if not self._long else pps
        wish = random_wish(draw, frames)
        if self._long and draw.random() < 0.7:
            wish["lose"] = [draw.randrange(frames // 2), draw.randint(1, frames // 2)]
        gap_ns = 10**9 // pps
        measured, logs = [], []
        with device_that(self._lab, wish) as device:
            for _ in range(draw.randint(1, trials)):
                north = self._lab.north(pps)
                measured.append(self._lab.sent([north], frames, device.told))
                logs.append((device.log(gap_ns, measured[-1].sent),))
        return Scene(
            Tester("engine"),
            tuple(measured),
            tuple(logs),
            target=ENGINE,
            slack_ns=_SLACK_NS,
            about=f"forwarder {wish}, {frames} frames at {pps} pps",
            more_fates=_FATES,
        )


@judge_at(BRIDGE)
def loss(draw: random.Random, lab: Lab) -> Case:
    return streams.loss(draw, _Source(lab))


@judge_at(BRIDGE)
def reordering(draw: random.Random, lab: Lab) -> Case:
    return streams.reordering(draw, _Source(lab))


@judge_at(BRIDGE)
def count(draw: random.Random, lab: Lab) -> Case:
    return streams.count(draw, _Source(lab))


@judge_at(BRIDGE)
def outage(draw: random.Random, lab: Lab) -> Case:
    return streams.outage(draw, _Source(lab, long=True))


@judge_at(BRIDGE)
def latency(draw: random.Random, lab: Lab) -> Case:
    """The forwarder knows how long it had each frame; to the tester it may seem longer, never shorter."""
    scene = _Source(lab)(draw, trials=1)
    percent = draw.choice(["50", "90", "99", "100"])
    each = sorted(ns for log in scene.every for ns in log.first_latencies)
    rank = ceil(len(each) * Fraction(percent) / 100) - 1
    value = each[rank] if each else 0
    bound = draw.choice([value * 9 // 10 - 1, value * 5 // 4 + _SLACK_NS])
    bound = max(0, bound)
    verdict = latency_below(scene.trials, Duration(bound), float(percent))
    truth = value <= bound if each else None
    copied = "copies" if any(log.duplicated for log in scene.every) else ""
    excuse = copied if each else "nothing arrived"
    if percent != "100" and len(each) * (100 - int(percent)) < 100:
        excuse = excuse or "too few for this percentile"
    about = f"p{percent} {value} ns, bound {bound} ns; {scene}"
    return Case("latency_below", truth, verdict, excuse, about)


@judge_at(BRIDGE, slow=True)
def delay(draw: random.Random, lab: Lab) -> Case:
    """Blind: lost and repeated frames cost as many gaps."""
    scene = _Source(lab)(draw, trials=1)
    (log,) = scene.every
    if not log.firsts:
        verdict = delay_below(scene.trials, Duration(10**6))
        return Case("delay_below", None, verdict, "nothing arrived", str(scene))
    mean = round(log.mean_ns)
    unsure = 2 * (log.lost + log.duplicated) * log.device.gap_ns
    bound = max(0, draw.choice([mean * 9 // 10 - unsure - 1, mean * 5 // 4 + _SLACK_NS + unsure]))
    excuse = "resolution" if unsure and bound < mean and bound == 0 else ""
    verdict = delay_below(scene.trials, Duration(bound))
    return Case("delay_below", mean <= bound, verdict, excuse, f"mean {mean} ns, bound {bound} ns; {scene}")
