# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine: which CPU does what, and what there is to run."""

from __future__ import annotations

import os
import shutil

from .outcome import Impossible

MEMORY_MIB = 256  # for buffers on either side, without huge pages

# Words before the command of every sender, which give it priority over everything else on this machine.
# Where the kernel groups processes by session, the session needs the priority, too.
UNDISTURBED = ("sh", "-c", '{ echo -20 >/proc/self/autogroup; } 2>/dev/null; exec nice -n -20 "$@"', "sh")


def sending_cpu() -> int:
    """The last CPU of this process: of the lcore, or process, that sends."""
    return max(os.sched_getaffinity(0))


def control_cpu() -> int:
    """The first: of everything else, the device included. The same one where there is only one."""
    return min(os.sched_getaffinity(0))


def load_average() -> float:
    """Load average of the last minute."""
    return round(os.getloadavg()[0], 2)


def need_program(name: str, package: str) -> str:
    """The path of a program. Impossible names the package that has it."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")
    if path is None:
        raise Impossible(f"{name} is not there; install the package {package}")
    return path


def need_root() -> None:
    """Impossible unless this is root."""
    if os.geteuid() != 0:
        raise Impossible("it needs root, for AF_XDP and AF_PACKET at full speed; run it as root")
