# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testers with a path between two of their ports, and hosts at both ends, whatever the tester is."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from ipaddress import IPv4Interface
from typing import Protocol

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.measurement.snapshot import PathCounters
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.impairment import Impairment
from TesterLibrary.model.inline import Event, Path
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import LearningFrame, Plan
from TesterLibrary.model.ports import Port
from TesterLibrary.p4.outputs import shipped
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.base import Target
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.tofino.fake import Bridge, FakeDaemon, FakeSwitch, MakesPipelines
from TesterLibrary.targets.tofino.path.path_target import PathTarget
from TesterLibrary.targets.tofino.session.cabling import Cabling, FrontPort
from TesterLibrary.targets.tofino.session.program import Program
from TesterLibrary.targets.tofino.session.session import SwitchSession
from tests.program.compiled import compiled
from tests.program.path_pipelines import runs_paths

from .rig import SPEED, CopySender

_SETTLING_S = 0.05
_ISN = 0xFFFFFF00  # sequence numbers go round soon


def on_wire(packet: Packet) -> bytes:
    """A packet in Ethernet, filled up as a MAC does."""
    return bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / packet).ljust(60, b"\0")


def segment(number: int, *, sport: int = 4000, options: bool = False, payload: int = 100) -> bytes:
    """The data segment of a number, from 1, of a connection."""
    tcp = TCP(sport=sport, dport=80, flags="PA", seq=(_ISN + 100 * number) % (1 << 32), ack=7)
    if options:
        tcp.options = [("NOP", None), ("NOP", None), ("Timestamp", (number, 1))]
    return on_wire(IP(src="10.0.0.1", dst="10.0.0.2", flags="DF") / tcp / Raw(bytes(payload)))


def syn(*, sport: int = 4000, sequence: int = _ISN + 99) -> bytes:
    """The first packet of a connection."""
    return on_wire(IP(src="10.0.0.1", dst="10.0.0.2") / TCP(sport=sport, dport=80, flags="S", seq=sequence))


def acknowledgment(*, sport: int = 4000, sequence: int = _ISN + 100) -> bytes:
    """A packet that takes no sequence number."""
    tcp = TCP(sport=sport, dport=80, flags="A", seq=sequence, ack=7)
    return on_wire(IP(src="10.0.0.1", dst="10.0.0.2") / tcp)


def answer(*, sport: int = 4000) -> bytes:
    """A packet of the other end."""
    tcp = TCP(sport=80, dport=sport, flags="SA", seq=1, ack=2)
    return on_wire(IP(src="10.0.0.2", dst="10.0.0.1") / tcp)


def fate(sent: bytes, left: bytes | None) -> str:
    """The fate of a frame of TCP, as a word."""
    if left is None:
        return "dropped"
    if left == sent:
        return "passed"
    packet, rebuilt = Ether(left), Ether(left)
    rebuilt[IP].delfieldval("chksum")
    assert Ether(bytes(rebuilt))[IP].chksum == packet[IP].chksum
    if packet[IP].tos & 3 == 3:
        return "marked"
    was, now = (bytes(Ether(frame)[TCP].payload) for frame in (sent, left))
    return "corrupted" if now == bytes([was[0] ^ 0x80]) + was[1:] else "changed"


class PathRig(Protocol):
    """A tester with a path called `wan`."""

    target: Target
    ports: dict[str, Port]
    between: tuple[str, str]

    def pass_frames(self, frames: Sequence[bytes], *, back: bool = False) -> list[bytes]:
        """The frames that leave by the other port, in their order."""
        ...


def plan(
    rig: PathRig,
    *events: Event,
    job: str = "wan",
    impaired: tuple[Impairment, ...] = (),
    between: tuple[str, str] | None = None,
) -> Plan:
    """A job of one path, which has the job's name."""
    path = Path(job, between or rig.between, events, 16, impaired)
    return compile_job(Job(job, paths=(path,)), ports=rig.ports, gateways={}, max_streams=1)


def start(rig: PathRig, *events: Event) -> None:
    """Loads and starts a path."""
    rig.target.load(plan(rig, *events))
    rig.target.start(["wan"])


def fates(rig: PathRig, frames: Sequence[bytes], *, back: bool = False) -> list[str]:
    """The fates of frames, each sent when the one before it has left."""
    found = []
    for frame in frames:
        left = rig.pass_frames([frame], back=back)
        assert len(left) <= 1
        found.append(fate(frame, left[0] if left else None))
    return found


