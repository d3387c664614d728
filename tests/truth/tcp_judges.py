# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on TCP over a line of known rate and delay (RFC 6349), and on the longest packet that arrives."""

from __future__ import annotations

import random
from fractions import Fraction
from math import inf

from TesterLibrary.methodology.path_mtu import PathMtuSearch, find_path_mtu
from TesterLibrary.methodology.tcp_throughput import TransferPlan, measure_tcp_throughput
from TesterLibrary.model.units.units import Bandwidth, Ratio
from TesterLibrary.verdict import Verdict
from tests.unit.methodology.test_path_mtu import SimulatedPath
from tests.unit.methodology.transfers import SEGMENTS, SimulatedLine

from .case import Case, judge, near

_CLOSE = Fraction(1, 100)  # whole microseconds of a few round trips, and the error of a time of connections


@judge
def tcp_throughput(draw: random.Random) -> Case:
    """One of the four figures of a transfer; the simulation's own times are the truth."""
    bps, trip_us = draw.randint(10**6, 10**9), draw.randint(2_000, 100_000)
    lose_every = draw.choice([0, 0, draw.randint(2, 40)])
    broken, fault = int(draw.random() < 0.1), draw.random() < 0.08
    connections = draw.choice([1, 1, 3])
    objections = ("a worker did not run for 90 ms",) if fault else ()
    line = SimulatedLine(bps, trip_us, lose_every=lose_every, broken=broken, objections=objections)
    octets = connections * 100 * SEGMENTS.payload
    window = Fraction(draw.randint(1, 16), 4)
    plan = TransferPlan(Bandwidth(bps), (window,), connections=connections, octets=octets)
    result = measure_tcp_throughput(line, plan)
    over_ns, trips, frames = line._sent(connections, octets // connections, line.windows[0] // connections)
    ideal_ns = Fraction(100 * connections * 1518 * 8 * 10**9, bps)
    baseline_ns = trip_us * 1000
    value: Fraction | float
    verdict: Verdict
    which = draw.choice(["throughput", "time ratio", "efficiency", "buffer delay"])
    if which == "throughput":
        value = Fraction(0) if broken else Fraction(octets * 8 * 10**9, over_ns)
        bound: Fraction = max(Fraction(1), near(draw, value or Fraction(1000), value / 20 + 1))
        verdict, holds = result.throughput_above(Bandwidth(int(bound))), value >= int(bound)
    elif which == "time ratio":
        value = inf if broken else over_ns / ideal_ns
        bound = near(draw, over_ns / ideal_ns, Fraction(1, 20))
        verdict, holds = result.time_ratio_below(bound), value <= bound
    elif which == "efficiency":
        value = Fraction(100 * connections, len(frames))
        bound = min(Fraction(1), near(draw, value, Fraction(1, 1000)))
        verdict, holds = result.efficiency_above(Ratio(bound)), value >= bound
    else:
        value = sum(trips, Fraction(0)) / len(trips) / baseline_ns - 1
        bound = near(draw, value, Fraction(1, 10))
        verdict, holds = result.buffer_delay_below(bound), value <= bound
    excuse = "the tester" if fault else ""
    if value != inf and which != "efficiency":
        scale = max(abs(Fraction(value)), bound, Fraction(1) if which == "buffer delay" else Fraction(0))
        if abs(Fraction(value) - bound) <= _CLOSE * scale + (1 if which == "throughput" else 0):
            excuse = excuse or "closer to the bound than its error"
    if which == "efficiency" and broken:
        excuse = excuse or "a transfer that broke leaves open what was sent once"
    about = f"{which} bound {float(bound):.6g}; {float(value):.6g}; {bps=} {trip_us=} {window=} {broken=}"
    return Case(f"tcp_{which.replace(' ', '_')}", holds, verdict, excuse, about)


@judge
def path_mtu(draw: random.Random) -> Case:
    """A path that drops longer packets without a word, and sometimes others."""
    mtu, loss, broken = draw.randint(400, 1600), draw.choice([0.0, 0.5]), draw.random() < 0.08
    result = find_path_mtu(SimulatedPath(mtu, loss, broken), PathMtuSearch(576, 1500))
    bound = max(1, draw.choice([mtu, mtu + 1, mtu - 1, 1500, 576]))
    excuse = "the tester" if broken else ""
    if bound > 1500 or (mtu < 576 and bound < 576):
        excuse = excuse or "beyond the sizes that were tried"
    return Case("path_mtu", mtu >= bound, result.verdict_above(bound), excuse, f"bound {bound}; {mtu=}")
