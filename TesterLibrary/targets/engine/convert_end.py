# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients as messages of `responder.proto`, and their counters back."""

from __future__ import annotations

from ..._generated.tester.v1 import counters_pb2, protocol_pb2, responder_pb2
from ...measurement.snapshot import DurationCounters, EndCounters
from ...model.planned_end import Accept, Opening, PlannedEnd
from ...model.responder import Reopen
from ...planning.flat_numbers import field_of, octets
from ...planning.flat_table import FlatTable, flat_table
from ...protocols.layout import Layout
from ...protocols.scope import layout_of

_REOPEN = {
    Reopen.ENDED_WELL: "REOPEN_ENDED_WELL",
    Reopen.ALWAYS: "REOPEN_ALWAYS",
    Reopen.NEVER: "REOPEN_NEVER",
}


def responder_message(end: PlannedEnd) -> responder_pb2.Responder:
    """An end as the engine loads it."""
    table = flat_table(end.protocol, end.parameters)
    layout = layout_of(end.protocol.stack)
    return responder_pb2.Responder(
        name=end.name,
        port=end.port,
        protocol=protocol_pb2.Protocol(**table.message),
        accepts=[_accept(own, layout) for own in end.accepts],
        seed=end.seed,
        flow_capacity=end.flow_capacity,
        vlan=end.vlan or 0,
        opening=_opening(end.opening, table) if end.opening else None,
    )


def _accept(own: Accept, layout: Layout) -> responder_pb2.Accept:
    field = protocol_pb2.Field(**field_of(layout, own.field))
    return responder_pb2.Accept(field=field, first=octets(own.first), step=1, count=own.count)


def _opening(opening: Opening, table: FlatTable) -> responder_pb2.Opening:
    rate = opening.rate
    return responder_pb2.Opening(
        flows=opening.flows,
        addresses=[
            responder_pb2.Address(first=octets(own.first), step=1, count=own.count, every=own.every)
            for own in opening.addresses
        ],
        source_mac=_fixed(opening.source_mac),
        destination_mac=_fixed(opening.destination_mac),
        connections=opening.connections,
        rate=responder_pb2.OpeningRate(openings=rate.numerator, nanoseconds=rate.denominator)
        if rate
        else None,
        total=opening.total,
        reopen=_REOPEN[opening.reopen],
        failures=table.failures,
    )


def _fixed(mac: bytes) -> responder_pb2.Address:
    return responder_pb2.Address(first=mac, step=0, count=1, every=1)


def end_counters(own: counters_pb2.ResponderCounters) -> EndCounters:
    """As they are."""
    return EndCounters(
        job=own.job,
        name=own.name,
        answering=own.answering,
        opening=own.opening,
        counters=tuple(own.counters),
        histograms=tuple(map(_durations, own.histograms)),
        rx_packets=own.rx_packets,
        rx_bytes=own.rx_bytes,
        tx_packets=own.tx_packets,
        tx_bytes=own.tx_bytes,
        foreign=own.foreign,
        malformed=own.malformed,
        openings=own.openings,
        put_off=own.put_off,
        flows_begun=own.flows_begun,
        flows_ended=own.flows_ended,
        flows_failed=own.flows_failed,
        flows=own.flows,
        most_flows=own.most_flows,
        full=own.full,
        endless=own.endless,
        too_long=own.too_long,
        not_sent=own.not_sent,
    )


def _durations(own: counters_pb2.Durations) -> DurationCounters:
    return DurationCounters(
        count=own.count,
        sum_us=own.sum_us,
        min_us=own.min_us,
        max_us=own.max_us,
        buckets={bucket.index: bucket.count for bucket in own.buckets},
    )
