# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Neighbours that are announced to a fake, which knows so many of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6, in6_chksum
from scapy.layers.l2 import ARP, Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.learning import LearningCheck
from TesterLibrary.measurement.snapshot import FlowCounters
from TesterLibrary.methodology.learning import LearningResult, all_learned, find_capacity, learning_rate_above
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.plan.plan import Plan, PlannedStream
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.flows import FlowSpace
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.procedures.announcement import Announcement, Neighbours
from TesterLibrary.running.procedures.neighbours import _PATIENCE_NS, NeighbourMeasurer
from TesterLibrary.targets.fake import FakeTarget
from TesterLibrary.targets.fake.parts import FakeFlows
from TesterLibrary.verdict import Outcome

from ...planning.bench import GATEWAY, MAC1, ROUTED, ROUTED6, compiled
from ..testers import fake_tester

if TYPE_CHECKING:
    from TesterLibrary.running.tester import Tester

RATE = Frequency.parse("10 k/s")
SIX = AddressRange.parse("2001:2:0:1::a1-2001:2:0:1::a2")
TWENTY = AddressRange.parse("198.18.1.101-198.18.1.120")


def neighbours(addresses: AddressRange = TWENTY, **changes: Any) -> Neighbours:
    return replace(Neighbours(addresses, "p1", "p2", RATE, RATE), **changes)


class Router(FakeTarget):
    """Forwards to the first addresses that it was told of, up to `truth` of them."""

    truth = 0

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.flows = RouterFlows(self)


class RouterFlows(FakeFlows):
    def __init__(self, router: Router) -> None:
        super().__init__(router.bench)
        self.router = router

    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        for flow in super().read(job, stream_id):
            yield replace(
                flow, rx_packets=[n * (k < self.router.truth) for k, n in enumerate(flow.rx_packets)]
            )


class Asking(FakeTarget):
    """A router that asks for whom it does not know, and takes an announcement only as the answer to that.

    As Linux does with arp_accept=0: it remembers whom it has asked for in vain.
    """

    takes = False  # any announcement, as with arp_accept=1

    def __init__(self) -> None:
        super().__init__()
        self.flows = AskingFlows(self)
        self.asked: set[str] = set()
        self.known: set[str] = set()
        self.jobs: dict[str, Plan] = {}

    def load(self, plan: Plan) -> None:
        self.jobs[plan.job] = plan
        super().load(plan)

    def start(self, jobs: Sequence[str], *args: Any, **given: Any) -> None:
        super().start(jobs, *args, **given)
        for job in jobs:
            self.hear(job)

    def hear(self, job: str) -> None:
        for stream in self.jobs[job].streams:
            if stream.name == "announcements":
                heard = self.addresses(stream)
                self.known |= set(heard) if self.takes else set(heard) & self.asked

    @staticmethod
    def addresses(stream: PlannedStream) -> list[str]:
        space = FlowSpace.of(stream)
        frames = [Ether(space.frame(number)) for number in range(space.period)]
        return [frame[IP].dst if IP in frame else frame[ARP].psrc for frame in frames]


class AskingFlows(FakeFlows):
    def __init__(self, router: Asking) -> None:
        super().__init__(router.bench)
        self.router = router

    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        router = self.router
        (stream,) = (stream for stream in router.jobs[job].streams if stream.id == stream_id)
        sent = router.addresses(stream)
        for flow in super().read(job, stream_id):
            yield replace(
                flow, rx_packets=[n * (sent[k] in router.known) for k, n in enumerate(flow.rx_packets)]
            )
        router.asked |= set(sent) - router.known
        router.hear(job)


def measurer(directory: Path, truth: int, **changes: Any) -> NeighbourMeasurer:
    """A measurer on a fake tester with a time of its own: no test waits."""
    router = Router()
    router.truth = truth
    return behind(fake_tester(directory), router, **changes)


