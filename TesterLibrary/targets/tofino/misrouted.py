# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames of streams at other ports than expected (p4/controls/misrouted.p4): how many, and where.

Counters have the numbers, of each stream and of each port. Which stream's frames came to which port is told
by digests, and those can be missing: the chip has little room for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ...measurement.snapshot import PortVersionCounters
from .session import Session
from .switch import Asked, Reading

DIGEST = "external.ExternalIngressDeparser.misrouted"
_COUNTERS = "external.ExternalIngress.misrouted"


def stream_asked(template: int) -> Asked:
    """What to read of a stream: its frames at all other ports."""
    return Asked(f"{_COUNTERS}.streams", {"$COUNTER_INDEX": template})


def port_asked(port: int) -> list[Asked]:
    """What to read of a device port, in the order that `port_versions` wants."""
    return [Asked(f"{_COUNTERS}.ports", {"$COUNTER_INDEX": port << 1 | version}) for version in (0, 1)]


def port_versions(readings: Sequence[Reading]) -> tuple[PortVersionCounters, ...]:
    """Frames at a port that were expected at others, of each version, since the program runs."""
    return tuple(
        PortVersionCounters(
            rx_packets=_number(own, "$COUNTER_SPEC_PKTS"), rx_bytes=_number(own, "$COUNTER_SPEC_BYTES")
        )
        for own in readings
    )


class Places:
    """The ports at which frames of streams have been seen since their start."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen: dict[int, set[int]] = defaultdict(set)  # device ports, by template

    def begin(self, templates: Sequence[int]) -> None:
        """Streams start: nothing has been seen of them."""
        self.look()
        for template in templates:
            self._seen.pop(template, None)

    def look(self) -> None:
        """Takes what has been told meanwhile."""
        for own in self._session.digests():
            if own.name == DIGEST:
                self._seen[own.fields["stream"]].add(own.fields["port"])

    def of(self, template: int) -> tuple[str, ...]:
        """Those of a stream, by the names of the testbed."""
        seen = self._seen.get(template, set())
        return tuple(name for name, number in self._session.numbers.items() if number in seen)


def _number(reading: Reading, name: str) -> int:
    value = reading[name]
    assert isinstance(value, int)
    return value
