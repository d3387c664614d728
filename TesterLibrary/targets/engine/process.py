# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Starts `testerd` on this machine and ends it. No engine outlives this process, however that ends."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ...errors import TargetError, TestbedError, TesterLibraryError
from ...model.units.units import Duration
from .address import open_channel
from .client import EngineTarget
from .owners import owners_text
from .program import find_program
from .runtime import clean_runtime_directories, new_runtime_directory

_READY = Duration(30 * 10**9)
_LAST_LINES = 8
_POLL_S = 0.01
_REAP_S = 1.0  # a connection breaks a moment before its process is gone
_STEP_S = 2.0  # for each step: asking it to end, SIGTERM, SIGKILL
_WRONG_USAGE = 2  # an exit status of testerd
_INTERFACES = ("iface:", "af_xdp:", "af_packet:", "pci:")  # kinds of ports that are the machine's own
_TAKEN = "belongs to another testerd that runs"  # words of testerd
_RIGHTS = "CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF"


class EngineProcess:
    """A running engine that ends with this process. Use `launch`."""

    def __init__(
        self, process: subprocess.Popen[bytes], runtime: Path, *, interfaces: Sequence[str] = ()
    ) -> None:
        """`interfaces`: names of this machine's that it is to take."""
        self._process = process
        self._runtime = runtime
        self._interfaces = interfaces
        self._stopped = False
        self.address = f"unix:{runtime / 'testerd.sock'}"
        self.log = runtime / "testerd.log"  # one JSON object a line
        atexit.register(self.stop)

    @classmethod
    def launch(
        cls,
        *,
        ports: Mapping[str, str],
        cpus: Sequence[int] = (),
        queues: int = 1,
        memory_mib: int | None = None,
        huge_pages: bool = False,
        forced_interfaces: Sequence[str] = (),
        command_prefix: Sequence[str] = (),
        ready_within: Duration = _READY,
    ) -> EngineProcess:
        """Starts an engine and waits until it answers.

        Args:
            ports: What each port is, by name: `iface:eth1`, `loop:x`, `pci:0000:01:00.0`, `vdev:net_null0`.
            cpus: CPUs of its workers; by default the last one that this process may use.
            queues: Receive queues, and as many send queues, of each port. Several workers can serve a port.
            memory_mib: Memory for buffers; by default enough for the ports.
            huge_pages: Whether that memory comes from huge pages.
            forced_interfaces: Interfaces it may take although they have an address or a default route.
            command_prefix: Put before its command, such as `nsenter` with its arguments.
            ready_within: The longest time until it answers.

        Raises:
            TargetError: the program is not there, ended early (with its last log lines) or is late.
            TestbedError: it refuses a port or an option, such as an interface that is not there or in use.
        """
        program = find_program()
        clean_runtime_directories()
        runtime = new_runtime_directory()
        try:
            engine = cls(
                _start(
                    [*command_prefix, str(program), "--listen", f"unix:{runtime / 'testerd.sock'}"]
                    + [word for name, spec in ports.items() for word in ("--port", f"{name}={spec}")]
                    + (["--cpu", ",".join(map(str, cpus))] if cpus else [])
                    + (["--queues", str(queues)] if queues > 1 else [])
                    + ([] if memory_mib is None else ["--memory", str(memory_mib)])
                    + (["--hugepages"] if huge_pages else [])
                    + [word for name in forced_interfaces for word in ("--force-interface", name)]
                    + ["--log", "json", "--exit-with-parent"],
                    runtime / "testerd.log",
                ),
                runtime,
                interfaces=[
                    spec.partition(":")[2] for spec in ports.values() if spec.startswith(_INTERFACES)
                ],
            )
        except BaseException:
            shutil.rmtree(runtime, ignore_errors=True)
            raise
        try:
            engine._wait_until_ready(ready_within)
        except BaseException:
            engine.stop()
            raise
        return engine

    @property
    def pid(self) -> int:
        """The process id of the engine, or of the command prefix if that keeps running."""
        return self._process.pid

    def target(self) -> EngineTarget:
        """The engine as a target; closing it stops the engine."""
        channel = open_channel(self.address, None)
        return EngineTarget(channel, self.address, on_close=self.stop, obituary=self.obituary)

    def obituary(self) -> str:
        """How the engine ended and what it said last; empty while it runs."""
        try:
            status = self._process.wait(_REAP_S)
        except subprocess.TimeoutExpired:
            return ""
        how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        return f"testerd {how}; {self._last_words()}"

    def stop(self) -> None:
        """Ends the engine: asks it, then SIGTERM, then SIGKILL. Removes its directory. Never raises."""
        if self._stopped:
            return
        self._stopped = True
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            self._ask_to_end()
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is not None:
                break
            os.killpg(self._process.pid, number)  # its whole group: a command prefix may have children
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_STEP_S)
        shutil.rmtree(self._runtime, ignore_errors=True)

    def _ask_to_end(self) -> None:
        target = EngineTarget(open_channel(self.address, None), self.address)
        with suppress(TargetError, subprocess.TimeoutExpired):
            target.shutdown(Duration(int(_STEP_S * 10**9)))
            self._process.wait(_STEP_S)
        target.close()

    def _wait_until_ready(self, within: Duration) -> None:
        deadline = time.monotonic() + within.seconds
        while not accepts(self._runtime / "testerd.sock"):
            if self._process.poll() is not None:
                raise self._error_of_start()
            if time.monotonic() > deadline:
                raise TargetError(f"testerd was not ready within {within}; {self._last_words()}")
            time.sleep(_POLL_S)
        target = EngineTarget(open_channel(self.address, None), self.address, obituary=self.obituary)
        try:
            target.capabilities()
        finally:
            target.close()

    def _error_of_start(self) -> TesterLibraryError:
        rights = ""
        if self._interfaces and os.geteuid():
            rights = f" as user {os.geteuid()}; network interfaces take root, or {_RIGHTS}"
        if _TAKEN in (words := self.obituary()):  # nothing is wrong with the testbed
            return TargetError(owners_text(self._interfaces) or f"{words}; wait until that run is over")
        reason = f"testerd did not start{rights}: {words}"
        # Wrong usage is an error in the testbed, which its author has to mend; the tester is not broken.
        return TestbedError(reason) if self._process.returncode == _WRONG_USAGE else TargetError(reason)

    def _last_words(self) -> str:
        """The end of the log as text: the engine writes JSON, DPDK writes free text."""
        try:
            lines = self.log.read_text(errors="replace").splitlines()
        except OSError:
            return "its log is gone"
        last = [_readable(line) for line in lines if line.strip()][-_LAST_LINES:]
        return f"its last words: {' | '.join(last)}" if last else "it said nothing"


def _start(command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches only this process, which stops the engine in order
            )
        except OSError as error:
            raise TargetError(f"cannot start {command[0]}: {error.strerror}") from None


def _readable(line: str) -> str:
    try:
        entry = json.loads(line)
    except ValueError:
        return line
    if not isinstance(entry, dict):
        return line
    return " ".join(str(value) for key, value in entry.items() if key not in ("time", "level"))


def accepts(address: Path) -> bool:
    """Whether a process takes connections at a Unix socket; the file is there before one does."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(address))
        except OSError:
            return False
    return True
