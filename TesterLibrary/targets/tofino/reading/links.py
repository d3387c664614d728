# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The links of a switch's ports, by the notifications of its daemon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from ....measurement.snapshot import PortCounters
from ..session.session import SwitchSession


class Links:
    """The links since the session began."""

    def __init__(self, session: SwitchSession) -> None:
        self._session = session
        has_links = session.cabling.has_transceivers
        self._up = {state.device_port: state.up or not has_links for state in session.states}
        self._downs: Counter[int] = Counter()  # by device port
        self._look()
        self._downs.clear()  # changes while ports were brought up do not count

    def noted(self, ports: Iterable[PortCounters]) -> tuple[PortCounters, ...]:
        """Counters of ports, completed by the state of their links."""
        self._look()
        numbers = self._session.numbers
        return tuple(
            replace(port, link_downs=self._downs[numbers[port.name]], link_up=self._up[numbers[port.name]])
            for port in ports
        )

    def _look(self) -> None:
        """Takes the notifications since the last call, one for each change of a port."""
        for state in self._session.changed_ports():
            before = self._up.get(state.device_port)
            if before is None:  # one that loops, or the CPU's
                continue
            self._downs[state.device_port] += before and not state.up
            self._up[state.device_port] = state.up
