# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A way of TCP that mistreats packets: runs in the namespace of an embedded router, for all that it forwards,
sends and receives.

    python detour.py '{"hold_every": 20, "overtaken_by": 3}'

Packets of TCP that come in on p1 or p2, or are the router's own, go through here before they go on. Each
`hold_every`-th is overtaken by `overtaken_by` more, or held for 5 ms if there are none; each
`duplicate_every`-th is sent twice, each `lose_every`-th is not sent at all. Prints a line when it
begins, and for each line that it reads how many it held, sent twice and lost.
Only the standard library: it may run as another user than the tests.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import struct
import subprocess
import sys
import time

_NAME = "detour0"
_TABLE = "100"
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 1, 0x1000
_LONGEST_HOLD_S = 0.005


class Detour:
    """Takes packets from the kernel, and gives them back as if they had come from elsewhere."""

    def __init__(self, wish: dict[str, int]) -> None:
        self._hold_every = wish.get("hold_every", 0)
        self._overtaken_by = wish.get("overtaken_by", 0)
        self._duplicate_every = wish.get("duplicate_every", 0)
        self._held: list[tuple[int, float, bytes]] = []  # after which packet, at what time at the latest
        self._lose_every = wish.get("lose_every", 0)
        self._seen = self._holds = self._duplicates = self._losses = 0
        self._fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self._fd, _TUNSETIFF, struct.pack("16sH22x", _NAME.encode(), _IFF_TUN | _IFF_NO_PI))
        _lead_here()

    def run(self) -> None:
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([self._fd, sys.stdin], [], [], _LONGEST_HOLD_S)
            if sys.stdin in ready:
                if not sys.stdin.readline():
                    return
                print(self._holds, self._duplicates, self._losses, flush=True)
            if self._fd in ready:
                self._take(os.read(self._fd, 65_536))
            self._release()

    def _take(self, packet: bytes) -> None:
        self._seen += 1
        if _every(self._seen, self._lose_every):
            self._losses += 1
            return
        if _every(self._seen, self._hold_every):
            self._holds += 1
            self._held.append((self._seen + self._overtaken_by, time.monotonic() + _LONGEST_HOLD_S, packet))
            return
        os.write(self._fd, packet)
        if _every(self._seen, self._duplicate_every):
            self._duplicates += 1
            os.write(self._fd, packet)

    def _release(self) -> None:
        while self._held and (self._held[0][0] <= self._seen or self._held[0][1] <= time.monotonic()):
            os.write(self._fd, self._held.pop(0)[2])


def _every(number: int, period: int) -> bool:
    return period > 0 and number % period == 0


def _lead_here() -> None:
    """Answers may come from the router's own address, which the kernel would not accept by itself."""
    settings = [f"net.ipv4.conf.{_NAME}.accept_local=1", "net.ipv4.tcp_early_demux=0"]
    settings += [f"net.ipv4.conf.{name}.rp_filter=0" for name in ("all", _NAME)]
    for command in (
        f"ip link set {_NAME} up mtu 1500 txqueuelen 10000",
        f"ip route add default dev {_NAME} table {_TABLE}",
        "ip rule add pref 10 lookup local",
        *(f"ip rule add pref 5 iif {name} ipproto tcp lookup {_TABLE}" for name in ("p1", "p2", "lo")),
        "ip rule delete pref 0",
        *(f"sysctl -q -w {setting}" for setting in settings),
    ):
        subprocess.run(command.split(), check=True)


if __name__ == "__main__":
    Detour(json.loads(sys.argv[1])).run()
