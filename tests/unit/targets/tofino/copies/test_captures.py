# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures on a switch: copies that are lost, and what cannot be captured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import Dot1Q, Ether

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.measurement.capture import CaptureCounters
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.model.capture import Capture, CaptureTrigger, Direction, Keep, TracedPath, TriggerKind
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.plan.plan import LearningFrame
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.tofino.copies.copied_streams import CopiedStreams
from TesterLibrary.targets.tofino.copies.copies import MIRROR, Copies
from TesterLibrary.targets.tofino.copies.copy_record import TRANSMITTED, CopyRecord
from TesterLibrary.targets.tofino.session.cabling import Cabling
from tests.contract.path_rig import SwitchPathRig
from tests.contract.rig import SwitchRig

_PAGE = Path(__file__).parents[5] / "docs" / "capture.md"
_NUMBERS = "external.{}.copies.copying.numbers"
ARRIVALS = Capture("arrivals", ("p2",), Direction.RECEIVED)


@pytest.fixture
def rig() -> SwitchRig:
    return SwitchRig()


def copied_ports(rig: SwitchRig, gress: str = "ExternalIngress") -> list[int]:
    """The device ports whose packets the switch copies."""
    entries = rig.daemon.running.store.entries(f"external.{gress}.copies.ports")
    return [int(str(entry.key["port"])) for entry in entries]


def send(rig: SwitchRig, frames: Sequence[bytes]) -> None:
    """Frames leave by p1, and arrive at p2."""
    rig.target.frames.inject([LearningFrame("p1", frame.ljust(60, b"\0")) for frame in frames])
    rig.pass_time(0.01)
    rig.target.snapshot()


def numbered(first: int, last: int) -> list[bytes]:
    head = b"\xff" * 6 + bytes([2, 0, 0, 0, 0, 1]) + b"\x12\x34"
    return [head + bytes([number]) for number in range(first, last + 1)]


def lose(rig: SwitchRig, frames: Sequence[bytes]) -> None:
    """The same, but the mirror loses the copies."""
    mirrors = rig.daemon.running.chip.mirrors
    port = mirrors.pop(MIRROR)
    send(rig, frames)
    mirrors[MIRROR] = port


def kept(rig: SwitchRig, name: str = "arrivals") -> list[int]:
    """The last bytes of the frames of a capture that was stopped."""
    return [frame.octets[14] for frame in frames_of(rig.target.captures.read(name))]


def counts(counters: CaptureCounters) -> tuple[int, int, int, int]:
    return counters.seen, counters.matched, counters.dropped, counters.captured


def test_a_lost_copy_is_a_hole_and_is_counted(rig: SwitchRig) -> None:
    rig.target.captures.start(ARRIVALS)
    send(rig, numbered(1, 5))
    lose(rig, numbered(6, 8))
    (running,) = rig.target.snapshot().captures
    assert counts(running) == (8, 8, 3, 5)
    send(rig, numbered(9, 10))
    stopped = rig.target.captures.stop("arrivals")
    assert counts(stopped.counters) == (10, 10, 3, 7)
    assert kept(rig) == [1, 2, 3, 4, 5, 9, 10]
    assert rig.target.captures.stop("arrivals") == stopped


def test_a_lost_copy_may_have_been_of_a_frame_that_the_filter_wants(rig: SwitchRig) -> None:
    rig.target.captures.start(replace(ARRIVALS, filter="ether[14] = 2"))
    send(rig, numbered(1, 3))
    lose(rig, numbered(4, 5))
    assert counts(rig.target.captures.stop("arrivals").counters) == (5, 3, 2, 1)
    assert kept(rig) == [2]


def test_a_lost_copy_before_the_last_one_of_a_complete_capture_is_counted(rig: SwitchRig) -> None:
    rig.target.captures.start(replace(ARRIVALS, frames=3))
    send(rig, numbered(1, 2))
    mirrors = rig.daemon.running.chip.mirrors
    port = mirrors.pop(MIRROR)
    rig.target.frames.inject([LearningFrame("p1", frame.ljust(60, b"\0")) for frame in numbered(3, 4)])
    rig.pass_time(0.01)
    assert rig.daemon.running
    mirrors[MIRROR] = port
    send(rig, numbered(5, 9))
    (counters,) = rig.target.snapshot().captures
    assert (counters.running, *counts(counters)) == (False, 5, 5, 2, 3)
    assert counts(rig.target.captures.stop("arrivals").counters) == (5, 5, 2, 3)
    assert kept(rig) == [1, 2, 5]


def test_captures_share_the_copies_of_a_port(rig: SwitchRig) -> None:
    rig.target.captures.start(ARRIVALS)
    send(rig, numbered(1, 2))
    rig.target.captures.start(Capture("last", ("p2",), keep=Keep.LAST, frames=2))
    assert copied_ports(rig) == copied_ports(rig, "ExternalEgress") == [rig.session.numbers["p2"]]
    send(rig, numbered(3, 5))
    assert rig.target.captures.stop("arrivals").counters.seen == 5
    send(rig, numbered(6, 7))
    assert counts(rig.target.captures.stop("last").counters) == (5, 5, 0, 2)
    assert (kept(rig), kept(rig, "last")) == ([1, 2, 3, 4, 5], [6, 7])
    assert copied_ports(rig) == copied_ports(rig, "ExternalEgress") == []


