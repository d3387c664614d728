# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A step of the rate on a fake switch: when frames leave, and what is counted of those that are lost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.model.departures import Shape, TimePattern
from TesterLibrary.model.job import Job
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.entries.outages import OutageRegisters, came_later
from TesterLibrary.targets.tofino.fake import Bridge
from tests.examples import examples

from .driver.test_target import PATIENCE, Driven
from .rig import cabling

MS = 10**6
FIRST, SECOND = 40, 20  # frames of each rate


def step(period_ns: int = 40 * MS, **changes: Any) -> TimePattern:
    """By default 40 frames in 20 ms, then 20 in 20 ms."""
    given = {"high": Rate.parse("2 kpps"), "low": Rate.parse("1 kpps"), **changes}
    return TimePattern(Shape.STEP, period=Duration(period_ns), **given)


class Losing(Bridge):
    """A bridge that loses frames by their number, and notes when frames arrive at it."""

    def __init__(self, lost: Collection[int] = ()) -> None:
        super().__init__()
        self.lost, self.arrived = lost, list[int]()

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        if len(frame) != 124:
            return super().forward(port, frame, now_ns, others)
        self.arrived.append(now_ns)
        return (
            iter(()) if len(self.arrived) - 1 in self.lost else super().forward(port, frame, now_ns, others)
        )


def driven(wire: Losing, shaping: TimePattern | None = None, **changes: Any) -> Driven:
    this = Driven(wire=wire)
    shaping = shaping or step()
    this.target.load(this.plan(shaping=shaping, rate=str(shaping.average), **changes))
    return this


def counted(this: Driven, packets: int | None = None, duration: Duration | None = None) -> StreamCounters:
    this.target.start(["north"], packets=packets, duration=duration)
    this.target.wait(["north"], timeout=PATIENCE)
    this.clock.sleep(0.1)
    (found,) = this.target.snapshot(["north"]).streams
    return found


@pytest.mark.parametrize("late", [0, 60 * MS])
def test_each_rate_has_its_frames_and_the_second_follows_the_first(late: int) -> None:
    wire = Losing()
    this = driven(wire, start_after=Duration(late))
    found = counted(this)
    assert (found.intended_packets, found.tx_packets, found.rx_packets) == (60, 60, 60)
    assert len(wire.arrived) == FIRST + SECOND
    first, second = this.target._runs["north"].job.streams.values()
    for part, arrived in ((first, wire.arrived[:FIRST]), (second, wire.arrived[FIRST:])):
        due = [part.staging.leaves_ns(part.delay + number) for number in range(len(arrived))]
        off = [arrived[0] + time - due[0] - at for time, at in zip(due, arrived, strict=True)]
        assert max(map(abs, off)) <= 2_000
    assert second.begin.pause_ns is not None
    over_ns = wire.arrived[FIRST - 1] + 10**9 / first.staging.rate
    assert abs(wire.arrived[FIRST] - over_ns - second.begin.pause_ns) <= second.begin.within_ns
    assert 0 <= second.begin.pause_ns <= 3 * MS


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, 60),
        ({"duration": Duration(40 * MS)}, 60),
        ({"duration": Duration(400 * MS)}, 60),
        ({"duration": Duration(30 * MS)}, 50),
        ({"duration": Duration(10 * MS)}, 20),
        ({"packets": 45}, 45),
        ({"packets": 12}, 12),
    ],
)
def test_it_sends_what_is_due_until_its_end(given: dict[str, Any], sent: int) -> None:
    found = counted(driven(Losing()), **given)
    assert (found.intended_packets, found.tx_packets, found.rx_packets) == (sent, sent, sent)
    assert (found.sending, found.order.next_sequence, found.rx_out_of_order) == (False, sent, 0)
    assert found.outages
    assert (found.outages.longest_ns, found.outages.last_sequence) == (0, 0)


def expected(lost: Collection[int], times: list[int]) -> tuple[int, int, int]:
    """The longest outage, and the numbers behind the last skipped frame and behind the highest that came."""
    came = [number for number in range(FIRST + SECOND) if number not in lost]
    skipped = [(before, after) for before, after in pairwise(came) if after - before > 1]
    longest = max((times[after] - times[before] for before, after in skipped), default=0)
    return longest, skipped[-1][1] if skipped else 0, came[-1] + 1 if came else 0


@settings(max_examples=examples(25), deadline=None)
@given(st.sets(st.integers(0, 59), max_size=60) | st.sets(st.integers(30, 50), max_size=20))
def test_outages_are_those_of_the_whole_stream(lost: set[int]) -> None:
    wire = Losing(lost)
    found = counted(driven(wire))
    longest, last, highest = expected(lost, wire.arrived)
    assert (found.tx_packets, found.rx_packets) == (60, 60 - len(lost))
    assert found.order.next_sequence == highest
    assert found.rx_out_of_order == 0
    assert found.outages
    assert found.outages.last_sequence == last
    assert abs(found.outages.longest_ns - longest) <= found.outages.within_ns


def test_what_was_lost_around_the_step_is_one_outage() -> None:
    wire = Losing(range(35, 48))
    found = counted(driven(wire)).outages
    assert found
    assert (found.longest_lost, found.last_sequence, found.within_ns) == (13, 48, 1024)
    assert abs(found.longest_ns - (wire.arrived[48] - wire.arrived[34])) <= 1024


