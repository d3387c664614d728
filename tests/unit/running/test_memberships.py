# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Ports that join and leave groups, on a fake that counts what they send."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.multicast import GroupProtocol, Membership
from TesterLibrary.model.ports import Port
from TesterLibrary.model.quantity import Frequency
from TesterLibrary.model.units import Bandwidth, Duration
from TesterLibrary.running.memberships import Memberships
from TesterLibrary.targets.fake import FakeTarget, fake_port

from .testers import fake_tester

if TYPE_CHECKING:
    from TesterLibrary.running.tester import Tester

GROUP = AddressRange.parse("239.1.1.1")
FAST = Frequency.parse("1 k/s")
NEVER = Duration(0)


def on_ports(directory: Path, *names: str) -> Tester:
    target = FakeTarget([fake_port(name) for name in names])
    capabilities = target.capabilities()
    ports = {p.name: Port(p.name, Bandwidth(10**9), p.mac, p.max_frame_size) for p in capabilities.ports}

    def sleep(seconds: float) -> None:
        target.advance(Duration(round(seconds * 10**9)))

    return replace(fake_tester(directory), target=target, capabilities=capabilities, ports=ports, sleep=sleep)


def answering(tester: Tester) -> dict[str, int]:
    """The ports that answer, and how many reports each has sent."""
    return {
        run.streams[0].tx: tester.target.snapshot([run.name]).streams[0].tx_packets for run in tester.on_air
    }


@pytest.mark.parametrize("protocol", [*GroupProtocol])
def test_a_member_that_stays_answers_the_device_that_asks_because_another_one_left(
    protocol: GroupProtocol, tmp_path: Path
) -> None:
    """A router asks twice, a second apart, and prunes the group a second after that if nobody answers."""
    tester = on_ports(tmp_path, "p1", "p2", "p3", "p4")
    memberships = Memberships(tester)
    for port in ("p2", "p3"):
        memberships.join(Membership(port, GROUP, protocol), FAST, NEVER)
    memberships.join(Membership("p4", AddressRange.parse("239.9.9.9"), protocol), FAST, NEVER)
    memberships.leave("p2", [], FAST)
    assert list(answering(tester)) == ["p3"], "nobody asks for the group of p4"
    for half in range(1, 7):
        tester.sleep(0.5)
        assert answering(tester)["p3"] >= 2 * half
    tester.sleep(2)
    assert answering(tester) == {"p3": 12}


def test_the_last_member_answers_nobody(tmp_path: Path) -> None:
    tester = on_ports(tmp_path, "p1", "p2", "p3")
    memberships = Memberships(tester)
    memberships.join(Membership("p2", GROUP), FAST, NEVER)
    memberships.leave("p2", [], FAST)
    assert not tester.on_air


def test_answers_end_with_the_next_leave(tmp_path: Path) -> None:
    tester = on_ports(tmp_path, "p1", "p2", "p3")
    memberships = Memberships(tester)
    for port in ("p2", "p3"):
        memberships.join(Membership(port, GROUP), FAST, NEVER)
    memberships.leave("p2", [], FAST)
    assert [run.name for run in tester.on_air] == ["answers-4"]
    memberships.leave("p3", [], FAST)
    assert not tester.on_air
