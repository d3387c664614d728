# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on trials of streams: loss, order, outage, latency, throughput, delay."""

from __future__ import annotations

import operator as compare
import random
from fractions import Fraction
from math import ceil, floor
from typing import Any

from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.keywords._getter import Getter
from TesterLibrary.methodology.order import reordering_below
from TesterLibrary.methodology.outage import outage_below
from TesterLibrary.methodology.verdicts.blind_delay import delay_below
from TesterLibrary.methodology.verdicts.judging import latency_below, loss_below, throughput_above
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from TesterLibrary.verdict import Verdict

from .case import Case, judge, near
from .counting import FRAME
from .device import Log
from .scene import Scene, Source, random_scene

SIGNS = {
    "==": compare.eq,
    "!=": compare.ne,
    "<": compare.lt,
    "<=": compare.le,
    ">": compare.gt,
    ">=": compare.ge,
}


@judge
def loss(draw: random.Random, source: Source = random_scene) -> Case:
    scene = source(draw)
    worst = max(Fraction(sum(x.lost for x in logs), sum(x.sent for x in logs)) for logs in scene.logs)
    bound = min(Fraction(1), near(draw, worst, Fraction(1, sum(x.sent for x in scene.logs[0]))))
    return _case("loss_below", scene, worst <= bound, loss_below(scene.trials, Ratio(bound)), bound)


@judge
def late(draw: random.Random, source: Source = random_scene) -> Case:
    """Loss, if a frame that arrives later than a time is lost."""
    scene = source(draw)
    each = sorted({ns for log in scene.every for ns in log.latencies})
    timeout = draw.choice(each) * draw.choice([1, 1, 2]) if each else 10**6
    margin = {ns: ceil(max(2, ns * scene.percentile_error(ns))) + scene.slack_ns for ns in each}
    while near_it := [ns for ns in each if abs(ns - timeout) <= margin[ns]]:
        timeout = max(near_it) + margin[max(near_it)] + 1
    within = Duration(timeout)
    worst = max(
        Fraction(sum(x.lost + _late(x, timeout) for x in logs), sum(x.sent for x in logs))
        for logs in scene.logs
    )
    bound = min(Fraction(1), near(draw, worst, Fraction(1, sum(x.sent for x in scene.logs[0]))))
    copied = any(log.duplicated for log in scene.every)
    excuse = "copies may be what was late" if copied else ""
    verdict = loss_below(scene.trials, Ratio(bound), within)
    return _case("loss within a time", scene, worst <= bound, verdict, (bound, timeout), excuse=excuse)


def _late(log: Log, timeout_ns: int) -> int:
    return sum(a.time_ns - log.departure_ns(a.sequence) > timeout_ns for a in log.firsts)


@judge
def reordering(draw: random.Random, source: Source = random_scene) -> Case:
    scene = source(draw)
    arrived = sum(len(log.firsts) for log in scene.every)
    part = Fraction(sum(log.reordered for log in scene.every), arrived or 1)
    bound = min(Fraction(1), near(draw, part, Fraction(1, arrived or 1)))
    verdict = reordering_below(scene.trials, Ratio(bound))
    return _case("reordering_below", scene, part <= bound if arrived else None, verdict, bound)


@judge
def outage(draw: random.Random, source: Source = random_scene) -> Case:
    """An outage is a run of frames that never arrived; its time is exact to two gaps and the spread."""
    scene = source(draw)
    bound_ns = draw.choice([0, _beside(draw, scene), _beside(draw, scene)])
    verdicts = {_is_within(log, bound_ns) for log in scene.every}
    within = False if False in verdicts else None if None in verdicts else True
    hidden = any(log.lost and (log.duplicated or log.reordered) for log in scene.every)
    excuse = "copies and frames out of order" if hidden else ""
    if any(log.device.gap_ns > bound_ns for log in scene.every):
        excuse = excuse or "finer than the gap between two frames"
    verdict = outage_below(scene.trials, Duration(bound_ns))
    return _case("outage_below", scene, within, verdict, bound_ns, excuse=excuse)


def _resolution_ns(log: Log) -> int:
    delays = [a.time_ns - log.departure_ns(a.sequence) for a in log.firsts]
    return 2 * log.device.gap_ns + (max(delays) - min(delays) if delays else 0)


def _beside(draw: random.Random, scene: Scene) -> int:
    """Beyond the resolution on one side of every run of every stream."""
    edges = []
    for log in scene.every:
        for _, count in log.runs:
            length, unsure = count * log.device.gap_ns, _resolution_ns(log) + scene.slack_ns
            edges.append((length - unsure, length + unsure))
    wanted = draw.choice([edge + side for low, high in edges for edge, side in ((low, -1), (high, 1))] or [0])
    for _ in range(len(edges) + 1):
        inside = [high for low, high in edges if low <= wanted <= high]
        wanted = max(inside) + 1 if inside else wanted
    return max(0, wanted)


def _is_within(log: Log, bound_ns: int) -> bool | None:
    """None where one was not over when the traffic ended; a stream of which nothing arrives has no end."""
    runs = log.runs
    if any(count * log.device.gap_ns > bound_ns for _, count in runs):
        return False
    if not runs or sum(runs[-1]) < log.sent:
        return True
    return False if not log.firsts else None


