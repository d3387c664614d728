# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Links that an event of a path takes down, between two hosts on cables of the kernel: what the hosts see,
that their traffic goes on afterwards, and that a link is up again whatever has ended."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from ipaddress import IPv4Interface

import pytest

from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.inline import PathStatistics, statistics_of
from TesterLibrary.measurement.snapshot import PathCounters, PathEventCounters
from TesterLibrary.model.capture import Capture, TracedPath
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.impairment import Impairment, PathDelay
from TesterLibrary.model.inline import Event, LinkDown, Path
from TesterLibrary.model.job import Job
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.engine.leftovers import restore_interfaces
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.testbeds.namespace import Namespace
from TesterLibrary.testbeds.privilege import is_privileged

from .rig import Rig

_MS = 10**6
_PATIENCE_S = 60.0  # for the kernel of a busy machine
_OCTETS = 400_000
_ADDRESSES = ("198.18.1.2", "198.18.1.3")


class Cables(Rig):
    """An engine between two hosts: `h0` behind p1, `h1` behind p2, each in a namespace of its own."""

    def __init__(self, kind: str) -> None:
        self._inside = Namespace.create()
        self.hosts = (Namespace.create(), Namespace.create())
        for namespace in (self._inside, *self.hosts):
            namespace.silence()
            namespace.without_ipv6()
        for place, host in enumerate(self.hosts):
            self._inside.veth(
                f"p{place + 1}",
                f"h{place}",
                host,
                mac=bytes((2, 0, 0, 0, 1, place)),
                peer_mac=bytes((2, 0, 0, 0, 2, place)),
            )
            host.address(f"h{place}", IPv4Interface(f"{_ADDRESSES[place]}/24"))
        with self._inside.entered():
            self.process = EngineProcess.launch(ports={"p1": f"{kind}:p1", "p2": f"{kind}:p2"})
        super().__init__(self.process.target())
        self.before = self.target.snapshot()
        self.ended = False

    def path(self, event: Event, impairments: tuple[Impairment, ...] = ()) -> None:
        path = Path("wan", ("p1", "p2"), (event,), impairments=impairments)
        self.load(compile_job(Job("wan", paths=(path,)), ports=self.ports, gateways={}, max_streams=1))
        self.before = self.target.snapshot(["wan"])
        self.target.start(["wan"])

    def download(self) -> int:
        """The octets that h0 gets from h1 by TCP."""
        with self.hosts[1].entered():
            listener = socket.create_server((_ADDRESSES[1], 5001))
        with self.hosts[0].entered():
            client = socket.socket()
        with closing(listener), closing(client):
            client.settimeout(_PATIENCE_S)
            client.connect((_ADDRESSES[1], 5001))
            sender, _ = listener.accept()
            with closing(sender):
                thread = threading.Thread(target=sender.sendall, args=(bytes(_OCTETS),))
                thread.start()
                received = 0
                while received < _OCTETS and (octets := client.recv(65536)):
                    received += len(octets)
                thread.join()
        return received

    def begin_download(self) -> None:
        """One that may never end."""

        def download() -> None:
            with suppress(OSError):
                self.download()

        threading.Thread(target=download, daemon=True).start()

    def flags(self, place: int, *, port: bool = False) -> list[str]:
        """The flags of the interface of a host, or of the port before it."""
        namespace, name = (self._inside, f"p{place + 1}") if port else (self.hosts[place], f"h{place}")
        with namespace.entered():
            shown = subprocess.run(
                ["ip", "-json", "link", "show", name], check=True, capture_output=True, text=True
            )
        found: list[str] = json.loads(shown.stdout)[0]["flags"]
        return found

    def carriers(self) -> tuple[bool, bool]:
        return "NO-CARRIER" not in self.flags(0), "NO-CARRIER" not in self.flags(1)

    def counters(self) -> PathCounters:
        return self.target.snapshot(["wan"]).path("wan", "wan")

    def statistics(self) -> PathStatistics:
        now = self.target.snapshot(["wan"])
        return statistics_of(self.before, now, "wan", now.path("wan", "wan"), EvidenceLimits())

    def event(self) -> PathEventCounters:
        return self.counters().events[0]

    def restore(self) -> tuple[str, ...]:
        with self._inside.entered():
            return tuple(restore_interfaces())

    def clear(self) -> None:
        if not self.ended:
            super().clear()
        self.process.stop()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def doubts(statistics: PathStatistics) -> list[str]:
    """Objections without those of a busy machine."""
    return [objection for objection in statistics.objections if "link" in objection or "lost" in objection]


