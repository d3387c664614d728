# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A small run with every outcome and with zeros: nothing lost, nothing received, nothing judged.

`python -m tests.unit.reporting.golden` writes `reports/golden/` anew, after a change that is meant.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from TesterLibrary.measurement.counter import EVERY_COUNTER, Counter
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.frame_loss import FrameLossSweep, sweep_frame_loss
from TesterLibrary.methodology.latency import LatencyMeasurement, measure_latency
from TesterLibrary.methodology.order import OrderResult, reordering_below
from TesterLibrary.methodology.result import Result
from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.reporting.pages import statement
from TesterLibrary.reporting.pages.certificate import certificate
from TesterLibrary.reporting.record import agenda, recorder
from TesterLibrary.reporting.record.device_answers import record_said
from TesterLibrary.reporting.record.outcome import outcome_of
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.reporting.record.records import Records, read
from TesterLibrary.verdict import Verdict

from .simulated import GIGABIT, SimulatedBench

GOLDEN = Path(__file__).parents[3] / "reports" / "golden"
SECOND = Duration(10**9)
# Not kept: they follow from the classes of counters, and their schema holds them to it.
MADE = ("trials.jsonl", "trial.schema.json")
STATUS = {"PASS": "PASS", "FAIL": "FAIL", "INCONCLUSIVE": "SKIP"}
SEARCH = ThroughputSearch(resolution=Ratio(Fraction(1, 10)), trial_duration=SECOND, scout_duration=SECOND)


@dataclass(frozen=True)
class _Port:
    name: str
    speed: Any = GIGABIT


@dataclass(frozen=True)
class _Dut:
    name: str = "Simulated device"
    kind: str = "simulated"
    vendor: str = ""
    model: str = ""
    version: str = "0"
    layer: int = 2
    description: str = ""


@dataclass(frozen=True)
class _Testbed:
    name: str = "simulated"
    ports: tuple[_Port, ...] = (_Port("p1"), _Port("p2"))
    dut: _Dut = _Dut()


@dataclass(frozen=True)
class _TesterPort:
    name: str
    driver: str = "simulated"
    driver_reason: str = ""
    interface: str = ""


@dataclass(frozen=True)
class _Tester:
    target: str = "simulation"
    version: str = "0"
    details: str = ""
    ports: tuple[_TesterPort, ...] = (_TesterPort("p1"), _TesterPort("p2"))
    counts: frozenset[Counter] = EVERY_COUNTER


class _Recording:
    """A measurer that records what it measures, as the library's own does."""

    def __init__(self, tester: SimulatedBench, records: Recorder) -> None:
        self._tester = tester
        self._records = records

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        trial = self._tester.measure(load, duration)
        self._records.trial(trial)
        return trial


def record_run(evidence: Path) -> None:
    """A run in which every test has a different fate."""
    clock = itertools.count()
    start = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)

    def now() -> str:
        return (start + timedelta(seconds=next(clock))).isoformat(timespec="milliseconds")

    machine = {"system": "Linux", "kernel": "0", "architecture": "none", "processor": "none"}
    numbers = {"processors": 0, "memory_bytes": 0}
    with (
        patch.object(recorder, "wall_clock", now),
        patch.object(recorder, "versions", lambda: {"python": "0"}),
        patch.object(recorder, "executor", dict),
        patch.object(recorder, "describe_machine", lambda: {**machine, **numbers}),
        patch.dict("os.environ", {recorder.RUN_VARIABLE: "0"}),
    ):
        _record(evidence)


def _record(evidence: Path) -> None:
    records = Recorder(evidence)
    records.run(testbed=_Testbed(), capabilities=_Tester(), seed=0)
    record_said(records, "uptime", "before", asked="uptime", said=b"up 0 days\r\n")
    lossless = SimulatedBench(1518, capacity=10**9)
    dead = SimulatedBench(64, capacity=0)
    slow_tester = SimulatedBench(512, tester_limit=0)
    tests: list[tuple[str, str, SimulatedBench, Callable[[Any], tuple[Result, Verdict]]]] = [
        ("Throughput", "1518 Bytes", lossless, _throughput),
        ("Throughput", "64 Bytes", dead, _throughput),
        ("Throughput", "512 Bytes", slow_tester, _throughput),
        ("Latency", "1518 Bytes", lossless, _latency),
        ("Latency", "64 Bytes", dead, _latency),
        ("Frame Loss", "1518 Bytes", lossless, _frame_loss),
        ("Frame Loss", "64 Bytes", dead, _frame_loss),
    ]
    for suite, test, tester, procedure in tests:
        records.begin_test(f"simulated.{suite}", test)
        tester.trials.clear()
        result, verdict = procedure(_Recording(tester, records))
        records.result(result)
        records.verdict(verdict)
        _end(records, STATUS[verdict.outcome.value], str(verdict))
    records.begin_test("simulated.Latency", "512 Bytes")
    records.event("trial_cut_short", number=0, reason="the tester is gone")
    _end(records, "FAIL", "No keyword with name 'Measure <Latency>' found.")
    _asked(records, dead)
    record_said(records, "uptime", "after", asked="uptime", said=b"", failed="ended with status 1")
    _uncounted(records)
    items = [agenda.Item("simulated", f"simulated.{suite}", test, 0) for suite, test, _, _ in tests]
    missing = agenda.Item("simulated", "simulated.Frame Loss", "512 Bytes", 0)
    agenda.write(
        evidence, "Golden run", [*items, agenda.Item("simulated", "simulated.Latency", "512 Bytes"), missing]
    )


