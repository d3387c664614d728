# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace

from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.query import (
    QueryCounters,
    QueryResult,
    QueryRow,
    query_objections,
    time_objections,
)
from TesterLibrary.measurement.snapshot import PortCounters, Snapshot, WorkerCounters

RESULT = QueryResult(
    name="alive",
    keys=("IP.src",),
    count=30,
    distinct=30,
    packets=75,
    seen=100,
    missed=0,
    capacity=30,
    duration_ns=10**9,
)


def test_a_query_that_has_seen_all_is_not_in_doubt() -> None:
    assert RESULT.doubt == ""
    assert str(RESULT) == "alive: 75 of 100 packets, 30 different IP.src"


def test_packets_without_room_say_how_many_keys_may_be_missing() -> None:
    full = replace(RESULT, missed=45)
    assert (
        "beside the 30 for which it has room: up to 45 keys may be missing; give it more capacity"
        in full.doubt
    )
    assert str(full).endswith("45 WITHOUT ROOM")


def test_packets_that_nobody_has_looked_into_are_in_doubt() -> None:
    blind = replace(RESULT, unread=3)
    assert blind.doubt.startswith(
        "3 packets had VLAN tags, IP options or extension headers behind which a switch"
    )
    assert str(blind) == "alive: 75 of 100 packets, 30 different IP.src, 3 NOT LOOKED INTO"


def test_a_sum_that_does_not_fit_is_in_doubt() -> None:
    full = replace(RESULT, rows=(QueryRow(("10.0.0.1",), 3, (1 << 64) - 1),))
    assert full.doubt == "a sum of query 'alive' is more than 64 bits hold"


def test_a_row_prints_as_one_line() -> None:
    row = QueryRow(("10.0.0.1", "80"), 1200, 70_000, 2_000_000)
    assert (str(row), row.key) == ("at 2,000,000 ns 10.0.0.1 80: 70,000 in 1,200 packets", "10.0.0.1,80")
    assert str(QueryRow((), 5)) == "all: 5 packets"


def test_what_the_testers_own_ports_lost_may_be_missing() -> None:
    def snapshot(missed: int, dropped: int | None) -> Snapshot:
        port = PortCounters(name="p2", rx_missed=missed, kernel_dropped=dropped, link_up=True)
        return Snapshot(0, ports=(port, PortCounters(name="p1", rx_missed=0, link_up=True)))

    limits = EvidenceLimits()
    assert list(query_objections(snapshot(5, 1), snapshot(5, 1), ["p1", "p2"], limits)) == []
    (objection,) = query_objections(snapshot(5, 1), snapshot(8, 3), ["p2"], limits)
    assert objection.startswith("5 frames were lost in the tester's own rings and interfaces before a query")
    assert list(query_objections(snapshot(5, 1), snapshot(8, 3), ["p1"], limits)) == []
    assert list(query_objections(snapshot(5, None), snapshot(5, None), ["p2"], limits)) == []


def test_a_worker_that_stood_still_may_have_made_the_times_of_a_query() -> None:
    def objections(gap_ns: int | None) -> list[str]:
        other = QueryCounters("other", worst_worker_gap_ns=900_000_000)
        queries = (other, QueryCounters("q", worst_worker_gap_ns=gap_ns))
        before, after = (Snapshot(0, workers=(WorkerCounters(1, waited_ns=w),)) for w in (5, 300_000_005))
        return list(time_objections("q", before, replace(after, queries=queries), EvidenceLimits()))

    assert objections(None) == objections(0) == objections(50_000_000) == []
    assert objections(435_000_000) == [
        "a worker did not run for 435.0 ms (limit 50.0 ms); in all, the kernel had its CPU do something else "
        "for 300.0 ms"
    ]
