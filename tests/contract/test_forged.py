# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that look like those of a stream and are not what was sent."""

from __future__ import annotations

import pytest

from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.model.plan import LearningFrame, PlannedStream

from .rig import PATIENCE, FakeRig, Rig

_SENT = 100


@pytest.fixture
def looking(rig: Rig) -> Rig:
    """One that looks into frames; what is injected into a fake is foreign, whatever it holds."""
    if isinstance(rig, FakeRig) or rig.is_switch:
        pytest.skip("a fake looks into no frame, a switch at signatures behind UDP only (ADR 7)")
    return rig


@pytest.fixture
def stream(rig: Rig) -> PlannedStream:
    """Of which a hundred frames have arrived as they were sent."""
    (stream,) = rig.load(rig.plan("north", frame_size=128)).streams
    rig.target.start(["north"], packets=_SENT)
    rig.target.wait(["north"], timeout=PATIENCE)
    (counted,) = rig.settled(["north"]).streams
    assert (counted.rx_packets, counted.rx_corrupted or 0) == (_SENT, 0)
    return stream


def test_a_damaged_payload_is_seen(looking: Rig, stream: PlannedStream) -> None:
    frame = bytearray(_signed(stream, sequence=5, at_ns=looking.target.snapshot().taken_at_ns))
    frame[stream.payload_offset] ^= 1
    counted = _after(looking, bytes(frame))
    assert (counted.rx_packets, counted.rx_corrupted, counted.order.duplicated) == (_SENT + 1, 1, 1)


def test_headers_are_the_devices_to_change(looking: Rig, stream: PlannedStream) -> None:
    frame = _signed(stream, sequence=5, at_ns=looking.target.snapshot().taken_at_ns)
    counted = _after(looking, bytes(12) + b"\x81\x00\x00\x07" + frame[12:])
    assert (counted.rx_packets, counted.rx_corrupted, counted.order.duplicated) == (_SENT + 1, 0, 1)


@pytest.mark.parametrize("case", ["key", "sequence", "past", "future", "cut", "only"])
def test_what_was_never_sent_is_foreign(rig: Rig, stream: PlannedStream, case: str) -> None:
    now_ns = rig.target.snapshot().taken_at_ns
    frame = {
        "key": lambda: _signed(stream, sequence=5, at_ns=now_ns)[:-1] + b"\x55",
        "sequence": lambda: _signed(stream, sequence=10_000, at_ns=now_ns),
        "past": lambda: _signed(stream, sequence=5, at_ns=1),
        "future": lambda: _signed(stream, sequence=5, at_ns=now_ns + 10**12),
        "only": lambda: _signed(stream, sequence=5, at_ns=now_ns)[:14],
        "cut": lambda: _signed(stream, sequence=5, at_ns=now_ns)[:-3],
    }[case]()
    before = rig.target.snapshot(["north"])
    counted = _after(rig, frame)
    assert counted == before.streams[0]
    assert rig.target.snapshot().port("p2").rx_foreign == before.port("p2").rx_foreign + 1


def _after(rig: Rig, frame: bytes) -> StreamCounters:
    """The counters when a frame that p1 sends once has arrived at p2."""
    arrived = rig.target.snapshot().port("p2").rx_packets
    rig.target.inject([LearningFrame("p1", frame)])
    for _ in range(1000):
        if rig.target.snapshot().port("p2").rx_packets > arrived:
            break
        rig.pass_time(0.01)
    return rig.target.snapshot(["north"]).streams[0]


def _signed(stream: PlannedStream, *, sequence: int, at_ns: int) -> bytes:
    """A frame with the signature that `plan.proto` describes."""
    body = stream.id.to_bytes(2, "big") + sequence.to_bytes(6, "big") + (at_ns % 2**48).to_bytes(6, "big")
    complement = (_sum(stream.frame[-16:]) - _sum(body)) % 0xFFFF
    return stream.frame[:-16] + body + complement.to_bytes(2, "big")


def _sum(octets: bytes) -> int:
    return sum(int.from_bytes(octets[i : i + 2], "big") for i in range(0, len(octets), 2)) % 0xFFFF