def test_numbers_of_a_port_go_on_from_capture_to_capture(rig: SwitchRig) -> None:
    for name in ("first", "second"):
        rig.target.captures.start(replace(ARRIVALS, name=name))
        send(rig, numbered(1, 3))
        assert counts(rig.target.captures.stop(name).counters) == (3, 3, 0, 3)
    cells = rig.daemon.running.store.cells(
        _NUMBERS.format("ExternalIngress"), "ExternalIngress.copies.copying.numbers.f1"
    )
    assert [number for number in cells.values() if number] == [6]


def test_copies_that_come_to_nobody_are_a_broken_tester(rig: SwitchRig) -> None:
    rig.target.captures.start(ARRIVALS)
    store = rig.daemon.running.store
    store.delete(store.entries("external.ExternalEgress.carrier.carriers"))
    send(rig, numbered(1, 2))
    with pytest.raises(
        TargetError, match=r"capture 'arrivals': none of the 2 copies that are due has come to 127\.0\.0\.1"
    ):
        rig.target.captures.stop("arrivals")
    assert rig.target.captures.stop("arrivals").counters.dropped == 2, "it is stopped all the same"


@pytest.mark.parametrize("kind", TriggerKind)
def test_a_trigger_is_refused_by_name(rig: SwitchRig, kind: TriggerKind) -> None:
    wish = {TriggerKind.LATENCY: {"above": Duration(1)}, TriggerKind.FILTER: {"filter": "udp"}}.get(kind, {})
    trigger = CaptureTrigger(kind, **wish)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match=f"trigger={kind.name.lower()}; a switch waits for none.*keep=LAST"):
        rig.target.captures.start(replace(ARRIVALS, trigger=trigger))
    assert not copied_ports(rig)


def test_a_path_and_a_testbed_without_a_copy_port_are_refused(rig: SwitchRig) -> None:
    with pytest.raises(
        PlanError, match=r"trace: a switch does not forward .* a switch with the program `inline`"
    ):
        rig.target.captures.start(Capture("trace", traced=TracedPath("wan", "wan")))
    session = rig.session
    session.cabling = replace(session.cabling, copies=None)
    with pytest.raises(PlanError, match=r"'arrivals': the testbed has no copy port.*tester\.switch\.copies"):
        rig.target.captures.start(ARRIVALS)
    assert not rig.target.snapshot().captures


def test_a_capture_ends_with_the_daemon_of_the_switch(rig: SwitchRig) -> None:
    rig.target.captures.start(ARRIVALS)
    rig.daemon.start()
    with pytest.raises(TargetError):
        rig.target.snapshot()
    with pytest.raises(PlanError, match="no capture 'arrivals'"):
        rig.target.captures.stop("arrivals")
    rig.target.captures.start(ARRIVALS)
    send(rig, numbered(1, 2))
    assert rig.target.captures.stop("arrivals").counters.captured == 2


def test_a_switch_whose_driver_is_killed_copies_no_more(rig: SwitchRig) -> None:
    rig.target.captures.start(ARRIVALS)
    rig.session._switch.close()  # what a killed driver's process does
    assert not copied_ports(rig)


def test_a_closed_tester_copies_no_more(rig: SwitchRig) -> None:
    rig.target.captures.start(ARRIVALS)
    rig.target.close()
    assert not copied_ports(rig)
    assert not rig.daemon.running.chip.mirrors


def test_frames_of_a_stream_are_known_behind_a_device_that_tags_them(rig: SwitchRig) -> None:
    (stream,) = rig.load(rig.plan("north", frame_size=128)).streams
    rig.target.captures.start(Capture("left", ("p1",), Direction.TRANSMITTED, frames=2))
    rig.run(["north"], packets=2)
    rig.target.captures.stop("left")
    second = Ether(list(frames_of(rig.target.captures.read("left")))[1].octets)
    tagged = second.copy()
    tagged.type = 0x8100
    tagged.payload = Dot1Q(vlan=7, type=0x0800) / second.payload
    forged = second.copy()
    forged[UDP].payload.load = b"\x01" + bytes(forged[UDP].payload.load)[1:]
    rig.target.captures.start(ARRIVALS)
    chip = rig.daemon.running.chip
    for frame in (tagged, forged, Ether() / IP() / UDP() / (b"\0" * 30)):
        chip.arrive(rig.session.numbers["p2"], bytes(frame), rig.now_ns)
    rig.target.captures.stop("arrivals")
    found = [(f.stream_id, f.sequence) for f in frames_of(rig.target.captures.read("arrivals"))]
    assert found == [(stream.id, 1), (0, None), (0, None)]


