# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns records and notes of a run into what its page is told: rates of counters, verdicts as sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from ...measurement.interval import Interval
from ...measurement.remarks import finding
from ...measurement.stream_result import StreamResult
from ...measurement.trial import Trial
from ...verdict import Verdict
from ..pages.demonstration import of_run
from ..pages.failures import anchor_of
from ..record.agenda import Agenda
from ..record.codec import decode
from ..record.record_chain import FIELD
from ..record.recorder import NOT_RUN
from ..record.recorder import SCHEMA as RECORD_SCHEMA
from ..record.records import TestRecord, device_text
from .notes import SCHEMA as NOTE_SCHEMA
from .notes import facts_of

NO_RECORD = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    ArithmeticError,
    LookupError,
    RecursionError,
)  # what reading a foreign line ends with

Record = Mapping[str, Any]
Message = dict[str, Any]


class Teller:
    """Makes messages of the records of one run, in the order of their time."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, ...], Record] = {}  # the last counters of what is sending

    def messages(self, kind: str, record: Record) -> Iterator[Message]:
        """The content of a record; one of NO_RECORD if it is no record of this kind."""
        schema = NOTE_SCHEMA if kind == "live" else RECORD_SCHEMA
        if record["schema"] != schema:
            raise ValueError(f"schema {record['schema']}, this version reads {schema}")
        if record["kind"] != kind:
            raise ValueError(f"a record of kind {record['kind']!r}")
        place = {"bed": str(record["testbed"]), "suite": str(record["suite"]), "test": str(record["test"])}
        for message in getattr(self, f"_{kind}")(record):
            yield {"t": milliseconds(record["at"]), **place, **message}

    def _trial(self, record: Record) -> Iterator[Message]:
        trial = decode(Trial, record)
        latency = trial.latency
        yield {
            "type": "trial",
            "number": trial.number,
            "attempt": trial.attempt,
            "load": float(trial.load * 100),
            "seconds": trial.duration_ns / 1e9,
            "valid": trial.valid,
            "said": finding(trial),
            "sent": trial.achieved_rate,
            "received": trial.received_rate,
            "loss": trial.loss_ratio,
            "delay": latency.mean,
            "p99": latency.percentile(99),
            "streams": {stream.name: _of_stream(stream, trial) for stream in trial.streams},
            "ports": _of_ports(trial),
        }

    def _result(self, record: Record) -> Iterator[Message]:
        if record["type"] == "MonitoringResult":
            intervals = [decode(Interval, interval) for interval in record["intervals"]]
            ended = milliseconds(record["at"])
            for interval in intervals:
                before_ms = (intervals[-1].end_ns - interval.end_ns) / 1e6
                yield {**_interval(facts_of(interval)), "t": ended - before_ms}
        yield {"type": "result", "said": str(record["text"])}

    def _verdict(self, record: Record) -> Iterator[Message]:
        verdict = decode(Verdict, record)
        yield {
            "type": "verdict",
            "number": int(record["number"]),
            "outcome": verdict.outcome.value,
            "said": str(verdict),
        }

    def _withdrawal(self, record: Record) -> Iterator[Message]:
        yield {"type": "withdrawal", "verdict": int(record["verdict"]), "by": str(record["by"])}

    def _test(self, record: Record) -> Iterator[Message]:
        test = decode(TestRecord, record)
        seconds = float(test.elapsed_s)
        yield {
            "type": "test",
            "outcome": test.outcome,
            "said": test.said,
            "seconds": seconds,
            "anchor": anchor_of(test.suite, test.test),
        }

    def _event(self, record: Record) -> Iterator[Message]:
        name = str(record["event"])
        if mark := record.get("mark"):
            yield {"type": "mark", "said": str(mark)}
            return
        place = {"kind", "schema", "at", "testbed", "suite", "test", "event", FIELD}
        facts = [f"{key} {_short(value)}" for key, value in record.items() if key not in place]
        said = ", ".join((name.replace("_", " "), *facts))
        yield {"type": "event", "said": said, "left_out": name == NOT_RUN}

    def _live(self, record: Record) -> Iterator[Message]:
        what = record["what"]
        if what == "counters":
            yield self._counters(record)
        elif what == "interval":
            yield _interval(record)
        elif what == "procedure":
            yield {"type": "procedure", "title": str(record["title"]), "trials": record["trials"]}
        elif what in ("test", "procedure_ended", "closed"):
            yield {"type": {"test": "began"}.get(what, what)}
        else:
            raise ValueError(f"a note on {what!r}")

    def _counters(self, record: Record) -> Message:
        """Rates since the last counters of the same job, or since its first frame."""
        job = tuple(str(record[key]) for key in ("testbed", "suite", "test", "job"))
        now = int(record["taken_ns"])
        before = self._jobs.get(job)
        if before and (int(before["taken_ns"]) >= now or int(before["tx"]) > int(record["tx"])):
            before = None
        self._jobs = {job: record}  # jobs come one after the other; two at a time are rated from their begin
        began = record["began_ns"] if before is None else before["taken_ns"]
        spent_ns = 0 if began is None else now - int(began)
        known = {s["name"]: s for s in before["streams"]} if before else {}
        streams = {}
        for stream in record["streams"]:
            earlier = known.get(stream["name"], {})
            streams[str(stream["name"])] = {
                "sent": _rate(stream, earlier, "tx", spent_ns),
                "received": _rate(stream, earlier, "rx", spent_ns),
                "delay": _mean_delay([(stream, earlier)]),
            }
        ports = _port_rates(record, before, spent_ns) if before else {}  # counted since the tester started
        intended = int(record["intended"])
        return {
            "type": "counters",
            "sent": _rate(record, before or {}, "tx", spent_ns),
            "received": _rate(record, before or {}, "rx", spent_ns),
            "delay": _mean_delay([(s, known.get(s["name"], {})) for s in record["streams"]]),
            "part": min(1.0, int(record["tx"]) / intended) if intended else None,
            "streams": streams,
            "ports": ports,
        }


_PORT_RATES = (("sent", "tx"), ("received", "rx"))


def run_message(run: Record, agenda: Agenda | None, name: str) -> Message:
    """The facts that are known of a run before its first record."""
    testers = [
        {
            "bed": str(tester["testbed"]["name"]),
            "device": device_text(tester["testbed"].get("dut") or {}, "version"),
            "tester": " ".join(str(tester["tester"][key]) for key in ("target", "version")),
            "notes": list(map(str, tester["notes"])),
        }
        for tester in run["testers"]
    ]
    items = agenda.items if agenda else ()
    return {
        "type": "run",
        "title": agenda.title if agenda else "Test run",
        "name": name,
        "started": milliseconds(run["started_at"]),
        "profile": str((run.get("profile") or {}).get("name", "")),
        "demonstration": of_run(run),
        "testers": testers,
        "agenda": [{"bed": i.testbed, "suite": i.suite, "test": i.test} for i in items],
    }


def milliseconds(text: str) -> float:
    """A time of a record in milliseconds since 1970. ValueError if it is none."""
    return datetime.fromisoformat(text).timestamp() * 1000


def encoded(message: Record) -> str:
    """A message as JSON. ValueError for a number that JSON has not."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _of_stream(stream: StreamResult, trial: Trial) -> Message:
    counted = stream.counters
    lost = stream.order.lost
    part = None if lost is None else lost / counted.tx_packets if counted.tx_packets else 0.0
    return {
        "sent": stream.achieved_rate,
        "received": counted.rx_packets * 1e9 / trial.duration_ns if stream.measured else None,
        "loss": part,
        "delay": stream.latency.mean,
        "p99": stream.latency.percentile(99),
    }


