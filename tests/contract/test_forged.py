# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that look like those of a stream and are not what was sent."""

from __future__ import annotations

from collections import Counter

import pytest

from TesterLibrary.measurement.snapshot import PortCounters, StreamCounters
from TesterLibrary.model.plan.plan import LearningFrame, PlannedStream
from TesterLibrary.model.ports import Forwarding
from tests.acceptance.forwarder import HEADERS, with_headers

from .rig import PATIENCE, Rig

_SENT = 100


# A fake looks into no frame, a switch at signatures behind UDP only (ADR 7).
ONLY_ENGINE = pytest.mark.parametrize("rig", ["engine"], indirect=True)


@pytest.fixture
def stream(rig: Rig) -> PlannedStream:
    """A stream of which a hundred frames have arrived as they were sent."""
    (stream,) = rig.load(rig.plan("north", frame_size=128)).streams
    rig.target.start(["north"], packets=_SENT)
    rig.target.wait(["north"], timeout=PATIENCE)
    (counted,) = rig.settled(["north"]).streams
    assert (counted.rx_packets, counted.rx_corrupted or 0) == (_SENT, 0)
    return stream


@ONLY_ENGINE
def test_a_damaged_payload_is_not_received(rig: Rig, stream: PlannedStream) -> None:
    frame = bytearray(_now(rig, stream))
    frame[stream.payload_offset] ^= 1
    assert _seen(_after(rig, bytes(frame))) == (_SENT, 1, 0, 0, 0)


@ONLY_ENGINE
@pytest.mark.parametrize("part", HEADERS)
@pytest.mark.parametrize("forwarding", Forwarding)
def test_other_headers_are_not_received(rig: Rig, part: str, forwarding: Forwarding) -> None:
    """A header that disagrees with itself is damaged on every path, another one where it has to stay."""
    (stream,) = rig.load(rig.plan("north", frame_size=128, forwarding=forwarding)).streams
    rig.target.start(["north"], packets=_SENT)
    rig.target.wait(["north"], timeout=PATIENCE)
    rig.settled(["north"])
    counted = _after(rig, with_headers(_now(rig, stream), part))
    stays = {
        Forwarding.BRIDGED: (),
        Forwarding.ROUTED: ("MAC addresses",),
        Forwarding.TRANSLATED: ("MAC addresses", "UDP ports", "IP addresses", "EtherType"),
    }[forwarding]
    expected = (_SENT + 1, 0, ()) if part in stays else (_SENT, 1, counted.rx_wrong_header_parts)
    assert (counted.rx_packets, counted.rx_wrong_headers, counted.rx_wrong_header_parts) == expected
    assert (
        part in stays
        or part.partition(" without")[0] in ", ".join(counted.rx_wrong_header_parts)
        or (forwarding is Forwarding.TRANSLATED)
    )


@ONLY_ENGINE
def test_headers_are_the_devices_to_change(rig: Rig, stream: PlannedStream) -> None:
    frame = _now(rig, stream)
    assert _seen(_after(rig, bytes(12) + b"\x81\x00\x00\x07" + frame[12:])) == (_SENT + 1, 0, 0, 0, 1)


@ONLY_ENGINE
@pytest.mark.parametrize("case", ["shortened", "lengthened", "padded", "twice"])
def test_another_length_is_not_received(rig: Rig, stream: PlannedStream, case: str) -> None:
    frame, begin = _now(rig, stream), stream.payload_offset
    damaged = {
        "shortened": _with_length(frame[:begin] + frame[begin + 20 :]),
        "lengthened": _with_length(frame[:begin] + bytes(4) + frame[begin:]),
        "padded": frame + bytes(1),
        "twice": _with_length(frame + frame[begin:]),  # several frames in one
    }[case]
    assert _seen(_after(rig, damaged)) == (_SENT, 0, 1, 0, 0)


