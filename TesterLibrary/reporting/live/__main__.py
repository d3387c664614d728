# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Serves the page of a run for the process that runs it: that gives a socket, and closes the input at last.

It is a process of its own, and the last to get a CPU, so that no page disturbs a measurement.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path

from ..record.record_place import EVIDENCE
from .watching import watched

_LAST_WORDS_S = 0.5  # for the pages to get what came last


def main() -> None:
    """Serves until the standard input ends."""
    output, file = Path(sys.argv[1]), int(sys.argv[2])
    os.nice(10)
    with watched(output, output / EVIDENCE, socket.socket(fileno=file)):
        sys.stdin.buffer.read()
    time.sleep(_LAST_WORDS_S)


if __name__ == "__main__":
    main()
