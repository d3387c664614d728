# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps of a switch with the program of paths: what it measures, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.packet import Raw

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.measurement.snapshot import StampDirectionCounters
from TesterLibrary.measurement.stamps import packets_of
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.inline import Drop, Event, Path
from TesterLibrary.model.job import Job
from TesterLibrary.model.stamps import Kept, LoadedPath, StampMode, Stamps
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.switch.stamps import GROUPS
from TesterLibrary.targets.base import part_of
from TesterLibrary.targets.tofino.entries.latency import PERCENTILE_ERROR
from TesterLibrary.targets.tofino.path.stamp_entries import BUCKETS, STAMP_PORTS, STAMP_WATCHES
from tests.contract.path_rig import on_wire
from tests.contract.stamp_rig import (
    Does,
    SwitchAround,
    SwitchStampRig,
    counters,
    load_paths,
    load_stamps,
    start,
)

SECOND = 10**9
FRAME = on_wire(IP(src="10.0.0.1", dst="10.0.0.2") / TCP(sport=4000, dport=80) / Raw(b"data"))
HEADERS = HeaderStack.parse("IP / TCP")
TABLES = (STAMP_PORTS, STAMP_WATCHES, BUCKETS)


def held(rig: SwitchStampRig) -> list[int]:
    return [len(rig.daemon.running.store.entries(table)) for table in TABLES]


def made(does: Does | None = None, **changes: Any) -> SwitchAround:
    """Started stamps around a device that does this."""
    rig = SwitchStampRig()
    if does is not None:
        rig.device.does = does
    around = SwitchAround(rig)
    start(around, **{"heading": Heading.FORWARD, **changes})
    return around


def only(around: SwitchAround) -> StampDirectionCounters:
    (found,) = counters(around)
    return found


def after(*delays_ns: int) -> Does:
    """A device that sends each packet so often, so long after it came."""
    return lambda frame, now_ns: [(now_ns + delay, frame) for delay in delays_ns]


def test_entries_come_and_go() -> None:
    rig = SwitchStampRig()
    around = SwitchAround(rig)
    load_paths(around)
    assert held(rig) == [0, 0, 0]
    load_stamps(around, headers=HEADERS)
    scale = held(rig)[2]
    assert held(rig) == [0, 4, scale]
    rig.target.start(["stamps"])
    assert held(rig) == [4, 4, scale]
    rig.target.stop(["stamps"])
    assert held(rig) == [2, 4, scale]
    rig.target.unload(["stamps"])
    assert held(rig) == [0, 0, 0]


def test_times_are_exact_but_for_percentiles() -> None:
    delays = iter([5_000, 7_000, 1_000_000, 900] * 25)
    around = made(lambda frame, now_ns: [(now_ns + next(delays), frame)])
    around.rig.through([FRAME] * 100, gap_ns=2 * 10**6)
    found = only(around)
    assert (found.sent, found.received) == (100, 100)
    assert (found.duplicated, found.reordered, found.behind) == (0, 0, 0)
    delay = packets_of(found, PERCENTILE_ERROR).delay
    assert (delay.count, delay.min, delay.max, delay.mean) == (100, 900, 1_000_000, 253_225)
    figure = delay.figure_at(50)
    assert figure is not None
    assert figure.least <= 5_000 <= figure.most


@pytest.mark.parametrize("begin_ns", [(1 << 32) - 500, 3 * (1 << 32) - 1, (1 << 32) - 10**6, 1 << 40])
def test_times_go_on_where_their_lower_half_wraps(begin_ns: int) -> None:
    around = made(after(2000))
    around.rig.now_ns = begin_ns
    around.rig.through([FRAME] * 10, gap_ns=3000)
    found = only(around)
    assert (found.received, found.late, found.unstamped, found.behind) == (10, 0, 0, 0)
    assert (found.delay.min_ns, found.delay.max_ns, found.delay.sum_ns) == (2000, 2000, 20_000)


