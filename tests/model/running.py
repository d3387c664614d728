# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The vendor's model of a chip and the daemon of a switch, in a network namespace of their own.

Both are taken from the SDE of the user. Internal pipes loop inside the model; ports without cables end in
veths, of which the tests hold the other ends.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from TesterLibrary.p4.daemon import PipeScopes
from TesterLibrary.targets.tofino.remote import RemoteSwitch
from TesterLibrary.targets.tofino.sde import vendor_switch
from TesterLibrary.testbeds.namespace import Namespace

ADDRESS = "127.0.0.1:50052"
CPU_INTERFACE = "cpu"
CPU_PORT = 64  # device port of a Tofino's CPU, as a network interface
_CPU_END = "chip-cpu"
FRONT = {"p1": 0, "p2": 4, "p3": 8}  # device ports of an external pipe, by the interface they end in
SCOPES = PipeScopes.of([], pipes=2)  # a chip of two: the model takes half as long for a table as with four
_TOFINO_B0 = 2  # as the model calls the chip
_REGISTERS_PORT = 8001  # where the model takes its daemon
_ETH_P_ALL = 3
_MTU = 9500  # templates have a header more than frames
_PATIENCE_S = 120
_GRACE_S = 10


class RunningModel:
    """Starts when it is made; `stop` leaves nothing behind.

    Args:
        install: The folder that the SDE is installed in.
        configuration: Of the daemon, as `tester p4 build` writes it.
        folder: For logs.
        joined: Whether a cable leads from p1 to p2, as in the contract suite.
    """

    def __init__(self, install: Path, configuration: Path, folder: Path, *, joined: bool = False) -> None:
        self.folder, self._joined = folder, joined
        self._processes: list[subprocess.Popen[bytes]] = []
        self._install, self._configuration = install, configuration
        self.inside = Namespace.create()
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def client(self, program: str = "tofino") -> RemoteSwitch:
        """The vendor's client, not bound yet."""
        with self.inside.entered():
            return vendor_switch(ADDRESS, program, CPU_INTERFACE)

    def fetched(self, server: str) -> int:
        """The bytes of the page that curl fetches from a server of HTTP. CalledProcessError: none."""
        with self.inside.entered():
            done = subprocess.run(
                ["curl", "--silent", "--show-error", "--fail", "--max-time", "30", f"http://{server}/"],
                capture_output=True,
                check=True,
            )
        return len(done.stdout)

    def tap(self, interface: str) -> Tap:
        """One end of a cable."""
        with self.inside.entered():
            return Tap(interface)

    def stop(self) -> None:
        """The daemon first, which talks to the model."""
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def restart_daemon(self) -> None:
        """Ends it like a crash, and starts model and daemon anew: a model does not survive its daemon."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        self._processes.clear()
        self._run()

    def _start(self) -> None:
        with self.inside.entered():
            self.inside.without_ipv6()
            self.inside.up("lo")
        mapping = [{"device_port": port, "if": name} for port, name in self._cables().items()]
        self._ports = self.folder / "ports.json"
        self._ports.write_text(json.dumps({"PortToIf": mapping}), encoding="utf-8")
        self._run()

    def _cables(self) -> dict[int, str]:
        """Makes the veths. The ends of them that the chip has, by device port."""
        pairs, ends = [(_CPU_END, CPU_INTERFACE)], {CPU_PORT: _CPU_END}
        if self._joined:
            pairs.append(("p1", "p2"))
            ends |= {FRONT[name]: name for name in ("p1", "p2")}
        else:
            pairs += [(f"chip-{name}", name) for name in FRONT]
            ends |= {port: f"chip-{name}" for name, port in FRONT.items()}
        for number, (near, far) in enumerate(pairs):
            macs = [bytes((2, 0, 0, 0, side, number)) for side in (1, 2)]
            self.inside.veth(near, far, self.inside, mac=macs[0], peer_mac=macs[1])
            for end in (near, far):
                with self.inside.entered():
                    subprocess.run(["ip", "link", "set", end, "mtu", str(_MTU)], check=True)
        return ends

    def _run(self) -> None:
        loops = sum(1 << pipe for pipe in SCOPES.internal)
        common = ("--install-dir", str(self._install))
        self._begin(
            *("tofino-model", "--no-cli", "--logs-disable", "--log-dir", str(self.folder)),
            *(f"--chip-type={_TOFINO_B0}", "--int-port-loop", hex(loops), "-f", str(self._ports)),
            *("--p4-target-config", str(self._configuration), *common),
        )
        self._await(_is_listening)
        self._begin(
            *("bf_switchd", "--conf-file", str(self._configuration), "--background"),
            *("--skip-port-add", *common),
        )
        self._await(_takes_clients)

    def _begin(self, name: str, *arguments: str) -> None:
        environment = {**os.environ, "SDE_INSTALL": str(self._install)}
        with self.inside.entered(), (self.folder / f"{name}.log").open("ab") as log:
            self._processes.append(
                subprocess.Popen(
                    [str(self._install / "bin" / name), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=self.folder,
                    env=environment,
                )
            )

    def _await(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            with self.inside.entered():
                if holds():
                    return
            ended = [process.args for process in self._processes if process.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise RuntimeError(f"the model does not start; ended: {ended}; see {self.folder}")
            time.sleep(0.5)


def _is_listening() -> bool:
    """Whether the model waits for its daemon; it takes no other client first."""
    return f":{_REGISTERS_PORT} ".encode() in subprocess.check_output(["ss", "-ltn"])


def _takes_clients() -> bool:
    host, _, port = ADDRESS.partition(":")
    with suppress(OSError):
        socket.create_connection((host, int(port)), 1).close()
        return True
    return False


class Tap:
    """Frames to a port and from it."""

    def __init__(self, interface: str) -> None:
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)  # none of other interfaces
        self._socket.bind((interface, _ETH_P_ALL))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)

    def send(self, frame: bytes) -> None:
        """Into the port."""
        self._socket.send(frame)

    def frames(self, count: int, *, seconds: float = 5) -> list[bytes]:
        """Frames that left the port, until there are so many or the time is over."""
        found: list[bytes] = []
        deadline = time.monotonic() + seconds
        while len(found) < count and (left := deadline - time.monotonic()) > 0:
            self._socket.settimeout(left)
            with suppress(TimeoutError):
                frame, source = self._socket.recvfrom(1 << 14)
                if source[2] != socket.PACKET_OUTGOING:
                    found.append(frame)
        return found

    def close(self) -> None:
        """No more of them."""
        self._socket.close()


def programs(install: Path) -> Mapping[str, Path]:
    """The programs that the bin of an SDE must have."""
    return {name: install / "bin" / name for name in ("tofino-model", "bf_switchd")}


def missing(install: Path) -> Sequence[str]:
    """Those of these programs that the SDE does not have."""
    return [str(path) for path in programs(install).values() if not os.access(path, os.X_OK)]
