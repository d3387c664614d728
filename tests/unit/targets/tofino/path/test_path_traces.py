# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Traces of paths in a switch: copies that are lost, and traces that cannot be."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Interface
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.measurement.traces.trace import PathTrace
from TesterLibrary.model.capture import Capture, TracedPath
from TesterLibrary.targets.tofino.copies.copies import MIRROR, carriers
from TesterLibrary.targets.tofino.copies.copy_receiver import CopyReceiver
from TesterLibrary.targets.tofino.copies.copy_record import CopyRecord, series_of
from TesterLibrary.targets.tofino.path.path_entries import EGRESS, PORTS
from TesterLibrary.targets.tofino.session import cabling as cabling_module
from TesterLibrary.targets.tofino.session.cabling import LONGEST_COPY, CopyPort
from tests.contract.path_rig import SwitchPathRig, plan, segment, start

TRACE = Capture("trace", traced=TracedPath("wan", "wan"))


def frames(first: int, last: int) -> list[bytes]:
    return [segment(number) for number in range(first, last + 1)]


def test_a_copy_that_is_lost_leaves_a_hole_and_the_path_goes_on() -> None:
    rig = SwitchPathRig()
    start(rig)
    rig.target.captures.start(TRACE)
    rig.pass_frames(frames(1, 5))
    session = rig.daemon.running.chip.mirrors.pop(MIRROR)
    assert len(rig.pass_frames(frames(6, 8))) == 3
    rig.daemon.running.chip.mirrors[MIRROR] = session
    rig.pass_frames(frames(9, 10))
    counters = rig.target.captures.stop("trace").counters
    assert (counters.seen, counters.matched, counters.dropped, counters.captured) == (10, 10, 3, 7)
    found = [frame.sequence for part in rig.target.captures.read("trace") for frame in part]
    assert found == [0, 1, 2, 3, 4, 8, 9]
    trace = PathTrace("wan", (), received=10, due=10, dropped=3)
    assert "3 of which found no room" in trace.doubt


def test_a_copy_that_comes_to_nobody_is_dropped_by_the_egress() -> None:
    rig = SwitchPathRig()
    start(rig)
    rig.target.captures.start(TRACE)
    store = rig.daemon.running.store
    store.delete(store.entries(carriers(EGRESS)))
    rig.pass_frames(frames(1, 2))
    with pytest.raises(
        TargetError, match=r"trace: none of the 2 copies that are due has come to 127\.0\.0\.1"
    ):
        rig.target.captures.stop("trace")
    assert rig.target.captures.stop("trace").counters.dropped == 2, "it is stopped all the same"


def test_two_paths_are_traced_at_once() -> None:
    rig = SwitchPathRig()
    rig.target.load(plan(rig))
    rig.target.load(plan(rig, job="lan", between=("p3", "p4")))
    rig.target.start(["wan", "lan"])
    rig.target.captures.start(TRACE)
    rig.target.captures.start(Capture("other", traced=TracedPath("lan", "lan")))
    rig.pass_frames(frames(1, 3))
    assert rig.target.captures.stop("other").counters.seen == 0
    assert rig.target.captures.stop("trace").counters.captured == 3
    mirrored = {entry.data["series"] for entry in rig.daemon.running.store.entries(PORTS)}
    assert mirrored == {0}


def test_a_trace_that_is_forgotten_while_it_runs_is_ended() -> None:
    rig = SwitchPathRig()
    start(rig)
    rig.target.captures.start(TRACE)
    rig.target.captures.forget("trace")
    assert {entry.data["series"] for entry in rig.daemon.running.store.entries(PORTS)} == {0}
    assert rig.pass_frames(frames(1, 2)) == frames(1, 2)


def test_ports_of_two_pipelines_and_a_testbed_without_a_copy_port_are_refused() -> None:
    rig = SwitchPathRig(connectors=("1/0", "17/0"))
    start(rig)
    with pytest.raises(PlanError, match="ports of the path belong to pipelines 0 and 1 of the switch"):
        rig.target.captures.start(TRACE)
    rig = SwitchPathRig()
    rig.session.cabling = replace(rig.session.cabling, copies=None)
    start(rig)
    with pytest.raises(PlanError, match=r"trace: the testbed has no copy port.*give tester\.switch\.copies"):
        rig.target.captures.start(TRACE)


def test_a_trace_ends_with_the_daemon_of_the_switch() -> None:
    rig = SwitchPathRig()
    start(rig)
    rig.target.captures.start(TRACE)
    rig.daemon.start()
    with pytest.raises(TargetError):
        rig.target.snapshot()
    with pytest.raises(PlanError, match="there is no capture 'trace'"):
        rig.target.captures.stop("trace")
    rig.target.start(["wan"])
    rig.target.captures.start(TRACE)
    rig.pass_frames(frames(1, 2))
    assert rig.target.captures.stop("trace").counters.captured == 2


def test_a_record_is_what_its_datagram_says() -> None:
    record = CopyRecord(255, 1, 65535, (1 << 32) - 1, (1 << 48) - 1, b"frame")
    assert CopyRecord.parse(record.octets) == record
    assert record.octets[:3] == bytes((5, 255, 1))
    assert series_of(record.octets) == 255
    assert series_of(record.octets[:14]) == series_of(b"\0" + record.octets[1:]) == 0


def test_an_address_that_is_not_of_this_machine_is_refused() -> None:
    with pytest.raises(TargetError, match=r"copies of packets come to 192\.0\.2\.77, which is no address"):
        CopyReceiver(IPv4Interface("192.0.2.77/24").ip)


@pytest.mark.parametrize(
    ("mtu", "refusal"),
    [
        (
            None,
            "copies.interface eth9: .*give the interface .* to which the switch's port 3/0 leads",
        ),
        (1500, "takes packets of 1,500 bytes, and a copy .* has 1,557: ip link set eth9 mtu 9000"),
        (LONGEST_COPY, ""),
    ],
)
def test_the_interface_is_there_and_takes_copies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mtu: int | None, refusal: str
) -> None:
    monkeypatch.setattr(cabling_module, "_INTERFACES", tmp_path)
    if mtu is not None:
        (tmp_path / "eth9").mkdir()
        (tmp_path / "eth9" / "address").write_text("02:00:00:00:00:09\n")
        (tmp_path / "eth9" / "mtu").write_text(f"{mtu}\n")
    host = IPv4Interface("10.9.0.1/30")
    if refusal:
        with pytest.raises(TargetError, match=refusal):
            CopyPort.of("3/0", "eth9", host, speed_bps=10**10)
        return
    port = CopyPort.of("3/0", "eth9", host, speed_bps=10**10)
    assert (port.mac, str(port.source)) == (bytes.fromhex("020000000009"), "10.9.0.2")
    assert str(replace(port, host=IPv4Interface("10.9.0.2/30")).source) == "10.9.0.1"
