# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The counters of a stream of several frame sizes or rates, which a switch counts one by one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ....measurement.counter import total
from ....measurement.snapshot import LatencyCounters, OrderCounters, StreamCounters, VersionCounters
from ....planning.switch.parts import whole


def together(counted: Iterable[StreamCounters], stepping: Collection[int] = ()) -> list[StreamCounters]:
    """The counters of streams as users know them, by id; `stepping`: of those whose parts are rates."""
    parts: defaultdict[int, list[StreamCounters]] = defaultdict(list)
    for counters in counted:
        parts[whole(counters.id)].append(counters)
    return [
        _stepped(parts[number]) if number in stepping else _one(number, parts[number])
        for number in sorted(parts)
    ]


def _stepped(parts: Sequence[StreamCounters]) -> StreamCounters:
    """The counters of a stream in steps: each part counts in the stream's numbers, the last one with all."""
    whole_one = _one(parts[0].id, parts)
    numbers = [part.order.next_sequence for part in parts]
    known = [number for number in numbers if number is not None]
    return replace(
        whole_one,
        rx_out_of_order=total([part.rx_out_of_order for part in parts]),
        outages=parts[-1].outages,
        order=replace(
            whole_one.order, next_sequence=max(known, default=0) if len(known) == len(numbers) else None
        ),
    )


def _one(number: int, parts: Sequence[StreamCounters]) -> StreamCounters:
    """The counters of one stream. No one knows the order of frames of two sizes, nor who ended an outage."""
    if len(parts) == 1:
        return parts[0]
    return replace(
        parts[0],
        id=number,
        intended_packets=sum(part.intended_packets for part in parts),
        tx_packets=sum(part.tx_packets for part in parts),
        tx_bytes=sum(part.tx_bytes for part in parts),
        first_tx_ns=_first([part.first_tx_ns for part in parts]),
        last_tx_ns=max(part.last_tx_ns for part in parts),
        worst_lateness_ns=max(part.worst_lateness_ns for part in parts),
        rx_packets=sum(part.rx_packets for part in parts),
        rx_bytes=sum(part.rx_bytes for part in parts),
        first_rx_ns=_first([part.first_rx_ns for part in parts]),
        last_rx_ns=max(part.last_rx_ns for part in parts),
        rx_misrouted=total([part.rx_misrouted for part in parts]),
        rx_misrouted_ports=_misrouted_ports(parts),
        rx_out_of_order=None,
        outages=None,
        latency=_latency([part.latency for part in parts]),
        sending=any(map(_is_sending, parts)),
        versions=_versions(parts),
        order=_order([part.order for part in parts]),
    )


def _is_sending(part: StreamCounters) -> bool:
    return part.sending


def _misrouted_ports(parts: Sequence[StreamCounters]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(port for part in parts for port in part.rx_misrouted_ports))


def _order(parts: Sequence[OrderCounters]) -> OrderCounters:
    return OrderCounters(
        next_sequence=total([part.next_sequence for part in parts]),
        duplicated=total([part.duplicated for part in parts]),
        late=total([part.late for part in parts]),
        behind=total([part.behind for part in parts]),
    )


def _first(times: Iterable[int]) -> int:
    """The earliest of times, of which 0 is none."""
    return min((time for time in times if time), default=0)


def _latency(parts: Sequence[LatencyCounters]) -> LatencyCounters:
    buckets: Counter[int] = Counter()
    for part in parts:
        buckets.update(part.buckets)
    counted = [part for part in parts if part.count]
    return LatencyCounters(
        count=sum(part.count for part in counted),
        sum_ns=sum(part.sum_ns for part in counted),
        min_ns=min((part.min_ns for part in counted), default=0),
        max_ns=max((part.max_ns for part in counted), default=0),
        buckets=dict(buckets),
    )


def _versions(parts: Sequence[StreamCounters]) -> tuple[VersionCounters, ...]:
    return tuple(_version(versions) for versions in zip(*(part.versions for part in parts), strict=True))


def _version(parts: Sequence[VersionCounters]) -> VersionCounters:
    return VersionCounters(
        tx_packets=sum(part.tx_packets for part in parts),
        tx_bytes=sum(part.tx_bytes for part in parts),
        tx_time_ns=total([part.tx_time_ns for part in parts]),
        rx_packets=sum(part.rx_packets for part in parts),
        rx_bytes=sum(part.rx_bytes for part in parts),
        rx_time_ns=total([part.rx_time_ns for part in parts]),
    )
