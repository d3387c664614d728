# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Transfers on the fake, whose path has a delay and no rate."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.tcp_throughput import TransferPlan, measure_tcp_throughput
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.running.connections import Connections
from TesterLibrary.running.procedures.tcp_transfer import TcpTransferMeasurer
from TesterLibrary.targets.fake import FakeDevice, FakePath
from TesterLibrary.verdict import Outcome

from ..test_connections import SERVICE, ends_on, server, users

TEN_MS = Duration(10**7)


def opened(directory: Path, **given: Any) -> Connections:
    ends = ends_on(directory, device=FakeDevice(FakePath(delay=TEN_MS)))
    ends.start(server())
    ends.start(users(parameters={}, **given))
    return ends


def measurer(ends: Connections) -> TcpTransferMeasurer:
    return TcpTransferMeasurer(ends._tester, ends, "users")


def test_a_window_is_sent_each_round_trip(tmp_path: Path) -> None:
    ends = opened(tmp_path)
    plan = TransferPlan(
        Bandwidth(10_000_000), (Fraction(1),), octets=6 * 16 * 1448, rounds=Duration(3 * 10**8)
    )
    result = measure_tcp_throughput(measurer(ends), plan)
    assert result.baseline_ns == 20_000_000
    (transfer,) = result.measured
    # 10 Mbps in 20 ms are 23,848 bytes of payload: 16 segments and a part of one. Ten are sent at first.
    assert transfer.window_octets == 23_848
    assert transfer.transmitted == transfer.octets
    assert transfer.time_bounds[0] == pytest.approx(7 * 20e6, rel=0.01)
    assert result.buffer_delay == pytest.approx(0, abs=0.005)
    assert result.throughput_above(Bandwidth(7_500_000)).outcome is Outcome.PASS
    assert result.throughput_above(Bandwidth(9_500_000)).outcome is Outcome.FAIL


def test_connections_share_the_payload(tmp_path: Path) -> None:
    ends = opened(tmp_path)
    plan = TransferPlan(Bandwidth(10_000_000), connections=3, octets=100_000, rounds=Duration(3 * 10**8))
    (transfer,) = measure_tcp_throughput(measurer(ends), plan).measured
    assert (transfer.completed, transfer.octets, transfer.transmitted) == (3, 100_002, 100_002)
    assert transfer.data.statistics.openings == 3


def test_both_kinds_of_connections_have_sources_of_their_own(tmp_path: Path) -> None:
    ends = opened(tmp_path, sources=Endpoints.parse("198.18.0.2:2000-2003"))
    found = measurer(ends)
    assert str(found._data.sources) == "198.18.0.2:2000-2001"
    assert str(found._handshake.sources) == "198.18.0.2:2002-2003"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"protocol": "http-client", "parameters": {"size": 1}},
            "http-client sends no stream; use Start TCP Clients",
        ),
        ({"parameters": {"timestamps": 0}}, "payload is counted by the lengths of frames"),
        (
            {"sources": Endpoints.parse("198.18.0.2:2000")},
            "sources of one port each are too few; give a range",
        ),
    ],
)
def test_clients_that_cannot_transfer_are_refused(
    given: dict[str, Any], message: str, tmp_path: Path
) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(**{"target": SERVICE, **given}))
    with pytest.raises(PlanError, match=message):
        measurer(ends)


def test_a_window_that_is_too_wide_is_refused(tmp_path: Path) -> None:
    ends = opened(tmp_path)
    with pytest.raises(PlanError, match=r"a window of 9,000,000 bytes is above the 8,388,607 of one connect"):
        measurer(ends).transfer(1, octets=10, window=9_000_000, timeout=TEN_MS, longest=TEN_MS)
