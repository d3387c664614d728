# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A device that mistreats frames as it is told, and counts: runs in the namespace of an embedded device.

    python forwarder.py '{"hold_every": 100, "overtaken_by": 3}'

forwards between p1 and p2. Of the UDP frames from p1, counted from 0, it loses those of `lose` (first and
count), changes a byte of each `corrupt_every`-th, cuts 20 bytes out of each `shorten_every`-th, adds 4 to
each `lengthen_every`-th, sends each `duplicate_every`-th twice, lets each `hold_every`-th be overtaken by
`overtaken_by` more, puts the VLAN `tag` on, keeps all for `delay_s`, and sets the version bit to 0 if
`erase_version`. Prints a line when it begins.
Only the standard library: it may run as another user than the tests.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import time
from collections import deque

ETH_P_ALL = 3
PACKET_OUTGOING = 4


class Forwarder:
    def __init__(self, wish: dict[str, int | float | list[int]]) -> None:
        self.wish = wish
        self.sockets = {name: self._open(name) for name in ("p1", "p2")}
        self.seen = 0
        self.held: list[tuple[int, bytes]] = []  # goes after the frame of this number
        self.queue: deque[tuple[float, bytes]] = deque()

    def _open(self, name: str) -> socket.socket:
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)  # none of other interfaces
        opened.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
        opened.bind((name, ETH_P_ALL))
        return opened

    def run(self) -> None:
        print("ready", flush=True)
        while True:
            wait = max(0.0, self.queue[0][0] - time.monotonic()) if self.queue else 1.0
            ready = select.select(list(self.sockets.values()), [], [], wait)[0]
            for name, opened in self.sockets.items():
                if opened in ready:
                    frame, address = opened.recvfrom(16384)
                    if address[2] != PACKET_OUTGOING:
                        self.forward(name, frame)
            while self.queue and self.queue[0][0] <= time.monotonic():
                self.sockets["p2"].send(self.queue.popleft()[1])

    def forward(self, name: str, frame: bytes) -> None:
        if name == "p2":
            self.sockets["p1"].send(frame)
        elif frame[12:14] == b"\x08\x00" and frame[23] == socket.IPPROTO_UDP:
            self.mistreat(self.seen, frame)
            self.seen += 1
        else:
            self.sockets["p2"].send(frame)

    def mistreat(self, number: int, frame: bytes) -> None:
        first, count = self.wish.get("lose", (0, 0))
        if not first <= number < first + count:
            frame = self.damaged(number, frame)
            if self.wish.get("erase_version"):
                frame = erased(frame)
            if every(number, self.wish.get("hold_every", 0)):
                self.held.append((number + self.wish["overtaken_by"], frame))
            else:
                self.send(frame)
                if every(number, self.wish.get("duplicate_every", 0)):
                    self.send(frame)
        while self.held and self.held[0][0] <= number:
            self.send(self.held.pop(0)[1])

    def damaged(self, number: int, frame: bytes) -> bytes:
        """Behind the headers of IPv4 and UDP; in one way at most."""
        if every(number, self.wish.get("corrupt_every", 0)):
            return frame[:50] + bytes([frame[50] ^ 1]) + frame[51:]
        if every(number, self.wish.get("shorten_every", 0)):
            return frame[:50] + frame[70:]
        if every(number, self.wish.get("lengthen_every", 0)):
            return frame[:50] + bytes(4) + frame[50:]
        if tag := self.wish.get("tag"):
            return frame[:12] + struct.pack("!HH", 0x8100, tag) + frame[12:]
        return frame

    def send(self, frame: bytes) -> None:
        self.queue.append((time.monotonic() + self.wish.get("delay_s", 0), frame))


def every(number: int, period: int) -> bool:
    return period > 0 and number % period == period - 1


def erased(frame: bytes) -> bytes:
    header = bytearray(frame[14:34])
    header[4] &= 0x7F
    header[10:12] = b"\0\0"
    total = sum(struct.unpack("!10H", header))
    header[10:12] = struct.pack("!H", ~((total >> 16) + (total & 0xFFFF)) & 0xFFFF)
    return frame[:14] + bytes(header) + frame[34:]


if __name__ == "__main__":
    Forwarder(json.loads(sys.argv[1])).run()
