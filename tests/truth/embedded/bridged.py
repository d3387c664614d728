# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on what nftables and queues drop and count at the kernel's bridge."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction

from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.keywords._getter import Getter
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.methodology.verdicts.judging import throughput_above
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from TesterLibrary.running.measurer import TrialMeasurer

from ..case import Case, near
from ..stream_judges import SIGNS, Heard
from .lab import BRIDGE, Lab, Rules, judge_at
from .losses import loss_case

_CHAIN = """
  counter seen {{}}
  counter dropped {{}}
  chain arriving {{
    type filter hook ingress device p1 priority 0
    ip protocol udp counter name seen
    ip protocol udp {rule}
  }}
"""
_DROP = "counter name dropped drop"
_NOTHING = "meta length < 1"
_FIFTH = Duration(2 * 10**8)


@contextmanager
def _dropping(lab: Lab, rule: str) -> Iterator[Rules]:
    with lab.rules("netdev", _CHAIN.format(rule=f"{rule} {_DROP}")) as rules:
        yield rules


def _random_rule(draw: random.Random) -> str:
    """The frames that are dropped: each n-th, a random part, none, or seldom all."""
    every, part = draw.choice([2, 7, 40, 333]), draw.choice([1, 5, 50, 300])
    rules = [f"numgen inc mod {every} == 0", f"numgen random mod 1000 < {part}", _NOTHING]
    return draw.choice(rules) if draw.random() < 0.95 else ""


@judge_at(BRIDGE)
def loss(draw: random.Random, lab: Lab) -> Case:
    rule, frames = _random_rule(draw), draw.randint(500, 8000)
    with _dropping(lab, rule) as rules:
        trial = lab.sent([lab.north(10_000, draw.choice([64, 128, 512]))], frames, rules.reset)
        counted = rules.packets()
    part = Fraction(counted["dropped"], counted["seen"])
    return loss_case(draw, trial, part, f"{rule}; {frames} frames; {counted}")


@judge_at(BRIDGE)
def count(draw: random.Random, lab: Lab) -> Case:
    rule, frames = _random_rule(draw), draw.randint(500, 8000)
    with _dropping(lab, rule) as rules:
        trial = lab.sent([lab.north(10_000)], frames, rules.reset)
        counted = rules.packets()
    value = counted["dropped"]
    expected = max(0, draw.choice([value, value + 1, value - 1, 0, draw.randint(0, 2 * value + 2)]))
    sign = draw.choice(list(SIGNS))
    heard = Heard(trial)
    with suppress(VerdictFailed, Inconclusive):
        Getter(heard).order("lost", AssertionOperator[sign], str(expected), None)  # type: ignore[arg-type]
    assert heard.verdict
    about = f"{value} {sign} {expected}; {rule}; {frames} frames; {counted}"
    excuse = "nothing arrived" if value == counted["seen"] else ""
    return Case("frames lost", bool(SIGNS[sign](value, expected)), heard.verdict, excuse, about)


@judge_at(BRIDGE)
def policed(draw: random.Random, lab: Lab) -> Case:
    """One trial at a load beyond or below what a policer lets pass."""
    limit, burst = draw.randint(2000, 9000), draw.choice([10, 100])
    offered, size = draw.choice([1000, 5000, 10_000]), draw.choice([64, 512])
    stream, duration = lab.north(offered, size), Duration(3 * 10**8)
    with _dropping(lab, f"limit rate over {limit}/second burst {burst} packets") as rules:
        measurer = _Beginning(lab, [stream], rules)
        trial = measurer.measure(measurer.load, duration)
        counted = rules.packets()
    forwarded = Fraction((counted["seen"] - counted["dropped"]) * 10**9, duration.ns)
    unit = draw.choice([RateUnit.PPS, RateUnit.L2])
    scale = Fraction(1 if unit is RateUnit.PPS else 8 * size)
    bound = near(draw, forwarded * scale, scale * 10**9 / duration.ns) or scale
    reached = forwarded * scale >= bound
    truth = None if reached == bool(counted["dropped"]) else reached
    excuse = "" if truth is not None else "no more was offered, or some was lost"
    about = f"bound {bound} {unit}; {limit}/s burst {burst}, offered {offered}/s; {counted}"
    return Case("throughput_above", truth, throughput_above(trial, Rate(bound, unit)), excuse, about)


