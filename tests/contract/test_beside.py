# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Several ports at the first end of a path: hosts that share one port of a device (P4STA, §III-E)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Interface
from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.measurement.snapshot import PathCounters
from TesterLibrary.model.capture import Capture, Direction
from TesterLibrary.model.heading import Heading, StationAddress
from TesterLibrary.model.impairment import Impairment, PathDelay
from TesterLibrary.model.inline import Drop, Duplicate, Event, LinkDown, Path
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import LearningFrame, Plan
from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.base import Target
from TesterLibrary.targets.engine.process import EngineProcess

from .path_rig import SwitchPathRig
from .rig import SPEED

# What hosts behind p1 and p3 send arrives on q1 and q3, and leaves by q2 to a device behind p2.
PORTS = {
    "p1": "loop:x",
    "q1": "loop:x",
    "q2": "loop:y",
    "p2": "loop:y",
    "p3": "loop:z",
    "q3": "loop:z",
}
_SETTLING_S = 0.05
EVERYBODY = bytes.fromhex("ffffffffffff")
DEVICE = bytes.fromhex("0200000000dd")


def frame(source: bytes, target: bytes, number: int = 0) -> bytes:
    return target + source + b"\x88\xb5" + number.to_bytes(2, "big") + bytes(46)


def station(number: int) -> bytes:
    return bytes((2, 0, 0, 0, 0, number))


@dataclass
class Shared:
    """An engine with a path between q1 and q2, and q3 beside q1."""

    target: Target
    ports: dict[str, Port] = field(default_factory=dict)

    def path(
        self,
        *events: Event,
        impaired: tuple[Impairment, ...] = (),
        known_by: StationAddress = StationAddress.MAC,
    ) -> Plan:
        path = Path("load", ("q1", "q2"), events, impairments=impaired, beside=("q3",), known_by=known_by)
        return compile_job(Job("load", paths=(path,)), ports=self.ports, gateways={}, max_streams=1)

    def start(self, *events: Event, **described: Any) -> None:
        self.target.load(self.path(*events, **described))
        self.target.start(["load"])

    def send(self, port: str, frames: Sequence[bytes]) -> dict[str, list[bytes]]:
        """The frames that arrive at the ends, by port, after frames have left by one of them."""
        self.target.captures.start(Capture("seen", ("p1", "p2", "p3"), Direction.RECEIVED, frames=10_000))
        self.target.frames.inject([LearningFrame(port, octets) for octets in frames])
        time.sleep(_SETTLING_S)
        self.target.captures.stop("seen")
        found: dict[str, list[bytes]] = {}
        for each in frames_of(self.target.captures.read("seen")):
            found.setdefault(each.port, []).append(each.octets)
        self.target.captures.forget("seen")
        return found

    def counters(self) -> PathCounters:
        return self.target.snapshot(["load"]).path("load", "load")


@pytest.fixture
def shared(process: EngineProcess) -> Iterator[Shared]:
    rig = Shared(process.target())
    rig.ports = {
        info.name: Port(info.name, SPEED, info.mac, info.max_frame_size, IPv4Interface(f"198.18.0.{n}/24"))
        for n, info in enumerate(rig.target.capabilities().ports, 2)
    }
    yield rig
    with suppress(PlanError):  # it was not loaded
        rig.target.unload(["load"])


def test_what_all_of_them_send_leaves_by_the_second_port(shared: Shared) -> None:
    shared.start()
    first, third = ([frame(station(n), DEVICE, i) for i in range(20)] for n in (1, 3))
    assert shared.send("p1", first) == {"p2": first}
    assert shared.send("p3", third) == {"p2": third}
    assert shared.counters().directions[0].forwarded == 40


def test_what_comes_back_leaves_by_the_port_of_its_receiver(shared: Shared) -> None:
    shared.start()
    shared.send("p1", [frame(station(1), DEVICE)])
    shared.send("p3", [frame(station(3), DEVICE), frame(station(4), DEVICE)])
    to = {number: frame(DEVICE, station(number)) for number in (1, 3, 4)}
    mixed = [to[1], to[3], to[4], to[1], to[3]] * 20
    found = shared.send("p2", mixed)
    assert found == {"p1": [to[1]] * 40, "p3": [to[3], to[4], to[3]] * 20}
    back = shared.counters().directions[1]
    assert (back.received, back.forwarded, back.duplicated, back.lost) == (100, 100, 0, 0)
    assert back.forwarded_bytes == 100 * 66


def test_who_is_not_known_yet_and_groups_are_everywhere(shared: Shared) -> None:
    shared.start()
    for sent in (frame(DEVICE, station(1)), frame(DEVICE, EVERYBODY)):
        assert shared.send("p2", [sent] * 3) == {"p1": [sent] * 3, "p3": [sent] * 3}
    back = shared.counters().directions[1]
    assert (back.received, back.duplicated, back.forwarded) == (6, 6, 12)


