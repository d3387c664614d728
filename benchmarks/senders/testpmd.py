# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""DPDK's own `dpdk-testpmd`, the peer that uses the same drivers."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..harness.frame import FRAME_SIZE
from ..harness.machine import MEMORY_MIB, UNDISTURBED, control_cpu, need_program, sending_cpu

NAME = "testpmd txonly"
FORWARDING = "testpmd io"
_ANSWER_S = 20.0
_END_S = 5.0
_PROMPT = "testpmd> "
_TX_PACKETS = re.compile(r"^\s*TX-packets:\s*(\d+)", re.MULTILINE)
_LAST_CHARACTERS = 400
# The same as the engine's; with its default burst of 32 testpmd is no faster.
_BURST = 64
_DESCRIPTORS = 2048
_BUFFERS = 16384
_FRAMES_UNDER_WAY = 512  # half of what a ring of net_ring holds


def name(mode: str) -> str:
    """The name in results for a testpmd in this forward mode."""
    return f"testpmd {mode}"


def tx_packets(statistics: str) -> int:
    """The frames that all ports sent, from the answer to `show port stats`. ValueError if it is none."""
    found = _TX_PACKETS.findall(statistics)
    if not found:
        raise ValueError(f"no TX-packets in what testpmd said: {statistics[-_LAST_CHARACTERS:]!r}")
    return sum(map(int, found))


@contextmanager
def sending(vdev: str, *, mode: str = "txonly", enter: Sequence[str] = ()) -> Iterator[Callable[[], int]]:
    """A testpmd that sends on one forwarding core. Yields a function that returns the frames sent.

    Args:
        vdev: The device with its arguments, such as `net_null0`.
        mode: Its forward mode: `txonly`, one frame again and again, or `flowgen`, each anew for 1024 flows.
        enter: Put before its command, to run it in a namespace.
    """
    options = [f"--forward-mode={mode}", f"--txpkts={FRAME_SIZE - 4}"]
    with _running([*enter, *UNDISTURBED, *_command([vdev], options)], "start") as count:
        yield count


@contextmanager
def forwarding() -> Iterator[Callable[[], int]]:
    """A testpmd that passes on what it receives and looks at nothing, over a ring from a port to itself.

    Yields a function that returns the frames that have gone round.
    """
    mode = ["--forward-mode=io", "--port-topology=loop"]
    start = f"start tx_first {_FRAMES_UNDER_WAY // _BURST}"
    with _running([*UNDISTURBED, *_command(["net_ring0"], mode)], start) as count:
        yield count


@contextmanager
def swapping() -> Iterator[Callable[[], int]]:
    """A testpmd that forwards between two rings, each from a port to itself, and swaps addresses and ports.

    Yields a function that returns the frames that it has forwarded, both ways.
    """
    command = _command(["net_ring0", "net_ring1"], ["--forward-mode=5tswap"])
    start = f"start tx_first {_FRAMES_UNDER_WAY // 2 // _BURST}"
    with _running([*UNDISTURBED, *command], start, ports="all") as count:
        yield count


@contextmanager
def _running(command: Sequence[str], start: str, *, ports: str = "0") -> Iterator[Callable[[], int]]:
    conversation = _Conversation(command)
    try:
        conversation.ask(start)
        yield lambda: tx_packets(conversation.ask(f"show port stats {ports}"))
        conversation.ask("stop")
    finally:
        conversation.close()


def _command(vdevs: Sequence[str], forward_mode: Sequence[str]) -> list[str]:
    eal = ["--no-huge", "-m", str(MEMORY_MIB), "--no-pci", "--no-telemetry", "--no-shconf"]
    cores = ["--lcores", f"0@{control_cpu()},1@{sending_cpu()}", "--main-lcore", "0"]
    mode = ["--interactive", "--nb-cores=1", *forward_mode]
    rings = [
        f"--burst={_BURST}",
        f"--txd={_DESCRIPTORS}",
        f"--rxd={_DESCRIPTORS}",
        f"--total-num-mbufs={_BUFFERS}",
    ]
    testpmd = need_program("dpdk-testpmd", "dpdk-dev")
    # Without stdbuf it writes whole blocks to a pipe, which delays its answers.
    unbuffered = [need_program("stdbuf", "coreutils"), "-o0"]
    return [*unbuffered, testpmd, *eal, *cores, *(f"--vdev={vdev}" for vdev in vdevs), "--", *mode, *rings]


class _Conversation:
    """Commands to its prompt, and its answers."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for us; and it ends with its standard input
        )
        try:
            self._read_to_prompt()
        except BaseException:
            self.close()
            raise

    def ask(self, command: str) -> str:
        """Sends a command; its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{command}\n".encode())
        return self._read_to_prompt()

    def close(self) -> None:
        """Ends it: its standard input, then a signal."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(b"quit\n")
            self._process.stdin.close()
            self._process.communicate(timeout=_END_S)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def _read_to_prompt(self) -> str:
        assert self._process.stdout is not None
        said, deadline = "", time.monotonic() + _ANSWER_S
        while not said.endswith(_PROMPT):
            left = max(0.0, deadline - time.monotonic())
            if not select.select([self._process.stdout], [], [], left)[0]:
                raise RuntimeError(f"testpmd did not answer in {_ANSWER_S} s: {said[-_LAST_CHARACTERS:]!r}")
            read = os.read(self._process.stdout.fileno(), 65536)
            if not read:
                raise RuntimeError(f"testpmd ended: {said[-_LAST_CHARACTERS:]!r}")
            said += read.decode(errors="replace")
        return said.removesuffix(_PROMPT)
