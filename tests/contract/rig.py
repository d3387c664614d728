# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A target with two ports connected to each other, and what tests do with it again and again."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv4Interface
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth, Duration, FrameSize, Rate
from TesterLibrary.p4.build import shipped
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.switch.chip import chip_of
from TesterLibrary.planning.switch.meter import TofinoMeter
from TesterLibrary.running.clock import Clock
from TesterLibrary.targets.base import Target
from TesterLibrary.targets.fake import FakeTarget, fake_port
from TesterLibrary.targets.fake.device import FakeDevice, FakePath
from TesterLibrary.targets.fake.shared import SharedFake
from TesterLibrary.targets.joined import JoinedTarget
from TesterLibrary.targets.tofino.copies.copy_receiver import THREAD as COPY_RECEIVER
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.fake import FakeDaemon, FakeSwitch, MakesPipelines, Wire
from TesterLibrary.targets.tofino.session.cabling import Cabling, CopyPort, FrontPort
from TesterLibrary.targets.tofino.session.program import Program
from TesterLibrary.targets.tofino.session.session import SwitchSession

SPEED = Bandwidth(10**9)
PATIENCE = Duration(20 * 10**9)
SWAPPED = os.environ.get("TESTER_SWAP_PORTS") == "1"  # whether p2 is the first port of a tester
# CPUs of an engine's workers, by default one.
WORKER_CPUS = sorted(os.sched_getaffinity(0))[-int(os.environ.get("TESTER_WORKERS", "1")) :]
QUEUES = int(os.environ.get("TESTER_QUEUES", "1"))  # of each port of an engine


def in_place(ports: Mapping[str, str]) -> Mapping[str, str]:
    """The ports with which a tester is opened, in the order that the environment asks for."""
    return dict(reversed(ports.items())) if SWAPPED else ports


