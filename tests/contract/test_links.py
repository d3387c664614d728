# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A port that loses its link: every target says so, also when the link is back before anybody looks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from TesterLibrary.measurement.port_evidence import links_down
from TesterLibrary.measurement.snapshot import PortCounters
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.testbeds.namespace import Namespace
from TesterLibrary.testbeds.privilege import is_privileged

from .rig import FakeRig, Rig, SwitchRig

_PATIENCE_S = 60  # for the kernel of a busy machine


class VethRig(Rig):
    """An engine with two interfaces of the kernel, and a bridge between their peers."""

    def __init__(self) -> None:
        self._inside = Namespace.create()
        self._inside.silence()
        self._inside.without_ipv6()
        for number in (1, 2):
            macs = [bytes((2, 0, 0, 0, side, number)) for side in (1, 2)]
            self._inside.veth(f"p{number}", f"d{number}", self._inside, mac=macs[0], peer_mac=macs[1])
        self._inside.bridge("br", ["d1", "d2"])
        with self._inside.entered():
            self._process = EngineProcess.launch(ports={"p1": "iface:p1", "p2": "iface:p2"})
        super().__init__(self._process.target())

    def set_link(self, port: str, *, up: bool) -> None:
        peer = port.replace("p", "d")
        if up:
            self._inside.up(peer)
        else:
            self._inside.down(peer)

    def clear(self) -> None:
        super().clear()
        self._process.stop()


@pytest.fixture(params=["fake", "veth", "tofino"])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made: dict[str, Callable[[], Rig]] = {"fake": FakeRig, "veth": VethRig, "tofino": SwitchRig}
    if request.param == "veth":
        request.getfixturevalue("engine")  # skips, or fails, where there is none
        if not is_privileged():
            pytest.skip("needs root for a network namespace")
    rig = made[request.param]()
    yield rig
    rig.clear()


def _until(rig: Rig, port: str, holds: Callable[[PortCounters], bool]) -> PortCounters:
    """The kernel may take a moment to say so."""
    deadline = time.monotonic() + _PATIENCE_S
    while not holds(found := rig.target.snapshot().port(port)) and time.monotonic() < deadline:
        rig.pass_time(0.02)
    return found


def test_links_are_up_at_first(rig: Rig) -> None:
    assert [(port.link_up, port.link_downs) for port in rig.target.snapshot().ports] == [(True, 0)] * 2


def test_a_link_that_is_lost_and_comes_back(rig: Rig) -> None:
    rig.set_link("p1", up=False)
    lost = _until(rig, "p1", lambda port: not port.link_up)
    assert (lost.link_up, lost.link_downs) == (False, 1)
    assert rig.target.snapshot().port("p1").link_downs == 1
    other = rig.target.snapshot().port("p2")
    assert (other.link_up, other.link_downs) == (True, 0)
    rig.set_link("p1", up=True)
    back = _until(rig, "p1", lambda port: port.link_up)
    assert (back.link_up, back.link_downs) == (True, 1)


def test_a_moment_without_a_link_is_known_afterwards(rig: Rig) -> None:
    before = rig.target.snapshot()
    for _ in range(3):
        rig.set_link("p2", up=False)
        rig.set_link("p2", up=True)
    _until(rig, "p2", lambda port: port.link_up)
    after = rig.target.snapshot()
    assert after.port("p2").link_downs == 3
    assert links_down(before, after, ["p1", "p2"]) == ("p2",)


def test_frames_are_lost_without_a_link_and_go_on_with_one(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.set_link("p2", up=False)
    _until(rig, "p2", lambda port: not port.link_up)
    assert rig.run(["north"], packets=100).streams[0].rx_packets == 0
    rig.set_link("p2", up=True)
    _until(rig, "p2", lambda port: port.link_up)
    assert rig.run(["north"], packets=100).streams[0].rx_packets == 100