@pytest.mark.parametrize("gap_ns", [SECOND, 2 * SECOND])
@pytest.mark.parametrize("begin_ns", [1 << 46, (1 << 47) - 4 * SECOND, 3 << 46, (1 << 48) - 4 * SECOND])
def test_order_is_known_however_long_the_clock_runs(begin_ns: int, gap_ns: int) -> None:
    """Its times wrap after 78 hours."""
    delays = iter([2000] * 8 + [3 * gap_ns // 2, 2000])
    around = made(lambda frame, now_ns: [(now_ns + next(delays), frame)], timeout=Duration(4 * SECOND))
    around.rig.now_ns = begin_ns
    around.rig.through([FRAME] * 8, gap_ns=gap_ns)
    assert (only(around).received, only(around).behind) == (8, 0)
    around.rig.through([FRAME] * 2, gap_ns=gap_ns)
    around.rig.now_ns += 2 * gap_ns
    assert (only(around).received, only(around).behind) == (10, 1)


@pytest.mark.parametrize("gap_ns", [2 * SECOND, 3 * SECOND, 5 * SECOND, 20 * SECOND])
def test_a_pause_changes_no_order(gap_ns: int) -> None:
    around = made()
    around.rig.through([FRAME] * 4, gap_ns=gap_ns)
    assert (only(around).received, only(around).reordered) == (4, 0)


@pytest.mark.parametrize("late_ns", [SECOND + 1, 4 * SECOND, 5 * SECOND, 9 * SECOND, 50 * SECOND])
def test_a_packet_that_comes_back_after_the_timeout_is_late(late_ns: int) -> None:
    around = made(after(late_ns))
    around.rig.through([FRAME], gap_ns=60 * SECOND)
    found = only(around)
    assert (found.sent, found.received, found.late, found.unstamped) == (1, 0, 1, 0)
    assert around.rig.hosts.arrived[0][1] == FRAME


def test_a_packet_that_comes_back_in_the_last_moment_is_not_late() -> None:
    around = made(after(SECOND))
    around.rig.through([FRAME], gap_ns=2 * SECOND)
    assert (only(around).received, only(around).late) == (1, 0)


def test_what_comes_twice_is_not_told_from_what_is_overtaken() -> None:
    around = made(after(1000, 1000))
    around.rig.through([FRAME] * 3, gap_ns=3000)
    found = only(around)
    assert (found.sent, found.received, found.behind) == (3, 6, 3)
    assert (found.duplicated, found.reordered) == (None, None)
    packets = packets_of(found)
    assert (packets.lost, packets.most_lost, packets.copies) == (0, 0, 3)


def test_packets_that_are_overtaken_may_be_copies_in_the_place_of_lost_ones() -> None:
    delays = iter([5000, 1000, 1000, None])

    def does(frame: bytes, now_ns: int) -> list[tuple[int, bytes]]:
        delay = next(delays)
        return [] if delay is None else [(now_ns + delay, frame)]

    around = made(does)
    around.rig.through([FRAME] * 4, gap_ns=2000)
    around.rig.now_ns += 10_000
    found = only(around)
    assert (found.sent, found.received, found.behind) == (4, 3, 1)
    packets = packets_of(found)
    assert (packets.lost, packets.most_lost, packets.loss_bounds[1]) == (1, 2, Fraction(1, 2))


def test_a_stop_lets_packets_come_back_and_a_start_begins_anew() -> None:
    around = made(after(5000))
    around.rig.through([FRAME], gap_ns=1000)
    around.target.stop(["stamps"])
    assert (only(around).sent, only(around).received) == (1, 0)
    around.rig.now_ns += 10_000
    assert (only(around).sent, only(around).received) == (1, 1)
    around.target.start(["stamps"])
    found = only(around)
    assert (found.sent, found.received, found.last_sent_ns, found.delay.count) == (0, 0, 0, 0)
    around.rig.through([FRAME], gap_ns=10_000)
    found = only(around)
    assert (found.sent, found.delay.count, sum(found.delay.buckets.values())) == (1, 1, 1)


def test_what_is_not_started_has_counted_nothing() -> None:
    around = SwitchAround()
    load_paths(around)
    load_stamps(around)
    assert [found.sent for found in counters(around)] == [0, 0]


def test_bytes_of_a_path_are_those_that_arrived() -> None:
    around = made()
    around.pass_frames([FRAME])
    snapshot = around.target.snapshot(["before", "stamps"])
    assert snapshot.path("before", "before").directions[0].forwarded_bytes == len(FRAME) + 4


def test_when_a_packet_was_sent_is_when_the_driver_saw_it() -> None:
    around = made()
    around.pass_frames([FRAME])
    first = only(around).last_sent_ns
    assert first == around.rig.now_ns
    around.rig.now_ns += 1000
    assert only(around).last_sent_ns == first


def test_ports_of_different_pipelines_have_stamps() -> None:
    """One direction counts in the pipe of one port, and clocks are one."""
    rig = SwitchStampRig(connectors=("1/0", "17/0", "33/0", "49/0"))
    rig.device.does = after(1000)
    around = SwitchAround(rig)
    start(around)
    for back in (False, True):
        rig.through([FRAME] * 5, back=back, gap_ns=3000)
    assert [(one.sent, one.received, one.delay.sum_ns) for one in counters(around)] == [(5, 5, 5000)] * 2


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"mode": StampMode.MATCH}, "a switch remembers no packet, .* give mode=stamp, or use a testerd"),
    (
        {"mode": StampMode.MATCH, "kept": (Kept.PAYLOAD,), "data_only": True},
        "a switch remembers no packet, so it knows none again by what the device keeps of it",
    ),
    ({"remove": False}, "a switch takes each stamp out again; leave remove out"),
    ({"flows": 100}, ".* not by flows or by intervals; leave flows out, or use a testerd"),
    ({"interval": Duration(10**9)}, ".* not by flows or by intervals; leave interval out"),
    ({"timeout": Duration(5 * SECOND)}, "a switch tells times of 4 s at most, and timeout=5 s; give"),
    (
        {"headers": HeaderStack.parse("IP / UDP / VXLAN / Ether / IP / TCP")},
        "a switch does not look into a tunnel, and stamps no packet in one of VXLAN",
    ),
    (
        {"headers": HeaderStack.parse("IP / UDP / GTP_U_Header / IP / UDP")},
        "a switch does not look into a tunnel, and stamps no packet in one of GTP_U",
    ),
    (
        {"headers": HeaderStack.parse("IPv6 / TCP")},
        "a switch stamps packets of TCP and UDP in IPv4 only, .* give headers=IP / TCP",
    ),
    ({"headers": HeaderStack.parse("IP(ttl=64) / TCP")}, ".* these headers have more, in byte 22"),
    ({"headers": HeaderStack.parse("IP / TCP(flags=S)")}, ".* these headers have more, in byte 46"),
]


