# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface to the port of a switch's CPU is a real one."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from TesterLibrary.targets.tofino.vendor import cpu
from TesterLibrary.testbeds.namespace import Namespace

from .linked import wait_for_link, with_cable

_FRAME = bytes(range(64))


class BusyHost(socket.socket):
    """Before it is bound, a packet goes over another interface."""

    def bind(self, address: Any) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.sendto(b"not of the CPU port", ("127.0.0.1", 9))
        super().bind(address)


@pytest.fixture
def inside() -> Namespace:
    namespace = with_cable("chip", "host")
    namespace.up("lo")
    return namespace


def _received(port: cpu.CpuPort) -> list[str]:
    """The frames that come within 10 s: on a busy machine a thread of the kernel hands them over later."""
    deadline = time.monotonic() + 10
    while not (found := port.received()) and time.monotonic() < deadline:
        time.sleep(0.001)
    return found


def test_packets_are_those_of_its_interface(inside: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    with inside.entered():
        monkeypatch.setattr(cpu.socket, "socket", BusyHost)
        host = cpu.CpuPort("host")
        monkeypatch.undo()
        chip = cpu.CpuPort("chip")
        wait_for_link("chip")
        wait_for_link("host")
        chip.send([_FRAME.hex()])
        assert (_received(host), chip.received()) == ([_FRAME.hex()], [])
