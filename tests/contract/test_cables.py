# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that a cable brings to a fake switch."""

from __future__ import annotations

import socket
import time

import pytest

from TesterLibrary.targets.tofino.fake.cables import Cables, Turn
from TesterLibrary.testbeds.namespace import Namespace

from .linked import wait_for_link, with_cable

PORT = 8
FRAME = bytes.fromhex("02000000000a02000000000b88b5") + bytes(46)  # of no protocol that a kernel has


class Arrivals:
    """In place of a daemon: frames, and when they arrived on the clock of the switch."""

    def __init__(self) -> None:
        self.at_ns: list[int] = []

    def arrive(self, port: int, frame: bytes, *, waited_ns: int = 0) -> None:
        assert (port, frame) == (PORT, FRAME)
        self.at_ns.append(time.monotonic_ns() - waited_ns)

    @property
    def running(self) -> Arrivals:
        """Runs nothing."""
        return self

    chip = None


@pytest.fixture
def inside() -> Namespace:
    return with_cable("port", "peer")


def test_a_frame_arrives_when_the_kernel_has_it_however_late_the_switch_looks(inside: Namespace) -> None:
    """A process that shares its CPUs would measure its own pauses as the delay of a device."""
    arrivals = Arrivals()
    with inside.entered():
        for name in ("port", "peer"):
            wait_for_link(name)
        cables = Cables()
        cables.plug_in(PORT, "port")
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as peer:
            peer.bind(("peer", 0))
            peer.send(FRAME)
    time.sleep(0.2)
    looks_ns = time.monotonic_ns()
    cables.bring(arrivals, Turn())  # type: ignore[arg-type]
    while not arrivals.at_ns:
        time.sleep(0.001)
    assert arrivals.at_ns[0] < looks_ns
