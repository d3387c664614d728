# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The cables of a model of a chip that a testbed starts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from TesterLibrary.targets.tofino.session.model_switch import COPY_END, connect_copies

_SEND = "import socket, sys; socket.socket(type=socket.SOCK_DGRAM).sendto(b'copy', ('{}', {}))"


@pytest.fixture
def inside() -> Iterator[list[str]]:
    """Words before a command, so that it runs in a network namespace of the test."""
    name = f"model-cables-{os.getpid()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    yield ["ip", "netns", "exec", name]
    subprocess.run(["ip", "netns", "delete", name], check=True)


def test_what_leaves_by_the_copy_port_comes_to_this_process(inside: list[str]) -> None:
    connect_copies("dev:8", inside)  # of a model before
    port = connect_copies("dev:8", inside)
    assert port
    subprocess.run([*inside, "ip", "address", "add", f"{port.source}/30", "dev", COPY_END], check=True)
    with socket.socket(type=socket.SOCK_DGRAM) as here:
        here.bind((str(port.host.ip), 0))
        here.settimeout(10)
        send = _SEND.format(port.host.ip, here.getsockname()[1])
        subprocess.run([*inside, sys.executable, "-c", send], check=True)
        assert here.recvfrom(100)[0] == b"copy"
    found = subprocess.check_output([*inside, "ip", "neighbour", "show", str(port.host.ip)], text=True)
    assert port.mac.hex(":") in found


def test_who_may_not_make_interfaces_has_no_copy_port() -> None:
    assert connect_copies("dev:8", ["false"]) is None
