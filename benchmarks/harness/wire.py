# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A veth cable between a sender and a kernel that drops what arrives, and counts it."""

from __future__ import annotations

import subprocess
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from TesterLibrary.testbeds import RunningTestbed, open_testbed

from . import stamps
from .machine import need_root

_FILE = Path(__file__).with_name("wire.yaml")
_PORT = "far"

# In an embedded testbed the far end works on another CPU than the tester. Here that would measure how fast
# that CPU takes frames, and trafgen ends if it does not keep up. On the sender's CPU nothing is lost in
# between: each frame is received, and dropped, before the next one is sent.
_RECEIVE_ON_SENDERS_CPU = f"mount -t sysfs sysfs /sys && echo 0 > /sys/class/net/{_PORT}/queues/rx-0/rps_cpus"


@dataclass(frozen=True)
class Wire:
    """The sender's end and the far one are in network namespaces of their own.

    It is an embedded testbed, so it goes whenever this process ends, in whatever way, and takes every
    process in its namespaces along.
    """

    _testbed: RunningTestbed

    @property
    def interface(self) -> str:
        """The sender's end."""
        return self._testbed.port_specs[_PORT].partition(":")[2]

    @property
    def enter(self) -> tuple[str, ...]:
        """Words before a command that sends."""
        return self._testbed.command_prefix

    @property
    def enter_far(self) -> tuple[str, ...]:
        """Words before a command that is to run at the far end."""
        return self._testbed.dut_prefix

    @contextmanager
    def stamped(self, frames: int) -> Iterator[Callable[[], array[int]]]:
        """Remembers when UDP frames arrive, of the first so many frames.

        Yields a function that says when, in nanoseconds of CLOCK_MONOTONIC_RAW. It can be asked once.
        RuntimeError if nobody can say.
        """
        command = [*self.enter_far, sys.executable, str(stamps.__file__), _PORT, str(frames)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

        def ask() -> array[int]:
            found = array("Q")
            answer, complaint = process.communicate(b"\n")
            if process.returncode != 0:
                raise RuntimeError(f"no arrivals: {complaint.decode(errors='replace').strip()[-400:]}")
            found.frombytes(answer)
            return found

        try:
            assert process.stdout is not None
            if process.stdout.readline() != b"armed\n":
                ask()
            yield ask
        finally:
            process.kill()
            process.communicate()

    def give_address(self) -> str:
        """Gives the sender's end an address, for senders that use the kernel's; returns the far one."""
        (port,) = self._testbed.testbed.ports
        command = ["ip", "address", "add", str(port.address), "dev", self.interface]
        subprocess.run([*self.enter, *command], check=True)
        return str(port.gateway)

    def arrived(self) -> int:
        """Frames that the kernel's counter of the far interface has seen."""
        return self._testbed.kernel_counters()[_PORT].rx_packets


@contextmanager
def wire() -> Iterator[Wire]:
    """A new cable. Impossible unless this is root."""
    need_root()
    with open_testbed(str(_FILE)) as testbed:
        steer = ["unshare", "--mount", "sh", "-c", _RECEIVE_ON_SENDERS_CPU]
        subprocess.run([*testbed.dut_prefix, *steer], check=True)
        yield Wire(testbed)
