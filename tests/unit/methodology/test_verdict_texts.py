# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The full text of every verdict, as reports print it: `approved/verdicts.txt` and `approved/assertions.txt`.

Each judge has a line for every way in which it can end. Whoever adds a judge, or a doubt to one, adds lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from assertionengine import AssertionOperator
from robot.libraries.BuiltIn import BuiltIn
from robot.variables import Variables
from robot.variables.evaluation import evaluate_expression

from TesterLibrary.errors import Inconclusive, TesterLibraryError, VerdictFailed
from TesterLibrary.keywords._getter import Getter
from TesterLibrary.keywords._session_getter import SessionGetter
from TesterLibrary.keywords.capture import Captures, CaptureStatistic
from TesterLibrary.measurement.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.capture import CaptureCounters
from TesterLibrary.measurement.correction import Correction
from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.measurement.learning import LearningCheck, LearningTrial
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.measurement.snapshot import (
    DurationCounters,
    LatencyCounters,
    OutageCounters,
    VersionCounters,
    without_signature,
)
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.blind_delay import delay_below
from TesterLibrary.methodology.frame_loss import FrameLossResult, FrameLossSweep
from TesterLibrary.methodology.interval_series import IntervalStatistic, each_as_expected
from TesterLibrary.methodology.judging import latency_below, loss_below, throughput_above
from TesterLibrary.methodology.latency import LatencyMeasurement, LatencyResult
from TesterLibrary.methodology.learning import (
    CacheResult,
    LearningResult,
    all_learned,
    capacity_above,
    learning_rate_above,
)
from TesterLibrary.methodology.maximum import Limit, MaximumResult, MaximumSearch, Quantity
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.methodology.order import reordering_below
from TesterLibrary.methodology.outage import outage_below
from TesterLibrary.methodology.sessions import (
    connection_rate_above,
    even_shares,
    failures_below,
    goodput_above,
    time_below,
)
from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.methodology.token_bucket import TokenBucket, loss_as_predicted
from TesterLibrary.methodology.tolerance import at_least, at_most
from TesterLibrary.model.quantity import Frequency, Octets
from TesterLibrary.model.units import Bandwidth, Duration, Rate, Ratio
from TesterLibrary.targets.tofino.latency import PERCENTILE_ERROR
from TesterLibrary.verdict import Verdict
from tests.approval import Approved
from tests.counted import order_counters, session_statistics
from tests.unit.planning.bench import compiled, stream
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


def losses() -> Iterator[Verdict]:
    yield loss_below([trial()], NONE)
    yield loss_below([trial("100 %")], NONE)
    yield loss_below([trial(capacity=0)], TENTH)
    yield loss_below(
        [trial(counters={"rx_packets": 0, "rx_misrouted": 5, "rx_misrouted_ports": ("p3",)})], NONE
    )
    yield loss_below([trial(tester_limit=10)], NONE)
    yield loss_below([trial(objections=LATE)], NONE)
    yield loss_below([trial(counts=False)], NONE)
    yield loss_below([trial("100 %", counts=False)], NONE)
    yield loss_below([unmeasured()], NONE)
    yield loss_below([unsigned()], NONE)
    yield loss_below([unsigned("100 %")], NONE)
    yield loss_below([], NONE)


def tolerances() -> Iterator[Verdict]:
    """Bounds that pass and fail by 5 %, and their text."""
    five = Ratio.parse("5 %")
    lossless, lossy = trial("20 %"), trial("100 %")
    cache = CacheResult("198.18.0.0/24", (), 1000, 1001, (LearningCheck(1001, 1000, ()),))
    for within in (None, five):
        for rate in ("20.5 %", "300 kpps", "210 Mbps"):
            yield at_least(lambda bound: throughput_above(lossless, bound), Rate.parse(rate), within)
        yield at_most(lambda bound: loss_below([lossy], bound), Ratio.parse("77 %"), within)
        yield at_most(lambda bound: loss_below([lossy], bound), NONE, within)
        yield at_most(lambda bound: latency_below([lossless], bound, 100), Duration(50_000), within)
        yield at_least(lambda bound: capacity_above(cache, bound), 1050, within)


