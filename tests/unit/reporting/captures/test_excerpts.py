# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames around losses, as they are shown; and in real runs of Robot, in its log and in Allure."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scapy.utils import rdpcap

from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.measurement.traces.losses import LostFrames
from TesterLibrary.reporting.captures.excerpts import MOST_LOSSES, Excerpt, excerpt_frames, first_losses
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.trial_part import TrialPart

PART = TrialPart(7, "north", 3, 2, RecordPlace(), 0, 10**9, "p2", 5)
FAKE = Path(__file__).parents[2] / "FakeTestbeds.py"


def frame(number: int, *, transmitted: bool = True, port: str = "") -> CapturedFrame:
    time_ns = 1_000_000 * number + (0 if transmitted else 250)
    return CapturedFrame(time_ns, port or ("p1" if transmitted else "p2"), transmitted, 7, number, 60, b"")


def captured(lost: tuple[int, ...]) -> list[CapturedFrame]:
    sent = [frame(number) for number in range(60)]
    arrived = [frame(number, transmitted=False) for number in range(60) if number not in lost]
    return sorted([*sent, *arrived], key=lambda each: each.time_ns)


def test_a_table_has_each_frame_where_it_left_and_arrived() -> None:
    lost = (10, 11, 14)
    frames = [*captured(lost), frame(10, transmitted=False, port="p3"), frame(12, transmitted=False)]
    (first, second) = first_losses({PART: LostFrames(lost, 3)}, {PART: [CapturedFrames.of(frames)]})
    assert first.title == "Trial 3 (attempt 2), north: frames 10 to 11 were lost"
    assert second.title == "Trial 3 (attempt 2), north: frame 14 was lost"
    rows = {row.sequence: row for row in first.rows}
    assert list(rows) == list(range(5, 17))
    assert [number for number, row in rows.items() if row.is_lost] == [10, 11, 14]
    assert (rows[5].sent_ns, rows[5].latency_ns, rows[5].size) == (0, 250, 64)
    assert [arrival.port for arrival in rows[10].arrivals] == ["p3"]  # misrouted
    assert len(rows[12].arrivals) == 2


def test_frames_that_were_not_captured_where_they_left_have_no_time() -> None:
    frames = [frame(number, transmitted=False) for number in (8, 9, 11, 12)]
    (loss,) = first_losses({PART: LostFrames((10,), 1)}, {PART: [CapturedFrames.of(frames)]})
    row = next(row for row in loss.rows if row.is_lost)
    assert (row.sequence, row.sent_ns, row.latency_ns, row.size) == (10, None, None, None)
    excerpt = Excerpt("trial", Path("trial-losses.pcapng"), (loss,), found=1, lost=1)
    html = excerpt.linked("evidence/captures/trial-losses.pcapng")
    assert "\n" not in html
    assert html.count("not captured") == 5
    assert '<a href="evidence/captures/trial-losses.pcapng">trial-losses.pcapng</a>' in html
    assert "<a " not in excerpt.linked("")
    assert excerpt.text == "capture trial: frames around the first loss, 1 of 1 lost frames are known"


def test_there_are_few_losses_and_each_frame_once() -> None:
    lost = (10, 12, 14, 16, 18)
    losses = first_losses({PART: LostFrames(lost, 5)}, {PART: [CapturedFrames.of(captured(lost))]})
    assert len(losses) == MOST_LOSSES
    frames = excerpt_frames(losses)
    assert len(frames) == len({id(each) for each in frames}) == 15 + 15 - 5
    assert [each.time_ns for each in frames] == sorted(each.time_ns for each in frames)


def test_a_device_that_repeats_frames_does_not_fill_the_log() -> None:
    frames = [*captured((10,)), *(frame(11, transmitted=False) for _ in range(10_000))]
    (loss,) = first_losses({PART: LostFrames((10,), 1)}, {PART: [CapturedFrames.of(frames)]})
    assert len(loss.frames) == 100


def test_no_loss_no_excerpt() -> None:
    assert first_losses({PART: LostFrames()}, {PART: []}) == ()


SUITE = """
*** Settings ***
Library           TesterLibrary    testbed=embedded/l2-bridge
Suite Setup       Open Tester
Suite Teardown    Close Tester

*** Test Cases ***
Stopped By The Test
    Create Stream    north    rate=500 pps
    Start Capture    trial    streams=north
    Measure Loss    north    duration=1 s
    Stop Capture    trial

Stopped By The End Of The Test
    Create Stream    north    rate=500 pps
    Start Capture    left
    Measure Loss    north    duration=1 s

Without Loss
    Create Stream    north    rate=100 pps
    Start Capture    right
    Measure Loss    north    duration=1 s

Over And Over
    Create Stream    north    rate=500 pps
    FOR    ${_}    IN RANGE    12
        Start Capture    again
        Measure Loss    north    duration=100 ms
        Stop Capture    again
    END
"""


def test_frames_around_losses_are_in_the_log_and_in_allure(tmp_path: Path) -> None:
    pytest.importorskip("allure_robotframework")
    (tmp_path / "losses.robot").write_text(SUITE)
    allure = tmp_path / "allure"
    listeners = ("--listener", f"{FAKE}:300", "--listener", f"allure_robotframework;{allure}")
    command = [
        sys.executable,
        "-m",
        "robot",
        *listeners,
        "--pythonpath",
        str(FAKE.parents[2]),
        "--outputdir",
        str(tmp_path / "out"),
        "losses.robot",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    results = {}
    for path in allure.glob("*-result.json"):
        result = json.loads(path.read_text())
        results[result["name"]] = {each["name"]: each["source"] for each in _attachments(result)}
    for test, name in (("Stopped By The Test", "trial"), ("Stopped By The End Of The Test", "left")):
        attached = results[test]
        assert {"trials.csv", f"{name}-losses.html", f"{name}-losses.pcapng"} <= set(attached)
        assert (f"capture {name}.svg" in attached) == (name == "trial"), "of those that the test has stopped"
        packets = rdpcap(str(allure / attached[f"{name}-losses.pcapng"]))
        assert any(b"LOST" in (packet.comment or b"") for packet in packets)
        assert 10 < len(packets) < 100
        assert "was lost</caption>" in (allure / attached[f"{name}-losses.html"]).read_text()
    assert not [name for name in results["Without Loss"] if "losses" in name]
    assert len([name for name in results["Over And Over"] if name.endswith(".pcapng")]) == 10
    assert len(results["Over And Over"]) < 40, "however many captures and trials"
    output = (tmp_path / "out" / "output.xml").read_text()
    for name in ("trial", "left"):
        links = re.findall(f'a href="([^"]*{name}-losses.pcapng)"', output.replace("&lt;", "<"))
        assert set(links) == {f"evidence/captures/{name}-losses.pcapng"}
        assert (tmp_path / "out" / links[0]).is_file()


def _attachments(step: dict[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = list(step.get("attachments", ()))
    for inner in step.get("steps", ()):
        found += _attachments(inner)
    return found