def _uncounted(records: Recorder) -> None:
    """Another testbed, whose tester lacks counters: what it does not count is absent, and never 0."""
    records.run(
        testbed=_Testbed("uncounted"), capabilities=_Tester(counts=frozenset({Counter.LATENCY})), seed=0
    )
    tester = SimulatedBench(64, capacity=300_000, counts=False)
    for test, load in (("Nothing Lost", Fraction(1, 10)), ("Something Lost", Fraction(1))):
        records.begin_test("uncounted.Frame Loss", test)
        trial = _Recording(tester, records).measure(load, SECOND)
        result = OrderResult(trial.title, (trial,))
        records.result(result)
        nothing = Ratio(Fraction(0))
        verdicts = (loss_below([trial], nothing), reordering_below([trial], nothing))
        for verdict in verdicts:
            records.verdict(verdict)
        _end(records, STATUS[verdicts[0].outcome.value], str(verdicts[0]))


def _asked(records: Recorder, tester: SimulatedBench) -> None:
    """A suite that asks, and judges nothing."""
    records.begin_test("simulated.Frame Loss", "1024 Bytes")
    records.judgements.begin_keyword()
    records.judgements.begin_keyword()
    trial = _Recording(tester, records).measure(Fraction(1, 2), SECOND)
    records.verdict(loss_below([trial], Ratio(Fraction(0))))
    records.judgements.end_keyword(passed=False)
    caught = records.judgements.end_keyword(passed=True)
    records.withdraw(caught, by="Run Keyword And Return Status")
    _end(records, "PASS", "")


def _end(records: Recorder, status: str, message: str) -> None:
    outcome = outcome_of(status, records.judgements.standing)
    began = "2026-01-02T03:04:05.000+00:00"
    records.end_test(status=status, outcome=outcome, message=message, tags=[], started_at=began, elapsed_s=0)


def _throughput(measurer: Any) -> tuple[Result, Verdict]:
    result = find_throughput(measurer, SEARCH)
    return result, result.verdict_above(Rate.parse("5 %"))


def _latency(measurer: Any) -> tuple[Result, Verdict]:
    result = measure_latency(measurer, LatencyMeasurement(Ratio(Fraction(1, 10)), SECOND, 2))
    return result, result.verdict_below(Duration(0), percentile=50)


def _frame_loss(measurer: Any) -> tuple[Result, Verdict]:
    result = sweep_frame_loss(measurer, FrameLossSweep(trial_duration=SECOND))
    return result, result.verdict_below(Ratio(Fraction(0)))


def without_plots(html: str) -> str:
    """Plots differ from one matplotlib to the next; what they say is in their texts."""
    return re.sub(r'src="data:image/svg[^"]*"', 'src="data:,"', html)


@lru_cache
def golden_records() -> Records:
    """The records of the run."""
    with TemporaryDirectory() as folder:
        record_run(Path(folder) / "evidence")
        return read(Path(folder) / "evidence")


def main() -> None:
    """Writes the golden files."""
    shutil.rmtree(GOLDEN, ignore_errors=True)
    record_run(GOLDEN / "evidence")
    for made in MADE:
        (GOLDEN / "evidence" / made).unlink()
    (GOLDEN / statement.FILE).write_text(statement.statement(golden_records(), {}), encoding="utf-8")
    page = without_plots(certificate(golden_records()))
    (GOLDEN / "certificate.html").write_text(page, encoding="utf-8")
    print(json.dumps(golden_records().outcomes()))


if __name__ == "__main__":
    main()