def test_the_loss_at_the_step_has_bounds_where_more_was_lost_later() -> None:
    """Three frames are missing at the begin of the second rate, or somewhere in it: nobody knows."""
    wire = Losing({FIRST, FIRST + 1, FIRST + 2, FIRST + 9})
    found = counted(driven(wire)).outages
    assert found
    assert (found.longest_lost, found.last_sequence) == (1, FIRST + 10)
    at_step, later = (
        wire.arrived[FIRST + after] - wire.arrived[FIRST + before] for before, after in ((-1, 3), (8, 10))
    )
    least, most = (found.longest_ns + side * (found.within_ns - 1024) for side in (-1, 1))
    assert abs(least - later) <= 2048
    assert abs(most - at_step) <= 2048


@pytest.mark.parametrize(("apart", "known"), [(-1, False), (0, False), (1, True)])
def test_the_order_around_a_step_is_known_by_times_that_differ(apart: int, known: bool) -> None:
    near_the_wrap = (1 << 32) - 1
    earlier = OutageRegisters(first=near_the_wrap - 50, last=near_the_wrap)
    assert (
        came_later(earlier, OutageRegisters(first=(near_the_wrap + 2 * apart) % (1 << 32), last=9)) is known
    )
    assert came_later(OutageRegisters(), OutageRegisters(5, 7))


def test_the_order_of_frames_of_two_rates_is_not_known_where_they_overlap() -> None:
    """A frame that the device holds back until some of the second rate have come is none that was lost."""

    class Holding(Losing):
        def forward(
            self, port: int, frame: bytes, now_ns: int, others: Collection[int]
        ) -> Iterator[tuple[int, int, bytes]]:
            for at_ns, out, octets in super().forward(port, frame, now_ns, others):
                yield at_ns + 5 * MS * (len(self.arrived) == FIRST and len(frame) == 124), out, octets

    found = counted(driven(Holding({10, 11, FIRST + 1})))
    assert (found.rx_packets, found.rx_out_of_order, found.order.behind) == (57, None, 0)
    assert found.outages
    assert (found.outages.longest_lost, found.outages.last_sequence) == (1, FIRST + 2)


def test_counters_are_those_of_the_whole_stream_over_seconds() -> None:
    """The registers of times wrap after 4.29 s."""
    wire = Losing({401, 402})
    shaping = step(
        10_000 * MS, high=Rate.parse("100 pps"), low=Rate.parse("20 pps"), duty=Ratio.parse("80 %")
    )
    found = counted(driven(wire, shaping))
    assert (found.tx_packets, found.rx_packets, found.latency.count) == (840, 838, 838)
    took = wire.arrived[-1] - wire.arrived[0]
    for first, last in ((found.first_tx_ns, found.last_tx_ns), (found.first_rx_ns, found.last_rx_ns)):
        assert abs(last - first - took) <= 10**9 // 20
    assert found.outages
    assert (found.outages.longest_lost, found.outages.last_sequence) == (2, 403)
    assert 0 <= found.outages.longest_start_ns - found.first_rx_ns - wire.arrived[400] + wire.arrived[0] <= MS


def test_two_streams_of_a_port_have_steps_of_their_own() -> None:
    this = Driven(wire=Losing())
    ports = {port.port.name: port.port for port in cabling().front}
    both = [
        Stream(
            f"s{phase}", "p1", "p2", FrameSize(128), step().average, shaping=step(), phase=Fraction(phase, 2)
        )
        for phase in (0, 1)
    ]
    this.target.load(compile_job(Job("both", tuple(both)), ports=ports, gateways={}, max_streams=9))
    this.target.start(["both"])
    this.target.wait(["both"], timeout=PATIENCE)
    this.clock.sleep(0.1)
    for found in this.target.snapshot(["both"]).streams:
        assert (found.intended_packets, found.tx_packets, found.rx_packets) == (60, 60, 60)
        assert (found.order.next_sequence, found.rx_out_of_order) == (60, 0)
        assert found.outages
        assert found.outages.last_sequence == 0


def test_it_begins_anew_with_its_job() -> None:
    this = driven(Losing({5, 50}))
    assert [counted(this).rx_packets for _ in range(2)] == [58, 60]


def test_it_is_not_changed_after_its_start() -> None:
    this = driven(Losing())
    plan = this.plan(shaping=step(high=Rate.parse("3 kpps")), rate="2 kpps")
    this.target.update("north", plan.streams[0])
    counted(this)
    with pytest.raises(PlanError, match="'north': a step of the rate begins with its job on a switch; load"):
        this.target.update("north", plan.streams[0])


@pytest.mark.parametrize("slow_ns", [0, 30 * MS])
@pytest.mark.parametrize("duty", ["1 %", "50 %", "99 %"])
def test_times_since_the_step_are_within_its_lateness(duty: str, slow_ns: int) -> None:
    """A frame of the second rate is due so many of its gaps after the first rate was over.

    Entries are written one after the other, so a slow switch starts the second rate later than the first one.
    """
    wire = Losing()
    this = driven(wire, step(1000 * MS, duty=Ratio.parse(duty)))
    write = this.target.session.write

    def slowly(entries: Sequence[TableEntry]) -> None:
        write(entries[:-1])
        this.clock.sleep(slow_ns / 10**9 if entries else 0)
        write(entries[-1:])

    this.target.session.write = slowly  # type: ignore[method-assign]
    found = counted(this)
    first = round(2000 * Ratio.parse(duty).value)
    over_ns = wire.arrived[first - 1] + MS // 2
    off = [time - over_ns - number * MS for number, time in enumerate(wire.arrived[first:])]
    assert max(map(abs, off)) <= found.worst_lateness_ns <= 9 * MS + slow_ns
