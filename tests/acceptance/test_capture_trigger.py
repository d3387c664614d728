# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures that keep the frames around what a device does wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.model.capture import Capture, CaptureTrigger, Direction, TriggerKind
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.running.capture import CaptureFile, Captures
from TesterLibrary.running.opening import OpenTestbed

from .defects import device_that, sent

NORTH = Stream("north", "p1", "p2", FrameSize(128), Rate.parse("2 kpps"))
FRAMES = 400


def around(bed: OpenTestbed, trigger: CaptureTrigger, wish: Mapping[str, Any], **more: Any) -> CaptureFile:
    captures = Captures(bed.tester)
    captures.start(Capture("around", streams=("north",), trigger=trigger, **more))
    with device_that(bed, **wish):
        sent(bed, NORTH, FRAMES)
    return captures.stop("around")


def numbers(file: CaptureFile, *, transmitted: bool = False) -> list[int | None]:
    return [f.sequence for f in frames_of(file.heads) if f.transmitted == transmitted]


@pytest.mark.parametrize(
    ("trigger", "wish", "first"),
    [
        (CaptureTrigger(TriggerKind.GAP, 5, 3), {"lose": [200, 4]}, 204),
        (CaptureTrigger(TriggerKind.DAMAGE, 5, 3), {"corrupt_every": 250}, 249),
        (CaptureTrigger(TriggerKind.DAMAGE, 5, 3), {"headers_every": 250, "part": "UDP ports"}, 249),
    ],
)
def test_frames_before_and_after_are_kept(
    bed: OpenTestbed, trigger: CaptureTrigger, wish: Mapping[str, Any], first: int
) -> None:
    file = around(bed, trigger, wish, direction=Direction.RECEIVED)
    assert file.counters.triggered
    assert not file.waited
    assert [f.sequence for f in frames_of(file.heads) if f.fires] == [first]
    lost = range(200, 204) if "lose" in wish else ()
    expected = [n for n in range(first - 5 - len(lost), first + 4) if n not in lost]
    assert numbers(file) == expected


def test_what_was_lost_is_among_the_departures(bed: OpenTestbed) -> None:
    # 150 frames of each direction: the device may hold frames for 75 ms.
    file = around(bed, CaptureTrigger(TriggerKind.GAP, 300, 0), {"lose": [200, 4]})
    assert file.counters.captured == 301
    assert {200, 201, 202, 203} <= set(numbers(file, transmitted=True))
    assert numbers(file)[-1] == 204


def test_a_late_frame_triggers(bed: OpenTestbed) -> None:
    late = CaptureTrigger(TriggerKind.LATENCY, 2, 2, above=Duration(20 * 10**6))
    file = around(bed, late, {"delay_s": 0.03}, direction=Direction.RECEIVED)
    assert file.counters.triggered
    assert numbers(file)[:1] == [0]


def test_what_never_happens_leaves_the_last_frames(bed: OpenTestbed) -> None:
    never = CaptureTrigger(TriggerKind.FILTER, 5, 3, filter="udp port 53")
    file = around(bed, never, {}, direction=Direction.RECEIVED)
    assert file.waited
    assert numbers(file) == list(range(FRAMES - 9, FRAMES))