def _of_ports(trial: Trial) -> Message:
    """Frames per second of the trial's own streams at each port."""
    ports: dict[str, dict[str, float]] = {}
    for stream in trial.streams:
        for port, rate, count in (
            (stream.tx_port, "sent", stream.counters.tx_packets),
            (stream.rx_port, "received", stream.counters.rx_packets),
        ):
            found = ports.setdefault(port, {"sent": 0.0, "received": 0.0})
            found[rate] += count * 1e9 / trial.duration_ns
    return ports


def _interval(facts: Record) -> Message:
    spent_ns = int(facts["end_ns"]) - int(facts["start_ns"])
    return {
        "type": "interval",
        "key": int(facts["start_ns"]),
        "number": int(facts["number"]),
        "seconds": spent_ns / 1e9,
        "delay": facts["delay_ns"],
        "streams": {str(s["name"]): _of_interval(s, spent_ns) for s in facts["streams"]},
        "ports": {
            str(p["name"]): {name: _rate(p, {}, key, spent_ns) for name, key in _PORT_RATES}
            for p in facts["ports"]
        },
        **_of_interval(facts, spent_ns),
    }


def _of_interval(counted: Record, spent_ns: int) -> Message:
    return {
        "sent": _rate(counted, {}, "tx", spent_ns),
        "received": _rate(counted, {}, "rx", spent_ns),
        "loss": None if counted["lost"] is None else int(counted["lost"]) / max(1, int(counted["tx"])),
    }


def _port_rates(now: Record, before: Record, spent_ns: int) -> dict[str, dict[str, float | None]]:
    """Frames per second at the ports that both records have."""
    earlier = {port["name"]: port for port in before["ports"]}
    return {
        str(port["name"]): {
            name: _rate(port, earlier[port["name"]], key, spent_ns) for name, key in _PORT_RATES
        }
        for port in now["ports"]
        if earlier.get(port["name"])
    }


def _rate(now: Record, before: Record, key: str, spent_ns: int) -> float | None:
    """Frames per second between two readings; None if they are not counted, or no time has passed."""
    if now[key] is None:
        return None
    return _per_second(int(now[key]) - int(before.get(key) or 0), spent_ns)


def _per_second(count: int, spent_ns: int) -> float | None:
    return count * 1e9 / spent_ns if spent_ns > 0 else None


def _mean_delay(readings: Sequence[tuple[Record, Record]]) -> float | None:
    """The mean delay of what arrived between two readings of some streams; None if nothing did."""
    frames = sum(int(now["delays"]) - int(before.get("delays", 0)) for now, before in readings)
    total = sum(int(now["delays_ns"]) - int(before.get("delays_ns", 0)) for now, before in readings)
    return total / frames if frames > 0 else None


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 300 else f"{text[:300]} …"
