# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Known answers of what a switch has counted: registers as p4/controls fill them, and what they mean."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.delays.histogram import bounds_of, percentile
from TesterLibrary.measurement.delays.latency import Latency
from TesterLibrary.measurement.delays.latency_error import LatencyError
from TesterLibrary.measurement.snapshot import LatencyCounters
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Rate
from TesterLibrary.targets.tofino.driver.loaded import LoadedStream
from TesterLibrary.targets.tofino.entries.entry import Masked, TableEntry
from TesterLibrary.targets.tofino.entries.latency import OTHERS, PERCENTILE_ERROR, bucket_entries, scale
from TesterLibrary.targets.tofino.reading.end_readings import (
    end_asked,
    end_counters,
    port_asked,
    port_counters,
)
from TesterLibrary.targets.tofino.reading.stream_readings import (
    Closed,
    StreamRegisters,
    asked,
    buckets,
    cells,
    close,
    reached,
    registers,
    stream_counters,
    unwrapped,
    version_counters,
)
from TesterLibrary.targets.tofino.reading.time_bases import Bases
from TesterLibrary.targets.tofino.session.switch import Asked, Reading

from ..jobs import SCHEMAS, planned, switched

_WORD = 1 << 32


class Chip:
    """Registers and counters of two pipes, changed as the controls do."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, int], dict[str, list[int]]] = {}

    def at(self, name: str, index: int, field: str, first: int = 0) -> list[int]:
        return self.cells.setdefault((f"external.{name}", index), {}).setdefault(field, [first, first])

    def count(self, name: str, index: int, octets: int) -> None:
        self.at(name, index, "$COUNTER_SPEC_PKTS")[0] += 1
        self.at(name, index, "$COUNTER_SPEC_BYTES")[0] += octets

    def delay(self, gress: str, slot: int, now: int, pipe: int) -> None:
        """p4/controls/blind_delay.p4: times of 32 bits, sums of 64 in two halves."""
        base = self.at(f"{gress}.blind_delay.base", slot, f"{gress}.blind_delay.base.f1")
        low, high = (
            self.at(f"{gress}.blind_delay.sum.total", slot, f"{gress}.blind_delay.sum.total.{half}")
            for half in ("low", "high")
        )
        time = now % _WORD | 1
        base[pipe] = base[pipe] or time
        since = (time - base[pipe]) % _WORD
        if low[pipe] > ~since % _WORD:
            high[pipe] += 1
        low[pipe] = (low[pipe] + since) % _WORD

    def clear(self, slot: int) -> None:
        for (name, index), fields in self.cells.items():
            if index == slot and "blind_delay" in name:
                fields.clear()

    def read(self, wanted: Sequence[Asked]) -> list[Reading]:
        return [self._read(one) for one in wanted]

    def _read(self, wanted: Asked) -> Reading:
        (index,) = wanted.key.values()
        fields = self.cells.get((wanted.table, int(str(index))), {})
        table = SCHEMAS[0][wanted.table]
        firsts = {name: _WORD - 1 if name.endswith("least") else 0 for name in table.data}
        found: Mapping[str, list[int]] = {name: fields.get(name, [n, n]) for name, n in firsts.items()}
        return {name: sum(pipes) if name.startswith("$") else pipes for name, pipes in found.items()}


def loaded() -> LoadedStream:
    return switched(planned([Stream("s", "p1", "p2", rate=Rate.parse("1 kpps"))])).streams[1]


def sent(chip: Chip, stream: LoadedStream, version: int, left: int, delay: int | None) -> None:
    """A frame that leaves at a time, and arrives so much later unless it is lost."""
    slot = stream.slot(version)
    chip.count("ExternalEgress.stream_counters.totals", slot, 64)
    chip.delay("ExternalEgress", slot, left, pipe=0)
    if delay is not None:
        chip.count("ExternalIngress.stream_counters.totals", slot, 64)
        chip.delay("ExternalIngress", slot, left + delay, pipe=1)


def read(chip: Chip, stream: LoadedStream) -> StreamRegisters:
    found = registers(chip.read(asked(stream)))
    (with_bases,) = Bases(cast(Any, chip)).with_bases([stream], [found], [(Closed(), Closed())])
    return with_bases


def test_blind_delay_is_the_known_answer_of_the_semantics() -> None:
    """B_o = 1000, offsets 10, 20, 30; B_i = 1005, sum of T_i = 360: 105 ns."""
    chip, stream = Chip(), loaded()
    slot = stream.slot(0)
    for name, base, since in (("ExternalEgress", 1001, 60), ("ExternalIngress", 1005 | 1, 360)):
        chip.at(f"{name}.blind_delay.base", slot, f"{name}.blind_delay.base.f1")[0] = base
        chip.at(f"{name}.blind_delay.sum.total", slot, f"{name}.blind_delay.sum.total.low")[0] = since
        for _ in range(3):
            chip.count(f"{name}.stream_counters.totals", slot, 64)
    found = read(chip, stream)
    counted = version_counters(found.tx[0], found.rx[0], Closed(), near_ns=1000)
    mean = Fraction(counted.rx_time_ns, counted.rx_packets) - Fraction(counted.tx_time_ns, counted.tx_packets)
    assert mean == (1005 + 120) - (1001 + 20)  # 104: a base is odd


@pytest.mark.parametrize("begin", [5, _WORD - 3_000, 7 * _WORD - 20_001])
def test_sums_go_on_over_wraps_of_32_bits_and_over_intervals(begin: int) -> None:
    chip, stream = Chip(), loaded()
    closed = [Closed(), Closed()]
    lost, before, at = 0, 0, begin
    times_tx = times_rx = arrived = 0
    for interval in range(5):
        version = interval % 2
        found = read(chip, stream)
        closed[version] = close(found.tx[version], found.rx[version], closed[version], near_ns=before)
        chip.clear(stream.slot(version))
        before = at
        for frame in range(50):
            delay = None if frame % 7 == 0 else 4_000 + frame % 3 * 2
            sent(chip, stream, version, at, delay)
            times_tx += at | 1
            lost += delay is None
            if delay is not None:
                times_rx += (at + delay) | 1
                arrived += 1
            at += 20_000_001  # 1 s in an interval
    found = read(chip, stream)
    counters = stream_counters(stream, found, closed, near_ns=(before, before))
    assert (counters.tx_packets, counters.rx_packets) == (250, 250 - lost)
    assert counters.tx_bytes == 250 * 64
    assert counters.rx_packets == arrived
    assert sum(one.tx_time_ns for one in counters.versions) == times_tx
    assert sum(one.rx_time_ns for one in counters.versions) == times_rx


def test_upper_halves_count_what_the_lower_ones_wrap() -> None:
    chip, stream = Chip(), loaded()
    slot = stream.slot(1)
    for step in range(10):
        chip.delay("ExternalIngress", slot, 1 + step * 400_000_000, pipe=1)
        chip.count("ExternalIngress.stream_counters.totals", slot, 64)
    since = sum(step * 400_000_000 for step in range(10))
    assert since > _WORD
    assert read(chip, stream).rx[1].times.since == since


@pytest.mark.parametrize(
    ("low", "near", "whole"),
    [
        (5, 3, 5),
        (5, _WORD - 3, _WORD + 5),
        (_WORD - 3, 5 * _WORD + 2, 5 * _WORD - 3),
        (7, 9 * _WORD, 9 * _WORD + 7),
    ],
)
def test_a_number_of_32_bits_is_the_closest_one(low: int, near: int, whole: int) -> None:
    assert unwrapped(low, near) == whole


def bucket(entries: list[TableEntry], time: int) -> int:
    """The bucket that the table finds for a time."""
    hits = [
        entry
        for entry in entries
        if isinstance(key := entry.key["latency"], Masked) and time & key.mask == key.value
    ]
    assert len(hits) == 1
    return int(str(hits[0].data["number"]))


@pytest.mark.parametrize(
    "time", [0, 1, 700, 1_023, 1_024, 1_087, 5_000, 999_999, 16_000_000, 20_000_000, _WORD - 1]
)
def test_each_time_has_one_bucket_whose_middle_is_near(time: int) -> None:
    entries = list(bucket_entries())
    assert len(scale()) <= OTHERS
    of_time = next(one for one in scale() if one.number == bucket(entries, time))
    assert of_time.first <= time < of_time.first + of_time.size
    low, high = bounds_of(of_time.index)
    if 1_024 <= time < 1 << 24:
        assert (low + high) / 2 == pytest.approx(time, rel=0.033)


_TIMES = st.one_of(st.integers(0, 1100), st.integers(0, 10**6), st.integers(15 * 10**6, _WORD - 1))


@given(st.lists(_TIMES, min_size=1, max_size=40), st.integers(1, 1000))
def test_the_truth_of_a_percentile_is_within_its_error(times: list[int], permille: int) -> None:
    tally = Tally(next(b.index for b in scale() if b.first <= t < b.first + b.size) for t in times)
    counted = LatencyCounters(len(times), sum(times), min(times), max(times), tally)
    truth = sorted(times)[ceil(len(times) * Fraction(permille, 1000)) - 1]
    figure = Latency(counted, LatencyError(PERCENTILE_ERROR)).figure(f"p{permille / 10}")
    assert figure is not None
    assert figure.least <= truth <= figure.most


def test_latency_of_frames_is_exact_at_its_ends_and_near_between() -> None:
    chip, stream = Chip(), loaded()
    entries = list(bucket_entries())
    times = [2_000 + 10 * number for number in range(1000)]
    for time in times:
        chip.count("ExternalIngress.stream_counters.totals", stream.slot(0), 64)
        chip.at(
            "ExternalIngress.latency.histogram", stream.cell(bucket(entries, time)), "$COUNTER_SPEC_PKTS"
        )[0] += 1
    gress = "ExternalIngress.latency"
    chip.at(f"{gress}.extremes", stream.template, f"{gress}.extremes.least", _WORD - 1)[1] = min(times)
    chip.at(f"{gress}.extremes", stream.template, f"{gress}.extremes.greatest")[1] = max(times)
    chip.at(f"{gress}.sum.total", stream.template, f"{gress}.sum.total.low")[1] = sum(times)
    found = read(chip, stream)
    numbers = reached(stream, found)
    found = replace(found, histogram=buckets(numbers, chip.read(cells(stream, numbers))))
    latency = stream_counters(stream, found, [Closed(), Closed()], near_ns=(0, 0)).latency
    assert (latency.count, latency.min_ns, latency.max_ns) == (1000, 2_000, 11_990)
    assert latency.sum_ns == sum(times)
    assert sum(latency.buckets.values()) == 1000
    assert percentile(latency.buckets, 50) == pytest.approx(7_000, rel=0.033)


def test_a_stream_without_frames_has_no_latency() -> None:
    stream = loaded()
    counters = stream_counters(stream, read(Chip(), stream), [Closed(), Closed()], near_ns=(0, 0))
    assert counters.latency.count == counters.latency.min_ns == counters.tx_packets == 0


def test_rows_of_a_responder_add_to_the_counters_of_its_protocol() -> None:
    job = switched(planned([], [Responder(name="http", port="p1", protocol="http-get")]))
    (end,) = job.ends
    wanted = end_asked(end)
    assert len(wanted) == len(end.rows) + 6
    readings: list[Reading] = [{"$COUNTER_SPEC_PKTS": 2} for _ in end.rows]
    readings += [{"$COUNTER_SPEC_PKTS": 1}] + [{"$COUNTER_SPEC_PKTS": 0}] * 5
    counters = end_counters("job", end, readings, answering=True)
    assert counters.rx_packets == 2 * len(end.rows)
    answers = sum(row.answers for row in end.rows)
    assert (counters.tx_packets, counters.not_sent) == (2 * answers - 1, 1)
    names = end.planned.protocol.counters
    served = sum("served" in row.counts for row in end.rows)
    assert dict(zip(names, counters.counters, strict=True))["served"] == 2 * served > 0


def test_ports_count_in_two_versions() -> None:
    wanted = port_asked(140)
    assert [int(str(question.key["$COUNTER_INDEX"])) for question in wanted] == [280, 281, 280, 281]
    readings: list[Reading] = [{"$COUNTER_SPEC_PKTS": n, "$COUNTER_SPEC_BYTES": 64 * n} for n in (1, 2, 3, 4)]
    found = port_counters("p2", readings)
    assert (found.tx_packets, found.tx_bytes, found.rx_packets, found.rx_bytes) == (3, 192, 7, 448)
    assert [version.rx_packets for version in found.versions] == [3, 4]
