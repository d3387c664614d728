# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The driver of a switch with the program of paths: what it loads, refuses and takes down again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.inline import Drop, Event
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import LearningFrame, Plan
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.base import part_of
from TesterLibrary.targets.tofino.path.path_entries import FLOWS, NUMBERED, PORTS, REPEATED, WATCHES
from TesterLibrary.targets.tofino.path.path_target import PathTarget
from TesterLibrary.targets.tofino.session.opening import open_switch
from tests.contract.path_rig import SwitchPathRig, counters, fates, on_wire, plan, segment, start, syn

from ..rig import cabling

HEADERS = HeaderStack.parse("IP / TCP")
EVENT = Event(action=Drop(), number=3, flow=1, headers=HEADERS, heading=Heading.FORWARD, data_only=True)
TABLES = (PORTS, WATCHES, FLOWS, NUMBERED, REPEATED)


def held(rig: SwitchPathRig) -> list[int]:
    return [len(rig.daemon.running.store.entries(table)) for table in TABLES]


@pytest.mark.parametrize("profile", ["inline", "inline2"])
def test_entries_come_and_go(profile: str) -> None:
    rig = SwitchPathRig(profile=profile)
    rig.target.load(plan(rig, EVENT, replace(EVENT, iteration=2)))
    assert held(rig) == [0, 2, 1, 2, 2]
    rig.target.start(["wan"])
    assert held(rig) == [6, 2, 1, 2, 2]
    rig.target.stop(["wan"])
    assert held(rig) == [0, 2, 1, 2, 2]
    rig.target.unload(["wan"])
    assert held(rig) == [0] * 5


def test_a_switch_is_opened_by_its_program() -> None:
    target = open_switch("fake", cabling(), program="tester", build="inline", cpu_interface="")
    assert isinstance(target, PathTarget)
    found = target.capabilities()
    assert (found.target, found.version) == ("tofino", "inline: paths")
    assert (found.max_paths, found.max_streams) == (1, 0)
    target.close()


def test_what_happened_when_is_not_counted() -> None:
    rig = SwitchPathRig()
    start(rig, EVENT)
    fates(rig, [segment(number) for number in (1, 2, 3)])
    (event,) = counters(rig).events
    assert (event.fired, event.first_fired_ns, event.last_fired_ns) == (1, None, None)


def test_all_frames_of_a_port_are_counted_and_none_lost_in_silence() -> None:
    rig = SwitchPathRig()
    rig.target.load(plan(rig))
    assert rig.pass_frames([segment(1)]) == []  # it does not forward yet
    rig.target.start(["wan"])
    rig.pass_frames([segment(2)])
    port = rig.target.snapshot().port("p1")
    assert (port.rx_packets, port.rx_foreign) == (2, 2)
    assert counters(rig).directions[0].received == 1
    assert rig.target.snapshot().port("p2").tx_packets == 1
    rig.daemon.set_link(rig.session.numbers["p2"], up=False)
    assert rig.target.snapshot().port("p2").link_up is False


def test_a_connection_that_is_opened_anew_is_a_doubt() -> None:
    rig = SwitchPathRig()
    start(rig, EVENT)
    assert fates(rig, [syn(), syn()]) == ["passed"] * 2  # the second one was sent again
    assert counters(rig).untracked == 0
    fates(rig, [syn(sequence=77)])
    assert (counters(rig).untracked, counters(rig).flows) == (1, 1)


def test_flows_that_share_a_place_are_a_doubt() -> None:
    rig = SwitchPathRig()
    start(rig, replace(EVENT, flow=60_000))
    draw = Random(1)
    ends = sorted({(f"10.0.{draw.randrange(256)}.1", draw.randrange(1, 1 << 16)) for _ in range(2000)})
    packets = (IP(src=source, dst="10.0.0.2") / TCP(sport=sport, dport=80) for source, sport in ends)
    rig.pass_frames(list(map(on_wire, packets)))
    path = counters(rig)
    assert 0 < path.untracked < 100  # 2000 ** 2 / 2 / 65,536 are 31
    assert path.flows == len(ends) - path.untracked


def test_flows_that_share_a_place_are_known_apart_by_32_bits() -> None:
    """The lower 16 bits of both checks are the same, too."""
    rig = SwitchPathRig()
    start(rig, EVENT)
    first = IP(src="10.0.0.1", dst="10.0.0.2") / TCP(sport=4000, dport=80)
    second = IP(src="10.108.101.17", dst="10.0.143.2") / TCP(sport=4000, dport=80)
    rig.pass_frames([on_wire(first), on_wire(second)])
    path = counters(rig)
    assert (path.flows, path.untracked) == (1, 1)


