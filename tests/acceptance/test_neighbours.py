# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's neighbour table, whose size is known."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from ipaddress import ip_address
from pathlib import Path

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.files.paths import data_root
from TesterLibrary.measurement.learning import LearningCheck
from TesterLibrary.methodology.learning import find_capacity
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.running.procedures.ageing import NeighbourAgeing
from TesterLibrary.running.procedures.announcement import Announcement, Neighbours
from TesterLibrary.running.procedures.neighbours import NeighbourMeasurer
from TesterLibrary.testbeds import neighbour_table, open_testbed

from .opened import opened

RATE = Frequency.parse("10 k/s")
REST = Duration(5_100_000_000)  # Linux makes room of those whom it has not heard for 5 s
ADDRESSES = AddressRange.parse("198.18.128.1-198.18.132.8")
_STATISTICS = Path("/proc/net/stat/arp_cache")  # of all namespaces
_LIMIT = Path("/proc/sys/net/ipv4/neigh/default/gc_thresh3")


@pytest.fixture
def router(tmp_path: Path) -> Iterator[OpenTestbed]:
    with closing(opened("embedded/arp-router", tmp_path)) as bed:
        yield bed


def others(router: OpenTestbed) -> int:
    """Neighbours that the machine knows besides those that were announced."""
    command = [*router.testbed.dut_prefix, "ip", "-4", "-j", "neighbour", "show", "nud", "all"]
    shown = subprocess.run(command, capture_output=True, check=True).stdout
    entries = int(_STATISTICS.read_text().splitlines()[1].split()[0], 16)
    known = [ip_address(neighbour["dst"]) for neighbour in json.loads(shown)]
    return entries - sum(ADDRESSES.first <= address <= ADDRESSES.last for address in known)


class Watched(NeighbourMeasurer):
    """Notes after each check how many neighbours of others the machine knows."""

    def __init__(self, router: OpenTestbed) -> None:
        super().__init__(router.tester, Neighbours(ADDRESSES, "p1", "p2", RATE, RATE), rest=REST)
        self.router = router
        self.checks: list[tuple[LearningCheck, int]] = []

    def check(self, addresses: int) -> LearningCheck:
        found = super().check(addresses)
        self.checks.append((found, others(self.router)))
        return found


@pytest.mark.long
def test_the_capacity_found_is_the_kernels_limit_less_the_neighbours_of_others(router: OpenTestbed) -> None:
    limit = int(_LIMIT.read_text())
    measurer, about = Watched(router), limit - others(router)
    result = find_capacity(measurer, "neighbours", about - 4, about + 8)
    assert result.failed_at == result.capacity + 1
    # The checks in which the table was full: with as many addresses as it holds, and with too many.
    # n is how many neighbours of others the machine knew then.
    measured = measurer.checks
    full = [(check, n) for check, n in measured if check.addresses == result.capacity and check.complete]
    full += [(check, n) for check, n in measured if not check.complete and not check.objections]
    known = {check.known + n for check, n in full}
    if known != {limit} and len({n for _, n in full}) > 1:
        pytest.skip("neighbours of testbeds beside this one came or went meanwhile")
    assert known == {limit}


def test_a_second_router_with_the_kernels_neighbours_is_refused_and_then_let_in(
    router: OpenTestbed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbour_table, "_LONGEST_WAIT", 0.3)
    with pytest.raises(TestbedError, match=rf"process {os.getpid()} has a testbed open that fills it"):
        open_testbed("embedded/arp-router")
    router.close()
    open_testbed("embedded/arp-router").close()


@pytest.mark.parametrize(
    "testbed", [pytest.param("embedded/l3-router", marks=pytest.mark.long), "embedded/arp-router"]
)
@pytest.mark.parametrize(
    "beside", [False, pytest.param(True, marks=pytest.mark.long)], ids=["alone", "beside a responder"]
)
def test_only_what_was_announced_is_known(testbed: str, beside: bool, tmp_path: Path) -> None:
    """One device takes no announcement (arp_accept=0), the other does (1).

    Both ask for an address that they do not know, and the tester must not tell them; a responder for other
    addresses changes nothing.
    """
    learns = testbed == "embedded/arp-router"
    announced, never, more = (AddressRange.parse(f"198.18.{n}.1-198.18.{n}.50") for n in (140, 141, 144))
    with closing(opened(testbed, tmp_path)) as bed:
        if beside:
            others = AddressRange.parse("198.18.142.1-198.18.142.9")
            bed.connections.start(Responder(name="others", port="p1", protocol="arp", answers_for=others))
        assert NeighbourMeasurer(bed.tester, Neighbours(never, "p1", "p2", RATE, RATE)).known() == 0
        measurer = NeighbourMeasurer(bed.tester, Neighbours(announced, "p1", "p2", RATE, RATE))
        assert measurer.announce() == 50
        assert measurer.known() == 50 * learns
        trial = NeighbourMeasurer(bed.tester, Neighbours(more, "p1", "p2", RATE, RATE)).measure(50)
        assert (trial.learned, trial.all_learned) == (50 * learns, learns)
        assert NeighbourMeasurer(bed.tester, Neighbours(never, "p1", "p2", RATE, RATE)).known() == 0