@pytest.mark.parametrize(("changes", "why"), REFUSED)
def test_what_a_switch_has_not_is_refused_by_name(changes: dict[str, Any], why: str) -> None:
    around = SwitchAround()
    load_paths(around)
    with pytest.raises(PlanError, match=f"stamps 'load': {why}"):
        load_stamps(around, **changes)
    assert held(around.rig) == [0, 0, 0]
    load_stamps(around)


@pytest.mark.parametrize("heading", [Heading.FORWARD, Heading.BOTH])
def test_an_event_that_would_hide_what_comes_back_is_refused(heading: Heading) -> None:
    around = SwitchAround()
    event = Event(action=Drop(), number=3, flow=1, headers=HEADERS, heading=Heading.FORWARD)
    load_paths(around, behind=[event])
    with pytest.raises(PlanError, match=r"event .* of path 'behind' drops packets that come from"):
        load_stamps(around, heading=heading)
    load_stamps(around, heading=Heading.BACKWARD)


def test_an_event_before_the_device_is_none_of_its_losses() -> None:
    around = SwitchAround()
    event = Event(action=Drop(), number=1, flow=1, headers=HEADERS, heading=Heading.FORWARD)
    load_paths(around, before=[event])
    load_stamps(around, heading=Heading.FORWARD)
    for job in ("stamps", "before", "behind"):
        around.target.start([job])
    assert around.pass_frames([FRAME])[1] == []
    assert (only(around).sent, only(around).received) == (0, 0)