def test_ports_of_different_pipelines_have_paths_without_events() -> None:
    rig = SwitchPathRig(connectors=("1/0", "17/0"))
    with pytest.raises(PlanError, match=r"path 'wan': .* 'p1' of pipeline 0, 'p2' of pipeline 1; take"):
        rig.target.load(plan(rig, EVENT))
    assert held(rig) == [0] * 5
    rig.target.load(plan(rig))
    rig.target.start(["wan"])
    assert rig.pass_frames([segment(1)]) == [segment(1)]
    assert rig.pass_frames([segment(1)], back=True) == [segment(1)]


def test_paths_have_ports_of_their_own_and_one_has_events() -> None:
    rig = SwitchPathRig()
    start(rig, EVENT)
    with pytest.raises(PlanError, match="path 'lan': port 'p2' belongs to path 'wan'"):
        rig.target.load(plan(rig, job="lan", between=("p2", "p3")))
    with pytest.raises(PlanError, match="path 'lan': path 'wan' has events already"):
        rig.target.load(plan(rig, EVENT, job="lan", between=("p3", "p4")))
    rig.target.load(plan(rig, job="lan", between=("p3", "p4")))
    rig.target.start(["lan"])
    fates(rig, [segment(number) for number in (1, 2)])
    rig.between = ("p3", "p4")
    rig.pass_frames([segment(number) for number in (3, 4, 5)])
    path = rig.target.snapshot().path("lan", "lan")
    assert (path.directions[0].received, path.directions[0].unmatched, path.untracked) == (3, 0, 0)
    assert counters(rig).events[0].matched == 2
    with pytest.raises(PlanError, match="job 'wan' is forwarding already; stop it first"):
        rig.target.start(["wan"])


def _stream(rig: SwitchPathRig) -> Any:
    stream = Stream("north", "p1", "p2", FrameSize(128), Rate.parse("1 kpps"))
    rig.target.load(compile_job(Job("north", (stream,)), ports=rig.ports, gateways={}, max_streams=1))


@pytest.mark.parametrize(
    ("asks", "why"),
    [
        (_stream, "stream 'north': the program of this switch has paths, and no traffic of its own; load"),
        (
            lambda rig: rig.target.load(Plan("new", 1, (), learning=(LearningFrame("p1", bytes(60)),))),
            "1 frames for port 'p1': the program of paths forwards what others send",
        ),
        (
            lambda rig: part_of(rig.target, "frames"),
            "a switch with the program inline sends no single frames and asks for no MAC address",
        ),
        (
            lambda rig: rig.target.captures.start(Capture("seen", ("p1",))),
            "capture 'seen': the program of paths copies the packets of a path: Start Trace",
        ),
        (
            lambda rig: part_of(rig.target, "queries"),
            "a switch with the program inline does not count packets by keys",
        ),
        (lambda rig: rig.target.flip(["wan"]), "streams of wan carry no version"),
        (lambda rig: rig.target.load(plan(rig)), "a job 'wan' is loaded already"),
        (lambda rig: rig.target.start(["nope"]), "no job 'nope' is loaded"),
    ],
)
def test_what_it_has_not_is_refused_and_the_path_goes_on(
    asks: Callable[[SwitchPathRig], object], why: str
) -> None:
    rig = SwitchPathRig()
    start(rig, EVENT)
    before = held(rig)
    with pytest.raises(PlanError, match=why):
        asks(rig)
    assert held(rig) == before
    assert fates(rig, [segment(1)]) == ["passed"]


def test_a_daemon_that_was_restarted_has_its_jobs_again() -> None:
    rig = SwitchPathRig()
    start(rig, EVENT)
    rig.daemon.stop()
    rig.daemon.start()
    with pytest.raises(TargetError, match="it was reached again, 1 jobs are loaded anew and not started"):
        rig.target.snapshot()
    assert not counters(rig).forwarding
    rig.target.start(["wan"])
    assert fates(rig, [segment(number) for number in (1, 2, 3)]) == ["passed", "passed", "dropped"]


def test_a_path_of_a_driver_that_died_ends() -> None:
    rig = SwitchPathRig()
    start(rig, EVENT)
    rig.session._switch.close()  # as the vendor's client does when its driver is killed
    assert rig.daemon.running.store.entries(PORTS) == []


def test_a_thousand_events_are_loaded_and_happen() -> None:
    rig = SwitchPathRig()
    start(rig, *(replace(EVENT, number=number) for number in range(1, 1001)))
    assert rig.pass_frames([segment(number) for number in range(1, 1002)]) == [segment(1001)]
    assert [event.fired for event in counters(rig).events] == [1] * 1000
