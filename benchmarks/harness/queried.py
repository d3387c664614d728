# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames of a million pairs of addresses that an engine receives on a ring, and a query that counts them."""

from __future__ import annotations

from dataclasses import replace

from TesterLibrary.model.plan.planned_query import PlannedQuery
from TesterLibrary.model.ports import Port
from TesterLibrary.model.query import LENGTH, Query, QueryKeys
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.query import plan_query

from ..senders import engine
from .alternate import rate
from .edited import flows, random_flows
from .registry import Settings

MEGA = 1e6
_WARM_UP_S = 1.0  # every key has been seen by then
_KEYS = 1_000_000


def _query() -> PlannedQuery:
    """Bytes of each pair of addresses."""
    ports = {"p1": Port("p1", Bandwidth(10**10), bytes([2, 0, 0, 0, 0, 1]), 1518)}
    keys = QueryKeys.parse("IP.src,IP.dst")
    return plan_query(Query(name="all", port="p1", keys=keys, value=LENGTH, capacity=_KEYS), ports, ["p1"])


def received(settings: Settings, *, counted: bool, in_order: bool = True) -> float:
    """Mpps that one lcore receives and measures, with the query or without; keys step, or are drawn."""
    sent = flows(_KEYS) if in_order else random_flows()
    with engine.looped_stream(replace(sent, signature=True)) as target:
        if counted:
            target.queries.start(_query())
        mpps = (
            rate(lambda: target.snapshot().streams[0].rx_packets, settings.seconds, warm_up=_WARM_UP_S) / MEGA
        )
        if counted:
            summary, _ = target.queries.read("all", top=0)
            if (in_order and summary.keys != _KEYS) or summary.counters.missed:
                raise RuntimeError(f"{summary.keys:,} keys, {summary.counters.missed:,} missed")
        return mpps
