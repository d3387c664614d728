# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials and results that the texts of verdicts are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.delays.correction import Correction
from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.measurement.snapshot import (
    DurationCounters,
    LatencyCounters,
    VersionCounters,
    without_signature,
)
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.targets.tofino.entries.latency import PERCENTILE_ERROR
from TesterLibrary.verdict import Verdict
from tests.counted import session_statistics
from tests.unit.reporting.simulated import SimulatedBench

SECOND = Duration(10**9)
MILLISECOND = 10**6
NONE, TENTH = Ratio(Fraction(0)), Ratio(Fraction(1, 10))
OLD = ("the calibration is 9 h old",)
LATE = ("a worker did not run for 50.0 ms (limit 10.0 ms)",)


def trial(
    load: str = "10 %",
    *,
    capacity: int = 300_000,
    tester_limit: int = 10**9,
    counts: bool = True,
    counters: dict[str, Any] | None = None,
    **changes: Any,
) -> Trial:
    """A trial of one stream, whose counters and objections can be others."""
    tester = SimulatedBench(64, capacity=capacity, tester_limit=tester_limit, counts=counts)
    found = tester.measure(Ratio.parse(load).value, SECOND)
    (stream,) = found.streams
    stream = replace(stream, counters=replace(stream.counters, **(counters or {})))
    return replace(found, streams=(stream,), **changes)


def unmeasured() -> Trial:
    """A trial whose arrivals nobody knows again."""
    found = trial()
    return replace(found, streams=(replace(found.streams[0], measured=False),))


def half_dead(alive: Trial) -> Trial:
    """The trial with a stream more, of which nothing arrived."""
    (dead,) = trial(capacity=0).streams
    return replace(alive, streams=(*alive.streams, replace(dead, name="south")))


def switched() -> Trial:
    """A trial on a switch, whose percentiles are 3.3 % off at most."""
    found = trial()
    return replace(found, streams=(replace(found.streams[0], percentile_error=PERCENTILE_ERROR),))


def calibrated() -> Trial:
    """A trial of a tester that takes 10 us itself, give or take one."""
    found, correction = trial(), Correction(10_000, 1_000, calibrated=True)
    return replace(found, streams=(replace(found.streams[0], correction=correction),))


def unsigned(load: str = "10 %") -> Trial:
    """A trial whose frames cannot be told from each other."""
    return bare(trial(load))


def unsigned_blind() -> Trial:
    return bare(blind(1000, 1000, 2))


def bare(found: Trial) -> Trial:
    (stream,) = found.streams
    counters = replace(without_signature(stream.counters), latency=LatencyCounters())
    return replace(found, streams=(replace(stream, counters=counters, signed=False),))


def blind(sent: int, received: int, delay_ms: int) -> Trial:
    """A trial with sums of times: one frame each millisecond, the last ones lost."""
    left, arrived = range(sent), range(received)
    version = VersionCounters(
        tx_packets=sent,
        tx_time_ns=sum(left) * MILLISECOND,
        rx_packets=received,
        rx_time_ns=sum(at + delay_ms for at in arrived) * MILLISECOND,
    )
    counted = {"tx_packets": sent, "rx_packets": received, "last_tx_ns": 1000 + (sent - 1) * MILLISECOND}
    return trial(counters={"versions": (version, VersionCounters()), **counted})


def monitored(*lost: int, objections: tuple[str, ...] = ()) -> MonitoringResult:
    each = tuple(
        Interval(
            number,
            number * SECOND.ns,
            (number + 1) * SECOND.ns,
            0,
            (
                StreamInterval(
                    "north",
                    1000,
                    1000 - missing,
                    64_000,
                    BlindDelay(Passages(1000), Passages(1000 - missing), SECOND.ns),
                ),
            ),
        )
        for number, missing in enumerate(lost, 1)
    )
    return MonitoringResult("north, 64 bytes", (), SECOND.ns, Method.VERSION, "", each, objections)


def connections(**changes: Any) -> SessionTrial:
    counters = changes.pop("counters", {"tcp.established": 1_234_567, "tcp.bytes_received": 0})
    times = {"tcp.time_to_open": DurationCounters(2, 30, 10, 20, {10: 1, 20: 1})}
    facts = {"openings": 1_234_568, "begun": 1_234_568, "failed": 0}
    objections = changes.pop("objections", ())
    due = changes.pop("due", None)
    statistics = session_statistics("users", SECOND.ns, counters, times, **{**facts, **changes})
    return SessionTrial(statistics, due, objections)


def said(*judges: Callable[[], Iterator[Verdict]]) -> str:
    """The text of every verdict of judges, each a paragraph."""
    parts = (f"{judge.__name__}\n" + "\n".join(f"  {verdict}" for verdict in judge()) for judge in judges)
    return "\n\n".join(parts)