class _Beginning(TrialMeasurer):
    """The counters of the kernel begin again with each trial, and a policer's bucket is full."""

    def __init__(self, lab: Lab, streams: Sequence[Stream], rules: Rules) -> None:
        super().__init__(lab.tester, streams)
        self._rules = rules

    def _once(self, streams: Sequence[Stream], duration: Duration, leads: bool) -> Trial:
        time.sleep(0.1)
        self._rules.reset()
        return super()._once(streams, duration, leads)


@judge_at(BRIDGE, slow=True)
def throughput(draw: random.Random, lab: Lab) -> Case:
    """A policer with a bucket that is full at the start of each trial: what passes is known before."""
    limit, burst = draw.randint(1500, 12_000), 100
    line = lab.tester.ports["p1"].speed.frames_per_second(64)
    highest = Fraction(15_000) / line
    search = ThroughputSearch(
        resolution=Ratio(highest / 20),
        lowest=Ratio(highest / 20),
        highest=Ratio(highest),
        trial_duration=Duration(4 * 10**8),
        scout_duration=Duration(4 * 10**8),
    )
    with _dropping(lab, f"limit rate over {limit}/second burst {burst} packets") as rules:
        result = find_throughput(_Beginning(lab, [lab.north(15_000, 64)], rules), search)
    most = limit + Fraction(burst * 10**9, search.trial_duration.ns)
    step = search.resolution.value * line
    bound = max(Fraction(1), most + draw.choice([-3, -2, 2, 3, Fraction(draw.randint(-200, 200), 10)]) * step)
    bound = min(bound, Fraction(20_000))
    reached = bound <= most
    excuse = ""
    if abs(bound - most) < 2 * step:
        excuse = "between two loads of the search"
    elif bound > 15_000 - step and most > 15_000 - 2 * step:
        excuse = "the highest load of the search"
    verdict = result.verdict_above(Rate(bound, RateUnit.PPS))
    return Case(
        "find_throughput", reached, verdict, excuse, f"bound {bound}; {limit}/s burst {burst}; {result}"
    )


@judge_at(BRIDGE, slow=True)
def queue(draw: random.Random, lab: Lab) -> Case:
    """A token bucket with a short queue; the kernel's queue counts its drops."""
    rate, offered = draw.choice([20, 60, 100]), draw.choice([30, 80, 120])
    lab.inside(*f"tc qdisc replace dev p2 root tbf rate {rate}mbit burst 15000 limit 20000".split())
    try:
        begun = [0]

        def begin() -> None:
            begun[0] = _dropped(lab)

        stream = lab.north(Fraction(offered * 10**6, 8 * 1024), 1024)
        trial = lab.sent([stream], draw.randint(1000, 6000), begin)
        dropped = _dropped(lab) - begun[0]
    finally:
        lab.inside("tc", "qdisc", "delete", "dev", "p2", "root")
    part = Fraction(dropped, trial.sent)
    about = f"{rate} Mbps, offered {offered} Mbps; {dropped} dropped"
    return loss_case(draw, trial, part, about)


def _dropped(lab: Lab) -> int:
    shown = json.loads(lab.inside("tc", "-s", "-j", "qdisc", "show", "dev", "p2"))
    return sum(one["drops"] for one in shown if one["kind"] == "tbf")


@judge_at(BRIDGE, slow=True)
def interval(draw: random.Random, lab: Lab) -> Case:
    """Each so-manieth frame is dropped, so every interval loses that part, to within a frame."""
    every = draw.choice([0, 0, 10, 50])
    traffic = lab.bed.traffic
    with _dropping(lab, f"numgen inc mod {every} == 0" if every else _NOTHING) as rules:
        traffic.start([lab.north(5000)])
        traffic.start_monitoring(_FIFTH)
        time.sleep(1)
        traffic.stop([])
        result = traffic.stop_monitoring()
        counted = rules.packets()
    part = Fraction(1, every) if every else Fraction(0)
    bound = draw.choice([part / 2, part * 3 / 2, part * 10, Fraction(0), Fraction(1, 1000)])
    if counted["dropped"] == 0:
        part = Fraction(0)
    about = f"bound {bound}; each {every}-th; {counted}"
    return Case(
        "interval loss", part <= bound, result.verdict_below(Ratio(min(Fraction(1), bound))), "", about
    )
