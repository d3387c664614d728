# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A file whose reader waits for ever once it is told to, like one of a network share that is gone.

It is the only file of a file system in user space (the protocol of linux/fuse.h, version 7.31).
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from pathlib import Path

_DEVICE = Path("/dev/fuse")
_NAME = "capture.pcap"
_ROOT, _FILE = 1, 2
_LOOKUP, _FORGET, _GETATTR, _OPEN, _READ, _RELEASE, _INIT, _INTERRUPT = 1, 2, 3, 14, 15, 18, 26, 36
_UNANSWERED = {_FORGET, _INTERRUPT}
_ENOENT, _ENOSYS = 2, 38
_DIRECT_IO = 1
_MNT_DETACH = 2
_LONGEST = 1 << 17


class HungFile:
    """`octets`, of which `good` can be read before a reader has to wait."""

    def __init__(self, folder: Path, octets: bytes) -> None:
        self.path = folder / _NAME
        self.good = len(octets)
        self._folder = str(folder).encode()
        self._octets = octets
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._device = os.open(_DEVICE, os.O_RDWR)
        options = f"fd={self._device},rootmode=40000,user_id=0,group_id=0".encode()
        if self._libc.mount(b"hung", self._folder, b"fuse.hung", 0, options):
            number = ctypes.get_errno()
            raise OSError(number, f"cannot mount {folder}: {os.strerror(number)}")
        self._hangs = threading.Event()
        self._closed = threading.Event()
        self._serving = threading.Thread(target=self._serve, daemon=True)
        self._serving.start()
        self.path.read_bytes()  # the kernel learns that closing it asks nobody

    @staticmethod
    def possible() -> bool:
        """Whether this machine has file systems in user space."""
        return os.geteuid() == 0 and os.access(_DEVICE, os.R_OK | os.W_OK)

    def close(self) -> None:
        """Closes the file; a process that waits for it gets an error."""
        self._closed.set()
        self._libc.umount2(self._folder, _MNT_DETACH)
        os.close(self._device)

    def _serve(self) -> None:
        while True:
            try:
                request = os.read(self._device, _LONGEST + 4096)
            except OSError:
                return  # unmounted
            _, opcode, unique, node = struct.unpack_from("<IIQQ", request)
            if opcode in _UNANSWERED:
                continue
            error, body = self._answer(opcode, node, request[40:])
            os.write(self._device, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)
            if self._hangs.is_set():
                # A process whose request was read from the device, but not answered, cannot even be killed.
                self._closed.wait()
                return

    def _answer(self, opcode: int, node: int, body: bytes) -> tuple[int, bytes]:
        if opcode == _INIT:
            return 0, struct.pack("<IIIIHHIIHH", 7, 31, 0, 0, 12, 9, _LONGEST, 1, 32, 0) + bytes(32)
        if opcode == _LOOKUP:
            if body.rstrip(b"\0") != _NAME.encode():
                return _ENOENT, b""
            return 0, struct.pack("<QQQQII", _FILE, 0, 0, 0, 0, 0) + self._attributes(_FILE)
        if opcode == _GETATTR:
            return 0, struct.pack("<QII", 0, 0, 0) + self._attributes(node)
        if opcode == _OPEN:
            return 0, struct.pack("<QII", 0, _DIRECT_IO, 0)
        if opcode == _READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            if self.good < len(self._octets) and offset + size >= self.good:
                self._hangs.set()
            return 0, self._octets[offset : offset + size]
        if opcode == _RELEASE:
            return 0, b""
        return _ENOSYS, b""

    def _attributes(self, node: int) -> bytes:
        mode, size = (0o040755, 0) if node == _ROOT else (0o100644, len(self._octets))
        return struct.pack("<QQQQQQIIIIIIIIII", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)
