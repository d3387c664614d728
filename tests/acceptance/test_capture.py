# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester captures the same frames as the device's kernel, and other programs can read its files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from scapy.utils import rdpcap

from TesterLibrary.model.capture import Capture, Direction
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.reporting.captures.frame_files import frame_files
from TesterLibrary.reporting.captures.query import query
from TesterLibrary.reporting.record.records import read
from TesterLibrary.running.capture import Captures
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.running.sending import send
from TesterLibrary.running.trial import StreamRun

from .capture import captured, frames
from .defects import device_that
from .robots import check_passed, lines, run

FRAMES = 500


@pytest.fixture
def files(bed: OpenTestbed, tmp_path: Path) -> tuple[Path, Path, Path]:
    """IMIX as it leaves the tester, as tcpdump sees it leave the bridge, and as it arrives at the tester."""
    stream = Stream(
        "north", tx="p1", rx="p2", frame_size=parse_frame_sizes("imix"), rate=Rate.parse("2 kpps")
    )
    captures: Captures = bed.captures
    captures.start(Capture("sent", ("p1",), Direction.TRANSMITTED, filter="udp"))
    captures.start(Capture("arrived", ("p2",), Direction.RECEIVED, filter="udp"))
    with (
        captured(bed, "p2", tmp_path / "bridge.pcap"),
        StreamRun(bed.tester, "run", [stream]).loaded() as job,
    ):
        job.start(packets=FRAMES)
        bed.tester.target.wait(["run"], timeout=Duration(10**10))
        trial = job.finish()
    assert (trial.sent, trial.lost) == (FRAMES, 0)
    sent, arrived = captures.stop("sent"), captures.stop("arrived")
    for stopped in (sent, arrived):
        assert (stopped.counters.captured, stopped.counters.dropped) == (FRAMES, 0)
    return sent.path, tmp_path / "bridge.pcap", arrived.path


def test_tester_and_bridge_capture_the_same_frames_at_the_same_time(files: tuple[Path, Path, Path]) -> None:
    sent, bridge, arrived = files
    of_bridge = [(time, octets) for time, octets in frames(bridge) if len(octets) in (60, 566, 1514)]
    of_bridge = [(time, octets) for time, octets in of_bridge if octets[12:14] == b"\x08\x00"]
    for path in (sent, arrived):
        assert [bytes(packet) for packet in rdpcap(str(path))] == [octets for _, octets in of_bridge]
    for before, (between, _), after in zip(rdpcap(str(sent)), of_bridge, rdpcap(str(arrived)), strict=True):
        # Clocks of the tester and the kernel are put together once, when the capture starts.
        assert int(before.time * 10**9) - 10**7 < between < int(after.time * 10**9) + 10**7


def test_tcpdump_reads_the_file(files: tuple[Path, Path, Path]) -> None:
    command = ["tcpdump", "-nn", "-r", str(files[0])]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(shown.stdout.splitlines()) == FRAMES
    assert all("UDP" in line for line in shown.stdout.splitlines())


@pytest.mark.long
def test_rows_of_frames_are_what_was_captured_and_lost(bed: OpenTestbed) -> None:
    """The device loses frames 17 to 19 and each 150th: so say the rows, and the file around the first."""
    lost = [*range(17, 20), *range(149, FRAMES, 150)]
    stream = Stream("north", tx="p1", rx="p2", rate=Rate.parse("2 kpps"))
    with device_that(bed, lose=[17, 3], lose_every=150):
        bed.captures.start(Capture("all", streams=("north",)), parquet=True)
        trial = send(bed.tester, [stream], packets=FRAMES, timeout=Duration(10**10))
        stopped = bed.captures.stop("all")
    assert (trial.sent, trial.lost, stopped.counters.dropped) == (FRAMES, len(lost), 0)

    evidence = bed.tester.recorder.directory
    files, problems = frame_files(evidence, read(evidence))
    assert (len(files), problems) == (1, [])

    def asked(sql: str) -> list[tuple[object, ...]]:
        return list(query(read(evidence), sql, frames=files).rows)

    sql = "select sequence from frames where event = 'lost' and port = 'p1' and trial = 1 order by sequence"
    assert asked(sql) == [(number,) for number in lost]
    arrivals = asked(
        "select sequence from frames where direction = 'received' and port = 'p2' order by sequence"
    )
    assert arrivals == [(number,) for number in range(FRAMES) if number not in lost]
    times = asked("select coalesce(received_ns, sent_ns), size from frames order by 1")
    assert len(times) == stopped.counters.captured == 2 * FRAMES - len(lost)
    packets = rdpcap(str(stopped.path))
    assert [size for _, size in times] == [len(packet) + 4 for packet in packets]
    begin_ns = int(packets[0].time * 10**9) - times[0][0]
    assert all(
        abs(int(p.time * 10**9) - begin_ns - t) < 1000 for p, (t, _) in zip(packets, times, strict=True)
    )
    ((least, most),) = asked("select min(received_ns - sent_ns), max(received_ns - sent_ns) from frames")
    (counted,) = trial.streams
    assert (least, most) == (counted.counters.latency.min_ns, counted.counters.latency.max_ns)

    assert stopped.excerpt is not None
    near = [packet.comment.decode() for packet in rdpcap(str(stopped.excerpt.path))]
    named = [comment.partition("sequence ")[2] for comment in near if "LOST" in comment]
    assert named == [f"{number}, transmitted, LOST" for number in lost[:5]]
    assert len(near) < 100


def test_keywords_for_captures(tmp_path: Path) -> None:
    tests = run("capture.robot", tmp_path)
    assert len(tests) == 5
    check_passed(tests)
    captures = tmp_path / "evidence" / "captures"
    assert {path.name for path in captures.iterdir()} == {
        "trial.pcapng",
        "arrivals.pcapng",
        "capture-1.pcapng",
        "first.pcapng",
        "forgotten.pcapng",
    }
    written = [e for e in lines(tmp_path / "evidence" / "events.jsonl") if e["event"] == "capture"]
    assert {event["file"] for event in written} == {f"captures/{path.name}" for path in captures.iterdir()}
    assert "evidence/captures/trial.pcapng" in (tmp_path / "log.html").read_text(encoding="utf-8")