def behind(this: Tester, target: FakeTarget, **changes: Any) -> NeighbourMeasurer:
    """A measurer on a tester that has this device."""
    this.target = target
    for name, port in ROUTED.items():
        fake = this.ports[name]
        this.ports[name] = replace(port, speed=fake.speed, mac=fake.mac)  # type: ignore[index]
    this.gateways = {"p1": GATEWAY, "p2": GATEWAY}

    this.clock = Clock.of(target)
    return NeighbourMeasurer(this, neighbours(**changes), rest=Duration(10**9))


def frames(stream: Stream, count: int, ports: Mapping[str, Port] = ROUTED) -> list[Ether]:
    """The first so many, as they leave."""
    (planned,) = compiled(stream, ports=ports).streams
    space = FlowSpace.of(planned)
    return [Ether(space.frame(number)) for number in range(count)]


@pytest.mark.parametrize(
    ("kind", "destination", "operation", "asked"),
    [
        (Announcement.REPLY, GATEWAY.hex(":"), 2, "198.18.1.1"),
        (Announcement.REQUEST, "ff:ff:ff:ff:ff:ff", 1, "198.18.1.1"),
        (Announcement.GRATUITOUS, "ff:ff:ff:ff:ff:ff", 1, None),
    ],
)
def test_announcements_are_arp_of_one_address_after_the_other(
    kind: Announcement, destination: str, operation: int, asked: str | None
) -> None:
    addresses = ["198.18.1.101", "198.18.1.102"]
    sent = frames(neighbours(kind=kind).announcements(ROUTED["p1"]), 2)
    for frame, address in zip(sent, addresses, strict=True):
        assert (frame.dst, frame.src) == (destination, MAC1.hex(":"))
        arp = frame[ARP]
        assert (arp.op, arp.hwsrc, arp.psrc, arp.pdst) == (
            operation,
            MAC1.hex(":"),
            address,
            asked or address,
        )


@pytest.mark.parametrize(
    ("kind", "mac", "to", "number", "flags", "target"),
    [
        (Announcement.REQUEST, "33:33:ff:00:00:01", "ff02::1:ff00:1", 135, 0, "2001:2:0:1::1"),
        (Announcement.REPLY, GATEWAY.hex(":"), "2001:2:0:1::1", 136, 0x60000000, None),
        (Announcement.GRATUITOUS, "33:33:00:00:00:01", "ff02::1", 136, 0x20000000, None),
    ],
)
def test_announcements_of_ipv6_are_messages_of_neighbour_discovery(
    kind: Announcement, mac: str, to: str, number: int, flags: int, target: str | None
) -> None:
    """RFC 4861 §4.3, §4.4, §7.2.6: hop limit 255, one option, and the rest is no part of it."""
    announcements = neighbours(SIX, kind=kind).announcements(ROUTED6["p1"])
    plan = compiled(announcements, ports=ROUTED6)
    assert not set(SIX) & {neighbour.address for neighbour in plan.neighbours}, "they are silent"
    for frame, address in zip(frames(announcements, 2, ROUTED6), SIX, strict=True):
        ip, message = frame[IPv6], bytes(frame)[54:86]
        assert (frame.dst, frame.src) == (mac, MAC1.hex(":"))
        assert (ip.src, ip.dst, ip.hlim, ip.nh, ip.plen) == (str(address), to, 255, 58, 32)
        assert in6_chksum(58, ip, message) == 0
        assert (message[:2], int.from_bytes(message[4:8], "big")) == (bytes([number, 0]), flags)
        assert message[8:24] == ip_address(target or str(address)).packed
        assert message[24:] == bytes([1 if number == 135 else 2, 1]) + MAC1


def test_probes_of_ipv6_are_udp_to_each_address_in_turn() -> None:
    sent = frames(neighbours(SIX).probes(), 3, ROUTED6)
    assert [frame[IPv6].dst for frame in sent] == ["2001:2:0:1::a1", "2001:2:0:1::a2", "2001:2:0:1::a1"]


def test_a_device_that_asks_by_itself_is_told_nothing(tmp_path: Path) -> None:
    with pytest.raises(
        PlanError, match="kind=answer announces nothing: the device asks; give reply, request"
    ):
        measurer(tmp_path, 7, kind=Announcement.ANSWER).announce()


