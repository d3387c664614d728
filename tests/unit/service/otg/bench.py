# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A traffic generator over a fake tester, whose time passes without waiting for it."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.tester import Tester
from TesterLibrary.service.otg.control import TrafficGenerator
from TesterLibrary.service.otg.json_text import parsed, plain
from TesterLibrary.service.otg.laboratory import Laboratory
from TesterLibrary.targets.fake import FakeTarget, fake_port

SPEED = Bandwidth(10**10)


def laboratory() -> Laboratory:
    """Two virtual ports."""
    ports = {name: Port(name, SPEED, fake_port(name).mac, 9216) for name in ("p1", "p2")}
    return Laboratory(ports, {"eth1": "p1"}, frozenset(ports), {"localhost:5555": "p1"})


class Bench:
    """A client's view of a generator."""

    def __init__(self, directory: Path, target: FakeTarget | None = None) -> None:
        self.target = target or FakeTarget()
        self.told: list[str] = []
        lab = laboratory()
        self.tester = Tester(
            self.target,
            self.target.capabilities(),
            dict(lab.ports),
            {},
            Recorder(directory),
            Console(stream=StringIO()),
            clock=Clock(lambda seconds: self.pass_time(seconds), lambda: self.target.now_ns),
        )
        self.generator = TrafficGenerator(self.tester, lab, self.told.append)

    def pass_time(self, seconds: float) -> None:
        """Lets the tester's time pass."""
        self.target.advance(Duration(max(1, round(seconds * 10**9))))

    def now_s(self) -> float:
        """The tester's time."""
        return self.target.snapshot().taken_at_ns / 1e9

    def call(self, name: str, **request: Any) -> Any:
        """The answer to a call, as JSON, or as bytes."""
        kind = self.generator.calls[name].request
        answer = self.generator.call(name, parsed(kind, json.dumps(request).encode()) if kind else None)
        return answer if isinstance(answer, bytes) else plain(answer)

    def transmit(self, state: str, *names: str) -> Any:
        """Starts or stops flows."""
        wanted = {"choice": "flow_transmit", "flow_transmit": {"state": state, "flow_names": list(names)}}
        return self.call("SetControlState", choice="traffic", traffic=wanted)

    def flows(self, *names: str, **more: Any) -> dict[str, Any]:
        """Metrics of flows by name."""
        request = {"flow_names": list(names), **more}
        answer = self.call("GetMetrics", choice="flow", flow=request)
        return {metric["name"]: metric for metric in answer.get("flow_metrics", [])}

    def ports(self, **more: Any) -> dict[str, Any]:
        """Metrics of ports by name."""
        answer = self.call("GetMetrics", choice="port", port=more)
        return {metric["name"]: metric for metric in answer["port_metrics"]}
