# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a program in the guest of the network namespace that it is started in, as if it were here.

`python -I …/run.py COMMAND WORD…`: a script of its own, which imports no package, so that it starts soon.
Whoever ends it ends the program.
"""

from __future__ import annotations

import json
import signal
import socket
import sys
from contextlib import suppress

SOCKET = "\0guest"  # of machine.py
_NOT_RUN = 125  # as env and timeout have it


def main() -> int:
    """Runs the program; its status."""
    with socket.socket(socket.AF_UNIX) as guest:
        try:
            guest.connect(SOCKET)
        except OSError as problem:
            print(f"the guest is gone ({problem.strerror}); open the testbed again", file=sys.stderr)
            return _NOT_RUN
        guest.sendall(json.dumps(sys.argv[1:]).encode() + b"\n")

        def end(*_: object) -> None:
            with suppress(OSError):  # it has ended by itself
                guest.shutdown(socket.SHUT_WR)

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, end)
        with guest.makefile("rb") as answer:
            line = answer.readline().split()
            if len(line) != 3:
                print("the guest has ended", file=sys.stderr)
                return _NOT_RUN
            status, out, err = map(int, line)
            sys.stdout.buffer.write(answer.read(out))
            sys.stderr.buffer.write(answer.read(err))
    return status


if __name__ == "__main__":
    sys.exit(main())
