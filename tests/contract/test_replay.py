# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Capture files are replayed by every target; those that cannot be are refused before anything is sent."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgWriter, PcapWriter, wrpcap

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.evidence import Evidence, EvidenceLimits
from TesterLibrary.model.plan.law import Departures, Replay
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.targets.engine.process import EngineProcess

from .rig import PATIENCE, Rig

FRAMES = [
    Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01") / IP() / UDP() / (b"x" * size)
    for size in (100, 300, 10)
]
for _number, _frame in enumerate(FRAMES):
    _frame.time = 1_700_000_000 + 0.002 * _number
OCTETS = sum(max(60, len(frame)) + 4 for frame in FRAMES)


def replaying(rig: Rig, path: Path, **changes: object) -> Plan:
    plan = rig.plan("north")
    law = replace(Replay(str(path)), **changes)  # type: ignore[arg-type]
    stream = replace(
        plan.streams[0],
        frames=(),
        signature=False,
        departures=Departures(law),
        version=None,
        checksums=(),
        payload_offset=0,
    )
    return replace(plan, streams=(stream,))


@pytest.mark.refused_by("tofino", match="a switch replays no file")
@pytest.mark.parametrize("writer", [PcapWriter, PcapNgWriter])
@pytest.mark.parametrize(
    ("changes", "gap_ns"),
    [({}, 2_000_000), ({"scale": 0.5}, 1_000_000), ({"scale": None, "fixed": Fraction(1, 50_000)}, 50_000)],
)
def test_a_capture_is_sent_as_often_as_it_says(
    rig: Rig, tmp_path: Path, writer: type, changes: dict[str, object], gap_ns: int
) -> None:
    with writer(str(tmp_path / "capture")) as file:
        for frame in FRAMES:
            file.write(frame)
    rig.load(replaying(rig, tmp_path / "capture", repetitions=2, **changes))
    rig.target.start(["north"])
    rig.target.wait(["north"], timeout=PATIENCE)
    (counted,) = rig.target.snapshot(["north"]).streams
    assert (counted.tx_packets, counted.tx_bytes) == (6, 2 * OCTETS)
    between = counted.last_tx_ns - counted.first_tx_ns
    assert abs(between - 5 * gap_ns) <= counted.worst_lateness_ns + 5_000  # of times in microseconds


@pytest.mark.parametrize("when", ["loaded", "started"])
@pytest.mark.parametrize("how", ["cut", "other"])
def test_a_file_that_changes_is_an_objection(
    engine: EngineProcess, tmp_path: Path, when: str, how: str
) -> None:
    """No trial passes with fewer frames than were planned, or with others."""
    rig, path = Rig(engine.target()), tmp_path / "capture"
    try:
        wrpcap(str(path), FRAMES)
        plan = rig.load(replaying(rig, path, repetitions=0, scale=None, fixed=Fraction(1, 50_000)))
        time.sleep(0.02)
        octets = path.read_bytes()
        if when == "started":
            rig.target.start(["north"])
        path.write_bytes(octets[:-5] if how == "cut" else octets.replace(b"xxxx", b"yyyy"))
        before = rig.target.snapshot(["north"])
        if when == "loaded":
            rig.target.start(["north"])
        rig.target.wait(["north"], timeout=PATIENCE)
        after = rig.target.snapshot(["north"])
        objections = list(Evidence.between(plan, before, after).objections(EvidenceLimits()))
        assert objections[0].startswith("north was stopped after ")
        assert f"by the tester: {path}: the file has changed since it was loaded" in objections[0]
        assert after.streams[0].tx_packets == 0 or when == "started"
    finally:
        rig.clear()


@pytest.mark.parametrize("what", ["none", "empty", "cut", "snapped", "of another link type", "no capture"])
def test_what_cannot_be_replayed_is_refused(rig: Rig, tmp_path: Path, what: str) -> None:
    path = tmp_path / "capture"
    if what == "of another link type":
        wrpcap(str(path), [IP() / UDP()], linktype=101)
    elif what == "snapped":
        with PcapWriter(str(path)) as file:
            file.write_header(None)
            file.write_packet(bytes(60), wirelen=100)
    elif what != "none":
        wrpcap(str(path), FRAMES)
        octets = path.read_bytes()
        path.write_bytes({"empty": octets[:24], "cut": octets[:-5], "no capture": b"hello " * 20}[what])
    before = rig.target.snapshot().port("p1").tx_packets
    with pytest.raises(PlanError, match="north"):
        rig.load(replaying(rig, path))
    assert rig.target.snapshot().port("p1").tx_packets == before
