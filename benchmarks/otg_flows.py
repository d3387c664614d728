# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long clients of the Open Traffic Generator wait for thousands of flows."""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import closing
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path
from statistics import median
from typing import Any

from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.opening import open_tester
from TesterLibrary.service.otg.serving import serve_otg

from .harness.machine import load_average
from .harness.outcome import Bound, Outcome, Run
from .harness.registry import Settings, benchmark

_FLOWS = 2048  # each way
_READINGS = 7
_CONFIG_S, _METRICS_S = 2.0, 0.3


def _is_met(outcome: Outcome) -> bool:
    return outcome.value < 1


@benchmark(unit="of the bound", bound=Bound("< 1: set_config < 2 s, metrics < 300 ms", _is_met))
def otg_flows(settings: Settings) -> Outcome:
    """set_config of 2 × 2,048 flows, and the metrics of all, over HTTP at the bridge: the worse of both"""
    runs, notes = [], []
    for _ in range(settings.runs):
        load = load_average()
        config, metrics = _seconds()
        runs.append(Run(max(config / _CONFIG_S, metrics / _METRICS_S), None, load))
        notes.append((config, metrics))
    config, metrics = (median(values) for values in zip(*notes, strict=True))
    return Outcome(tuple(runs), note=f"set_config {config:.2f} s, metrics {1000 * metrics:.0f} ms")


def _seconds() -> tuple[float, float]:
    """Seconds of setting the configuration, and of reading the metrics while flows are sending."""
    with tempfile.TemporaryDirectory() as folder:
        recorder, console = Recorder(Path(folder)), Console(stream=StringIO())
        with (
            closing(open_tester("embedded/l2-bridge", seed=1, recorder=recorder, progress=console)) as opened,
            serve_otg(opened, http=0, grpc=0) as ports,
        ):
            client = HTTPConnection("127.0.0.1", ports.http, timeout=60)
            config = _timed(client, "/config", json.dumps(_config()))
            start = {"choice": "flow_transmit", "flow_transmit": {"state": "start"}}
            _timed(client, "/control/state", json.dumps({"choice": "traffic", "traffic": start}))
            asked = json.dumps({"choice": "flow", "flow": {}})
            return config, median(_timed(client, "/monitor/metrics", asked) for _ in range(_READINGS))


def _timed(client: HTTPConnection, path: str, body: str) -> float:
    begun = time.monotonic()
    client.request("POST", path, body)
    answer = client.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {text[:500]!r}")
    return time.monotonic() - begun


def _config() -> dict[str, Any]:
    ways = (("p1", "p2", "00:AA:00:00:04:00"), ("p2", "p1", "00:AA:00:00:00:AA"))
    return {
        "ports": [{"name": "p1"}, {"name": "p2"}],
        "flows": [_flow(number, *way) for number in range(_FLOWS) for way in ways],
    }


def _flow(number: int, tx: str, rx: str, mac: str) -> dict[str, Any]:
    def value(given: object) -> dict[str, Any]:
        return {"choice": "value", "value": given}

    addresses = {"src": value(f"10.0.{number // 256}.{number % 256}"), "dst": value("11.0.0.1")}
    ports = {"src_port": value(number), "dst_port": value(7)}
    return {
        "name": f"{tx} {number}",
        "tx_rx": {"choice": "port", "port": {"tx_name": tx, "rx_names": [rx]}},
        "packet": [
            {"choice": "ethernet", "ethernet": {"src": value(mac)}},
            {"choice": "ipv4", "ipv4": addresses},
            {"choice": "udp", "udp": ports},
        ],
        "size": {"choice": "fixed", "fixed": 128},
        "rate": {"choice": "pps", "pps": 5},
        "duration": {"choice": "continuous", "continuous": {"gap": 12}},
        "metrics": {"enable": True, "loss": True, "latency": {"enable": True, "mode": "store_forward"}},
    }
