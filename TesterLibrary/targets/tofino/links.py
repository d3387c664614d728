# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Links of the ports of a switch, from what its daemon notifies of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from ...measurement.snapshot import PortCounters
from .session import Session


class Links:
    """Since the session began."""

    def __init__(self, session: Session) -> None:
        self._session = session
        has_links = session.cabling.has_transceivers
        self._up = {state.device_port: state.up or not has_links for state in session.states}
        self._downs: Counter[int] = Counter()  # by device port
        self._look()
        self._downs.clear()  # while ports were brought up

    def noted(self, ports: Iterable[PortCounters]) -> tuple[PortCounters, ...]:
        """Counters of ports, with what has become of their links."""
        self._look()
        numbers = self._session.numbers
        return tuple(
            replace(own, link_downs=self._downs[numbers[own.name]], link_up=self._up[numbers[own.name]])
            for own in ports
        )

    def _look(self) -> None:
        """Takes what has been notified meanwhile, each change of a port by itself."""
        for state in self._session.changed_ports():
            before = self._up.get(state.device_port)
            if before is None:  # one that loops, or the CPU's
                continue
            self._downs[state.device_port] += before and not state.up
            self._up[state.device_port] = state.up
