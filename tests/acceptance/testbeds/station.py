# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs where the tester's interfaces are: sends frames from one and reports what arrives at which.

    python station.py '{"send": [["eth1", "<hex>"]], "count": 1000, "wait": 0.5}'

prints `[["eth2", "<hex>"], …]`, in the order of arrival, each frame as it is on the wire (without FCS).
Only the standard library: it may run as another user than the tests.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import time

_ANY_PROTOCOL = 3  # ETH_P_ALL
_OUTGOING = 4  # PACKET_OUTGOING
_SOL_PACKET, _PACKET_AUXDATA, _VLAN_VALID = 263, 8, 0x10
_INTERFACES = ("eth1", "eth2")
_WINDOW = 32  # frames on the way: fewer than a socket's buffer takes, however late we are scheduled


def _opened(interface: str) -> socket.socket:
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)  # none of other interfaces
    port.bind((interface, _ANY_PROTOCOL))
    port.setsockopt(_SOL_PACKET, _PACKET_AUXDATA, 1)
    return port


def _arrived(ports: dict[str, socket.socket]) -> list[tuple[str, str]]:
    frames = []
    for interface, port in ports.items():
        while True:
            try:
                frame, beside, _, source = port.recvmsg(65536, 256, socket.MSG_DONTWAIT)
            except BlockingIOError:
                break
            if source[2] != _OUTGOING:
                frames.append((interface, (frame[:12] + _outer_tag(beside) + frame[12:]).hex()))
    return frames


def _outer_tag(beside: list[tuple[int, int, bytes]]) -> bytes:
    """The VLAN tag that the kernel has taken out of a frame before it shows it (struct tpacket_auxdata)."""
    for _, kind, data in beside:
        status, _, _, _, _, control, protocol = struct.unpack("=IIIHHHH", data)
        if kind == _PACKET_AUXDATA and status & _VLAN_VALID:
            return struct.pack("!HH", protocol, control)
    return b""


def main() -> None:
    task = json.loads(sys.argv[1])
    ports = {interface: _opened(interface) for interface in _INTERFACES}
    received: list[tuple[str, str]] = []
    for number in range(task["count"]):
        for interface, frame in task["send"]:
            ports[interface].send(bytes.fromhex(frame))
        deadline = time.monotonic() + task["wait"]
        while number - len(received) >= _WINDOW and _wait_until(deadline, ports):
            received += _arrived(ports)
    deadline = time.monotonic() + task["wait"]
    while _wait_until(deadline, ports):
        received += _arrived(ports)
    print(json.dumps(received))


def _wait_until(deadline: float, ports: dict[str, socket.socket]) -> bool:
    """Waits for something to arrive; False if it is too late for that."""
    left = deadline - time.monotonic()
    return left > 0 and select.select(list(ports.values()), [], [], left) is not None


main()