def test_an_icmp_error_that_quotes_a_frame_is_of_no_stream(rig: SwitchRig) -> None:
    """The quoted signature is where that of another stream begins, whose headers are as long."""
    headers = HeaderStack.parse("Ether / IP / GRE(key_present=1) / IP / UDP")
    rig.load(rig.plan("long", headers=headers, frame_size=128, signature=False))
    rig.load(rig.plan("north", frame_size=128, first_id=2))
    rig.target.captures.start(Capture("left", ("p1",), Direction.TRANSMITTED, frames=1))
    rig.run(["north"], packets=1)
    rig.target.captures.stop("left")
    (frame,) = frames_of(rig.target.captures.read("left"))
    outer = Ether(src=frame.octets[6:12], dst=frame.octets[:6]) / IP(src="198.18.1.1", dst="198.18.1.2")
    quoted, echo = (
        bytes(outer / ICMP(type=kind) / frame.octets[14:]) for kind in ("time-exceeded", "echo-request")
    )
    assert quoted[70:86] == frame.octets[42:58], "the signature"
    rig.target.captures.start(ARRIVALS)
    for octets in (quoted, echo):
        rig.daemon.running.chip.arrive(rig.session.numbers["p2"], octets, rig.now_ns)
    rig.target.captures.stop("arrivals")
    arrived = [f.stream_id for f in frames_of(rig.target.captures.read("arrivals"))]
    assert arrived == [0, frame.stream_id]


@pytest.mark.parametrize("kind", ["0800", "8100", "86dd"])
def test_a_frame_that_is_cut_off_is_of_no_stream(kind: str) -> None:
    record = CopyRecord(1, TRANSMITTED, 0, 0, 0, bytes(12) + bytes.fromhex(kind))
    assert CopiedStreams().of(record) == (0, None)


def test_frames_of_several_sizes_have_a_stream_and_no_number(rig: SwitchRig) -> None:
    mix = Stream("mix", "p1", "p2", parse_frame_sizes("imix"), Rate.parse("10 kpps"))
    (stream,) = rig.load(compile_job(Job("mix", (mix,)), ports=rig.ports, gateways={}, max_streams=9)).streams
    rig.target.captures.start(ARRIVALS)
    rig.run(["mix"], packets=12)
    rig.target.captures.stop("arrivals")
    frames = list(frames_of(rig.target.captures.read("arrivals")))
    assert {(frame.stream_id, frame.sequence) for frame in frames} == {(stream.id, None)}
    assert len({frame.original_length for frame in frames}) == 3


def test_a_port_of_copies_is_of_an_external_pipeline_and_nothing_else() -> None:
    for front, problem in (
        ("1/0", "copy port 1/0 is port 'p1'; give copies a port of their own"),
        ("dev:64", "copy port dev:64 is cpu_port"),
        ("17/0", "copy port: device port 128 is of pipeline 1, whose ports loop"),
    ):
        rig = SwitchRig()
        session = rig.session
        cabling: Cabling = session.cabling
        assert cabling.copies is not None
        session.cabling = replace(cabling, copies=replace(cabling.copies, front=front))
        with pytest.raises(PlanError, match=problem):
            session.again()


def test_no_snapshot_waits_again_for_a_copy_that_is_lost(
    rig: SwitchRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.target.captures.start(ARRIVALS)
    lose(rig, numbered(1, 1))
    waits: list[float] = []
    monkeypatch.setattr(Copies, "wait", lambda _, missing: waits.append(missing()))
    assert [counters.dropped for _ in range(2) for counters in rig.target.snapshot().captures] == [1, 1]
    assert waits == [0, 0]


def _asked(what: str) -> Capture:
    """A capture of the kind of which a row of the page speaks."""
    gap = CaptureTrigger(TriggerKind.GAP)
    return {
        "`port`, `direction`, eight captures at once": replace(ARRIVALS, direction=Direction.BOTH),
        "`streams`": replace(ARRIVALS, streams=("north",)),
        "`filter`": replace(ARRIVALS, filter="udp"),
        "`keep`, `frames`, `snap_length`": replace(ARRIVALS, keep=Keep.LAST, frames=9, snap_length=64),
        "`parquet`": ARRIVALS,
        "`trigger`": replace(ARRIVALS, trigger=gap),
        "the path of `Start Trace`": replace(ARRIVALS, traced=TracedPath("wan", "wan")),
        "ports, with the program of paths": ARRIVALS,
        "anything, without `copies` in the testbed": ARRIVALS,
    }[what]


def _rows() -> list[list[str]]:
    table = _PAGE.read_text(encoding="utf-8").split("| a capture | on a switch |")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.split("|")[1:3]] for line in table.splitlines()[2:]]


@pytest.mark.parametrize(("what", "said"), _rows(), ids=str)
def test_the_page_says_what_a_switch_captures_and_what_it_refuses(what: str, said: str) -> None:
    rig: SwitchRig | SwitchPathRig = SwitchPathRig() if "program of paths" in what else SwitchRig()
    if "without" in what:
        rig.session.cabling = replace(rig.session.cabling, copies=None)
    if said == "yes":
        rig.target.captures.start(_asked(what))
        return
    with pytest.raises(PlanError, match=said.removeprefix("no: ")):
        rig.target.captures.start(_asked(what))
