# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`trafgen` of netsniff-ng, the peer that needs no DPDK."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..harness.frame import frame
from ..harness.machine import need_program, sending_cpu
from . import child

NAME = "trafgen"
# The ring holds as many frames as the socket may have on their way. With a larger ring trafgen ends
# ("Flushing TX_RING failed"); with one smaller than its default it is not slower.
_RING = "256KiB"
_START_S = 5.0
_LOOK_S = 0.05
_LOOKS = 3  # in a row


@contextmanager
def sending(interface: str, *, gap_us: int | None = None, enter: Sequence[str] = ()) -> Iterator[None]:
    """A trafgen that sends, as one process on the CPU for sending.

    Args:
        interface: Where it sends.
        gap_us: From frame to frame; at its maximum if there is none. It can also be given a rate, which it
            reaches by a burst each second.
        enter: Put before its command, to run it in a namespace.
    """
    packet = f"{{ {', '.join(f'0x{byte:02x}' for byte in frame())} }}"
    options = ["--dev", interface, "--cpus", "1", "--notouch-irq", "--no-cpu-stats"]
    options += ["--ring-size", _RING] if gap_us is None else ["--gap", f"{gap_us}us"]
    command = [need_program("trafgen", "netsniff-ng"), *options, packet]
    with child.running(command, enter=enter) as process:
        _keep_on(process, sending_cpu())
        yield


def _keep_on(process: subprocess.Popen[bytes], cpu: int) -> None:
    """Moves the child that sends to that CPU, from the first one, to which it binds itself when it starts."""
    deadline, settled = time.monotonic() + _START_S, 0
    while settled < _LOOKS:
        if time.monotonic() > deadline:
            raise RuntimeError(f"trafgen did not start to send within {_START_S} s")
        time.sleep(_LOOK_S)
        child.check_alive(process)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        stays = bool(children) and all(os.sched_getaffinity(int(pid)) == {cpu} for pid in children)
        settled = settled + 1 if stays else 0
        for pid in children:
            os.sched_setaffinity(int(pid), {cpu})
