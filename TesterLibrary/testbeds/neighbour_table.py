# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's tables of neighbours, which a machine has once for all its network namespaces."""

from __future__ import annotations

import errno
import socket
import struct
import time
from collections.abc import Mapping

from ..errors import TestbedError

# No lock file: the kernel releases it however its holder ends, and can tell who holds it.
_NAME = "\0TesterLibrary neighbour table"
_LONGEST_WAIT = 180.0  # seconds; the suite of neighbours takes two minutes
_PATIENCE = 0.2  # seconds


class NeighbourTable:
    """The right of one process to fill the table: two would find each other's entries, not its limit."""

    def __init__(self, longest_wait: float | None = None) -> None:
        """Waits at most so many seconds while another process holds it. TestbedError says which one does."""
        wait = _LONGEST_WAIT if longest_wait is None else longest_wait
        deadline = time.monotonic() + wait
        while True:
            self._held = socket.socket(socket.AF_UNIX)
            try:
                self._held.bind(_NAME)
                self._held.listen()
            except OSError as problem:
                self._held.close()
                if problem.errno != errno.EADDRINUSE:
                    raise
                if time.monotonic() >= deadline:
                    raise TestbedError(
                        f"the kernel has one table of neighbours for the whole machine, and {_holder()} has "
                        f"a testbed open that fills it, still after {wait:g} s; close that one first"
                    ) from None
                time.sleep(_PATIENCE)
            else:
                return

    def release(self) -> None:
        """Releases the table to other processes."""
        self._held.close()


def fills_neighbour_table(options: Mapping[str, object]) -> bool:
    """Whether a device with these options learns neighbours, and forgets them, as the kernel usually does."""
    return options.get("neighbours") == "aged"


def _holder() -> str:
    """The process that holds the table."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.setblocking(False)  # connect() would block when many processes ask
        try:
            asking.connect(_NAME)
            credentials = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        except OSError:
            return "another process"
    return f"process {struct.unpack('3i', credentials)[0]}"
