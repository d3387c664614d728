# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a command, and beside it one that takes no CPU from it: what the first leaves idle is enough.

    python3 tools/beside.py IDLE COMMAND -- COMMAND

What the idle command says is printed when both have ended. The status is that of the command, or of the
idle one where the command has none.

Needs nothing but the standard library.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from tempfile import TemporaryFile

from engine import IDLY


def beside(idle: Sequence[str], command: Sequence[str]) -> int:
    """The status of both."""
    with TemporaryFile() as said:
        begun = subprocess.Popen([*IDLY, *idle], stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        try:
            status = subprocess.run(command, check=False).returncode
            idle_status = begun.wait()
        finally:
            begun.terminate()
            begun.wait()
            said.seek(0)
            print(f"+ {' '.join(idle)}", flush=True)
            sys.stdout.buffer.write(said.read())
            sys.stdout.flush()
    return status or idle_status


if __name__ == "__main__":
    at = sys.argv.index("--")
    sys.exit(beside(sys.argv[1:at], sys.argv[at + 1 :]))
