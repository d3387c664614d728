# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs that are part of an embedded device. They end with its host process (`host.py`)."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..errors import NotInstalled, TestbedBroken
from .namespace import Namespace
from .sandbox import Sandbox, python

_LONGEST_START = 5.0  # seconds
_FILES = 1 << 20  # the kernel's own bound, fs.nr_open
_LOOK = 0.02  # seconds


def load_nftables(namespace: Namespace, rules: str) -> None:
    """Loads rules into the namespace. TestbedBroken with what `nft` says of them."""
    command = [_find("nft", "nftables"), "-f", "-"]
    with namespace.entered():
        nft = subprocess.run(command, input=rules, capture_output=True, text=True)
    if nft.returncode != 0:
        raise TestbedBroken(f"nft refuses the rules: {_line(nft.stderr)}")


def serve(namespace: Namespace, command: Sequence[str], *, package: str, service: tuple[str, int]) -> None:
    """Starts a program on the device's CPU, with as many files as it may have; waits until it accepts.

    It sees few files of this machine (`sandbox.py`).

    Raises:
        NotInstalled: it is not there; the message names its package.
        TestbedBroken: it ended, or does not listen in time.
    """
    start(
        namespace, command, package=package, ready=lambda: _accepts(namespace, service), how=f"on {service}"
    )


def start(
    namespace: Namespace, command: Sequence[str], *, package: str, ready: Callable[[], bool], how: str
) -> None:
    """Starts a program as `serve` does, and waits until it listens: `ready`, `how` it does.

    Raises:
        NotInstalled, TestbedBroken: as of `serve`.
    """
    words = tempfile.TemporaryFile("w+")  # noqa: SIM115 - the program's, as long as it lives
    program = [_find(command[0], package), *command[1:]]
    started = _started(namespace, program, words, namespace.sandbox)
    deadline = time.monotonic() + _LONGEST_START
    while not ready():
        if started.poll() is not None:
            words.seek(0)
            said = _line(words.read())
            raise TestbedBroken(f"{command[0]} ended with status {started.returncode}: {said}")
        if time.monotonic() > deadline:
            raise TestbedBroken(f"{command[0]} does not listen {how} after {_LONGEST_START:g} s")
        time.sleep(_LOOK)


def run_script(namespace: Namespace, script: Path, *arguments: str) -> None:
    """Starts a script of ours on the device's CPU, in the sandbox; waits until it says that it is ready.

    It sees few files of this machine (`sandbox.py`), and none of this library.

    Raises:
        TestbedBroken: it ended, or says nothing in time.
    """
    visible = str(shutil.copy(script, namespace.scratch()))
    begin(namespace, [python(), "-I", visible, *arguments], script.stem, namespace.sandbox)(_LONGEST_START)


def begin(
    namespace: Namespace, command: Sequence[str], name: str, sandbox: Sandbox | None = None
) -> Callable[[float], None]:
    """Starts a program of ours on the device's CPU that says by a line when it is ready.

    Errors have its name.

    Returns what waits for that line for so many seconds; it raises TestbedBroken if the program
    ended, or says nothing in time.
    """
    words = tempfile.TemporaryFile("w+")  # noqa: SIM115 - the program's, as long as it lives
    started = _started(namespace, command, words, sandbox)

    def await_ready(seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not os.fstat(words.fileno()).st_size and started.poll() is None and time.monotonic() < deadline:
            time.sleep(_LOOK)
        words.seek(0)
        said = _line(words.read())
        if said != "ready":
            raise TestbedBroken(f"{name} is not ready: {said or f'it has said nothing for {seconds:g} s'}")

    return await_ready


def _started(
    namespace: Namespace, program: Sequence[str], words: IO[str], sandbox: Sandbox | None = None
) -> subprocess.Popen[bytes]:
    with namespace.entered():
        return subprocess.Popen(
            program,
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            preexec_fn=lambda: _prepare(namespace.cpu, sandbox),
        )


def _accepts(namespace: Namespace, service: tuple[str, int]) -> bool:
    with namespace.entered(), suppress(OSError), socket.create_connection(service, timeout=_LONGEST_START):
        return True
    return False


def _prepare(cpu: int | None, sandbox: Sandbox | None) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for files in (max(most, _FILES), most):  # only root may raise its limit
        with suppress(ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
            break
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})
    if sandbox is not None:
        sandbox.enter()


def _find(name: str, package: str) -> str:
    """The path of a program; also looks where usually only root does."""
    found = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin")))
    if found is None:
        raise NotInstalled(f"the device needs {name!r}; install the package {package}")
    return found


def _line(text: str) -> str:
    return " ".join(text.split())
