# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Searches over clients behind a device that translates, whose table, rate and ports are known (RFC 9693)."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from fractions import Fraction
from ipaddress import IPv4Address, ip_interface
from math import ceil, log2
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.methodology.maximum import Limit, MaximumResult, MaximumSearch, Quantity, find_maximum
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.quantity import Frequency
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.model.units import Duration, Ratio
from TesterLibrary.running.connections import ConcurrencyMeasurer, Connections, RateMeasurer
from TesterLibrary.targets.fake import FakeDevice, FakeNat, FakeTarget
from TesterLibrary.verdict import Outcome

from .testers import SECOND, fake_tester

SERVICE = Endpoints.parse("198.18.0.3:9693")
OUTSIDE = IPv4Address("198.18.0.99")
EXACTLY = Ratio(Fraction(1, 100_000))


class Bench:
    """A responder and clients on two sides of a fake device, in its time."""

    def __init__(self, directory: Path, nat: FakeNat | None, *, hold: str = "1 s", **clients: Any) -> None:
        this = fake_tester(directory)
        this.target = self.target = FakeTarget(device=FakeDevice(nat=nat))
        for number, (name, port) in enumerate(list(this.ports.items()), 2):
            this.ports[name] = replace(port, address=ip_interface(f"198.18.0.{number}/24"))  # type: ignore[index]
        self.ends = Connections(this, sleep=self.sleep, source_seed=1)
        watch = {key: clients.pop(key) for key in ("watch",) if key in clients}
        every = {key: clients.pop(key) for key in ("every",) if key in clients}
        self.ends.start(
            Responder(name="outside", port="p2", protocol="nat-responder", servers=SERVICE, parameters=every)
        )
        usual = {"rate": Frequency.parse("100/s"), "connections": 1000, "total": 1}
        parameters = {"hold": hold, **watch}
        self.ends.start(
            Clients(
                name="inside",
                port="p1",
                protocol="nat-initiator",
                target=SERVICE,
                parameters=parameters,
                **usual | clients,  # type: ignore[arg-type]
            )
        )

    def sleep(self, seconds: float) -> None:
        self.target.advance(Duration(round(seconds * 1e9)))

    def capacity(self, lowest: int = 1, highest: int = 30) -> MaximumResult:
        measurer = ConcurrencyMeasurer(self.ends, "inside", self.target.forget_connections)
        search = MaximumSearch(Quantity.CONCURRENT, lowest, highest, SECOND, EXACTLY)
        return find_maximum(measurer, search)

    def rate(self, highest: int) -> MaximumResult:
        measurer = RateMeasurer(self.ends, "inside", self.target.forget_connections)
        return find_maximum(
            measurer, MaximumSearch(Quantity.RATE, 20, highest, SECOND, Ratio(Fraction(1, 5)))
        )


@settings(max_examples=3, deadline=None)
@given(entries=st.integers(1, 12), overwrites=st.booleans())
def test_the_capacity_is_found_exactly(entries: int, overwrites: bool) -> None:
    """A table that drops old connections for new ones holds no more than one that refuses the new ones."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), FakeNat(OUTSIDE, entries=entries, overwrites=overwrites))
        found = bench.capacity()
    assert (found.maximum, found.failed_at, found.limited_by) == (entries, entries + 1, Limit.DEVICE)
    assert len(found.measured) <= 2 * ceil(log2(entries + 1)) + 3


@settings(max_examples=2, deadline=None)
@given(rate=st.integers(20, 100))
def test_the_rate_is_found_within_the_resolution(rate: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = Bench(Path(folder), FakeNat(OUTSIDE, rate=rate)).rate(400)
    assert found.limited_by is Limit.DEVICE
    assert found.failed_at is not None
    # A rate passes if so many are established within 1 %, and the device lets one come early.
    assert found.maximum <= rate * Fraction(101, 100) + 2
    assert found.failed_at >= rate


@settings(max_examples=2, deadline=None)
@given(ports=st.integers(2, 25))
def test_ports_that_run_out_limit_the_capacity(ports: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        nat = FakeNat(OUTSIDE, first_port=2000, last_port=1999 + ports)
        assert Bench(Path(folder), nat).capacity().maximum == ports


def test_a_device_that_forgets_too_early_holds_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FakeNat(OUTSIDE, idle_ns=200_000_000))
    found = bench.capacity(lowest=5)
    assert (found.maximum, found.limited_by) == (0, Limit.DEVICE)
    assert found.trial.statistics.counters["nat-initiator.forgotten"] == 5
    assert found.verdict_above(5, "5").outcome is Outcome.FAIL


def test_a_device_that_changes_ports_holds_nothing(tmp_path: Path) -> None:
    found = Bench(tmp_path, FakeNat(OUTSIDE, moves_after=2)).capacity(lowest=5)
    assert (found.maximum, found.limited_by) == (0, Limit.DEVICE)
    assert found.trial.statistics.counters["nat-initiator.moved"] == 5


def test_nobody_knows_the_table_of_a_device_that_does_not_translate(tmp_path: Path) -> None:
    bench = Bench(tmp_path, None)
    found = bench.capacity(lowest=5)
    assert (found.maximum, found.limited_by) == (0, Limit.TESTER)
    verdict = found.verdict_above(5, "5")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "5 connections that kept their address and port (the device does not translate)" in str(verdict)
