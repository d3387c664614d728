# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Interpreters behind a TAP interface: to the kernel of a network namespace they are another host."""

from __future__ import annotations

import ctypes
import fcntl
import os
import random
import select
import struct
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from TesterLibrary.protocols.interpreter import Interpreter

KERNEL, PEER = "198.18.0.1", "198.18.0.2"
PEER_MAC = "02:00:00:00:00:01"
_KERNEL_MAC = "02:00:00:00:00:02"
_NAME = "tap0"
_TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 2, 0x1000
_CLONE_NEWNET = 0x40000000


def own_namespace() -> None:
    """Moves this process into a network namespace of its own, which ends with it. Needs CAP_SYS_ADMIN."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


class Tap:
    """Runs interpreters on an interface until it is closed; `start` and counters may be used meanwhile."""

    def __init__(self, interpreters: Iterable[Interpreter], loss: float, late: float) -> None:
        self.lost = 0
        self._loss, self._late, self._chance = loss, late, random.Random(1)
        self._delayed: list[bytes] = []
        self.interpreters = tuple(interpreters)
        self._fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self._fd, _TUNSETIFF, struct.pack("16sH22x", _NAME.encode(), _IFF_TAP | _IFF_NO_PI))
        for command in (
            ["link", "set", _NAME, "address", _KERNEL_MAC, "up"],
            ["addr", "add", f"{KERNEL}/24", "dev", _NAME],
        ):
            subprocess.run(["ip", *command], check=True)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def start(self, interpreter: Interpreter, fields: dict[str, object]) -> None:
        """Opens a flow to the kernel."""
        link = {"Ether.src": PEER_MAC, "Ether.dst": _KERNEL_MAC, "IP.src": PEER, "IP.dst": KERNEL}
        with self._lock:
            self._write(interpreter.start({**link, **fields}, _now()))

    def wait_for_flows(self, client: Interpreter) -> None:
        """Until all flows of a client are over; 20 s at most."""
        until = time.monotonic() + 20
        while client.flows and time.monotonic() < until:
            time.sleep(0.01)

    def close(self) -> None:
        """Stops them."""
        self._stop.set()
        self._thread.join()
        os.close(self._fd)

    def _run(self) -> None:
        while not self._stop.is_set():
            ready, _, _ = select.select([self._fd], [], [], 0.001)
            with self._lock:
                while ready:
                    try:
                        frame = os.read(self._fd, 65_536)
                    except BlockingIOError:
                        break
                    if self._chance.random() < self._loss:
                        self.lost += 1
                        continue
                    for interpreter in self.interpreters:
                        self._write(interpreter.receive(frame, _now()))
                for interpreter in self.interpreters:
                    interpreter.advance(_now())
                    self._write(interpreter.sent())

    def _write(self, frames: Iterable[bytes]) -> None:
        for frame in frames:
            fate = self._chance.random()
            if fate < self._loss:
                self.lost += 1
            elif fate < self._loss + self._late:
                self._delayed.append(frame)
            else:
                os.write(self._fd, frame)
                while self._delayed:
                    os.write(self._fd, self._delayed.pop())


def _now() -> int:
    return time.monotonic_ns() // 1000


@contextmanager
def tap(*interpreters: Interpreter, loss: float = 0, late: float = 0) -> Iterator[Tap]:
    """Closed at the end. Loses this part of all frames, and sends this part after others."""
    running = Tap(interpreters, loss, late)
    try:
        yield running
    finally:
        running.close()
