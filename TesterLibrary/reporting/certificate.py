# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The certificate: what a person signs.

One HTML file that needs no other, made from the records alone: the same records always give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..measurement.calibration import Calibration
from ..measurement.departure import GapError
from ..measurement.latency import Latency
from ..measurement.order import Order
from ..measurement.trial import Trial
from ..methodology.monitoring import MonitoringResult
from ..methodology.result import Result
from ..methodology.throughput import LimitedBy, ThroughputResult
from ..model.units import Bandwidth
from ..verdict import Verdict
from . import plots
from .codec import decode
from .records import Records, ResultRecord, TestRecord
from .render import image, render

_UNKNOWN = dict.fromkeys(("name", "vendor", "model", "version", "description", "layer"), "")
_NOT_OPENED = {"target": "was not opened", "version": "", "details": "", "ports": ()}
_IN_WORDS = (
    "blind_delay",
    "order",
    "outage",
    "monitoring",
    "sessions",
    "maximum",
    "learning",
    "token_bucket",
)
_WORST_FIRST = ("FAIL", "ERROR", "INCONCLUSIVE", "PASS")


@dataclass(frozen=True)
class Cell:
    """A test in the table of a testbed."""

    outcome: str
    verdicts: tuple[Verdict, ...]
    message: str


@dataclass(frozen=True)
class Figure:
    """A plot; `text` says the same for those who cannot see it."""

    title: str
    source: str
    text: str


@dataclass(frozen=True)
class Section:
    """One testbed: who was tested by what, how it went, what the tester says of itself."""

    name: str
    dut: Mapping[str, Any]
    description: str
    tester: Mapping[str, Any]
    ports: Sequence[Mapping[str, Any]]
    seed: int | None
    notes: tuple[str, ...]  # on how the testbed was set up
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]
    limited_by_tester: tuple[str, ...]  # frame sizes whose throughput tells more of the tester
    figures: tuple[Figure, ...]
    findings: tuple[str, ...]  # of what has no figure: blind delay, order, outages, intervals
    order: Order  # of all frames of valid trials
    calibration: Calibration | None
    evidence: EvidenceSummary


@dataclass(frozen=True)
class EvidenceSummary:
    """The tester's part in all trials of a testbed: the worst value of each kind."""

    trials: int
    invalid: int
    repeated: int
    sent: int
    received: int
    worst_shortfall: Fraction
    worst_rate_error: Fraction
    gap_error: GapError
    tester_drops: int
    worst_gap_ns: int
    worst_drift: Fraction
    objections: tuple[tuple[str, int], ...]  # one of each kind, and how many of it there are

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> EvidenceSummary:
        """Drops, gaps and errors are those of the valid trials: invalid ones support no verdict."""
        proof = [t.evidence for t in trials if t.valid]
        zero = Fraction(0)
        return cls(
            trials=len(trials),
            invalid=sum(not t.valid for t in trials),
            repeated=sum(t.attempt > 1 for t in trials),
            sent=sum(t.sent for t in trials),
            received=sum(t.received for t in trials),
            worst_shortfall=max((e.shortfall for e in proof), default=zero),
            worst_rate_error=max((abs(e.rate_error) for e in proof), default=zero),
            gap_error=GapError.merged(s.counters.departures for t in trials if t.valid for s in t.streams),
            tester_drops=sum(e.rx_missed + e.kernel_dropped for e in proof),
            worst_gap_ns=max((e.worst_worker_gap_ns for e in proof), default=0),
            worst_drift=max((abs(e.clock_drift) for e in proof), default=zero),
            objections=_by_kind([objection for trial in trials for objection in trial.objections]),
        )


