# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on intervals, searches, connections and tables of neighbours."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.measurement.learning import LearningTrial
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.measurement.snapshot import VersionCounters
from TesterLibrary.methodology.learning import LearningResult, all_learned, learning_rate_above
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.methodology.sessions import connection_rate_above, failures_below
from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from tests.counted import session_statistics
from tests.unit.methodology.simulated import LINE, SimulatedMeasurer

from .case import Case, judge, near
from .counting import Tester, random_tester, version
from .device import START_NS, Log, random_device

_SECOND = Duration(10**9)


@judge
def interval(draw: random.Random) -> Case:
    tester = random_tester(draw)
    log = random_device(draw, damages=tester.kind != "switch").log()
    edges = sorted({0, log.sent, *(draw.randrange(1, log.sent) for _ in range(draw.randint(1, 5)))})
    parts = list(pairwise(edges))
    lost = [Fraction(_missing(log, *part), part[1] - part[0]) for part in parts]
    worst = max(lost)
    bound = min(Fraction(1), near(draw, worst, Fraction(1, log.sent // len(parts) or 1)))
    result = MonitoringResult(
        title="north",
        trials=(),
        interval_ns=10**9,
        method=Method.VERSION,
        reason="",
        intervals=tuple(_interval(tester, log, number, *part) for number, part in enumerate(parts, 1)),
    )
    excuse = f"counters of the {tester.kind}" if tester.kind != "engine" else ""
    if any(one.again for each in result.intervals for one in each.streams):
        excuse = "copies that nobody assigns to an interval"
    about = f"bound {bound}; {tester}; {log.device}; edges {edges}"
    return Case("interval loss", worst <= bound, result.verdict_below(Ratio(bound)), excuse, about)


def _missing(log: Log, first: int, end: int) -> int:
    return end - first - sum(first <= a.sequence < end for a in log.firsts)


def _interval(tester: Tester, log: Log, number: int, first: int, end: int) -> Interval:
    start_ns, end_ns = log.departure_ns(first), log.departure_ns(end)
    mine = [a.time_ns for a in log.whole if first <= a.sequence < end]
    read_ns = max([end_ns, *mine]) + 1
    stream = StreamInterval.between(
        "north",
        VersionCounters(),
        version(log, log.counted, first, end),
        end_ns - start_ns,
        again=tester.again(log, START_NS if number == 1 else start_ns, read_ns),
    )
    return Interval(number, start_ns, end_ns, read_ns - end_ns, (stream,))


@judge
def search(draw: random.Random) -> Case:
    """A token bucket behind a tester that may have its own limit."""
    capacity = Fraction(draw.randint(1, 1200), 1000)
    bucket = draw.choice([0, 0, 0, draw.randint(1, 100_000)])
    limit = draw.choice([Fraction(2), Fraction(2), Fraction(draw.randint(1, 1000), 1000)])
    collapse = draw.choice([Fraction(1), Fraction(1, 2)])
    late = draw.random() < 0.5
    device = SimulatedMeasurer(capacity, bucket, collapse, tester_limit=limit, late=late)
    wanted = ThroughputSearch(
        resolution=Ratio(Fraction(1, draw.choice([20, 100, 200]))),
        trial_duration=_SECOND,
        scout_duration=Duration(draw.choice([10**8, 10**9])),
    )
    result = find_throughput(device, wanted)
    # The most frames that pass in a trial's time, as part of what the line carries in it.
    most = Fraction(floor(capacity * LINE) + bucket + 1) / LINE
    beside = wanted.resolution.value
    bound = draw.choice(
        [
            most + beside,
            most - beside,
            wanted.load(draw.randint(0, wanted.steps)),
            Fraction(1),
            Fraction(1, 100),
        ]
    )
    bound = min(Fraction(1), max(Fraction(1, 1000), bound))
    reached = ceil(bound * LINE) <= most * LINE
    between = (result.load or 0) < bound < (result.failed_load or Fraction(0))
    lowest = bound < wanted.lowest.value and not reached
    excuse = "between two loads of the search" if between or lowest else ""
    if limit < 1:
        excuse = "the tester has a limit"
    unit = draw.choice([RateUnit.LINE, RateUnit.PPS])
    asked = Rate(bound if unit is RateUnit.LINE else bound * LINE, unit)
    about = f"bound {bound} as {asked}; {device.capacity=} {bucket=} {collapse=} {limit=} {late=}; {wanted}"
    return Case("find_throughput", reached, result.verdict_above(asked), excuse, about)


@judge
def connections(draw: random.Random) -> Case:
    """Each connection is answered, refused or left without an answer, at once or only after the end."""
    openings = draw.randint(0, 400)
    chances = draw.choice(
        [(1, 0, 0, 0), (8, 1, 0, 0), (8, 0, 1, 0), (6, 2, 1, 1), (0, 0, 1, 0), (9, 0, 0, 1)]
    )
    fates = draw.choices(["answered", "failed", "silent", "pending"], chances, k=openings)
    answered, failed = fates.count("answered"), fates.count("failed")
    silent, pending = fates.count("silent"), fates.count("pending")
    tells = draw.choice(["established", "established", "completed", ""])
    duration_ns = draw.choice([10**8, 10**9, 3 * 10**9])
    statistics = session_statistics(
        "users",
        duration_ns,
        {f"tcp.{tells}": answered} if tells else {},
        {},
        openings=openings,
        begun=openings,
        failed=failed if draw.random() < 0.9 else None,
        opens=True,
    )
    knows = bool(tells) and statistics.failed is not None
    waiting = silent + (pending if draw.random() < 0.5 else 0)
    fault = draw.random() < 0.08
    trial = SessionTrial(
        statistics,
        due=Fraction(openings) if draw.random() < 0.5 else None,
        objections=("3 frames were lost in the tester's own rings and interfaces",) if fault else (),
        unanswered=waiting if knows else None,
    )
    excuse = "the tester" if fault else "" if knows else "the tables do not tell"
    about = f"{fates.count('answered')=} {failed=} {silent=} {pending=} {tells=} {duration_ns=} {trial}"
    if draw.random() < 0.5:
        part = Fraction(failed + silent, openings or 1)
        bound = min(Fraction(1), near(draw, part, Fraction(1, openings or 1)))
        truth = part <= bound if openings else None  # those opened just before the end are answered soon
        excuse = excuse or ("" if openings and not silent and not pending else "no answer yet")
        about = f"bound {bound}; {about}"
        return Case("failures_below", truth, failures_below([trial], Ratio(bound)), excuse, about)
    rate = Fraction(answered * 10**9, duration_ns)
    bound = near(draw, rate, Fraction(10**9, duration_ns)) or Fraction(1)
    verdict = connection_rate_above(trial, Frequency(bound))
    if rate < bound and trial.due is not None and not failed:
        excuse = excuse or "no more was asked"
    return Case("connection_rate_above", rate >= bound, verdict, excuse, f"bound {bound}; {about}")


@judge
def learning(draw: random.Random) -> Case:
    """A table with room for so many entries, which learns at a rate; probes come one after the other."""
    addresses, room = draw.randint(1, 500), draw.randint(1, 600)
    learned = min(addresses, room) if draw.random() < 0.9 else 0
    probing_ns = draw.choice([1_000, 10**6, 10**8])
    each_ns = draw.randint(10**5, 10**7)
    true_ns = max(1, learned * each_ns)
    fault = draw.random() < 0.08
    trial = LearningTrial(
        addresses=addresses,
        learned=learned,
        announced_rate=draw.choice([2e9, 1.05e9]) / each_ns,
        learning_ns=true_ns + draw.randint(0, probing_ns) if learned else 0,
        probing_ns=probing_ns,
        objections=("a worker did not run for 90 ms",) if fault else (),
    )
    result = LearningResult("table", (), trial)
    excuse = "the tester" if fault else ""
    if draw.random() < 0.4:
        return Case("all_learned", learned == addresses, all_learned(result), excuse, str(trial))
    rate = Fraction(learned * 10**9, true_ns)
    bound = near(draw, rate, rate / 1000) or Fraction(1)
    seen = Fraction(learned * 10**9, trial.learning_ns) if learned else Fraction(0)
    if seen < bound <= Fraction(learned * 10**9, max(1, trial.learning_ns - probing_ns)):
        excuse = excuse or "between two probes"
    if rate < bound:
        excuse = excuse or ("no more was announced" if learned == addresses else "")
    verdict = learning_rate_above(result, Frequency(bound))
    return Case(
        "learning_rate_above",
        learned == addresses and rate >= bound,
        verdict,
        excuse,
        f"bound {bound}; {true_ns=} {probing_ns=} {trial}",
    )