class Rig:
    """A target, its ports for the planner, and the jobs to clear away."""

    worn = 0  # bytes that a port counts too many of a frame that was injected

    def __init__(self, target: Target) -> None:
        self.target = target
        self.ports = {
            info.name: Port(
                info.name, SPEED, info.mac, info.max_frame_size, IPv4Interface(f"198.18.0.{number}/24")
            )
            for number, info in enumerate(target.capabilities().ports, 2)
        }
        self._loaded: list[str] = []

    @property
    def is_switch(self) -> bool:
        """Looks into no payload and keeps no frame."""
        return isinstance(self.target, TofinoTarget)

    def plan(
        self,
        job: str,
        *,
        rate: str | Rate = "10 kpps",
        frame_size: int = 64,
        first_id: int = 1,
        back: bool = False,
        **changes: Any,
    ) -> Plan:
        """A job of one stream, named like the job, from p1 to p2 or back; `changes` are of the stream."""
        tx, rx = ("p2", "p1") if back else ("p1", "p2")
        stream = Stream(job, tx, rx, FrameSize(frame_size), Rate.parse(rate), **changes)
        most = self.target.capabilities().max_streams
        return compile_job(
            Job(job, (stream,)), ports=self.ports, gateways={}, max_streams=most, first_id=first_id
        )

    def load(self, plan: Plan) -> Plan:
        """Loads a plan; it is unloaded after the test."""
        self.target.load(plan)
        self._loaded.append(plan.job)
        return plan

    def clear(self) -> None:
        """Unloads what tests have left."""
        for job in self._loaded:
            with suppress(PlanError):
                self.target.unload([job])

    def run(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> Snapshot:
        """Starts jobs, waits for their end and for what is on its way."""
        self.target.start(jobs, duration=duration, packets=packets)
        self.target.wait(jobs, timeout=PATIENCE)
        return self.settled(jobs)

    def settled(self, jobs: Sequence[str] = ()) -> Snapshot:
        """The counters when all has arrived, or after a second."""
        deadline = time.monotonic() + 1
        while True:
            snapshot = self.target.snapshot(jobs)
            if all(s.rx_packets == s.tx_packets for s in snapshot.streams) or time.monotonic() > deadline:
                return snapshot
            self.pass_time(0.01)

    @property
    def clock(self) -> Clock:
        """The clock of the target."""
        return Clock()

    def pass_time(self, seconds: float) -> None:
        """Lets the target's time pass."""
        self.clock.sleep(seconds)

    def set_link(self, port: str, *, up: bool) -> None:
        """Pulls the cable of a port, or puts it back."""
        raise NotImplementedError("nobody can, between two ports of one process")


def joined_fake(fake: FakeTarget) -> JoinedTarget:
    """Testers that a fake poses as, with one of its ports each, joined again."""
    return JoinedTarget(SharedFake(fake, {f"of-{port}": [port] for port in fake.bench.ports}).testers)


class FakeRig(Rig):
    """The fake's time passes without waiting for it."""

    def __init__(self, *, joined: bool = False) -> None:
        """`joined`: each port belongs to a tester of its own."""
        back = {("p1", "p1"): FakePath(out="p2")}  # what is expected where it left comes to the other port
        ports = [fake_port(name) for name in in_place({"p1": "", "p2": ""})]
        self._fake = FakeTarget(ports, device=FakeDevice(paths=back))
        super().__init__(joined_fake(self._fake) if joined else self._fake)

    @property
    def clock(self) -> Clock:
        return Clock.of(self._fake)

    def set_link(self, port: str, *, up: bool) -> None:
        self._fake.set_link(port, up=up)


class CopySender(socket.socket):
    """Sends copies to this machine. On the clock of a rig each comes when it is sent.

    Whether the thread that receives it runs at once or later is up to this machine, whose time it is not.

    Args:
        now_ns: The clock of the rig.
    """

    def __init__(self, now_ns: Callable[[], int]) -> None:
        super().__init__(socket.AF_INET, socket.SOCK_DGRAM)
        self._rig_ns = now_ns
        self._sent_ns: SimpleQueue[int] = SimpleQueue()

    def sendto(self, *datagram: Any) -> int:
        self._sent_ns.put(self._rig_ns())
        return super().sendto(*datagram)

    def now_ns(self) -> int:
        """The clock of the driver: in the thread of the receiver the time of the next copy."""
        if threading.current_thread().name == COPY_RECEIVER:
            return self._sent_ns.get_nowait()
        return self._rig_ns()

    def lead_from(self, daemon: FakeDaemon, connector: str) -> CopyPort:
        """Lays the cable from a port of a fake switch to this machine."""
        daemon.copy_to(FakeSwitch(daemon).device_port(connector), self)
        return CopyPort(connector, 10**10, IPv4Interface("127.0.0.1/8"), bytes(6))


class SwitchRig(Rig):
    """A driver of a switch that does not exist, whose time passes without waiting for it.

    What it is asked takes some of it, as with every switch.
    """

    worn = 1  # the header kind_h (p4/include/headers.p4)

    def __init__(
        self,
        wire: Wire | None = None,
        pipelines: MakesPipelines | None = None,
        profile: str = "tofino",
        built: Path | None = None,
    ) -> None:
        """`built` is the folder of the program that it runs; the shipped one, if none is given."""
        self.now_ns = 10**9
        folder, chip = built or shipped(profile), chip_of(profile)
        daemon = self.daemon = FakeDaemon(folder, self._asked, wire, pipelines=pipelines)
        front = tuple(
            FrontPort(
                Port(
                    name,
                    SPEED,
                    bytes([2, 0, 0, 0, 0, number]),
                    9216,
                    IPv4Interface(f"198.18.0.{number + 1}/24"),
                ),
                f"{number}/0",
            )
            for number, name in enumerate(in_place({"p1": "", "p2": ""}), 1)
        )
        sender = CopySender(lambda: self.now_ns)
        copies = sender.lead_from(daemon, f"{chip.connectors}/{chip.lanes - 1}")
        session = SwitchSession(
            lambda: FakeSwitch(daemon),
            daemon.schema,
            Cabling(front, copies=copies, cpu_port=chip.cpu_port, chip=chip, meter=TofinoMeter(chip.clock)),
            sleep=self.pass_time,
        )
        self.session, self._numbers = session, session.numbers
        target = TofinoTarget(session, Program.load(folder), now_ns=sender.now_ns, sleep=self.pass_time)
        super().__init__(target)

    @property
    def clock(self) -> Clock:
        return Clock(self.pass_time, lambda: self.now_ns)

    def pass_time(self, seconds: float) -> None:
        self.now_ns += int(seconds * 1e9)

    def set_link(self, port: str, *, up: bool) -> None:
        self.daemon.set_link(self._numbers[port], up=up)

    def meet(self, port: str, name: str, frames: int) -> None:
        """The MAC of a port meets frames that it counts by this name."""
        self.daemon.meet(self._numbers[port], name, frames)

    def _asked(self) -> int:
        self.now_ns += 20_000
        return self.now_ns