class Dawdling(Router):
    """Forwards to a few addresses while it is measured, and to all afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.flows = DawdlingFlows(self)


class DawdlingFlows(RouterFlows):
    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        self.router.truth = 5 if job.startswith("learning") else 20
        return super().read(job, stream_id)


def test_what_is_learned_after_the_run_does_not_count_as_learned_fast(tmp_path: Path) -> None:
    """Five were reached at once. The other fifteen were learned at some time until they were counted."""
    trial = behind(fake_tester(tmp_path), Dawdling()).measure(20)
    assert (trial.learned, trial.objections) == (20, ())
    least, most = trial.rate_bounds
    assert least < most < 20 * 10**9 / _PATIENCE_NS
    verdict = learning_rate_above(LearningResult("", (), trial), Frequency.parse("500/s"))
    assert verdict.outcome is not Outcome.PASS


@pytest.mark.parametrize("truth", [0, 7, 20])
def test_neighbours_that_are_asked_for_are_answered_for_and_counted_without(
    truth: int, tmp_path: Path
) -> None:
    """RFC 8161. While it counts nobody answers, so that a device cannot ask again."""
    found = measurer(tmp_path, truth, kind=Announcement.ANSWER)
    target = found._tester.target
    counted, answering = found._counted, []

    def count(asked: Neighbours) -> LearningCheck:
        answering.append([end.name for end in target.snapshot().ends])
        return counted(asked)

    found._counted = count  # type: ignore[method-assign]
    trial = found.measure(20)
    assert (trial.learned, trial.all_learned, trial.doubt) == (truth, truth == 20, "")
    assert trial.announced_rate == pytest.approx(10_000, rel=0.01)
    assert (trial.learning_ns > 0) == (truth > 0)
    assert answering
    assert not any(answering)


def test_another_mac_address_is_announced_and_sends() -> None:
    (frame,) = frames(neighbours(mac="02:00:00:00:aa:01").announcements(ROUTED["p1"]), 1)
    assert (frame.src, frame[ARP].hwsrc) == ("02:00:00:00:aa:01",) * 2


def test_probes_are_udp_to_each_address_in_turn() -> None:
    sent = frames(neighbours().first(2).probes(), 3)
    assert [frame[IP].dst for frame in sent] == ["198.18.1.101", "198.18.1.102", "198.18.1.101"]


def test_the_tester_does_not_answer_for_those_whom_it_probes() -> None:
    probes = neighbours().probes()
    plan, answering = compiled(probes, ports=ROUTED), compiled(replace(probes, answered=True), ports=ROUTED)
    assert not set(TWENTY) & {neighbour.address for neighbour in plan.neighbours}
    assert set(TWENTY) <= {neighbour.address for neighbour in answering.neighbours}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"addresses": AddressRange.parse("198.18.1.1-198.18.1.9")}, "which the device knows already"),
        ({"announce": "p7"}, "'p7' is no port of this tester; it has p1, p2"),
        ({"addresses": AddressRange.parse("2001:db8::1-2001:db8::4")}, "are not all in 198.18.1.0/24"),
        ({"addresses": AddressRange.parse("198.18.1.250-198.18.2.1")}, "are not all in 198.18.1.0/24"),
    ],
)
def test_what_cannot_be_announced_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        measurer(tmp_path, 0, **changes)


def test_a_port_without_gateway_has_no_router_that_could_learn() -> None:
    with pytest.raises(PlanError, match="port 'p1' has no gateway"):
        neighbours().announcements(replace(ROUTED["p1"], gateway=None))
    assert ROUTED6["p1"].gateway  # a router's, but not of IPv4
    with pytest.raises(PlanError, match="are not all in"):
        neighbours().announcements(ROUTED6["p1"])


def test_each_address_is_announced_once(tmp_path: Path) -> None:
    assert measurer(tmp_path, 20).announce() == 20


@pytest.mark.parametrize("truth", [0, 7, 20])
def test_those_who_are_known_are_counted(tmp_path: Path, truth: int) -> None:
    found = measurer(tmp_path, truth)
    assert found.known() == truth
    checks = {count: found.check(count) for count in (5, 20)}
    assert {count: check.known for count, check in checks.items()} == {5: min(5, truth), 20: truth}
    assert [check.complete for check in checks.values()] == [truth >= 5, truth == 20]


@pytest.mark.parametrize("truth", [0, 7, 20])
def test_learning_ends_when_all_are_learned_or_none_is_any_more(
    tmp_path: Path, truth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = measurer(tmp_path, truth)
    monkeypatch.setattr("TesterLibrary.running.procedures.neighbours._PATIENCE_NS", 50_000_000)
    trial = learner.measure(20)
    assert (trial.addresses, trial.learned, trial.all_learned) == (20, truth, truth == 20)
    assert trial.announced_rate == pytest.approx(10_000)
    assert trial.probing_ns == 20 * 10**5
    assert (trial.learning_ns > 0) == (truth > 0)
    if truth:  # the probes begin 50 ms after the announcements, and are 0.1 ms apart
        assert trial.learning_ns == pytest.approx(50 * 10**6 + (truth - 1) * 10**5, abs=20_000)


def test_announcements_that_the_tester_may_have_lost_are_no_fault_of_the_device(tmp_path: Path) -> None:
    router = Router(stalls={5, 7})  # announcements; before them are those and the probes of one address
    router.truth = 12
    found = behind(fake_tester(tmp_path), router)
    check = found.check(20)
    assert check.known == 12
    (objection,) = check.objections
    assert objection.startswith("a worker did not run for 200.0 ms (limit 50.0 ms)")
    assert found.check(10).objections == ()  # all are known, so none was lost


def test_announcements_that_the_kernel_has_dropped_are_lost(tmp_path: Path) -> None:
    found = measurer(tmp_path, 12)
    drops = iter(range(1000))
    found._tester.backlog_drops = lambda: next(drops)
    announced = found._announce(found._neighbours.first(20))
    assert announced.evidence.backlog_dropped == 1


def test_the_device_is_left_alone_for_the_rest(tmp_path: Path) -> None:
    resting = measurer(tmp_path, 20)
    target = resting._tester.target
    before = target.snapshot().taken_at_ns
    resting.rest()
    # Each call takes the fake 10 ms.
    assert target.snapshot().taken_at_ns - before == pytest.approx(10**9, abs=20_000_000)


@pytest.mark.parametrize("takes", [False, True])
def test_a_repeat_is_no_answer_to_what_the_device_has_asked(tmp_path: Path, takes: bool) -> None:
    """Probes of the first attempt make the device ask; later announcements are not to answer that."""
    router = Asking()
    router.takes = takes
    result = find_capacity(behind(fake_tester(tmp_path), router), "neighbours", 5, 20)
    assert (result.capacity, result.failed_at) == ((20, None) if takes else (0, 5))
    assert {check.known for check in result.measured if not takes} <= {0}


@pytest.mark.parametrize("takes", [False, True])
def test_what_was_probed_before_it_was_announced_is_in_doubt(tmp_path: Path, takes: bool) -> None:
    """Not where one address was not: that one tells whether the device takes announcements."""
    router, this = Asking(), fake_tester(tmp_path)
    router.takes = takes
    assert behind(this, router, addresses=TWENTY).known() == 0
    again = behind(this, router, addresses=TWENTY).measure(20)
    assert "all 20 addresses were probed before" in again.doubt
    verdict = all_learned(LearningResult("twenty", (), again))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "give addresses that were not probed before" in verdict.reason
    more = AddressRange(TWENTY.first, 30)
    wider = behind(this, router, addresses=more)
    assert (wider.check(30).known == 30, wider.check(30).doubt) == (takes, "")
    trial = behind(this, router, addresses=AddressRange(TWENTY.first, 40)).measure(40)
    assert (trial.all_learned, trial.doubt) == (takes, "")
