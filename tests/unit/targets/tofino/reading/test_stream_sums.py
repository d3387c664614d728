# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The counters of a stream whose frame sizes a switch counts by themselves."""

from __future__ import annotations

from dataclasses import replace

from TesterLibrary.measurement.snapshot import (
    LatencyCounters,
    OrderCounters,
    OutageCounters,
    StreamCounters,
    VersionCounters,
)
from TesterLibrary.targets.tofino.reading.stream_sums import together

SMALL = StreamCounters(
    7,
    intended_packets=10,
    tx_packets=9,
    tx_bytes=576,
    first_tx_ns=100,
    last_tx_ns=900,
    worst_lateness_ns=3,
    rx_packets=8,
    rx_bytes=512,
    first_rx_ns=110,
    last_rx_ns=910,
    rx_misrouted=1,
    rx_misrouted_ports=("p3",),
    rx_out_of_order=0,
    latency=LatencyCounters(8, 80, 9, 12, {4: 8}),
    versions=(VersionCounters(9, 576, 1, 8, 512, 2), VersionCounters()),
    order=OrderCounters(next_sequence=9, duplicated=0, behind=0),
)
LARGE = replace(
    SMALL,
    id=7 + (1 << 16),
    tx_packets=1,
    tx_bytes=1518,
    rx_packets=0,
    first_tx_ns=50,
    first_rx_ns=0,
    last_rx_ns=0,
    rx_bytes=0,
    rx_misrouted=0,
    rx_misrouted_ports=("p3", "p4"),
    latency=LatencyCounters(),
    sending=True,
)


def test_counts_are_sums_and_times_the_first_and_the_last() -> None:
    (found,) = together([LARGE, SMALL])
    assert (found.id, found.intended_packets, found.tx_packets, found.tx_bytes) == (7, 20, 10, 2094)
    assert (found.rx_packets, found.rx_bytes, found.rx_misrouted) == (8, 512, 1)
    assert (found.first_tx_ns, found.last_tx_ns, found.first_rx_ns, found.last_rx_ns) == (50, 900, 110, 910)
    assert sorted(found.rx_misrouted_ports) == ["p3", "p4"]
    assert (found.sending, found.worst_lateness_ns) == (True, 3)
    assert found.latency == LatencyCounters(8, 80, 9, 12, {4: 8})
    assert found.versions == (VersionCounters(18, 1152, 2, 16, 1024, 4), VersionCounters())
    assert (found.order.next_sequence, found.order.duplicated, found.order.behind) == (18, 0, 0)


def test_what_nobody_knows_of_two_sizes_is_absent() -> None:
    (found,) = together([SMALL, LARGE])
    assert found.rx_out_of_order is None
    (unknown,) = together([SMALL, replace(LARGE, order=OrderCounters(), rx_misrouted=None)])
    assert (unknown.order, unknown.rx_misrouted) == (OrderCounters(), None)


def test_outages_of_one_size_are_not_those_of_the_stream() -> None:
    none = OutageCounters(None, None, None, within_ns=1024)
    lost = replace(none, longest_ns=2_000_000, longest_lost=4, last_sequence=7)
    for first, second in ((none, lost), (lost, none)):
        (found,) = together([replace(SMALL, outages=first), replace(LARGE, outages=second)])
        assert found.outages is None


def test_other_streams_stay_as_they_are() -> None:
    other = replace(SMALL, id=3)
    assert together([LARGE, other, SMALL])[0] is other