def latencies() -> Iterator[Verdict]:
    yield latency_below([trial()], Duration(MILLISECOND), 99)
    yield latency_below([trial()], Duration(50_000), 100)
    yield latency_below([trial(capacity=0)], Duration(MILLISECOND), 50)
    yield latency_below(
        [trial(delay_objections=("the calibration is 9 h old",))], Duration(MILLISECOND), 99.9
    )
    yield latency_below([trial(objections=LATE)], Duration(MILLISECOND), 99.99)
    # 20 and 80 us: as a switch knows them, and as an engine does whose own delay was taken off
    for bound_us in (19, 20, 21, 79, 80, 81):
        yield latency_below([switched()], Duration(bound_us * 1000), 50 if bound_us < 50 else 99)
    yield latency_below([switched()], Duration(80_000), 100)
    for bound_us in (8, 9, 11, 12):
        yield latency_below([calibrated()], Duration(bound_us * 1000), 50)
    yield latency_below([trial(), switched()], Duration(20_500), 50)


def throughputs() -> Iterator[Verdict]:
    for bound in ("10 %", "100 kpps", "100 Mbps", "100 Mbps L1"):
        yield throughput_above(trial("20 %"), Rate.parse(bound))
    yield throughput_above(trial("100 %"), Rate.parse("50 %"))
    yield throughput_above(trial("20 %"), Rate.parse("50 %"))
    yield throughput_above(trial(objections=LATE), Rate.parse("5 %"))
    search = ThroughputSearch(resolution=TENTH, trial_duration=SECOND, scout_duration=SECOND)
    for tester in (SimulatedBench(64), SimulatedBench(1518), SimulatedBench(64, capacity=0)):
        found = find_throughput(tester, search)
        for bound in ("5 %", "21.5 %", "90 %", "100 %"):
            yield found.verdict_above(Rate.parse(bound))
    limited = find_throughput(SimulatedBench(64, capacity=10**9, tester_limit=700_000), search)
    yield limited.verdict_above(Rate.parse("5 %"))
    yield limited.verdict_above(Rate.parse("90 %"))
    capped = find_throughput(SimulatedBench(1518), replace(search, highest=Ratio(Fraction(1, 2))))
    yield capped.verdict_above(Rate.parse("90 %"))


def delays() -> Iterator[Verdict]:
    yield delay_below([blind(1000, 1000, 2)], Duration(5 * MILLISECOND))
    yield delay_below([blind(1000, 1000, 20)], Duration(5 * MILLISECOND))
    yield delay_below([blind(1000, 681, 2)], Duration(5 * MILLISECOND))
    yield delay_below([blind(1000, 681, 2)], SECOND)
    yield delay_below([unsigned_blind()], SECOND)
    yield delay_below([trial()], SECOND)
    yield delay_below([trial(objections=LATE)], SECOND)


def orders() -> Iterator[Verdict]:
    yield reordering_below([trial()], NONE)
    mixed = {"rx_out_of_order": 12, "order": order_counters(duplicated=3, late=1, extent_max=7)}
    yield reordering_below([trial(counters=mixed)], NONE)
    yield reordering_below([trial(capacity=0)], NONE)
    yield reordering_below([trial(counts=False)], NONE)
    yield reordering_below([unsigned()], NONE)
    yield reordering_below([trial(objections=LATE)], NONE)


def outages() -> Iterator[Verdict]:
    bound = Duration(50 * MILLISECOND)
    gap = OutageCounters(1, 300 * MILLISECOND, 44_000, 300 * MILLISECOND, 10**8, 44_000)
    lossy = {"rx_packets": 148_809 - 44_000, "outages": gap, "order": order_counters(next_sequence=148_809)}
    yield outage_below([trial(counters={"order": order_counters(next_sequence=148_809)})], bound)
    yield outage_below([trial(counters=lossy)], bound)
    yield outage_below([trial(counters=lossy)], SECOND)
    yield outage_below([trial(counters={"rx_packets": 100_000, "order": order_counters(100_000)})], bound)
    yield outage_below([trial("100 %", counts=False)], bound)
    yield outage_below([unsigned("100 %")], bound)
    yield outage_below([trial(objections=LATE)], bound)


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