def _by_kind(objections: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Texts that differ in nothing but their numbers are of one kind."""
    kinds: dict[str, list[str]] = {}
    for text in objections:
        kinds.setdefault(re.sub(r"[-+]?[0-9][0-9.,]*", "0", text), []).append(text)
    return tuple((texts[0], len(texts)) for texts in kinds.values())


def overall(outcomes: Sequence[str]) -> str:
    """The worst of all outcomes. Without any there is nothing to certify: ERROR."""
    return next((o for o in _WORST_FIRST if o in outcomes), "ERROR")


def write(records: Records, path: Path) -> Path:
    """Puts the certificate of these records there."""
    path.write_text(certificate(records), encoding="utf-8")
    return path


def certificate(records: Records) -> str:
    """The certificate as HTML."""
    outcomes = records.outcomes()
    return render(
        "certificate.html",
        run=records.run,
        title=records.agenda.title if records.agenda else "Test run",
        overall=overall(outcomes),
        counts={o: outcomes.count(o) for o in _WORST_FIRST if o in outcomes},
        sections=tuple(_sections(records)),
        not_passed=tuple(t for t in records.tests if t.outcome != "PASS"),
        not_run=records.not_run,
        events=records.events,
        cut=records.cut,
        ended_at=max((t.started_at for t in records.tests), default=""),
    )


def _sections(records: Records) -> Iterator[Section]:
    testers = {t["testbed"]["name"]: t for t in records.run["testers"]}
    for name in dict.fromkeys([*testers, *(_testbed(records, t) for t in records.tests)]):
        opened = testers.get(name, {"testbed": {}, "tester": _NOT_OPENED, "seed": None})
        tests = [t for t in records.tests if _testbed(records, t) == name]
        columns = tuple(dict.fromkeys(_leaf(t.suite) for t in tests))
        cells = {(t.test, _leaf(t.suite)): Cell(t.outcome, records.verdicts_of(t), t.message) for t in tests}
        names = dict.fromkeys(t.test for t in tests)
        trials = [t.trial for t in records.trials if t.place.testbed == name]
        results = _by_procedure([r for r in records.results if r.place.testbed == name])
        yield Section(
            name=name,
            dut={**_UNKNOWN, **opened["testbed"].get("dut", {})},
            description=opened["testbed"].get("description", ""),
            tester=opened["tester"],
            ports=opened["tester"].get("ports", ()),
            seed=opened["seed"],
            notes=tuple(opened.get("notes", ())),
            columns=columns,
            rows=tuple((n, tuple(cells.get((n, column)) for column in columns)) for n in names),
            limited_by_tester=tuple(
                f"{size} bytes"
                for size, result in results.get("throughput", {}).items()
                if isinstance(result, ThroughputResult) and result.limited_by is LimitedBy.TESTER
            ),
            figures=(*_figures(results, opened["testbed"]), *_series(records, name)),
            findings=tuple(dict.fromkeys(_findings(records, name))),
            order=Order.merged(t.order for t in trials if t.valid),
            calibration=decode(Calibration, found) if (found := opened.get("calibration")) else None,
            evidence=EvidenceSummary.of(trials),
        )


def _testbed(records: Records, test: TestRecord) -> str:
    """A test whose tester could not be opened has no testbed of its own; the agenda knows it."""
    index = records.agenda.position(test.suite, test.test) if records.agenda and not test.testbed else None
    return records.agenda.items[index].testbed if records.agenda and index is not None else test.testbed


def _leaf(suite: str) -> str:
    return suite.rpartition(".")[2]


def _by_procedure(results: Sequence[ResultRecord]) -> dict[str, dict[int, Result]]:
    """One result for each procedure and frame size, by ascending size.

    Of each test only the last one counts: a throughput that was found for a latency led to it.
    """
    last = {(r.place.suite, r.place.test): r for r in results if r.result.trials}
    found: dict[str, dict[int, Result]] = {}
    for record in sorted(last.values(), key=_frame_size):
        found.setdefault(record.procedure, {})[_frame_size(record)] = record.result
    return found


def _frame_size(record: ResultRecord) -> int:
    return record.result.trials[0].streams[0].frame_size


def _figures(results: Mapping[str, Mapping[int, Result]], testbed: Mapping[str, Any]) -> Iterator[Figure]:
    for procedure, make in (("throughput", _throughput), ("latency", _latency), ("frame_loss", _frame_loss)):
        if procedure in results:
            yield make(results[procedure], testbed)


def _series(records: Records, testbed: str) -> Iterator[Figure]:
    """Traffic that was watched while it ran, as it went."""
    for record in records.results:
        result = record.result
        if record.place.testbed == testbed and isinstance(result, MonitoringResult) and result.intervals:
            yield Figure(
                f"Intervals of {result.title}", image(plots.interval_series(result.intervals)), str(result)
            )


def _findings(records: Records, testbed: str) -> Iterator[str]:
    for record in records.results:
        if record.place.testbed == testbed and record.procedure in _IN_WORDS:
            yield str(record.result)


def _throughput(results: Mapping[int, Result], testbed: Mapping[str, Any]) -> Figure:
    found = [(size, r.judged[-1].received_rate) for size, r in results.items() if r.judged]
    speed = min((p["speed"]["bps"] for p in testbed.get("ports", ())), default=0)
    line = [(size, float(Bandwidth(speed).frames_per_second(size))) for size in results] if speed else []
    rates = {**dict.fromkeys(results, 0.0), **dict(found)}
    text = "; ".join(f"{size} bytes: {rate:,.0f} frames/s" for size, rate in rates.items())
    return Figure("Throughput", image(plots.throughput_vs_size({"measured": found}, line)), text)


def _latency(results: Mapping[int, Result], _: Mapping[str, Any]) -> Figure:
    merged = {
        size: Latency.merged(t.latency.counters for t in r.judged if t.valid) for size, r in results.items()
    }
    measured = {size: latency for size, latency in merged.items() if latency.count}
    statistics = {
        name: [(size, value) for size, latency in measured.items() if (value := latency.percentile(percent))]
        for name, percent in (("max", 100), ("p99", 99), ("p50", 50))
    }
    statistics["min"] = [(size, float(latency.min or 0)) for size, latency in measured.items()]
    text = "; ".join(f"{size} bytes: {latency}" for size, latency in measured.items())
    return Figure("Latency", image(plots.latency_vs_size(statistics)), text)


def _frame_loss(results: Mapping[int, Result], _: Mapping[str, Any]) -> Figure:
    series = {f"{size} bytes": r.trials for size, r in results.items()}
    worst = {
        label: max((t.loss_ratio for t in trials if t.valid), default=0.0) for label, trials in series.items()
    }
    text = "; ".join(f"{label}: {loss:.3%} at most" for label, loss in worst.items())
    return Figure("Frame loss", image(plots.loss_vs_load(series)), text)
