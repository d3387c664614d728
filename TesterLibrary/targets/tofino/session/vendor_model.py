# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Starts the vendor's model of a chip, and the daemon that drives it, from the user's SDE.

Internal pipes loop inside the model; its other ports end in network interfaces.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ....errors import TargetError
from .daemon import PipeScopes
from .program import LOOPING

DAEMON = "127.0.0.1:50052"
PIPES = 2  # the model takes half as long for a table as with four
SCOPES = PipeScopes.of([], PIPES)
_TOFINO_B0 = 2  # as the model calls the chip
_REGISTERS_PORT, _CLIENTS_PORT = 8001, 50052  # where the model takes its daemon, and that its clients
_PROGRAMS = ("tofino-model", "bf_switchd")
_PATIENCE_S = 120
_GRACE_S = 10
_POLL_S = 0.5


class VendorModel:
    """Starts when it is made; `stop` leaves nothing behind.

    Args:
        install: The folder that the SDE is installed in.
        configuration: Of the daemon, as `tester p4 build` writes it.
        folder: For logs and the list of ports.
        interfaces: Those in which ports end, by device port.
        prefix: Words before a command, so that it runs where the interfaces are.

    Raises:
        TargetError: One of both does not start.
    """

    def __init__(
        self,
        install: Path,
        configuration: Path,
        folder: Path,
        interfaces: Mapping[int, str],
        prefix: Sequence[str] = (),
    ) -> None:
        self._install, self._configuration, self._folder, self._prefix = (
            install,
            configuration,
            folder,
            prefix,
        )
        self._processes: list[subprocess.Popen[bytes]] = []
        ends = [{"device_port": port, "if": name} for port, name in interfaces.items()]
        self._ports = folder / "ports.json"
        self._ports.write_text(json.dumps({"PortToIf": ends}), encoding="utf-8")
        try:
            self._run()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """The daemon first, which talks to the model."""
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes.clear()

    def restart_daemon(self) -> None:
        """Ends it like a crash, and starts model and daemon anew: a model does not survive its daemon."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        self._processes.clear()
        self._run()

    def _run(self) -> None:
        loops = sum(1 << pipe for pipe in self._looping())
        common = ("--install-dir", str(self._install))
        self._begin(
            *("tofino-model", "--no-cli", "--logs-disable", "--log-dir", str(self._folder)),
            *(f"--chip-type={_TOFINO_B0}", "--int-port-loop", hex(loops), "-f", str(self._ports)),
            *("--p4-target-config", str(self._configuration), *common),
        )
        self._await(lambda: self._listens(_REGISTERS_PORT))
        # It adds the ports that recirculate, by which clients start, unless it is told to add none.
        self._begin("bf_switchd", "--conf-file", str(self._configuration), "--background", *common)
        self._await(lambda: self._listens(_CLIENTS_PORT))

    def _looping(self) -> Iterable[int]:
        """The pipes whose ports loop: none, of a program without an internal pipeline."""
        (device,) = json.loads(self._configuration.read_text(encoding="utf-8"))["p4_devices"]
        (program,) = device["p4_programs"]
        parts = program["p4_pipelines"]
        return [pipe for part in parts if part["p4_pipeline_name"] == LOOPING for pipe in part["pipe_scope"]]

    def _begin(self, name: str, *arguments: str) -> None:
        with (self._folder / f"{name}.log").open("ab") as log:
            self._processes.append(
                subprocess.Popen(
                    [*self._prefix, str(self._install / "bin" / name), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=self._folder,
                    env={**os.environ, "SDE_INSTALL": str(self._install)},
                    start_new_session=True,  # interrupts of this process must not end it before its clients
                )
            )

    def _listens(self, port: int) -> bool:
        """Asks the kernel: the model takes nobody but its daemon, which is the first."""
        return f":{port} ".encode() in subprocess.check_output([*self._prefix, "ss", "-ltn"])

    def _await(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not holds():
            name = _PROGRAMS[len(self._processes) - 1]
            if any(process.poll() is not None for process in self._processes):
                raise TargetError(f"the model of the chip does not start: {name} ended; {self._last(name)}")
            if time.monotonic() > deadline:
                problem = f"{name} is not ready after {_PATIENCE_S} s; {self._last(name)}"
                raise TargetError(f"the model of the chip does not start: {problem}")
            time.sleep(_POLL_S)

    def _last(self, name: str) -> str:
        lines = (self._folder / f"{name}.log").read_text(errors="replace").splitlines()
        return f"it said last: {' / '.join(lines[-4:]) or 'nothing'}"


def missing(install: Path) -> Sequence[str]:
    """The programs that the bin of an SDE must have, and does not."""
    paths = (install / "bin" / name for name in _PROGRAMS)
    return [str(path) for path in paths if not os.access(path, os.X_OK)]