@pytest.mark.long
@pytest.mark.parametrize("probed", [False, True])
def test_a_device_that_takes_no_announcement_holds_none(probed: bool, tmp_path: Path) -> None:
    """Linux with arp_accept=0 takes one for the answer to a question that it asked of an earlier attempt."""
    addresses = AddressRange.parse("198.18.145.1-198.18.145.60")
    with closing(opened("embedded/l3-router", tmp_path)) as bed:
        neighbours = Neighbours(addresses, "p1", "p2", RATE, RATE)
        if probed:
            assert NeighbourMeasurer(bed.tester, neighbours.first(10)).known() == 0
        measurer = NeighbourMeasurer(bed.tester, neighbours, rest=Duration(4 * 10**9))
        result = find_capacity(measurer, "neighbours", 40, 60)
        assert (result.capacity, result.failed_at) == (0, 40)


def test_a_responder_that_was_asked_for_tells_the_device(tmp_path: Path) -> None:
    addresses = AddressRange.parse("198.18.143.1-198.18.143.20")
    with closing(opened("embedded/l3-router", tmp_path)) as bed:
        bed.connections.start(Responder(name="alive", port="p1", protocol="arp", answers_for=addresses))
        measurer = NeighbourMeasurer(bed.tester, Neighbours(addresses, "p1", "p2", RATE, RATE))
        assert measurer.check(20).known == 20


@pytest.mark.parametrize("version", [pytest.param(4, marks=pytest.mark.long), 6])
def test_neighbours_that_the_device_asks_for_are_counted_when_nobody_answers_any_more(
    version: int, tmp_path: Path
) -> None:
    """RFC 8161: the device resolves each address. It holds 40, those of the tester's ports included."""
    network = "198.18.140" if version == 4 else "2001:2:0:1::14"
    name = "arp-router.yaml" if version == 4 else "nd-router.yaml"
    shipped = data_root() / "resources" / "testbeds" / "embedded" / name
    file = tmp_path / "planted.yaml"
    file.write_text(f"{shipped.read_text(encoding='utf-8')}    most_neighbours: 40\n", encoding="utf-8")
    separator = "." if version == 4 else ":"
    addresses = AddressRange(ip_address(f"{network}{separator}1"), 60)
    with closing(opened(str(file), tmp_path)) as bed:
        neighbours = Neighbours(addresses, "p1", "p2", RATE, RATE, Announcement.ANSWER)
        found = NeighbourMeasurer(bed.tester, neighbours).check(60)
        assert 36 <= found.known <= 39
        all_of_them = NeighbourMeasurer(bed.tester, neighbours).measure(20)
        assert (all_of_them.learned, all_of_them.doubt) == (20, "")
        assert all_of_them.learning_rate > 20


def test_each_kind_of_announcement_teaches_a_router_that_takes_it(tmp_path: Path) -> None:
    """RFC 4861 for solicitations, RFC 9131 for advertisements."""
    with closing(opened("embedded/nd-router", tmp_path)) as bed:
        for number, kind in enumerate((Announcement.REPLY, Announcement.REQUEST, Announcement.GRATUITOUS)):
            announced = AddressRange(ip_address(f"2001:2:0:1::{number + 1}:1"), 50)
            measurer = NeighbourMeasurer(bed.tester, Neighbours(announced, "p1", "p2", RATE, RATE, kind))
            assert measurer.announce() == 50
            assert measurer.known() == 50
        never = AddressRange.parse("2001:2:0:1::ff:1-2001:2:0:1::ff:9")
        assert NeighbourMeasurer(bed.tester, Neighbours(never, "p1", "p2", RATE, RATE)).known() == 0


@pytest.mark.parametrize(
    ("testbed", "address"),
    [
        pytest.param("arp-router", "198.18.150.1", marks=pytest.mark.long),
        ("nd-router", "2001:2:0:1::150"),
    ],
)
def test_the_silent_are_forgotten_when_the_kernel_has_asked_in_vain(
    testbed: str, address: str, tmp_path: Path
) -> None:
    """A second after the first use it asks, three times, a second apart."""
    with closing(opened(f"embedded/{testbed}", tmp_path)) as bed:
        hundred = Frequency.parse("100/s")
        addresses = AddressRange.parse(address)
        one = Neighbours(addresses, "p1", "p2", hundred, hundred, Announcement.REQUEST)
        trial = NeighbourAgeing(bed.tester, one).age(Duration(20 * 10**9))
    assert (trial.known, trial.objections) == (True, ())
    assert trial.most_ns is not None
    assert 3_900_000_000 < trial.least_ns < trial.most_ns < 4_700_000_000
