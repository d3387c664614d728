# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A line with a known rate, delay, queue and MTU between two interfaces: part of an embedded device.

`python -I …/long_line.py '{"interfaces": ["p1", "p2"], …}'` is a script of its own that imports no package.
It runs in the sandbox of a testbed, and forwards frames between two interfaces of its network namespace. Many
kernels have no queueing discipline that delays frames, so a program does it. A frame leaves at a time that
follows from its arrival, by the kernel's stamp, and the frames before it; that the program runs late moves no
other frame. Prints a line when it begins.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

_ALL_PROTOCOLS = 3  # ETH_P_ALL
_OUTGOING = 4  # PACKET_OUTGOING: a frame that this program has sent
_STAMPS = 35  # SO_TIMESTAMPNS
_BUFFER_BEYOND_LIMIT, _BUFFER = 33, 1 << 24  # SO_RCVBUFFORCE
_ETHERNET_HEADER, _FCS, _SHORTEST = 14, 4, 64  # bytes
_LONGEST = 65_536
_AT_ONCE = 64  # frames that are taken before those that are due leave


@dataclass
class Direction:
    """One direction of the line. All times are nanoseconds on one clock."""

    bps: int  # of frames with their FCS
    delay_ns: int  # from the last bit of a frame at the near end until the last bit at the far end
    queue: int  # bytes that wait at most; a frame that finds no room is lost
    mtu: int  # bytes behind the Ethernet header; a longer frame is lost, and nobody is told
    free_ns: int = 0  # when the frames so far have left
    due: deque[tuple[int, bytes]] = field(default_factory=deque)

    def take(self, frame: bytes, arrived_ns: int) -> None:
        """A frame without its FCS arrives."""
        if len(frame) - _ETHERNET_HEADER > self.mtu:
            return
        size = max(_SHORTEST, len(frame) + _FCS)
        begins_ns = max(arrived_ns, self.free_ns)
        if (begins_ns - arrived_ns) * self.bps // (8 * 10**9) + size > self.queue:
            return
        self.free_ns = begins_ns + -(-size * 8 * 10**9 // self.bps)
        self.due.append((self.free_ns + self.delay_ns, frame))

    def leaving(self, now_ns: int) -> list[bytes]:
        """Takes out the frames that are due, in their order."""
        found = []
        while self.due and self.due[0][0] <= now_ns:
            found.append(self.due.popleft()[1])
        return found


def main() -> None:
    """Forwards until it is ended."""
    wanted = json.loads(sys.argv[1])
    near, far = map(_opened, wanted.pop("interfaces"))
    lines = {near: (Direction(**wanted), far), far: (Direction(**wanted), near)}
    print("ready", flush=True)
    while True:
        due = [line.due[0][0] for line, _ in lines.values() if line.due]
        wait_s = max(0, min(due) - time.monotonic_ns()) / 1e9 if due else 1.0
        for source in select.select(list(lines), [], [], wait_s)[0]:
            _receive(source, lines[source][0])
        for line, sink in lines.values():
            for frame in line.leaving(time.monotonic_ns()):
                with suppress(OSError):  # the other interface is down, or its queue is full
                    sink.send(frame)


def _opened(interface: str) -> socket.socket:
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)  # no frame of another interface
    with suppress(PermissionError):  # of users other than root
        opened.setsockopt(socket.SOL_SOCKET, _BUFFER_BEYOND_LIMIT, _BUFFER)
    opened.setsockopt(socket.SOL_SOCKET, _STAMPS, 1)
    opened.bind((interface, _ALL_PROTOCOLS))
    opened.setblocking(False)
    return opened


def _receive(source: socket.socket, line: Direction) -> None:
    for _ in range(_AT_ONCE):
        try:
            frame, stamps, _, address = source.recvmsg(_LONGEST, 64)
        except BlockingIOError:
            return
        if address[2] != _OUTGOING:
            line.take(frame, time.monotonic_ns() - _age_ns(stamps))


def _age_ns(stamps: list[tuple[int, int, bytes]]) -> int:
    """For how long the kernel has had a frame."""
    for level, kind, value in stamps:
        if (level, kind) == (socket.SOL_SOCKET, _STAMPS):
            seconds, nanoseconds = map(int, struct.unpack("qq", value))
            return max(0, time.time_ns() - seconds * 10**9 - nanoseconds)
    return 0


if __name__ == "__main__":
    main()
