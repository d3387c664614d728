# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The process that runs a guest, and programs in it.

`python -m TesterLibrary.testbeds.guest.machine '["qemu-system-x86_64", …]' TAP` starts QEMU and prints
`ready` when the guest is. The command enters the sandbox (`sandbox.py`) first. QEMU has no right to open an
interface there, so it gets TAP as a descriptor. Then this process serves clients (`run.py`) at an abstract
UNIX socket, which belongs to the network namespace that it is in. A client sends a line of JSON, the words of
a command, and gets the guest's answer when the command has ended. A client that closes its side before then
ends the command. The guest ends with this process, this process with its parent, and both when the guest
does.
"""

from __future__ import annotations

import asyncio
import base64
import ctypes
import fcntl
import json
import os
import shlex
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from .run import SOCKET

CHANNELS = 6  # commands at a time
NETWORK = "net"  # QEMU's name of the interface
LONGEST_BOOT = 300.0  # seconds: QEMU without KVM, on a busy machine
_CONSOLE_SHOWN = 400  # characters of what the guest said last
_END_GRACE = 1.0  # seconds for a command to end by itself
_PR_SET_PDEATHSIG = 1
_IFF_TAP, _IFF_NO_PI, _TUNSETIFF = 0x2, 0x1000, 0x400454CA  # linux/if_tun.h
_libc = ctypes.CDLL(None, use_errno=True)


class Channel:
    """A serial port of the guest, from its outside."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ours, self.theirs = socket.socketpair()
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def open(self) -> None:
        """Takes our end; the other one is QEMU's by now."""
        self.theirs.close()
        self.reader, self.writer = await asyncio.open_connection(sock=self._ours)

    @property
    def options(self) -> list[str]:
        """Options of QEMU for the port."""
        return [
            *("-chardev", f"socket,id={self.name},fd={self.theirs.fileno()}"),
            *("-device", f"virtserialport,chardev={self.name},name={self.name}"),
        ]


class Machine:
    """A guest that runs."""

    def __init__(self, command: Sequence[str], tap: str) -> None:
        self._control = Channel("control")
        self._channels = [Channel(f"channel{number}") for number in range(CHANNELS)]
        every = [*self._channels, self._control]  # a guest waits for the last one
        options = [word for channel in every for word in channel.options]
        handles = [channel.theirs.fileno() for channel in every]
        if tap:
            handles.append(_opened(tap))
            options += ["-netdev", f"tap,id={NETWORK},fd={handles[-1]}"]
        self._console = tempfile.TemporaryFile()  # noqa: SIM115 - the guest's, as long as it lives
        self._qemu = subprocess.Popen(
            [*command, *options],
            stdin=subprocess.DEVNULL,
            stdout=self._console,
            stderr=subprocess.STDOUT,
            pass_fds=handles,
            preexec_fn=die_with_parent,
        )
        self._free = asyncio.Queue[Channel]()

    async def run(self) -> None:
        """Serves until the guest ends."""
        for channel in (self._control, *self._channels):
            await channel.open()
        try:
            if not await asyncio.wait_for(self._control.reader.readline(), LONGEST_BOOT):
                raise SystemExit(f"it has ended: {self._said()}")
        except asyncio.TimeoutError:
            self._qemu.kill()
            raise SystemExit(f"it has not come up within {LONGEST_BOOT:g} s: {self._said()}") from None
        for channel in self._channels:
            self._free.put_nowait(channel)
        server = await asyncio.start_unix_server(self._serve, SOCKET)
        print("ready", flush=True)
        async with server:
            await self._control.reader.read()

    def _said(self) -> str:
        self._qemu.wait()
        self._console.seek(0)
        return " ".join(self._console.read().decode(errors="replace").split())[-_CONSOLE_SHOWN:]

    async def _serve(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            words = json.loads(await client.readline())
            channel = await self._free.get()
            answer = await self._run(channel, shlex.join(words), client)
            self._free.put_nowait(channel)
            to_client.write(answer)
            await to_client.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client is gone, or the guest: who is left sees that the connection ends
        finally:
            to_client.close()

    async def _run(self, channel: Channel, command: str, client: asyncio.StreamReader) -> bytes:
        """Runs a command; returns the guest's answer to it."""
        channel.writer.write(base64.b64encode(f"exec {command}".encode()) + b"\n")
        answer = asyncio.ensure_future(_answer(channel.reader))
        over = asyncio.ensure_future(client.read(1))
        await asyncio.wait((answer, over), return_when=asyncio.FIRST_COMPLETED)
        for number in ("TERM", "KILL"):
            if not answer.done():
                self._control.writer.write(f"{number} {channel.name.removeprefix('channel')}\n".encode())
                await asyncio.wait((answer,), timeout=_END_GRACE)
        over.cancel()
        return await answer


def _opened(tap: str) -> int:
    """The descriptor of an interface. Frames have all checksums: it takes no offloads (no IFF_VNET_HDR)."""
    control = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
    fcntl.ioctl(control, _TUNSETIFF, struct.pack("16sH22x", tap.encode(), _IFF_TAP | _IFF_NO_PI))
    return control


async def _answer(reader: asyncio.StreamReader) -> bytes:
    line = await reader.readuntil()
    _, out, err = line.split()
    return line + await reader.readexactly(int(out) + int(err))


def die_with_parent() -> None:
    """Has the kernel end this process when its parent is gone."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    """Runs one guest to its end."""
    die_with_parent()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    command, tap = sys.argv[1:]
    asyncio.run(Machine(json.loads(command), tap).run())


if __name__ == "__main__":
    main()
