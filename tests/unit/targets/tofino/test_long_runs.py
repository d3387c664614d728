# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials that no register of 32 bits counts or sums up: 2^32 frames are 29 s at line rate, 2^32 ns 4.29 s.

The registers of a fake switch stand in for those of a chip that has been sending for long.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.fake import FakePath
from TesterLibrary.targets.tofino.driver.counter_laps import Laps
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.reading.arrival import Arrival
from TesterLibrary.targets.tofino.reading.resets import ARRIVALS

from .driver.test_target import PATIENCE, Driven

WORD = 1 << 32
RATE = "internal.InternalIngress.rate.outer_pattern.ticks"
FIRST_LAP = Laps.of(WORD + 1000).length
MILLISECOND = Duration(10**6)


@given(st.integers(1, 1 << 45))
def test_laps_and_their_rest_are_the_number_of_frames(frames: int) -> None:
    laps = Laps.of(frames)
    assert laps.whole * laps.length + laps.rest == frames
    assert (laps.whole == 0) == (frames < WORD)
    assert 0 < laps.rest <= laps.length < WORD


def test_there_is_time_to_tell_a_unit_of_its_last_lap() -> None:
    """There are at least nine seconds at 148.8 million frames a second."""
    line_rate = Fraction(10**11, 8 * 84)
    for seconds in (29, 30, 60, 120, 3600):
        laps = Laps.of(int(line_rate * seconds))
        if laps.whole:
            assert laps.rest / line_rate > 8


def sent_before(driven: Driven, frames: int, lost: int = 0) -> None:
    """The registers and counters as if so many frames had left, and all but the lost ones arrived."""
    driven.clock.sleep(0.0002)  # its first frame has
    store = driven.daemon.running.store
    (template,) = (stream.template for stream in driven.target._runs["north"].job.streams.values())
    loop = next(iter(driven.daemon.running.chip._loops.values())).port >> 7
    cells: list[tuple[str, str, int, int, int]] = [
        (RATE, "InternalIngress.rate.outer_pattern.ticks.f1", loop, template, frames % FIRST_LAP),
        (
            "external.ExternalEgress.signature.sequence",
            "ExternalEgress.signature.sequence.f1",
            0,
            template,
            frames,
        ),
        ("external.ExternalIngress.order.next", "ExternalIngress.order.next.f1", 0, template, frames),
        ("external.ExternalEgress.stream_counters.totals", "$COUNTER_SPEC_PKTS", 0, 2 * template, frames),
        (
            "external.ExternalIngress.stream_counters.totals",
            "$COUNTER_SPEC_PKTS",
            0,
            2 * template,
            frames - lost,
        ),
        *(
            (ARRIVALS, "ExternalIngress.order.cells.f1", 0, template << 8 | number % 256, number + 1)
            for number in range(frames - 256, frames)
        ),
    ]
    for table, name, pipe, index, value in cells:
        store.cells(table, name)[pipe, index] = value if "SPEC" in name else value % WORD


def counted(driven: Driven) -> StreamCounters:
    return driven.target.snapshot(["north"]).streams[0]


def waited(driven: Driven) -> StreamCounters:
    driven.target.wait(["north"], timeout=PATIENCE)
    driven.clock.sleep(0.1)
    return counted(driven)


def test_more_than_2_to_the_32_frames_end_exact_to_the_frame() -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"], packets=WORD + 1000)
    sent_before(driven, WORD - 500)
    found = waited(driven)
    assert (found.tx_packets, found.rx_packets) == (WORD + 1000, WORD + 1000)
    assert found.order.next_sequence == WORD + 1000
    assert not found.sending
    driven.clock.sleep(5)
    assert counted(driven).tx_packets == WORD + 1000


def test_a_stream_that_nobody_looks_at_in_its_last_lap_says_how_many_it_sent() -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"], packets=WORD + 1000)
    sent_before(driven, WORD - 500)
    driven.clock.sleep(3)  # 3,000 frames
    found = waited(driven)
    assert WORD + 2400 < found.tx_packets < WORD + 2700
    assert not found.sending
    driven.clock.sleep(5)
    assert counted(driven).tx_packets == found.tx_packets


