# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

import pytest

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.running.connections import Connections
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.targets.fake import FakeDevice, FakePath

from .testers import SECOND, fake_tester, stream

GATEWAY = IPv4Address("198.18.0.1")
OLD, NEW = bytes.fromhex("020000000101"), bytes.fromhex("020000009999")


def trial(directory: Path, *, loss: str, answers: bytes | None) -> Trial:
    """A trial of a router whose gateway had one MAC address, and has another one now, or answers no more."""
    path = FakePath(loss=Ratio.parse(loss))
    device = FakeDevice(path, neighbours={} if answers is None else {GATEWAY: answers})
    tester = fake_tester(directory, device=device)
    port = replace(tester.ports["p1"], address=IPv4Interface("198.18.0.2/24"), gateway=GATEWAY)
    tester.ports = {**tester.ports, "p1": port}
    tester.gateways = {"p1": OLD}
    with StreamRun(tester, "trial-1", [stream(rate="1 kpps")]).loaded() as run:
        run.start(SECOND)
        tester.target.wait(["trial-1"], timeout=SECOND)
        return run.finish(SECOND)


@pytest.mark.parametrize("loss", ["100 %", "10 %"])
def test_frames_to_a_mac_address_that_nobody_has_are_no_loss_of_the_device(loss: str, tmp_path: Path) -> None:
    found = trial(tmp_path, loss=loss, answers=NEW)
    assert any(
        "the gateway 198.18.0.1 of port p1 has another MAC address, 02:00:00:00:99:99 in place of "
        "02:00:00:00:01:01, to which frames were sent" in objection
        for objection in found.objections
    ), found.objections


@pytest.mark.parametrize(("loss", "answers"), [("10 %", OLD), ("100 %", None), ("0", NEW)])
def test_losses_of_a_gateway_that_stayed_count(loss: str, answers: bytes | None, tmp_path: Path) -> None:
    assert not trial(tmp_path, loss=loss, answers=answers).objections


SERVICE = IPv4Address("198.18.1.2")


class Bench:
    """Clients at p1 of a router, or of a bridge, and a server at p2."""

    def __init__(self, directory: Path, *, routed: bool, loss: str = "0") -> None:
        self.neighbours = {GATEWAY: OLD} if routed else {SERVICE: OLD}
        tester = fake_tester(
            directory, device=FakeDevice(FakePath(loss=Ratio.parse(loss)), neighbours=self.neighbours)
        )
        gateway = GATEWAY if routed else None
        addresses = ("198.18.0.2/24", "198.18.1.2/24") if routed else ("198.18.1.3/24", "198.18.1.2/24")
        for name, address in zip(("p1", "p2"), addresses, strict=True):
            port = replace(tester.ports[name], address=IPv4Interface(address), gateway=gateway)
            tester.ports = {**tester.ports, name: port}
        tester.gateways = {"p1": OLD, "p2": OLD} if routed else {}
        self.ends = Connections(tester, source_seed=1)
        servers = Endpoints.parse(f"{SERVICE}:80")
        self.ends.start(Responder(name="web", port="p2", protocol="tcp-server", servers=servers))
        values = {"linger": 0, "size": 0}
        self.ends.start(
            Clients(
                name="users",
                port="p1",
                protocol="tcp-client",
                target=servers,
                connections=5,
                total=5,
                parameters=values,
            )
        )

    def move(self) -> None:
        """The gateway, or the server, has another MAC address."""
        for address in self.neighbours:
            self.neighbours[address] = NEW

    def objections(self) -> set[str]:
        """Objections to where the clients send to: of a measurement, so far, and of what was stopped."""
        trials = [self.ends.measure("users", SECOND), self.ends.so_far("users")]
        self.ends.stop(["users"], Clients)
        trials.append(self.ends.so_far("users"))
        found = {tuple(text for text in trial.objections if "MAC address" in text) for trial in trials}
        assert len(found) == 1, found
        return set(found.pop())


@pytest.mark.parametrize(
    ("routed", "who"), [(True, "the gateway 198.18.0.1 of port p1"), (False, "198.18.1.2 on port p1")]
)
def test_clients_that_open_to_a_mac_address_that_nobody_has_judge_nobody(
    routed: bool, who: str, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, routed=routed)
    bench.move()
    assert bench.objections() == {
        f"{who} has another MAC address, 02:00:00:00:99:99 in place of 02:00:00:00:01:01, to which clients "
        "'users' opened; open the tester again if it is the same device"
    }


def test_clients_whose_gateway_stayed_are_believed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, routed=True, loss="100 %")
    assert bench.objections() == set()
    assert bench.ends.statistics("users").established == 0


def test_a_gateway_that_moved_when_all_was_over_changes_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, routed=True)
    assert bench.ends.wait("users", lambda found: found.ended == 5, SECOND)
    bench.move()
    assert bench.objections() == set()
    assert bench.ends.statistics("users").completed == 5


def test_a_responder_answers_to_where_a_packet_has_come_from(tmp_path: Path) -> None:
    bench = Bench(tmp_path, routed=True)
    bench.move()
    assert not [text for text in bench.ends.measure("web", SECOND).objections if "MAC address" in text]
