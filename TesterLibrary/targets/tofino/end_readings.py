# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the counters of a responder's rows, and of a switch's ports, into figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...measurement.snapshot import EndCounters, PortCounters, PortVersionCounters
from .loaded import LoadedEnd
from .switch import Asked, Reading

_PACKETS, _OCTETS = "$COUNTER_SPEC_PKTS", "$COUNTER_SPEC_BYTES"
_DIRECTIONS = ("ExternalEgress", "ExternalIngress")


def end_asked(end: LoadedEnd) -> list[Asked]:
    """The entries to read for a responder, in the order that `end_counters` expects."""
    rows = [Asked(row.entry.table, row.entry.key) for row in end.rows]
    queues = (end.queues or {}).values()
    full = "internal.InternalIngress.queues.full"
    return rows + [Asked(full, {"$COUNTER_INDEX": queue}) for queue in queues]


def end_counters(job: str, end: LoadedEnd, readings: Sequence[Reading], *, answering: bool) -> EndCounters:
    """The counters of a responder since its start. Answers that found their queue full were not sent."""
    packets = [_number(reading, _PACKETS) for reading in readings]
    rows, full = packets[: len(end.rows)], sum(packets[len(end.rows) :])
    counted: Counter[str] = Counter()
    for row, count in zip(end.rows, rows, strict=True):
        counted.update(dict.fromkeys(row.counts, count))
    answers = sum(count for row, count in zip(end.rows, rows, strict=True) if row.answers)
    return EndCounters(
        job=job,
        name=end.planned.name,
        answering=answering,
        counters=tuple(counted[name] for layer in end.planned.protocol.layers for name in layer.counters),
        rx_packets=sum(rows),
        tx_packets=answers - full,
        not_sent=full,
    )


def port_asked(port: int) -> list[Asked]:
    """The entries to read for a device port, in the order that `port_counters` expects."""
    return [
        Asked(f"external.{gress}.counters.ports", {"$COUNTER_INDEX": port << 1 | version})
        for gress in _DIRECTIONS
        for version in (0, 1)
    ]


def port_counters(name: str, readings: Sequence[Reading]) -> PortCounters:
    """The counters of a port since the program runs. Frames of no stream may have either version."""
    packets = [_number(reading, _PACKETS) for reading in readings]
    octets = [_number(reading, _OCTETS) for reading in readings]
    return PortCounters(
        name=name,
        tx_packets=sum(packets[:2]),
        tx_bytes=sum(octets[:2]),
        rx_packets=sum(packets[2:]),
        rx_bytes=sum(octets[2:]),
        versions=tuple(
            PortVersionCounters(packets[version], octets[version], packets[version + 2], octets[version + 2])
            for version in (0, 1)
        ),
    )


def _number(reading: Reading, name: str) -> int:
    value = reading[name]
    assert isinstance(value, int)
    return value