def intervals() -> Iterator[Verdict]:
    yield monitored(0, 0).verdict_below(NONE)
    yield monitored(0, 7).verdict_below(NONE)
    yield monitored(0, objections=LATE).verdict_below(NONE)
    yield monitored().verdict_below(NONE)
    each: dict[IntervalStatistic, tuple[str, Any, str]] = {
        IntervalStatistic.LOST: ("<=", 0, "<= 0"),
        IntervalStatistic.LOSS: ("<=", TENTH.value, "<= 10 %"),
        IntervalStatistic.RECEIVED_RATE: (">=", 995, ">= 995"),
        IntervalStatistic.THROUGHPUT: (">=", 512_000, ">= 512 kbps"),
        IntervalStatistic.DELAY: ("<=", 2 * MILLISECOND, "<= 2 ms"),
    }
    for statistic, (operator, expected, bound) in each.items():
        for result in (monitored(0, 0), monitored(0, 7), monitored(0, objections=LATE), monitored()):
            yield each_as_expected(result, statistic, AssertionOperator[operator], expected, bound)


def connections(**changes: Any) -> SessionTrial:
    counters = {"tcp.established": 1_234_567, "tcp.goodput_bytes": 0}
    times = {"tcp.time_to_open": DurationCounters(2, 30, 10, 20, {10: 1, 20: 1})}
    facts = {"openings": 1_234_568, "begun": 1_234_568, "failed": 0}
    objections = changes.pop("objections", ())
    due = changes.pop("due", None)
    statistics = session_statistics("users", SECOND.ns, counters, times, **{**facts, **changes})
    return SessionTrial(statistics, due, objections)


def sessions() -> Iterator[Verdict]:
    yield connection_rate_above(connections(), Frequency.parse("1 k/s"))
    yield connection_rate_above(connections(), Frequency.parse("2 M/s"))
    yield connection_rate_above(connections(due=Fraction(1_234_567)), Frequency.parse("2 M/s"))
    yield connection_rate_above(connections(objections=LATE), Frequency.parse("1 k/s"))
    yield goodput_above(connections(), Bandwidth.parse("1 Gbps"))
    yield goodput_above(connections(objections=LATE), Bandwidth.parse("1 Gbps"))
    yield time_below(connections(), "time_to_open", Duration(MILLISECOND), 99)
    yield time_below(connections(), "time_to_open", Duration(1), 99)
    yield failures_below([connections()], NONE)
    yield failures_below([connections(failed=1_234)], NONE)
    yield failures_below([connections(failed=None)], NONE)
    yield failures_below([connections(openings=0, begun=0)], NONE)
    yield failures_below([connections(objections=LATE)], NONE)
    yield even_shares({"one": 1_000, "two": 1_010}, TENTH)
    yield even_shares({"one": 1_000_000, "two": 10}, TENTH)
    yield even_shares({"one": 0, "two": 0}, TENTH)


def maxima() -> Iterator[Verdict]:
    def found(quantity: Quantity, maximum: int, failed: int | None, limit: Limit) -> MaximumResult:
        search = MaximumSearch(quantity, 1_000, 2_000_000, SECOND)
        levels = (maximum, *([failed] if failed else []))
        tried = (connections(), *([connections(objections=LATE)] if failed else []))
        return MaximumResult("users", (), search, maximum, failed, limit, levels, tried)

    for quantity in Quantity:
        yield found(quantity, 1_234_567, None, Limit.SEARCH).verdict_above(1_000, "1,000")
        yield found(quantity, 1_234_567, None, Limit.SEARCH).verdict_above(3_000_000, "3,000,000")
        yield found(quantity, 1_000, 1_250, Limit.DEVICE).verdict_above(2_000, "2,000")
        yield found(quantity, 1_000, 1_250, Limit.DEVICE).verdict_above(1_100, "1,100")
        yield found(quantity, 1_000, 1_250, Limit.TESTER).verdict_above(2_000, "2,000")


