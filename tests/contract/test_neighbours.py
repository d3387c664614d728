# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A router behind a switch, whose table is known: how fast it learns neighbours, and how many (norma §8)."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.methodology.learning import find_capacity
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.procedures.announcement import Announcement, Neighbours
from TesterLibrary.running.procedures.neighbours import NeighbourMeasurer
from TesterLibrary.targets.tofino.fake.router import Router
from TesterLibrary.testbeds.fake_devices import RouterTable

from ..unit.running.testers import fake_tester
from .rig import SwitchRig

NETWORKS = {"p1": IPv4Interface("198.18.1.2/16"), "p2": IPv4Interface("198.19.1.2/16")}
GATEWAYS = {"p1": IPv4Address("198.18.1.1"), "p2": IPv4Address("198.19.1.1")}
HUNDRED = AddressRange.parse("198.18.64.1-198.18.64.100")
RATE, SLOW = Frequency.parse("5 k/s"), Frequency.parse("1 k/s")

pytestmark = pytest.mark.fakes


def measurer(directory: Path, table: RouterTable, **changes: Any) -> NeighbourMeasurer:
    """A measurer on a switch with this router behind it, which has answered both ports."""
    router = Router(table)
    rig = SwitchRig(router)
    tester = fake_tester(directory, target=rig.target)
    ports, gateways = {}, {}
    for name, port in rig.ports.items():
        interface, gateway = NETWORKS[name], GATEWAYS[name]
        router.attach(rig._numbers[name], IPv4Interface(f"{gateway}/16"))
        gateways[name] = rig.target.frames.resolve(name, gateway, source=interface.ip, source_mac=port.mac)
        ports[name] = replace(port, address=interface, gateway=gateway)
    tester = replace(tester, ports=ports, gateways=gateways, clock=rig.clock)
    neighbours = replace(Neighbours(HUNDRED, "p1", "p2", RATE, RATE), **changes)
    return NeighbourMeasurer(tester, neighbours, rest=Duration(10**9))


@pytest.mark.parametrize(
    ("truth", "kind"),
    [(1000, Announcement.REQUEST), (2000, Announcement.GRATUITOUS)],
)
def test_the_learning_rate_is_that_of_the_router(truth: int, kind: Announcement, tmp_path: Path) -> None:
    table = RouterTable(learning_rate=Frequency.parse(f"{truth}/s"))
    trial = measurer(tmp_path, table, kind=kind).measure(100)
    least, most = trial.rate_bounds
    assert least <= truth <= most < 1.5 * truth
    assert (trial.learned, trial.objections, trial.doubt) == (100, (), "")


def test_addresses_that_find_no_room_are_not_learned(tmp_path: Path) -> None:
    """Both ports of the tester are in the table, too."""
    trial = measurer(tmp_path, RouterTable(66), rate=SLOW, probe_rate=SLOW).measure(100)
    assert (trial.learned, trial.all_learned, trial.objections) == (64, False, ())


def test_the_capacity_is_that_of_the_table(tmp_path: Path) -> None:
    found = find_capacity(measurer(tmp_path, RouterTable(11)), "neighbours", 8, 12)
    assert (found.capacity, found.failed_at) == (9, 10)


def test_the_case_of_the_paper_with_fewer_addresses(tmp_path: Path) -> None:
    """Half as many addresses as a table has are all learned at 462/s; the tester is in the table, too."""
    table, addresses = RouterTable(1 << 8, Frequency.parse("462/s")), 1 << 8
    found = measurer(tmp_path, table, addresses=AddressRange(IPv4Address("198.18.64.0"), addresses))
    trial = found.measure(addresses // 2)
    least, most = trial.rate_bounds
    assert 0.9 * 462 < least <= 462 <= most < 1.1 * 462
    assert (trial.learned, trial.objections) == (addresses // 2, ())
    assert found.check(addresses).known < addresses - 2  # what was announced last is not learned yet
    found._tester.clock.sleep(2)
    assert found.known() == addresses - 2


def test_one_that_forgets_those_who_do_not_answer(tmp_path: Path) -> None:
    found = measurer(tmp_path, RouterTable(ageing=Duration(2 * 10**9)))
    assert found.announce() == 100
    assert found.known() == 100
    found._tester.clock.sleep(2)
    assert found.known() == 0
