# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers who asks for IPv6 addresses of the tester, by the port of a switch's CPU (RFC 4861).

The program answers ARP where it arrives. Neighbour discovery has a checksum over the whole message, and
options: the switch hands it to the driver, which answers while jobs with such addresses are loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from ipaddress import IPv6Address

from ....errors import TesterLibraryError
from ....model.plan.plan import PlannedNeighbour
from ..entries.entry import Masked, TableEntry
from ..session.session import SwitchSession
from .discovery import IPV6, advertisement, asked_for
from .packets import arrived, injected, to_driver, whole_mac

_GROUPS = Masked(0x3333FF000000, 0xFFFFFF000000)  # to which hosts send who ask for an address
_POLL_S = 0.01


class NeighbourAnswers:
    """The answers of one target. A thread looks for questions while there is an address to answer for."""

    def __init__(self, session: SwitchSession, lock: AbstractContextManager[object]) -> None:
        """`lock` is held while the thread uses the session."""
        self._session, self._lock = session, lock
        self._macs: dict[tuple[int, IPv6Address], bytes] = {}  # by device port and address
        self._entries: list[TableEntry] = []
        self._over = threading.Event()
        self._over.set()

    def follow(self, neighbours: Iterable[PlannedNeighbour]) -> None:
        """Answers for these from now on, and for no others."""
        numbers = self._session.numbers
        self._macs = {
            (numbers[one.port], one.address): one.mac
            for one in neighbours
            if isinstance(one.address, IPv6Address)
        }
        own = [(port, whole_mac(mac)) for (port, _), mac in self._macs.items()]
        groups = [(port, _GROUPS) for port, _ in self._macs]
        cpu = self._session.cabling.cpu_port
        entries = [to_driver(port, to, IPV6, cpu) for port, to in dict.fromkeys([*own, *groups])]
        if entries != self._entries:
            self._session.remove(self._entries)
            self._entries = []
            self._session.write(entries)
            self._entries = entries
        self._run()

    def lose(self) -> None:
        """The switch was lost, and the entries with it."""
        self._entries = []
        self.close()

    def close(self) -> None:
        """Answers no more. Does not wait for the thread, which may wait for the lock."""
        self._over.set()

    def take(self, packets: Iterable[bytes]) -> None:
        """Answers the questions among packets that the switch has sent."""
        answers = []
        for port, frame in map(arrived, packets):
            asked = asked_for(frame)
            mac = None if asked is None else self._macs.get((port, asked))
            if asked is not None and mac is not None:
                answers.append(injected(advertisement(frame, asked, mac), port))
        if answers:
            self._session.send(answers)

    def _run(self) -> None:
        if not self._macs:
            self._over.set()
        elif self._over.is_set():
            self._over = threading.Event()
            threading.Thread(target=self._serve, args=(self._over,), daemon=True).start()

    def _serve(self, over: threading.Event) -> None:
        while not over.wait(_POLL_S):
            with self._lock, suppress(TesterLibraryError):  # the next call of a user says what is wrong
                if not over.is_set():
                    self.take(self._session.received())
