# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""From what the rows of a responder have counted, and the ports of a switch, to figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...measurement.snapshot import EndCounters, PortCounters, PortVersionCounters
from .loaded import LoadedEnd
from .switch import Asked, Reading

_PACKETS, _OCTETS = "$COUNTER_SPEC_PKTS", "$COUNTER_SPEC_BYTES"
_DIRECTIONS = ("ExternalEgress", "ExternalIngress")


def end_asked(own: LoadedEnd) -> list[Asked]:
    """What to read of a responder, in the order that `end_counters` wants."""
    rows = [Asked(row.entry.table, row.entry.key) for row in own.rows]
    queues = (own.queues or {}).values()
    full = "internal.InternalIngress.queues.full"
    return rows + [Asked(full, {"$COUNTER_INDEX": queue}) for queue in queues]


def end_counters(job: str, own: LoadedEnd, readings: Sequence[Reading], *, answering: bool) -> EndCounters:
    """Of a responder since its start. Answers that found their queue full were not sent."""
    packets = [_number(reading, _PACKETS) for reading in readings]
    rows, full = packets[: len(own.rows)], sum(packets[len(own.rows) :])
    counted: Counter[str] = Counter()
    for row, count in zip(own.rows, rows, strict=True):
        counted.update(dict.fromkeys(row.counts, count))
    answers = sum(count for row, count in zip(own.rows, rows, strict=True) if row.answers)
    return EndCounters(
        job=job,
        name=own.planned.name,
        answering=answering,
        counters=tuple(counted[name] for layer in own.planned.protocol.layers for name in layer.counters),
        rx_packets=sum(rows),
        tx_packets=answers - full,
        not_sent=full,
    )


def port_asked(port: int) -> list[Asked]:
    """What to read of a device port, in the order that `port_counters` wants."""
    return [
        Asked(f"external.{gress}.counters.ports", {"$COUNTER_INDEX": port << 1 | version})
        for gress in _DIRECTIONS
        for version in (0, 1)
    ]


def port_counters(name: str, readings: Sequence[Reading]) -> PortCounters:
    """Of a port since the program runs. Frames of no stream have whatever version their headers say."""
    packets = [_number(reading, _PACKETS) for reading in readings]
    octets = [_number(reading, _OCTETS) for reading in readings]
    return PortCounters(
        name=name,
        tx_packets=sum(packets[:2]),
        tx_bytes=sum(octets[:2]),
        rx_packets=sum(packets[2:]),
        rx_bytes=sum(octets[2:]),
        versions=tuple(
            PortVersionCounters(packets[own], octets[own], packets[own + 2], octets[own + 2])
            for own in (0, 1)
        ),
    )


def _number(reading: Reading, name: str) -> int:
    value = reading[name]
    assert isinstance(value, int)
    return value