@judge
def latency(draw: random.Random, source: Source = random_scene) -> Case:
    scene = source(draw)
    percent = draw.choice(["50", "90", "99", "99.9", "100", str(draw.randint(1, 1000) / 10)])
    each = sorted(ns for log in scene.every for ns in log.first_latencies)
    if not each:
        verdict = latency_below(scene.trials, Duration(draw.randrange(10**6)), float(percent))
        return _case("latency_below", scene, None, verdict, percent)
    value = each[ceil(len(each) * Fraction(percent) / 100) - 1]
    margin = 0 if percent == "100" else max(2, ceil(value * scene.percentile_error(value)))
    margin += scene.slack_ns
    bound = draw.choice([value + margin, value - margin - 1, value * 2 + 4, value // 2 - 2])
    bound = max(0, bound)
    verdict = latency_below(scene.trials, Duration(bound), float(percent))
    excuse = "copies" if any(log.duplicated for log in scene.every) else ""
    if len(each) * (1 - Fraction(percent) / 100) < 1 and percent != "100":
        excuse = excuse or "too few for this percentile"
    return _case("latency_below", scene, value <= bound, verdict, f"p{percent} {bound} ns", excuse=excuse)


@judge
def throughput(draw: random.Random, source: Source = random_scene) -> Case:
    scene = source(draw, trials=1)
    (logs,), (trial,) = scene.logs, scene.trials
    seconds = Fraction(max(log.sent * log.device.gap_ns for log in logs), 10**9)
    pps = sum(len(log.firsts) for log in logs) / seconds
    lost = sum(log.lost for log in logs)
    intended = sum(Fraction(10**9, log.device.gap_ns) for log in logs)
    unit = draw.choice([RateUnit.PPS, RateUnit.L2, RateUnit.LINE])
    scale = {
        RateUnit.PPS: Fraction(1),
        RateUnit.L2: Fraction(8 * FRAME),
        RateUnit.LINE: trial.load / intended,
    }[unit]
    bound = near(draw, pps * scale, scale / seconds) or scale
    reached = pps * scale >= bound
    verdict = throughput_above(trial, Rate(bound, unit))
    # With loss it is a forwarding rate, not a throughput; without loss the device could deliver more.
    truth = None if reached == bool(lost) else reached
    excuse = "" if truth is not None else "no more was offered, or some was lost"
    return _case("throughput_above", scene, truth, verdict, (bound, unit), excuse=excuse)


@judge
def delay(draw: random.Random, source: Source = random_scene) -> Case:
    """The documented error: frames lost, or arrived twice, times the gap between two."""
    scene = source(draw)
    frames = sum(len(log.firsts) for log in scene.every)
    if not frames:
        verdict = delay_below(scene.trials, Duration(draw.randrange(10**7)))
        return _case("delay_below", scene, None, verdict, "nothing arrived")
    mean = sum((log.mean_ns * len(log.firsts) for log in scene.every if log.firsts), Fraction(0)) / frames
    unsure = max((log.lost + log.duplicated) * log.device.gap_ns for log in scene.every) + scene.time_step_ns
    steps = [0, 1, 2 * unsure + 2, -2 * unsure - 2, draw.randint(-3 * unsure, 3 * unsure), 10 * unsure]
    bound = max(0, draw.choice([floor(mean), ceil(mean)]) + draw.choice(steps))
    excuse = "" if abs(bound - mean) > 2 * unsure or not unsure else "resolution"
    verdict = delay_below(scene.trials, Duration(bound))
    return _case("delay_below", scene, mean <= bound, verdict, bound, excuse=excuse)


class Heard:
    """The part of a session that a getter reads: the last trial, and where verdicts go."""

    def __init__(self, trial: Any) -> None:
        self.trial = trial
        self.verdict: Verdict | None = None

    def judged(self) -> Any:
        return self.trial

    def conclude(self, verdict: Verdict, _message: str | None = None) -> Verdict:
        self.verdict = verdict
        return verdict.enforce()


@judge
def count(draw: random.Random, source: Source = random_scene) -> Case:
    scene = source(draw, trials=1)
    fate = draw.choice(["lost", "duplicated", "reordered", "misrouted", "corrupted", *scene.more_fates])
    value = sum(getattr(log, fate) for log in scene.every)
    expected = max(0, draw.choice([value, value + 1, value - 1, 0, draw.randint(0, 2 * value + 2)]))
    sign = draw.choice(list(SIGNS))
    heard = Heard(scene.trials[0])
    getter = Getter(heard)  # type: ignore[arg-type]
    given = (AssertionOperator[sign], str(expected), None)
    try:
        if fate == "lost" and draw.random() < 0.5:
            getter.loss(None, sign, str(expected), None)
        else:
            getter.order(fate, *given)
    except (VerdictFailed, Inconclusive):
        pass
    assert heard.verdict
    truth = bool(SIGNS[sign](value, expected))
    return _case(f"frames {fate}", scene, truth, heard.verdict, f"{value} {sign} {expected}")


def _case(
    judge: str, scene: Scene, truth: bool | None, verdict: Verdict, bound: object, *, excuse: str = ""
) -> Case:
    excuse = excuse or scene.absent or ("nothing arrived" if scene.deaf else "")
    return Case(judge, truth, verdict, excuse, f"bound {bound}; {scene}", scene.target)
