# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams of the program: counted to the frame, known again, measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.targets.tofino.driver.job import SwitchJob
from TesterLibrary.targets.tofino.driver.loaded import LoadedStream
from TesterLibrary.targets.tofino.entries.misrouted import DIGEST, port_asked, port_versions
from TesterLibrary.targets.tofino.reading.arrival import Arrival
from TesterLibrary.targets.tofino.reading.stream_readings import StreamRegisters
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.session.switch import Digest

from .jobs import MACS, left, loaded, looping, read
from .running import FRONT, RunningModel, Tap

_COUNT = 40
_WORD = 1 << 32
Loads = Callable[..., SwitchJob]


@pytest.fixture
def taps(model: RunningModel, switch: RemoteSwitch) -> Iterator[tuple[Tap, Tap]]:
    assert switch
    taps = model.tap("p1"), model.tap("p2")
    yield taps
    for tap in taps:
        tap.close()


@pytest.fixture
def load(switch: RemoteSwitch) -> Iterator[Loads]:
    jobs: list[SwitchJob] = []

    def of(**changes: object) -> SwitchJob:
        given = {"rate": Rate.parse("100 kpps"), "frame_size": FrameSize(128), **changes}
        jobs.append(loaded(switch, [Stream("s", "p1", "p2", **given)]))  # type: ignore[arg-type]
        looping(switch, jobs[0])
        return jobs[0]

    yield of
    for job in jobs:
        left(switch, job)


def right(frame: bytes) -> bool:
    packet = Ether(frame)
    again = packet.copy()
    del again[IP].chksum, again[UDP].chksum
    return bytes(again) == frame


def test_exactly_so_many_frames_leave_and_all_are_right(
    switch: RemoteSwitch, taps: tuple[Tap, Tap], load: Loads
) -> None:
    job = load(editors=(Editor(FieldPath.parse("UDP.dport"), Sweep("5000", "5009")),))
    assert taps[0].frames(1, seconds=1) == []
    switch.write(list(job.starting(_COUNT)))
    frames = taps[0].frames(_COUNT + 1, seconds=10)
    assert len(frames) == _COUNT
    assert all(right(frame) for frame in frames)
    ports = [Ether(frame)[UDP].dport for frame in frames]
    assert ports == [5000 + number % 10 for number in range(_COUNT)]
    assert {(Ether(frame).src, Ether(frame).dst) for frame in frames} == {
        (MACS["p1"].hex(":"), MACS["p2"].hex(":"))
    }
    assert read(switch, job.streams[1]).tx[0].packets == _COUNT


def test_a_pattern_passes_and_skips_exactly(switch: RemoteSwitch, taps: tuple[Tap, Tap], load: Loads) -> None:
    job = load(shaping=Pattern((Stage(4, 6),)), rate=Rate.parse("10 kpps"))
    switch.write(list(job.starting(_COUNT)))
    assert len(taps[0].frames(_COUNT + 1, seconds=15)) == _COUNT


def test_frames_that_are_lost_are_those_that_did_not_come(
    switch: RemoteSwitch, taps: tuple[Tap, Tap], load: Loads
) -> None:
    job = load()
    stream = job.streams[1]
    for version, lost in ((0, 3), (1, 7)):
        switch.write(list(job.flipped(version)))
        switch.write(list(job.starting(_COUNT)))
        frames = taps[0].frames(_COUNT, seconds=10)
        assert {Ether(frame)[IP].id >> 15 for frame in frames} == {version}
        for frame in frames[lost:]:
            taps[1].send(frame)
        time.sleep(2)
        found = read(switch, stream)
        assert (found.tx[version].packets, found.rx[version].packets) == (_COUNT, _COUNT - lost)
        assert found.tx[version].octets == _COUNT * 128


def test_frames_at_another_port_are_counted_apart_and_a_digest_says_where(
    switch: RemoteSwitch, taps: tuple[Tap, Tap], load: Loads
) -> None:
    job = load()
    stream = job.streams[1]
    switch.write(list(job.starting(_COUNT)))
    frames = taps[0].frames(_COUNT, seconds=10)
    switch.digests()
    for number, frame in enumerate(frames):
        taps[0 if number < 9 else 1].send(frame)
    time.sleep(2)
    found = read(switch, stream)
    assert (found.misrouted, found.rx[0].packets) == (9, _COUNT - 9)
    wanted = port_asked(FRONT["p1"])
    switch.sync(sorted({one.table for one in wanted}))
    versions = port_versions(switch.read(wanted))
    assert sum(one.rx_packets for one in versions) >= 9  # since the program runs
    told: list[Digest] = []
    for _ in range(10):  # the model waits before it tells, and a digest can be lost
        told += switch.digests()
        if told:
            break
        taps[0].send(frames[0])
        time.sleep(2)
    assert told == [Digest(DIGEST, {"stream": stream.template, "port": FRONT["p1"]})]


def passed_on(
    switch: RemoteSwitch, taps: tuple[Tap, Tap], load: Loads
) -> tuple[list[bytes], StreamRegisters, LoadedStream]:
    """Frames of a job's only stream, and what has been counted when all have arrived."""
    job = load()
    switch.write(list(job.starting(_COUNT)))
    frames = taps[0].frames(_COUNT, seconds=10)
    for frame in frames:
        taps[1].send(frame)
    time.sleep(2)
    stream = job.streams[1]
    return frames, read(switch, stream), stream


def test_sums_of_times_are_those_of_the_stamps_in_the_frames(
    switch: RemoteSwitch, taps: tuple[Tap, Tap], load: Loads
) -> None:
    frames, found, _ = passed_on(switch, taps, load)
    stamps = [int.from_bytes(bytes(Ether(frame)[UDP].payload)[8:14], "big") for frame in frames]
    times = [stamp % _WORD | 1 for stamp in stamps]  # as the registers have them (p4/controls/blind_delay.p4)
    left, came = found.tx[0].times, found.rx[0].times
    assert (left.base, left.since) == (times[0], sum((time - times[0]) % _WORD for time in times))
    blind = (came.base - left.base) * _COUNT + came.since - left.since
    assert (blind - found.latency_sum + _COUNT) % _WORD <= 2 * _COUNT  # each time is odd: 1 ns more or less


def test_each_frame_has_its_latency_counted(switch: RemoteSwitch, taps: tuple[Tap, Tap], load: Loads) -> None:
    frames, found, stream = passed_on(switch, taps, load)
    assert sum(found.histogram.values()) == found.rx[0].packets == _COUNT
    assert 0 < found.least <= found.greatest
    assert found.least * _COUNT <= found.latency_sum <= found.greatest * _COUNT
    assert (found.arrived.get(Arrival.OVERTAKEN, 0), found.next_sequence) == (0, _COUNT)
    taps[1].send(frames[0])
    time.sleep(1)
    assert read(switch, stream).arrived[Arrival.AGAIN] == 1  # it came before
