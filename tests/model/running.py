# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The vendor's model of a chip and the daemon of a switch, in a network namespace of their own.

Both are taken from the SDE of the user. Internal pipes loop inside the model; ports without cables end in
veths, of which the tests hold the other ends.
"""

from __future__ import annotations

import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from TesterLibrary.planning.switch.chip import TOFINO
from TesterLibrary.targets.tofino.session.model_switch import CPU, CPU_END, MTU, connect_cpu
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.session.sde import vendor_switch
from TesterLibrary.targets.tofino.session.vendor_model import DAEMON, VendorModel
from TesterLibrary.testbeds.namespace import Namespace

FRONT = {"p1": 0, "p2": 4, "p3": 8}  # device ports of an external pipe, by the interface they end in
_ETH_P_ALL = 3


class RunningModel:
    """Starts when it is made; `stop` leaves nothing behind.

    Args:
        install: The folder that the SDE is installed in.
        configuration: Of the daemon, as `tester p4 build` writes it.
        folder: For logs.
        joined: Whether a cable leads from p1 to p2, as in the contract suite.
    """

    def __init__(self, install: Path, configuration: Path, folder: Path, *, joined: bool = False) -> None:
        self.folder = folder
        self.inside = Namespace.create()
        with self.inside.entered():
            self.inside.without_ipv6()
        cables = self._cables(joined=joined)
        with self.inside.entered():
            self._model = VendorModel(install, configuration, folder, cables)

    def client(self, program: str = "tofino") -> RemoteSwitch:
        """The vendor's client, not bound yet."""
        with self.inside.entered():
            return vendor_switch(DAEMON, program, CPU)

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
        """Ends daemon and model."""
        self._model.stop()

    def restart_daemon(self) -> None:
        """See `VendorModel`."""
        with self.inside.entered():
            self._model.restart_daemon()

    def _cables(self, *, joined: bool) -> dict[int, str]:
        """Makes the veths. The ends of them that the chip has, by device port."""
        with self.inside.entered():
            connect_cpu()
        if joined:
            pairs, ends = [("p1", "p2")], {FRONT[name]: name for name in ("p1", "p2")}
        else:
            pairs = [(f"chip-{name}", name) for name in FRONT]
            ends = {port: f"chip-{name}" for name, port in FRONT.items()}
        for number, (near, far) in enumerate(pairs):
            macs = [bytes((2, 0, 0, 0, side, number)) for side in (1, 2)]
            self.inside.veth(near, far, self.inside, mac=macs[0], peer_mac=macs[1])
            for end in (near, far):
                with self.inside.entered():
                    subprocess.run(["ip", "link", "set", end, "mtu", str(MTU)], check=True)
        return {TOFINO.cpu_port: CPU_END, **ends}


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
