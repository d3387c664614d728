# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Interfaces of a namespace that lead to each other, and have a link."""

from __future__ import annotations

import fcntl
import socket
import struct
import time

import pytest

from TesterLibrary.testbeds.namespace import Namespace
from TesterLibrary.testbeds.privilege import is_privileged

_FLAGS, _RUNNING = 0x8913, 0x40  # SIOCGIFFLAGS, IFF_RUNNING


def with_cable(interface: str, peer: str) -> Namespace:
    """A namespace with a virtual cable, whose ends have MAC addresses; skips the test where nobody may."""
    if not is_privileged():
        pytest.skip("needs root for a network namespace")
    namespace = Namespace.create()
    namespace.without_ipv6()
    namespace.veth(interface, peer, namespace, mac=b"\2\0\0\0\0\x0a", peer_mac=b"\2\0\0\0\0\x0b")
    return namespace


def wait_for_link(name: str) -> None:
    """Until then the kernel drops what is sent: a thread of its own hands the state of a new veth on."""
    deadline = time.monotonic() + 60
    request = struct.pack("16sH14x", name.encode(), 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        while not struct.unpack("16xH14x", fcntl.ioctl(any_socket, _FLAGS, request))[0] & _RUNNING:
            assert time.monotonic() < deadline, f"{name} has no link"
            time.sleep(0.001)
