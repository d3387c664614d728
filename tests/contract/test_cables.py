# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that a cable brings to a fake switch."""

from __future__ import annotations

import socket
import struct
import threading
import time

import pytest

from TesterLibrary.targets.tofino.fake.cables import Cables, Turn
from TesterLibrary.testbeds.namespace import Namespace

from .linked import wait_for_link, with_cable

PORT = 8
FRAME = bytes.fromhex("02000000000a02000000000b88b5") + bytes(46)  # of no protocol that a kernel has
ETH_P_ALL, SO_TIMESTAMPNS, TIMESPEC = 0x0003, 35, struct.Struct("=qq")


class Arrivals:
    """In place of a daemon: frames, and when they arrived on the clock of the switch."""

    def __init__(self) -> None:
        self.at_ns: list[int] = []
        self.came = threading.Event()

    def arrive(self, port: int, frame: bytes, *, waited_ns: int = 0) -> None:
        assert (port, frame) == (PORT, FRAME)
        self.at_ns.append(time.monotonic_ns() - waited_ns)
        self.came.set()

    @property
    def running(self) -> Arrivals:
        """Runs nothing."""
        return self

    chip = None
    pauses = None  # time is not judged


@pytest.fixture
def inside() -> Namespace:
    return with_cable("port", "peer")


def wait_for_stamps(peer: socket.socket, witness: socket.socket) -> None:
    """The kernel begins to stamp frames a while after a socket asks for it; until then it stamps at reading.

    It stamps as long as the witness is open.
    """
    witness.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    witness.settimeout(10)
    while True:
        peer.send(FRAME)
        sent_ns = time.time_ns()
        _, beside, _, _ = witness.recvmsg(len(FRAME), socket.CMSG_SPACE(TIMESPEC.size))
        ((_, _, stamp),) = beside
        seconds, nanoseconds = TIMESPEC.unpack(stamp)
        if seconds * 10**9 + nanoseconds <= sent_ns:
            return


def test_a_frame_arrives_when_the_kernel_has_it_however_late_the_switch_looks(inside: Namespace) -> None:
    """A process that shares its CPUs would measure its own pauses as the delay of a device."""
    arrivals = Arrivals()
    with inside.entered():
        for name in ("port", "peer"):
            wait_for_link(name)
        cables = Cables()
        with (
            socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as peer,
            socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as witness,
        ):
            peer.bind(("peer", 0))
            witness.bind(("port", ETH_P_ALL))
            wait_for_stamps(peer, witness)
            cables.plug_in(PORT, "port")
            peer.send(FRAME)
            witness.recv(len(FRAME))
    time.sleep(0.2)
    looks_ns = time.monotonic_ns()
    cables.bring(arrivals, Turn())  # type: ignore[arg-type]
    assert arrivals.came.wait(20)
    assert arrivals.at_ns[0] < looks_ns
