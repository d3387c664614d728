# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts frames of streams at other ports than expected (p4/controls/misrouted.p4), and finds the ports.

Counters have the numbers for each stream and for each port. Digests tell which stream's frames came to which
port; some can be missing, because the chip has little room for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ....measurement.snapshot import PortVersionCounters
from ..session.session import SwitchSession
from ..session.switch import Asked, Reading, number_of

DIGEST = "external.ExternalIngressDeparser.misrouted"
_COUNTERS = "external.ExternalIngress.misrouted"


def stream_asked(template: int) -> Asked:
    """The entry to read for a stream: its frames at all other ports."""
    return Asked(f"{_COUNTERS}.streams", {"$COUNTER_INDEX": template})


def port_asked(port: int) -> list[Asked]:
    """The entries to read for a device port, in the order that `port_versions` expects."""
    return [Asked(f"{_COUNTERS}.ports", {"$COUNTER_INDEX": port << 1 | version}) for version in (0, 1)]


def port_versions(readings: Sequence[Reading]) -> tuple[PortVersionCounters, ...]:
    """Frames at a port that were expected at others, of each version, since the program runs."""
    return tuple(
        PortVersionCounters(
            rx_packets=number_of(reading, "$COUNTER_SPEC_PKTS"),
            rx_bytes=number_of(reading, "$COUNTER_SPEC_BYTES"),
        )
        for reading in readings
    )


class Places:
    """The ports at which frames of streams have been seen since their start."""

    def __init__(self, session: SwitchSession) -> None:
        self._session = session
        self._seen: dict[int, set[int]] = defaultdict(set)  # device ports, by template

    def begin(self, templates: Sequence[int]) -> None:
        """Forgets the ports of streams that start."""
        self.look()
        for template in templates:
            self._seen.pop(template, None)

    def look(self) -> None:
        """Takes the digests since the last call."""
        for digest in self._session.digests():
            if digest.name == DIGEST:
                self._seen[digest.fields["stream"]].add(digest.fields["port"])

    def of(self, template: int) -> tuple[str, ...]:
        """The ports of a stream, by the names of the testbed."""
        seen = self._seen.get(template, set())
        return tuple(name for name, number in self._session.numbers.items() if number in seen)
