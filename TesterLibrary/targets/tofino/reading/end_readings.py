# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the counters of a responder's rows, and of a switch's ports, into figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ....measurement.snapshot import EndCounters, PortCounters, PortVersionCounters
from ....planning.switch.answers import TAG_LENGTH
from ....planning.switch.resources import START
from ..driver.loaded import PACKET, CountedRow, LoadedEnd
from ..entries.triggers import left_asked, matched, untouched
from ..session.switch import Asked, Reading, number_of

_PACKETS, _OCTETS = "$COUNTER_SPEC_PKTS", "$COUNTER_SPEC_BYTES"
_HEADERS = 14 + 20 + 20 + 4  # bytes of a segment of TCP without options, FCS included
_DIRECTIONS = ("ExternalEgress", "ExternalIngress")


@dataclass(frozen=True)
class Flows:
    """The flows of an end since its start, and those that are open now; None: not counted."""

    begun: int | None = None
    ended: int | None = None
    failed: int | None = None
    open: int | None = None


def end_asked(end: LoadedEnd) -> list[Asked]:
    """The entries to read for a responder, in the order that `end_counters` expects."""
    rows = [Asked(row.entry.table, row.entry.key) for row in end.rows]
    queues = (end.queues or {}).values()
    full = "internal.InternalIngress.queues.full"
    left = [] if end.trigger is None else [left_asked(end.trigger)]
    return rows + [Asked(full, {"$COUNTER_INDEX": queue}) for queue in queues] + left


def end_untouched(end: LoadedEnd) -> list[Reading]:
    """The readings of `end_asked` before the first packet."""
    counters: list[Reading] = [{_PACKETS: 0, _OCTETS: 0} for _ in end_asked(end)]
    return counters if end.trigger is None else [*counters[:-1], untouched(end.planned.most)]


def end_counters(job: str, end: LoadedEnd, readings: Sequence[Reading], *, answering: bool) -> EndCounters:
    """The counters of an end since its start. Answers that found their queue full were not sent."""
    if end.trigger is not None:
        return _trigger_counters(job, end, readings, answering=answering)
    packets = [number_of(reading, _PACKETS) for reading in readings]
    rows = list(zip(end.rows, packets[: len(end.rows)], strict=True))
    full = sum(packets[len(end.rows) :])
    counted: Counter[str] = Counter()
    for (row, count), reading in zip(rows, readings, strict=False):
        counted.update(dict.fromkeys(row.counts, count))
        counted.update({name: _payload(end, row, count, reading) for name in row.measures})
    openings = sum(count for row, count in rows if row.event == START and row.answers)
    most = end.starts.planned.most if end.starts else 0
    flows = _flows(end, rows)
    return EndCounters(
        job=job,
        name=end.planned.name,
        answering=answering,
        opening=answering and (most is None or openings < most),
        counters=tuple(counted[name] for layer in end.planned.protocol.layers for name in layer.counters),
        rx_packets=sum(count for row, count in rows if row.event == PACKET),
        tx_packets=sum(count for row, count in rows if row.answers) - full,
        not_sent=full,
        openings=openings,
        put_off=sum(count for row, count in rows if row.event == START and not row.answers),
        flows_begun=flows.begun,
        flows_ended=flows.ended,
        flows_failed=flows.failed,
        flows=flows.open,
    )


def _trigger_counters(
    job: str, end: LoadedEnd, readings: Sequence[Reading], *, answering: bool
) -> EndCounters:
    """The counters of a trigger: packets count where they arrive, and where they ask for a template."""
    *inside, left = readings
    sent = went_off = matched(left, end.planned.most)
    not_sent = 0
    if inside:
        asked, not_sent = (number_of(reading, _PACKETS) for reading in inside)
        sent = asked - not_sent
    return EndCounters(
        job=job,
        name=end.planned.name,
        answering=answering,
        counters=(went_off, sent),
        rx_packets=went_off,
        tx_packets=sent,
        not_sent=not_sent,
    )


def _payload(end: LoadedEnd, row: CountedRow, packets: int, reading: Reading) -> int:
    """The bytes of payload that the packets of a row had."""
    if row.octets is not None:
        return packets * row.octets
    headers = _HEADERS if end.planned.vlan is None else _HEADERS + TAG_LENGTH
    return number_of(reading, _OCTETS) - packets * headers


def _flows(end: LoadedEnd, rows: Sequence[tuple[CountedRow, int]]) -> Flows:
    """The flows of clients that keep some, by the rows that begin and end them; None of all other ends.

    Two packets of a flow that come while its state is written (norma appendix A) may both end it. If more
    have ended than were begun, nothing is said of either.
    """
    begun = sum(count for row, count in rows if row.begins)
    ended = sum(count for row, count in rows if row.ends)
    failed = sum(count for row, count in rows if row.fails)
    if end.starts is None or not end.keeps or ended > begun:
        return Flows()
    return Flows(begun, ended, failed, begun - ended)


def port_asked(port: int) -> list[Asked]:
    """The entries to read for a device port, in the order that `port_counters` expects."""
    return [
        Asked(f"external.{gress}.port_counters.totals", {"$COUNTER_INDEX": port << 1 | version})
        for gress in _DIRECTIONS
        for version in (0, 1)
    ]


def port_counters(name: str, readings: Sequence[Reading]) -> PortCounters:
    """The counters of a port since the program runs. Frames of no stream may have either version."""
    packets = [number_of(reading, _PACKETS) for reading in readings]
    octets = [number_of(reading, _OCTETS) for reading in readings]
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
