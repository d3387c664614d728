# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that arrived in time, against devices whose every frame is known."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.delays.undelayed_frames import ArrivalReading, InTime
from TesterLibrary.measurement.snapshot import LatencyCounters
from tests.counted import stream_counters

SECOND, POLL = 10**9, 20_000_000
BEGIN = 10**9


def found(sent: int, arrivals: Sequence[int], shortest: int, polls: int = POLL) -> InTime:
    """The frames in time of one second, from readings every so often until all have arrived."""
    arrivals = sorted(arrivals)
    readings = []
    for at in range(BEGIN, arrivals[-1] + polls, polls):
        came = sum(arrival <= at for arrival in arrivals)
        if came:
            readings.append(ArrivalReading(arrivals[came - 1], came))
    counted = stream_counters(
        tx_packets=sent,
        rx_packets=len(arrivals),
        first_tx_ns=BEGIN,
        last_tx_ns=BEGIN + (sent - 1) * SECOND // sent,
        first_rx_ns=arrivals[0],
        last_rx_ns=arrivals[-1],
        latency=LatencyCounters(len(arrivals), 0, shortest, 0, {}),
    )
    return InTime.of(counted, readings)


def queue(sent: int, rate: int, room: int) -> list[int]:
    """Arrivals behind a device that forwards at a constant rate and holds so many frames."""
    service, free, arrivals = SECOND // rate, 0, []
    for number in range(sent):
        now = BEGIN + number * SECOND // sent
        if free - now <= room * service:
            free = max(free, now) + service
            arrivals.append(free)
    return arrivals


@given(sent=st.integers(200, 4000), rate=st.integers(100, 4000), room=st.integers(0, 2000))
def test_the_rate_behind_a_queue_is_that_of_the_device(sent: int, rate: int, room: int) -> None:
    service = SECOND // rate
    result = found(sent, queue(sent, rate, room), service)
    truth = min(sent, rate)
    if room == 0 and rate < sent:  # it forwards each second frame, or each third …
        truth = len(queue(sent, rate, room))
    assert result.least <= result.most
    assert abs(result.least - truth) <= 3
    assert abs(result.most - truth) <= 3 + truth // 1000


@given(
    sent=st.integers(1000, 4000),
    rate=st.integers(500, 3000),
    room=st.integers(0, 200),
    late=st.integers(1, 500_000_000),
)
def test_one_straggler_changes_next_to_nothing(sent: int, rate: int, room: int, late: int) -> None:
    service, arrivals = SECOND // rate, queue(sent, rate, room)
    without = found(sent, arrivals, service)
    arrivals[-1] += late
    result = found(sent, arrivals, service)
    assert result.most >= without.least - 2
    assert abs(result.most - without.most) <= 3 + without.most // 500
    assert result.least >= without.least * 0.975 - 3  # it may be among the frames of the last reading


def test_frames_of_a_device_without_a_queue_are_all_in_time() -> None:
    arrivals = [BEGIN + number * 10**6 + 50_000 + (number * 7919) % 100_000 for number in range(1000)]
    assert found(1000, arrivals, 50_000) == InTime(1000, 1000)


def test_half_of_what_a_queue_holds_for_a_second_is_not_in_time() -> None:
    arrivals = [BEGIN + number * 2_000_000 for number in range(1000)]
    assert found(1000, arrivals, 0) == InTime(500, 500)


def test_without_readings_a_late_last_frame_leaves_the_number_open() -> None:
    arrivals = [BEGIN + number * 10**6 for number in range(999)] + [BEGIN + 1_180_000_000]
    result = found(1000, arrivals, 0, polls=10**10)
    assert result.least < 900
    assert result.most == 999