def neighbours() -> Iterator[Verdict]:
    def learned(count: int, rate: float = 900, **changes: Any) -> LearningResult:
        return LearningResult(
            "198.18.0.0/24", (), LearningTrial(2_000, count, rate, 2 * SECOND.ns, 10, **changes)
        )

    def held(capacity: int, failed: int | None, *objections: str) -> CacheResult:
        checks = () if failed is None else (LearningCheck(failed, capacity, objections),)
        return CacheResult("198.18.0.0/24", (), capacity, failed, checks)

    yield all_learned(learned(2_000))
    yield all_learned(learned(1_999))
    yield all_learned(learned(1_999, objections=LATE))
    yield learning_rate_above(learned(2_000), Frequency.parse("450 entries/s"))
    yield learning_rate_above(learned(2_000), Frequency.parse("2 k entries/s"))
    yield learning_rate_above(learned(20, 5_000), Frequency.parse("450 entries/s"))
    yield learning_rate_above(learned(20, objections=LATE), Frequency.parse("450 entries/s"))
    yield capacity_above(held(1_024, 1_025), 1_000)
    yield capacity_above(held(1_024, 1_025), 4_096)
    yield capacity_above(held(1_024, None), 4_096)
    yield capacity_above(held(1_024, 1_025, *LATE), 4_096)


def sweeps() -> Iterator[Verdict]:
    lossy = FrameLossResult("north, 64 bytes", (trial("100 %"), trial("10 %")), FrameLossSweep())
    broken = FrameLossResult(
        "north, 64 bytes", (trial("100 %", objections=LATE), trial("10 %")), FrameLossSweep()
    )
    for result in (lossy, broken):
        yield result.verdict_below(NONE)
        yield result.verdict_below(TENTH)
        yield result.verdict_below(NONE, at=TENTH)
    measurement = LatencyMeasurement(TENTH, SECOND, 2)
    for trials in ((trial(), trial()), (trial(), switched()), (trial(), trial(capacity=0)), ()):
        result = LatencyResult("north, 64 bytes", trials, measurement)
        yield result.verdict_below(Duration(20_500), percentile=50)
        yield result.verdict_below(Duration(79_000), percentile=100)


def buckets() -> Iterator[Verdict]:
    # 200 frames of 1,000 bytes at once: the bucket holds 60 and the queue 40 of them
    (planned,) = compiled(stream(frame_size="1004", rate="9 Gbps")).streams
    bucket = TokenBucket(Bandwidth.parse("8 kbps"), burst=Octets(60_000), queue=Octets(40_000))

    def watched(lost: int, again: int | None = 0, objections: tuple[str, ...] = ()) -> MonitoringResult:
        passed = BlindDelay(Passages(200), Passages(200 - lost), SECOND.ns)
        only = StreamInterval("north", 200, 200 - lost, 0, passed, again)
        interval = Interval(1, 0, SECOND.ns, 0, (only,))
        return MonitoringResult("north", (), SECOND.ns, Method.VERSION, "", (interval,), objections)

    for found in (
        watched(100),
        watched(102),
        watched(0),
        watched(99, again=1),
        watched(99, again=3),
        watched(150, again=3),
        watched(100, again=None),
        watched(102, objections=LATE),
    ):
        yield loss_as_predicted(found, planned, 200, bucket, Ratio(Fraction(1, 100)))


JUDGES = (
    losses,
    tolerances,
    latencies,
    throughputs,
    delays,
    orders,
    outages,
    intervals,
    sessions,
    maxima,
    neighbours,
    sweeps,
    buckets,
)


def test_every_verdict_says_what_was_approved(approved: Approved) -> None:
    parts = (f"{judge.__name__}\n" + "\n".join(f"  {verdict}" for verdict in judge()) for judge in JUDGES)
    approved("verdicts", "\n\n".join(parts))


def value_of(getter: Getter, fate: str) -> None:
    """Shows what a getter without an operator returns."""
    raise TesterLibraryError(f"is {getter.order(fate, None, None, None)}")


def asserted(measured: Any, ask: Callable[[Any], Any]) -> str:
    """The text of an asserting getter: of the verdict that it records, or of the suite's mistake."""
    recorded: list[Verdict] = []

    def conclude(verdict: Verdict, message: str | None = None) -> Verdict:
        recorded.append(verdict)
        return verdict.enforce(message)

    session = SimpleNamespace(
        judged=lambda: measured,
        conclude=conclude,
        connections=SimpleNamespace(so_far=lambda _: connections()),
        captures=SimpleNamespace(statistics=lambda name: CaptureCounters(name, captured=7)),
    )
    try:
        ask(session)
    except (VerdictFailed, Inconclusive) as raised:
        return str(recorded[0]) if recorded else str(raised)
    except TesterLibraryError as mistake:
        return f"ERROR: {mistake}"
    return str(recorded[0]) if recorded else "nothing is judged"


