# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from scapy.utils import PcapNgWriter, PcapWriter

from TesterLibrary.files.capture_survey import survey
from TesterLibrary.model.capture_totals import CaptureTotals


def frames() -> list[Packet]:
    """30, 100 and 1000 bytes without FCS, 100 us and 400 us apart."""
    packets = []
    for length, time in ((30, "1000.000000"), (100, "1000.000100"), (1000, "1000.000500")):
        packet = Ether() / (b"x" * (length - 14))
        packet.time = float(time)
        packets.append(packet)
    return packets


@pytest.mark.parametrize("kind", ["pcap", "nanoseconds", "big endian", "pcapng"])
def test_totals_are_those_of_the_line(kind: str, tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    if kind == "pcapng":
        writer = PcapNgWriter(path)
    else:
        writer = PcapWriter(path, nano=kind == "nanoseconds", endianness=">" if kind == "big endian" else "<")
    for packet in frames():
        writer.write(packet)
    writer.close()
    totals = survey(path)
    assert totals is not None
    assert (totals.frames, totals.octets) == (3, 64 + 104 + 1004)
    assert abs(totals.duration_ns - 500_000) <= 1000, "Scapy keeps times as floats"


@pytest.mark.parametrize("content", [b"", b"no capture", b"\xd4\xc3\xb2\xa1" + bytes(20)])
def test_what_is_no_capture_has_no_totals(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert survey(str(path)) is None
    assert survey(str(tmp_path / "missing")) is None


def test_the_time_of_whole_rounds_is_known() -> None:
    totals = CaptureTotals(frames=5, octets=5 * 200, duration_ns=400)
    assert (totals.mean, totals.rate(0.5)) == (200, Fraction(4 * 10**9, 200))
    assert (totals.span_ns(5, 0.5), totals.span_ns(10, 0.5)) == (200, 450)
    assert totals.span_ns(7, 0.5) is None, "where a round ends in its middle, only the file tells"
    assert CaptureTotals(1, 64, 0).rate(1) is None