def test_flows_are_refused_where_they_are_asked_for() -> None:
    around = made()
    with pytest.raises(PlanError, match="does not count stamped packets by flows or by intervals"):
        part_of(around.target, "stamps")


def test_there_is_room_for_so_many_groups() -> None:
    connectors = [f"{connector}/{channel}" for connector in range(1, 33) for channel in range(4)]
    rig = SwitchStampRig(connectors=connectors[: 4 * (GROUPS + 1)])

    def load(job: Job) -> None:
        rig.target.load(compile_job(job, ports=rig.ports, gateways={}, max_streams=1))

    def group(number: int) -> Iterator[Job]:
        ports = [f"p{4 * number + port}" for port in (1, 2, 3, 4)]
        names = f"a{number}", f"b{number}"
        yield Job(names[0], paths=(Path(names[0], (ports[0], ports[1])),))
        yield Job(names[1], paths=(Path(names[1], (ports[2], ports[3])),))
        first, second = (LoadedPath(name, name) for name in names)
        yield Job(f"s{number}", stamps=(Stamps(name=f"s{number}", paths=(first, second)),))

    for number in range(GROUPS):
        for job in group(number):
            load(job)
    *paths, last = group(GROUPS)
    for job in paths:
        load(job)
    with pytest.raises(PlanError, match=f"stamps 's{GROUPS}': a switch has {GROUPS} groups of stamps"):
        load(last)
    rig.target.unload(["s3"])
    load(last)


def test_a_daemon_that_was_restarted_has_its_stamps_again() -> None:
    around = made()
    around.rig.daemon.stop()
    around.rig.daemon.start()
    with pytest.raises(TargetError, match="3 jobs are loaded anew and not started"):
        around.target.snapshot()
    for job in ("stamps", "before", "behind"):
        around.target.start([job])
    around.pass_frames([FRAME])
    assert (only(around).sent, only(around).received) == (1, 1)


def test_stamps_of_a_path_that_is_gone_stamp_nothing() -> None:
    around = made()
    around.target.unload(["before"])
    assert held(around.rig)[:2] == [0, 0]
    around.target.unload(["stamps", "behind"])
    assert held(around.rig) == [0, 0, 0]


def test_udp_may_look_like_a_stamp() -> None:
    """A payload of the host's own that begins like a stamp is left alone if its time is none of ours."""
    around = made()
    payload = bytes.fromhex("0f11") + b"\x55" * 30
    frame = on_wire(IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=2) / Raw(payload))
    assert around.pass_frames([frame]) == ([frame], [frame])
    assert (only(around).occupied, only(around).unstamped) == (1, 1)


@pytest.mark.parametrize("back", [False, True])
def test_what_a_device_sends_back_is_none_of_the_other_direction(back: bool) -> None:
    """It would stand for a packet that the other direction has lost. Whoever sent it has it as it was."""
    around = made(heading=Heading.BOTH)
    around.rig.device.turns = lambda: True
    assert around.pass_frames([FRAME] * 3, back=back)[1] == [FRAME] * 3
    there, other = counters(around)[:: -1 if back else 1]
    assert (there.sent, there.received) == (3, 0)
    assert (other.sent, other.received, other.late, other.behind, other.unstamped) == (0, 0, 0, 0, 0)


def test_a_datagram_that_is_shorter_than_its_header_gets_no_stamp() -> None:
    """Behind the device nobody would find it."""
    packet = IP(src="10.0.0.1", dst="10.0.0.2", len=27) / UDP(sport=1, dport=2, len=8)
    frame = on_wire(packet)
    around = made()
    assert around.pass_frames([frame]) == ([frame], [frame])
    assert (only(around).sent, only(around).unfit) == (0, 1)
