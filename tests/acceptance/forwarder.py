# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A device that mistreats frames as it is told, and counts: runs in the namespace of an embedded device.

    python forwarder.py '{"hold_every": 100, "overtaken_by": 3}'

forwards between p1 and p2. Of the UDP frames from p1, counted from 0, it loses those of `lose` (first and
count) and each `lose_every`-th, changes a byte of each `corrupt_every`-th, cuts 20 bytes out of each
`shorten_every`-th, adds 4 to each `lengthen_every`-th, damages the `part` (see HEADERS) of the headers of
each `headers_every`-th, sends each `duplicate_every`-th twice, each `misroute_every`-th back where it came
from, lets each `hold_every`-th be overtaken by `overtaken_by` more, puts the VLAN `tag` on, keeps all for
`delay_s`, and sets the version bit to 0 if `erase_version`. It sends
the frame of number `loop` again every 10 ms for ever, and `pause` PAUSE frames to p1 before the first frame.
Prints a line when it begins.

If it is to keep a `log`, it answers each line that it reads with one of JSON, and counts from 0 again: how
many frames it has `seen`, and for each that it `sent` its number, what was done to it (`whole`, `corrupt`,
`shorten`, `lengthen` or `headers`), the port it left by, and the nanoseconds from its arrival, by the
kernel's stamp, until it had left. Of the long TCP segments from p2, one byte of each `flip_every`-th becomes
0xff, with the right checksum.
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
from typing import NamedTuple

ETH_P_ALL = 3
PAUSE = bytes.fromhex("0180c2000001 020000000201 8808 0001 ffff") + bytes(42)
LOOP_S = 0.01
PACKET_OUTGOING = 4
SO_TIMESTAMPNS = 35
# Part of the headers -> (offset, bytes that it gets, whether the checksums are right then).
HEADERS: dict[str, tuple[int, bytes, bool]] = {
    "UDP checksum": (40, b"\x12\x34", False),
    "IPv4 checksum": (24, b"\x12\x34", False),
    "UDP length": (38, b"\x00\x10", False),
    "IP length": (16, b"\x00\x20", True),
    "EtherType": (12, b"\x12\x34", False),
    "UDP ports": (36, b"\x12\x34", True),
    "IP addresses": (33, b"\x77", True),
    "IP addresses without checksums": (33, b"\x77", False),
    "TTL or hop limit": (22, b"\x00", True),
    "MAC addresses": (6, b"\x02\x77", False),
}


class Frame(NamedTuple):
    number: int
    octets: bytes
    what: str = "whole"
    out: str = "p2"
    taken_ns: int = 0