def taken_down(duration_ns: int, *ports: str) -> Event:
    """From the twentieth packet with data on."""
    action = LinkDown(duration=Duration(duration_ns), ports=ports)
    return Event(action=action, flow=1, number=20, data_only=True, heading=Heading.BACKWARD)


@pytest.fixture(params=["af_packet", "af_xdp"])
def cables(request: pytest.FixtureRequest) -> Iterator[Cables]:
    request.getfixturevalue("engine")  # skips, or fails, where there is none
    if not is_privileged():
        pytest.skip("needs root for a network namespace")
    cables = Cables(request.param)
    yield cables
    cables.clear()


def test_a_transfer_goes_on_after_the_link_is_back(cables: Cables) -> None:
    # Linux may tell of a lost carrier a second later.
    cables.path(taken_down(1500 * _MS))
    cables.target.captures.start(
        Capture("trace", frames=100_000, snap_length=64, traced=TracedPath("wan", "wan", 1))
    )
    seen: set[tuple[bool, bool]] = set()
    found: list[int] = []
    transfer = threading.Thread(target=lambda: found.append(cables.download()))
    transfer.start()
    while transfer.is_alive():
        seen.add(cables.carriers())
        time.sleep(0.01)
    transfer.join()
    assert found == [_OCTETS]
    assert {(True, True), (False, False)} <= seen, "both hosts have lost the carrier"
    until(lambda: not cables.event().link_cut)
    statistics = cables.statistics()
    (event,) = statistics.events
    assert event.first_fired_ns is not None
    assert event.first_down_ns is not None
    assert event.last_up_ns is not None
    assert event.link_outages == 1
    assert event.fired == statistics.dropped >= 1
    assert event.first_fired_ns < event.first_down_ns < event.last_up_ns
    assert 1500 * _MS <= event.last_up_ns - event.first_fired_ns < 3_000 * _MS
    assert not doubts(statistics), "an outage that was asked for is none"
    cables.target.captures.stop("trace")
    frames = list(frames_of(cables.target.captures.read("trace")))
    cables.target.captures.forget("trace")
    assert sum(bool(frame.traced and frame.traced.events == (0,)) for frame in frames) == event.fired


def test_one_link_of_two(cables: Cables) -> None:
    cables.path(taken_down(3600 * 10**9, "p1"))
    cables.begin_download()
    until(lambda: cables.event().link_outages == 1)
    until(lambda: cables.carriers() == (False, True))
    assert cables.event().link_cut
    assert not doubts(cables.statistics()), "what is to be down is down"


def test_what_is_held_does_not_leave_while_the_link_is_down(cables: Cables) -> None:
    delay = Impairment(delay=PathDelay(mean=Duration(20 * _MS)), heading=Heading.BACKWARD)
    cables.path(taken_down(300 * _MS), impairments=(delay,))
    assert cables.download() == _OCTETS
    until(lambda: not cables.event().link_cut)
    statistics = cables.statistics()
    assert statistics.dropped > statistics.events[0].fired
    assert not doubts(statistics)


@pytest.mark.parametrize("ending", ["stop", "term", "kill"])
def test_a_link_is_up_again_whatever_has_ended(cables: Cables, ending: str) -> None:
    cables.path(taken_down(3600 * 10**9))
    cables.begin_download()
    until(lambda: "UP" not in cables.flags(0, port=True) and "UP" not in cables.flags(1, port=True))
    if ending == "stop":
        cables.target.stop(["wan"])
    else:
        os.kill(cables.process.pid, signal.SIGTERM if ending == "term" else signal.SIGKILL)
        cables.ended = True
        cables.process.obituary()
    if ending == "kill":
        assert "UP" not in cables.flags(0, port=True)
        assert [line.split(",")[0] for line in cables.restore()] == ["p1: set up", "p2: set up"]
    until(lambda: cables.carriers() == (True, True))
    assert "UP" in cables.flags(0, port=True)
    assert "UP" in cables.flags(1, port=True)
