# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An Open Traffic Generator on every target: what a client configures is sent, and counted exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.tester import Tester
from TesterLibrary.service.otg.control import TrafficGenerator
from TesterLibrary.service.otg.json_text import parsed, plain
from TesterLibrary.service.otg.laboratory import Laboratory
from tests.unit.service.otg.configs import config, flow

from .rig import Rig

PACKETS = 40


class Client:
    """Calls of a client."""

    def __init__(self, rig: Rig, directory: Path) -> None:
        self.rig = rig
        tester = Tester(
            rig.target,
            rig.target.capabilities(),
            dict(rig.ports),
            {},
            Recorder(directory),
            Console(stream=StringIO()),
            clock=rig.clock,
        )
        self.generator = TrafficGenerator(tester, Laboratory(dict(rig.ports)))

    def call(self, name: str, **request: Any) -> Any:
        kind = self.generator.calls[name].request
        answer = self.generator.call(name, parsed(kind, json.dumps(request).encode()) if kind else None)
        return answer if isinstance(answer, bytes) else plain(answer)

    def transmit(self, state: str) -> None:
        wanted = {"choice": "flow_transmit", "flow_transmit": {"state": state}}
        self.call("SetControlState", choice="traffic", traffic=wanted)

    def ended(self) -> dict[str, Any]:
        """Counts of flows once all have ended; rates and losses are those of a machine that may be busy."""
        wanted = {"metric_names": ["transmit", "frames_tx", "frames_rx", "bytes_tx"]}
        for _ in range(600):
            found = self.call("GetMetrics", choice="flow", flow=wanted)["flow_metrics"]
            if all(metric["transmit"] == "stopped" for metric in found):
                return {metric["name"]: metric for metric in found}
            self.rig.pass_time(0.05)
        raise AssertionError(found)


@pytest.fixture
def client(rig: Rig, tmp_path: Path) -> Iterator[Client]:
    client = Client(rig, tmp_path)
    yield client
    client.generator.close()


def limited(name: str, tx: str = "one", rx: str = "two", **more: Any) -> Any:
    limit = {"choice": "fixed_packets", "fixed_packets": {"packets": PACKETS}}
    ends = {"choice": "port", "port": {"tx_name": tx, "rx_names": [rx]}}
    rate = {"choice": "pps", "pps": 1000}
    return flow(name, tx_rx=ends, duration=limit, rate=rate, metrics={"enable": True, "loss": True}, **more)


def test_flows_both_ways_are_counted_exactly(client: Client) -> None:
    client.call("SetConfig", **config(limited("north"), limited("south", "two", "one")))
    for _ in range(2):  # a second start counts anew
        client.transmit("start")
        found = client.ended()
        for name in ("north", "south"):
            assert (found[name]["frames_tx"], found[name]["frames_rx"]) == (PACKETS, PACKETS)
            assert found[name]["bytes_tx"] == PACKETS * 200
        ports = client.call("GetMetrics", choice="port", port={})["port_metrics"]
        assert [port["frames_tx"] for port in ports] == [PACKETS, PACKETS]
        assert [port["frames_rx"] for port in ports] == [PACKETS, PACKETS]
    client.call("SetConfig")
    assert client.call("GetConfig") == {}


def test_a_flow_runs_until_it_is_stopped(client: Client) -> None:
    endless = flow("f", rate={"choice": "pps", "pps": 500}, metrics={"enable": True})
    client.call("SetConfig", **config(endless))
    client.transmit("start")
    client.rig.pass_time(0.5)
    (running,) = client.call("GetMetrics", choice="flow", flow={"metric_names": ["transmit"]})["flow_metrics"]
    assert running["transmit"] == "started"
    client.transmit("stop")
    found = client.ended()["f"]
    assert found["frames_tx"] == found["frames_rx"] > 50


def test_what_arrives_is_captured(client: Client) -> None:
    client.call("SetConfig", **config(limited("f"), captures=[{"name": "c", "port_names": ["two"]}]))
    state = {"choice": "capture", "capture": {"state": "start"}}
    client.call("SetControlState", choice="port", port=state)
    client.transmit("start")
    client.ended()
    assert len(client.call("GetCapture", port_name="two")) == 24 + PACKETS * (16 + 200)
