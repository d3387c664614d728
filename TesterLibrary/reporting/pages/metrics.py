# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of a run in the OpenMetrics text format, for whatever reads Prometheus: `metrics.prom`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ...measurement.stream_result import StreamResult
from ..record.durable import write_file
from ..record.records import Records, TrialRecord, read

FILE = "metrics.prom"
_GAUGES: dict[str, tuple[str, Callable[[StreamResult], float | int | None]]] = {
    "tester_sent_frames": ("Frames that left the tester", lambda s: s.counters.tx_packets),
    "tester_received_frames": ("Frames that arrived where expected", lambda s: s.order.received),
    "tester_lost_frames": ("Frames that never arrived", lambda s: s.order.lost),
    "tester_duplicated_frames": ("Arrivals beyond the first of a frame", lambda s: s.order.duplicated),
    "tester_reordered_frames": ("Frames out of order, RFC 4737", lambda s: s.order.reordered),
    "tester_latency_min_seconds": ("Least latency", lambda s: _seconds(s.latency.min)),
    "tester_latency_mean_seconds": ("Mean latency", lambda s: _seconds(s.latency.mean)),
    "tester_latency_p99_seconds": ("99th percentile of latency", lambda s: _seconds(s.latency.p99)),
    "tester_latency_max_seconds": ("Greatest latency", lambda s: _seconds(s.latency.max)),
}


def write(directory: Path) -> Path | None:
    """Puts `metrics.prom` beside the records of a run; None where there are none."""
    if not (directory / "run.json").exists():
        return None
    path = directory / FILE
    write_file(path, metrics(read(directory)))
    return path


def metrics(records: Records) -> str:
    """One gauge for each kind of number, one sample for each stream of each trial."""
    return "".join(f"{line}\n" for line in (*_lines(records), "# EOF"))


def _lines(records: Records) -> Iterator[str]:
    for name, (text, value) in _GAUGES.items():
        unit = ["# UNIT " + name + " seconds"] if name.endswith("_seconds") else []
        yield from (f"# TYPE {name} gauge", *unit, f"# HELP {name} {text}")
        for record in records.trials:
            for stream in record.trial.streams:
                if (number := value(stream)) is not None:
                    yield f"{name}{{{_labels(record, stream)}}} {number}"


def _labels(record: TrialRecord, stream: StreamResult) -> str:
    labels = {
        "testbed": record.place.testbed,
        "suite": record.place.suite,
        "test": record.place.test,
        "trial": record.trial.number,
        "attempt": record.trial.attempt,
        "stream": stream.name,
        "valid": str(record.trial.valid).lower(),
    }
    return ",".join(f'{name}="{_escaped(str(value))}"' for name, value in labels.items())


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _seconds(ns: float | None) -> float | None:
    return None if ns is None else ns / 1e9