@ONLY_ENGINE
def test_a_piece_of_a_packet_is_not_received(rig: Rig, stream: PlannedStream) -> None:
    frame = _now(rig, stream)
    first = _with_length(frame[:34] + frame[34:82], fragment=0x2000)
    last = _with_length(frame[:34] + frame[82:], fragment=(82 - 34) // 8)
    before = rig.target.snapshot().port("p2")
    assert _seen(_after(rig, first)) == (_SENT, 0, 0, 0, 0)
    assert _seen(_after(rig, last)) == (_SENT, 0, 0, 1, 0)
    after = rig.target.snapshot().port("p2")
    assert (after.rx_fragments or 0) - (before.rx_fragments or 0) == 1
    assert after.rx_foreign - before.rx_foreign == 1


@ONLY_ENGINE
def test_what_cuts_the_end_of_a_frame_leaves_it_malformed(rig: Rig, stream: PlannedStream) -> None:
    before = rig.target.snapshot().port("p2")
    assert _seen(_after(rig, _now(rig, stream)[:-20])) == (_SENT, 0, 0, 0, 0)
    after = rig.target.snapshot().port("p2")
    assert (after.rx_malformed or 0) - (before.rx_malformed or 0) == 1
    assert after.rx_foreign - before.rx_foreign == 1


@ONLY_ENGINE
@pytest.mark.parametrize("port", ["p2", "p1"])
def test_an_icmp_error_that_quotes_a_frame_is_none(rig: Rig, stream: PlannedStream, port: str) -> None:
    """Neither received nor misrouted, wherever it arrives."""
    quoted = _now(rig, stream)
    icmp = b"\x0b\x00" + _checksum(b"\x0b\x00" + bytes(6) + quoted[14:]) + bytes(4) + quoted[14:]
    header = bytearray(quoted[14:34])
    header[9] = 1
    error = _with_length(quoted[:14] + bytes(header) + icmp)
    before = rig.target.snapshot()
    counted = _after(rig, error, port)
    assert _seen(counted) == (_SENT, 0, 0, 0, 0)
    assert counted.rx_misrouted == 0
    after = rig.target.snapshot().port(port)
    assert after.rx_misrouted == before.port(port).rx_misrouted
    assert after.rx_foreign - before.port(port).rx_foreign == 1
    assert _icmp_errors(after) - _icmp_errors(before.port(port)) == Counter({(4, 11, 0): 1})


@ONLY_ENGINE
def test_a_frame_of_an_earlier_trial_is_told_apart(rig: Rig, stream: PlannedStream) -> None:
    """The frame is from an earlier start, then from a job that was unloaded."""
    old = _now(rig, stream)
    rig.run(["north"], packets=1)
    before = rig.target.snapshot().port("p2")
    _after(rig, old)
    rig.target.unload(["north"])
    rig.load(rig.plan("north", frame_size=128, first_id=2))
    counted = _after(rig, old)
    after = rig.target.snapshot().port("p2")
    assert counted.rx_packets == 0
    assert (after.rx_stale or 0) - (before.rx_stale or 0) == 2
    assert after.rx_foreign - before.rx_foreign == 2


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


def _seen(counted: StreamCounters) -> tuple[int | None, ...]:
    """Received, and damaged in each way, and duplicated."""
    return (
        counted.rx_packets,
        counted.rx_corrupted,
        counted.rx_wrong_length,
        counted.rx_fragments,
        counted.order.duplicated,
    )


def _icmp_errors(port: PortCounters) -> Counter[tuple[int, int, int]]:
    """Frames by IP version, type and code."""
    assert port.rx_icmp_errors is not None
    return Counter(
        {(error.ip_version, error.type, error.code): error.frames for error in port.rx_icmp_errors}
    )


def _after(rig: Rig, frame: bytes, port: str = "p2") -> StreamCounters:
    """The counters when a frame that the other port sends once has arrived at this one."""
    arrived = rig.target.snapshot().port(port).rx_packets
    rig.target.frames.inject([LearningFrame("p1" if port == "p2" else "p2", frame)])
    for _ in range(1000):
        if rig.target.snapshot().port(port).rx_packets > arrived:
            break
        rig.pass_time(0.01)
    return rig.target.snapshot(["north"]).streams[0]


def _now(rig: Rig, stream: PlannedStream) -> bytes:
    """The fifth frame, sent now."""
    return _signed(stream, sequence=5, at_ns=rig.target.snapshot().taken_at_ns)


def _with_length(frame: bytes, fragment: int = 0) -> bytes:
    """The IPv4 header, behind that of Ethernet, says how long the packet is, and which piece."""
    header = bytearray(frame[14:34])
    header[2:4] = (len(frame) - 14).to_bytes(2, "big")
    header[6:8] = fragment.to_bytes(2, "big")
    header[10:12] = bytes(2)
    header[10:12] = _checksum(bytes(header))
    return frame[:14] + bytes(header) + frame[34:]


def _checksum(octets: bytes) -> bytes:
    return (0xFFFF - _sum(octets)).to_bytes(2, "big")


def _signed(stream: PlannedStream, *, sequence: int, at_ns: int) -> bytes:
    """A frame with the signature that `plan.proto` describes."""
    body = stream.id.to_bytes(2, "big") + sequence.to_bytes(6, "big") + (at_ns % 2**48).to_bytes(6, "big")
    complement = (_sum(stream.frame[-16:]) - _sum(body)) % 0xFFFF
    return stream.frame[:-16] + body + complement.to_bytes(2, "big")


def _sum(octets: bytes) -> int:
    return sum(int.from_bytes(octets[i : i + 2], "big") for i in range(0, len(octets), 2)) % 0xFFFF
