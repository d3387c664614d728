# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients as messages of `responder.proto`."""

from __future__ import annotations

from ..._generated.tester.v1 import protocol_pb2, responder_pb2
from ...model.plan.planned_end import Accept, Opening, PlannedEnd
from ...model.responder import Reopen
from ...planning.engine.numbers import field_of, octets
from ...planning.engine.table import FlatTable, flat_table
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
        accepts=[_accept(accept, layout) for accept in end.accepts],
        seed=end.seed,
        flow_capacity=end.flow_capacity,
        vlan=end.vlan or 0,
        opening=_opening(end.opening, table) if end.opening else None,
        out_port=end.out_port or "",
        trigger=end.is_trigger,
        most=end.most,
        shared=end.protocol.layers[0].shared,
    )


def _accept(accept: Accept, layout: Layout) -> responder_pb2.Accept:
    field = protocol_pb2.Field(**field_of(layout, accept.field))
    return responder_pb2.Accept(field=field, first=octets(accept.first), step=1, count=accept.count)


def _opening(opening: Opening, table: FlatTable) -> responder_pb2.Opening:
    rate = opening.rate
    return responder_pb2.Opening(
        flows=opening.flows,
        addresses=[
            responder_pb2.Address(
                first=octets(address.first), step=1, count=address.count, every=address.every
            )
            for address in opening.addresses
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
        first_flow=opening.first_flow,
    )


def _fixed(mac: bytes) -> responder_pb2.Address:
    return responder_pb2.Address(first=mac, step=0, count=1, every=1)
