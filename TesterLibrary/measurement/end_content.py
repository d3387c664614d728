# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The content that a tester's own ends send each other: bytes that arrived changed, or were not compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..model.expression import NOTHING
from ..model.message import FILL
from ..model.protocol import Protocol
from .session_trial import SessionTrial
from .sessions import SessionStatistics

_MEDIA_TYPE = b"application/x-modulo-251"  # by which clients of HTTP know the content
_LEAST = 8  # bytes by which a stream without a head is known
_SIZE, _ANY_SIZE = "size", "any_size"  # parameters


@dataclass(frozen=True)
class ContentSource:
    """The content that the tables of an end give, by its plan."""

    protocol: Protocol
    parameters: Mapping[str, int]

    @property
    def known(self) -> bool:
        """Whether the tables of the other end know it."""
        bodies = [m for m in self.protocol.messages if m.body != NOTHING and m.fill == FILL]
        heads = [b"".join(part for part in m.text if isinstance(part, bytes)) for m in bodies]
        if not all(heads):
            return self.parameters.get(_SIZE, 0) >= _LEAST
        return any(_MEDIA_TYPE in head for head in heads)

    @property
    def any(self) -> bool:
        """Whether clients may send content of any kind."""
        return bool(self.parameters.get(_SIZE, 1))

    @property
    def compared(self) -> bool:
        """Whether its tables compare what arrives."""
        return any(
            "verified" in layer.counters or "changed" in layer.counters for layer in self.protocol.layers
        )


@dataclass(frozen=True)
class EndContent:
    """An end since its start, and the content that its tables give and compare."""

    name: str
    start: int  # how often an end of this name was started
    source: ContentSource
    statistics: SessionStatistics

    @property
    def changed(self) -> int:
        """Bytes that arrived and are others than were sent."""
        return _changed(self.statistics)

    @property
    def unasked(self) -> int:
        """Requests that clients could not ask, as connections ended well before them; the least number."""
        counted, requests = self.statistics, self.source.parameters.get("requests", 1)
        finished = sum(n for name, n in counted.counters.items() if name.endswith(".finished"))
        if not counted.opens or requests < 2 or counted.transactions is None:
            return 0
        return max(0, finished * requests - counted.transactions)

    @property
    def uncompared(self) -> tuple[int, str]:
        """Connections whose content was not compared, at most, and a text; 0 where it all was."""
        counted = self.statistics
        if not any(name.endswith(".verified") for name in counted.counters):
            return 0, ""
        compared = counted.count("verified") or 0
        if counted.transactions is None:
            received = counted.bytes_received or 0
            text = f"{compared:,} of {received:,} bytes that arrived at {self.name} were compared: the "
            text += "other streams do not begin with the content of the tester"
            return ((counted.begun or counted.openings), text) if compared < received else (0, "")
        size = 0 if self.source.parameters.get(_ANY_SIZE) else self.source.parameters.get(_SIZE, 0)
        bodies = min(counted.transactions, compared // size) if size else counted.transactions
        text = (
            f"{bodies:,} of {counted.transactions:,} bodies that arrived at {self.name} were compared: the "
        )
        text += f"Content-Type of the others is not {_MEDIA_TYPE.decode()}, which the tester's servers send"
        return counted.transactions - bodies, text


def content_judged(
    trial: SessionTrial,
    end: EndContent,
    peers: Sequence[EndContent],
    before: Mapping[tuple[str, int], int],
    *,
    shared: bool,
) -> SessionTrial:
    """A trial of an end, with what this end and its peers know of the content.

    `before`: changed bytes of responders by name and start, when the trial began. `shared`: other clients ran
    beside these, so nobody knows whose bytes a responder counts.
    """
    servers = [peer for peer in peers if not peer.statistics.opens]
    if trial.statistics.opens:
        changed = {
            server.name: server.changed - before.get((server.name, server.start), 0) for server in servers
        }
    else:
        changed = {end.name: _changed(trial.statistics)}
    missing = [taker.uncompared for taker in _takers(end, peers, servers)]
    return replace(
        trial,
        changed_at={name: count for name, count in changed.items() if count > 0},
        shared=shared,
        uncompared=sum(count for count, _ in missing),
        uncompared_text="; ".join(text for count, text in missing if count),
        unasked=end.unasked,
    )


def _takers(
    end: EndContent, peers: Sequence[EndContent], servers: Sequence[EndContent]
) -> Iterator[EndContent]:
    """The ends that content of the tester has reached, as far as it is about this end."""
    opens = end.statistics.opens
    clients = [client for client in (end, *peers) if client.statistics.opens and client.source.any]
    if clients and all(client.source.known for client in clients):
        yield from servers if opens else [end]
    if opens and any(server.source.known and server.statistics.begun for server in servers):
        yield end


def _changed(statistics: SessionStatistics) -> int:
    return sum(n for name, n in statistics.counters.items() if name.endswith(".changed"))
