# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Records with tcpdump the frames that leave a device, on the far side."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scapy.utils import RawPcapReader

from TesterLibrary.running.opening import OpenTestbed

_NANOSECONDS = ["--time-stamp-precision", "nano"]
_AT_ONCE = ["-U", "--immediate-mode", "-Z", "root"]


@contextmanager
def captured(bed: OpenTestbed, interface: str, path: Path) -> Iterator[None]:
    """Records the frames that leave the device at one of its interfaces in a file."""
    tcpdump = ["tcpdump", "-i", interface, "-Q", "out", "-w", str(path), *_NANOSECONDS, *_AT_ONCE]
    command = [*bed.testbed.dut_prefix, *tcpdump]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("listening on" in line for line in process.stderr)
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)


def frames(path: Path) -> Iterator[tuple[int, bytes]]:
    """(time in ns, octets) of each frame of a capture."""
    for octets, facts in RawPcapReader(str(path)):
        yield facts.sec * 10**9 + facts.usec, octets


def stream_id(frame: bytes) -> int:
    """The stream that a signature names: `plan.proto`, SIGNATURE."""
    return int.from_bytes(frame[-16:-14], "big")


def sequence(frame: bytes) -> int:
    """The number of a frame in its stream, as its signature says."""
    return int.from_bytes(frame[-14:-8], "big")
