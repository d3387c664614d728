# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs `python -m MODULE` without its imports: in a process forked from one that has done them.

Imports are a second and a half of CPU time in each run of Robot with the library. Everything else is as in a
new process: arguments, environment, folder, open files, and the end of the interpreter.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

_IMPORTED = (
    *("robot.run", "robot.api", "TesterLibrary.library", "TesterLibrary.testbeds.namespace"),
    *("jsonschema", "scapy.layers.inet", "scapy.layers.inet6"),
)
_MOST = 1 << 16  # bytes of a message
_OPEN = (0, 1, 2)
_ROOT = Path(__file__).parents[1]


def run(
    module: str, arguments: Sequence[str], *, environment: Mapping[str, str], timeout: float | None = None
) -> int:
    """The exit status of `python -m module arguments`, which is killed when the timeout is over."""
    parent, _ = _parent()
    request = {"argv": [module, *arguments], "environment": dict(environment), "folder": str(Path.cwd())}
    socket.send_fds(parent, [json.dumps(request).encode()], _OPEN)
    child = int(parent.recv(_MOST))
    parent.settimeout(timeout)
    try:
        return int(parent.recv(_MOST))
    except BaseException as ended:
        parent.settimeout(None)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        parent.recv(_MOST)
        if isinstance(ended, TimeoutError):
            raise subprocess.TimeoutExpired([module, *arguments], timeout or 0) from ended
        raise


@cache
def _parent() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The process that forks, which ends with our end of the connection with it."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there:
        command = [sys.executable, "-m", __name__, str(there.fileno())]
        return here, subprocess.Popen(command, cwd=_ROOT, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL)


def _request(connection: socket.socket) -> dict[str, Any]:
    """Forks for each request, and returns it in the child."""
    while True:
        message, files, _, _ = socket.recv_fds(connection, _MOST, len(_OPEN))
        if not message:
            raise SystemExit
        child = os.fork()
        if not child:
            break
        for file in files:
            os.close(file)
        connection.send(str(child).encode())
        connection.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
    connection.close()
    for file, number in zip(files, _OPEN, strict=True):
        os.dup2(file, number)
        os.close(file)
    request: dict[str, Any] = json.loads(message)
    return request


def _main() -> None:
    for module in _IMPORTED:
        importlib.import_module(module)
    gc.freeze()
    request = _request(socket.socket(fileno=int(sys.argv[1])))
    sys.path[0] = request["folder"]
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv[:] = request["argv"]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