class Forwarder:
    def __init__(self, wish: dict[str, int | float | list[int]]) -> None:
        self.wish = wish
        self.log: list[tuple[int, str, str, int]] = []
        self.sockets = {name: self._open(name) for name in ("p1", "p2")}
        self.seen = self.segments = 0
        self.held: list[tuple[int, Frame]] = []  # each is sent after the frame of this number
        self.queue: deque[tuple[float, Frame]] = deque()
        self.looped: tuple[float, Frame] | None = None  # the time at which it comes again

    def _open(self, name: str) -> socket.socket:
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)  # none of other interfaces
        opened.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
        if self.wish.get("log"):
            opened.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        opened.bind((name, ETH_P_ALL))
        return opened

    def run(self) -> None:
        print("ready", flush=True)
        sources = [*self.sockets.values(), *([sys.stdin] if self.wish.get("log") else [])]
        while True:
            due = [at for at, _ in (*list(self.queue)[:1], *([self.looped] if self.looped else []))]
            wait = max(0.0, min(due) - time.monotonic()) if due else 1.0
            ready = select.select(sources, [], [], wait)[0]
            for name, opened in self.sockets.items():
                if opened in ready:
                    octets, stamps, _, address = opened.recvmsg(16384, 64)
                    if address[2] != PACKET_OUTGOING:
                        self.forward(name, octets, stamp_ns(stamps))
            if sys.stdin in ready:
                if not sys.stdin.readline():
                    return
                self.tell()
            while self.queue and self.queue[0][0] <= time.monotonic():
                self.leave(self.queue.popleft()[1])
            if self.looped and self.looped[0] <= time.monotonic():
                self.leave(self.looped[1])
                self.looped = (self.looped[0] + LOOP_S, self.looped[1])

    def tell(self) -> None:
        print(json.dumps({"seen": self.seen, "sent": self.log}), flush=True)
        self.seen, self.log = 0, []
        self.held.clear()

    def leave(self, frame: Frame) -> None:
        self.sockets[frame.out].send(frame.octets)
        if self.wish.get("log"):
            self.log.append((frame.number, frame.what, frame.out, time.time_ns() - frame.taken_ns))

    def forward(self, name: str, octets: bytes, taken_ns: int) -> None:
        if name == "p2":
            self.sockets["p1"].send(self.flipped(octets))
        elif octets[12:14] == b"\x08\x00" and octets[23] == socket.IPPROTO_UDP:
            self.mistreat(Frame(self.seen, octets, taken_ns=taken_ns))
            self.seen += 1
        else:
            self.sockets["p2"].send(octets)

    def mistreat(self, frame: Frame) -> None:
        number = frame.number
        for _ in range(0 if number else self.wish.get("pause", 0)):
            self.sockets["p1"].send(PAUSE)
        first, count = self.wish.get("lose", (0, 0))
        if not first <= number < first + count and not every(number, self.wish.get("lose_every", 0)):
            frame = self.damaged(frame)
            if self.wish.get("erase_version"):
                frame = frame._replace(octets=erased(frame.octets))
            if every(number, self.wish.get("misroute_every", 0)):
                self.send(frame._replace(out="p1"))
            elif every(number, self.wish.get("hold_every", 0)):
                self.held.append((number + self.wish["overtaken_by"], frame))
            else:
                self.send(frame)
                if number == self.wish.get("loop"):
                    self.looped = (time.monotonic() + LOOP_S, frame)
                if every(number, self.wish.get("duplicate_every", 0)):
                    self.send(frame)
        while self.held and self.held[0][0] <= number:
            self.send(self.held.pop(0)[1])

    def flipped(self, octets: bytes) -> bytes:
        if len(octets) < 1000 or octets[23] != socket.IPPROTO_TCP:
            return octets
        self.segments += 1
        if not every(self.segments - 1, self.wish.get("flip_every", 0)):
            return octets
        changed = bytearray(octets)
        changed[400] = 0xFF
        changed[50:52] = b"\0\0"
        pseudo = changed[26:34] + struct.pack("!HH", socket.IPPROTO_TCP, len(changed) - 34)
        total = folded(pseudo + changed[34:] + bytes(len(changed) % 2))
        changed[50:52] = struct.pack("!H", ~total & 0xFFFF)
        return bytes(changed)

    def damaged(self, frame: Frame) -> Frame:
        """Behind the headers of IPv4 and UDP; in one way at most."""
        number, octets = frame.number, frame.octets
        if every(number, self.wish.get("corrupt_every", 0)):
            octets = octets[:50] + bytes([octets[50] ^ 1]) + octets[51:]
            return frame._replace(octets=octets, what="corrupt")
        if every(number, self.wish.get("shorten_every", 0)):
            return frame._replace(octets=octets[:50] + octets[70:], what="shorten")
        if every(number, self.wish.get("lengthen_every", 0)):
            return frame._replace(octets=octets[:50] + bytes(4) + octets[50:], what="lengthen")
        if every(number, self.wish.get("headers_every", 0)):
            return frame._replace(octets=with_headers(octets, self.wish["part"]), what="headers")
        if tag := self.wish.get("tag"):
            return frame._replace(octets=octets[:12] + struct.pack("!HH", 0x8100, tag) + octets[12:])
        return frame

    def send(self, frame: Frame) -> None:
        self.queue.append((time.monotonic() + self.wish.get("delay_s", 0), frame))


def stamp_ns(stamps: list[tuple[int, int, bytes]]) -> int:
    """The time at which the kernel got a frame; 0 if it does not say."""
    for level, kind, value in stamps:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
            seconds, nanoseconds = struct.unpack("qq", value)
            return seconds * 10**9 + nanoseconds
    return 0


def every(number: int, period: int) -> bool:
    return period > 0 and number % period == period - 1


def erased(frame: bytes) -> bytes:
    header = bytearray(frame[14:34])
    header[4] &= 0x7F
    return frame[:14] + summed(header) + frame[34:]


def summed(header: bytearray) -> bytes:
    """The IPv4 header with its checksum."""
    header[10:12] = b"\0\0"
    header[10:12] = struct.pack("!H", ~folded(header) & 0xFFFF)
    return bytes(header)


def folded(octets: bytes) -> int:
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total >> 16) + (total & 0xFFFF)
    return total


def with_headers(frame: bytes, part: str) -> bytes:
    """A frame of IPv4 and UDP, of an even length, with another part of its headers."""
    offset, value, right = HEADERS[part]
    octets = bytearray(frame)
    octets[offset : offset + len(value)] = value
    if right:
        octets[14:34] = summed(octets[14:34])
        octets[40:42] = b"\0\0"
        pseudo = octets[26:34] + struct.pack("!HH", socket.IPPROTO_UDP, len(octets) - 34)
        octets[40:42] = struct.pack("!H", ~folded(pseudo + octets[34:]) & 0xFFFF or 0xFFFF)
    return bytes(octets)


if __name__ == "__main__":
    Forwarder(json.loads(sys.argv[1])).run()