@pytest.mark.parametrize("seconds", [60, 120])
def test_trials_of_rfc_2544_at_line_rate_are_not_refused(seconds: int) -> None:
    driven = Driven()
    driven.target.load(driven.plan(rate="100 %"))
    driven.target.start(["north"], duration=Duration(seconds * 10**9))
    driven.target.stop(["north"])


def test_the_next_sequence_number_goes_on_beyond_32_bits() -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"])
    sent_before(driven, 3 * WORD - 200)
    driven.clock.sleep(0.5)
    driven.target.stop(["north"])
    driven.clock.sleep(0.1)
    found = counted(driven)
    assert found.tx_packets > 3 * WORD
    assert found.order.next_sequence == found.tx_packets


@pytest.mark.parametrize("frames", [WORD - 200, WORD + 1, 3 * WORD])
def test_frames_that_come_in_order_are_known_to_beyond_32_bits(frames: int) -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"])
    sent_before(driven, frames)
    driven.clock.sleep(0.5)
    found = counted(driven)
    assert found.tx_packets > frames + 400
    assert (found.rx_out_of_order, found.order.duplicated, found.order.late, found.order.behind) == (0,) * 4
    assert found.outages is not None
    assert found.outages.longest_lost == 0


@pytest.mark.parametrize("frames", [WORD - 600, WORD - 201, WORD - 1, 3 * WORD])
def test_a_copy_is_counted_beyond_32_bits(frames: int) -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"])
    sent_before(driven, frames)
    driven.clock.sleep(0.2)
    arrives(driven, ahead=-1)
    driven.clock.sleep(0.2)
    counters = counted(driven)
    assert (counters.order.behind, counters.order.duplicated, counters.rx_out_of_order) == (1, 1, 0)
    assert counters.tx_packets - counters.order.next_sequence in (0, 1)
    assert counters.outages is not None
    assert counters.outages.longest_lost == 0


