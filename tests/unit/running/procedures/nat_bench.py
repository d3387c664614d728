# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients behind a fake device that translates, whose table, rate and ports are known (RFC 9693)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from ipaddress import IPv4Address, ip_interface
from pathlib import Path
from typing import Any

from TesterLibrary.methodology.maximum import MaximumResult, MaximumSearch, Quantity, find_maximum
from TesterLibrary.methodology.teardown import TeardownResult, measure_teardown
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.connections import Connections
from TesterLibrary.running.procedures.connection_trials import ConcurrencyMeasurer, RateMeasurer
from TesterLibrary.running.procedures.teardown import Teardown
from TesterLibrary.targets.fake import FakeDevice, FakeNat, FakeTarget

from ..testers import SECOND, fake_tester

SERVICE = Endpoints.parse("198.18.0.3:9693")
OUTSIDE = IPv4Address("198.18.0.99")
EXACTLY = Ratio(Fraction(1, 100_000))


class Bench:
    """A responder and clients on two sides of a fake device, in its time."""

    def __init__(self, directory: Path, nat: FakeNat | None, *, hold: str = "1 s", **clients: Any) -> None:
        this = fake_tester(directory)
        self.tester = this
        this.target = self.target = FakeTarget(device=FakeDevice(nat=nat))
        this.clock = Clock.of(self.target)
        for number, (name, port) in enumerate(list(this.ports.items()), 2):
            this.ports[name] = replace(port, address=ip_interface(f"198.18.0.{number}/24"))  # type: ignore[index]
        self.ends = Connections(this, source_seed=1)
        given = {key: clients.pop(key) for key in ("watch", "tries") if key in clients}
        every = {key: clients.pop(key) for key in ("every",) if key in clients}
        self.ends.start(
            Responder(name="outside", port="p2", protocol="nat-responder", servers=SERVICE, parameters=every)
        )
        usual = {"rate": Frequency.parse("100/s"), "connections": 1000, "total": 1}
        parameters = {"hold": hold, **given}
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

    def capacity(self, lowest: int = 1, highest: int = 30, duration: Duration = SECOND) -> MaximumResult:
        measurer = ConcurrencyMeasurer(self.ends, "inside", self.target.forget_connections)
        search = MaximumSearch(Quantity.CONCURRENT, lowest, highest, duration, EXACTLY)
        return find_maximum(measurer, search)

    def rate(self, highest: int) -> MaximumResult:
        measurer = RateMeasurer(self.ends, "inside", self.target.forget_connections)
        return find_maximum(
            measurer,
            MaximumSearch(
                Quantity.RATE, 20, highest, SECOND, Ratio(Fraction(1, 5)), tolerance=Ratio(Fraction(1, 10))
            ),
        )

    def teardown(self, connections: int, repetitions: int = 1, timeout: Duration = SECOND) -> TeardownResult:
        measurer = Teardown(self.tester, self.ends, "inside", self.target.forget_connections, timeout)
        return measure_teardown(measurer, "inside", connections=connections, repetitions=repetitions)
