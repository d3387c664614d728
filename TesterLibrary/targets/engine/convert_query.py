# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Between queries and the messages of `query.proto`."""

from __future__ import annotations

from ..._generated.tester.v1 import query_pb2
from ...measurement.query import QueryCounters, QuerySummary, RawRow
from ...model.plan.planned_query import Placed, PlacedFact, PlannedQuery


def query_message(planned: PlannedQuery) -> query_pb2.Query:
    """The message that asks for a query."""
    query = planned.query
    return query_pb2.Query(
        name=planned.name,
        ports=planned.ports,
        direction=planned.direction.value,
        streams=query.streams,
        foreign=query.foreign,
        tests=[
            query_pb2.QueryTest(
                operand=_operand(test.operand),
                mask=test.mask,
                relation=f"RELATION_{test.relation}",
                value=test.value,
            )
            for test in planned.tests
        ],
        keys=[
            query_pb2.QueryKey(operand=_operand(key.operand), mask=key.operand.mask, opposite=key.opposite)
            for key in planned.keys
        ],
        symmetric=query.symmetric,
        value=query_pb2.QueryValue(
            operand=_operand(planned.value),
            mask=planned.value.mask,
            function=f"FUNCTION_{planned.function.name}",
        )
        if planned.value
        else None,
        capacity=query.capacity,
        interval_ns=planned.interval_ns,
    )


def _operand(placed: Placed) -> query_pb2.QueryOperand:
    if isinstance(placed, PlacedFact):
        return query_pb2.QueryOperand(fact=f"QUERY_FACT_{placed.fact.name}")
    return query_pb2.QueryOperand(
        field=query_pb2.QueryField(
            part=placed.part.value,
            offset=placed.offset,
            bytes=len(placed.mask),
            ether_type=placed.ether_type,
            protocol=placed.protocol,
        )
    )


def summary_value(summary: query_pb2.QuerySummary) -> QuerySummary:
    """A query at one instant."""
    return QuerySummary(
        counters=QueryCounters.from_message(summary.counters),
        keys=summary.keys,
        started_ns=summary.started_ns,
        read_ns=summary.read_ns,
    )


def row_value(row: query_pb2.QueryRow) -> RawRow:
    """A row of a query."""
    return RawRow(row.keys, row.frames, row.value if row.HasField("value") else None)