def test_a_station_may_move_and_is_forgotten_at_a_start(shared: Shared) -> None:
    shared.start()
    sent = frame(DEVICE, station(1))
    for port in ("p1", "p3", "p1"):
        shared.send(port, [frame(station(1), DEVICE)])
        assert shared.send("p2", [sent]) == {port: [sent]}
    shared.target.stop(["load"])
    shared.target.start(["load"])
    assert set(shared.send("p2", [sent])) == {"p1", "p3"}


def packet(source: str, target: str) -> bytes:
    """A frame of hosts that share one address of Ethernet, as generators behind a router of theirs do."""
    ends = (station(1), DEVICE) if source.startswith("10.") else (DEVICE, station(1))
    made = Ether(src=ends[0], dst=ends[1]) / IP(src=source, dst=target) / UDP(sport=1, dport=1)
    return bytes(made).ljust(60, b"\0")


def test_receivers_may_be_known_by_their_addresses_of_ip(shared: Shared) -> None:
    shared.start(known_by=StationAddress.IP)
    shared.send("p1", [packet("10.0.0.1", "20.0.0.1")])
    shared.send("p3", [packet("10.0.0.3", "20.0.0.1")])
    to = {number: packet("20.0.0.1", f"10.0.0.{number}") for number in (1, 3, 5)}
    found = shared.send("p2", [to[1], to[3], to[5], to[3]])
    assert found == {"p1": [to[1], to[5]], "p3": [to[3], to[5], to[3]]}
    asks = bytes(Ether(src=DEVICE, dst=EVERYBODY) / ARP(psrc="20.0.0.1", pdst="10.0.0.3")).ljust(60, b"\0")
    assert shared.send("p2", [asks]) == {"p3": [asks]}
    other = frame(DEVICE, station(1))
    assert shared.send("p2", [other]) == {"p1": [other], "p3": [other]}
    assert shared.counters().directions[1].duplicated == 2


def test_events_and_delays_are_of_all_of_them(shared: Shared) -> None:
    delay = Impairment(heading=Heading.BACKWARD, delay=PathDelay(mean=Duration.parse("1 ms")))
    shared.start(
        Event(action=Drop(), number=3, heading=Heading.FORWARD),
        Event(action=Duplicate(), number=1, heading=Heading.BACKWARD),
        impaired=(delay,),
    )
    assert len(shared.send("p1", [frame(station(1), DEVICE)] * 2)["p2"]) == 2
    last = [frame(station(3), DEVICE, number) for number in range(2)]
    assert shared.send("p3", last) == {"p2": last[1:]}, "the third of the path is dropped"
    to_first, to_third = frame(DEVICE, station(1)), frame(DEVICE, station(3))
    assert shared.send("p2", [to_third, to_first]) == {"p1": [to_first], "p3": [to_third] * 2}
    fired = [event.fired for event in shared.counters().events]
    assert fired == [1, 1]


def test_their_links_are_not_taken_down_and_none_is_given_twice(shared: Shared) -> None:
    with pytest.raises(PlanError, match="with ports beside 'q1' it has no link that could be taken down"):
        shared.path(Event(action=LinkDown(duration=Duration.parse("1 s")), number=1))
    with pytest.raises(PlanError, match="known_by=ip: its first end is port 'q1' alone"):
        Path("load", ("q1", "q2"), known_by=StationAddress.IP)
    for beside in ("q1", "q2"):
        with pytest.raises(PlanError, match=f"beside={beside}: port '{beside}' is given twice"):
            Path("load", ("q1", "q2"), beside=(beside,))
    with pytest.raises(PlanError, match="there is no port 'q9'"):
        compile_job(
            Job("load", paths=(Path("load", ("q1", "q2"), beside=("q9",)),)),
            ports=shared.ports,
            gateways={},
            max_streams=1,
        )


def test_a_port_beside_another_one_is_the_paths_own(shared: Shared) -> None:
    shared.start()
    path = Path("other", ("q3", "p3"))
    plan = compile_job(Job("other", paths=(path,)), ports=shared.ports, gateways={}, max_streams=1)
    with pytest.raises(PlanError, match='"q3"'):
        shared.target.load(plan)


def test_a_switch_refuses_them_by_name() -> None:
    rig = SwitchPathRig()
    path = Path("load", ("p1", "p2"), beside=("p3",))
    plan = compile_job(Job("load", paths=(path,)), ports=rig.ports, gateways={}, max_streams=1)
    with pytest.raises(PlanError, match="path 'load': ports p3 beside 'p1': a switch learns no addresses"):
        rig.target.load(plan)
