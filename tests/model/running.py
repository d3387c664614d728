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

from TesterLibrary.targets.tofino.modelled import CPU_PORT
from TesterLibrary.targets.tofino.remote import RemoteSwitch
from TesterLibrary.targets.tofino.sde import vendor_switch
from TesterLibrary.targets.tofino.vendor_model import DAEMON, VendorModel
from TesterLibrary.testbeds.namespace import Namespace

CPU_INTERFACE = "cpu"
_CPU_END = "chip-cpu"
FRONT = {"p1": 0, "p2": 4, "p3": 8}  # device ports of an external pipe, by the interface they end in
_ETH_P_ALL = 3
_MTU = 9500  # templates have a header more than frames


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
        self._model: VendorModel | None = None
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
            return vendor_switch(DAEMON, program, CPU_INTERFACE)

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
        if self._model is not None:
            self._model.stop()

    def restart_daemon(self) -> None:
        """See `VendorModel`."""
        assert self._model is not None
        with self.inside.entered():
            self._model.restart_daemon()

    def _start(self) -> None:
        with self.inside.entered():
            self.inside.without_ipv6()
            self.inside.up("lo")
        cables = self._cables()
        with self.inside.entered():
            self._model = VendorModel(self._install, self._configuration, self.folder, cables)

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
