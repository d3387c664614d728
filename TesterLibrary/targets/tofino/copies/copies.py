# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The way of copies of packets from a switch to this machine (p4/controls/copies.p4).

Copies of a series have numbers, which the switch gives before any of them can be lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext

from ....errors import PlanError, TargetError
from ..entries.entry import TableEntry
from ..session.cabling import CopyPort
from ..session.session import SwitchSession
from .copy_receiver import CopyReceiver, Takes

MIRROR = 1  # the session of all copies
_TIME, _HALF_TIME = 1 << 48, 1 << 47
_WAITS = 25  # times that nothing came, before the rest is taken for lost
_WAIT_S = 0.02
_SOURCE_MAC = 0x020000000001  # of copies; nobody answers them


class Copies:
    """Has the switch send copies to this machine, and hands them on.

    Args:
        session: The session of the switch.
        egress: The control that carries copies, such as `path.PathEgress`.
        now_ns: The driver's clock.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        session: SwitchSession,
        egress: str,
        now_ns: Callable[[], int],
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._session, self._egress, self._now_ns, self._sleep = session, egress, now_ns, sleep
        self._receiver: CopyReceiver | None = None

    def check(self, name: str) -> None:
        """PlanError if the testbed does not say where copies go to; `name` is whose they are."""
        self._port(name)

    def _port(self, name: str) -> CopyPort:
        port = self._session.cabling.copies
        if port is None:
            raise PlanError(
                f"{name}: the testbed has no copy port; a switch keeps no packets, and sends copies to this "
                "machine: give tester.switch.copies its port, and the address of the interface that it "
                "leads to"
            )
        return port

    def open(self) -> None:
        """Listens from now on, and has the switch send copies to where it listens. It may be repeated."""
        if self._receiver is not None:
            return
        session, port = self._session, self._port("copies")
        receiver = CopyReceiver(port.host.ip, self._now_ns)
        try:
            session.write([self._carrier(receiver.port)])
            session.set_mirror(MIRROR)
        except BaseException:
            receiver.close()
            raise
        self._receiver = receiver

    def paused(self) -> AbstractContextManager[object]:
        """Within it no copy is handed on; those that come wait."""
        return self._receiver.paused() if self._receiver else nullcontext()

    def follow(self, series: int, take: Takes) -> None:
        """Hands the copies of a series to `take` from now on. It has to be open."""
        assert self._receiver is not None
        self._receiver.follow(series, take)

    def leave(self, series: int, take: Takes) -> None:
        """Hands no more of them to `take`."""
        if self._receiver is not None:
            self._receiver.leave(series, take)

    def wait(self, missing_now: Callable[[], int]) -> None:
        """Returns when no copy is missing, or none has come for half a second: the rest is lost."""
        waits, missing = 0, missing_now()
        while missing and waits < _WAITS:
            self._sleep(_WAIT_S)
            before, missing = missing, missing_now()
            waits = 0 if missing < before else waits + 1

    def check_that_some_came(self, name: str, *, due: int, came: int) -> None:
        """TargetError if none has come of those that are due; `name` is whose they are."""
        if due and not came:
            port = self._port(name)
            raise TargetError(
                f"{name}: none of the {due:,} copies that are due has come to "
                f"{port.host.ip}; look whether that interface is up, at the other end of port {port.front}, "
                "and whether a firewall drops UDP to it"
            )

    def close(self) -> None:
        """Listens no more."""
        if self._receiver is not None:
            self._receiver.close()
            self._receiver = None

    def _carrier(self, udp_port: int) -> TableEntry:
        """The entry that puts copies into datagrams to this machine."""
        port = self._port("copies")
        return TableEntry(
            carriers(self._egress),
            {"egress_port": self._session.copy_port},
            f"{self._egress.partition('.')[2]}.carrier.carry",
            {
                "dst_mac": int.from_bytes(port.mac, "big"),
                "src_mac": _SOURCE_MAC,
                "dst": int(port.host.ip),
                "src": int(port.source),
                "dport": udp_port,
            },
        )


def carriers(egress: str) -> str:
    """The table of the entry that carries copies, of an egress."""
    return f"{egress}.carrier.carriers"


def from_zero(register: str, series: int) -> TableEntry:
    """The register that numbers the copies of a series, from 0."""
    return TableEntry(register, {"$REGISTER_INDEX": series}, data={f"{register.partition('.')[2]}.f1": 0})


def driver_times(copies: Iterable[tuple[int, int]]) -> list[int]:
    """The times of copies on the driver's clock: those of the switch's clock, moved by one and the same time.

    What came the soonest after it had arrived, or left, says how far the two clocks are apart.

    Args:
        copies: When each came, by the driver's clock, and its time, modulo 2^48; in about the order of both.
    """
    came: list[int] = []
    times: list[int] = []
    for came_ns, at in copies:
        before = times[-1] if times else at
        came.append(came_ns)
        times.append(before + (at - before + _HALF_TIME) % _TIME - _HALF_TIME)
    apart_ns = min((came_ns - at for came_ns, at in zip(came, times, strict=True)), default=0)
    return [at + apart_ns for at in times]


def free_series(taken: Sequence[int]) -> int | None:
    """A series that is not taken; None: all are."""
    return next((series for series in range(1, 256) if series not in taken), None)
