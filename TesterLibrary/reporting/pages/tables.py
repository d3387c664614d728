# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The records of a run as tables: tests, trials, streams, intervals, verdicts and events.

What a tester did not count is NULL, never 0.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...measurement.delays.latency import Latency
from ...measurement.session_trial import SessionTrial
from ...methodology.maximum import MaximumResult
from ...methodology.monitoring import MonitoringResult
from ...methodology.sessions import SessionResult
from ..record.durable import make_directory, write_file
from ..record.record_place import RecordPlace
from ..record.records import Records, ResultRecord

Row = tuple[Any, ...]
_PLACE = {"testbed": "text", "suite": "text", "test": "text"}
_LATENCY = {f"latency_{name}_ns": "double" for name in ("min", "mean", "p50", "p99", "p99_9", "max")}
_ORDER = ("received", "lost", "duplicated", "reordered", "late", "corrupted", "misrouted")


@dataclass(frozen=True)
class Table:
    """A kind of record as rows of columns."""

    columns: Mapping[str, str]  # with the type that SQL has for each
    rows: Callable[[Records], Iterator[Row]]


def _place(place: RecordPlace) -> Row:
    return place.testbed, place.suite, place.test


def _latency(latency: Latency) -> Row:
    percentiles = (latency.percentile(percent) for percent in (50, 99, 99.9))
    return latency.min, latency.mean, *percentiles, latency.max


def _tests(records: Records) -> Iterator[Row]:
    for t in records.tests:
        yield t.testbed, t.suite, t.test, t.outcome, t.said, t.started_at, t.elapsed_s


def _trials(records: Records) -> Iterator[Row]:
    for record in records.trials:
        trial = record.trial
        yield (
            *_place(record.place),
            trial.number,
            trial.attempt,
            record.seed,
            trial.started_at,
            float(trial.load),
            trial.duration_ns / 1e9,
            trial.valid,
            "; ".join(trial.objections),
            trial.sent,
            trial.received,
            trial.lost,
            trial.loss_ratio,
            trial.achieved_rate,
            trial.received_rate,
            trial.throughput_bps,
            *_latency(trial.latency),
        )


def _streams(records: Records) -> Iterator[Row]:
    for record in records.trials:
        for stream in record.trial.streams:
            yield (
                *_place(record.place),
                record.trial.number,
                record.trial.attempt,
                stream.name,
                stream.tx_port,
                stream.rx_port,
                stream.frame_size,
                float(stream.intended_rate),
                stream.counters.tx_packets,
                *(getattr(stream.order, name) for name in _ORDER),
                *_latency(stream.latency),
            )


def _intervals(records: Records) -> Iterator[Row]:
    for record in records.results:
        if isinstance(record.result, MonitoringResult):
            for each in record.result.intervals:
                yield (
                    *_place(record.place),
                    record.result.title,
                    each.number,
                    each.start_ns,
                    each.end_ns,
                    each.sent,
                    each.received,
                    each.known_lost,
                    None if each.known_loss is None else float(each.known_loss),
                    each.received_rate,
                    each.throughput_bps,
                    each.delay_ns,
                    each.delay_bound_ns,
                )


def _verdicts(records: Records) -> Iterator[Row]:
    for record in records.verdicts:
        verdict = record.verdict
        bounds = (None if value is None else float(value) for value in (verdict.least, verdict.most))
        texts = (verdict.subject, verdict.measured, verdict.bound, verdict.reason)
        yield (*_place(record.place), record.at, verdict.outcome.value, *texts, *bounds, record.caught_by)


def _events(records: Records) -> Iterator[Row]:
    for record in records.events:
        facts = record.facts
        named = (facts.get("mark"), facts.get("tester_ns"), facts.get("reason"))
        whole = json.dumps(facts, ensure_ascii=False)
        yield (*_place(record.place), facts.get("at"), record.event, *named, whole)


TABLES: Mapping[str, Table] = {
    "tests": Table(
        {**_PLACE, "outcome": "text", "said": "text", "started_at": "text", "elapsed_s": "double"}, _tests
    ),
    "trials": Table(
        {
            **_PLACE,
            "trial": "bigint",
            "attempt": "bigint",
            "seed": "hugeint",
            "started_at": "text",
            "load": "double",
            "duration_s": "double",
            "valid": "boolean",
            "objections": "text",
            "sent": "hugeint",
            "received": "hugeint",
            "lost": "hugeint",
            "loss_ratio": "double",
            "achieved_rate_pps": "double",
            "received_rate_pps": "double",
            "throughput_bps": "double",
            **_LATENCY,
        },
        _trials,
    ),
    "streams": Table(
        {
            **_PLACE,
            "trial": "bigint",
            "attempt": "bigint",
            "stream": "text",
            "tx_port": "text",
            "rx_port": "text",
            "frame_size": "bigint",
            "intended_rate_pps": "double",
            "sent": "hugeint",
            **dict.fromkeys(_ORDER, "hugeint"),
            **_LATENCY,
        },
        _streams,
    ),
    "intervals": Table(
        {
            **_PLACE,
            "traffic": "text",
            "number": "bigint",
            "start_ns": "hugeint",
            "end_ns": "hugeint",
            "sent": "hugeint",
            "received": "hugeint",
            "lost": "hugeint",
            "loss_ratio": "double",
            "received_rate_pps": "double",
            "throughput_bps": "double",
            "delay_ns": "double",
            "delay_bound_ns": "double",
        },
        _intervals,
    ),
    "verdicts": Table(
        {
            **_PLACE,
            "recorded_at": "text",
            "outcome": "text",
            "subject": "text",
            "measured": "text",
            "bound": "text",
            "reason": "text",
            "least": "double",
            "most": "double",
            "caught_by": "text",
        },
        _verdicts,
    ),
    "events": Table(
        {
            **_PLACE,
            "recorded_at": "text",
            "event": "text",
            "mark": "text",
            "tester_ns": "hugeint",
            "reason": "text",
            "facts": "text",
        },
        _events,
    ),
}
"""The tables by their names."""


def write_tables(records: Records, folder: Path) -> tuple[Path, ...]:
    """Writes each table as CSV, `trials.csv` and so on; NULL is empty. RecordError if that is impossible."""
    make_directory(folder)
    made = []
    for name in TABLES:
        made.append(folder / f"{name}.csv")
        write_file(made[-1], table_text(name, records))
    return tuple(made)


def table_text(name: str, records: Records) -> str:
    """A table as CSV; NULL is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(TABLES[name].columns)
    writer.writerows(TABLES[name].rows(records))
    return text.getvalue()


@dataclass(frozen=True)
class SessionRow:
    """The connections of one measurement; of a search those at its maximum."""

    test: str
    trial: SessionTrial

    @property
    def connection_rate(self) -> str:
        """Connections established each second."""
        rate = self.trial.connection_rate
        return "not measured" if rate is None else f"{rate:,.4g}/s"


def session_rows(results: Sequence[ResultRecord]) -> tuple[SessionRow, ...]:
    """The rows of results that have connections."""
    return tuple(_rows(results))


def _rows(results: Sequence[ResultRecord]) -> Iterator[SessionRow]:
    for record in results:
        if isinstance(record.result, SessionResult | MaximumResult):
            yield SessionRow(record.place.test, record.result.trial)