def evaluated(_: BuiltIn, expression: str, modules: Any = None, namespace: Any = None) -> Any:
    """Evaluate without a suite that runs."""
    return evaluate_expression(expression, Variables(), modules, namespace)


def test_every_assertion_says_what_was_approved(approved: Approved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BuiltIn, "evaluate", evaluated)
    at_most, equal = AssertionOperator["<="], AssertionOperator["=="]
    lines = []
    trials = {
        "lossless": trial(),
        "lossy": trial("100 %"),
        "invalid": trial(objections=LATE),
        "uncalibrated": trial(delay_objections=OLD),
        "uncounted": trial(counts=False),
        "unmeasured": unmeasured(),
        "deaf": trial(capacity=0),
        "unsigned": unsigned(),
        "switched": switched(),
        "calibrated": calibrated(),
    }
    for name, found in trials.items():
        for label, ask in {
            "loss": lambda session: Getter(session).loss("<=", 0, None, None),
            "loss of north": lambda session: Getter(session).loss("north", equal, "1,188,095", None),
            "loss ratio": lambda session: Getter(session).loss_ratio("<=", "0.001 %", None, None),
            "latency p99": lambda session: Getter(session).latency("p99", at_most, "50 us", None),
            "latency p50": lambda session: Getter(session).latency("p50", at_most, "20.3 us", None),
            "latency pdv50": lambda session: Getter(session).latency("pdv50", equal, "0.1 us", None),
            "latency min": lambda session: Getter(session).latency("min", at_most, "20 us", None),
            "latency mean": lambda session: Getter(session).latency("mean", at_most, "25.5 us", None),
            "latency max": lambda session: Getter(session).latency("max", equal, "80 us", None),
            "duplicated": lambda session: Getter(session).order("duplicated", equal, 0, None),
            "reordered": lambda session: Getter(session).order("reordered", equal, 0, None),
            "misrouted, as a value": lambda session: value_of(Getter(session), "misrouted"),
            "jitter": lambda session: Getter(session).latency("jitter", at_most, "1 ms", None),
        }.items():
            lines.append(f"{name}, {label}: {asserted(found, ask)}")
    mistakes: dict[str, Callable[[Any], Any]] = {
        "a word for a number": lambda session: Getter(session).loss_ratio("<=", "few", None, None),
        "a number with a comma": lambda session: Getter(session).loss("==", "1,5", None, None),
        "a fraction of a frame": lambda session: Getter(session).loss("==", "1.5", None, None),
        "another stream": lambda session: Getter(session).loss("south", at_most, 0, None),
        "a count of connections": lambda session: SessionGetter(session).statistic(
            "users", "established", equal, 1_234_568, None
        ),
        "a count in words": lambda session: SessionGetter(session).statistic(
            "users", "established", equal, "many", None
        ),
        "a time": lambda session: SessionGetter(session).statistic(
            "users", "tcp.time_to_open.max", at_most, "1 ms", None
        ),
    }
    validate = AssertionOperator["validate"]
    mistakes |= {
        "validated": lambda session: Getter(session).order("duplicated", validate, "value == 0", None),
        "validated in vain": lambda session: Getter(session).order("received", validate, "value < 9", None),
        "validated wrong": lambda session: Getter(session).order("duplicated", validate, "value <", None),
        "validated latency": lambda session: Getter(session).latency("p99", validate, "value < 9e4", None),
        "an expression": lambda session: Getter(session).loss("then", "value * 2", None, None),
        "frames of a capture": lambda session: Captures(session).get_capture_statistics(
            "questions", CaptureStatistic.DROPPED, equal, 0
        ),
        "frames of a capture in vain": lambda session: Captures(session).get_capture_statistics(
            "questions", CaptureStatistic.CAPTURED, equal, "1,000"
        ),
    }
    lines += [f"lossless, {label}: {asserted(trials['lossless'], ask)}" for label, ask in mistakes.items()]
    approved("assertions", "\n".join(lines))