@pytest.mark.parametrize("frames", [WORD - 600, WORD - 201, WORD - 1, 3 * WORD])
def test_an_outage_is_found_beyond_32_bits_and_keeps_its_number(frames: int) -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"])
    sent_before(driven, frames)
    driven.clock.sleep(0.2)
    assert counted(driven).outages.longest_lost == 0
    loses(driven, 30)
    driven.clock.sleep(0.2)
    outages = counted(driven).outages
    assert outages.longest_lost == 30
    assert frames < outages.last_sequence < frames + 600
    for more in (WORD // 2, WORD, 3 * WORD // 2):
        sent_before(driven, frames + more, lost=30)
        driven.clock.sleep(0.2)
        assert counted(driven).outages.last_sequence == outages.last_sequence
    sent_before(driven, frames + 3 * WORD, lost=30)
    driven.clock.sleep(0.2)
    assert counted(driven).outages is None  # nobody has looked for more than 2^32 frames


@pytest.mark.parametrize("lost", [WORD // 2, WORD - 5000, WORD + 5000])
def test_an_outage_that_numbers_do_not_tell_is_absent(lost: int) -> None:
    driven = Driven()
    driven.target.load(driven.plan(rate="3 Mpps"))
    driven.target.start(["north"])
    driven.clock.sleep(0.0002)
    loses(driven, lost)
    driven.clock.sleep(0.0002)
    counters = counted(driven)
    assert counters.tx_packets > lost
    assert counters.outages is None
    assert (counters.rx_out_of_order is None) == (lost % WORD >= WORD // 2)


@pytest.mark.parametrize(
    ("lost", "is_known"), [(WORD // 2 - 5000, True), (WORD // 2, False), (WORD - 5000, False)]
)
def test_nothing_is_known_of_order_where_half_of_all_numbers_may_be_missing_at_once(
    lost: int, *, is_known: bool
) -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"])
    driven.clock.sleep(0.2)
    loses(driven, lost)
    driven.clock.sleep(0.2)
    counters = counted(driven)
    assert (counters.order.behind == 0) == is_known
    assert (counters.rx_out_of_order is not None) == is_known
    assert (counters.order.duplicated is not None) == (counters.order.late is not None) == is_known
    on_their_way = counters.tx_packets - (counters.order.next_sequence or 0)
    assert (on_their_way in (0, 1)) == is_known
    assert is_known or counters.outages is None


def arrives(driven: Driven, ahead: int) -> None:
    """A frame arrives whose number is so far from the next one."""
    external = driven.daemon.running.chip._pipelines._external
    store, (run,) = driven.daemon.running.store, driven.target._runs.values()
    (stream,) = run.job.streams.values()
    expected = store.cells("external.ExternalIngress.order.next", "ExternalIngress.order.next.f1")
    ((place, number),) = ((place, number) for place, number in expected.items() if number)
    arrival, _ = external._ordered((number + ahead) % WORD, place[0] << 7, stream.template)
    external._count_stream("ExternalIngress", 64, place[0] << 7, stream.counter(0, arrival))


def loses(driven: Driven, frames: int) -> None:
    """So many frames leave at once, and none of them arrives."""
    store, (run,) = driven.daemon.running.store, driven.target._runs.values()
    (stream,) = run.job.streams.values()
    numbers = store.cells(
        "external.ExternalEgress.signature.sequence", "ExternalEgress.signature.sequence.f1"
    )
    numbers[0, stream.template] = (numbers[0, stream.template] + frames) % WORD
    departed = store.cells("external.ExternalEgress.stream_counters.totals", "$COUNTER_SPEC_PKTS")
    departed[0, stream.counter(0)] += frames


@pytest.mark.parametrize("last", [0, 1, WORD - 2, WORD - 1])
def test_a_copy_of_the_last_number_is_below_the_next_one(last: int) -> None:
    store = (driven := Driven()).daemon.running.store
    external = driven.daemon.running.chip._pipelines._external
    store.cells("external.ExternalIngress.order.next", "ExternalIngress.order.next.f1")[0, 1] = (
        last - 3
    ) % WORD
    for number in range(last - 3, last + 1):
        assert external._ordered(number % WORD, 4, 1)[0] == Arrival.ABOVE
    assert external._ordered(last, 4, 1)[0] != Arrival.ABOVE


def test_frames_without_numbers_say_nothing_of_their_order() -> None:
    """They are known by their addresses, so a copy is counted like the frame itself."""
    driven = Driven()
    driven.target.load(driven.plan(signature=False))
    driven.target.start(["north"], packets=20)
    found = waited(driven)
    assert (found.tx_packets, found.rx_packets) == (20, 20)
    assert (found.rx_out_of_order, found.order.duplicated) == (None, None)


def test_a_device_that_forwards_nothing_any_more_stays_where_it_was() -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"])
    driven.clock.sleep(0.5)
    before = counted(driven).order.next_sequence
    store = driven.daemon.running.store
    left = store.cells("external.ExternalEgress.stream_counters.totals", "$COUNTER_SPEC_PKTS")
    left[0, 0] += 7 * WORD // 2  # and none of them arrives
    assert before
    assert counted(driven).order.next_sequence == before


def delay(found: StreamCounters) -> BlindDelay:
    tx = sum((Passages(version.tx_packets, version.tx_time_ns) for version in found.versions), Passages())
    rx = sum((Passages(version.rx_packets, version.rx_time_ns) for version in found.versions), Passages())
    return BlindDelay(tx, rx, found.last_tx_ns - found.first_tx_ns)


def slow(**changes: Any) -> Driven:
    driven = Driven(FakePath(delay=Duration(5 * MILLISECOND.ns)))
    driven.target.load(driven.plan(rate="100 pps", **changes))
    return driven


def test_sums_of_times_begin_anew_before_they_wrap() -> None:
    driven = slow()
    driven.target.start(["north"], duration=Duration(5 * 10**9))
    found = waited(driven)
    mean = delay(found).mean_ns
    assert found.tx_packets == found.rx_packets == 500
    assert found.open_version == 0  # after two flips
    assert mean is not None
    assert float(mean) == pytest.approx(found.latency.sum_ns / found.latency.count, abs=50)


def test_sums_of_times_that_wrapped_are_not_told() -> None:
    driven = slow()
    driven.target.start(["north"])
    driven.clock.sleep(5)
    driven.target.stop(["north"])
    driven.clock.sleep(0.1)
    found = counted(driven)
    assert found.tx_packets == found.rx_packets > 450
    assert [version.tx_time_ns for version in found.versions] == [None, 0]
    assert str(delay(found)) == "no delay: the tester's sums of times wrapped in an interval this long"


def test_the_first_frame_left_at_the_start_however_late_somebody_looks() -> None:
    """Its time has 32 bits, so another one 4.29 s later would look like it."""
    driven = slow()
    began_ns = driven.clock.now_ns
    driven.target.start(["north"])
    driven.clock.sleep(37)
    driven.target.stop(["north"])
    found = counted(driven)
    assert found.tx_packets == found.intended_packets == 3700
    assert abs(found.first_tx_ns - began_ns) < 30 * MILLISECOND.ns
    assert abs(found.first_rx_ns - found.first_tx_ns - 5 * MILLISECOND.ns) < MILLISECOND.ns
    assert abs(found.last_tx_ns - found.first_tx_ns - 37 * 10**9) < 20 * MILLISECOND.ns


def test_an_interval_of_three_seconds_between_two_flips_is_summed_up_right() -> None:
    driven = slow()
    driven.target.start(["north"])
    for _ in range(3):
        driven.clock.sleep(3.5)
        driven.target.flip(["north"])
    driven.target.stop(["north"])
    driven.clock.sleep(0.1)
    found = counted(driven)
    mean = delay(found).mean_ns
    assert mean is not None
    assert float(mean) == pytest.approx(found.latency.sum_ns / found.latency.count, abs=50)


def test_a_switch_that_is_slow_to_flip_has_no_sums_that_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames leave in a version until the switch has done what it was asked for."""
    driven = slow()
    driven.target.start(["north"])
    driven.clock.sleep(3.5)
    write = driven.target.session.write

    def late(entries: Sequence[TableEntry]) -> None:
        driven.clock.sleep(1)
        write(entries)

    with monkeypatch.context() as patched:
        patched.setattr(driven.target.session, "write", late)
        driven.target.flip(["north"])
    driven.clock.sleep(0.1)
    first, second = counted(driven).versions
    assert first.tx_packets > 429  # in 4.29 s
    assert (first.tx_time_ns, first.rx_time_ns) == (None, None)
    assert second.tx_time_ns


def test_whoever_flips_is_not_interrupted() -> None:
    """A monitor reads versions: none of them closes between two of its flips."""
    driven = slow()
    driven.target.start(["north"], duration=Duration(5 * 10**9))
    driven.clock.sleep(0.5)
    driven.target.flip(["north"])
    found = waited(driven)
    assert found.open_version == 1
    first, second = found.versions
    assert 40 < first.tx_packets < 60
    assert first.tx_packets + second.tx_packets == 500
    assert (first.tx_time_ns is None, second.tx_time_ns) == (False, None)


def test_a_short_run_that_is_read_late_is_whole() -> None:
    driven = slow()
    driven.target.start(["north"], duration=Duration(10**9))
    driven.clock.sleep(9)
    found = counted(driven)
    mean = delay(found).mean_ns
    assert mean is not None
    assert 5e6 <= float(mean) < 5.1e6
    assert abs(found.last_tx_ns - found.first_tx_ns - 990 * MILLISECOND.ns) < 20 * MILLISECOND.ns