def counters(rig: PathRig) -> PathCounters:
    """The path's counters."""
    return rig.target.snapshot(["wan"]).path("wan", "wan")


def clear(rig: PathRig) -> None:
    """Removes what a test has left."""
    with suppress(PlanError):
        rig.target.unload(["wan"])


class Hosts(Bridge):
    """The stations behind the ports of a fake switch: they keep what reaches them, and send nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived: list[tuple[int, bytes]] = []  # device port and frame

    def forward(
        self,
        port: int,
        frame: bytes,
        now_ns: int,  # noqa: ARG002
        others: Collection[int],  # noqa: ARG002
    ) -> Iterator[tuple[int, int, bytes]]:
        self.arrived.append((port, frame))
        return iter(())


class SwitchPathRig:
    """A driver of a fake switch with the program of paths.

    Args:
        pipelines: What runs there in place of the fake's pipelines.
        connectors: Where its ports are.
        profile: The shipped profile.
        hosts: What is behind its ports.
    """

    between = ("p1", "p2")

    def __init__(
        self,
        pipelines: MakesPipelines | None = None,
        connectors: Sequence[str] = ("1/0", "2/0", "3/0", "4/0"),
        profile: str = "inline",
        hosts: Hosts | None = None,
    ) -> None:
        self.now_ns, self.hosts = 10**9, hosts or Hosts()
        folder = shipped(profile)
        program = Program.load(folder)
        daemon = self.daemon = FakeDaemon(folder, lambda: self.now_ns, self.hosts, pipelines=pipelines)
        front = tuple(
            FrontPort(
                Port(
                    f"p{number}",
                    SPEED,
                    bytes([2, 0, 0, 0, 0, number]),
                    9216,
                    IPv4Interface(f"198.18.0.{number + 1}/24"),
                ),
                connector,
            )
            for number, connector in enumerate(connectors, 1)
        )
        sender = CopySender(lambda: self.now_ns)
        copies = sender.lead_from(daemon, "32/3")
        cabling = Cabling(front, internal_pipes=(), has_cpu=False, chip=program.chip, copies=copies)
        self.session = SwitchSession(lambda: FakeSwitch(daemon), daemon.schema, cabling, sleep=self._sleep)
        self.path_target = PathTarget(self.session, program, now_ns=sender.now_ns)
        self.target: Target = self.path_target
        self.ports = {each.port.name: each.port for each in front}

    def pass_frames(self, frames: Sequence[bytes], *, back: bool = False) -> list[bytes]:
        into, out = (self.session.numbers[name] for name in (self.between[::-1] if back else self.between))
        self.hosts.arrived.clear()
        for frame in frames:
            self.daemon.running.chip.arrive(into, frame, self.now_ns)
            self.now_ns += 1000
        assert {port for port, _ in self.hosts.arrived} <= {out}
        return [frame for _, frame in self.hosts.arrived]

    def _sleep(self, seconds: float) -> None:
        self.now_ns += int(seconds * 1e9)


def path_rigs(request: pytest.FixtureRequest) -> Iterator[PathRig]:
    """For a fixture: the tester that its parameter names, `engine` or `tofino`."""
    if request.param == "engine":
        rig: PathRig = EnginePathRig(request.getfixturevalue("process"))
    elif os.environ.get("TESTER_SWITCH") == "program":
        rig = SwitchPathRig(runs_paths(compiled("inline")))
    elif os.environ.get("TESTER_SWITCH") == "model":
        pytest.skip("the model runs the program `tofino`, which has no paths")
    else:
        rig = SwitchPathRig()
    yield rig
    clear(rig)


class EnginePathRig:
    """An engine whose path is between q1 and q2, with cables to p1 and p2."""

    between = ("q1", "q2")

    def __init__(self, process: EngineProcess) -> None:
        self.target: Target = process.target()
        self.ports = {
            info.name: Port(
                info.name, SPEED, info.mac, info.max_frame_size, IPv4Interface(f"198.18.0.{n}/24")
            )
            for n, info in enumerate(self.target.capabilities().ports, 2)
        }

    def pass_frames(self, frames: Sequence[bytes], *, back: bool = False) -> list[bytes]:
        into, out = ("p2", "p1") if back else ("p1", "p2")
        self.target.captures.start(Capture("seen", (out,), frames=10_000))
        self.target.frames.inject([LearningFrame(into, frame) for frame in frames])
        time.sleep(_SETTLING_S)
        self.target.captures.stop("seen")
        seen = [frame.octets for frame in frames_of(self.target.captures.read("seen"))]
        self.target.captures.forget("seen")
        return seen
